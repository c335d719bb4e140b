// Page view rank: the host makes a log of lines "address, tab, views" and hands the device views and place of each line.
#include "mars/mapreduce.h"
#include <stdio.h>
#include <string.h>

WL_PTX(mars_pvr);

// Most viewed first.
static int order(const void *with, const char *a, const char *b) {
  (void)with;
  int x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x < y) - (x > y);
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {1000, 20000, 500000};
  int n = sizes[r->size], place = 0;
  struct mr_records in = mr_room(r, n, sizeof(int), sizeof(int));
  for (int i = 0; i < n; i++) {
    uint32_t page = wl_below(&r->rng, 1024), views = wl_below(&r->rng, 1u << 31);
    mr_add(&in, &views, sizeof views, &place, sizeof place);
    place += snprintf(NULL, 0, "http://www.abcdefg.com/%u.html\t%u\n", page, views);
  }
  struct mr_device records = mr_map(r, "pvr", mr_up(r, &in));
  struct mr_groups groups = mr_group(r, &records);
  return mr_same(r, &records, &groups, &in, order, NULL);
}

const struct workload wl_mars_pvr = {
    .name = "pvr",
    .suite = "Mars",
    .pattern = "bitonic sort of 16-byte records whose keys are reached through places; byte copies to scattered places",
    .sizes = {"1,000 lines", "20,000 lines", "500,000 lines, 21 MB"},
    .ptx = wl_ptx_mars_pvr,
    .run = run,
};
