// Hybrid sort: the host turns the histogram into borders of divisions and the sizes of the divisions into addresses;
// everything that touches the values is the device's.
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(hybridsort);

enum { DIVISIONS = 1024, BINS = 1024, MERGERS = 208, FEWEST_BLOCKS = 8 };

struct device {
  CUdeviceptr in, other; // values, in turns; padded
  uint32_t sizes[DIVISIONS];
  int starts[DIVISIONS + 1], largest; // in groups of four; floats of the largest division, with its padding
};

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// Borders between divisions that have even shares of the values, taken as evenly spread within a bin of the histogram. The last bin makes
// none: what lies behind the last border goes to the last division, and a division that has no border of its own stays empty.
static void make_borders(const uint32_t *bins, int count, float low, float high, float *borders) {
  float width = (high - low) / BINS, share = (float)count / DIVISIONS, missing = share, at = low, end = low + width;
  int made = 0;
  for (int bin = 0; bin < BINS - 1; bin++, at = end, end += width) {
    float left = (float)bins[bin];
    for (; left > missing && made < DIVISIONS; left -= missing, missing = share) {
      at += missing / left * width;
      borders[made++] = at;
    }
    missing -= left;
  }
  for (; made < DIVISIONS; made++) borders[made] = made > 0 ? borders[made - 1] : high;
}

// The additive generator of common C libraries, from which the suite draws its floats; the run's seed is its own.
static void draw(struct wl_run *r, float *values, int count) {
  enum { KEPT = 34, FIRST = 344 };
  uint32_t *words = WL_NEW(r, uint32_t, FIRST + count);
  int64_t word = (int64_t)(1 + (r->rng.state - 1) % 2147483646);
  for (int i = 0; i < KEPT; i++) {
    words[i] = i < 31 ? (uint32_t)word : words[i - 31];
    word = word * 16807 % 2147483647;
  }
  for (int i = KEPT; i < FIRST + count; i++) words[i] = words[i - 3] + words[i - 31];
  for (int i = 0; i < count; i++) values[i] = (float)(words[FIRST + i] >> 1) / 2147483648.0f;
}

// Spreads the values over the divisions; each begins at a whole group, and its padding is 0.
static void bucket_sort(struct wl_run *r, struct device *d, int count, float low, float high) {
  int blocks = (int)wl_blocks(count, 32 * 128);
  float borders[DIVISIONS];
  CUdeviceptr bins = WL_ZEROS(r, uint32_t, BINS), place = WL_DEV(r, int, count), counts = WL_DEV(r, uint32_t, (long)blocks * DIVISIONS);
  CUdeviceptr sizes = WL_DEV(r, uint32_t, DIVISIONS), d_borders = WL_DEV(r, float, DIVISIONS), begin = WL_DEV(r, uint32_t, DIVISIONS);
  CUtexObject texture = wl_texture(r, d_borders, DIVISIONS);
  WL_LAUNCH(r, "hs_histogram", wl_1d(64), wl_1d(96), 0, &d->in, &low, &high, &bins, &count);
  make_borders(WL_DOWN(r, uint32_t, bins, BINS), count, low, high, borders);
  WL_PUT(r, d_borders, borders, DIVISIONS);
  WL_LAUNCH(r, "hs_bucket_count", wl_1d(blocks), wl_1d(32), 0, &d->in, &place, &counts, &count, &texture);
  WL_LAUNCH(r, "hs_prefix", wl_1d(DIVISIONS / 128), wl_1d(128), 0, &counts, &sizes, &blocks);
  WL_GET(r, d->sizes, sizes, DIVISIONS);
  uint32_t at[DIVISIONS];
  for (int k = 0; k < DIVISIONS; k++) {
    at[k] = 4 * (uint32_t)d->starts[k];
    d->starts[k + 1] = d->starts[k] + (int)(d->sizes[k] + 3) / 4;
    int padded = 4 * (d->starts[k + 1] - d->starts[k]);
    if (padded > d->largest) d->largest = padded;
  }
  WL_PUT(r, begin, at, DIVISIONS);
  CU(r, cuMemsetD32(d->other, 0, (size_t)count + 4 * DIVISIONS));
  WL_LAUNCH(r, "hs_bucket_sort", wl_1d(blocks), wl_1d(32), 0, &d->in, &place, &d->other, &count, &counts, &begin);
}

