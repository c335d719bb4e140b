// Matrix multiplication by map tasks.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(mars_mm);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {64, 192, 768};
  int n = sizes[r->size], count = n * n;
  float *a = wl_floats(r, count, -1.0f, 1.0f), *b = wl_floats(r, count, -1.0f, 1.0f);
  int(*tasks)[2] = wl_host(r, (size_t)count, sizeof *tasks);
  for (int i = 0; i < count; i++) {
    tasks[i][0] = i / n;
    tasks[i][1] = i % n;
  }
  CUdeviceptr d_a = WL_UP(r, a, count), d_b = WL_UP(r, b, count), d_tasks = WL_UP(r, tasks, count);
  CUdeviceptr d_product = WL_DEV(r, float, count);
  WL_LAUNCH(r, "mm_map", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_a, &d_b, &d_tasks, &count,
            &n, &d_product);

  float *want = WL_NEW(r, float, count);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) want[i * n + j] += a[i * n + k] * b[j * n + k];
  return wl_near_f32(r, "product", WL_DOWN(r, float, d_product, count), want, count, 1e-4f, 1e-3f);
}

const struct workload wl_mars_mm = {
    .name = "mm",
    .suite = "Mars",
    .pattern = "dot products: one vector read by all lanes, the other 32 lines a load",
    .sizes = {"64 x 64", "192 x 192", "768 x 768"},
    .ptx = wl_ptx_mars_mm,
    .run = run,
};
