/* CTA schedulers: which CTA an SM with a free slot gets next. One function table each, listed in cta_sched.c. */
#ifndef GPU_CTA_SCHED_H
#define GPU_CTA_SCHED_H

#include "base/policy.h"

#include <stdint.h>

#define GPU_NO_CTA UINT64_MAX

struct gpu_cta_state {
  uint64_t total, given;   /* CTAs of the grid, and dispatched */
  uint32_t sms, clusters;  /* an SM belongs to cluster sm / (sms / clusters) */
  uint64_t next;           /* round robin: next CTA */
  uint64_t *range_next, *range_end; /* distributed: each cluster's range */
  uint64_t *pair;          /* block: second CTA of a pair reserved for an SM, or GPU_NO_CTA */
};

struct gpu_cta_sched {
  struct policy policy;
  bool clusters_first;     /* SMs are asked one of each cluster in turn rather than in order of their numbers */
  bool cluster_parts;      /* each cluster has a part of the grid: programs cannot share a cluster's SMs */
  void (*begin)(struct gpu_cta_state *s);
  uint64_t (*next)(struct gpu_cta_state *s, uint32_t sm); /* GPU_NO_CTA: none for this SM */
};
extern const struct policy *const gpu_cta_scheds[]; /* of gpu.cta_scheduler */

void gpu_cta_state_init(struct gpu_cta_state *s, uint32_t sms, uint32_t clusters);
void gpu_cta_state_free(struct gpu_cta_state *s);

#endif
