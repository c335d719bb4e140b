// Gaussian elimination: the device makes the matrix triangular, the host substitutes back; checked by the
// host's own elimination.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(gaussian);

enum { THREADS = 512, SIDE = 4 };

static void eliminate(float *a, float *b, int n) {
  for (int t = 0; t < n - 1; t++)
    for (int row = t + 1; row < n; row++) {
      float factor = a[n * row + t] / a[n * t + t];
      for (int column = t; column < n; column++) a[n * row + column] -= factor * a[n * t + column];
      b[row] -= factor * b[t];
    }
}

static float *substitute(struct wl_run *r, const float *a, const float *b, int n) {
  float *x = WL_NEW(r, float, n);
  for (int row = n - 1; row >= 0; row--) {
    x[row] = b[row];
    for (int column = row + 1; column < n; column++) x[row] -= a[n * row + column] * x[column];
    x[row] /= a[n * row + row];
  }
  return x;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {48, 160, 256};
  int n = sizes[r->size];
  float *a = wl_falling_matrix(r, n, 0.01), *b = wl_floats(r, n, 1.0f, 1.0f);
  CUdeviceptr d_a = WL_UP(r, a, n * n), d_b = WL_UP(r, b, n), d_m = WL_ZEROS(r, float, n *n);
  for (int t = 0; t < n - 1; t++) {
    WL_LAUNCH(r, "gaussian_fan1", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &d_m, &d_a, &n, &t);
    WL_LAUNCH(r, "gaussian_fan2", wl_2d(wl_blocks(n, SIDE), wl_blocks(n, SIDE)), wl_2d(SIDE, SIDE), 0, &d_m,
              &d_a, &d_b, &n, &t);
  }
  float *got = substitute(r, WL_DOWN(r, float, d_a, n *n), WL_DOWN(r, float, d_b, n), n);
  eliminate(a, b, n);
  return wl_near_f32(r, "x", got, substitute(r, a, b, n), n, 1e-3f, 1e-5f);
}

const struct workload wl_gaussian = {
    .name = "gaussian",
    .suite = "Rodinia",
    .pattern = "4 x 4 blocks whose lanes are matrix rows apart; the pivot row is read by everyone",
    .sizes = {"48 x 48", "160 x 160", "256 x 256"},
    .ptx = wl_ptx_gaussian,
    .run = run,
};
