// What the recorded km and pvr share on the host: launching the kernels of recorded_mars.cuh (which their module
// must hold), and the log that pvr reads.
#ifndef RECORDED_MARS_H
#define RECORDED_MARS_H

#include "common/wl.h"
#include <stdio.h>

enum { MARS_THREADS = 256 };

// A record as in recorded_mars.cuh.
struct mars_record {
  int key, bytes, value, spare;
};

// Launches a kernel with a thread an item; the rest are the addresses of its arguments.
#define MARS_EACH(r, kernel, items, ...)                                                                     \
  WL_LAUNCH((r), (kernel), wl_1d(wl_blocks((items), MARS_THREADS)), wl_1d(MARS_THREADS), 0, __VA_ARGS__)

// Text in lines, with the place of each line (and, behind the last, the end).
struct mars_lines {
  uint8_t *text;
  int *start;
  int count;
};

enum { TILE = 2 * MARS_THREADS };

static inline void scan(struct wl_run *r, CUdeviceptr data, int n) {
  int blocks = (int)wl_blocks(n, MARS_THREADS);
  CUdeviceptr sums = WL_DEV(r, int, blocks);
  WL_LAUNCH(r, "mars_scan_tile", wl_1d(blocks), wl_1d(MARS_THREADS), 0, &data, &sums, &n);
  if (blocks == 1) return;
  scan(r, sums, blocks);
  WL_LAUNCH(r, "mars_scan_add", wl_1d(blocks), wl_1d(MARS_THREADS), 0, &data, &sums, &n);
}

static inline int mars_scan(struct wl_run *r, CUdeviceptr counts, int n) {
  int total;
  CUdeviceptr last = counts + (size_t)n * sizeof(int);
  CU(r, cuMemsetD32(last, 0, 1));
  scan(r, counts, n + 1);
  WL_GET(r, &total, last, 1);
  return total;
}

static inline int padded(int count) {
  int room = TILE;
  while (room < count) room *= 2;
  return room;
}

static inline CUdeviceptr mars_records(struct wl_run *r, int count) {
  CUdeviceptr records = WL_DEV(r, struct mars_record, padded(count));
  CU(r, cuMemsetD32(records, 0xffffffffu, 4 * (size_t)padded(count)));
  return records;
}

static inline void mars_sort(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int count) {
  int n = padded(count), first = 2, last = TILE;
  struct wl_dim tiles = wl_1d(n / TILE), block = wl_1d(MARS_THREADS);
  WL_LAUNCH(r, "mars_sort_tile", tiles, block, 0, &records, &keys, &first, &last);
  for (int width = 2 * TILE; width <= n; width *= 2) {
    for (int stride = width / 2; stride >= TILE; stride /= 2)
      WL_LAUNCH(r, "mars_sort_step", tiles, block, 0, &records, &keys, &width, &stride);
    WL_LAUNCH(r, "mars_sort_tile", tiles, block, 0, &records, &keys, &width, &width);
  }
}

static inline int mars_group(struct wl_run *r, CUdeviceptr records, CUdeviceptr keys, int count, CUdeviceptr *starts) {
  CUdeviceptr marks = WL_DEV(r, int, count + 1);
  MARS_EACH(r, "mars_mark", count, &records, &keys, &count, &marks);
  int groups = mars_scan(r, marks, count);
  *starts = WL_DEV(r, int, groups + 1);
  MARS_EACH(r, "mars_starts", count, &marks, &count, starts);
  WL_PUT(r, *starts + (size_t)groups * sizeof(int), &count, 1);
  return groups;
}

// ---- logs ----

// An address: one in a few hundred sites, one in a few pages; low numbers are drawn most often.
static inline int draw_address(struct wl_rng *rng, char *to, size_t room) {
  uint32_t site = wl_below(rng, 1 + wl_below(rng, 1 + wl_below(rng, 400)));
  uint32_t page = wl_below(rng, 1 + wl_below(rng, 12));
  return snprintf(to, room, "http://www.%c%c%u.org/%c/page%u", 'a' + (int)(site * 7 % 26),
                  'a' + (int)(site * 11 % 26), site, 'a' + (int)(page * 5 % 26), page);
}

static inline struct mars_lines make_lines(struct wl_run *r, long bytes,
                                    int (*make)(struct wl_rng *, char *, size_t)) {
  enum { LONGEST = 128, SHORTEST = 24 };
  struct mars_lines l = {.text = WL_NEW(r, uint8_t, bytes + LONGEST),
                         .start = WL_NEW(r, int, bytes / SHORTEST + 2)};
  int at = 0;
  while (at < bytes) {
    l.start[l.count++] = at;
    at += make(&r->rng, (char *)l.text + at, LONGEST);
  }
  l.start[l.count] = at;
  return l;
}

static inline int make_rank(struct wl_rng *rng, char *to, size_t room) {
  int used = draw_address(rng, to, room);
  return used + snprintf(to + used, room - (size_t)used, "\t%u\n", wl_below(rng, 1 + wl_below(rng, 100000)));
}

static inline struct mars_lines mars_ranks(struct wl_run *r, long bytes) {
  return make_lines(r, bytes, make_rank);
}

#endif
