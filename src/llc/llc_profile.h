/* What an adaptive last-level cache measures while it is shared, and how it decides (Zhao et al., ISCA 2019,
 * sections 4.3 and 4.4).
 *
 * Auxiliary tag directory (ATD): a few sets of one slice with the tags they have in a shared cache and, with
 * each line, bits that say which SM-router touched it. An access that finds its line with its own router's bit would
 * also hit in a private cache. llc.atd_router=last keeps the router that touched the line last, which is what
 * the paper's sentence says; `any` keeps all that touched it since it came in, in the same storage.
 * The directory follows its sets whenever the cache is shared and counts only while asked to; it is emptied
 * when the cache becomes shared again.
 *
 * LSP, LLC slice parallelism: accesses of all slices over accesses of the busiest. Of the shared cache it is
 * measured. Of a private one it is worked out from the requests of the first cluster, which would go to one
 * slice of each controller: eight 16-bit counters; the other clusters are taken to be like it, so N slices
 * are parallel as clusters x (sum / max).
 *
 * Bandwidth = hit rate x LSP x bandwidth of a slice + miss rate x bandwidth of memory.
 * Rule 1: private if the miss rates are similar (the private one is at most llc.similar higher).
 * Rule 2: private if its bandwidth is higher. Rule 3 (back to shared at an epoch or a kernel) is
 * llc_control.c's matter. If the directory saw nothing, nothing is known and the cache stays shared. */
#ifndef LLC_PROFILE_H
#define LLC_PROFILE_H

#include "llc/llc_mode.h"

struct llc_atd;
/* Of a slice with so many sets and ways; an SM belongs to router sm / sms_per_router. */
struct llc_atd *llc_atd_new(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                            uint32_t sms_per_router);
void llc_atd_delete(struct llc_atd *a);
void llc_atd_access(struct llc_atd *a, uint32_t set, uint64_t line, uint32_t sm);
void llc_atd_clear(struct llc_atd *a); /* the tags */
void llc_atd_count(struct llc_atd *a); /* from zero, from now on */
struct llc_atd_counts {
  uint64_t accesses, hits, private_hits;
};
struct llc_atd_counts llc_atd_counts(const struct llc_atd *a);

struct llc_sample { /* of one profile */
  uint64_t accesses, misses;
  struct llc_atd_counts atd;
  const uint64_t *slice;   /* accesses, all slices of the GPU */
  const uint64_t *first;   /* of the first cluster, by controller */
};
struct llc_estimate {
  double shared_miss, private_miss;
  double shared_lsp, private_lsp;
  double shared_bytes, private_bytes; /* a second */
};
enum llc_rule llc_decide(const struct llc_mode_config *c, const struct llc_sample *s, struct llc_estimate *out);

/* Bits of storage the profile needs: `address_bits` of a physical address. Sets that are not a power of two
 * in number are found by division, so their tags keep all address bits above slice and line. */
struct llc_storage {
  uint32_t tag_bits, entry_bits, entries;
  uint64_t atd_bits, counter_bits;
};
struct llc_storage llc_profile_storage(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                                       uint32_t address_bits);

#endif
