// Transposition of a matrix, straight and through shared memory.

enum { SIDE = 32, ROWS = 8 };

// Reads whole lines and writes one word of each of 32 lines.
extern "C" __global__ void transpose_naive(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  for (int i = 0; i < SIDE; i += ROWS) out[x * height + y + i] = in[(y + i) * width + x];
}

// Reads and writes whole lines; the odd row length keeps the columns of the tile in different banks.
extern "C" __global__ void transpose_tiled(float *out, const float *in, int width, int height) {
  __shared__ float tile[SIDE][SIDE + 1];
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  for (int i = 0; i < SIDE; i += ROWS) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * SIDE + threadIdx.x;
  y = blockIdx.x * SIDE + threadIdx.y;
  for (int i = 0; i < SIDE; i += ROWS) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
