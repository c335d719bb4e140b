// Attention without the matrix of scores: a block has 32 queries, and keys and values pass through shared
// memory in tiles of 32. Each query keeps the largest score so far and the sum of the exponentials, and
// scales what it has when a larger score comes. A query may look at keys up to its own place.

enum {
  DIM = 64,
  TILE = 32,
  PARTS = 4,
  THREADS = TILE * PARTS,
  VECTORS = DIM / 4,
  OWN = VECTORS / PARTS,
  GROUP = 8
};

static __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

static __device__ float4 blend(float4 a, float scale, float4 b, float weight) {
  return make_float4(a.x * scale + b.x * weight, a.y * scale + b.y * weight, a.z * scale + b.z * weight,
                     a.w * scale + b.w * weight);
}

// Four neighbouring lanes share a query; lane p of them holds the vectors p, p + 4, ... of it.
extern "C" __global__ void __launch_bounds__(THREADS)
    flash_attention(const float4 *q, const float4 *k, const float4 *v, float4 *out, int length, float scale) {
  __shared__ float4 keys[TILE * VECTORS], values[TILE * VECTORS];
  int t = threadIdx.x, part = t % PARTS, query = blockIdx.x * TILE + t / PARTS;
  long head = (long)blockIdx.y * length * VECTORS;
  float4 own[OWN], sum[OWN];
#pragma unroll
  for (int i = 0; i < OWN; i++) {
    own[i] = q[head + query * VECTORS + part + i * PARTS];
    sum[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float most = -1e30f, total = 0.0f;
  for (int tile = 0; tile <= blockIdx.x; tile++) {
    __syncthreads();
    for (int i = t; i < TILE * VECTORS; i += THREADS) {
      keys[i] = k[head + tile * TILE * VECTORS + i];
      values[i] = v[head + tile * TILE * VECTORS + i];
    }
    __syncthreads();
#pragma unroll 1
    for (int first = 0; first < TILE; first += GROUP) {
      float score[GROUP], largest = most;
#pragma unroll
      for (int g = 0; g < GROUP; g++) {
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < OWN; i++) s += dot(own[i], keys[(first + g) * VECTORS + part + i * PARTS]);
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        score[g] = tile * TILE + first + g <= query ? s * scale : -1e30f;
        largest = fmaxf(largest, score[g]);
      }
      float shrink = __expf(most - largest);
      most = largest;
      total *= shrink;
#pragma unroll
      for (int g = 0; g < GROUP; g++) {
        float weight = __expf(score[g] - most);
        total += weight;
#pragma unroll
        for (int i = 0; i < OWN; i++)
          sum[i] =
              blend(sum[i], g == 0 ? shrink : 1.0f, values[(first + g) * VECTORS + part + i * PARTS], weight);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < OWN; i++)
    out[head + query * VECTORS + part + i * PARTS] = blend(sum[i], 1.0f / total, sum[i], 0.0f);
}
