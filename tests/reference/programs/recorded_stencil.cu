// One step of a seven-point stencil on a three-dimensional grid. A block owns a column of 64 x 4 points and
// walks up through the layers: the layer above and below stay in registers, the present one is in shared
// memory, and only the rim of the tile is read from global memory again. Each thread has two points of a row.

enum { TX = 32, TY = 4, WIDTH = 2 * TX };

// The present layer at a point of the tile, or outside of it from global memory.
static __device__ float at(const float (*tile)[WIDTH], const float *in, int lx, int ly, long long global) {
  if (lx >= 0 && lx < WIDTH && ly >= 0 && ly < TY) return tile[ly][lx];
  return in[global];
}

extern "C" __global__ void stencil_step(float c0, float c1, const float *in, float *out, int nx, int ny,
                                        int nz) {
  __shared__ float tile[TY][WIDTH];
  int ly = threadIdx.y, y = blockIdx.y * TY + ly;
  int layer = nx * ny;
  float below[2], here[2], above[2];
  int x[2], lx[2];
  for (int p = 0; p < 2; p++) {
    lx[p] = threadIdx.x + p * TX;
    x[p] = blockIdx.x * WIDTH + lx[p];
    below[p] = here[p] = 0.0f;
    if (x[p] < nx && y < ny) {
      below[p] = in[x[p] + nx * y];
      here[p] = in[x[p] + nx * y + layer];
    }
  }
#pragma unroll 1
  for (int z = 1; z < nz - 1; z++) {
    for (int p = 0; p < 2; p++) tile[ly][lx[p]] = here[p];
    __syncthreads();
    for (int p = 0; p < 2; p++) {
      if (x[p] >= nx || y >= ny) continue;
      int i = x[p] + nx * y + layer * z;
      above[p] = in[i + layer];
      if (x[p] > 0 && x[p] < nx - 1 && y > 0 && y < ny - 1) {
        float sum = above[p] + below[p] + at(tile, in, lx[p] - 1, ly, i - 1) +
                    at(tile, in, lx[p] + 1, ly, i + 1) + at(tile, in, lx[p], ly - 1, i - nx) +
                    at(tile, in, lx[p], ly + 1, i + nx);
        out[i] = sum * c1 - here[p] * c0;
      }
      below[p] = here[p];
      here[p] = above[p];
    }
    __syncthreads();
  }
}
