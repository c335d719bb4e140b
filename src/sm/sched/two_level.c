/* Two-level scheduling: a small active set is scheduled round robin. When none of the set is ready, a ready warp from outside replaces one
 * of the set. After Narasiman et al. (MICRO 2011) in the form common to simulators: membership changes when warps stall, not by fetch
 * group. */
#include "sm/sm.h"

#include <stdlib.h>

struct two_level {
  uint64_t active;
  unsigned last, size;
};

static const struct cfg_key keys[] = {
    {"sm.two_level_active", CFG_INT, "8", 1, SM_MAX_WARPS, NULL, "warps", "warps in a scheduler's active set (sm.scheduler = two-level)"},
    {0},
};

static void *create(const struct cfg *cfg, unsigned n_warps, uint64_t *stats) {
  (void)stats;
  (void)n_warps;
  struct two_level *s = must_alloc(sizeof *s);
  s->size = (unsigned)cfg_int(cfg, "sm.two_level_active");
  return s;
}

static unsigned next_after(uint64_t set, unsigned last) {
  uint64_t after = last < 63 ? set & ~((UINT64_C(2) << last) - 1) : 0;
  return (unsigned)__builtin_ctzll(after ? after : set);
}

static unsigned pick(void *state, uint64_t ready, const struct sm_warp_view *warps) {
  struct two_level *s = state;
  (void)warps;
  if (!(s->active & ready)) {
    unsigned comes = next_after(ready, s->last);
    if ((unsigned)__builtin_popcountll(s->active) >= s->size) s->active &= ~(UINT64_C(1) << next_after(s->active, s->last));
    s->active |= UINT64_C(1) << comes;
  }
  s->last = next_after(s->active & ready, s->last);
  return s->last;
}

const struct sm_scheduler sm_two_level = {
    .policy = {.name = "two-level", .meaning = "round robin over a small active set",
               .paper = "Narasiman et al.: Improving GPU performance via large warps and two-level warp scheduling, MICRO 2011",
               .keys = keys},
    .create = create, .destroy = free, .pick = pick};
