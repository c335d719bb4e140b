/* Generations of L1D lines: a generation lasts from the miss that fetches a line to the line's eviction. Three probes
 * look at what happens to a line in between.
 *
 * The probes need not know of evictions, which not every L1D organisation reports: the next miss on the line shows
 * that its old generation has ended, and nothing happened to that one after its last hit. Generations that are left
 * end with the kernel. If L1D fetches less than whole lines, a miss on sectors that the present generation has not
 * fetched belongs to it. (If the line was replaced in between, these sectors are of a new generation, and the line
 * looks fuller than it was.) Loads that bypass L1D are not included. */
#ifndef PROBE_GENERATION_H
#define PROBE_GENERATION_H

#include "probe/probe.h"
#include "base/table.h"

struct generation {
  uint8_t fetched;          /* sectors */
  uint8_t first;            /* sectors that the load which fetched the line asked for */
  uint8_t used;             /* sectors that any load asked for */
  uint8_t reused;           /* sectors that later loads asked for */
  bool strayed;             /* a later load asked for sectors beyond the first's */
  uint16_t degree;          /* un-coalescing degree of the load that fetched it */
  uint32_t accesses;
  struct mem_bytes bytes;   /* bytes that any load asked for */
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
void generations_end(struct generations *s); /* ends all generations */
void generations_free(struct generations *s);

#endif
