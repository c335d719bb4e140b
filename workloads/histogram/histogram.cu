// Histogram of bytes in 256 bins: each warp counts in its own copy in shared memory, each block writes the
// sum of its copies, and a second kernel adds up the blocks.

enum { BINS = 256, WARPS = 6, THREADS = WARPS * 32, MERGE_THREADS = 256 };

extern "C" __global__ void histogram_count(const unsigned *words, int count, unsigned *partial) {
  __shared__ unsigned bins[WARPS * BINS];
  for (int i = threadIdx.x; i < WARPS * BINS; i += THREADS) bins[i] = 0;
  __syncthreads();
  unsigned *own = bins + threadIdx.x / 32 * BINS;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += THREADS * gridDim.x) {
    unsigned word = words[i];
    atomicAdd(&own[word & 255], 1u);
    atomicAdd(&own[word >> 8 & 255], 1u);
    atomicAdd(&own[word >> 16 & 255], 1u);
    atomicAdd(&own[word >> 24], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
    unsigned sum = 0;
    for (int w = 0; w < WARPS; w++) sum += bins[w * BINS + bin];
    partial[blockIdx.x * BINS + bin] = sum;
  }
}

// A block a bin.
extern "C" __global__ void histogram_merge(const unsigned *partial, int blocks, unsigned *histogram) {
  __shared__ unsigned sums[MERGE_THREADS];
  unsigned sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < blocks; i += MERGE_THREADS) sum += partial[i * BINS + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int half = MERGE_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}
