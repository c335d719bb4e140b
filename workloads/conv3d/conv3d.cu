// Convolution of a volume with fixed weights at eleven places of the 3 x 3 x 3 cells around: a thread a cell of one plane, a
// launch a plane. Two places have three weights each, which are applied one by one.
#include "../common/fixed.cuh"

template <int N> static __device__ void convolve(float *a, float *b, int plane) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (plane < 1 || plane >= N - 1 || x < 1 || y < 1 || x >= N - 1 || y >= N - 1) return;
  enum { ROW = N, PLANE = N * N };
  float *here = a + plane * PLANE + y * ROW + x, first = here[-PLANE - ROW - 1], second = here[PLANE - ROW - 1];
  float sum = 2.0f * first;
  sum += 4.0f * second;
  sum += 5.0f * first;
  sum += 7.0f * second;
  sum += -8.0f * first;
  sum += 10.0f * second;
  sum += -3.0f * here[-ROW];
  sum += 6.0f * here[0];
  sum += -9.0f * here[ROW];
  sum += 2.0f * here[-PLANE - ROW + 1];
  sum += 4.0f * here[PLANE - ROW + 1];
  sum += 5.0f * here[-PLANE + 1];
  sum += 7.0f * here[PLANE + 1];
  sum += -8.0f * here[-PLANE + ROW + 1];
  sum += 10.0f * here[PLANE + ROW + 1];
  b[plane * PLANE + y * ROW + x] = sum;
}

extern "C" __global__ void conv3d_plane(float *a, float *b, int n, int plane) {
  WITH_SIZE(n, 34, 128, 256, convolve<N>(a, b, plane));
}
