// Lattice-Boltzmann flow in a closed box with random obstacles and a driven layer.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(lbm);

enum { DIRECTIONS = 19, OBSTACLE = 1, DRIVEN = 2 };

struct lattice {
  int nx, ny, nz, steps, padded_x, plane;
};

static const int cx[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, 1, -1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
static const int cy[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
static const int cz[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
static const int opposite[DIRECTIONS] = {0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15};

static float weight_of(int e) { return e == 0 ? 1.0f / 3.0f : e < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

static int kind_of(const float *cells, const struct lattice *l, int at) {
  int kind;
  memcpy(&kind, &cells[DIRECTIONS * l->plane + at], sizeof kind);
  return kind;
}

// What the cell's particles are after the collision.
static void collide(float *f, int kind) {
  float density = 0.0f, u[3] = {0.0f, 0.0f, 0.0f};
  for (int e = 0; e < DIRECTIONS; e++) {
    density += f[e];
    u[0] += (float)cx[e] * f[e];
    u[1] += (float)cy[e] * f[e];
    u[2] += (float)cz[e] * f[e];
  }
  for (int d = 0; d < 3; d++) u[d] /= density;
  if (kind & DRIVEN) memcpy(u, (float[3]){0.005f, 0.002f, 0.0f}, sizeof u);
  float square = 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int e = 0; e < DIRECTIONS; e++) {
    float along = (float)cx[e] * u[0] + (float)cy[e] * u[1] + (float)cz[e] * u[2];
    f[e] -= 1.95f * (f[e] - weight_of(e) * density * (1.0f + along * (4.5f * along + 3.0f) - square));
  }
}

static void reference_cell(const struct lattice *l, const float *from, float *to, int x, int y, int z) {
  int layer = l->padded_x * l->ny, here = x + y * l->padded_x + z * layer, kind = kind_of(from, l, here);
  float f[DIRECTIONS];
  for (int e = 0; e < DIRECTIONS; e++) f[e] = from[(kind & OBSTACLE ? opposite[e] : e) * l->plane + here];
  if (!(kind & OBSTACLE)) collide(f, kind);
  for (int e = 0; e < DIRECTIONS; e++) {
    int px = x + cx[e], py = y + cy[e], pz = z + cz[e];
    if (px < 0 || px >= l->nx || py < 0 || py >= l->ny || pz < 0 || pz >= l->nz) continue;
    to[e * l->plane + here + cx[e] + cy[e] * l->padded_x + cz[e] * layer] = f[e];
  }
}

static float *make_cells(struct wl_run *r, const struct lattice *l) {
  float *cells = WL_NEW(r, float, (DIRECTIONS + 1) * l->plane);
  for (int i = 0; i < DIRECTIONS * l->plane; i++)
    cells[i] = weight_of(i / l->plane) * wl_uniform(&r->rng, 0.99f, 1.01f);
  for (int z = 0; z < l->nz; z++)
    for (int y = 0; y < l->ny; y++)
      for (int x = 0; x < l->nx; x++) {
        bool wall = x == 0 || y == 0 || z == 0 || x == l->nx - 1 || y == l->ny - 1 || z == l->nz - 1;
        int kind = wall || wl_below(&r->rng, 20) == 0 ? OBSTACLE : z == 1 ? DRIVEN : 0;
        memcpy(&cells[DIRECTIONS * l->plane + x + l->padded_x * (y + l->ny * z)], &kind, sizeof kind);
      }
  return cells;
}

static bool run(struct wl_run *r) {
  static const struct lattice lattices[WL_SIZES] = {
      {32, 8, 8, 2, 0, 0}, {64, 32, 32, 3, 0, 0}, {120, 120, 150, 2, 0, 0}};
  struct lattice l = lattices[r->size];
  l.padded_x = (l.nx + 31) / 32 * 32;
  l.plane = l.padded_x * l.ny * l.nz;
  int count = (DIRECTIONS + 1) * l.plane;
  float *a = make_cells(r, &l), *b = WL_NEW(r, float, count);
  memcpy(b, a, (size_t)count * sizeof(float));
  CUdeviceptr d_from = WL_UP(r, a, count), d_to = WL_UP(r, b, count);
  for (int i = 0; i < l.steps; i++) {
    WL_LAUNCH(r, "lbm_step", wl_2d(l.ny, l.nz), wl_1d(l.nx), 0, &d_from, &d_to, &l.nx, &l.ny, &l.nz,
              &l.padded_x, &l.plane);
    for (int z = 0; z < l.nz; z++)
      for (int y = 0; y < l.ny; y++)
        for (int x = 0; x < l.nx; x++) reference_cell(&l, a, b, x, y, z);
    CUdeviceptr d = d_from;
    d_from = d_to;
    d_to = d;
    float *h = a;
    a = b;
    b = h;
  }
  return wl_near_f32(r, "particle density", WL_DOWN(r, float, d_from, count), a, DIRECTIONS * l.plane, 1e-4f,
                     1e-6f);
}

const struct workload wl_lbm = {
    .name = "lbm",
    .suite = "Parboil",
    .pattern = "twenty streams in, nineteen out, each shifted to a neighbour; nothing is read twice",
    .sizes = {"32 x 8 x 8 cells, 2 steps", "64 x 32 x 32 cells, 3 steps", "120 x 120 x 150 cells, 2 steps"},
    .ptx = wl_ptx_lbm,
    .run = run,
};
