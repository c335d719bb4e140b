// Word count: how often each word of a text occurs, in the order of the words.
#include "common/inputs.h"
#include "mars/mars.h"
#include <stdlib.h>

WL_PTX(mars_wc);

enum { PIECE = 128 };

struct word {
  const uint8_t *letters;
  int length;
};

static int by_letters(const void *a, const void *b) {
  const struct word *x = a, *y = b;
  return mars_string_order(x->letters, x->length, y->letters, y->length);
}

// Counts in the order of the words; returns how many different words there are.
static int reference(struct wl_run *r, const uint8_t *text, int bytes, int *counts) {
  struct word *words = WL_NEW(r, struct word, bytes / 2 + 1);
  int n = 0, different = 0;
  for (int at = 0; at < bytes;) {
    int first = at;
    while (text[at] > ' ') at++;
    if (at > first) words[n++] = (struct word){text + first, at - first};
    at++;
  }
  qsort(words, (size_t)n, sizeof *words, by_letters);
  for (int i = 0; i < n; i++) {
    if (i == 0 || by_letters(&words[i - 1], &words[i]) != 0) counts[different++] = 0;
    counts[different - 1]++;
  }
  return different;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {6 * 1024, 48 * 1024, 96 * 1024};
  int bytes = sizes[r->size], piece = PIECE, pieces = (int)wl_blocks(bytes, PIECE);
  uint8_t *text = wl_text(r, bytes);
  text[bytes - 1] = ' ';

  CUdeviceptr d_text = WL_UP(r, text, bytes), starts;
  CUdeviceptr d_words = WL_DEV(r, int, pieces + 1), d_letters = WL_DEV(r, int, pieces + 1);
  MARS_EACH(r, "wc_map_count", pieces, &d_text, &bytes, &piece, &pieces, &d_words, &d_letters);
  int words = mars_scan(r, d_words, pieces);
  CUdeviceptr keys = WL_DEV(r, uint8_t, mars_scan(r, d_letters, pieces)), records = mars_records(r, words);
  MARS_EACH(r, "wc_map", pieces, &d_text, &bytes, &piece, &pieces, &d_words, &d_letters, &keys, &records);
  mars_sort(r, records, keys, words);
  int groups = mars_group(r, records, keys, words, &starts);
  CUdeviceptr d_counts = WL_DEV(r, int, groups);
  MARS_EACH(r, "wc_reduce", groups, &records, &starts, &groups, &d_counts);

  int *want = WL_NEW(r, int, bytes), different = reference(r, text, bytes, want);
  if (groups != different) return wl_mismatch(r, "%d words found, there are %d", groups, different);
  return wl_same_i32(r, "count", WL_DOWN(r, int, d_counts, groups), want, groups);
}

const struct workload wl_mars_wc = {
    .name = "wc",
    .suite = "Mars",
    .pattern = "a thread cuts its own 128 bytes into words; sort with string comparisons",
    .sizes = {"6 KB text", "48 KB text", "96 KB text"},
    .ptx = wl_ptx_mars_wc,
    .run = run,
};
