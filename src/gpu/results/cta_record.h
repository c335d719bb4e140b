/* When and where each CTA ran, for pictures of waves. When there are more rows than wanted, every second one is
 * dropped, and so on, so that what is kept covers the whole run evenly.
 *
 * Owns: the rows. Does not: cost anything if it is not asked for (there are no rows). CTAs are dispatched and counted
 * by one thread, SM after SM, so rows do not depend on the number of threads. */
#ifndef GPU_CTA_RECORD_H
#define GPU_CTA_RECORD_H

#include "gpu/gpu.h"
#include "sm/sm.h"

struct gpu_cta_record {
  struct gpu_cta (*running)[SM_MAX_CTAS]; /* by SM and slot; NULL: nothing is recorded */
  struct gpu_cta *rows;
  size_t n, cap, most;
  uint64_t seen, step; /* CTAs that ended; those whose number is a multiple of step are kept */
};

void gpu_cta_record_open(struct gpu_cta_record *r, uint32_t sms, size_t most);
void gpu_cta_record_free(struct gpu_cta_record *r);
static inline bool gpu_cta_recorded(const struct gpu_cta_record *r) { return r->running != NULL; }
void gpu_cta_started(struct gpu_cta_record *r, uint32_t sm, uint32_t slot, uint64_t ticket, uint64_t cycle);
void gpu_cta_ended(struct gpu_cta_record *r, uint32_t sm, uint32_t slot, uint64_t cycle);

#endif
