// Euler equations of a compressible gas on an unstructured mesh with four faces a cell. Variables are stored
// one after the other (density, three momenta, energy), each as an array over the cells; face normals
// likewise. Arrays have a cell for every thread.

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

static __device__ flow read_flow(float *variables, int cell, int cells) {
  float3 momentum = make_float3(variables[cell + MOMENTUM * cells], variables[cell + (MOMENTUM + 1) * cells],
                                variables[cell + (MOMENTUM + 2) * cells]);
  return make_flow(variables[cell + DENSITY * cells], momentum, variables[cell + ENERGY * cells]);
}

// What the far field carries through a face: three momenta and the energy, by axis.
__constant__ float3 far_flux[4];

// Flow of each momentum and of the energy along the axes.
struct transport {
  float3 x, y, z, energy;
};

static __device__ transport transport_of(const flow &f) {
  transport t;
  t.x = make_float3(f.velocity.x * f.momentum.x + f.pressure, f.velocity.x * f.momentum.y, f.velocity.x * f.momentum.z);
  t.y = make_float3(t.x.y, f.velocity.y * f.momentum.y + f.pressure, f.velocity.y * f.momentum.z);
  t.z = make_float3(t.x.z, t.y.z, f.velocity.z * f.momentum.z + f.pressure);
  float enthalpy = f.energy + f.pressure;
  t.energy = make_float3(f.velocity.x * enthalpy, f.velocity.y * enthalpy, f.velocity.z * enthalpy);
  return t;
}

// Half of one axis of a normal times the sum of what both sides carry along it.
static __device__ void add_axis(float *flux, float normal, float density, float energy, float x, float y, float z) {
  float factor = 0.5f * normal;
  flux[0] += factor * density;
  flux[4] += factor * energy;
  flux[1] += factor * x;
  flux[2] += factor * y;
  flux[3] += factor * z;
}

static __device__ void add_flux(float *flux, float3 normal, float3 near, const transport &own, float3 far, const transport &t) {
  add_axis(flux, normal.x, far.x + near.x, t.energy.x + own.energy.x, t.x.x + own.x.x, t.y.x + own.y.x, t.z.x + own.z.x);
  add_axis(flux, normal.y, far.y + near.y, t.energy.y + own.energy.y, t.x.y + own.x.y, t.y.y + own.y.y, t.z.y + own.z.y);
  add_axis(flux, normal.z, far.z + near.z, t.energy.z + own.energy.z, t.x.z + own.x.z, t.y.z + own.y.z, t.z.z + own.z.z);
}

extern "C" __global__ void cfd_initialize(float *variables, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < VARIABLES; j++) variables[cell + j * cells] = far_variable[j];
}

// Longest stable step of each cell.
extern "C" __global__ void cfd_step_factor(float *variables, float *area, float *step,
                                           int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  flow f = read_flow(variables, cell, cells);
  step[cell] = 0.5f / (sqrtf(area[cell]) * (f.speed + f.speed_of_sound));
}

// Sum of the fluxes through the faces of each cell: gathers the variables of the four neighbours.
extern "C" __global__ void cfd_flux(int *neighbours, float *normals, float *variables, float *fluxes, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  flow own = read_flow(variables, cell, cells);
  transport carried = transport_of(own);
  float flux[VARIABLES] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int face = 0; face < FACES; face++) {
    int other = neighbours[cell + face * cells];
    float3 normal =
        make_float3(normals[cell + (face + 0 * FACES) * cells], normals[cell + (face + 1 * FACES) * cells],
                    normals[cell + (face + 2 * FACES) * cells]);
    float length = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    if (other >= 0) {
      flow far = read_flow(variables, other, cells);
      float viscosity = -length * 0.2f * 0.5f * (own.speed + far.speed + own.speed_of_sound + far.speed_of_sound);
      flux[0] += viscosity * (own.density - far.density);
      flux[4] += viscosity * (own.energy - far.energy);
      flux[1] += viscosity * (own.momentum.x - far.momentum.x);
      flux[2] += viscosity * (own.momentum.y - far.momentum.y);
      flux[3] += viscosity * (own.momentum.z - far.momentum.z);
      add_flux(flux, normal, own.momentum, carried, far.momentum, transport_of(far));
    } else if (other == WALL) {
      flux[1] += normal.x * own.pressure;
      flux[2] += normal.y * own.pressure;
      flux[3] += normal.z * own.pressure;
    } else if (other == FAR) {
      transport open = {far_flux[0], far_flux[1], far_flux[2], far_flux[3]};
      add_flux(flux, normal, own.momentum, carried, make_float3(far_variable[1], far_variable[2], far_variable[3]), open);
    }
  }
  fluxes[cell + DENSITY * cells] = flux[0];
  for (int j = MOMENTUM; j < VARIABLES; j++) fluxes[cell + j * cells] = flux[j];
}

// One stage of the Runge-Kutta step.
extern "C" __global__ void cfd_time_step(float *old, float *variables, float *step,
                                         float *fluxes, int stage, int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  float factor = step[cell] / (float)(3 + 1 - stage);
  for (int j = 0; j < VARIABLES; j++)
    variables[cell + j * cells] = old[cell + j * cells] + factor * fluxes[cell + j * cells];
}
