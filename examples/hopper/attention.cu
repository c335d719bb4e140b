/* Attention, forward: out = softmax(q * k^T / 8) * v, 64 values a row in bf16, out in f32; rows of a head follow each other.
 *
 * A CTA takes 128 queries of a head, two warpgroups 64 each. One thread of a third warpgroup brings the queries and then, tile by tile, 128
 * keys and values by tensor copies (128-byte swizzle) into a ring: full[] says that the bytes have come, empty[] that both warpgroups
 * have read them. Weights stay in registers: they are the first operand of the second product, whose other one is v, transposed by
 * wgmma. Sums are kept with the largest score so far and scaled when it grows.
 *
 * usage: attention [ROWS [HEADS [LAUNCHES]]]; ROWS of a head is a multiple of 128. Checks some rows of each head against the CPU, within 1/64
 * of the largest value. */
#include "hopper.h"

#include <cmath>
#include <cstdlib>
#include <cuda_bf16.h>
#include <vector>

enum { WIDTH = 64, TILE = 128, STAGES = 2, CONSUMERS = 2, TILE_BYTES = TILE * WIDTH * 2, STAGE_BYTES = 2 * TILE_BYTES };
enum { THREADS = 128 * (1 + CONSUMERS), SHARED = TILE_BYTES + STAGES * STAGE_BYTES + 1024 };
static const CUtensorMapDataType TYPE = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;

/* Scores of 64 queries and 128 keys; the first step forgets what was there. */
__device__ static void score(float (&s)[64], uint64_t q, uint64_t k, int add) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "}, %64, %65, p, 1, 1, 0, 0; }"
               : BOTH_64(s)
               : "l"(q), "l"(k), "r"(add));
}

/* Adds the products of 16 keys' weights and their values, which lie key by key. */
__device__ static void gather(float (&o)[32], const uint32_t *w, uint64_t v) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32 "}, {%32, %33, %34, %35}, %36, p, 1, 1, 1; }"
               : BOTH_32(o, 0)
               : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(v));
}

__device__ static void produce(const CUtensorMap *q, const CUtensorMap *k, const CUtensorMap *v, unsigned char *queries, unsigned char *tiles,
                               uint64_t *ready, uint64_t *full, uint64_t *empty, int first, int steps) {
  barrier_expect(ready, TILE_BYTES);
  copy_tile(queries, q, 0, first + (int)blockIdx.x * TILE, ready);
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    if (i >= STAGES) barrier_wait(&empty[stage], (i / STAGES - 1) & 1);
    barrier_expect(&full[stage], STAGE_BYTES);
    copy_tile(tiles + stage * STAGE_BYTES, k, 0, first + i * TILE, &full[stage]);
    copy_tile(tiles + stage * STAGE_BYTES + TILE_BYTES, v, 0, first + i * TILE, &full[stage]);
  }
}

struct row { /* of the two that a thread has a part of */
  float most, sum;
};

/* Scores of one row, every second pair of s from `at` on, become weights; what was summed before is scaled. */
__device__ static void weigh(float (&s)[64], float (&o)[32], row &r, int at) {
  const float scale = 0.125f * 1.44269504f; /* root of the width, logarithm of two */
  float most = r.most, sum = 0;
  for (int i = at; i < 64; i += 4) most = fmaxf(most, fmaxf(s[i], s[i + 1]));
  most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
  most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
  float before = exp2f((r.most - most) * scale), base = most * scale;
  for (int i = at; i < 64; i += 4) {
    s[i] = exp2f(s[i] * scale - base);
    s[i + 1] = exp2f(s[i + 1] * scale - base);
    sum += s[i] + s[i + 1];
  }
  for (int i = at; i < 32; i += 4) o[i] *= before, o[i + 1] *= before;
  r = {most, r.sum * before + sum};
}

__device__ static uint32_t pair(float low, float high) {
  __nv_bfloat162 p = __floats2bfloat162_rn(low, high);
  return *(uint32_t *)&p;
}

__device__ static void consume(float (&o)[32], row (&r)[2], const unsigned char *queries, const unsigned char *tiles, uint64_t *full,
                               uint64_t *empty, int steps, int group) {
  uint64_t q = descriptor(queries + group * 64 * WIDTH * 2);
  float s[64];
  for (int i = 0; i < steps; i++) {
    int stage = i % STAGES;
    barrier_wait(&full[stage], (i / STAGES) & 1);
    uint64_t k = descriptor(tiles + stage * STAGE_BYTES), v = descriptor(tiles + stage * STAGE_BYTES + TILE_BYTES);
    wgmma_begin();
#pragma unroll
    for (int step = 0; step < WIDTH / 16; step++) score(s, q + 2 * step, k + 2 * step, step);
    wgmma_end();
    weigh(s, o, r[0], 0);
    weigh(s, o, r[1], 2);
    uint32_t w[32];
    for (int j = 0; j < 32; j++) w[j] = pair(s[2 * j], s[2 * j + 1]);
    wgmma_begin();
#pragma unroll
    for (int step = 0; step < TILE / 16; step++) gather(o, w + 4 * step, v + 128 * step);
    wgmma_end();
    if (threadIdx.x % 128 == 0) barrier_arrive(&empty[stage]);
  }
}

