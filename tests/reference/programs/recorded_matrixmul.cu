// Product of two matrices in tiles of 32 x 32 held in shared memory.

enum { SIDE = 32 };

extern "C" __global__ void matrix_mul(float *c, const float *a, const float *b, int inner, int width) {
  __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * SIDE + x, row = blockIdx.y * SIDE + y;
  float sum = 0.0f;
  for (int k = 0; k < inner; k += SIDE) {
    tile_a[y][x] = a[row * inner + k + x];
    tile_b[y][x] = b[(k + y) * width + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i++) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * width + column] = sum;
}
