/* Global memory as the CTAs of one SM see it, where that SM's L1D may go on with bytes that others have written since (stale bytes).
 *
 * Whoever owns the caches gives a CTA such a view (exec_cta.view); without one, the rule, a load reads what memory holds. Loads that look
 * into L1D ask the view where their lanes' bytes are; whatever writes to global memory says so beforehand, and the SM says when its own
 * write is done. Texture reads, asynchronous and bulk copies read memory.
 *
 * Does not: know caches or time. */
#ifndef EXEC_VIEW_H
#define EXEC_VIEW_H

#include "exec/exec.h"

struct exec_reach;
struct exec_view {
  uint32_t stale; /* sectors of which it has other bytes than memory; 0: it need not be asked */
  /* Lanes of a load, in global memory: changes where those are on the host whose bytes L1D has as they were. */
  void (*read)(struct exec_view *v, struct exec_reach *r);
  /* Bytes are about to be written on behalf of this SM. */
  void (*write)(struct exec_view *v, uint64_t addr, uint64_t bytes);
  /* The lanes of a store, an atomic operation or a reduction of this SM have written to global memory. */
  void (*written)(struct exec_view *v, const struct exec_access *a);
};

static inline bool exec_looks_into_l1(enum exec_cache_op cache) {
  return cache != EXEC_CACHE_GLOBAL && cache != EXEC_CACHE_VOLATILE;
}

#endif
