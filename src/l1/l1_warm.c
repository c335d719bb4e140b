/* Keeps an L1D warm while instructions are executed without timing: a load fills what it misses at once, a store
 * drops or keeps the copy as it would in a timed run. Nothing is counted but what an organisation counts by itself.
 *
 * Does not: warm a cache whose policies decide by what happens in time (a bypass policy, or an organisation that
 * chooses what it requests). What such a cache would hold is not known, so it is left as it is. */
#include "l1/bypass.h"

bool l1_is_warmed(const struct l1 *c) {
  return c->config.cached_global && !c->ops->demand && !c->bypass_ops->skips && !c->bypass_ops->gives_up;
}

static void bring(struct l1 *c, uint64_t line, struct mem_bytes missing) {
  uint32_t cycles = 0;
  if (c->ops->reserve(c->org, line, missing, &cycles)) c->ops->fill(c->org, line, missing);
}

/* What is outstanding will come: it counts as here. */
struct mem_bytes l1_warm_load(struct l1 *c, uint64_t line, struct mem_bytes bytes) {
  struct mem_bytes missing = c->ops->probe(c->org, line, bytes);
  uint64_t other = 0;
  if (mem_none(missing) || mem_mshr_find(&c->mshrs, line) != MEM_NO_MSHR) return MEM_NOTHING;
  bring(c, line, missing);
  if (c->ops->companion && c->ops->companion(c->org, line, &other) && mem_mshr_find(&c->mshrs, other) == MEM_NO_MSHR)
    bring(c, other, MEM_EVERYTHING);
  return missing;
}

void l1_warm_store(struct l1 *c, uint64_t line, struct mem_bytes bytes, bool atomic) {
  c->ops->wrote(c->org, line, bytes, !atomic && c->config.keep_stores);
  if (!atomic && c->config.fill_stores) c->ops->fill(c->org, line, bytes);
}
