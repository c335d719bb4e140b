// Histogram of bytes.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(histogram);

enum { BINS = 256, THREADS = 192, MERGE_THREADS = 256 };

static bool run(struct wl_run *r) {
  static const struct { int words, blocks; } shapes[WL_SIZES] = {{32768, 12}, {524288, 240}, {8388608, 240}};
  int n = shapes[r->size].words, blocks = shapes[r->size].blocks;
  uint32_t *words = WL_NEW(r, uint32_t, n), want[BINS] = {0};
  for (int i = 0; i < n; i++) {
    words[i] = (uint32_t)wl_next(&r->rng);
    for (int shift = 0; shift < 32; shift += 8) want[words[i] >> shift & 255]++;
  }
  CUdeviceptr d_words = WL_UP(r, words, n), d_histogram = WL_DEV(r, uint32_t, BINS);
  CUdeviceptr d_partial = WL_DEV(r, uint32_t, blocks * BINS);
  WL_LAUNCH(r, "histogram_count", wl_1d(blocks), wl_1d(THREADS), 0, &d_words, &n, &d_partial);
  WL_LAUNCH(r, "histogram_merge", wl_1d(BINS), wl_1d(MERGE_THREADS), 0, &d_partial, &blocks, &d_histogram);
  return wl_same_u32(r, "bin", WL_DOWN(r, uint32_t, d_histogram, BINS), want, BINS);
}

const struct workload wl_histogram = {
    .name = "histogram",
    .suite = "SDK",
    .pattern = "one coalesced stream, counts by atomics in shared memory",
    .sizes = {"128 KB", "2 MB", "32 MB"},
    .ptx = wl_ptx_histogram,
    .run = run,
};
