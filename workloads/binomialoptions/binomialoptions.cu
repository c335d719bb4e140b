// Prices of European call options on a binomial tree: a block an option. Each thread keeps sixteen
// neighbouring leaves in registers and takes the first leaf of its right neighbour from shared memory.

enum { EACH = 16, THREADS = 128, STEPS = EACH * THREADS, MOST_OPTIONS = 1024 };

struct option {
  float price, strike, drift, up, down; // logarithm of one step; discounted chances
};

__constant__ option options[MOST_OPTIONS];

static __device__ float leaf(float price, float strike, float drift, int i) {
  float gain = price * __expf(drift * (2.0f * i - STEPS)) - strike;
  return gain > 0.0f ? gain : 0.0f;
}

extern "C" __global__ void binomial_options(float *results) {
  __shared__ float edge[THREADS + 1];
  int t = threadIdx.x;
  float price = options[blockIdx.x].price, strike = options[blockIdx.x].strike, drift = options[blockIdx.x].drift;
  float up = options[blockIdx.x].up, down = options[blockIdx.x].down;
  float call[EACH + 1];
#pragma unroll
  for (int i = 0; i < EACH; i++) call[i] = leaf(price, strike, drift, t * EACH + i);
  // The tree has one leaf more than the threads hold. It counts in the first step only: after that, what
  // comes from it lies outside the tree.
  if (t == 0) edge[THREADS] = leaf(price, strike, drift, STEPS);
  int last = max(0, t * EACH - 1);
#pragma unroll 16
  for (int left = STEPS; left > 0; left--) {
    edge[t] = call[0];
    __syncthreads();
    call[EACH] = edge[t + 1];
    __syncthreads();
    if (left > last) {
#pragma unroll
      for (int i = 0; i < EACH; i++) call[i] = up * call[i + 1] + down * call[i];
    }
  }
  if (t == 0) results[blockIdx.x] = call[0];
}
