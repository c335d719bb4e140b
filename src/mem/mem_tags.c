/* See mem_tags.h. A number of sets that is not a power of two is taken as 2^a times an odd number: a hashed
 * index acts on the a low bits, and the odd part is a remainder, so every set gets an equal share of any
 * aligned range. */
#include "mem/mem_tags.h"

#include "base/arena.h"
#include "mem/mem_gf2.h"

#include <assert.h>
#include <stdlib.h>

bool mem_tags_fits(const struct mem_tags_config *c, struct err *e) {
  if (c->ways < 1 || c->ways > 64)
    return err_set(e, ERR_INPUT, "%u ways are not possible; 1 to 64 are", c->ways);
  if (c->index == MEM_INDEX_FERMI && c->sets != 32 && c->sets != 64)
    return err_set(e, ERR_INPUT, "the fermi set index needs 32 or 64 sets, not %u", c->sets);
  return true;
}

void mem_tags_init(struct mem_tags *t, const struct mem_tags_config *c) {
  size_t frames = (size_t)c->sets * c->ways;
  *t = (struct mem_tags){.c = *c};
  t->line = must_alloc(frames * sizeof *t->line);
  t->used = must_alloc(frames * sizeof *t->used);
  t->locked = must_alloc(c->sets * sizeof *t->locked);
  t->recent = must_alloc(c->sets * sizeof *t->recent);
  for (size_t i = 0; i < frames; i++) t->line[i] = MEM_NO_LINE;
  t->index_bits = (uint32_t)__builtin_ctz(c->sets);
  t->odd = c->sets >> t->index_bits;
  if (c->index == MEM_INDEX_IPOLY && t->index_bits > 0) {
    uint64_t column[64];
    for (unsigned i = 0; i < 64; i++) column[i] = mem_gf2_power(t->index_bits, i);
    t->poly = must_alloc(sizeof *t->poly);
    mem_gf2_init(t->poly, column);
  }
}

void mem_tags_free(struct mem_tags *t) {
  free(t->line);
  free(t->used);
  free(t->locked);
  free(t->recent);
  free(t->poly);
  *t = (struct mem_tags){0};
}

static uint32_t fermi_set(const struct mem_tags *t, uint64_t a) {
  uint32_t low = (uint32_t)(a >> 7) & 31;
  uint32_t high = ((uint32_t)(a >> 13) & 7) | ((uint32_t)(a >> 17) & 1) << 3 | ((uint32_t)(a >> 19) & 1) << 4;
  return (low ^ high) | (t->c.sets == 64 ? ((uint32_t)(a >> 12) & 1) << 5 : 0);
}

/* The low index bits, hashed. */
static uint32_t low_index(const struct mem_tags *t, uint64_t line) {
  uint32_t mask = (1u << t->index_bits) - 1;
  if (t->index_bits == 0) return 0;
  if (t->poly) return (uint32_t)mem_gf2_apply(t->poly, line);
  if (t->c.index == MEM_INDEX_PLAIN) return (uint32_t)line & mask;
  uint32_t r = 0;
  for (; line; line >>= t->index_bits) r ^= (uint32_t)line & mask;
  return r;
}

uint32_t mem_tags_set(const struct mem_tags *t, uint64_t address) {
  if (t->c.index == MEM_INDEX_FERMI) return fermi_set(t, address);
  uint64_t line = address / MEM_LINE;
  uint32_t low = low_index(t, line);
  if (t->odd == 1) return low;
  return (uint32_t)((line >> t->index_bits) % t->odd) << t->index_bits | low;
}

void mem_tags_touch(struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame;
  t->used[f] = ++t->clock;
  if (t->c.replacement != MEM_NRU) return;
  uint32_t set = f / t->c.ways;
  uint64_t bit = 1ull << (f - set * t->c.ways), all = UINT64_MAX >> (64 - t->c.ways);
  t->recent[set] |= bit;
  if (t->recent[set] == all) t->recent[set] = bit;
}

static int32_t least_recent(const struct mem_tags *t, uint32_t first, uint64_t candidates) {
  int32_t best = MEM_NO_FRAME;
  uint64_t oldest = UINT64_MAX;
  for (; candidates; candidates &= candidates - 1) {
    uint32_t f = first + (uint32_t)__builtin_ctzll(candidates);
    if (t->used[f] < oldest) oldest = t->used[f], best = (int32_t)f;
  }
  return best;
}

int32_t mem_tags_victim(const struct mem_tags *t, uint32_t set) {
  uint32_t first = set * t->c.ways;
  for (uint32_t w = 0; w < t->c.ways; w++)
    if (t->line[first + w] == MEM_NO_LINE) return (int32_t)(first + w);
  uint64_t open = (UINT64_MAX >> (64 - t->c.ways)) & ~t->locked[set];
  if (!open) return MEM_NO_FRAME;
  if (t->c.replacement == MEM_LRU) return least_recent(t, first, open);
  uint64_t cold = open & ~t->recent[set];
  return (int32_t)(first + (uint32_t)__builtin_ctzll(cold ? cold : open));
}

void mem_tags_place(struct mem_tags *t, int32_t frame, uint64_t line) {
  t->line[frame] = line;
  mem_tags_touch(t, frame);
}

void mem_tags_drop(struct mem_tags *t, int32_t frame) { t->line[frame] = MEM_NO_LINE; }

void mem_tags_lock(struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame, set = f / t->c.ways;
  t->locked[set] |= 1ull << (f - set * t->c.ways);
}

void mem_tags_unlock(struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame, set = f / t->c.ways;
  t->locked[set] &= ~(1ull << (f - set * t->c.ways));
}
