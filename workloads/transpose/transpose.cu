// Transposition of a matrix, straight and through shared memory; a thread an element.

enum { SIDE = 16 };

// Reads half lines and writes one word of each of 16 lines.
extern "C" __global__ void transpose_naive(float *out, float *in, int width, int height) {
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  int from = x + width * y, to = y + height * x;
  for (int i = 0; i < SIDE; i += SIDE) out[to + i] = in[from + i * width];
}

// Reads and writes half lines; the odd row length keeps the columns of the tile in different banks.
extern "C" __global__ void transpose_tiled(float *out, float *in, int width, int height) {
  __shared__ float tile[SIDE][SIDE + 1];
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  int from = x + y * width;
  x = blockIdx.y * SIDE + threadIdx.x;
  y = blockIdx.x * SIDE + threadIdx.y;
  int to = x + y * height;
  for (int i = 0; i < SIDE; i += SIDE) tile[threadIdx.y + i][threadIdx.x] = in[from + i * width];
  __syncthreads();
  for (int i = 0; i < SIDE; i += SIDE) out[to + i * height] = tile[threadIdx.x][threadIdx.y + i];
}
