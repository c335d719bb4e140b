// Sum of an array in two launches.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(reduction);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const struct {
    int count, blocks;
  } shapes[WL_SIZES] = {{131072, 16}, {4194304, 64}, {33554432, 128}};
  int n = shapes[r->size].count, blocks = shapes[r->size].blocks;
  float *in = wl_floats(r, n, 0.0f, 1.0f);
  CUdeviceptr d_in = WL_UP(r, in, n), d_part = WL_DEV(r, float, blocks), d_sum = WL_DEV(r, float, 1);
  WL_LAUNCH(r, "reduce_sum", wl_1d(blocks), wl_1d(THREADS), 0, &d_in, &d_part, &n);
  WL_LAUNCH(r, "reduce_sum", wl_1d(1), wl_1d(THREADS), 0, &d_part, &d_sum, &blocks);
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += (double)in[i];
  float want = (float)sum;
  return wl_near_f32(r, "sum", WL_DOWN(r, float, d_sum, 1), &want, 1, 1e-4f, 0.0f);
}

const struct workload wl_reduction = {
    .name = "reduction",
    .suite = "SDK",
    .pattern = "one coalesced stream, tree in shared memory",
    .sizes = {"131,072 floats", "4,194,304 floats", "33,554,432 floats"},
    .ptx = wl_ptx_reduction,
    .run = run,
};
