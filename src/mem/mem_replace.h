/* Replacement policies: which line of a set is evicted. A policy is one file with one of these tables, and a line in
 * mem_replace.c; every cache whose key has that list (l1.replacement, l2.replacement, sm.readonly_replacement) may then
 * have it.
 *
 * It is notified of uses, fills and losses, and chooses. It does not change tags, locks or masks: it reads them through the
 * tag array (mem_tags.h), which also knows when each line was last used. */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include "base/policy.h"

struct mem_tags;

struct mem_replacement {
  struct policy policy;
  /* State for all sets (may be NULL, with destroy: none is needed). `seed` is for random choices. */
  void *(*create)(uint32_t sets, uint32_t ways, uint64_t seed);
  void (*destroy)(void *state);
  /* The line in this way was used again; a line was put into it; its line is gone, and another may have come in its place
   * only after a fill (each may be NULL). */
  void (*touch)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  void (*fill)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  void (*invalidate)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  /* The way that the next line goes to: a free one, or one whose line is evicted for it; MEM_NO_WAY: every way waits for
   * data. Asking does not replace anything yet. */
  int32_t (*victim)(void *state, const struct mem_tags *t, uint32_t set);
};
enum { MEM_NO_WAY = -1 };

extern const struct mem_replacement mem_lru, mem_nru, mem_random;
extern const struct policy *const mem_replacements[]; /* all of them */

#endif
