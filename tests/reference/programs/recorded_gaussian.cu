// Gaussian elimination without pivoting, one column a pair of launches. In fan2 a block is 4 x 4 threads and
// the first thread index counts rows, as in the suite: neighbouring lanes are a matrix row apart.

// Multipliers of column t.
extern "C" __global__ void gaussian_fan1(float *m, const float *a, int n, int t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1 - t) return;
  m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

// Subtracts multiples of row t from the rows below, and from the right side.
extern "C" __global__ void gaussian_fan2(const float *m, float *a, float *b, int n, int t) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n - 1 - t || column >= n - t) return;
  a[n * (row + 1 + t) + column + t] -= m[n * (row + 1 + t) + t] * a[n * t + column + t];
  if (column == 0) b[row + 1 + t] -= m[n * (row + 1 + t) + t] * b[t];
}
