// Matrix multiplication without tiles.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(gemm);

enum { BLOCK_X = 32, BLOCK_Y = 8 };
// Bytes of shared memory that let an SM of a GTX 480 hold five blocks, as the original's registers do at size paper.
enum { FIVE_BLOCKS = 9600 };

static void reference(const float *a, const float *b, float *c, float alpha, float beta, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) c[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
  }
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {64, 192, 512};
  int n = sizes[r->size], count = n * n;
  size_t shared = r->size == WL_PAPER ? FIVE_BLOCKS : 0;
  float alpha = 32412.0f, beta = 2123.0f;
  float *a = WL_NEW(r, float, count), *b = WL_NEW(r, float, count), *c = WL_NEW(r, float, count);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float product = (float)i * (float)j;
      a[i * n + j] = product / (float)n;
      b[i * n + j] = (product + 1) / (float)n;
      c[i * n + j] = (product + 2) / (float)n;
    }
  CUdeviceptr d_a = WL_UP(r, a, count), d_b = WL_UP(r, b, count), d_c = WL_UP(r, c, count);
  WL_LAUNCH(r, "gemm", wl_2d(wl_blocks(n, BLOCK_X), wl_blocks(n, BLOCK_Y)), wl_2d(BLOCK_X, BLOCK_Y), shared, &d_a,
            &d_b, &d_c, &alpha, &beta, &n);
  reference(a, b, c, alpha, beta, n);
  return wl_near_f32(r, "c", WL_DOWN(r, float, d_c, count), c, count, 1e-4f, 1e-3f);
}

const struct workload wl_gemm = {
    .name = "gemm",
    .suite = "PolyBench",
    .pattern = "one address for A, one line for B, one line stored, every step of the loop",
    .sizes = {"64 x 64", "192 x 192", "512 x 512"},
    .ptx = wl_ptx_gemm,
    .run = run,
};
