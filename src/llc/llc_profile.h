/* What an adaptive L2 measures while it is shared, and how it decides (Zhao et al., ISCA 2019, sections 4.3 and 4.4).
 *
 * Auxiliary tag directory (ATD): the tags that a few sets of one slice have in a shared cache and, with each line,
 * bits that say which SM-router touched it. An access that finds its line with its own router's bit set would also
 * hit in a private cache. llc.atd_router=last keeps only the router that touched the line last, which is what the
 * paper's sentence says; `any` keeps all routers that touched it since it came in, in the same storage. The directory
 * follows its sets whenever the cache is shared, but counts only while it is asked to; it is emptied when the cache
 * becomes shared again.
 *
 * LSP, LLC slice parallelism: the accesses of all slices over those of the busiest slice. For the shared cache it is
 * measured. For a private one it is estimated from the requests of the first cluster, which would go to one slice at
 * each controller and are counted in eight 16-bit counters. The other clusters are assumed to be like the first, so
 * the estimate is clusters x (sum / max).
 *
 * Bandwidth = hit rate x LSP x bandwidth of a slice + miss rate x bandwidth of memory.
 *
 * Rule 1: private if the miss rates are similar (the private one is at most llc.similar higher). Rule 2: private if
 * that has more bandwidth. Rule 3, back to shared at an epoch or a kernel, is in llc_control.c. If the directory saw
 * no access, nothing is known and the cache stays shared. */
#ifndef LLC_PROFILE_H
#define LLC_PROFILE_H

#include "llc/llc_mode.h"

struct llc_atd;
/* A directory for a slice with this many sets and ways. An SM belongs to router sm / sms_per_router. */
struct llc_atd *llc_atd_new(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                            uint32_t sms_per_router);
void llc_atd_delete(struct llc_atd *a);
void llc_atd_access(struct llc_atd *a, uint32_t set, uint64_t line, uint32_t sm);
void llc_atd_clear(struct llc_atd *a); /* empties the tags */
void llc_atd_count(struct llc_atd *a); /* starts counting, from zero */
struct llc_atd_counts {
  uint64_t accesses, hits, private_hits;
};
struct llc_atd_counts llc_atd_counts(const struct llc_atd *a);

struct llc_sample { /* of one profile */
  uint64_t accesses, misses;
  struct llc_atd_counts atd;
  const uint64_t *slice;   /* accesses of each slice of the GPU */
  const uint64_t *first;   /* accesses of the first cluster, by controller */
};
struct llc_estimate {
  double shared_miss, private_miss;
  double shared_lsp, private_lsp;
  double shared_bytes, private_bytes; /* a second */
};
enum llc_rule llc_decide(const struct llc_mode_config *c, const struct llc_sample *s, struct llc_estimate *out);

/* Bits of storage that the profile needs, for physical addresses of `address_bits`. If the number of sets is not a
 * power of two, a set is found by division, so tags keep all address bits above slice and line. */
struct llc_storage {
  uint32_t tag_bits, entry_bits, entries;
  uint64_t atd_bits, counter_bits;
};
struct llc_storage llc_profile_storage(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                                       uint32_t address_bits);

#endif
