/* A product of matrices as Hopper wants it: c = a * b^T, a and b in bf16 with k contiguous, c in f32.
 *
 * One warp of a CTA fills a ring of tiles by tensor copies (cp.async.bulk.tensor, 128-byte swizzle), two warpgroups of the same CTA multiply
 * them with wgmma: full[] says that a tile's bytes have come, empty[] that both warpgroups have read it. A CTA computes 128 x 128.
 *
 * usage: gemm [SIZE [LAUNCHES]]; SIZE is a multiple of 128. Checks c against the CPU (every element up to 512, some of each row beyond). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

enum { TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4, CONSUMERS = 2, STAGE_BYTES = (TILE_M + TILE_N) * TILE_K * 2 };
enum { THREADS = 128 * (1 + CONSUMERS), SHARED = STAGES * STAGE_BYTES + 1024 };

__device__ static uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ static void barrier_init(uint64_t *b, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
}
__device__ static void barrier_expect(uint64_t *b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ static void barrier_arrive(uint64_t *b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ static void barrier_wait(uint64_t *b, unsigned parity) {
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra WAIT; }" ::"r"(shared_address(b)), "r"(parity)
               : "memory");
}
__device__ static void copy_tile(void *to, const CUtensorMap *map, int k, int row, uint64_t *full) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   shared_address(to)),
               "l"(map), "r"(k), "r"(row), "r"(shared_address(full))
               : "memory");
}
/* Rows of 128 bytes, eight of which make the swizzle's pattern. */
__device__ static uint64_t descriptor(const void *p) {
  return (uint64_t)(shared_address(p) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
__device__ static void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
               : "l"(a), "l"(b));
}

__device__ static void produce(const CUtensorMap *a, const CUtensorMap *b, unsigned char *tiles, uint64_t *full, uint64_t *empty, int steps) {
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    if (i >= STAGES) barrier_wait(&empty[stage], (i / STAGES - 1) & 1);
    unsigned char *to = tiles + stage * STAGE_BYTES;
    barrier_expect(&full[stage], STAGE_BYTES);
    copy_tile(to, a, i * TILE_K, blockIdx.y * TILE_M, &full[stage]);
    copy_tile(to + TILE_M * TILE_K * 2, b, i * TILE_K, blockIdx.x * TILE_N, &full[stage]);
  }
}

__device__ static void consume(float (&d)[64], const unsigned char *tiles, uint64_t *full, uint64_t *empty, int steps, int group) {
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    barrier_wait(&full[stage], (i / STAGES) & 1);
    const unsigned char *at = tiles + stage * STAGE_BYTES;
    uint64_t a = descriptor(at + group * 64 * TILE_K * 2), b = descriptor(at + TILE_M * TILE_K * 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < TILE_K / 16; k++) multiply(d, a + 2 * k, b + 2 * k);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0) barrier_arrive(&empty[stage]);
  }
}

__global__ void __launch_bounds__(THREADS) gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k) {
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  unsigned char *tiles = memory + (1024 - shared_address(memory) % 1024) % 1024;
  int warpgroup = threadIdx.x / 128, steps = k / TILE_K;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) barrier_init(&full[i], 1), barrier_init(&empty[i], CONSUMERS);
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  if (warpgroup == 0) {
    if (threadIdx.x == 0) produce(&a, &b, tiles, full, empty, steps);
    return;
  }
  float d[64];
  for (int i = 0; i < 64; i++) d[i] = 0;
  consume(d, tiles, full, empty, steps, warpgroup - 1);
  int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  int row = blockIdx.y * TILE_M + (warpgroup - 1) * 64 + warp * 16 + lane / 4, column = blockIdx.x * TILE_N + lane % 4 * 2;
  for (int i = 0; i < 16; i++) {
    *(float2 *)&c[(size_t)row * n + column + 8 * i] = make_float2(d[4 * i], d[4 * i + 1]);
    *(float2 *)&c[(size_t)(row + 8) * n + column + 8 * i] = make_float2(d[4 * i + 2], d[4 * i + 3]);
  }
}

static bool ok(cudaError_t e, const char *what) {
  if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  return e == cudaSuccess;
}

/* A tile is `rows` rows of 128 bytes. */
static bool make_map(CUtensorMap *map, void *at, int size, unsigned rows) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (!ok(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found), "entry point")) return false;
  cuuint64_t sizes[] = {(cuuint64_t)size, (cuuint64_t)size}, strides[] = {(cuuint64_t)size * 2};
  cuuint32_t box[] = {TILE_K, rows}, steps[] = {1, 1};
  return ((decltype(&cuTensorMapEncodeTiled))entry)(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, at, sizes, strides, box, steps,
                                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Small whole numbers, so that every order of additions gives the same sum. */
static float value(int row, int k, int seed) { return (float)(((unsigned)(row * 31 + k * 17 + seed) * 2654435761u >> 28) % 9) - 4; }

static int check(const float *c, int size) {
  int wrong = 0, step = size > 512 ? size / 16 + 1 : 1;
  for (int i = 0; i < size; i += size > 512 ? 7 : 1)
    for (int j = 0; j < size; j += step) {
      float sum = 0;
      for (int k = 0; k < size; k++) sum += value(i, k, 1) * value(j, k, 2);
      wrong += sum != c[(size_t)i * size + j];
    }
  return wrong;
}

int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 256, launches = argc > 2 ? atoi(argv[2]) : 1;
  if (size < TILE_M || size % TILE_M) return fprintf(stderr, "usage: gemm [SIZE [LAUNCHES]]; SIZE is a multiple of 128\n"), 2;
  __nv_bfloat16 *a, *b;
  float *c;
  size_t n = (size_t)size * size;
  if (!ok(cudaMallocManaged(&a, 2 * n), "memory") || !ok(cudaMallocManaged(&b, 2 * n), "memory") || !ok(cudaMallocManaged(&c, 4 * n), "memory")) return 1;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      a[(size_t)i * size + k] = __float2bfloat16(value(i, k, 1));
      b[(size_t)i * size + k] = __float2bfloat16(value(i, k, 2));
    }
  CUtensorMap map_a, map_b;
  if (!make_map(&map_a, a, size, TILE_M) || !make_map(&map_b, b, size, TILE_N)) return fprintf(stderr, "no tensor map\n"), 1;
  if (!ok(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED), "shared memory")) return 1;
  cudaEvent_t begin, end;
  float best = 1e9f;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int i = 0; i < launches; i++) {
    float ms;
    cudaEventRecord(begin);
    gemm<<<dim3(size / TILE_N, size / TILE_M), THREADS, SHARED>>>(map_a, map_b, c, size, size);
    cudaEventRecord(end);
    if (!ok(cudaEventSynchronize(end), "gemm")) return 1;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < best) best = ms;
  }
  int wrong = check(c, size);
  if (launches > 1) fprintf(stderr, "gemm %d: %.2f us, %.0f TFLOP/s\n", size, best * 1e3, 2e-9 * (double)size * size * size / best);
  printf("gemm %d: %d wrong\n", size, wrong);
  return wrong != 0;
}
