// x1 += A y1 and x2 += A^T y2: two independent products with the same matrix, a thread a result. Sums are kept in
// memory, as in the suite's code: each step stores.
#include "../common/fixed.cuh"

template <int N> static __device__ void rows(float *a, float *x1, float *y1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  for (int j = 0; j < N; j++) x1[i] += a[i * N + j] * y1[j];
}

template <int N> static __device__ void columns(float *a, float *x2, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  for (int j = 0; j < N; j++) x2[i] += a[j * N + i] * y2[j];
}

extern "C" __global__ void mvt_rows(float *a, float *x1, float *y1, int n) {
  WITH_SIZE(n, 256, 1536, 4096, rows<N>(a, x1, y1));
}

extern "C" __global__ void mvt_columns(float *a, float *x2, float *y2, int n) {
  WITH_SIZE(n, 256, 1536, 4096, columns<N>(a, x2, y2));
}
