/* Global memory as the CTAs of one SM see it, if the SM's L1D may keep bytes that others have overwritten since (stale bytes).
 *
 * The owner of the caches gives a CTA such a view (exec_cta.view); usually there is none, and a load reads what memory holds. Loads that
 * look into L1D ask the view for the addresses of their lanes' bytes. Everything that writes to global memory notifies the view beforehand,
 * and the SM notifies it when its own write is done. Texture reads, asynchronous and bulk copies read memory.
 *
 * Knows neither caches nor time. */
#ifndef EXEC_VIEW_H
#define EXEC_VIEW_H

#include "exec/exec.h"

struct exec_reach;
struct exec_view {
  uint32_t stale; /* sectors whose bytes differ from memory; 0: it need not be asked */
  /* Lanes of a load from global memory: changes the host addresses of those whose bytes L1D has kept. */
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
