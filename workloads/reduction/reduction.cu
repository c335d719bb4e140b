// Sum of an array: each thread adds up a strided part, each block its threads in shared memory and, for the
// last 32, by exchanging registers. Called a second time with one block for the blocks' sums.

enum { THREADS = 256 };

extern "C" __global__ void reduce_sum(const float *in, float *out, int count) {
  __shared__ float part[THREADS];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * 2 * THREADS + t; i < count; i += 2 * THREADS * gridDim.x) {
    sum += in[i];
    if (i + THREADS < count) sum += in[i + THREADS];
  }
  part[t] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half >= 32; half /= 2) {
    if (t < half) part[t] = sum = sum + part[t + half];
    __syncthreads();
  }
  if (t >= 32) return;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (t == 0) out[blockIdx.x] = sum;
}
