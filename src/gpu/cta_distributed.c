/* Distributed CTA scheduling of the multi-chip-module GPU (Arunkumar et al., ISCA 2017): each cluster has a
 * contiguous range of the grid, so that neighbouring CTAs share what is near to them. */
#include "gpu/cta_sched.h"

#include "base/arena.h"

#include <stdlib.h>

struct ranges {
  uint32_t clusters, each; /* SMs of a cluster */
  struct range {
    uint64_t next, end;
  } of[];
};

static void *create(const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e) {
  (void)cfg;
  (void)e;
  struct ranges *s = must_alloc(sizeof *s + place->clusters * sizeof *s->of);
  s->clusters = place->clusters;
  s->each = place->sms / place->clusters;
  return s;
}

static void begin(void *state, uint64_t ctas) {
  struct ranges *s = state;
  for (uint32_t c = 0; c < s->clusters; c++) s->of[c] = (struct range){ctas * c / s->clusters, ctas * (c + 1) / s->clusters};
}

static uint64_t next(void *state, uint32_t sm) {
  struct ranges *s = state;
  struct range *r = &s->of[sm / s->each];
  return r->next < r->end ? r->next++ : GPU_NO_CTA;
}

const struct gpu_cta_sched cta_distributed = {
    .policy = {.name = "distributed", .meaning = "each cluster gets a contiguous range of the grid",
               .paper = "Arunkumar et al.: MCM-GPU: multi-chip-module GPUs for continued performance scalability, ISCA 2017"},
    .clusters_first = true, .cluster_parts = true,
    .create = create, .destroy = free, .begin = begin, .next = next};
