// Euler equations of a compressible gas on an unstructured mesh with four faces a cell. Variables are stored
// one after the other (density, three momenta, energy), each as an array over the cells; face normals
// likewise.

enum { DENSITY, MOMENTUM, ENERGY = 4, VARIABLES = 5, FACES = 4, WALL = -1, FAR = -2 };

struct flow {
  float density, energy, pressure, speed_of_sound, speed;
  float3 momentum, velocity;
};

__constant__ float far_variable[VARIABLES];

static __device__ flow make_flow(float density, float3 momentum, float energy) {
  flow f;
  f.density = density;
  f.energy = energy;
  f.momentum = momentum;
  f.velocity = make_float3(momentum.x / density, momentum.y / density, momentum.z / density);
  float squared = f.velocity.x * f.velocity.x + f.velocity.y * f.velocity.y + f.velocity.z * f.velocity.z;
  f.speed = sqrtf(squared);
  f.pressure = 0.4f * (energy - 0.5f * density * squared);
  f.speed_of_sound = sqrtf(1.4f * f.pressure / density);
  return f;
}

static __device__ flow read_flow(const float *variables, int cell, int cells) {
  float3 momentum = make_float3(variables[cell + MOMENTUM * cells], variables[cell + (MOMENTUM + 1) * cells],
                                variables[cell + (MOMENTUM + 2) * cells]);
  return make_flow(variables[cell + DENSITY * cells], momentum, variables[cell + ENERGY * cells]);
}

// Flow through a face from one cell's side: half of the normal times the physical flux, added to `flux`.
static __device__ void add_flux(float *flux, const flow &f, float3 normal) {
  float through = 0.5f * (normal.x * f.velocity.x + normal.y * f.velocity.y + normal.z * f.velocity.z);
  float half = 0.5f * f.pressure;
  flux[0] += through * f.density;
  flux[1] += through * f.momentum.x + half * normal.x;
  flux[2] += through * f.momentum.y + half * normal.y;
  flux[3] += through * f.momentum.z + half * normal.z;
  flux[4] += through * (f.energy + f.pressure);
}

extern "C" __global__ void cfd_initialize(float *variables, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  for (int j = 0; j < VARIABLES; j++) variables[cell + j * cells] = far_variable[j];
}

// Longest stable step of each cell.
extern "C" __global__ void cfd_step_factor(const float *variables, const float *area, float *step,
                                           int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  flow f = read_flow(variables, cell, cells);
  step[cell] = 0.5f / (sqrtf(area[cell]) * (f.speed + f.speed_of_sound));
}

// Sum of the fluxes through the faces of each cell: gathers the variables of the four neighbours.
extern "C" __global__ void cfd_flux(const int *neighbours, const float *normals, const float *variables,
                                    float *fluxes, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  flow own = read_flow(variables, cell, cells);
  float flux[VARIABLES] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (int face = 0; face < FACES; face++) {
    int other = neighbours[cell + face * cells];
    float3 normal =
        make_float3(normals[cell + (face + 0 * FACES) * cells], normals[cell + (face + 1 * FACES) * cells],
                    normals[cell + (face + 2 * FACES) * cells]);
    if (other == WALL) {
      flux[1] += normal.x * own.pressure;
      flux[2] += normal.y * own.pressure;
      flux[3] += normal.z * own.pressure;
      continue;
    }
    flow far = other >= 0 ? read_flow(variables, other, cells)
                          : make_flow(far_variable[0],
                                      make_float3(far_variable[1], far_variable[2], far_variable[3]),
                                      far_variable[4]);
    if (other >= 0) {
      float length = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
      float viscosity = -length * 0.1f * (own.speed + far.speed + own.speed_of_sound + far.speed_of_sound);
      flux[0] += viscosity * (own.density - far.density);
      flux[1] += viscosity * (own.momentum.x - far.momentum.x);
      flux[2] += viscosity * (own.momentum.y - far.momentum.y);
      flux[3] += viscosity * (own.momentum.z - far.momentum.z);
      flux[4] += viscosity * (own.energy - far.energy);
    }
    add_flux(flux, far, normal);
    add_flux(flux, own, normal);
  }
  for (int j = 0; j < VARIABLES; j++) fluxes[cell + j * cells] = flux[j];
}

// One stage of the Runge-Kutta step.
extern "C" __global__ void cfd_time_step(const float *old, float *variables, const float *step,
                                         const float *fluxes, int stage, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  float factor = step[cell] / (float)(3 + 1 - stage);
  for (int j = 0; j < VARIABLES; j++)
    variables[cell + j * cells] = old[cell + j * cells] + factor * fluxes[cell + j * cells];
}
