// Dense matrix product; sizes are multiples of the block's 128 rows, 16 columns and depth of 8.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(sgemm);

enum { COLUMNS = 16, PIECE = 8, ROWS = COLUMNS * PIECE };

static bool run(struct wl_run *r) {
  static const struct {
    int rows, columns, depth;
  } shapes[WL_SIZES] = {{256, 128, 64}, {512, 512, 256}, {1024, 1056, 992}};
  int m = shapes[r->size].rows, n = shapes[r->size].columns, depth = shapes[r->size].depth;
  float alpha = 1.0f, beta = 0.0f;
  float *a = wl_floats(r, (long)m * depth, 0.0f, 1.0f), *b = wl_floats(r, (long)n * depth, 0.0f, 1.0f);
  float *c = WL_NEW(r, float, m *n);
  CUdeviceptr d_a = WL_UP(r, a, m * depth), d_b = WL_UP(r, b, n * depth), d_c = WL_UP(r, c, m * n);
  WL_LAUNCH(r, "sgemm_nt", wl_2d(m / ROWS, n / COLUMNS), wl_2d(COLUMNS, PIECE), 0, &d_a, &m, &d_b, &n, &d_c,
            &m, &depth, &alpha, &beta);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) c[i + j * m] *= beta;
    for (int k = 0; k < depth; k++)
      for (int i = 0; i < m; i++) c[i + j * m] += alpha * a[i + k * m] * b[j + k * n];
  }
  return wl_near_f32(r, "element", WL_DOWN(r, float, d_c, m *n), c, m * n, 1e-4f, 1e-3f);
}

const struct workload wl_sgemm = {
    .name = "sgemm",
    .suite = "Parboil",
    .pattern = "one matrix streamed in columns by every block of a row, the other in small shared pieces",
    .sizes = {"256 x 128 x 64", "512 x 512 x 256", "1,024 x 1,056 x 992"},
    .ptx = wl_ptx_sgemm,
    .run = run,
};
