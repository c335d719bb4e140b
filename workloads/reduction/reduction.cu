// Sum of an array of integers: each thread adds up a strided part, each warp its lanes by exchanging registers, and the first warp the
// sums of the warps, which lie in shared memory. Called again with a small block for the sums of the blocks.

extern __shared__ int warp_sums[];

static __device__ int sum_of_lanes(unsigned mask, int lanes, int sum) {
  for (int apart = lanes / 2; apart > 0; apart /= 2) sum += __shfl_down_sync(mask, sum, apart, lanes);
  return sum;
}

template <unsigned THREADS>
static __device__ void reduce(const int *__restrict__ in, int *__restrict__ out, unsigned count) {
  unsigned t = threadIdx.x, step = 2 * THREADS * gridDim.x;
  int sum = 0;
  for (unsigned i = blockIdx.x * 2 * THREADS + t; i < count; i += step) {
    sum += in[i];
    if (i + THREADS < count) sum += in[i + THREADS];
  }
  sum = sum_of_lanes(0xffffffffu, warpSize, sum);
  if (t % warpSize == 0) warp_sums[t / warpSize] = sum;
  __syncthreads();
  unsigned warps = THREADS / warpSize > 0 ? THREADS / warpSize : 1, mask = __ballot_sync(0xffffffffu, t < warps);
  if (t < warps) sum = sum_of_lanes(mask, warps, warp_sums[t]);
  if (t == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void reduce_sum(const int *__restrict__ in, int *__restrict__ out, unsigned count) { reduce<256>(in, out, count); }

extern "C" __global__ void reduce_last(const int *__restrict__ in, int *__restrict__ out, unsigned count) { reduce<32>(in, out, count); }
