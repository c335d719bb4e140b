/* Round robin: each SM in turn gets one CTA, and afterwards whichever SM has a free slot. Two-level does the same,
 * but SMs are asked one from each cluster in turn, so that consecutive CTAs go to different clusters first. */
#include "gpu/cta_sched.h"

#include "base/arena.h"

#include <stdlib.h>

struct turns {
  uint64_t next, total;
};

static void *create(const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e) {
  (void)cfg;
  (void)place;
  (void)e;
  return must_alloc(sizeof(struct turns));
}

static void begin(void *state, uint64_t ctas) { *(struct turns *)state = (struct turns){0, ctas}; }

static uint64_t next(void *state, uint32_t sm) {
  struct turns *s = state;
  (void)sm;
  return s->next < s->total ? s->next++ : GPU_NO_CTA;
}

const struct gpu_cta_sched cta_round_robin = {.policy = {.name = "round-robin", .meaning = "each SM in turn gets one CTA"},
                                              .create = create, .destroy = free, .begin = begin, .next = next};
const struct gpu_cta_sched cta_two_level = {.policy = {.name = "two-level", .meaning = "round robin over clusters, then over their SMs"},
                                            .clusters_first = true,
                                            .create = create, .destroy = free, .begin = begin, .next = next};
