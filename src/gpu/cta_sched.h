/* CTA schedulers: which CTA of a grid an SM with a free slot gets next. One file behind this table, one line in cta_sched.c. A scheduler
 * only chooses; when and in which order SMs are asked is instant.c's, which grid is served first resident.c's. */
#ifndef GPU_CTA_SCHED_H
#define GPU_CTA_SCHED_H

#include "base/policy.h"

#include <stdint.h>

#define GPU_NO_CTA UINT64_MAX

struct gpu_cta_place {
  uint32_t sms, clusters; /* of the GPU; an SM belongs to cluster sm / (sms / clusters) */
  uint64_t *stats;        /* the policy's own counters (policy.stats), of the GPU; NULL: it has none */
};

struct gpu_cta_sched {
  struct policy policy;
  bool clusters_first; /* SMs are asked one of each cluster in turn rather than in order of their numbers */
  bool cluster_parts;  /* each cluster has a part of the grid: programs cannot share a cluster's SMs */
  /* There is one state for each grid that the GPU may have at once. NULL with e filled: the configuration does not fit. */
  void *(*create)(const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e);
  void (*destroy)(void *s);
  void (*begin)(void *s, uint64_t ctas);       /* a grid of so many CTAs takes the state */
  uint64_t (*next)(void *s, uint32_t sm);      /* for this SM; GPU_NO_CTA: none */
};
extern const struct policy *const gpu_cta_scheds[]; /* of gpu.cta_scheduler */

#endif
