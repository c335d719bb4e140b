// Temperature of a chip by explicit time steps: a block loads a tile of 16 x 16 points and makes several
// steps in shared memory, each of which is right in one ring of points less; so tiles overlap.

enum { TILE = 16 };

extern "C" __global__ void hotspot_steps(int steps, const float *power, const float *in, float *out,
                                         int columns, int rows, int border, float cap, float rx, float ry,
                                         float rz, float ambient) {
  __shared__ float now[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * border;
  int x0 = inner * blockIdx.x - border, y0 = inner * blockIdx.y - border;
  int x = x0 + tx, y = y0 + ty, index = columns * y + x;
  bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  if (inside) {
    now[ty][tx] = in[index];
    heat[ty][tx] = power[index];
  }
  __syncthreads();

  // The tile's neighbours, which are the point itself at the border of the chip.
  int low_x = max(0, -x0), high_x = min((int)TILE - 1, columns - 1 - x0);
  int low_y = max(0, -y0), high_y = min((int)TILE - 1, rows - 1 - y0);
  int n = max(ty - 1, low_y), s = min(ty + 1, high_y), w = max(tx - 1, low_x), e = min(tx + 1, high_x);
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = inside && tx > i && tx < TILE - 1 - i && ty > i && ty < TILE - 1 - i;
    if (computed) {
      float t = now[ty][tx];
      next[ty][tx] = t + cap * (heat[ty][tx] + (now[s][tx] + now[n][tx] - 2.0f * t) * ry +
                                (now[ty][e] + now[ty][w] - 2.0f * t) * rx + (ambient - t) * rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) out[index] = next[ty][tx];
}
