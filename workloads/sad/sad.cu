// Sums of absolute differences for motion estimation: for every 4 x 4 block of a frame and every displacement within 16 pixels; then
// the sums for larger blocks from those of their parts. All results are in one array of 16-bit sums: seven shapes of blocks one
// after the other, in each of them block after block, macroblocks (16 x 16 pixels) first, displacements fastest.

enum { RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = (POSITIONS + 7) / 8 * 8, PAIRS = (POSITIONS + 1) / 2 };
enum { EDGE = 4, POSITIONS_A_THREAD = 18, TOGETHER = 3, WORDS = PADDED / 2 };

// Where the sums of a shape begin, in blocks a macroblock: names are columns and rows.
enum { AT_16_16 = 0, AT_16_8 = 1, AT_8_16 = 3, AT_8_8 = 5, AT_8_4 = 9, AT_4_8 = 17, AT_4_4 = 25 };

extern __shared__ uint2 own_sums[];

// A block of threads for each 4 x 4 block, neighbouring displacements in a thread, three at a time. The reference frame is a texture,
// which repeats its edge outside.
extern "C" __global__ void sad_small(const unsigned short *frame, cudaTextureObject_t reference, unsigned short *sads, int columns, int rows) {
  __shared__ unsigned short pixels[EDGE][EDGE];
  unsigned short *sums = (unsigned short *)own_sums;
  int t = threadIdx.x, x0 = blockIdx.x * EDGE, y0 = blockIdx.y * EDGE;
  if (x0 >= columns || y0 >= rows) return;
  if (t < EDGE * EDGE) pixels[t / EDGE][t % EDGE] = frame[(y0 + t / EDGE) * columns + x0 + t % EDGE];
  if (t < PADDED - POSITIONS) sums[POSITIONS + t] = 0;
  __syncthreads();
  int own[EDGE][EDGE];
#pragma unroll
  for (int y = 0; y < EDGE; y++)
#pragma unroll
    for (int x = 0; x < EDGE; x++) own[y][x] = pixels[y][x];
  int first = t * POSITIONS_A_THREAD, end = min(first + POSITIONS_A_THREAD, (int)POSITIONS), dx = first % SIDE, dy = first / SIDE;
#pragma unroll 1
  for (int p = first; p < end; p += TOGETHER) {
    unsigned short sum[TOGETHER] = {0, 0, 0};
    float column[EDGE + TOGETHER - 1];
#pragma unroll
    for (int x = 0; x < EDGE + TOGETHER - 1; x++) column[x] = (float)(x0 + dx - RANGE + x);
#pragma unroll
    for (int y = 0; y < EDGE; y++) {
      // A pixel of the reference is used for up to three sums.
#pragma unroll
      for (int x = 0; x < EDGE + TOGETHER - 1; x++) {
        int other = tex2D<unsigned short>(reference, column[x], (float)(y0 + dy - RANGE + y));
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
          if (x >= k && x - k < EDGE) sum[k] += (unsigned short)abs(own[y][x - k] - other);
      }
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) sums[p + k] = sum[k];
    dx += TOGETHER;
    if (dx >= SIDE) {
      dx -= SIDE;
      dy++;
    }
  }
  __syncthreads();
  if (t >= 32) return;
  int across = columns / (4 * EDGE), macros = across * (rows / (4 * EDGE)), macro = blockIdx.y / 4 * across + blockIdx.x / 4;
  uint2 *to = (uint2 *)(sads + PADDED * (AT_4_4 * macros + 16 * macro + blockIdx.y % 4 * 4 + blockIdx.x % 4));
  for (int i = t; i < PADDED / 4; i += 32) to[i] = own_sums[i];
}

// The quarters of a macroblock: two 4 x 8, two 8 x 4 and the 8 x 8 sum of each. A word has two displacements.
extern "C" __global__ void sad_medium(unsigned *sads) {
  int macros = gridDim.x * gridDim.y, macro = blockIdx.y * gridDim.x + blockIdx.x, qx = threadIdx.y & 1, qy = threadIdx.y >> 1;
  unsigned *parts = sads + WORDS * (AT_4_4 * macros + 16 * macro + 8 * qy + 2 * qx);
  unsigned *tall = sads + WORDS * (AT_4_8 * macros + 8 * macro + 4 * qy + 2 * qx);
  unsigned *wide = sads + WORDS * (AT_8_4 * macros + 8 * macro + 4 * qy + qx);
  unsigned *whole = sads + WORDS * (AT_8_8 * macros + 4 * macro + 2 * qy + qx);
  for (int i = threadIdx.x; i < PAIRS; i += 32) {
    unsigned b = parts[i + WORDS], d = parts[i + 5 * WORDS], c = parts[i + 4 * WORDS], a = parts[i];
    tall[i] = a + c;
    tall[i + WORDS] = b + d;
    wide[i] = a + b;
    wide[i + 2 * WORDS] = c + d;
    whole[i] = a + b + c + d;
  }
}

// A macroblock: two 8 x 16, two 16 x 8 and the 16 x 16 sum, from the 8 x 8 sums.
extern "C" __global__ void sad_large(unsigned *sads) {
  int macros = gridDim.x * gridDim.y, macro = blockIdx.y * gridDim.x + blockIdx.x;
  unsigned *parts = sads + WORDS * (AT_8_8 * macros + 4 * macro), *tall = sads + WORDS * (AT_8_16 * macros + 2 * macro);
  unsigned *wide = sads + WORDS * (AT_16_8 * macros + 2 * macro), *whole = sads + WORDS * (AT_16_16 * macros + macro);
  for (int i = threadIdx.x; i < PAIRS; i += 32) {
    unsigned b = parts[i + WORDS], d = parts[i + 3 * WORDS], c = parts[i + 2 * WORDS], a = parts[i];
    tall[i] = a + c;
    tall[i + WORDS] = b + d;
    wide[i] = a + b;
    wide[i + WORDS] = c + d;
    whole[i] = a + b + c + d;
  }
}
