// Chip temperature: launches of two steps each between two grids.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(hotspot);

enum { TILE = 16, DEPTH = 2 };

struct coefficients {
  float cap, rx, ry, rz, ambient;
};

static void reference_step(const struct coefficients *c, const float *power, const float *in, float *out,
                           int side) {
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      int i = y * side + x;
      float t = in[i], n = in[y > 0 ? i - side : i], s = in[y < side - 1 ? i + side : i];
      float w = in[x > 0 ? i - 1 : i], e = in[x < side - 1 ? i + 1 : i];
      out[i] = t + c->cap * (power[i] + (s + n - 2.0f * t) * c->ry + (e + w - 2.0f * t) * c->rx +
                             (c->ambient - t) * c->rz);
    }
}

static bool run(struct wl_run *r) {
  static const struct { int side, steps; } shapes[WL_SIZES] = {{64, 4}, {512, 4}, {512, 60}};
  int side = shapes[r->size].side, count = side * side;
  struct coefficients c = {0.3f, 0.4f, 0.5f, 0.0001f, 80.0f};
  float *a = wl_floats(r, count, 320.0f, 340.0f), *b = WL_NEW(r, float, count);
  float *power = wl_floats(r, count, 0.0f, 0.01f);
  CUdeviceptr d_power = WL_UP(r, power, count), d_in = WL_UP(r, a, count), d_out = WL_DEV(r, float, count);
  int steps = DEPTH, border = DEPTH, inner = TILE - 2 * border;
  struct wl_dim grid = wl_2d(wl_blocks(side, inner), wl_blocks(side, inner)), block = wl_2d(TILE, TILE);
  for (int i = 0; i < shapes[r->size].steps; i += DEPTH) {
    WL_LAUNCH(r, "hotspot_steps", grid, block, 0, &steps, &d_power, &d_in, &d_out, &side, &side, &border,
              &c.cap, &c.rx, &c.ry, &c.rz, &c.ambient);
    CUdeviceptr d = d_in;
    d_in = d_out;
    d_out = d;
    reference_step(&c, power, a, b, side);
    reference_step(&c, power, b, a, side);
  }
  return wl_near_f32(r, "temperature", WL_DOWN(r, float, d_in, count), a, count, 1e-4f, 0.0f);
}

const struct workload wl_hotspot = {
    .name = "hotspot",
    .suite = "Rodinia",
    .pattern = "overlapping 16 x 16 tiles at offsets of 12 points: half-line rows that straddle lines",
    .sizes = {"64 x 64 points, 4 steps", "512 x 512 points, 4 steps", "512 x 512 points, 60 steps"},
    .ptx = wl_ptx_hotspot,
    .run = run,
};
