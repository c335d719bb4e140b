// String match: a list of short words, a word a line, over and over; one of the words is looked for.
#include "mars/mapreduce.h"
#include <string.h>

WL_PTX(mars_sm);

// The text repeats a sample of 165 lines; a piece ends with the first line that ends behind PIECE bytes. The last task's walk goes on
// behind the text until a line ends there.
enum { SAMPLE = 1024, PIECE = 1024 };

static const char keyword[] = "hen";

// A list of 28 words, over and over: runs of it that begin here and there. The keyword stands in it twice; one word has two letters and
// another one letter in common with it.
static int make_sample(char *to) {
  static const char *const list[28] = {"fox", "meadow", "hen", "mountain", "rain", "blackberry", "orchard", "cornfold", "barley",
                                       "hedgehogs", "hem", "hen", "goldfinch", "oaks", "maple", "river", "hut", "bee", "stone",
                                       "lake", "moss", "ivy", "cloud", "grass", "pine", "ant", "spring", "heath"};
  static const struct { int first, words; } runs[] = {{0, 28}, {7, 2}, {2, 7}, {5, 1}, {1, 27}, {14, 1}, {1, 27},
                                                      {1, 1}, {10, 18}, {14, 1}, {1, 27}, {14, 1}, {1, 24}};
  char *at = to;
  for (size_t run = 0; run < sizeof runs / sizeof *runs; run++)
    for (int i = 0; i < runs[run].words; i++) at = stpcpy(stpcpy(at, list[runs[run].first + i]), "\n");
  return (int)(at - to);
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
  long bytes = sizes[r->size], behind = r->size == WL_SMALL ? 256 : 17600, count = 0;
  char *text = WL_NEW(r, char, bytes + behind + 1), sample[2 * SAMPLE];
  int used = make_sample(sample);
  if (used != SAMPLE) wl_fail(r, "the sample has %d bytes", used);
  for (long at = 0; at < bytes; at += SAMPLE) memcpy(text + at, sample, SAMPLE);
  memset(text + bytes, 'x', (size_t)behind - 1);
  text[bytes + behind - 1] = '\n';
  CUdeviceptr key[2] = {WL_UP(r, text, bytes + behind), WL_UP(r, keyword, sizeof keyword)};
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
