// Chip temperature: launches of two steps each between two grids.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(hotspot);

enum { TILE = 16, DEPTH = 2 };

// The chip: 16 mm a side, half a millimetre thick, silicon.
struct chip {
  float capacity, rx, ry, rz, step;
};

static struct chip chip_of(int side) {
  const double edge = 0.016, thick = 0.0005, heat = 1.75e6, conducts = 100.0, factor = 0.5, limit = 3.0e6;
  double cell = edge / side;
  return (struct chip){.capacity = (float)(factor * heat * thick * cell * cell),
                       .rx = (float)(1.0 / (2.0 * conducts * thick)),
                       .ry = (float)(1.0 / (2.0 * conducts * thick)),
                       .rz = (float)(thick / (conducts * cell * cell)),
                       .step = (float)(0.001 / (limit / (factor * thick * heat)))};
}

static void reference_step(const struct chip *c, const float *power, const float *in, float *out, int side) {
  double rate = (double)(c->step / c->capacity), gx = (double)(1 / c->rx), gy = (double)(1 / c->ry);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int i = y * side + x;
      float t = in[i], n = in[y > 0 ? i - side : i], s = in[y < side - 1 ? i + side : i];
      float w = in[x > 0 ? i - 1 : i], e = in[x < side - 1 ? i + 1 : i];
      double flow = (double)power[i] + ((double)(s + n) - 2.0 * (double)t) * gy +
                    ((double)(e + w) - 2.0 * (double)t) * gx + (double)((80.0f - t) * (1 / c->rz));
      out[i] = (float)((double)t + rate * flow);
    }
}

// A core of rectangles at the upper edge, right of the middle, that take power in micro-units; the rest takes almost none.
static float *floor_plan(struct wl_run *r, int side) {
  static const struct { int top, left, bottom, right, power; } units[] = {
      {0, 160, 64, 232, 415},   {0, 232, 48, 256, 1902},  {0, 256, 48, 304, 1274},   {0, 304, 32, 360, 605},
      {32, 304, 96, 360, 1234}, {48, 232, 96, 256, 2823}, {48, 256, 96, 304, 58},    {64, 160, 96, 232, 410},
      {96, 160, 128, 256, 134}, {96, 256, 128, 360, 565}, {128, 160, 208, 256, 653}, {128, 256, 208, 360, 1250},
  };
  float *power = WL_NEW(r, float, side *side);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int v = y * 512 / side, u = x * 512 / side, micro = 32;
      for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (v >= units[k].top && v < units[k].bottom && u >= units[k].left && u < units[k].right) micro = units[k].power;
      power[y * side + x] = (float)micro * 1e-6f;
    }
  return power;
}

// Kelvin, six decimals: hot under the core, falling off smoothly to 323 far from it.
static float *warm_chip(struct wl_run *r, int side) {
  static const struct { double x, y, width, height; } spots[] = {
      {0.50, 0.22, 0.13, 8.0}, {0.62, 0.04, 0.05, 11.0}, {0.45, 0.25, 0.35, 2.0}, {0.5, 0.1, 0.6, 0.8}};
  float *t = WL_NEW(r, float, side *side);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      double kelvin = 323.0;
      for (size_t k = 0; k < sizeof spots / sizeof *spots; k++) {
        double dx = ((double)x / side - spots[k].x) / spots[k].width, dy = ((double)y / side - spots[k].y) / spots[k].width;
        kelvin += spots[k].height * exp(-(dx * dx + dy * dy));
      }
      t[y * side + x] = (float)(round(kelvin * 1e6) * 1e-6);
    }
  return t;
}

static bool run(struct wl_run *r) {
  static const struct { int side, steps; } shapes[WL_SIZES] = {{64, 4}, {512, 4}, {512, 60}};
  int side = shapes[r->size].side, count = side * side;
  struct chip c = chip_of(side);
  float *a = warm_chip(r, side), *b = WL_NEW(r, float, count), *power = floor_plan(r, side);
  CUdeviceptr d_in = WL_UP(r, a, count), d_out = WL_DEV(r, float, count), d_power = WL_UP(r, power, count);
  int steps = DEPTH, border = DEPTH, inner = TILE - 2 * border;
  struct wl_dim grid = wl_2d(wl_blocks(side, inner), wl_blocks(side, inner)), block = wl_2d(TILE, TILE);
  for (int i = 0; i < shapes[r->size].steps; i += DEPTH) {
    WL_LAUNCH(r, "hotspot_steps", grid, block, 0, &steps, &d_power, &d_in, &d_out, &side, &side, &border, &c.capacity,
              &c.rx, &c.ry, &c.rz, &c.step);
    CUdeviceptr d = d_in;
    d_in = d_out;
    d_out = d;
    reference_step(&c, power, a, b, side);
    reference_step(&c, power, b, a, side);
  }
  return wl_near_f32(r, "temperature", WL_DOWN(r, float, d_in, count), a, count, 1e-5f, 0.0f);
}

const struct workload wl_hotspot = {
    .name = "hotspot",
    .suite = "Rodinia",
    .pattern = "overlapping 16 x 16 tiles at offsets of 12 points: half-line rows that straddle lines",
    .sizes = {"64 x 64 points, 4 steps", "512 x 512 points, 4 steps", "512 x 512 points, 60 steps"},
    .ptx = wl_ptx_hotspot,
    .run = run,
};
