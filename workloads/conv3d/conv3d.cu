// Convolution of a volume with a fixed 3 x 3 x 3 stencil of eleven weights: a thread a cell of one plane, a
// launch a plane.

extern "C" __global__ void conv3d_plane(const float *a, float *b, int n, int plane) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const float *here = a + ((long)plane * n + y) * n + x, *front = here - (long)n * n,
              *back = here + (long)n * n;
  b[((long)plane * n + y) * n + x] = 2.0f * front[-n - 1] + 4.0f * back[-n - 1] + 5.0f * front[-n + 1] +
                                     7.0f * back[-n + 1] - 8.0f * front[n - 1] + 10.0f * back[n - 1] -
                                     3.0f * here[-n] + 6.0f * here[0] - 9.0f * here[n] + 1.0f * front[1] -
                                     2.0f * back[n + 1];
}
