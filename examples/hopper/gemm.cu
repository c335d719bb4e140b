/* A product of matrices in bf16: product.h says how. usage: gemm [SIZE [LAUNCHES]]; SIZE is a multiple of 128. */
#include "hopper.h"

#include <cuda_bf16.h>

typedef __nv_bfloat16 element;
static const CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
static const char NAME[] = "gemm";

__device__ static void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "}, %64, %65, p, 1, 1, 0, 0; }"
               : BOTH_64(d)
               : "l"(a), "l"(b));
}

#include "product.h"
