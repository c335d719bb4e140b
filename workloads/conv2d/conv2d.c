// Two-dimensional convolution.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(conv2d);

enum { BLOCK_X = 32, BLOCK_Y = 8 };

static float *reference(struct wl_run *r, const float *a, int n) {
  static const float c[3][3] = {{0.2f, -0.3f, 0.4f}, {0.5f, 0.6f, 0.7f}, {-0.8f, -0.9f, 0.1f}};
  float *b = WL_NEW(r, float, (long)n *n);
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < n - 1; x++) {
      float sum = 0.0f;
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) sum += c[j][i] * a[(y + j - 1) * n + x + i - 1];
      b[y * n + x] = sum;
    }
  return b;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {256, 1536, 4096};
  int n = sizes[r->size];
  long pixels = (long)n * n;
  float *a = wl_floats(r, pixels, 0.0f, 1.0f);
  CUdeviceptr d_a = WL_UP(r, a, pixels), d_b = WL_ZEROS(r, float, pixels);
  WL_LAUNCH(r, "conv2d", wl_2d(wl_blocks(n, BLOCK_X), wl_blocks(n, BLOCK_Y)), wl_2d(BLOCK_X, BLOCK_Y), 0,
            &d_a, &d_b, &n);
  return wl_near_f32(r, "b", WL_DOWN(r, float, d_b, pixels), reference(r, a, n), pixels, 1e-5f, 1e-5f);
}

const struct workload wl_conv2d = {
    .name = "2dconv",
    .suite = "PolyBench",
    .pattern = "coalesced 3 x 3 stencil: each line read by three rows of threads",
    .sizes = {"256 x 256", "1,536 x 1,536", "4,096 x 4,096"},
    .ptx = wl_ptx_conv2d,
    .run = run,
};
