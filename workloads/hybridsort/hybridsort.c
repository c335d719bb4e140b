// Hybrid sort: the host turns the histogram into bucket borders and the bucket sizes into addresses;
// everything that touches the values is the device's.
#include "common/inputs.h"
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(hybridsort);

enum { BUCKETS = 1024, BINS = 1024, THREADS = 128 };

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// Borders at even shares of the values, taken as evenly spread within a bin of the histogram.
static void make_borders(const uint32_t *bins, int count, float low, float width, float *borders) {
  double before = 0.0;
  int bin = 0;
  borders[0] = low;
  for (int k = 1; k < BUCKETS; k++) {
    double target = (double)count * k / BUCKETS;
    while (bin < BINS - 1 && before + bins[bin] < target) before += bins[bin++];
    double share = bins[bin] ? (target - before) / bins[bin] : 0.0;
    borders[k] = low + width * (float)((double)bin + share);
  }
}

// Starts of the buckets, padded to whole groups of four, and without padding; returns the largest size in
// groups.
static int make_starts(const uint32_t *sizes, uint32_t *start, uint32_t *final_start) {
  uint32_t largest = 0;
  for (int k = 0; k < BUCKETS; k++) {
    uint32_t groups = (sizes[k] + 3) / 4;
    start[k + 1] = start[k] + 4 * groups;
    final_start[k + 1] = final_start[k] + sizes[k];
    if (groups > largest) largest = groups;
  }
  return (int)largest;
}

static CUdeviceptr bucket_sort(struct wl_run *r, CUdeviceptr in, int count, uint32_t *sizes, uint32_t *start,
                               uint32_t *final_start, int *largest) {
  long blocks = wl_blocks(count, THREADS * 32);
  int number = (int)blocks;
  struct wl_dim grid = wl_1d(blocks), block = wl_1d(THREADS);
  float low = 0.0f, width = 1.0f / BINS, borders[BUCKETS];
  CUdeviceptr bins = WL_ZEROS(r, uint32_t, BINS), place = WL_DEV(r, int, count);
  CUdeviceptr prefix = WL_DEV(r, uint32_t, blocks * BUCKETS), d_sizes = WL_DEV(r, uint32_t, BUCKETS);
  WL_LAUNCH(r, "hs_histogram", grid, block, 0, &in, &count, &low, &width, &bins);
  make_borders(WL_DOWN(r, uint32_t, bins, BINS), count, low, width, borders);
  CUdeviceptr d_borders = WL_UP(r, borders, BUCKETS);
  WL_LAUNCH(r, "hs_bucket_count", grid, block, 0, &in, &count, &d_borders, &place, &prefix);
  WL_LAUNCH(r, "hs_prefix", wl_1d(BUCKETS / THREADS), block, 0, &prefix, &d_sizes, &number);
  WL_GET(r, sizes, d_sizes, BUCKETS);
  *largest = make_starts(sizes, start, final_start);

  // The padding sorts behind every value.
  CUdeviceptr d_start = WL_UP(r, start, BUCKETS + 1), out = WL_DEV(r, float, start[BUCKETS]);
  CU(r, cuMemsetD32(out, 0x7f800000u, start[BUCKETS]));
  WL_LAUNCH(r, "hs_bucket_sort", grid, block, 0, &in, &count, &place, &prefix, &d_start, &out);
  return out;
}

static bool run(struct wl_run *r) {
  static const int sizes_of[WL_SIZES] = {8192, 196608, 4194304};
  int count = sizes_of[r->size], largest;
  float *values = WL_NEW(r, float, count);
  for (int i = 0; i < count; i++) {
    float x = wl_uniform(&r->rng, 0.0f, 1.0f);
    values[i] = x * x;
  }
  uint32_t sizes[BUCKETS], start[BUCKETS + 1] = {0}, final_start[BUCKETS + 1] = {0};
  CUdeviceptr from = bucket_sort(r, WL_UP(r, values, count), count, sizes, start, final_start, &largest);
  int groups = (int)(start[BUCKETS] / 4);
  CUdeviceptr to = WL_DEV(r, float, start[BUCKETS]), d_start = WL_UP(r, start, BUCKETS + 1);
  CUdeviceptr d_sizes = WL_UP(r, sizes, BUCKETS), d_final = WL_UP(r, final_start, BUCKETS + 1);
  WL_LAUNCH(r, "hs_merge_first", wl_1d(wl_blocks(groups, THREADS)), wl_1d(THREADS), 0, &from, &to, &groups);
  for (int length = 1; length < largest; length *= 2) {
    CUdeviceptr d = from;
    from = to;
    to = d;
    long pairs = wl_blocks(largest, 2 * length);
    WL_LAUNCH(r, "hs_merge_pass", wl_2d(wl_blocks(pairs, 32), BUCKETS), wl_1d(32), 0, &from, &to, &d_start,
              &length);
  }
  CUdeviceptr d_out = WL_DEV(r, float, count);
  WL_LAUNCH(r, "hs_pack", wl_2d(1, BUCKETS), wl_1d(THREADS), 0, &to, &d_out, &d_start, &d_sizes, &d_final);
  qsort(values, (size_t)count, sizeof *values, by_value);
  return wl_near_f32(r, "value", WL_DOWN(r, float, d_out, count), values, count, 0.0f, 0.0f);
}

const struct workload wl_hybridsort = {
    .name = "hybridsort",
    .suite = "Rodinia",
    .pattern = "binary searches, a scatter into 1,024 buckets, then a thread a pair of 16-byte runs",
    .sizes = {"8,192 floats", "196,608 floats", "4,194,304 floats"},
    .ptx = wl_ptx_hybridsort,
    .run = run,
};
