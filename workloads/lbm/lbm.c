// Lattice-Boltzmann flow in a closed box between two moving lids.
#include "common/wl.h"
#include <string.h>

WL_PTX(lbm);

enum { DIRECTIONS = 19, OBSTACLE = 1, DRIVEN = 2, ROW = 120, PITCH = 128, MARGIN_LAYERS = 4 };

struct lattice {
  const char *kernel;
  int lines, layers, steps;
  int room;         // layers that the kernel's arrays have
  int layer, whole; // floats of a layer and of an array
  long count;       // of all arrays, with two layers before and behind
};

static const int step_x[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int step_y[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int step_z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

static float weight_of(int e) { return e == 0 ? 1.0f / 3.0f : e < 7 ? 1.0f / 18.0f : 1.0f / 36.0f; }

// What the cell's particles are after the collision.
static void collide(float *f, int kind) {
  float density = 0.0f, u[3] = {0.0f, 0.0f, 0.0f};
  for (int e = 0; e < DIRECTIONS; e++) {
    density += f[e];
    u[0] += (float)step_x[e] * f[e];
    u[1] += (float)step_y[e] * f[e];
    u[2] += (float)step_z[e] * f[e];
  }
  for (int d = 0; d < 3; d++) u[d] /= density;
  if (kind & DRIVEN) memcpy(u, (float[3]){0.005f, 0.002f, 0.0f}, sizeof u);
  float square = 1.5f * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int e = 0; e < DIRECTIONS; e++) {
    float along = (float)step_x[e] * u[0] + (float)step_y[e] * u[1] + (float)step_z[e] * u[2];
    f[e] -= 1.95f * (f[e] - weight_of(e) * density * (1.0f + along * (4.5f * along + 3.0f) - square));
  }
}

// Walls push outwards too: into a row's padding, the next row or a margin, where nothing else is pushed to.
static void reference_cell(const struct lattice *l, const float *from, float *to, long here) {
  float f[DIRECTIONS];
  int kind;
  memcpy(&kind, &from[(long)DIRECTIONS * l->whole + here], sizeof kind);
  for (int e = 0; e < DIRECTIONS; e++) {
    int source = kind & OBSTACLE && e > 0 ? ((e - 1) ^ 1) + 1 : e;
    f[e] = from[(long)source * l->whole + here];
  }
  if (!(kind & OBSTACLE)) collide(f, kind);
  for (int e = 0; e < DIRECTIONS; e++) to[(long)e * l->whole + here + step_x[e] + PITCH * step_y[e] + l->layer * step_z[e]] = f[e];
}

static int kind_of(const struct lattice *l, int x, int y, int z) {
  if (x == 0 || y == 0 || z == 0 || x == ROW - 1 || y == l->lines - 1 || z == l->layers - 1) return OBSTACLE;
  bool lid = z == 1 || z == l->layers - 2;
  return lid && x >= 2 && x < ROW - 2 && y >= 2 && y < l->lines - 2 ? DRIVEN : 0;
}

// A fluid at rest; what lies between its rows and around it is zero.
static float *make_cells(struct wl_run *r, const struct lattice *l) {
  float *all = WL_NEW(r, float, l->count), *cells = all + 2 * l->layer;
  for (int z = 0; z < l->layers; z++)
    for (int y = 0; y < l->lines; y++)
      for (int x = 0; x < ROW; x++) {
        int kind = kind_of(l, x, y, z), here = x + PITCH * y + l->layer * z;
        for (int e = 0; e < DIRECTIONS; e++) cells[(long)e * l->whole + here] = weight_of(e);
        memcpy(&cells[(long)DIRECTIONS * l->whole + here], &kind, sizeof kind);
      }
  return all;
}

static void reference_step(const struct lattice *l, const float *from, float *to) {
  for (int z = 0; z < l->layers; z++)
    for (int y = 0; y < l->lines; y++)
      for (int x = 0; x < ROW; x++) reference_cell(l, from, to, x + PITCH * y + l->layer * z);
}

static bool run(struct wl_run *r) {
  static const struct lattice lattices[WL_SIZES] = {{.kernel = "lbm_step", .lines = 30, .layers = 8, .room = 32, .steps = 1},
                                                    {.kernel = "lbm_step", .lines = 30, .layers = 32, .room = 32, .steps = 3},
                                                    {.kernel = "lbm_step_full", .lines = 120, .layers = 150, .room = 150, .steps = 2}};
  struct lattice l = lattices[r->size];
  l.layer = PITCH * l.lines;
  l.whole = l.layer * (l.room + MARGIN_LAYERS);
  l.count = (long)(DIRECTIONS + 1) * l.whole + 4 * l.layer;
  float *a = make_cells(r, &l), *b = WL_NEW(r, float, l.count);
  memcpy(b, a, (size_t)l.count * sizeof(float));
  size_t margin = 2 * (size_t)l.layer * sizeof(float);
  CUdeviceptr d_from = WL_UP(r, a, l.count) + margin, d_to = WL_UP(r, b, l.count) + margin;
  for (int i = 0; i < l.steps; i++) {
    WL_LAUNCH(r, l.kernel, wl_2d(l.lines, l.layers), wl_1d(ROW), 0, &d_from, &d_to);
    reference_step(&l, a + 2 * l.layer, b + 2 * l.layer);
    CUdeviceptr d = d_from;
    d_from = d_to;
    d_to = d;
    float *h = a;
    a = b;
    b = h;
  }
  return wl_near_f32(r, "particle density", WL_DOWN(r, float, d_from, (long)DIRECTIONS * l.whole), a + 2 * l.layer,
                     (long)DIRECTIONS * l.whole, 1e-4f, 1e-6f);
}

const struct workload wl_lbm = {
    .name = "lbm",
    .suite = "Parboil",
    .pattern = "twenty streams in, nineteen out, each shifted to a neighbour; nothing is read twice",
    .sizes = {"120 x 30 x 8 cells, 1 step", "120 x 30 x 32 cells, 3 steps", "120 x 120 x 150 cells, 2 steps"},
    .ptx = wl_ptx_lbm,
    .run = run,
};
