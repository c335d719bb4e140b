/* Probe "sectors": load instructions, the 32-byte sectors that they ask L1D for, and those that they find, counted as
 * Nsight Compute does (l1tex__t_requests, l1tex__t_sectors and their lookup_hit, for global loads). If an access
 * finds only a part of its bytes, all its sectors count as missed; pending (merged) sectors are counted separately. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>

struct sectors {
  uint64_t requests, sectors, hit, merged;
};

static void *create(const struct probe_shape *shape) {
  (void)shape;
  return must_alloc(sizeof(struct sectors));
}

static void access_line(void *state, const struct mem_seen_access *a) {
  struct sectors *s = state;
  unsigned n = (unsigned)__builtin_popcount(mem_sectors_of(a->bytes));
  if (a->local) return;
  s->sectors += n;
  s->hit += a->result == MEM_SEEN_HIT ? n : 0;
  s->merged += a->result == MEM_SEEN_MERGED ? n : 0;
}

static void issue(void *state, const struct mem_seen_issue *i) {
  ((struct sectors *)state)->requests += i->class_ == MEM_SEEN_GLOBAL_LOAD;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  struct sectors all = {0};
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct sectors *s = states[i];
    all.requests += s->requests, all.sectors += s->sectors, all.hit += s->hit, all.merged += s->merged;
  }
  json_t *o = json_object();
  json_object_set_new(o, "load_requests", json_integer((json_int_t)all.requests));
  json_object_set_new(o, "load_sectors", json_integer((json_int_t)all.sectors));
  json_object_set_new(o, "load_sectors_hit", json_integer((json_int_t)all.hit));
  json_object_set_new(o, "load_sectors_merged", json_integer((json_int_t)all.merged));
  return o;
}

const struct probe probe_sectors = {.name = "sectors",
                                    .meaning = "global loads, the 32-byte sectors that they ask for, and those found in L1D",
                                    .create = create,
                                    .destroy = free,
                                    .events.access = access_line,
                                    .events.issue = issue,
                                    .report = report};
