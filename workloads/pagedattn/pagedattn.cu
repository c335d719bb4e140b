// One step of decoding with a paged cache of keys and values: a block a query head of a sequence. The cache
// is cut into pages of 16 tokens that lie anywhere; a table names the pages of each sequence. Keys and
// values are bf16, page by page, in each page head by head.

enum { DIM = 128, PAGE = 16, THREADS = DIM, WARPS = THREADS / 32, SHARERS = 8, LONGEST = 2048 };

static __device__ float low_half(unsigned pair) { return __uint_as_float(pair << 16); }
static __device__ float high_half(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

static __device__ float dot_pairs(uint4 k, const float *q) {
  return low_half(k.x) * q[0] + high_half(k.x) * q[1] + low_half(k.y) * q[2] + high_half(k.y) * q[3] +
         low_half(k.z) * q[4] + high_half(k.z) * q[5] + low_half(k.w) * q[6] + high_half(k.w) * q[7];
}

// Largest or sum over the block; every thread gets it.
static __device__ float over_block(float x, bool sum, float *part) {
  for (int mask = 16; mask > 0; mask /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, x, mask);
    x = sum ? x + other : fmaxf(x, other);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  x = part[0];
  for (int w = 1; w < WARPS; w++) x = sum ? x + part[w] : fmaxf(x, part[w]);
  return x;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    paged_attention(const float *queries, const unsigned short *keys, const unsigned short *values,
                    const int *table, const int *lengths, float *out, int pages_each, int heads, int kv_heads,
                    float scale) {
  __shared__ float score[LONGEST], part[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, head = blockIdx.x, sequence = blockIdx.y;
  int kv_head = head / (heads / kv_heads), length = lengths[sequence];
  const int *pages = table + sequence * pages_each;
  const float *query = queries + (long)(sequence * heads + head) * DIM;

  // Scores: eight lanes a token, four tokens a warp at a time, a page a warp.
  float q[DIM / SHARERS];
  for (int i = 0; i < DIM / SHARERS; i++) q[i] = query[lane % SHARERS * 8 + i % 8 + i / 8 * (SHARERS * 8)];
  float most = -1e30f;
#pragma unroll 1
  for (int p = warp; p * PAGE < length; p += WARPS) {
    const unsigned short *page = keys + ((long)pages[p] * kv_heads + kv_head) * PAGE * DIM;
#pragma unroll 1
    for (int i = lane / SHARERS; i < PAGE; i += 32 / SHARERS) {
      const uint4 *key = (const uint4 *)(page + i * DIM);
      float s = dot_pairs(key[lane % SHARERS], q) + dot_pairs(key[lane % SHARERS + SHARERS], q + 8);
      s += __shfl_xor_sync(0xffffffffu, s, 1);
      s += __shfl_xor_sync(0xffffffffu, s, 2);
      s += __shfl_xor_sync(0xffffffffu, s, 4);
      s = p * PAGE + i < length ? s * scale : -1e30f;
      if (lane % SHARERS == 0) score[p * PAGE + i] = s;
      most = fmaxf(most, s);
    }
  }
  most = over_block(most, false, part);
  float total = 0.0f;
  for (int i = t; i < length; i += THREADS) {
    float weight = __expf(score[i] - most);
    score[i] = weight;
    total += weight;
  }
  total = over_block(total, true, part);

  // Values: a thread a dimension.
  float sum = 0.0f;
#pragma unroll 1
  for (int p = 0; p * PAGE < length; p++) {
    const unsigned short *page = values + ((long)pages[p] * kv_heads + kv_head) * PAGE * DIM + t;
    int tokens = min(PAGE, length - p * PAGE);
#pragma unroll 1
    for (int i = 0; i < tokens; i++)
      sum += score[p * PAGE + i] * __uint_as_float((unsigned)page[i * DIM] << 16);
  }
  out[(long)(sequence * heads + head) * DIM + t] = sum / total;
}
