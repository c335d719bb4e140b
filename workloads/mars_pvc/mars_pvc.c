// Page view count over a log of lines "address, tab, visitor, tab, session".
#include "mars/mapreduce.h"
#include <stdio.h>
#include <string.h>

WL_PTX(mars_pvc);

enum { LONGEST = 80 };

// Key and value as on the device.
struct pvc_key {
  CUdeviceptr text;
  int place, hash;
};

struct pvc_value {
  int bytes, pass;
};

static int hash(const char *from, int bytes) {
  int h = bytes;
  for (int i = 0; i < bytes; i++) h = (int)((unsigned)h << 4) ^ (h >> 28) ^ (signed char)from[i];
  return h;
}

// By hash, then by the strings in the text, which `text` has.
static int order(const void *text, const char *a, const char *b) {
  struct pvc_key x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  if (x.hash != y.hash) return x.hash > y.hash ? 1 : -1;
  int strings = strcmp((const char *)text + x.place, (const char *)text + y.place);
  return (strings > 0) - (strings < 0);
}

static int make_line(struct wl_rng *rng, char *to) {
  uint32_t page = wl_below(rng, 1024), a = wl_below(rng, 256), b = wl_below(rng, 256), c = wl_below(rng, 256), d = wl_below(rng, 256);
  return 1 + snprintf(to, LONGEST, "http://www.abcdefg.com/%u.html\t%u.%u.%u.%u\t%u", page, a, b, c, d, wl_below(rng, 1000));
}

// The first pass's result: all lines, with their hashes and, before the reduction, the first pass's number.
static struct mr_records lines(struct wl_run *r, const struct mr_records *in, const char *text, int hashed, int pass) {
  struct mr_records to = mr_room(r, in->count, sizeof(struct pvc_key), sizeof(struct pvc_value));
  for (int i = 0; i < in->count; i++) {
    struct pvc_key key;
    struct pvc_value value;
    memcpy(&key, in->key + in->record[i].key, sizeof key);
    memcpy(&value, in->value + in->record[i].value, sizeof value);
    key.hash = hashed ? hash(text + key.place, value.bytes) : 0;
    value.pass = pass;
    mr_add(&to, &key, sizeof key, &value, sizeof value);
  }
  return to;
}

// The second pass's result: the addresses with the places of their visitors. The tabs in the text become 0, as on the device.
static struct mr_records addresses(struct wl_run *r, const struct mr_records *in, char *text) {
  struct mr_records to = mr_room(r, in->count, sizeof(struct pvc_key), sizeof(int));
  for (int i = 0; i < in->count; i++) {
    struct pvc_key key;
    memcpy(&key, in->key + in->record[i].key, sizeof key);
    char *line = text + key.place, *tab = strchr(line, '\t');
    *strchr(tab + 1, '\t') = 0;
    *tab = 0;
    int bytes = (int)(tab - line) + 1, visitor = key.place + bytes;
    key.hash = hash(line, bytes);
    mr_add(&to, &key, sizeof key, &visitor, sizeof visitor);
  }
  return to;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {800, 5000, 1000000};
  int n = sizes[r->size], bytes = 0;
  char *text = WL_NEW(r, char, (long)n * LONGEST);
  struct mr_records in = mr_room(r, n, sizeof(struct pvc_key), sizeof(struct pvc_value));
  for (int i = 0; i < n; i++) bytes += make_line(&r->rng, text + bytes);
  struct pvc_key key = {.text = WL_UP(r, text, bytes)};
  for (struct pvc_value value; key.place < bytes; key.place += value.bytes) {
    value = (struct pvc_value){(int)strlen(text + key.place) + 1, 0};
    mr_add(&in, &key, sizeof key, &value, sizeof value);
  }
  struct mr_device mapped = mr_map(r, "pvc", mr_up(r, &in));
  struct mr_groups groups = mr_group(r, &mapped);
  struct mr_records want = lines(r, &in, text, 1, 0);
  if (!mr_same(r, &mapped, &groups, &want, order, text)) return false;

  struct mr_device reduced = mr_reduce(r, "pvc", mapped, groups);
  struct mr_records second = mr_down(r, &reduced), want_first = lines(r, &in, text, 1, 1);
  mr_release(r, &reduced);
  struct mr_device views = mr_map(r, "pvc", mr_up(r, &second));
  struct mr_groups pages = mr_group(r, &views);
  if (second.count != groups.count) return wl_mismatch(r, "%d lines go into the second pass, not %d", second.count, groups.count);
  want = addresses(r, &want_first, text);
  return mr_same(r, &views, &pages, &want, order, text);
}

const struct workload wl_mars_pvc = {
    .name = "pvc",
    .suite = "Mars",
    .pattern = "a thread hashes a line of text byte by byte; sort by hash, then by the lines, through places; two passes",
    .sizes = {"800 lines", "5,000 lines", "1,000,000 lines"},
    .ptx = wl_ptx_mars_pvc,
    .run = run,
};
