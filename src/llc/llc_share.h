/* Counts the slices' accesses for each of several programs that run side by side, as an observer of every slice
 * (mem/observer.h). With one program there is none. */
#ifndef LLC_SHARE_H
#define LLC_SHARE_H

#include "llc/llc.h"

struct llc_share {
  uint64_t accesses, hits, pending_hits, misses;
};

struct llc_shares;
/* `program_of` is indexed by SM, stays the caller's, and may change until the first access. Programs are numbered
 * below LLC_MAX_PROGRAMS. */
struct llc_shares *llc_shares_new(struct llc_slice *const *slices, uint32_t n, const uint8_t *program_of);
void llc_shares_delete(struct llc_shares *s);
/* The counts of a program, summed over all slices. */
struct llc_share llc_shares_sum(const struct llc_shares *s, uint32_t program);

#endif
