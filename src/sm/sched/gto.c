/* Greedy, then oldest: the warp that issued last as long as it can, otherwise the oldest ready one. */
#include "sm/sm.h"

#include <stdlib.h>

struct gto {
  unsigned last;
  uint64_t last_age; /* the slot may hold another warp by now */
};

static void *create(const struct cfg *cfg, unsigned n_warps, uint64_t *stats) {
  (void)stats;
  (void)cfg;
  (void)n_warps;
  struct gto *s = must_alloc(sizeof *s);
  s->last_age = UINT64_MAX;
  return s;
}

static unsigned pick(void *state, uint64_t ready, const struct sm_warp_view *warps) {
  struct gto *s = state;
  if (ready >> s->last & 1 && warps[s->last].age == s->last_age) return s->last;
  unsigned best = (unsigned)__builtin_ctzll(ready);
  for (uint64_t left = ready & (ready - 1); left; left &= left - 1) {
    unsigned i = (unsigned)__builtin_ctzll(left);
    if (warps[i].age < warps[best].age) best = i;
  }
  s->last = best;
  s->last_age = warps[best].age;
  return best;
}

const struct sm_scheduler sm_gto = {
    .policy = {.name = "gto", .meaning = "greedy, then oldest",
               .paper = "Rogers, O'Connor, Aamodt: Cache-conscious wavefront scheduling, MICRO 2012"},
    .create = create, .destroy = free, .pick = pick};
