/* The tag array of every cache: sets of ways, an index function, a replacement policy, and where wanted masks of the bytes
 * that are here and that are pending.
 *
 * It knows which line is in which frame, which frame to evict next, and which frames wait for data: those are locked and
 * never chosen as victims. What else a cache keeps about a line (dirty bytes, who brought it) lives in the cache's own
 * array, indexed by the same frame number (set * ways + way).
 *
 * With masks (config.parts) a frame is one or more parts of 128 bytes. Bytes are reserved when they are asked for below and
 * filled when they come; a frame with reserved bytes is locked. Without, the cache locks and unlocks.
 *
 * Emptying the whole array takes the same time whatever its size: a set knows the epoch in which it was last filled, and
 * one of an earlier epoch is empty. Only if something is locked are all frames visited.
 *
 * Does not: take time, count, or know why a line is wanted. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include "base/err.h"
#include "mem/mem_index.h"
#include "mem/mem_mask.h"
#include "mem/mem_replace.h"

enum { MEM_NO_FRAME = -1 };
#define MEM_NO_LINE UINT64_MAX

struct mem_tags_config {
  uint32_t sets, ways;
  const struct mem_replacement *replacement; /* NULL: lru */
  const struct mem_index_function *index;    /* NULL: plain */
  uint32_t line_bytes;                       /* for the index; 0: MEM_LINE */
  uint32_t parts;                            /* of 128 bytes a frame has masks for; 0: no masks */
  uint64_t seed;                             /* for random replacement */
};

struct mem_tags {
  struct mem_tags_config c;
  struct mem_index index;
  uint64_t *line;                     /* per frame: line address, MEM_NO_LINE: free. Of an emptied set it is out of date */
  uint64_t *used;                     /* per frame: when it was last used, in uses */
  struct mem_bytes *valid, *reserved; /* per frame and part: here; asked for and not yet here. NULL without masks */
  uint64_t *held, *locked;            /* per set, `words` each: ways that hold a line, and that wait for data */
  uint64_t *kept;                     /* the same: ways whose line is not evicted. NULL: none ever was kept */
  uint64_t *filled;                   /* per set: epoch in which it was last filled; what it held before is gone */
  uint64_t epoch, clock;
  uint32_t words;
  uint32_t usable;   /* ways of each set that lines are put into */
  uint32_t n_locked; /* frames */
  void *state;       /* of the replacement policy */
};

/* False and a sentence if sizes do not fit the index function. */
bool mem_tags_fits(const struct mem_tags_config *c, struct err *e);
void mem_tags_init(struct mem_tags *t, const struct mem_tags_config *c);
void mem_tags_free(struct mem_tags *t);
/* From now on lines are put into the first ways of each set only. The array must be empty. */
void mem_tags_limit(struct mem_tags *t, uint32_t ways);

/* ---- looking ---- */

static inline uint32_t mem_tags_set(const struct mem_tags *t, uint64_t address) { return mem_index_set(&t->index, address); }

/* Finding does not count as a use. */
static inline int32_t mem_tags_find(const struct mem_tags *t, uint32_t set, uint64_t line) {
  const uint64_t *l = &t->line[(size_t)set * t->c.ways];
  if (t->filled[set] != t->epoch) return MEM_NO_FRAME;
  for (uint32_t w = 0; w < t->c.ways; w++)
    if (l[w] == line) return (int32_t)(set * t->c.ways + w);
  return MEM_NO_FRAME;
}
/* The line in a frame; MEM_NO_LINE: none. */
static inline uint64_t mem_tags_line(const struct mem_tags *t, uint32_t frame) {
  return t->filled[frame / t->c.ways] == t->epoch ? t->line[frame] : MEM_NO_LINE;
}
/* For replacement policies, ways 64 * word to 64 * word + 63 of a set as bits: all there are; those that are free; those whose
 * line may go. And the first free way, or MEM_NO_WAY. */
static inline uint64_t mem_tags_ways(const struct mem_tags *t, uint32_t word) {
  uint32_t left = t->usable > 64 * word ? t->usable - 64 * word : 0;
  return left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
}
static inline uint64_t mem_tags_free_ways(const struct mem_tags *t, uint32_t set, uint32_t word) {
  uint64_t held = t->filled[set] == t->epoch ? t->held[(size_t)set * t->words + word] : 0;
  return mem_tags_ways(t, word) & ~held;
}
static inline uint64_t mem_tags_open_ways(const struct mem_tags *t, uint32_t set, uint32_t word) {
  size_t at = (size_t)set * t->words + word;
  uint64_t closed = t->locked[at] | (t->kept ? t->kept[at] : 0);
  return t->filled[set] == t->epoch ? t->held[at] & ~closed : 0;
}
static inline int32_t mem_tags_free_way(const struct mem_tags *t, uint32_t set) {
  for (uint32_t word = 0; word < t->words; word++) {
    uint64_t left = mem_tags_free_ways(t, set, word);
    if (left) return (int32_t)(64 * word) + __builtin_ctzll(left);
  }
  return MEM_NO_WAY;
}

/* A free frame, else the one to evict, else MEM_NO_FRAME when every way is locked. Changes no tag. */
int32_t mem_tags_victim(const struct mem_tags *t, uint32_t set);

/* ---- lines ---- */

void mem_tags_notify_use(struct mem_tags *t, uint32_t frame);
static inline void mem_tags_touch(struct mem_tags *t, int32_t frame) {
  t->used[frame] = ++t->clock;
  if (t->c.replacement->touch) mem_tags_notify_use(t, (uint32_t)frame);
}
/* Puts a line into a frame (over what was there) as used now, with nothing of it here or reserved. */
void mem_tags_place(struct mem_tags *t, int32_t frame, uint64_t line);
/* Empties a frame that may be free. */
void mem_tags_drop(struct mem_tags *t, int32_t frame);
void mem_tags_lock(struct mem_tags *t, int32_t frame);
void mem_tags_unlock(struct mem_tags *t, int32_t frame);
static inline bool mem_tags_is_locked(const struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame, set = f / t->c.ways, way = f - set * t->c.ways;
  return t->locked[(size_t)set * t->words + way / 64] >> way % 64 & 1;
}

/* ---- kept lines ---- */

/* The line in a frame is not evicted from now on; then, of more than `most` such lines of its set, the one whose last use is longest ago
 * is one like others again. With most = 0 nothing is kept. */
void mem_tags_keep(struct mem_tags *t, int32_t frame, uint32_t most);
/* It is one like others again; likewise all lines. */
void mem_tags_unkeep(struct mem_tags *t, int32_t frame);
void mem_tags_unkeep_all(struct mem_tags *t);

/* ---- with masks ---- */

/* Bytes of a part of a frame's line are asked for. */
void mem_tags_reserve(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);
/* Bytes are no longer asked for; true: nothing of the line is. */
bool mem_tags_release(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);
/* Bytes are here, whether they were asked for or not. */
void mem_tags_fill(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);

/* ---- forgetting ---- */

/* Empties a frame; one that waits for data keeps its line and loses what it has of it. */
void mem_tags_invalidate(struct mem_tags *t, int32_t frame);
/* The same with all frames. */
void mem_tags_clear(struct mem_tags *t);

#endif
