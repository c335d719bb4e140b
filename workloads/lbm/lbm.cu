// Lattice-Boltzmann flow in a box, 19 directions a cell. Each direction is an array of its own over the padded lattice; the twentieth
// array holds the cell's kind. A step reads a cell, lets its particles collide, and pushes them to the neighbours. A block is a row
// of the lattice; its sizes are constants of the kernel, so that all places of a cell are one address and constant offsets.

enum { DIRECTIONS = 19, OBSTACLE = 1, DRIVEN = 2, PITCH = 128, MARGIN_LAYERS = 4 };

static __device__ constexpr int step_x[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1};
static __device__ constexpr int step_y[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, 1, -1, 0, 0, 0, 0};
static __device__ constexpr int step_z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

// The velocity along direction e, which is not the centre.
static __device__ float along(int e, float ux, float uy, float uz) {
  if (!step_x[e]) return !step_y[e] ? step_z[e] * uz : !step_z[e] ? step_y[e] * uy : step_y[e] * uy + step_z[e] * uz;
  return step_y[e] ? step_x[e] * ux + step_y[e] * uy : step_z[e] ? step_x[e] * ux + step_z[e] * uz : step_x[e] * ux;
}

static __device__ void collide(float *f, int kind) {
  float density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6], uy = f[1] - f[2], ux = f[3] - f[4], uz = f[5] - f[6];
#pragma unroll
  for (int e = 7; e < DIRECTIONS; e++) {
    density += f[e];
    if (step_x[e]) ux += step_x[e] * f[e];
    if (step_y[e]) uy += step_y[e] * f[e];
    if (step_z[e]) uz += step_z[e] * f[e];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  if (kind & DRIVEN) {
    ux = 0.005f;
    uy = 0.002f;
    uz = 0.0f;
  }
  float level = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f, pull = 1.95f * density;
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) {
    float weight = e == 0 ? 1.0f / 3.0f : e < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
    float v = e == 0 ? 0.0f : along(e, ux, uy, uz), wanted = e == 0 ? -level : v * (4.5f * v + 3.0f) - level;
    f[e] = (1.0f - 1.95f) * f[e] + weight * pull * wanted;
  }
}

template <int LINES, int LAYERS> static __device__ void step(const float *from, float *to) {
  constexpr int layer = PITCH * LINES, whole = layer * (LAYERS + MARGIN_LAYERS);
  int here = threadIdx.x + PITCH * blockIdx.x + layer * blockIdx.y;
  float f[DIRECTIONS];
  from += here;
  to += here;
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) f[e] = from[e * whole];
  int kind = __float_as_int(from[DIRECTIONS * whole]);
  if (kind & OBSTACLE) {
    // Opposite directions follow each other.
#pragma unroll
    for (int e = 1; e < DIRECTIONS; e += 2) {
      float swapped = f[e];
      f[e] = f[e + 1];
      f[e + 1] = swapped;
    }
  } else {
    collide(f, kind);
  }
#pragma unroll
  for (int e = 0; e < DIRECTIONS; e++) to[e * whole + step_x[e] + PITCH * step_y[e] + layer * step_z[e]] = f[e];
}

// A lattice of 30 rows and up to 32 layers, and the suite's of 120 and 150.
extern "C" __global__ void lbm_step(const float *from, float *to) { step<30, 32>(from, to); }
extern "C" __global__ void lbm_step_full(const float *from, float *to) { step<120, 150>(from, to); }
