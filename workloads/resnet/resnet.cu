// The first layers of a residual network in single precision, straight from global memory: a block is an output map,
// a thread a square of `tile` x `tile` values, and the threads of a warp take rows, so that neighbouring lanes are
// several rows apart. The image is stored pixel by pixel (three colours side by side), maps one after the other.

enum { KERNEL = 7, PLANE = KERNEL * KERNEL };

// 1,024 threads a block fit any GPU with 32,768 registers an SM.
#define FITTING __maxnreg__(32)

// Convolution: the loops go over the taps that lie inside the image.
extern "C" FITTING __global__ void resnet_first(const float *image, const float *weights, float *out, int step, int pad,
                                        int in_side, int side, int tile) {
  int map = blockIdx.x, first_row = threadIdx.x * tile, first_column = threadIdx.y * tile;
  if (first_row >= side || first_column >= side) return;
  for (int row = first_row; row < first_row + tile; row++)
    for (int column = first_column; column < first_column + tile; column++) {
      int top = max(pad - row * step, 0), left = max(pad - column * step, 0);
      int rows = min(KERNEL, in_side + pad - row * step) - top;
      int columns = min(KERNEL, in_side + pad - column * step) - left;
      int first = 3 * ((row * step - pad + top) * in_side + column * step - pad + left);
      float sum = 0.0f;
      for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
          int pixel = first + y * in_side * 3 + x * 3, tap = (y + top) * KERNEL + x + left + map * 3 * PLANE;
          sum += image[pixel] * weights[tap] + image[pixel + 1] * weights[tap + PLANE] +
                 image[pixel + 2] * weights[tap + 2 * PLANE];
        }
      out[map * side * side + row * side + column] = sum;
    }
}

// What the next three kernels have in common: each value of a thread's square, in place.
template <class F> static __device__ void each(float *values, int side, int tile, F change) {
  int first_row = threadIdx.x * tile, first_column = threadIdx.y * tile;
  if (first_row >= side || first_column >= side) return;
  for (int row = first_row; row < first_row + tile; row++)
    for (int column = first_column; column < first_column + tile; column++)
      change(values + blockIdx.x * side * side + row * side + column);
}

// Mean 0 and deviation 1; the root is in double precision.
extern "C" FITTING __global__ void resnet_normalise(float *values, const float *mean, const float *variance, int side, int tile) {
  each(values, side, tile,
       [=](float *v) { *v = (*v - mean[blockIdx.x]) / sqrt(variance[blockIdx.x] + 1e-5); });
}

extern "C" FITTING __global__ void resnet_scale(float *values, const float *scale, const float *bias, int side, int tile) {
  each(values, side, tile, [=](float *v) { *v = *v * scale[blockIdx.x] + bias[blockIdx.x]; });
}

extern "C" FITTING __global__ void resnet_cut(float *values, int side, int tile) {
  each(values, side, tile, [=](float *v) {
    if (*v < 0) *v = 0;
  });
}

// The largest of a window, as far as it lies inside; nothing is less than zero.
extern "C" FITTING __global__ void resnet_pool(const float *in, float *out, int side, int window, int step, int in_side, int pad,
                                       int tile) {
  int map = blockIdx.x, first_row = threadIdx.x * tile, first_column = threadIdx.y * tile;
  if (first_row >= side || first_column >= side) return;
  for (int row = first_row; row < first_row + tile; row++)
    for (int column = first_column; column < first_column + tile; column++) {
      int top = max(row * step - pad, 0), left = max(column * step - pad, 0);
      int rows = min(row * step - pad + window, in_side) - top;
      int columns = min(column * step - pad + window, in_side) - left;
      float most = 0.0f;
      for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
          float value = in[map * in_side * in_side + (top + y) * in_side + left + x];
          if (most < value) most = value;
        }
      out[map * side * side + row * side + column] = most;
    }
}
