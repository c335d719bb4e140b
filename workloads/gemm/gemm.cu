// C = alpha A B + beta C without tiles: a thread an element. The sum is kept in memory, as the suite's code
// does, so that each step of the loop also stores.
#include "../common/fixed.cuh"

template <int N> static __device__ void multiply(float *a, float *b, float *c, float alpha, float beta) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= N || j >= N) return;
  c[i * N + j] *= beta;
  for (int k = 0; k < N; k++) c[i * N + j] += alpha * a[i * N + k] * b[k * N + j];
}

// 20 registers are enough for the assembler: six blocks an SM.
extern "C" __global__ void __maxnreg__(20) gemm(float *a, float *b, float *c, float alpha, float beta, int n) {
  WITH_SIZE(n, 64, 192, 512, multiply<N>(a, b, c, alpha, beta));
}
