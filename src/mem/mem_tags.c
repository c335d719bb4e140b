/* See mem_tags.h. */
#include "mem/mem_tags.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

bool mem_tags_fits(const struct mem_tags_config *c, struct err *e) {
  return mem_index_fits(c->index ? c->index : &mem_index_plain, c->sets, e);
}

void mem_tags_init(struct mem_tags *t, const struct mem_tags_config *c) {
  size_t frames = (size_t)c->sets * c->ways;
  assert(c->ways && frames <= INT32_MAX);
  *t = (struct mem_tags){.c = *c, .words = (c->ways + 63) / 64, .usable = c->ways};
  if (!t->c.replacement) t->c.replacement = &mem_lru;
  if (!t->c.index) t->c.index = &mem_index_plain;
  mem_index_init(&t->index, t->c.index, c->sets, c->line_bytes ? c->line_bytes : MEM_LINE);
  t->line = must_alloc(frames * sizeof *t->line);
  t->used = must_alloc(frames * sizeof *t->used);
  t->held = must_alloc((size_t)c->sets * t->words * sizeof *t->held);
  t->locked = must_alloc((size_t)c->sets * t->words * sizeof *t->locked);
  t->filled = must_alloc(c->sets * sizeof *t->filled);
  if (c->parts) {
    t->valid = must_alloc(frames * c->parts * sizeof *t->valid);
    t->reserved = must_alloc(frames * c->parts * sizeof *t->reserved);
  }
  for (size_t i = 0; i < frames; i++) t->line[i] = MEM_NO_LINE;
  if (t->c.replacement->create) t->state = t->c.replacement->create(c->sets, c->ways, c->seed);
}

void mem_tags_free(struct mem_tags *t) {
  if (t->state) t->c.replacement->destroy(t->state);
  mem_index_free(&t->index);
  free(t->line);
  free(t->used);
  free(t->held);
  free(t->locked);
  free(t->kept);
  free(t->filled);
  free(t->valid);
  free(t->reserved);
  *t = (struct mem_tags){0};
}

void mem_tags_limit(struct mem_tags *t, uint32_t ways) {
  assert(ways && ways <= t->c.ways && !t->n_locked);
  t->usable = ways;
}

/* ---- frames and their sets ---- */

struct place {
  uint32_t set, way;
  size_t word;
  uint64_t bit;
};

static struct place place_of(const struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame, set = f / t->c.ways, way = f - set * t->c.ways;
  return (struct place){set, way, (size_t)set * t->words + way / 64, UINT64_C(1) << way % 64};
}

static void notify_loss(struct mem_tags *t, uint32_t set, uint32_t way) {
  if (t->c.replacement->invalidate) t->c.replacement->invalidate(t->state, t, set, way);
}

/* Empties a set that was last filled before the array was emptied. */
static void renew(struct mem_tags *t, uint32_t set) {
  if (t->filled[set] == t->epoch) return;
  t->filled[set] = t->epoch;
  for (uint32_t w = 0; w < t->c.ways; w++) t->line[(size_t)set * t->c.ways + w] = MEM_NO_LINE;
  for (uint32_t word = 0; word < t->words; word++) {
    uint64_t *held = &t->held[(size_t)set * t->words + word];
    if (t->kept) t->kept[(size_t)set * t->words + word] = 0;
    for (; *held; *held &= *held - 1) notify_loss(t, set, 64 * word + (uint32_t)__builtin_ctzll(*held));
  }
}

static void erase_masks(struct mem_tags *t, int32_t frame) {
  for (uint32_t part = 0; part < t->c.parts; part++)
    t->valid[(size_t)frame * t->c.parts + part] = t->reserved[(size_t)frame * t->c.parts + part] = MEM_NOTHING;
}

/* ---- looking ---- */

int32_t mem_tags_victim(const struct mem_tags *t, uint32_t set) {
  int32_t way = t->c.replacement->victim(t->state, t, set);
  return way == MEM_NO_WAY ? MEM_NO_FRAME : (int32_t)(set * t->c.ways) + way;
}

/* ---- lines ---- */

void mem_tags_notify_use(struct mem_tags *t, uint32_t frame) {
  uint32_t set = frame / t->c.ways;
  t->c.replacement->touch(t->state, t, set, frame - set * t->c.ways);
}

