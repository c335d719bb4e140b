/* The storage that a configuration adds to the base GPU, in bits, as each policy declares it. Nothing is run.
 *
 * There is one row for each part that any policy has (policy.storage), whether or not the policy is chosen: its bits
 * are in storage.added_bits, its area in `heddle area` and its energy in energy.added. Bits are those of one instance
 * (an SM's cache, a slice); `instances` says how many there are. */
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
  const char *statistic; /* the statistic that counts accesses to all instances; NULL: only area and leakage are known */
};
/* Fills `out` with all parts of a configuration, at most COST_STORAGE_PARTS, and returns their number; 0 with e
 * filled if the configuration is refused. */
size_t cost_storage(const struct cfg *cfg, struct cost_storage *out, struct err *e);

#endif
