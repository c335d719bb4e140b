/* A product of matrices in fp8 (e4m3): product.h says how. usage: gemm_fp8 [SIZE [LAUNCHES]]; SIZE is a multiple of 128. */
#include "hopper.h"

#include <cuda_fp8.h>

typedef __nv_fp8_e4m3 element;
static const CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_UINT8;
static const char NAME[] = "gemm_fp8";

__device__ static void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" NAMES_64 "}, %64, %65, p, 1, 1; }"
               : BOTH_64(d)
               : "l"(a), "l"(b));
}

#include "product.h"
