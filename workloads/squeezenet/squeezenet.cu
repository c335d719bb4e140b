// The first convolution of SqueezeNet: a block is a column of the output, a thread a row of it, and each thread
// computes that value of all maps, one after the other. Neighbouring lanes are two rows of the image apart. Colours
// are planes of ints; weights, sums and output are in double precision, weights by output map, a plane a colour. Each tap
// is tested for lying inside the image, which all do.

enum { KERNEL = 7, REACH = KERNEL / 2, STEP = 2, PLANE = KERNEL * KERNEL, SIDE = 227, SIDE1 = 111 };

extern "C" __global__ void squeezenet_first(const double *weights, const int *red, const int *green, const int *blue,
                                            double *out, int maps) {
  int row = threadIdx.x * STEP + REACH, column = blockIdx.x * STEP + REACH;
#pragma unroll 1
  for (int map = 0; map < maps; map++) {
    double sum = 0;
    for (int y = row - REACH; y <= row + REACH; y++)
      for (int x = column - REACH; x <= column + REACH; x++) {
        int tap = (y - row + REACH) * KERNEL + x - column + REACH, pixel = (y - row) * SIDE + x - column + row * SIDE + column;
        if (y < 0 || x < 0 || y >= SIDE || x >= SIDE) continue;
        double part = red[pixel] * weights[tap + map * 3 * PLANE] + green[pixel] * weights[tap + PLANE + map * 3 * PLANE] +
                      blue[pixel] * weights[tap + 2 * PLANE + map * 3 * PLANE];
        sum += part;
      }
    out[map * SIDE1 * SIDE1 + (row - REACH) / STEP * SIDE1 + (column - REACH) / STEP] = sum < 0 ? 0 : sum;
  }
}
