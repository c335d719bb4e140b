// A matrix times a vector, and the transposed matrix times the result.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(atax);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {256, 3840, 4096};
  int n = sizes[r->size];
  long count = (long)n * n;
  float *a = WL_NEW(r, float, count), *x = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) {
    x[i] = (float)(i * 3.14159265358979323846);
    for (int j = 0; j < n; j++) a[(long)i * n + j] = (float)i * (float)j / (float)n;
  }
  CUdeviceptr d_a = WL_UP(r, a, count), d_x = WL_UP(r, x, n);
  CUdeviceptr d_tmp = WL_ZEROS(r, float, n), d_y = WL_ZEROS(r, float, n);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "atax_rows", grid, block, 0, &d_a, &d_x, &d_tmp, &n);
  WL_LAUNCH(r, "atax_columns", grid, block, 0, &d_a, &d_y, &d_tmp, &n);

  float *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += a[(long)i * n + j] * x[j];
    for (int j = 0; j < n; j++) want[j] += a[(long)i * n + j] * sum;
  }
  return wl_near_f32(r, "y", WL_DOWN(r, float, d_y, n), want, n, 1e-3f, 0.0f);
}

const struct workload wl_atax = {
    .name = "atax",
    .suite = "PolyBench",
    .pattern = "a row a thread (32 lines a load), then a column a thread (coalesced)",
    .sizes = {"256 x 256", "3,840 x 3,840", "4,096 x 4,096"},
    .ptx = wl_ptx_atax,
    .run = run,
};
