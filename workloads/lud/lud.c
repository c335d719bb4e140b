// LU decomposition of a smooth symmetric matrix that needs no pivoting.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(lud);

enum { B = 16 };

static void reference(float *m, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      float factor = m[i * n + k] /= m[k * n + k];
      for (int j = k + 1; j < n; j++) m[i * n + j] -= factor * m[k * n + j];
    }
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
  reference(m, n);
  return wl_near_f32(r, "element", WL_DOWN(r, float, d_m, n *n), m, n * n, 1e-3f, 1e-4f);
}

const struct workload wl_lud = {
    .name = "lud",
    .suite = "Rodinia",
    .pattern = "16 x 16 blocks; a step's row and column blocks are read by many cores",
    .sizes = {"96 x 96", "512 x 512", "2,048 x 2,048"},
    .ptx = wl_ptx_lud,
    .run = run,
};
