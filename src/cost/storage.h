/* Storage that a configuration adds to the base GPU, in bits, from what each policy says of itself. Nothing is run.
 *
 * One row a part that some policy has (policy.storage), whether or not it is chosen: its bits are in storage.added_bits, its
 * area in `heddle area` and its energy in energy.added. Bits are those of one instance (an SM's cache, a slice);
 * `instances` says how many there are. */
#ifndef COST_STORAGE_H
#define COST_STORAGE_H

#include "base/cfg.h"
#include "base/err.h"

enum { COST_STORAGE_PARTS = 24 };
struct cost_storage {
  const char *part; /* "l1.org" */
  uint64_t bits;    /* of one instance */
  uint64_t instances;
  uint32_t width;        /* bits that one access reads or writes */
  bool flops;            /* in flip-flops (queues, counters), not in an SRAM array */
  const char *statistic; /* that counts accesses to all instances; NULL: only area and leakage are known */
};
/* All parts of a configuration, at most COST_STORAGE_PARTS; returns how many, 0 with e filled if it is refused. */
size_t cost_storage(const struct cfg *cfg, struct cost_storage *out, struct err *e);

#endif
