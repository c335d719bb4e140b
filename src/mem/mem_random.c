/* Any of the lines that may be evicted, all with the same probability. A free way is taken first. One number is drawn
 * for each line that is passed on the way to the choice, so one pass over the set is enough. */
#include "base/arena.h"
#include "base/rng.h"
#include "mem/mem_tags.h"

#include <stdlib.h>

static void *create(uint32_t sets, uint32_t ways, uint64_t seed) {
  struct rng *r = must_alloc(sizeof *r);
  (void)sets, (void)ways;
  r->state = seed;
  return r;
}

static int32_t victim(void *state, const struct mem_tags *t, uint32_t set) {
  int32_t best = MEM_NO_WAY;
  uint32_t lines = 0;
  for (uint32_t word = 0; word < t->words; word++) {
    uint64_t left = mem_tags_free_ways(t, set, word), open = mem_tags_open_ways(t, set, word);
    if (left) open &= (left & -left) - 1;
    for (; open; open &= open - 1)
      if (!rng_below(state, ++lines)) best = (int32_t)(64 * word) + __builtin_ctzll(open);
    if (left) return (int32_t)(64 * word) + __builtin_ctzll(left);
  }
  return best;
}

const struct mem_replacement mem_random = {
    .policy = {.name = "random", .meaning = "evicts a line at random"}, .create = create, .destroy = free, .victim = victim};
