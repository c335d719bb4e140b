/* Not recently used: each line has a bit, which a use sets. When all lines of a set have their bits set, the others
 * lose theirs. The victim is the first line without the bit that may be evicted or, if there is none, the first that
 * may be evicted. A free way is taken first; it has no bit. */
#include "base/arena.h"
#include "mem/mem_tags.h"

#include <stdlib.h>

static void *create(uint32_t sets, uint32_t ways, uint64_t seed) {
  (void)seed;
  return must_alloc((size_t)sets * ((ways + 63) / 64) * sizeof(uint64_t));
}

static bool all_recent(const struct mem_tags *t, const uint64_t *recent) {
  for (uint32_t word = 0; word < t->words; word++)
    if (recent[word] != mem_tags_ways(t, word)) return false;
  return true;
}

static void touch(void *state, const struct mem_tags *t, uint32_t set, uint32_t way) {
  uint64_t *recent = (uint64_t *)state + (size_t)set * t->words, bit = UINT64_C(1) << way % 64;
  recent[way / 64] |= bit;
  if (!all_recent(t, recent)) return;
  for (uint32_t word = 0; word < t->words; word++) recent[word] = 0;
  recent[way / 64] = bit;
}

static void invalidate(void *state, const struct mem_tags *t, uint32_t set, uint32_t way) {
  ((uint64_t *)state)[(size_t)set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
}

static int32_t first(const struct mem_tags *t, uint32_t set, const uint64_t *without) {
  for (uint32_t word = 0; word < t->words; word++) {
    uint64_t open = mem_tags_open_ways(t, set, word) & ~(without ? without[word] : 0);
    if (open) return (int32_t)(64 * word) + __builtin_ctzll(open);
  }
  return MEM_NO_WAY;
}

static int32_t victim(void *state, const struct mem_tags *t, uint32_t set) {
  int32_t way = mem_tags_free_way(t, set);
  if (way == MEM_NO_WAY) way = first(t, set, (const uint64_t *)state + (size_t)set * t->words);
  return way == MEM_NO_WAY ? first(t, set, NULL) : way;
}

const struct mem_replacement mem_nru = {.policy = {.name = "nru", .meaning = "evicts the first line whose bit says that it was not used "
                                                                             "recently"},
                                        .create = create, .destroy = free, .touch = touch, .fill = touch,
                                        .invalidate = invalidate, .victim = victim};
