// Temperature of a chip by explicit time steps: a block loads a tile of 16 x 16 points and makes several
// steps in shared memory, each of which is right in one ring of points less; so tiles overlap.

enum { TILE = 16 };

// The assembler fits it into 32 registers, four blocks an SM.
extern "C" __global__ void __maxnreg__(32) hotspot_steps(int steps, float *power, float *in, float *out, int columns, int rows,
                                         int border, float capacity, float rx, float ry, float rz, float step) {
  __shared__ float now[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
  float ambient = 80.0f, rate = step / capacity, gx = 1 / rx, gy = 1 / ry, gz = 1 / rz;
  int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * border;
  int x0 = inner * blockIdx.x - border, y0 = inner * blockIdx.y - border;
  int x = x0 + tx, y = y0 + ty, index = columns * y + x;
  if (x >= 0 && x <= columns - 1 && y >= 0 && y <= rows - 1) {
    now[ty][tx] = in[index];
    heat[ty][tx] = power[index];
  }
  __syncthreads();

  // The tile's neighbours, which are the point itself at the border of the chip.
  int low_x = x0 < 0 ? -x0 : 0, high_x = x0 + TILE - 1 > columns - 1 ? columns - 1 - x0 : TILE - 1;
  int low_y = y0 < 0 ? -y0 : 0, high_y = y0 + TILE - 1 > rows - 1 ? rows - 1 - y0 : TILE - 1;
  int n = max(ty - 1, low_y), s = min(ty + 1, high_y), w = max(tx - 1, low_x), e = min(tx + 1, high_x);
  bool computed = false;
#pragma unroll 1
  for (int i = 0; i < steps; i++) {
    computed = tx >= i + 1 && tx <= TILE - 2 - i && ty >= i + 1 && ty <= TILE - 2 - i && tx >= low_x && tx <= high_x &&
               ty >= low_y && ty <= high_y;
    if (computed)
      next[ty][tx] = now[ty][tx] + rate * (heat[ty][tx] + (now[s][tx] + now[n][tx] - 2.0 * now[ty][tx]) * gy +
                                           (now[ty][e] + now[ty][w] - 2.0 * now[ty][tx]) * gx +
                                           (ambient - now[ty][tx]) * gz);
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (computed) out[index] = next[ty][tx];
}
