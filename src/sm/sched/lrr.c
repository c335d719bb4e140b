/* Loose round robin: the next ready warp after the one that issued last. */
#include "sm/sm.h"

#include <stdlib.h>

struct lrr {
  unsigned last;
};

static void *create(const struct cfg *cfg, unsigned n_warps, uint64_t *stats) {
  (void)stats;
  (void)cfg;
  (void)n_warps;
  return must_alloc(sizeof(struct lrr));
}

static unsigned pick(void *state, uint64_t ready, const struct sm_warp_view *warps) {
  struct lrr *s = state;
  (void)warps;
  uint64_t after = s->last < 63 ? ready & ~((UINT64_C(2) << s->last) - 1) : 0;
  s->last = (unsigned)__builtin_ctzll(after ? after : ready);
  return s->last;
}

const struct sm_scheduler sm_lrr = {
    .policy = {.name = "lrr", .meaning = "loose round robin"},
    .create = create, .destroy = free, .pick = pick};
