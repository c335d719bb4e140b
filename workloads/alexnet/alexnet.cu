// The first layers of AlexNet in single precision, straight from global memory: a block is an output map, a
// thread an output value, and the threads of a warp take rows: neighbouring lanes are a whole row of the image apart.
// The image is stored pixel by pixel (three colours side by side), maps one after the other, weights by output map.

enum { SIDE = 227, KERNEL = 11, STEP = 4, SIDE1 = 55, PLANE = KERNEL * KERNEL };

// First convolution, for rows from first_row and columns from first_column on.
extern "C" __global__ void alexnet_first(const float *bias, const float *image, const float *weights, float *out,
                                         int first_row, int first_column) {
  int map = blockIdx.x, row = first_row + threadIdx.x, column = first_column + threadIdx.y;
  int at = 3 * (row * STEP * SIDE + column * STEP), w = map * 3 * PLANE;
  float sum = 0.0f;
  for (int y = 0; y < KERNEL; y++)
    for (int x = 0; x < KERNEL; x++) {
      int pixel = at + 3 * (y * SIDE + x), tap = w + y * KERNEL + x;
      sum += image[pixel] * weights[tap] + image[pixel + 1] * weights[tap + PLANE] +
             image[pixel + 2] * weights[tap + 2 * PLANE];
    }
  sum += bias[map];
  out[map * SIDE1 * SIDE1 + row * SIDE1 + column] = sum < 0 ? 0 : sum;
}

// Divides each value by a power of the squares of up to four maps, the last of which is its own; squares are powers
// in double precision.
extern "C" __global__ void alexnet_normalise(const float *in, float alpha, float beta, int maps, float *out,
                                             int first_row, int first_column) {
  int map = blockIdx.x, at = (first_row + threadIdx.x) * SIDE1 + first_column + threadIdx.y;
  int from = max(map - 2, 1) - 1, to = min(map + 2, maps) - 1;
  float sum = 0.0f;
  for (int m = from; m < to; m++) sum += pow(in[m * SIDE1 * SIDE1 + at], 2);
  out[map * SIDE1 * SIDE1 + at] = in[map * SIDE1 * SIDE1 + at] / powf(1.0f + alpha / 5 * sum, beta);
}

// The largest of a window; nothing is less than zero.
extern "C" __global__ void alexnet_pool(const float *in, float *out, int side, int in_side, int window, int step) {
  int map = blockIdx.x, row = threadIdx.x, column = threadIdx.y;
  int first = map * in_side * in_side + row * step * in_side + column * step;
  float most = 0.0f;
  for (int y = 0; y < window; y++)
    for (int x = 0; x < window; x++) {
      float value = in[first + y * in_side + x];
      if (most < value) most = value;
    }
  out[map * side * side + row * side + column] = most;
}

// A later convolution over `inputs` maps: the loops go over the taps that lie inside the map.
extern "C" __global__ void alexnet_conv(const float *bias, const float *in, const float *weights, float *out, int side,
                                        int kernel, int pad, int inputs) {
  int map = blockIdx.x, row = threadIdx.x, column = threadIdx.y;
  int top = max(pad - row, 0), left = max(pad - column, 0);
  int rows = min(kernel, side + pad - row) - top, columns = min(kernel, side + pad - column) - left;
  int first = (row + top - pad) * side + column + left - pad;
  float sum = 0.0f;
  for (int m = 0; m < inputs; m++)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        sum += in[m * side * side + y * side + x + first] *
               weights[map * kernel * kernel * inputs + m * kernel * kernel + (y + top) * kernel + x + left];
  sum += bias[map];
  out[map * side * side + row * side + column] = sum < 0 ? 0 : sum;
}
