// Exclusive prefix sum.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(scan);

enum { THREADS = 256, TILE = 2 * THREADS };

static void scan(struct wl_run *r, CUdeviceptr in, CUdeviceptr out, int n) {
  int tiles = (int)wl_blocks(n, TILE);
  CUdeviceptr sums = WL_DEV(r, uint32_t, tiles);
  WL_LAUNCH(r, "scan_tiles", wl_1d(tiles), wl_1d(THREADS), 0, &in, &out, &sums, &n);
  if (tiles == 1) return;
  scan(r, sums, sums, tiles);
  WL_LAUNCH(r, "scan_add", wl_1d(tiles), wl_1d(THREADS), 0, &out, &sums, &n);
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {32768, 524288, 6000000};
  int n = counts[r->size];
  uint32_t *in = WL_NEW(r, uint32_t, n), *want = WL_NEW(r, uint32_t, n), sum = 0;
  for (int i = 0; i < n; i++) {
    in[i] = wl_below(&r->rng, 1000);
    want[i] = sum;
    sum += in[i];
  }
  CUdeviceptr d_in = WL_UP(r, in, n), d_out = WL_DEV(r, uint32_t, n);
  scan(r, d_in, d_out, n);
  return wl_same_u32(r, "sum", WL_DOWN(r, uint32_t, d_out, n), want, n);
}

const struct workload wl_scan = {
    .name = "scan",
    .suite = "SDK",
    .pattern = "coalesced stream through trees in shared memory, read again to add the tiles' sums",
    .sizes = {"32,768 numbers", "524,288 numbers", "6,000,000 numbers"},
    .ptx = wl_ptx_scan,
    .run = run,
};
