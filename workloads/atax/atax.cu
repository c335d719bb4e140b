// y = A^T (A x): a thread a row in the first kernel, a thread a column in the second. Sums are kept in
// memory, as in the suite's code.

extern "C" __global__ void atax_rows(const float *a, const float *x, float *tmp, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  tmp[i] = 0.0f;
#pragma unroll 1
  for (int j = 0; j < ny; j++) tmp[i] += a[i * ny + j] * x[j];
}

extern "C" __global__ void atax_columns(const float *a, const float *tmp, float *y, int nx, int ny) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= ny) return;
  y[j] = 0.0f;
#pragma unroll 1
  for (int i = 0; i < nx; i++) y[j] += a[i * ny + j] * tmp[i];
}
