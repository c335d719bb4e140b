// y = A^T (A x): a thread a row in the first kernel, a thread a column in the second. Sums are kept in
// memory, as in the suite's code: each step stores.
#include "../common/fixed.cuh"

template <int N> static __device__ void rows(float *a, float *x, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  for (int j = 0; j < N; j++) tmp[i] += a[i * N + j] * x[j];
}

template <int N> static __device__ void columns(float *a, float *y, float *tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= N) return;
  for (int i = 0; i < N; i++) y[j] += a[i * N + j] * tmp[i];
}

extern "C" __global__ void atax_rows(float *a, float *x, float *tmp, int n) {
  WITH_SIZE(n, 256, 3840, 4096, rows<N>(a, x, tmp));
}

extern "C" __global__ void atax_columns(float *a, float *y, float *tmp, int n) {
  WITH_SIZE(n, 256, 3840, 4096, columns<N>(a, y, tmp));
}
