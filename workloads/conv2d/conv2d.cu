// Convolution of an image with a fixed 3 x 3 stencil: a thread a pixel, nine loads straight from global
// memory.
#include "../common/fixed.cuh"

template <int N> static __device__ void convolve(float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1) return;
  float *here = a + y * N + x;
  b[y * N + x] = 0.2f * here[-N - 1] - 0.3f * here[-N] + 0.4f * here[-N + 1] + 0.5f * here[-1] + 0.6f * here[0] + 0.7f * here[1] -
                 0.8f * here[N - 1] - 0.9f * here[N] + 0.1f * here[N + 1];
}

extern "C" __global__ void conv2d(float *a, float *b, int n) { WITH_SIZE(n, 256, 1536, 4096, convolve<N>(a, b)); }
