/* Generations of L1D lines: from the miss that fetches a line to its eviction. Three probes look at what happens to a
 * line in between.
 *
 * Evictions are not reported, and need not be: whatever the L1D organisation, the next miss on the line shows that its old
 * generation has ended, and nothing happened to that one after its last hit. What is left ends with the kernel. Where
 * L1D fetches less than whole lines, a miss on sectors that this generation has not fetched belongs to it (they may be
 * of a new generation if the line was replaced in between: such lines look fuller than they were). Loads that bypass
 * L1D are no part of this. */
#ifndef PROBE_GENERATION_H
#define PROBE_GENERATION_H

#include "probe/probe.h"
#include "base/table.h"

struct generation {
  uint8_t fetched;          /* sectors */
  uint8_t first;            /* sectors that the load which fetched it asked for */
  uint8_t used;             /* sectors that any load asked for */
  uint8_t reused;           /* sectors that later loads asked for */
  bool strayed;             /* a later load asked for sectors beyond the first's */
  uint16_t degree;          /* un-coalescing degree of the load that fetched it */
  uint32_t accesses;
  struct mem_bytes bytes;   /* that any load asked for */
};

struct generations {
  struct table index;
  struct generation *at;
  size_t n, cap;
  uint32_t granule;
  void (*ended)(void *user, const struct generation *g);
  void *user;
};

void generations_init(struct generations *s, const struct probe_shape *shape,
                      void (*ended)(void *user, const struct generation *g), void *user);
void generations_access(struct generations *s, const struct mem_seen_access *a);
void generations_end(struct generations *s); /* all that live */
void generations_free(struct generations *s);

#endif
