// Merge sort of keys with values; equal keys keep their order, so the result is unique.
#include "common/inputs.h"
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(mergesort);

enum { TILE = 1024, THREADS = 256 };

struct pair {
  uint32_t key, value;
};

static int by_key(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->value < y->value ? -1 : 1;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {8192, 131072, 1048576};
  int n = counts[r->size];
  struct pair *pairs = WL_NEW(r, struct pair, n);
  uint32_t *keys = WL_NEW(r, uint32_t, n), *values = WL_NEW(r, uint32_t, n);
  for (int i = 0; i < n; i++) {
    pairs[i] = (struct pair){wl_below(&r->rng, 1u << 24), (uint32_t)i};
    keys[i] = pairs[i].key;
    values[i] = pairs[i].value;
  }
  CUdeviceptr d_keys = WL_UP(r, keys, n), d_values = WL_UP(r, values, n);
  CUdeviceptr d_other_keys = WL_DEV(r, uint32_t, n), d_other_values = WL_DEV(r, uint32_t, n);
  CUdeviceptr d_cuts = WL_DEV(r, int, n / TILE);
  struct wl_dim grid = wl_1d(n / TILE), block = wl_1d(THREADS);
  WL_LAUNCH(r, "ms_tiles", grid, block, 0, &d_keys, &d_values);
  for (int run_length = TILE; run_length < n; run_length *= 2) {
    WL_LAUNCH(r, "ms_partition", wl_1d(wl_blocks(n / TILE, THREADS)), block, 0, &d_keys, &n, &run_length,
              &d_cuts);
    WL_LAUNCH(r, "ms_merge", grid, block, 0, &d_keys, &d_values, &d_cuts, &run_length, &d_other_keys,
              &d_other_values);
    CUdeviceptr from_keys = d_keys, from_values = d_values;
    d_keys = d_other_keys;
    d_values = d_other_values;
    d_other_keys = from_keys;
    d_other_values = from_values;
  }
  qsort(pairs, (size_t)n, sizeof *pairs, by_key);
  for (int i = 0; i < n; i++) {
    keys[i] = pairs[i].key;
    values[i] = pairs[i].value;
  }
  bool ok = wl_same_u32(r, "key", WL_DOWN(r, uint32_t, d_keys, n), keys, n);
  return wl_same_u32(r, "value", WL_DOWN(r, uint32_t, d_values, n), values, n) && ok;
}

const struct workload wl_mergesort = {
    .name = "mergesort",
    .suite = "SDK",
    .pattern = "pieces of sorted runs streamed through shared memory; a few binary searches",
    .sizes = {"8,192 pairs", "131,072 pairs", "1,048,576 pairs"},
    .ptx = wl_ptx_mergesort,
    .run = run,
};
