// Page view count.
#include "mars/mars.h"
#include <stdlib.h>
#include <string.h>

WL_PTX(mars_pvc);

struct view {
  const uint8_t *key;
  int bytes, address;
};

static int by_key(const void *a, const void *b) {
  const struct view *x = a, *y = b;
  return mars_string_order(x->key, x->bytes, y->key, y->bytes);
}

// Visitors of each address in the order of the addresses; returns the number of addresses.
static int reference(struct wl_run *r, const struct mars_lines *l, int *visitors) {
  struct view *views = WL_NEW(r, struct view, l->count);
  for (int i = 0; i < l->count; i++) {
    const char *line = (const char *)l->text + l->start[i], *tab = strchr(line, '\t');
    views[i] = (struct view){(const uint8_t *)line, (int)(strchr(tab + 1, '\t') - line), (int)(tab - line)};
  }
  qsort(views, (size_t)l->count, sizeof *views, by_key);
  int addresses = 0;
  for (int i = 0; i < l->count; i++) {
    const struct view *v = &views[i], *before = v - 1;
    if (i > 0 && by_key(before, v) == 0) continue;
    if (i == 0 || mars_string_order(before->key, before->address, v->key, v->address) != 0)
      visitors[addresses++] = 0;
    visitors[addresses - 1]++;
  }
  return addresses;
}

static bool run(struct wl_run *r) {
  static const long sizes[WL_SIZES] = {40000, 200000, 3000000};
  struct mars_lines l = mars_views(r, sizes[r->size]);
  int n = l.count;
  CUdeviceptr d_text = WL_UP(r, l.text, l.start[n]), d_start = WL_UP(r, l.start, n + 1), starts;
  CUdeviceptr d_place = WL_DEV(r, int, n + 1), records = mars_records(r, n);
  MARS_EACH(r, "pvc_map_count", n, &d_text, &d_start, &n, &d_place);
  CUdeviceptr keys = WL_DEV(r, uint8_t, mars_scan(r, d_place, n));
  MARS_EACH(r, "pvc_map", n, &d_text, &d_start, &d_place, &n, &keys, &records);
  mars_sort(r, records, keys, n);
  int different = mars_group(r, records, keys, n, &starts);

  // Keys sorted by address and visitor are sorted by address.
  CUdeviceptr unique = WL_DEV(r, struct mars_record, different);
  MARS_EACH(r, "pvc_unique", different, &records, &starts, &different, &unique);
  int groups = mars_group(r, unique, keys, different, &starts);
  CUdeviceptr d_visitors = WL_DEV(r, int, groups);
  MARS_EACH(r, "pvc_reduce", groups, &unique, &starts, &groups, &d_visitors);

  int *want = WL_NEW(r, int, n), addresses = reference(r, &l, want);
  if (groups != addresses) return wl_mismatch(r, "%d addresses found, there are %d", groups, addresses);
  return wl_same_i32(r, "visitors", WL_DOWN(r, int, d_visitors, groups), want, groups);
}

const struct workload wl_mars_pvc = {
    .name = "pvc",
    .suite = "Mars",
    .pattern = "a thread parses a line of text byte by byte; sort with string comparisons",
    .sizes = {"40 KB log", "200 KB log", "3 MB log"},
    .ptx = wl_ptx_mars_pvc,
    .run = run,
};
