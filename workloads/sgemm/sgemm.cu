// Matrix product C = alpha A B' + beta C, column-major, B transposed. A block makes 128 rows and 16 columns;
// each thread has a row and keeps its 16 sums in registers. A is read from global memory as it is used, B
// through shared memory in pieces of 8 x 16.

enum { COLUMNS = 16, PIECE = 8, ROWS = COLUMNS * PIECE };

extern "C" __global__ void sgemm_nt(const float *a, int lda, const float *b, int ldb, float *c, int ldc,
                                    int depth, float alpha, float beta) {
  __shared__ float piece[PIECE][COLUMNS];
  float sum[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) sum[i] = 0.0f;
  int t = threadIdx.y * COLUMNS + threadIdx.x;
  int row = blockIdx.x * ROWS + t, column = blockIdx.y * COLUMNS + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < depth; k += PIECE) {
    piece[threadIdx.y][threadIdx.x] = b[column + (k + threadIdx.y) * ldb];
    __syncthreads();
    for (int j = 0; j < PIECE; j++) {
      float value = a[row + (k + j) * lda];
      for (int i = 0; i < COLUMNS; i++) sum[i] += value * piece[j][i];
    }
    __syncthreads();
  }
  int to = row + blockIdx.y * COLUMNS * ldc;
  for (int i = 0; i < COLUMNS; i++) c[to + i * ldc] = c[to + i * ldc] * beta + alpha * sum[i];
}
