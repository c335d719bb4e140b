/* What slices count for each program while an adaptive L2 is profiled, as an observer of every slice
 * (mem/observer.h). The observer of the first slice also passes the accesses of its sets to each program's auxiliary
 * tag directory (llc_profile.h). Counting never stops; a profile begins by setting the counts to zero.
 *
 * Owns: the counters. Does not: own the directories, or decide. */
#ifndef LLC_TALLY_H
#define LLC_TALLY_H

#include "llc/llc.h"
#include "llc/llc_profile.h"

struct llc_tallies;
/* `views`, one for each SM (llc_mode.h), say to which program an access belongs. The SMs below `first_sms` are the first cluster. */
struct llc_tallies *llc_tallies_new(struct llc_slice *const *slices, uint32_t n, const struct llc_mode_config *c,
                                    const struct llc_view *views, uint32_t first_sms);
void llc_tallies_delete(struct llc_tallies *t);
/* Sets the directory of a program; NULL: it has none. */
void llc_tallies_follow(struct llc_tallies *t, uint8_t program, struct llc_atd *atd);
/* Sets the counts of a program and of its directory to zero: a profile begins. */
void llc_tallies_begin(struct llc_tallies *t, uint8_t program);
/* The counts of a program since then. The arrays in the result are valid until the next call. */
struct llc_sample llc_tallies_collect(struct llc_tallies *t, uint8_t program);

#endif
