// LU decomposition of a smooth symmetric matrix that needs no pivoting.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(lud);

enum { B = 16 };

// Whether the product of both triangles is the matrix. Rounding moves an element by n times half a unit in the last place of what it is the
// sum of, however the terms are ordered; elements of the triangles themselves may be further off, the more the larger n is.
static bool decomposed(struct wl_run *r, const float *triangles, const float *m, int n) {
  double *sum = WL_NEW(r, double, n), *size = WL_NEW(r, double, n), most = n * ldexp(1.0, -24);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) sum[j] = size[j] = 0.0;
    for (int k = 0; k <= i; k++) {
      double factor = k < i ? (double)triangles[i * n + k] : 1.0;
      for (int j = k; j < n; j++) {
        double term = factor * (double)triangles[k * n + j];
        sum[j] += term;
        size[j] += fabs(term);
      }
    }
    for (int j = 0; j < n; j++)
      if (!(fabs(sum[j] - (double)m[i * n + j]) <= most * size[j]))
        return wl_mismatch(r, "row %d, column %d is %.9g, not %.9g", i, j, sum[j], (double)m[i * n + j]);
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {96, 512, 2048};
  int n = sizes[r->size];
  float *m = wl_falling_matrix(r, n, 0.001);
  CUdeviceptr d_m = WL_UP(r, m, n * n);
  for (int offset = 0; offset < n; offset += B) {
    WL_LAUNCH(r, "lud_diagonal", wl_1d(1), wl_1d(B), 0, &d_m, &n, &offset);
    int rest = (n - offset) / B - 1;
    if (rest == 0) break;
    WL_LAUNCH(r, "lud_perimeter", wl_1d(rest), wl_1d(2 * B), 0, &d_m, &n, &offset);
    WL_LAUNCH(r, "lud_internal", wl_2d(rest, rest), wl_2d(B, B), 0, &d_m, &n, &offset);
  }
  return decomposed(r, WL_DOWN(r, float, d_m, n *n), m, n);
}

const struct workload wl_lud = {
    .name = "lud",
    .suite = "Rodinia",
    .pattern = "16 x 16 blocks; a step's row and column blocks are read by many cores",
    .sizes = {"96 x 96", "512 x 512", "2,048 x 2,048"},
    .ptx = wl_ptx_lud,
    .run = run,
};
