// Weighted sums of rows of an embedding table; some rows are far more popular than others.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(embeddingbag);

enum { DIM = 64, WARPS = 4, LONGEST = 40 };

static bool run(struct wl_run *r) {
  static const struct {
    int rows, bags;
  } shapes[WL_SIZES] = {{16384, 512}, {131072, 16384}, {262144, 131072}};
  int rows = shapes[r->size].rows, bags = shapes[r->size].bags, entries = 0;
  float *table = wl_floats(r, (long)rows * DIM, -1.0f, 1.0f);
  int *row = WL_NEW(r, int, (long)bags *LONGEST), *first = WL_NEW(r, int, bags + 1);
  for (int b = 0; b < bags; b++) {
    int length = (int)wl_below(&r->rng, LONGEST);
    for (int i = 0; i < length; i++) {
      // Popular rows are low ranks, spread over the table.
      uint32_t rank = wl_below(&r->rng, 1 + wl_below(&r->rng, 1 + wl_below(&r->rng, (uint32_t)rows)));
      row[entries++] = (int)(rank * 40503u % (uint32_t)rows);
    }
    first[b + 1] = entries;
  }
  float *weights = wl_floats(r, entries, 0.0f, 1.0f), *want = WL_NEW(r, float, (long)bags *DIM);
  CUdeviceptr d_table = WL_UP(r, table, (long)rows * DIM), d_row = WL_UP(r, row, entries);
  CUdeviceptr d_weights = WL_UP(r, weights, entries), d_first = WL_UP(r, first, bags + 1);
  CUdeviceptr d_out = WL_DEV(r, float, (long)bags *DIM);
  WL_LAUNCH(r, "embedding_bag", wl_1d(wl_blocks(bags, WARPS)), wl_1d(32 * WARPS), 0, &d_table, &d_row,
            &d_weights, &d_first, &bags, &d_out);
  for (int b = 0; b < bags; b++)
    for (int i = first[b]; i < first[b + 1]; i++)
      for (int d = 0; d < DIM; d++) want[(long)b * DIM + d] += weights[i] * table[(long)row[i] * DIM + d];
  return wl_near_f32(r, "out", WL_DOWN(r, float, d_out, (long)bags *DIM), want, (long)bags * DIM, 1e-4f,
                     1e-4f);
}

const struct workload wl_embeddingbag = {
    .name = "embeddingbag",
    .suite = "2026",
    .pattern = "rows of 256 bytes gathered from a large table, a few of them very often",
    .sizes = {"16,384 rows, 512 bags", "131,072 rows, 16,384 bags", "262,144 rows, 131,072 bags"},
    .ptx = wl_ptx_embeddingbag,
    .run = run,
};
