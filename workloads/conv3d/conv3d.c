// Three-dimensional convolution, one launch a plane.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(conv3d);

enum { BLOCK_X = 32, BLOCK_Y = 8, TAPS = 11 };

static float *reference(struct wl_run *r, const float *a, int n) {
  static const struct {
    int dz, dy, dx;
    float weight;
  } taps[TAPS] = {{-1, -1, -1, -1.0f}, {1, -1, -1, 21.0f}, {0, -1, 0, -3.0f}, {0, 0, 0, 6.0f},  {0, 1, 0, -9.0f},  {-1, -1, 1, 2.0f},
                  {1, -1, 1, 4.0f},    {-1, 0, 1, 5.0f},   {1, 0, 1, 7.0f},   {-1, 1, 1, -8.0f}, {1, 1, 1, 10.0f}};
  float *b = WL_NEW(r, float, (long)n *n *n);
  for (int z = 1; z < n - 1; z++)
    for (int y = 1; y < n - 1; y++)
      for (int t = 0; t < TAPS; t++) {
        const float *from = a + ((long)(z + taps[t].dz) * n + y + taps[t].dy) * n + taps[t].dx;
        float *to = b + ((long)z * n + y) * n;
        for (int x = 1; x < n - 1; x++) to[x] += taps[t].weight * from[x];
      }
  return b;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {34, 128, 256};
  int n = sizes[r->size];
  long cells = (long)n * n * n;
  float *a = WL_NEW(r, float, cells);
  for (long i = 0; i < cells; i++) a[i] = (float)(i / n / n % 12 + 2 * (i / n % n % 7) + 3 * (i % n % 13));
  CUdeviceptr d_a = WL_UP(r, a, cells), d_b = WL_ZEROS(r, float, cells);
  for (int plane = 1; plane < n - 1; plane++)
    WL_LAUNCH(r, "conv3d_plane", wl_2d(wl_blocks(n, BLOCK_X), wl_blocks(n, BLOCK_Y)), wl_2d(BLOCK_X, BLOCK_Y),
              0, &d_a, &d_b, &n, &plane);
  return wl_near_f32(r, "b", WL_DOWN(r, float, d_b, cells), reference(r, a, n), cells, 1e-4f, 1e-4f);
}

const struct workload wl_conv3d = {
    .name = "3dconv",
    .suite = "PolyBench",
    .pattern = "coalesced stencil over three planes, one launch a plane: reuse between launches",
    .sizes = {"34 x 34 x 34", "128 x 128 x 128", "256 x 256 x 256"},
    .ptx = wl_ptx_conv3d,
    .run = run,
};
