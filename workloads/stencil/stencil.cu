// One step of a seven-point stencil on a three-dimensional grid. A block owns a column of 64 x 4 points and
// walks up through the layers: the layers above and below stay in registers, the present one is in shared
// memory alone and read there at every use; the rim of the tile is read from global memory again. Each thread has two points of a
// row, 32 apart.

enum { TX = 32, TY = 4, WIDTH = 2 * TX };

extern __shared__ float tile[]; // TY rows of WIDTH

extern "C" __global__ void stencil_step(float c0, float c1, float *in, float *out, int nx, int ny, int nz) {
  int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * TY + ty;
  int x = blockIdx.x * WIDTH + tx, x2 = x + TX;
  long layer = (long)nx * ny;
  int first = ty * WIDTH + tx, second = first + TX;
  float below = 0.0f, below2 = 0.0f, above = 0.0f, above2 = 0.0f;
  tile[first] = 0.0f;
  tile[second] = 0.0f;
  __syncthreads();
  if (x < nx && y < ny) {
    below = in[x + nx * y];
    tile[first] = in[x + nx * y + layer];
  }
  if (x2 < nx && y < ny) {
    below2 = in[x2 + nx * y];
    tile[second] = in[x2 + nx * y + layer];
  }
  __syncthreads();
  const float *here = in + x + nx * y, *here2 = in + x2 + nx * y;
  float *to = out + x + nx * y, *to2 = out + x2 + nx * y;
#pragma unroll 1
  for (int z = 1; z < nz - 1; z++) {
    here += layer;
    here2 += layer;
    to += layer;
    to2 += layer;
    if (x < nx && y < ny) {
      above = here[layer];
      if (x > 0 && y > 0 && y < ny - 1 && x < nx - 1) {
        float up = ty < TY - 1 ? tile[first + WIDTH] : here[nx];
        float down = ty > 0 ? tile[first - WIDTH] : here[-nx];
        float left = tx > 0 ? tile[first - 1] : here[-1];
        *to = (above + below + up + down + tile[first + 1] + left) * c1 - tile[first] * c0;
      }
    }
    if (x2 < nx && y < ny) {
      above2 = here2[layer];
      if (y > 0 && y < ny - 1 && x2 < nx - 1) {
        float up = ty < TY - 1 ? tile[second + WIDTH] : here2[nx];
        float down = ty > 0 ? tile[second - WIDTH] : here2[-nx];
        float right = tx < TX - 1 ? tile[second + 1] : here2[1];
        *to2 = (above2 + below2 + up + down + right + tile[second - 1]) * c1 - tile[second] * c0;
      }
    }
    __syncthreads();
    below = tile[first];
    tile[first] = above;
    below2 = tile[second];
    tile[second] = above2;
    __syncthreads();
  }
}
