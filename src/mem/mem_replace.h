/* The interface of replacement policies, which choose the line of a set that is evicted. A policy is one file with
 * one of these tables, and one line in mem_replace.c; all caches whose keys have that list (l1.replacement,
 * l2.replacement, sm.readonly_replacement) can then use it.
 *
 * It is notified of uses, fills and losses of lines, and chooses. It does not change tags, locks or masks; it reads
 * them through the tag array (mem_tags.h), which also knows when each line was last used. */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include "base/policy.h"

struct mem_tags;

struct mem_replacement {
  struct policy policy;
  /* Creates the state for all sets (both may be NULL: none is needed). `seed` is for random choices. */
  void *(*create)(uint32_t sets, uint32_t ways, uint64_t seed);
  void (*destroy)(void *state);
  /* touch: the line in this way was used again. fill: a line was put into the way. invalidate: the line in the way is
   * gone; if another replaces it, a fill follows. (Each may be NULL.) */
  void (*touch)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  void (*fill)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  void (*invalidate)(void *state, const struct mem_tags *t, uint32_t set, uint32_t way);
  /* The way for the next line: a free one, or one whose line is to be evicted for it; MEM_NO_WAY: no line may be
   * evicted. Asking does not replace anything yet. */
  int32_t (*victim)(void *state, const struct mem_tags *t, uint32_t set);
};
enum { MEM_NO_WAY = -1 };

extern const struct mem_replacement mem_lru, mem_nru, mem_random;
extern const struct policy *const mem_replacements[]; /* all of them */

#endif
