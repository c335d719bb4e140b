// Merge sort of keys with values; equal keys keep their order, so the result is unique.
#include "common/inputs.h"
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(mergesort);

enum { TILE = 1024, SAMPLE = 128, THREADS = 256, DIFFERENT_KEYS = 65536 };

struct pair {
  uint32_t key, value;
};

static int by_key(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->value < y->value ? -1 : 1;
}

struct buffers {
  CUdeviceptr keys, values;
};

// Device memory of the samples' places and of the intervals they give, for the two runs of a pair.
struct cuts {
  CUdeviceptr ranks[2], limits[2];
};

static void merge_runs(struct wl_run *r, struct cuts *c, struct buffers *from, struct buffers *to, uint32_t run_length, uint32_t n) {
  uint32_t threads = n / (2 * SAMPLE);
  struct wl_dim grid = wl_1d(wl_blocks(threads, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "ms_sample_ranks", grid, block, 0, &c->ranks[0], &c->ranks[1], &from->keys, &run_length, &n, &threads);
  for (int i = 0; i < 2; i++)
    WL_LAUNCH(r, "ms_merge_ranks", grid, block, 0, &c->limits[i], &c->ranks[i], &run_length, &n, &threads);
  WL_LAUNCH(r, "ms_merge", wl_1d(n / SAMPLE), wl_1d(SAMPLE), 0, &to->keys, &to->values, &from->keys, &from->values, &c->limits[0],
            &c->limits[1], &run_length, &n);
}

static bool run(struct wl_run *r) {
  static const uint32_t counts[WL_SIZES] = {8192, 131072, 1048576};
  uint32_t n = counts[r->size], tile = TILE;
  struct pair *pairs = WL_NEW(r, struct pair, n);
  uint32_t *keys = WL_NEW(r, uint32_t, n), *values = WL_NEW(r, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    pairs[i] = (struct pair){wl_below(&r->rng, DIFFERENT_KEYS), i};
    keys[i] = pairs[i].key;
    values[i] = pairs[i].value;
  }
  CUdeviceptr d_keys = WL_UP(r, keys, n), d_values = WL_UP(r, values, n);
  struct buffers from = {WL_DEV(r, uint32_t, n), WL_DEV(r, uint32_t, n)}, to = {WL_DEV(r, uint32_t, n), WL_DEV(r, uint32_t, n)};
  struct cuts cuts;
  for (int i = 0; i < 2; i++) {
    cuts.ranks[i] = WL_DEV(r, uint32_t, n / SAMPLE);
    cuts.limits[i] = WL_DEV(r, uint32_t, n / SAMPLE);
  }
  WL_LAUNCH(r, "ms_tiles", wl_1d(n / TILE), wl_1d(TILE / 2), 0, &from.keys, &from.values, &d_keys, &d_values, &tile);
  for (uint32_t run_length = TILE; run_length < n; run_length *= 2) {
    merge_runs(r, &cuts, &from, &to, run_length, n);
    struct buffers sorted = to;
    to = from;
    from = sorted;
  }
  qsort(pairs, n, sizeof *pairs, by_key);
  for (uint32_t i = 0; i < n; i++) {
    keys[i] = pairs[i].key;
    values[i] = pairs[i].value;
  }
  bool ok = wl_same_u32(r, "key", WL_DOWN(r, uint32_t, from.keys, n), keys, n);
  return wl_same_u32(r, "value", WL_DOWN(r, uint32_t, from.values, n), values, n) && ok;
}

const struct workload wl_mergesort = {
    .name = "mergesort",
    .suite = "SDK",
    .pattern = "pieces of sorted runs streamed through shared memory; samples found by binary searches in global memory",
    .sizes = {"8,192 pairs", "131,072 pairs", "1,048,576 pairs"},
    .ptx = wl_ptx_mergesort,
    .run = run,
};