static void swap(struct device *d, CUtexObject *textures) {
  CUdeviceptr was = d->in;
  d->in = d->other;
  d->other = was;
  CUtexObject texture = textures[0];
  textures[0] = textures[1];
  textures[1] = texture;
}

// Sorts each division: within groups, then runs of twice the length, until a thread has a whole division.
static void merge_sort(struct wl_run *r, struct device *d, int count) {
  int groups = d->starts[DIVISIONS], final_starts[DIVISIONS + 1] = {0}, holes[DIVISIONS];
  long texels = count / 4 + DIVISIONS;
  CUtexObject textures[2] = {wl_texels(r, d->in, CU_AD_FORMAT_FLOAT, 4, texels), wl_texels(r, d->other, CU_AD_FORMAT_FLOAT, 4, texels)};
  for (int k = 0; k < DIVISIONS; k++) {
    final_starts[k + 1] = final_starts[k] + (int)d->sizes[k];
    holes[k] = 4 * (d->starts[k + 1] - d->starts[k]) - (int)d->sizes[k];
  }
  wl_put_symbol(r, "starts", d->starts, sizeof d->starts);
  wl_put_symbol(r, "final_starts", final_starts, sizeof final_starts);
  wl_put_symbol(r, "holes", holes, sizeof holes);
  swap(d, textures);
  WL_LAUNCH(r, "hs_merge_first", wl_1d(wl_blocks(groups, 256)), wl_1d(256), 0, &d->other, &groups, &textures[0]);
  for (int run = 2, threads = 0; threads != 1; run *= 2) {
    threads = (int)wl_blocks(d->largest, 4 * run);
    long needed = (long)threads * DIVISIONS, blocks = wl_blocks(needed, MERGERS), block = MERGERS;
    if (blocks < FEWEST_BLOCKS) blocks = FEWEST_BLOCKS, block = wl_blocks(needed, FEWEST_BLOCKS);
    swap(d, textures);
    WL_LAUNCH(r, "hs_merge_pass", wl_1d(blocks), wl_1d(block), 0, &d->other, &run, &threads, &textures[0]);
  }
  swap(d, textures);
  WL_LAUNCH(r, "hs_pack", wl_2d(wl_blocks(d->largest, 256), DIVISIONS), wl_1d(256), 0, &d->in, &d->other);
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {8192, 262144, 4194304};
  int count = sizes[r->size];
  float *values = WL_NEW(r, float, count), low = 1.0f, high = 0.0f;
  draw(r, values, count);
  for (int i = 0; i < count; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  struct device d = {WL_DEV(r, float, count + 4 * DIVISIONS), WL_DEV(r, float, count + 4 * DIVISIONS), {0}, {0}, 0};
  WL_PUT(r, d.in, values, count);
  bucket_sort(r, &d, count, low, high);
  merge_sort(r, &d, count);
  qsort(values, (size_t)count, sizeof *values, by_value);
  return wl_near_f32(r, "value", WL_DOWN(r, float, d.other, count), values, count, 0.0f, 0.0f);
}

const struct workload wl_hybridsort = {
    .name = "hybridsort",
    .suite = "Rodinia",
    .pattern = "binary searches, a scatter into 1,024 divisions, then a thread a pair of 16-byte runs",
    .sizes = {"8,192 floats", "262,144 floats", "4,194,304 floats"},
    .ptx = wl_ptx_hybridsort,
    .run = run,
};
