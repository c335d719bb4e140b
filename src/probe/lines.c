/* Probe "lines": how much of an L1D line is used before it is evicted.
 *
 * reused: lines by how many of their four 32-byte chunks loads asked for after the one that fetched the line, whether
 * again or for the first time (tag-split cache paper, figure 1). used: lines by how many of their sub-blocks any load
 * asked for, including the one that fetched the line (data-filtering thesis, figures 2.1 to 2.3). used_share is the
 * mean over lines of the share of sub-blocks, used_bytes_share that of single bytes. */
#include "base/arena.h"
#include "probe/generation.h"

#include <stdlib.h>

enum { COUNTS = MEM_SECTORS + 1 };

struct lines {
  struct generations g;
  uint64_t reused[COUNTS], used[COUNTS], bytes;
};

static void ended(void *user, const struct generation *g) {
  struct lines *s = user;
  s->reused[__builtin_popcount(g->reused)]++;
  s->used[__builtin_popcount(g->used)]++;
  s->bytes += (unsigned)(__builtin_popcountll(g->bytes.b[0]) + __builtin_popcountll(g->bytes.b[1]));
}

static void *create(const struct probe_shape *shape) {
  struct lines *s = must_alloc(sizeof *s);
  generations_init(&s->g, shape, ended, s);
  return s;
}

static void destroy(void *state) {
  struct lines *s = state;
  generations_free(&s->g);
  free(s);
}

static void access_line(void *state, const struct mem_seen_access *a) { generations_access(&((struct lines *)state)->g, a); }
static void kernel_end(void *state, const struct probe_kernel *k) {
  (void)k;
  generations_end(&((struct lines *)state)->g);
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  static const char *const reused[] = {"0", "1/4", "2/4", "3/4", "4/4"}, *const used[] = {"32B", "64B", "96B", "128B"};
  struct lines all = {0};
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct lines *s = states[i];
    for (unsigned k = 0; k < COUNTS; k++) all.reused[k] += s->reused[k], all.used[k] += s->used[k];
    all.bytes += s->bytes;
  }
  uint64_t lines = 0, sectors = 0;
  for (unsigned k = 0; k < COUNTS; k++) lines += all.used[k], sectors += k * all.used[k];
  uint64_t quarter = all.reused[1], some = lines - all.reused[0];
  json_t *o = json_object();
  json_object_set_new(o, "lines", json_integer((json_int_t)lines));
  probe_put_shares(o, "reused", all.reused, reused, COUNTS);
  probe_put_shares(o, "used", all.used + 1, used, MEM_SECTORS);
  json_object_set_new(o, "quarter_of_reused", json_real(probe_ratio(quarter, some)));
  json_object_set_new(o, "used_share", json_real(probe_ratio(sectors, lines * MEM_SECTORS)));
  json_object_set_new(o, "used_bytes_share", json_real(probe_ratio(all.bytes, lines * MEM_LINE)));
  return o;
}

const struct probe probe_lines = {.name = "lines",
                                  .meaning = "parts of each L1D line that are used, and reused, before its eviction",
                                  .create = create,
                                  .destroy = destroy,
                                  .events.access = access_line,
                                  .kernel_end = kernel_end,
                                  .report = report};
