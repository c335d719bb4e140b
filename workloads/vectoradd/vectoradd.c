// Sum of two vectors: the simplest program, and the streaming end of the scale.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(vectoradd);

static bool run(struct wl_run *r) {
  static const int lengths[WL_SIZES] = {50000, 1 << 20, 1 << 25};
  int n = lengths[r->size];
  float *a = wl_floats(r, n, -1.0f, 1.0f);
  float *b = wl_floats(r, n, -1.0f, 1.0f);
  CUdeviceptr da = WL_UP(r, a, n), db = WL_UP(r, b, n), dc = WL_DEV(r, float, n);

  WL_LAUNCH(r, "vectoradd", wl_1d(wl_blocks(n, 256)), wl_1d(256), 0, &da, &db, &dc, &n);

  float *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) want[i] = a[i] + b[i];
  return wl_near_f32(r, "sum", WL_DOWN(r, float, dc, n), want, n, 0.0f, 0.0f);
}

const struct workload wl_vectoradd = {
    .name = "vectoradd",
    .suite = "SDK",
    .pattern = "two streams in, one out; every line used once and whole",
    .sizes = {"50,000 elements", "1 M elements", "32 M elements"},
    .ptx = wl_ptx_vectoradd,
    .run = run,
};
