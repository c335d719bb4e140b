/* Greedy, then round robin: the warp that issued last as long as it can, otherwise the nearest ready one in a lower slot, wrapping around
 * to the highest. An H200 does so (docs/h200.md). */
#include "sm/sm.h"

#include <stdlib.h>

struct grr {
  unsigned last;
};

static void *create(const struct cfg *cfg, unsigned n_warps, uint64_t *stats) {
  (void)stats;
  (void)cfg;
  (void)n_warps;
  return must_alloc(sizeof(struct grr));
}

static unsigned pick(void *state, uint64_t ready, const struct sm_warp_view *warps) {
  struct grr *s = state;
  (void)warps;
  uint64_t upto = ready & ((UINT64_C(2) << s->last) - 1);
  s->last = 63 - (unsigned)__builtin_clzll(upto ? upto : ready);
  return s->last;
}

const struct sm_scheduler sm_grr = {
    .policy = {.name = "grr", .meaning = "greedy, then round robin"},
    .create = create, .destroy = free, .pick = pick};
