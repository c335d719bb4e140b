// Forward 5/3 wavelet transform (the reversible one of JPEG 2000) of a colour image: the pixels are split
// into three components, then each level turns an image into four bands of half its size. A block makes a
// tile of 64 x 16 points in shared memory, with a rim of two points before and one after it.

enum { TX = 64, TY = 16, BEFORE = 2, AFTER = 1, WIDTH = TX + BEFORE + AFTER, HEIGHT = TY + BEFORE + AFTER };

// Interleaved bytes to three planes of integers around zero.
extern "C" __global__ void dwt_split(const unsigned char *pixels, int *red, int *green, int *blue,
                                     int count) {
  __shared__ unsigned char bytes[3 * 256];
  int first = 3 * 256 * blockIdx.x;
  for (int i = threadIdx.x; i < 3 * 256; i += 256)
    if (first + i < 3 * count) bytes[i] = pixels[first + i];
  __syncthreads();
  int p = blockIdx.x * 256 + threadIdx.x;
  if (p >= count) return;
  red[p] = bytes[3 * threadIdx.x] - 128;
  green[p] = bytes[3 * threadIdx.x + 1] - 128;
  blue[p] = bytes[3 * threadIdx.x + 2] - 128;
}

// Mirrors an index at the borders of the image.
static __device__ int mirror(int i, int size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

// One level: `low` gets the half-size average, `bands` the three detail quarters of an image of `pitch`
// columns.
extern "C" __global__ void dwt_level(const int *image, int width, int height, int *low, int *bands,
                                     int pitch) {
  __shared__ int tile[HEIGHT][WIDTH];
  int x0 = blockIdx.x * TX, y0 = blockIdx.y * TY, t = threadIdx.x;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = t; x < WIDTH; x += TX)
      tile[y][x] = image[mirror(y0 + y - BEFORE, height) * width + mirror(x0 + x - BEFORE, width)];
  __syncthreads();

  // Rows: odd columns become differences, then even columns averages. A thread has a row, or a column below.
  if (t < HEIGHT) {
    int *row = tile[t];
    for (int x = 1; x < WIDTH - 1; x += 2) row[x] -= (row[x - 1] + row[x + 1]) >> 1;
    for (int x = BEFORE; x < WIDTH - 1; x += 2) row[x] += (row[x - 1] + row[x + 1] + 2) >> 2;
  }
  __syncthreads();
  int c = t + BEFORE;
  for (int y = 1; y < HEIGHT - 1; y += 2) tile[y][c] -= (tile[y - 1][c] + tile[y + 1][c]) >> 1;
  for (int y = BEFORE; y < HEIGHT - 1; y += 2) tile[y][c] += (tile[y - 1][c] + tile[y + 1][c] + 2) >> 2;
  __syncthreads();

  // Each half of the threads writes one of the two bands of a row.
  int odd = t / (TX / 2), x = t % (TX / 2), out_x = x0 / 2 + x;
  for (int y = 0; y < TY; y++) {
    int out_y = (y0 + y) / 2, value = tile[y + BEFORE][2 * x + odd + BEFORE];
    if (y % 2 == 0 && !odd)
      low[out_y * (width / 2) + out_x] = value;
    else
      bands[(out_y + (y % 2) * (height / 2)) * pitch + out_x + odd * (width / 2)] = value;
  }
}
