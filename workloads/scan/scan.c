// Exclusive prefix sums: the numbers as arrays of every power of two from 4 to 262,144, one length after the other.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(scan);

enum { THREADS = 256, TILE = 4 * THREADS, LONGEST = THREADS * TILE };

struct scan_memory {
  CUdeviceptr in, out, tops;
};

static void scan(struct wl_run *r, struct scan_memory *m, uint32_t n, uint32_t length) {
  struct wl_dim grid = wl_1d(n / TILE), block = wl_1d(THREADS);
  uint32_t tile = length < TILE ? length : TILE, tiles = n / TILE, each = length / TILE;
  WL_LAUNCH(r, "scan_tiles", grid, block, 0, &m->out, &m->in, &tile);
  if (length <= TILE) return;
  WL_LAUNCH(r, "scan_tops", wl_1d(wl_blocks(tiles, THREADS)), block, 0, &m->tops, &m->out, &m->in, &tiles, &each);
  WL_LAUNCH(r, "scan_update", grid, block, 0, &m->out, &m->tops);
}

static bool run(struct wl_run *r) {
  static const uint32_t counts[WL_SIZES] = {32768, 524288, 6815744};
  uint32_t n = counts[r->size], *in = WL_NEW(r, uint32_t, n), *want = WL_NEW(r, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) in[i] = wl_below(&r->rng, 1u << 31);
  struct scan_memory m = {WL_UP(r, in, n), WL_DEV(r, uint32_t, n), WL_DEV(r, uint32_t, n / TILE)};
  for (uint32_t length = 4; length <= n && length <= LONGEST; length *= 2) {
    scan(r, &m, n, length);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
      if (i % length == 0) sum = 0;
      want[i] = sum;
      sum += in[i];
    }
    if (!wl_same_u32(r, "sum", WL_DOWN(r, uint32_t, m.out, n), want, n)) return false;
  }
  return true;
}

const struct workload wl_scan = {
    .name = "scan",
    .suite = "SDK",
    .pattern = "16-byte words streamed through a scan in shared memory, read again to add the tiles' sums",
    .sizes = {"32,768 numbers", "524,288 numbers", "6,815,744 numbers"},
    .ptx = wl_ptx_scan,
    .run = run,
};
