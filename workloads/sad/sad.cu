// Sums of absolute differences for motion estimation: for every 4 x 4 block of every macroblock (16 x 16
// pixels) and every displacement within the search range; then the sums for larger blocks from those of their
// parts. Results are 16-bit, displacement fastest, padded to a multiple of eight.

enum { MACRO = 16, SMALL = 4, PARTS = 16 };

// A block of threads for each macroblock. The present frame's pixels are in shared memory, the reference is
// read byte by byte, mirrored to the frame's border where the displacement leaves it.
extern "C" __global__ void sad_small(const unsigned char *frame, const unsigned char *reference,
                                     unsigned short *sads, int columns, int rows, int range, int padded) {
  __shared__ unsigned char own[MACRO][MACRO];
  int macro = blockIdx.y * gridDim.x + blockIdx.x, x0 = blockIdx.x * MACRO, y0 = blockIdx.y * MACRO;
  for (int i = threadIdx.x; i < MACRO * MACRO; i += blockDim.x)
    own[i / MACRO][i % MACRO] = frame[(y0 + i / MACRO) * columns + x0 + i % MACRO];
  __syncthreads();
  int width = 2 * range + 1, positions = width * width;
#pragma unroll 1
  for (int i = threadIdx.x; i < PARTS * positions; i += blockDim.x) {
    int part = i / positions, position = i % positions;
    int px = part % SMALL * SMALL, py = part / SMALL * SMALL;
    int dx = position % width - range, dy = position / width - range;
    int sum = 0;
    for (int y = 0; y < SMALL; y++)
      for (int x = 0; x < SMALL; x++) {
        int rx = min(max(x0 + px + x + dx, 0), columns - 1), ry = min(max(y0 + py + y + dy, 0), rows - 1);
        sum += abs(own[py + y][px + x] - reference[ry * columns + rx]);
      }
    sads[(macro * PARTS + part) * padded + position] = (unsigned short)sum;
  }
}

// For each quarter of a macroblock: two 8 x 4, two 4 x 8 and the 8 x 8 sum. A thread has two displacements in
// a word.
extern "C" __global__ void sad_medium(const ushort2 *small, ushort2 *medium, int pairs) {
  int macro = blockIdx.x, quarter = blockIdx.y, first = quarter / 2 * 8 + quarter % 2 * 2;
  const ushort2 *a = small + (macro * PARTS + first) * pairs, *b = a + pairs, *c = a + SMALL * pairs,
                *d = c + pairs;
  ushort2 *out = medium + (macro * 4 + quarter) * 5 * pairs;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    ushort2 va = a[i], vb = b[i], vc = c[i], vd = d[i];
    out[i] = make_ushort2(va.x + vb.x, va.y + vb.y);
    out[pairs + i] = make_ushort2(vc.x + vd.x, vc.y + vd.y);
    out[2 * pairs + i] = make_ushort2(va.x + vc.x, va.y + vc.y);
    out[3 * pairs + i] = make_ushort2(vb.x + vd.x, vb.y + vd.y);
    out[4 * pairs + i] = make_ushort2(va.x + vb.x + vc.x + vd.x, va.y + vb.y + vc.y + vd.y);
  }
}

// For each macroblock: two 16 x 8, two 8 x 16 and the 16 x 16 sum, from the 8 x 8 sums.
extern "C" __global__ void sad_large(const ushort2 *medium, ushort2 *large, int pairs) {
  const ushort2 *a = medium + (blockIdx.x * 4 * 5 + 4) * pairs, *b = a + 5 * pairs, *c = b + 5 * pairs;
  const ushort2 *d = c + 5 * pairs;
  ushort2 *out = large + blockIdx.x * 5 * pairs;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    ushort2 va = a[i], vb = b[i], vc = c[i], vd = d[i];
    out[i] = make_ushort2(va.x + vb.x, va.y + vb.y);
    out[pairs + i] = make_ushort2(vc.x + vd.x, vc.y + vd.y);
    out[2 * pairs + i] = make_ushort2(va.x + vc.x, va.y + vc.y);
    out[3 * pairs + i] = make_ushort2(vb.x + vd.x, vb.y + vd.y);
    out[4 * pairs + i] = make_ushort2(va.x + vb.x + vc.x + vd.x, va.y + vb.y + vc.y + vd.y);
  }
}
