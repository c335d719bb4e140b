// Compressible flow on an unstructured mesh: three-stage Runge-Kutta steps, as on the device so on the host.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(cfd);

enum { VARIABLES = 5, FACES = 4, STAGES = 3, WALL = -1, FAR = -2, THREADS = 192 };

// The mesh and the state; arrays over the cells lie one after the other.
struct gas {
  int cells;
  int *neighbours;
  float *normals, *area, *variables, *old, *fluxes, *step;
  float far[VARIABLES];
};

struct flow {
  float v[VARIABLES], velocity[3], speed, pressure, sound;
};

static struct flow make_flow(const float *v, int stride) {
  struct flow f = {.speed = 0.0f};
  for (int j = 0; j < VARIABLES; j++) f.v[j] = v[j * stride];
  float squared = 0.0f;
  for (int d = 0; d < 3; d++) {
    f.velocity[d] = f.v[1 + d] / f.v[0];
    squared += f.velocity[d] * f.velocity[d];
  }
  f.speed = sqrtf(squared);
  f.pressure = 0.4f * (f.v[4] - 0.5f * f.v[0] * squared);
  f.sound = sqrtf(1.4f * f.pressure / f.v[0]);
  return f;
}

static void add_flux(float *flux, const struct flow *f, const float *normal) {
  float through =
      0.5f * (normal[0] * f->velocity[0] + normal[1] * f->velocity[1] + normal[2] * f->velocity[2]);
  flux[0] += through * f->v[0];
  for (int d = 0; d < 3; d++) flux[1 + d] += through * f->v[1 + d] + 0.5f * f->pressure * normal[d];
  flux[4] += through * (f->v[4] + f->pressure);
}

static void cell_flux(struct gas *g, int cell) {
  struct flow own = make_flow(g->variables + cell, g->cells);
  float flux[VARIABLES] = {0};
  for (int face = 0; face < FACES; face++) {
    int other = g->neighbours[cell + face * g->cells];
    float normal[3];
    for (int d = 0; d < 3; d++) normal[d] = g->normals[cell + (face + d * FACES) * g->cells];
    if (other == WALL) {
      for (int d = 0; d < 3; d++) flux[1 + d] += normal[d] * own.pressure;
      continue;
    }
    struct flow far = other >= 0 ? make_flow(g->variables + other, g->cells) : make_flow(g->far, 1);
    if (other >= 0) {
      float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      float viscosity = -length * 0.1f * (own.speed + far.speed + own.sound + far.sound);
      for (int j = 0; j < VARIABLES; j++) flux[j] += viscosity * (own.v[j] - far.v[j]);
    }
    add_flux(flux, &far, normal);
    add_flux(flux, &own, normal);
  }
  for (int j = 0; j < VARIABLES; j++) g->fluxes[cell + j * g->cells] = flux[j];
}

static void reference_step(struct gas *g) {
  int n = g->cells;
  memcpy(g->old, g->variables, (size_t)(VARIABLES * n) * sizeof(float));
  for (int c = 0; c < n; c++) {
    struct flow f = make_flow(g->variables + c, n);
    g->step[c] = 0.5f / (sqrtf(g->area[c]) * (f.speed + f.sound));
  }
  for (int stage = 1; stage <= STAGES; stage++) {
    for (int c = 0; c < n; c++) cell_flux(g, c);
    for (int c = 0; c < n; c++) {
      float factor = g->step[c] / (float)(STAGES + 1 - stage);
      for (int j = 0; j < VARIABLES; j++)
        g->variables[c + j * n] = g->old[c + j * n] + factor * g->fluxes[c + j * n];
    }
  }
}

// A gas at rest in the far field but for a wind along x; faces without a neighbour are walls or open in turn.
static struct gas make_gas(struct wl_run *r, int cells) {
  struct gas g = {.cells = cells, .far = {1.4f, 1.4f * 1.2f, 0.0f, 0.0f, 2.5f + 0.5f * 1.4f * 1.44f}};
  int *mesh = wl_mesh(r, cells);
  g.neighbours = WL_NEW(r, int, FACES *cells);
  g.normals = wl_floats(r, 3L * FACES * cells, -0.01f, 0.01f);
  g.area = wl_floats(r, cells, 0.5f, 2.0f);
  g.variables = WL_NEW(r, float, VARIABLES *cells);
  g.old = WL_NEW(r, float, VARIABLES *cells);
  g.fluxes = WL_NEW(r, float, VARIABLES *cells);
  g.step = WL_NEW(r, float, cells);
  for (int c = 0; c < cells; c++) {
    for (int f = 0; f < FACES; f++) {
      int other = mesh[FACES * c + f];
      g.neighbours[c + f * cells] = other >= 0 ? other : (c + f) % 2 ? WALL : FAR;
    }
    for (int j = 0; j < VARIABLES; j++) g.variables[c + j * cells] = g.far[j];
  }
  return g;
}

static bool run(struct wl_run *r) {
  static const struct { int cells, steps; } shapes[WL_SIZES] = {{3072, 1}, {40960, 2}, {200000, 3}};
  int n = shapes[r->size].cells, steps = shapes[r->size].steps;
  struct gas g = make_gas(r, n);
  wl_put_symbol(r, "far_variable", g.far, sizeof g.far);
  CUdeviceptr d_neighbours = WL_UP(r, g.neighbours, FACES * n),
              d_normals = WL_UP(r, g.normals, 3 * FACES * n);
  CUdeviceptr d_area = WL_UP(r, g.area, n), d_step = WL_DEV(r, float, n);
  CUdeviceptr d_variables = WL_DEV(r, float, VARIABLES *n), d_old = WL_DEV(r, float, VARIABLES *n);
  CUdeviceptr d_fluxes = WL_DEV(r, float, VARIABLES *n);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "cfd_initialize", grid, block, 0, &d_variables, &n);
  for (int i = 0; i < steps; i++) {
    CU(r, cuMemcpyDtoD(d_old, d_variables, (size_t)(VARIABLES * n) * sizeof(float)));
    WL_LAUNCH(r, "cfd_step_factor", grid, block, 0, &d_variables, &d_area, &d_step, &n);
    for (int stage = 1; stage <= STAGES; stage++) {
      WL_LAUNCH(r, "cfd_flux", grid, block, 0, &d_neighbours, &d_normals, &d_variables, &d_fluxes, &n);
      WL_LAUNCH(r, "cfd_time_step", grid, block, 0, &d_old, &d_variables, &d_step, &d_fluxes, &stage, &n);
    }
    reference_step(&g);
  }
  return wl_near_f32(r, "variable", WL_DOWN(r, float, d_variables, VARIABLES *n), g.variables, VARIABLES * n,
                     1e-3f, 1e-4f);
}

const struct workload wl_cfd = {
    .name = "cfd",
    .suite = "Rodinia",
    .pattern = "coalesced own variables, gathers of five variables from four mesh neighbours",
    .sizes = {"3,072 cells, 1 step", "40,960 cells, 2 steps", "200,000 cells, 3 steps"},
    .ptx = wl_ptx_cfd,
    .run = run,
};
