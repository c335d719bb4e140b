/* The interface of CTA schedulers, which choose the CTA of a grid that an SM with a free slot gets next. Each is one
 * file that implements this table, and one line in cta_sched.c. A scheduler only chooses; instant.c decides when and
 * in which order SMs are asked, resident.c which grid is served first. */
#ifndef GPU_CTA_SCHED_H
#define GPU_CTA_SCHED_H

#include "base/policy.h"

#include <stdint.h>

#define GPU_NO_CTA UINT64_MAX

struct gpu_cta_place {
  uint32_t sms, clusters; /* of the GPU; an SM belongs to cluster sm / (sms / clusters) */
  uint64_t *stats;        /* counters of the policy's own statistics (policy.stats), for the whole GPU; NULL: it has none */
};

struct gpu_cta_sched {
  struct policy policy;
  bool clusters_first; /* SMs are asked one from each cluster in turn, not in order of their numbers */
  bool cluster_parts;  /* each cluster has a part of the grid, so programs cannot share a cluster's SMs */
  /* Creates a state; there is one for each grid that the GPU may have at once. NULL with e filled: other keys do not allow it. */
  void *(*create)(const struct cfg *cfg, const struct gpu_cta_place *place, struct err *e);
  void (*destroy)(void *s);
  void (*begin)(void *s, uint64_t ctas);       /* the state is now used for a new grid of this many CTAs */
  uint64_t (*next)(void *s, uint32_t sm);      /* the next CTA for this SM; GPU_NO_CTA: none */
};
extern const struct policy *const gpu_cta_scheds[]; /* the policies of gpu.cta_scheduler */

#endif
