// Sum of an array of integers: the sums of the blocks, once to warm up and once that counts, then their sum.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(reduction);

enum { THREADS = 256, WARP = 32 };

static bool run(struct wl_run *r) {
  static const struct {
    int count, blocks;
  } shapes[WL_SIZES] = {{131072, 16}, {4194304, 64}, {16777216, 64}};
  int n = shapes[r->size].count, blocks = shapes[r->size].blocks, sum = 0;
  int *in = wl_library_ints(r, (int)r->rng.state, n, 256);
  CUdeviceptr d_in = WL_UP(r, in, n), d_sums = WL_DEV(r, int, blocks), d_copy = WL_DEV(r, int, blocks);
  for (int round = 0; round < 2; round++)
    WL_LAUNCH(r, "reduce_sum", wl_1d(blocks), wl_1d(THREADS), (THREADS / WARP + 1) * sizeof(int), &d_in, &d_sums, &n);
  CU(r, cuMemcpyDtoD(d_copy, d_sums, (size_t)blocks * sizeof(int)));
  WL_LAUNCH(r, "reduce_last", wl_1d(1), wl_1d(WARP), 2 * sizeof(int), &d_copy, &d_sums, &blocks);
  for (int i = 0; i < n; i++) sum = (int)((unsigned)sum + (unsigned)in[i]);
  return wl_same_i32(r, "sum", WL_DOWN(r, int, d_sums, 1), &sum, 1);
}

const struct workload wl_reduction = {
    .name = "reduction",
    .suite = "SDK",
    .pattern = "one coalesced stream, sums by exchanged registers",
    .sizes = {"131,072 integers", "4,194,304 integers", "16,777,216 integers"},
    .ptx = wl_ptx_reduction,
    .run = run,
};
