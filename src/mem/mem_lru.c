/* Least recently used: of the lines that may be evicted, the one whose last use is longest ago. A free way is taken
 * first. */
#include "mem/mem_tags.h"

static int32_t victim(void *state, const struct mem_tags *t, uint32_t set) {
  int32_t best = mem_tags_free_way(t, set);
  uint64_t oldest = UINT64_MAX;
  const uint64_t *used = &t->used[(size_t)set * t->c.ways];
  (void)state;
  if (best != MEM_NO_WAY) return best;
  for (uint32_t word = 0; word < t->words; word++)
    for (uint64_t open = mem_tags_open_ways(t, set, word); open; open &= open - 1) {
      uint32_t way = 64 * word + (uint32_t)__builtin_ctzll(open);
      if (used[way] < oldest) oldest = used[way], best = (int32_t)way;
    }
  return best;
}

const struct mem_replacement mem_lru = {.policy = {.name = "lru", .meaning = "evicts the least recently used line"}, .victim = victim};
