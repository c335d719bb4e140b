// Prices of European call options on a binomial tree: a block an option. Each thread keeps sixteen
// neighbouring leaves in registers and takes the first leaf of its right neighbour from shared memory.

enum { EACH = 16, MOST_THREADS = 128 };

struct option {
  float price, strike, drift, up, down; // logarithm of one step; discounted chances
};

extern "C" __global__ void binomial_options(const option *options, float *result) {
  __shared__ float edge[MOST_THREADS + 1];
  option o = options[blockIdx.x];
  int t = threadIdx.x, steps = blockDim.x * EACH;
  float call[EACH + 1];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    float leaf = o.price * expf(o.drift * (2.0f * (t * EACH + i) - steps)) - o.strike;
    call[i] = fmaxf(leaf, 0.0f);
  }
  // The tree has one leaf more than the threads hold. It counts in the first step only: after that, what
  // comes from it lies outside the tree.
  float beyond = fmaxf(o.price * expf(o.drift * steps) - o.strike, 0.0f);
  if (t == 0) edge[blockDim.x] = beyond;
  for (int left = steps; left > 0; left--) {
    edge[t] = call[0];
    __syncthreads();
    call[EACH] = edge[t + 1];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) call[i] = o.up * call[i + 1] + o.down * call[i];
  }
  if (t == 0) result[blockIdx.x] = call[0];
}
