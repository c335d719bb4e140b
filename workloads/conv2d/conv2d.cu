// Convolution of an image with a fixed 3 x 3 stencil: a thread a pixel, nine loads straight from global
// memory.

extern "C" __global__ void conv2d(const float *a, float *b, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const float *above = a + (y - 1) * width + x, *here = above + width, *below = here + width;
  b[y * width + x] = 0.2f * above[-1] - 0.3f * above[0] + 0.4f * above[1] + 0.5f * here[-1] + 0.6f * here[0] +
                     0.7f * here[1] - 0.8f * below[-1] - 0.9f * below[0] + 0.1f * below[1];
}
