// LU decomposition in place, by blocks of 16 x 16: per step the block on the diagonal, then the blocks right
// of it and below it, then all the rest.

enum { B = 16 };

// Factors the diagonal block: one thread a row or column.
extern "C" __global__ void lud_diagonal(float *m, int n, int offset) {
  __shared__ float block[B][B];
  int t = threadIdx.x;
  for (int i = 0; i < B; i++) block[i][t] = m[(offset + i) * n + offset + t];
  __syncthreads();
  for (int i = 0; i < B - 1; i++) {
    if (t > i) {
      for (int j = 0; j < i; j++) block[t][i] -= block[t][j] * block[j][i];
      block[t][i] /= block[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; j++) block[i + 1][t] -= block[i + 1][j] * block[j][t];
    __syncthreads();
  }
  for (int i = 1; i < B; i++) m[(offset + i) * n + offset + t] = block[i][t];
}

// Threads 0..15 solve for a block of the row, threads 16..31 for the block of the column at the same
// distance.
extern "C" __global__ void lud_perimeter(float *m, int n, int offset) {
  __shared__ float diagonal[B][B], row[B][B], column[B][B];
  int far = offset + (blockIdx.x + 1) * B, t = threadIdx.x % B;
  bool on_row = threadIdx.x < B;
  for (int i = 0; i < B; i++) {
    if (on_row) {
      diagonal[i][t] = m[(offset + i) * n + offset + t];
      row[i][t] = m[(offset + i) * n + far + t];
    } else {
      column[i][t] = m[(far + i) * n + offset + t];
    }
  }
  __syncthreads();
  if (on_row) {
    for (int i = 1; i < B; i++)
      for (int j = 0; j < i; j++) row[i][t] -= diagonal[i][j] * row[j][t];
  } else {
    for (int i = 0; i < B; i++) {
      for (int j = 0; j < i; j++) column[t][i] -= column[t][j] * diagonal[j][i];
      column[t][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  for (int i = 0; i < B; i++) {
    if (on_row)
      m[(offset + i) * n + far + t] = row[i][t];
    else
      m[(far + i) * n + offset + t] = column[i][t];
  }
}

// Subtracts the product of the column block and the row block.
extern "C" __global__ void lud_internal(float *m, int n, int offset) {
  __shared__ float row[B][B], column[B][B];
  int x = offset + (blockIdx.x + 1) * B + threadIdx.x, y = offset + (blockIdx.y + 1) * B + threadIdx.y;
  row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * n + x];
  column[threadIdx.y][threadIdx.x] = m[y * n + offset + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < B; i++) sum += column[threadIdx.y][i] * row[i][threadIdx.x];
  m[y * n + x] -= sum;
}
