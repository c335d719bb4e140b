// Two products of a matrix and a vector, one of them transposed.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(mvt);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {256, 1536, 4096};
  int n = sizes[r->size];
  long count = (long)n * n;
  float *a = WL_NEW(r, float, count), *y1 = WL_NEW(r, float, n), *y2 = WL_NEW(r, float, n);
  float *x1 = WL_NEW(r, float, n), *x2 = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) {
    x1[i] = (float)i / (float)n;
    x2[i] = (float)(i + 1) / (float)n;
    y1[i] = (float)(i + 3) / (float)n;
    y2[i] = (float)(i + 4) / (float)n;
    for (int j = 0; j < n; j++) a[(long)i * n + j] = (float)i * (float)j / (float)n;
  }
  CUdeviceptr d_a = WL_UP(r, a, count), d_x1 = WL_UP(r, x1, n), d_x2 = WL_UP(r, x2, n);
  CUdeviceptr d_y1 = WL_UP(r, y1, n), d_y2 = WL_UP(r, y2, n);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "mvt_rows", grid, block, 0, &d_a, &d_x1, &d_y1, &n);
  WL_LAUNCH(r, "mvt_columns", grid, block, 0, &d_a, &d_x2, &d_y2, &n);

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x1[i] += a[(long)i * n + j] * y1[j];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) x2[i] += a[(long)j * n + i] * y2[j];
  bool ok = wl_near_f32(r, "x1", WL_DOWN(r, float, d_x1, n), x1, n, 1e-3f, 1e-3f);
  return wl_near_f32(r, "x2", WL_DOWN(r, float, d_x2, n), x2, n, 1e-3f, 1e-3f) && ok;
}

const struct workload wl_mvt = {
    .name = "mvt",
    .suite = "PolyBench",
    .pattern = "matrix times vector by rows (32 lines a load) and by columns (coalesced)",
    .sizes = {"256 x 256", "1,536 x 1,536", "4,096 x 4,096"},
    .ptx = wl_ptx_mvt,
    .run = run,
};
