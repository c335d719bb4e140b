// String match: a list of short words, a word a line, over and over; one of the words is looked for.
#include "mars/mapreduce.h"
#include <string.h>

WL_PTX(mars_sm);

// The text repeats a sample of 165 lines; a piece ends with the first line that ends behind PIECE bytes. What lies behind the text keeps
// the walk of the last tasks within it.
enum { SAMPLE = 1024, PIECE = 1024, SLACK = 256 };

static const char keyword[] = "hen";

// A list of 28 words six times, every time without one of them, the last time with another end.
static int make_sample(char *to) {
  static const char *const list[28] = {"fox", "meadow", "hen", "mountain", "rain", "blackberry", "orchard", "cornfold", "barley",
                                       "hedgehogs", "owl", "elk", "goldfinch", "oaks", "maple", "river", "hen", "bee", "stone",
                                       "lake", "moss", "ivy", "cloud", "grass", "pine", "ant", "spring", "heath"};
  static const int end[] = {5, 3, 14, 15};
  int used = 0;
  for (int i = 0; i < 6 * 28; i++)
    if (i % 28 != 11 && i != 5 * 28 + 12) used += (int)(stpcpy(stpcpy(to + used, list[i % 28]), "\n") - (to + used));
  for (int i = 0; i < 4; i++) used += (int)(stpcpy(stpcpy(to + used, list[end[i]]), "\n") - (to + used));
  return used;
}

// The walk of a task on the host; adds the places where it finds the keyword, and returns how many it has found with those before.
static long reference(const char *text, long start, int bytes, int *places, long count) {
  const char *at = text + start;
  for (int seen = 0;;) {
    const char *line = at;
    at = strchr(line, '\n') + 1;
    seen += (int)(at - line) - 1;
    if (seen >= bytes) return count;
    if (at - line == sizeof keyword && !strncmp(line, keyword, sizeof keyword - 1)) places[count++] = (int)(line - text);
  }
}

static bool same(struct wl_run *r, const struct mr_records *got, const int *places, long count) {
  int *found = WL_NEW(r, int, count), *sizes = WL_NEW(r, int, count), *want_sizes = WL_NEW(r, int, count);
  if (got->count != count) return wl_mismatch(r, "%d matches, not %ld", got->count, count);
  for (int i = 0; i < count; i++) {
    memcpy(found + i, got->key + got->record[i].key, sizeof *found);
    memcpy(sizes + i, got->value + got->record[i].value, sizeof *sizes);
    want_sizes[i] = sizeof keyword;
  }
  return wl_same_i32(r, "place", found, places, count) && wl_same_i32(r, "size", sizes, want_sizes, count);
}

static bool run(struct wl_run *r) {
  static const long sizes[WL_SIZES] = {64L * SAMPLE, 1024L * SAMPLE, 4096L * SAMPLE};
  long bytes = sizes[r->size], count = 0;
  char *text = WL_NEW(r, char, bytes + SLACK + 1), sample[2 * SAMPLE];
  int used = make_sample(sample);
  if (used != SAMPLE) wl_fail(r, "the sample has %d bytes", used);
  for (long at = 0; at < bytes; at += SAMPLE) memcpy(text + at, sample, SAMPLE);
  memset(text + bytes, 'x', SLACK - 1);
  text[bytes + SLACK - 1] = '\n';
  CUdeviceptr key[2] = {WL_UP(r, text, bytes + SLACK), WL_UP(r, keyword, sizeof keyword)};
  struct mr_records in = mr_room(r, bytes / PIECE + 1, sizeof key, 4 * sizeof(int));
  int *places = WL_NEW(r, int, bytes / 4);
  for (long at = 0, end; at < bytes; at = end) {
    end = at + PIECE < bytes ? strchr(text + at + PIECE, '\n') + 1 - text : bytes;
    mr_add(&in, key, sizeof key, (int[]){sizeof keyword, (int)at, (int)(end - at), 0}, 4 * sizeof(int));
    count = reference(text, at, (int)(end - at), places, count);
  }
  struct mr_device matches = mr_map(r, "sm", mr_up(r, &in));
  struct mr_records got = mr_down(r, &matches);
  return same(r, &got, places, count);
}

const struct workload wl_mars_sm = {
    .name = "sm",
    .suite = "Mars",
    .pattern = "a thread walks over its kilobyte of text byte by byte; lanes fall apart at ends of lines and matches",
    .sizes = {"64 KB of text", "1 MB of text", "4 MB of text"},
    .ptx = wl_ptx_mars_sm,
    .run = run,
};
