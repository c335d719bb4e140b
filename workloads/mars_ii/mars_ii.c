// Inverted index of the links in a collection of web pages.
#include "common/inputs.h"
#include "mars/mars.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(mars_ii);

enum { PIECE = 1024, PAGE = 16 * 1024, ROOM = 64, MARK = 9 };

struct link {
  const uint8_t *address;
  int length, page;
};

// Text in which about every 500 bytes a link replaces what was there; links do not cross a page's end.
static uint8_t *make_pages(struct wl_run *r, int bytes) {
  uint8_t *text = wl_text(r, bytes + ROOM);
  memset(text + bytes, 0, ROOM);
  for (int at = (int)wl_below(&r->rng, 500); at + ROOM < bytes; at += ROOM + (int)wl_below(&r->rng, 900)) {
    if (at / PAGE != (at + ROOM) / PAGE) continue;
    char link[ROOM];
    uint32_t site = wl_below(&r->rng, 1 + wl_below(&r->rng, 3000));
    int length = snprintf(link, sizeof link, "<a href=\"http://www.s%u.com/%c.html\">", site % 700,
                          'a' + (int)(site % 26));
    memcpy(text + at, link, (size_t)length);
  }
  return text;
}

static int by_address(const void *a, const void *b) {
  const struct link *x = a, *y = b;
  int order = mars_string_order(x->address, x->length, y->address, y->length);
  return order != 0 ? order : x->page - y->page;
}

// Links in order of address and page; returns their number.
static int reference(const uint8_t *text, int bytes, struct link *links) {
  int count = 0;
  for (int at = 0; at < bytes; at++) {
    if (memcmp(text + at, "<a href=\"", MARK) != 0) continue;
    const uint8_t *address = text + at + MARK;
    int length = (int)((const uint8_t *)strchr((const char *)address, '"') - address);
    links[count++] = (struct link){address, length, at / PAGE};
  }
  qsort(links, (size_t)count, sizeof *links, by_address);
  return count;
}

// The lists must have the same pages, and the groups must begin where the address changes.
static bool check(struct wl_run *r, const uint8_t *text, int bytes, const int *pages, int found,
                  const int *starts, int groups) {
  struct link *links = WL_NEW(r, struct link, bytes / ROOM + 1);
  int count = reference(text, bytes, links), different = 0;
  if (found != count) return wl_mismatch(r, "%d links found, there are %d", found, count);
  int *want = WL_NEW(r, int, count), *begins = WL_NEW(r, int, count + 1);
  for (int i = 0; i < count; i++) {
    const struct link *l = &links[i], *before = l - 1;
    want[i] = l->page;
    if (i == 0 || mars_string_order(before->address, before->length, l->address, l->length) != 0)
      begins[different++] = i;
  }
  begins[different] = count;
  if (groups != different) return wl_mismatch(r, "%d addresses found, there are %d", groups, different);
  return wl_same_i32(r, "start", starts, begins, groups + 1) && wl_same_i32(r, "page", pages, want, count);
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {128 * 1024, 1024 * 1024, 28 * 1024 * 1024};
  int bytes = sizes[r->size], piece = PIECE, page = PAGE, pieces = (int)wl_blocks(bytes, PIECE);
  uint8_t *text = make_pages(r, bytes);

  CUdeviceptr d_text = WL_UP(r, text, bytes + ROOM), starts;
  CUdeviceptr d_links = WL_DEV(r, int, pieces + 1), d_letters = WL_DEV(r, int, pieces + 1);
  MARS_EACH(r, "ii_map_count", pieces, &d_text, &bytes, &piece, &pieces, &d_links, &d_letters);
  int count = mars_scan(r, d_links, pieces);
  CUdeviceptr keys = WL_DEV(r, uint8_t, mars_scan(r, d_letters, pieces)), records = mars_records(r, count);
  MARS_EACH(r, "ii_map", pieces, &d_text, &bytes, &piece, &pieces, &page, &d_links, &d_letters, &keys,
            &records);
  mars_sort(r, records, keys, count);
  int groups = mars_group(r, records, keys, count, &starts);
  CUdeviceptr d_pages = WL_DEV(r, int, count);
  MARS_EACH(r, "ii_reduce", count, &records, &count, &d_pages);
  return check(r, text, bytes, WL_DOWN(r, int, d_pages, count), count, WL_DOWN(r, int, starts, groups + 1),
               groups);
}

const struct workload wl_mars_ii = {
    .name = "ii",
    .suite = "Mars",
    .pattern = "a thread scans its own 1 KB of text for links: 32 lines a load; sort of strings",
    .sizes = {"128 KB of pages", "1 MB of pages", "28 MB of pages"},
    .ptx = wl_ptx_mars_ii,
    .run = run,
};
