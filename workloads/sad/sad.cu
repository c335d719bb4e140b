// Sums of absolute differences for motion estimation: for every 4 x 4 block of a frame and every displacement within 16 pixels; then
// the sums for larger blocks from those of their parts. All results are in one array of 16-bit sums: seven shapes of blocks one
// after the other, in each of them block after block, macroblocks (16 x 16 pixels) first, displacements fastest.

enum { RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = (POSITIONS + 7) / 8 * 8, PAIRS = (POSITIONS + 1) / 2 };
enum { PARTS = 1, THREADS = (POSITIONS + 17) / 18, EDGE = 4, POSITIONS_A_THREAD = 18, TOGETHER = 3, WORDS = PADDED / 2 };

// Where the sums of a shape begin, in blocks a macroblock: names are columns and rows.
enum { AT_16_16 = 0, AT_16_8 = 1, AT_8_16 = 3, AT_8_8 = 5, AT_8_4 = 9, AT_4_8 = 17, AT_4_4 = 25 };

extern __shared__ uint2 own_sums[];

// Neighbouring displacements in a thread, three at a time; THREADS threads have a 4 x 4 block of the frame, and a block of threads may have
// several of these (here one). The reference frame is a texture, which repeats its edge outside.
extern "C" __global__ void sad_small(unsigned short *sads, const unsigned short *frame, int across, int down, cudaTextureObject_t reference) {
  __shared__ unsigned short pixels[PARTS][EDGE * EDGE];
  unsigned short *sums = (unsigned short *)own_sums;
  unsigned t = threadIdx.x, first_part = __umul24(blockIdx.x, PARTS), y0 = blockIdx.y;
  unsigned loader = t / (EDGE * EDGE), at = first_part + loader;
  if (t < PARTS * EDGE * EDGE && (int)(at >> 2) < across && (int)(y0 >> 2) < down) {
    int pixel = t - loader * (EDGE * EDGE), y = y0 * EDGE + pixel / EDGE, x = at * EDGE + pixel % EDGE;
    pixels[loader][pixel] = frame[y * (4 * EDGE * across) + x];
  }
  if (t < PADDED - POSITIONS) sums[POSITIONS + t] = 0;
  unsigned part = t / THREADS, x0 = first_part + part;
  __syncthreads();
  if ((int)(x0 >> 2) < across && (int)(y0 >> 2) < down) {
    int own[EDGE * EDGE];
#pragma unroll
    for (int i = 0; i < EDGE * EDGE; i++) own[i] = pixels[part][i];
    unsigned first = (t - part * THREADS) * POSITIONS_A_THREAD, end = min(first + POSITIONS_A_THREAD, (unsigned)POSITIONS);
    int y = y0 * EDGE + first / SIDE - RANGE, dx = first % SIDE;
    unsigned short *to = sums + PADDED * part;
#pragma unroll 1
    for (unsigned p = first; p < end; p += TOGETHER) {
      unsigned short sum[TOGETHER] = {0, 0, 0};
      float column[EDGE + TOGETHER - 1];
      int x = x0 * EDGE - RANGE + dx;
#pragma unroll
      for (int i = 0; i < EDGE + TOGETHER - 1; i++) column[i] = (float)(x + i);
#pragma unroll
      for (int row = 0; row < EDGE; row++) {
        // A pixel of the reference is used for up to three sums.
#pragma unroll
        for (int i = 0; i < EDGE + TOGETHER - 1; i++) {
          int other = tex2D<unsigned short>(reference, column[i], (float)(y + row));
#pragma unroll
          for (int k = 0; k < TOGETHER; k++)
            if (i >= k && i - k < EDGE) sum[k] += (unsigned short)abs(own[row * EDGE + i - k] - other);
        }
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; k++) to[p + k] = sum[k];
      dx += TOGETHER;
      if (dx >= SIDE) {
        dx -= SIDE;
        y++;
      }
    }
  }
  __syncthreads();
  unsigned copier = t / 32, x = first_part + copier;
  if (copier >= PARTS || (int)(x >> 2) >= across || (int)(y0 >> 2) >= down) return;
  int macro = (y0 >> 2) * across + (x >> 2);
  uint2 *to = (uint2 *)(sads + PADDED * (AT_4_4 * across * down + 16 * macro + y0 % 4 * 4 + x % 4));
  const uint2 *from = own_sums + PADDED / 4 * copier;
#pragma unroll 1
  for (unsigned i = t % 32; i < PADDED / 4; i += 32) to[i] = from[i];
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
