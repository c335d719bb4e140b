// Seven-point stencil: Jacobi steps of the heat equation between two grids.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(stencil);

struct shape {
  int nx, ny, nz, steps;
};

static void reference(const struct shape *s, float c0, float c1, const float *in, float *out) {
  int layer = s->nx * s->ny;
  for (int z = 1; z < s->nz - 1; z++)
    for (int y = 1; y < s->ny - 1; y++)
      for (int x = 1; x < s->nx - 1; x++) {
        const float *p = in + x + s->nx * y + layer * z;
        float sum = p[layer] + p[-layer] + p[-1] + p[1] + p[-s->nx] + p[s->nx];
        out[p - in] = sum * c1 - p[0] * c0;
      }
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{128, 32, 16, 1}, {256, 256, 32, 2}, {512, 512, 64, 2}};
  struct shape s = shapes[r->size];
  float c0 = 1.0f / 6.0f, c1 = 1.0f / 36.0f;
  int points = s.nx * s.ny * s.nz;
  float *a = wl_floats(r, points, 0.0f, 1.0f), *b = WL_NEW(r, float, points);
  memcpy(b, a, (size_t)points * sizeof(float));

  CUdeviceptr d_in = WL_UP(r, a, points), d_out = WL_UP(r, b, points);
  for (int i = 0; i < s.steps; i++) {
    WL_LAUNCH(r, "stencil_step", wl_2d(wl_blocks(s.nx, 64), wl_blocks(s.ny, 4)), wl_2d(32, 4), 64 * 4 * sizeof(float), &c0, &c1,
              &d_in, &d_out, &s.nx, &s.ny, &s.nz);
    CUdeviceptr d = d_in;
    d_in = d_out;
    d_out = d;
    reference(&s, c0, c1, a, b);
    float *h = a;
    a = b;
    b = h;
  }
  return wl_near_f32(r, "grid", WL_DOWN(r, float, d_in, points), a, points, 1e-4f, 1e-5f);
}

const struct workload wl_stencil = {
    .name = "stencil",
    .suite = "Parboil",
    .pattern = "layers streamed through registers and shared memory; only tile rims are read twice",
    .sizes = {"128 x 32 x 16 points, 1 step", "256 x 256 x 32 points, 2 steps",
              "512 x 512 x 64 points, 2 steps"},
    .ptx = wl_ptx_stencil,
    .run = run,
};
