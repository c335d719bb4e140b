// Cheapest path through a grid from the first to the last row, moving straight or diagonally. A block keeps a
// stretch of a row in shared memory and makes several rows; each row is right in one column less on both
// sides, so stretches overlap.

enum { THREADS = 256 };

extern "C" __global__ void path_rows(int steps, const int *wall, const int *from, int *to, int columns,
                                     int first_row, int border) {
  __shared__ int previous[THREADS], result[THREADS];
  int t = threadIdx.x, x0 = (THREADS - 2 * border) * blockIdx.x - border, x = x0 + t;
  bool inside = x >= 0 && x < columns, computed = false;
  int w = max(t - 1, max(0, -x0)), e = min(t + 1, min((int)THREADS - 1, columns - 1 - x0));
  if (inside) previous[t] = from[x];
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    computed = inside && t > i && t < THREADS - 1 - i;
    if (computed) {
      int shortest = min(previous[w], min(previous[t], previous[e]));
      result[t] = shortest + wall[columns * (first_row + i) + x];
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) previous[t] = result[t];
    __syncthreads();
  }
  if (computed) to[x] = result[t];
}
