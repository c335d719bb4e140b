// Page view rank.
#include "recorded_mars.h"
#include <stdlib.h>
#include <string.h>

WL_PTX(mars_pvr);

static int by_views(const void *a, const void *b) {
  const struct mars_record *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

// The records and addresses as the device must leave them.
static void reference(const struct mars_lines *l, struct mars_record *records, uint8_t *addresses) {
  int place = 0;
  for (int i = 0; i < l->count; i++) {
    const char *line = (const char *)l->text + l->start[i];
    int bytes = (int)(strchr(line, '\t') - line);
    records[i] = (struct mars_record){-atoi(line + bytes), 4, place, bytes};
    memcpy(addresses + place, line, (size_t)bytes);
    place += bytes;
  }
  qsort(records, (size_t)l->count, sizeof *records, by_views);
}

static bool run(struct wl_run *r) {
  static const long sizes[WL_SIZES] = {40000, 600000, 21000000};
  struct mars_lines l = mars_ranks(r, sizes[r->size]);
  int n = l.count, bytes = l.start[n];
  CUdeviceptr d_text = WL_UP(r, l.text, bytes), d_start = WL_UP(r, l.start, n + 1);
  CUdeviceptr d_place = WL_DEV(r, int, n + 1), records = mars_records(r, n), none = 0;
  MARS_EACH(r, "pvr_map_count", n, &d_text, &d_start, &n, &d_place);
  int total = mars_scan(r, d_place, n);
  CUdeviceptr d_addresses = WL_DEV(r, uint8_t, total);
  MARS_EACH(r, "pvr_map", n, &d_text, &d_start, &d_place, &n, &d_addresses, &records);
  mars_sort(r, records, none, n);

  struct mars_record *want = WL_NEW(r, struct mars_record, n);
  uint8_t *addresses = WL_NEW(r, uint8_t, bytes);
  reference(&l, want, addresses);
  bool ok = wl_same_u8(r, "address", WL_DOWN(r, uint8_t, d_addresses, total), addresses, total);
  return wl_same_i32(r, "record", WL_DOWN(r, int, records, 4 * n), (int *)want, 4L * n) && ok;
}

const struct workload wl_mars_pvr = {
    .name = "pvr",
    .suite = "Mars",
    .pattern = "a thread parses a line of text byte by byte; bitonic sort of 16-byte records",
    .sizes = {"40 KB log", "600 KB log", "21 MB log"},
    .ptx = wl_ptx_mars_pvr,
    .run = run,
};
