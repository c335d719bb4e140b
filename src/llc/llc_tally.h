/* What slices count of each program for the profile of an adaptive L2: an observer of every slice (mem/observer.h). The first slice's
 * also leads the accesses of its sets through each program's auxiliary tag directory (llc_profile.h). Counts go on whether or not a
 * profile is taken; a profile begins by setting them to zero.
 *
 * Owns: the counters. Does not: own the directories, or decide. */
#ifndef LLC_TALLY_H
#define LLC_TALLY_H

#include "llc/llc.h"
#include "llc/llc_profile.h"

struct llc_tallies;
/* `views` are those of the SMs (llc_mode.h) and say whose an access is; SMs below `first_sms` are the first cluster. */
struct llc_tallies *llc_tallies_new(struct llc_slice *const *slices, uint32_t n, const struct llc_mode_config *c,
                                    const struct llc_view *views, uint32_t first_sms);
void llc_tallies_delete(struct llc_tallies *t);
/* The directory of a program; NULL: it has none. */
void llc_tallies_follow(struct llc_tallies *t, uint8_t program, struct llc_atd *atd);
/* A program's counts, and its directory's, begin at zero. */
void llc_tallies_begin(struct llc_tallies *t, uint8_t program);
/* A program's counts since then; its arrays are good until the next call. */
struct llc_sample llc_tallies_collect(struct llc_tallies *t, uint8_t program);

#endif