void mem_tags_place(struct mem_tags *t, int32_t frame, uint64_t line) {
  struct place p = place_of(t, frame);
  renew(t, p.set);
  assert(!(t->locked[p.word] & p.bit));
  if (t->held[p.word] & p.bit) notify_loss(t, p.set, p.way);
  t->line[frame] = line;
  t->held[p.word] |= p.bit;
  if (t->kept) t->kept[p.word] &= ~p.bit;
  t->used[frame] = ++t->clock;
  erase_masks(t, frame);
  if (t->c.replacement->fill) t->c.replacement->fill(t->state, t, p.set, p.way);
}

void mem_tags_drop(struct mem_tags *t, int32_t frame) {
  struct place p = place_of(t, frame);
  if (t->filled[p.set] != t->epoch || !(t->held[p.word] & p.bit)) return;
  t->line[frame] = MEM_NO_LINE;
  t->held[p.word] &= ~p.bit;
  if (t->kept) t->kept[p.word] &= ~p.bit;
  notify_loss(t, p.set, p.way);
}

void mem_tags_lock(struct mem_tags *t, int32_t frame) {
  struct place p = place_of(t, frame);
  t->n_locked += !(t->locked[p.word] & p.bit);
  t->locked[p.word] |= p.bit;
}

void mem_tags_unlock(struct mem_tags *t, int32_t frame) {
  struct place p = place_of(t, frame);
  t->n_locked -= (t->locked[p.word] & p.bit) != 0;
  t->locked[p.word] &= ~p.bit;
}

/* ---- kept lines ---- */

/* Of the kept ways of a set the one whose last use is longest ago, and how many there are. */
static uint32_t oldest_kept(const struct mem_tags *t, uint32_t set, uint32_t *n) {
  uint32_t oldest = 0;
  *n = 0;
  for (uint32_t way = 0; way < t->c.ways; way++) {
    if (!(t->kept[(size_t)set * t->words + way / 64] >> way % 64 & 1)) continue;
    const uint64_t *used = &t->used[(size_t)set * t->c.ways];
    if (!*n || used[way] < used[oldest]) oldest = way;
    ++*n;
  }
  return oldest;
}

void mem_tags_keep(struct mem_tags *t, int32_t frame, uint32_t most) {
  struct place p = place_of(t, frame);
  if (!most) return;
  if (!t->kept) t->kept = must_alloc((size_t)t->c.sets * t->words * sizeof *t->kept);
  if (t->kept[p.word] & p.bit) return;
  t->kept[p.word] |= p.bit;
  uint32_t n, oldest = oldest_kept(t, p.set, &n);
  if (n > most) t->kept[(size_t)p.set * t->words + oldest / 64] &= ~(UINT64_C(1) << oldest % 64);
}

void mem_tags_unkeep(struct mem_tags *t, int32_t frame) {
  struct place p = place_of(t, frame);
  if (t->kept) t->kept[p.word] &= ~p.bit;
}

void mem_tags_unkeep_all(struct mem_tags *t) {
  free(t->kept);
  t->kept = NULL;
}

/* ---- with masks ---- */

void mem_tags_reserve(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes) {
  struct mem_bytes *reserved = &t->reserved[(size_t)frame * t->c.parts + part];
  *reserved = mem_or(*reserved, bytes);
  if (!mem_none(*reserved)) mem_tags_lock(t, frame);
}

bool mem_tags_release(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes) {
  struct mem_bytes *all = &t->reserved[(size_t)frame * t->c.parts], left = MEM_NOTHING;
  all[part] = mem_minus(all[part], bytes);
  for (uint32_t i = 0; i < t->c.parts; i++) left = mem_or(left, all[i]);
  if (mem_none(left)) mem_tags_unlock(t, frame);
  return mem_none(left);
}

void mem_tags_fill(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes) {
  struct mem_bytes *valid = &t->valid[(size_t)frame * t->c.parts + part];
  *valid = mem_or(*valid, bytes);
  mem_tags_release(t, frame, part, bytes);
}

/* ---- forgetting ---- */

void mem_tags_invalidate(struct mem_tags *t, int32_t frame) {
  if (!mem_tags_is_locked(t, frame)) {
    mem_tags_drop(t, frame);
    return;
  }
  for (uint32_t part = 0; part < t->c.parts; part++) t->valid[(size_t)frame * t->c.parts + part] = MEM_NOTHING;
}

void mem_tags_clear(struct mem_tags *t) {
  if (!t->n_locked) {
    t->epoch++;
    return;
  }
  for (uint32_t f = 0; f < t->c.sets * t->c.ways; f++) mem_tags_invalidate(t, (int32_t)f);
}
