/* A product of matrices as Hopper wants it: c = a * b^T, a and b with k contiguous, c in f32, of the type that the including file names.
 *
 * One warp of a CTA fills a ring of tiles by tensor copies (cp.async.bulk.tensor, 128-byte swizzle), two warpgroups of the same CTA
 * multiply them with wgmma: full[] says that a tile's bytes have come, empty[] that both warpgroups have read it. A CTA computes
 * 128 x 128. A row of a tile has 128 bytes, and a wgmma takes 32 of them, whatever the type.
 *
 * The including file has `element`, TYPE (of its tensor maps), NAME (of the program) and multiply(), one wgmma; this one has all else,
 * main() too: NAME [SIZE [LAUNCHES]] checks c against the CPU (every element up to 512, some of each row beyond). */
#ifndef EXAMPLES_PRODUCT_H
#define EXAMPLES_PRODUCT_H

#include <cstdlib>
#include <vector>

enum { ROW_BYTES = 128, TILE_M = 128, TILE_N = 128, TILE_K = ROW_BYTES / sizeof(element), STAGES = 4, CONSUMERS = 2 };
enum { STAGE_BYTES = (TILE_M + TILE_N) * ROW_BYTES, THREADS = 128 * (1 + CONSUMERS), SHARED = STAGES * STAGE_BYTES + 1024 };

__device__ static void produce(const CUtensorMap *a, const CUtensorMap *b, unsigned char *tiles, uint64_t *full, uint64_t *empty,
                               int steps) {
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    if (i >= STAGES) barrier_wait(&empty[stage], (i / STAGES - 1) & 1);
    unsigned char *to = tiles + stage * STAGE_BYTES;
    barrier_expect(&full[stage], STAGE_BYTES);
    copy_tile(to, a, i * TILE_K, blockIdx.y * TILE_M, &full[stage]);
    copy_tile(to + TILE_M * ROW_BYTES, b, i * TILE_K, blockIdx.x * TILE_N, &full[stage]);
  }
}

__device__ static void consume(float (&d)[64], const unsigned char *tiles, uint64_t *full, uint64_t *empty, int steps, int group) {
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    barrier_wait(&full[stage], (i / STAGES) & 1);
    const unsigned char *at = tiles + stage * STAGE_BYTES;
    uint64_t a = descriptor(at + group * 64 * ROW_BYTES), b = descriptor(at + TILE_M * ROW_BYTES);
    wgmma_begin();
    for (int k = 0; k < ROW_BYTES / 32; k++) multiply(d, a + 2 * k, b + 2 * k);
    wgmma_end();
    if (threadIdx.x % 128 == 0) barrier_arrive(&empty[stage]);
  }
}

__global__ void __launch_bounds__(THREADS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k) {
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  unsigned char *tiles = memory + (1024 - shared_address(memory) % 1024) % 1024;
  int warpgroup = threadIdx.x / 128, steps = k / TILE_K;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) barrier_init(&full[i], 1), barrier_init(&empty[i], CONSUMERS);
    barriers_ready();
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

/* Small whole numbers, so that every order of additions gives the same sum, in the 14 bits too that a tensor core keeps of sums of fp8. */
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
  if (size < TILE_M || size % TILE_M) return fprintf(stderr, "usage: %s [SIZE [LAUNCHES]]; SIZE is a multiple of 128\n", NAME), 2;
  size_t n = (size_t)size * size;
  std::vector<element> a(n), b(n);
  std::vector<float> c(n);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) {
      a[(size_t)i * size + k] = element(value(i, k, 1));
      b[(size_t)i * size + k] = element(value(i, k, 2));
    }
  element *at_a = to_device(a.data(), n), *at_b = to_device(b.data(), n);
  float *at_c = to_device(c.data(), n);
  if (!at_a || !at_b || !at_c) return 1;
  CUtensorMap map_a, map_b;
  if (!make_map(&map_a, at_a, TYPE, sizeof a[0], size, size, TILE_M) || !make_map(&map_b, at_b, TYPE, sizeof b[0], size, size, TILE_N))
    return fprintf(stderr, "no tensor map\n"), 1;
  if (!ok(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED), "shared memory")) return 1;
  cudaEvent_t begin, end;
  float best = 1e9f;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int i = 0; i < launches; i++) {
    float ms;
    cudaEventRecord(begin);
    gemm<<<dim3(size / TILE_N, size / TILE_M), THREADS, SHARED>>>(map_a, map_b, at_c, size, size);
    cudaEventRecord(end);
    if (!ok(cudaEventSynchronize(end), "gemm")) return 1;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < best) best = ms;
  }
  if (!ok(cudaMemcpy(c.data(), at_c, n * sizeof c[0], cudaMemcpyDeviceToHost), "copy")) return 1;
  int wrong = check(c.data(), size);
  if (launches > 1) fprintf(stderr, "%s %d: %.2f us, %.0f TFLOP/s\n", NAME, size, best * 1e3, 2e-9 * (double)size * size * size / best);
  printf("%s %d: %d wrong\n", NAME, size, wrong);
  return wrong != 0;
}

#endif
