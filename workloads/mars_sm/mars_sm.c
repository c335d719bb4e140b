// String match: the places of a keyword in a text.
#include "common/inputs.h"
#include "mars/mars.h"
#include <string.h>

WL_PTX(mars_sm);

enum { PIECE = 512, LENGTH = 4 };

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {64 * 1024, 1024 * 1024, 4 * 1024 * 1024};
  int bytes = sizes[r->size], pieces = (int)wl_blocks(bytes, PIECE), piece = PIECE, length = LENGTH;
  uint8_t *text = wl_text(r, bytes + LENGTH), keyword[LENGTH];
  memset(text + bytes, 0, LENGTH);
  memcpy(keyword, text + bytes / 2, LENGTH);

  CUdeviceptr d_text = WL_UP(r, text, bytes + LENGTH), d_keyword = WL_UP(r, keyword, LENGTH);
  CUdeviceptr d_place = WL_DEV(r, int, pieces + 1);
  MARS_EACH(r, "sm_map_count", pieces, &d_text, &bytes, &piece, &d_keyword, &length, &pieces, &d_place);
  int total = mars_scan(r, d_place, pieces);
  CUdeviceptr d_where = WL_DEV(r, int, total);
  MARS_EACH(r, "sm_map", pieces, &d_text, &bytes, &piece, &d_keyword, &length, &pieces, &d_place, &d_where);

  int *want = WL_NEW(r, int, bytes), found = 0;
  for (int at = 0; at < bytes; at++)
    if (memcmp(text + at, keyword, LENGTH) == 0) want[found++] = at;
  if (total != found) return wl_mismatch(r, "%d matches found, there are %d", total, found);
  return wl_same_i32(r, "place", WL_DOWN(r, int, d_where, total), want, total);
}

const struct workload wl_mars_sm = {
    .name = "sm",
    .suite = "Mars",
    .pattern = "a thread scans its own 512 bytes of text: 32 lines a load, one byte of each",
    .sizes = {"64 KB text", "1 MB text", "4 MB text"},
    .ptx = wl_ptx_mars_sm,
    .run = run,
};