__global__ void __launch_bounds__(THREADS) attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
                                                     const __grid_constant__ CUtensorMap v, float *out, int rows) {
  extern __shared__ unsigned char memory[];
  __shared__ uint64_t ready, full[STAGES], empty[STAGES];
  unsigned char *queries = memory + (1024 - shared_address(memory) % 1024) % 1024, *tiles = queries + TILE_BYTES;
  int warpgroup = threadIdx.x / 128, first = blockIdx.y * rows;
  if (threadIdx.x == 0) {
    barrier_init(&ready, 1);
    for (int i = 0; i < STAGES; i++) barrier_init(&full[i], 1), barrier_init(&empty[i], CONSUMERS);
    barriers_ready();
  }
  __syncthreads();
  if (warpgroup == 0) {
    if (threadIdx.x == 0) produce(&q, &k, &v, queries, tiles, &ready, full, empty, first, rows / TILE);
    return;
  }
  float o[32];
  row r[2] = {{-1e30f, 0}, {-1e30f, 0}};
  for (int i = 0; i < 32; i++) o[i] = 0;
  barrier_wait(&ready, 0);
  consume(o, r, queries, tiles, full, empty, rows / TILE, warpgroup - 1);
  int lane = threadIdx.x % 32, at = first + blockIdx.x * TILE + (warpgroup - 1) * 64 + threadIdx.x / 32 % 4 * 16 + lane / 4;
  for (int half = 0; half < 2; half++) {
    float sum = r[half].sum;
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    float *to = out + (size_t)(at + 8 * half) * WIDTH + lane % 4 * 2;
    for (int i = 0; i < WIDTH / 8; i++) *(float2 *)(to + 8 * i) = make_float2(o[4 * i + 2 * half] / sum, o[4 * i + 2 * half + 1] / sum);
  }
}

static float value(size_t row, int i, int seed) { return (float)((unsigned)(row * 131 + i * 17 + seed) * 2654435761u >> 24) / 128 - 1; }

static int check(const float *out, int rows, int heads) {
  int wrong = 0;
  double *score = (double *)malloc(sizeof *score * rows);
  for (size_t at = 0; at < (size_t)rows * heads; at += 61) {
    size_t first = at / rows * rows;
    double sum = 0;
    for (int j = 0; j < rows; j++) {
      double dot = 0;
      for (int i = 0; i < WIDTH; i++) dot += value(at, i, 1) * value(first + j, i, 2);
      sum += score[j] = exp(dot / 8);
    }
    for (int i = 0; i < WIDTH; i++) {
      double wanted = 0;
      for (int j = 0; j < rows; j++) wanted += score[j] / sum * value(first + j, i, 3);
      wrong += !(fabs(wanted - out[at * WIDTH + i]) < 1.0 / 64);
    }
  }
  free(score);
  return wrong;
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 256, heads = argc > 2 ? atoi(argv[2]) : 2, launches = argc > 3 ? atoi(argv[3]) : 1;
  if (rows < TILE || rows % TILE || heads < 1) return fprintf(stderr, "usage: attention [ROWS [HEADS [LAUNCHES]]]; ROWS is a multiple of 128\n"), 2;
  size_t all = (size_t)rows * heads;
  std::vector<__nv_bfloat16> in(all * WIDTH);
  std::vector<float> out(all * WIDTH);
  CUtensorMap map[3];
  float best = 1e9f, *at_out = to_device(out.data(), out.size());
  for (int m = 0; m < 3; m++) {
    for (size_t i = 0; i < in.size(); i++) in[i] = __float2bfloat16(value(i / WIDTH, i % WIDTH, m + 1));
    __nv_bfloat16 *at = to_device(in.data(), in.size());
    if (!at || !at_out) return 1;
    if (!make_map(&map[m], at, TYPE, sizeof in[0], WIDTH, all, TILE)) return fprintf(stderr, "no tensor map\n"), 1;
  }
  if (!ok(cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED), "shared memory")) return 1;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int i = 0; i < launches; i++) {
    float ms;
    cudaEventRecord(begin);
    attention<<<dim3(rows / TILE, heads), THREADS, SHARED>>>(map[0], map[1], map[2], at_out, rows);
    cudaEventRecord(end);
    if (!ok(cudaEventSynchronize(end), "attention")) return 1;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < best) best = ms;
  }
  if (!ok(cudaMemcpy(out.data(), at_out, out.size() * sizeof out[0], cudaMemcpyDeviceToHost), "copy")) return 1;
  int wrong = check(out.data(), rows, heads);
  if (launches > 1) fprintf(stderr, "attention %d x %d: %.2f us, %.0f TFLOP/s\n", heads, rows, best * 1e3, 4e-9 * (double)all * rows * WIDTH / best);
  printf("attention %d x %d: %d wrong\n", heads, rows, wrong);
  return wrong != 0;
}
