// x1 += A y1 and x2 += A^T y2: two independent products with the same matrix, a thread a result.

extern "C" __global__ void mvt_rows(const float *a, float *x1, const float *y1, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 1
  for (int j = 0; j < n; j++) x1[i] += a[i * n + j] * y1[j];
}

extern "C" __global__ void mvt_columns(const float *a, float *x2, const float *y2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 1
  for (int j = 0; j < n; j++) x2[i] += a[j * n + i] * y2[j];
}
