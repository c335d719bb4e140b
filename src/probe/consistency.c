/* Probe "consistency": consistent and inconsistent accesses to L1D lines (data-filtering thesis, figure 2.6).
 *
 * A line's accesses are consistent if every later load asks only for sub-blocks that the load which fetched it asked
 * for, and inconsistent if one asks for another region. The class is the size of all sub-blocks that were asked for:
 * 32, 64, 96 or 128 bytes (an inconsistent line has two at least). */
#include "base/arena.h"
#include "probe/generation.h"

#include <stdlib.h>

enum { CLASSES = 7 };

struct consistency {
  struct generations g;
  uint64_t lines[CLASSES];
};

static void ended(void *user, const struct generation *g) {
  struct consistency *s = user;
  unsigned sectors = (unsigned)__builtin_popcount(g->used);
  s->lines[g->strayed ? 4 + sectors - 2 : sectors - 1]++;
}

static void *create(const struct probe_shape *shape) {
  struct consistency *s = must_alloc(sizeof *s);
  generations_init(&s->g, shape, ended, s);
  return s;
}

static void destroy(void *state) {
  struct consistency *s = state;
  generations_free(&s->g);
  free(s);
}

static void access_line(void *state, const struct mem_seen_access *a) {
  generations_access(&((struct consistency *)state)->g, a);
}
static void kernel_end(void *state, const struct probe_kernel *k) {
  (void)k;
  generations_end(&((struct consistency *)state)->g);
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  static const char *const names[] = {"CA 32B", "CA 64B", "CA 96B", "CA 128B", "ICA 64B", "ICA 96B", "ICA 128B"};
  uint64_t lines[CLASSES] = {0}, all = 0;
  (void)shape;
  for (uint32_t i = 0; i < n; i++)
    for (unsigned k = 0; k < CLASSES; k++) lines[k] += ((const struct consistency *)states[i])->lines[k];
  for (unsigned k = 0; k < CLASSES; k++) all += lines[k];
  json_t *o = json_object();
  json_object_set_new(o, "lines", json_integer((json_int_t)all));
  probe_put_shares(o, "classes", lines, names, CLASSES);
  json_object_set_new(o, "partial_consistent", json_real(probe_ratio(lines[0] + lines[1] + lines[2], all)));
  return o;
}

const struct probe probe_consistency = {.name = "consistency",
                                        .meaning = "consistent and inconsistent accesses to L1D lines, by bytes used",
                                        .create = create,
                                        .destroy = destroy,
                                        .events.access = access_line,
                                        .kernel_end = kernel_end,
                                        .report = report};
