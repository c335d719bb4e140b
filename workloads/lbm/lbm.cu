// Lattice-Boltzmann flow around obstacles, 19 directions a cell. Each direction is an array of its own over
// the padded lattice; the twentieth array holds the cell's kind. A step reads a cell, lets its particles
// collide, and pushes them to the neighbours. A block is a row of the lattice.

enum { DIRECTIONS = 19, OBSTACLE = 1, DRIVEN = 2 };

extern "C" __global__ void lbm_step(const float *from, float *to, int nx, int ny, int nz, int padded_x,
                                    int plane) {
  constexpr int cx[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, 1, -1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
  constexpr int cy[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
  constexpr int cz[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
  constexpr int opposite[DIRECTIONS] = {0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15};
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, layer = padded_x * ny;
  int here = x + y * padded_x + z * layer;
  int kind = __float_as_int(from[DIRECTIONS * plane + here]);
  float f[DIRECTIONS], density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) f[e] = from[e * plane + here];

  if (kind & OBSTACLE) {
    // Particles go back where they came from; the outermost layer is all obstacle and pushes only inwards.
#pragma unroll
    for (int e = 0; e < DIRECTIONS; e++) {
      int px = x + cx[e], py = y + cy[e], pz = z + cz[e];
      if (px < 0 || px >= nx || py < 0 || py >= ny || pz < 0 || pz >= nz) continue;
      to[e * plane + here + cx[e] + cy[e] * padded_x + cz[e] * layer] = f[opposite[e]];
    }
    return;
  }
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) {
    density += f[e];
    ux += cx[e] * f[e];
    uy += cy[e] * f[e];
    uz += cz[e] * f[e];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  if (kind & DRIVEN) {
    ux = 0.005f;
    uy = 0.002f;
    uz = 0.0f;
  }
  float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) {
    float weight = e == 0 ? 1.0f / 3.0f : e < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
    float along = cx[e] * ux + cy[e] * uy + cz[e] * uz;
    float balance = weight * density * (1.0f + along * (4.5f * along + 3.0f) - square);
    to[e * plane + here + cx[e] + cy[e] * padded_x + cz[e] * layer] = f[e] - 1.95f * (f[e] - balance);
  }
}
