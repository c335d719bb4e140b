/* What the programs of this folder share: mbarriers, tensor copies, descriptors of wgmma, tensor maps. */
#ifndef EXAMPLES_HOPPER_H
#define EXAMPLES_HOPPER_H

#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ static inline uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

/* ---- mbarriers ---- */

__device__ static inline void barrier_init(uint64_t *b, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
}
__device__ static inline void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory"); }
__device__ static inline void barrier_expect(uint64_t *b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ static inline void barrier_arrive(uint64_t *b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ static inline void barrier_wait(uint64_t *b, unsigned parity) {
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra WAIT; }" ::"r"(shared_address(b)),
               "r"(parity)
               : "memory");
}

/* ---- tensor copies ---- */

__device__ static inline void copy_tile(void *to, const CUtensorMap *map, int column, int row, uint64_t *full) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   shared_address(to)),
               "l"(map), "r"(column), "r"(row), "r"(shared_address(full))
               : "memory");
}

/* ---- wgmma ---- */

/* Rows of 128 bytes, eight of which make the swizzle's pattern. */
__device__ static inline uint64_t descriptor(const void *p) {
  return (uint64_t)(shared_address(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
__device__ static inline void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ static inline void wgmma_end() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/* Operands of wgmma: the registers of a warpgroup's part of a matrix of 64 x 64 (32 a thread) or 64 x 128 (64 a thread). */
#define NAMES_32                                                                                                                   \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, " \
  "%27, %28, %29, %30, %31"
#define NAMES_64                                                                                                                   \
  NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, " \
           "%55, %56, %57, %58, %59, %60, %61, %62, %63"
#define BOTH_8(d, i)                                                                                                              \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define BOTH_32(d, i) BOTH_8(d, i), BOTH_8(d, i + 8), BOTH_8(d, i + 16), BOTH_8(d, i + 24)
#define BOTH_64(d) BOTH_32(d, 0), BOTH_32(d, 32)

/* ---- the host's side ---- */

static bool ok(cudaError_t e, const char *what) {
  if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  return e == cudaSuccess;
}

/* Device memory that holds a copy of n values; NULL after a message. */
template <class T> static T *to_device(const T *from, size_t n) {
  T *to = nullptr;
  bool good = ok(cudaMalloc(&to, n * sizeof *to), "memory") && ok(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyHostToDevice), "copy");
  return good ? to : nullptr;
}

/* Tiles of `box_rows` rows of 128 bytes, of a matrix with rows of `columns` elements; 128-byte swizzle. */
static bool make_map(CUtensorMap *map, void *at, CUtensorMapDataType type, unsigned bytes, size_t columns, size_t rows, unsigned box_rows) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (!ok(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found), "entry point"))
    return false;
  cuuint64_t sizes[] = {columns, rows}, strides[] = {columns * bytes};
  cuuint32_t box[] = {128 / bytes, box_rows}, steps[] = {1, 1};
  return ((decltype(&cuTensorMapEncodeTiled))entry)(map, type, 2, at, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

#endif
