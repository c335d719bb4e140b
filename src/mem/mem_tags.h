/* The tag array of every cache: sets of ways, an index function, a replacement policy and, where wanted, masks of the
 * bytes that are here and that are pending.
 *
 * It knows which line is in which frame, which frame to evict next, and which frames wait for data: these are locked,
 * and never chosen as victims. What else a cache keeps about a line (dirty bytes, who brought it in) is in the
 * cache's own array, indexed by the same frame number (set * ways + way).
 *
 * With masks (config.parts), a frame has one or more parts of 128 bytes. Bytes are reserved when they are requested
 * from below and filled when they come; a frame with reserved bytes is locked. Without masks, the cache locks and
 * unlocks frames itself.
 *
 * Emptying the whole array takes the same time whatever its size: each set knows the epoch in which it was last
 * filled, and a set of an earlier epoch is empty. All frames are visited only if some are locked.
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
  uint32_t parts;                            /* parts of 128 bytes in a frame, for the masks; 0: no masks */
  uint64_t seed;                             /* for random replacement */
};

struct mem_tags {
  struct mem_tags_config c;
  struct mem_index index;
  uint64_t *line;                     /* per frame: line address, MEM_NO_LINE: free. Out of date if the set was emptied */
  uint64_t *used;                     /* per frame: `clock` at its last use */
  struct mem_bytes *valid, *reserved; /* per frame and part: bytes that are here; bytes that are pending. NULL without masks */
  uint64_t *held, *locked;            /* per set, `words` each: ways that hold a line, and that wait for data */
  uint64_t *kept;                     /* the same: ways whose line is not evicted (mem_tags_keep). NULL: none */
  uint64_t *filled;                   /* per set: epoch in which it was last filled; it is empty if that is not `epoch` */
  uint64_t epoch, clock;
  uint32_t words;
  uint32_t usable;   /* ways of each set that may hold lines (mem_tags_limit) */
  uint32_t n_locked; /* number of locked frames */
  void *state;       /* of the replacement policy */
};

/* False and a sentence in *e if the index function does not work with these sizes. */
bool mem_tags_fits(const struct mem_tags_config *c, struct err *e);
void mem_tags_init(struct mem_tags *t, const struct mem_tags_config *c);
void mem_tags_free(struct mem_tags *t);
/* From now on, uses only the first `ways` ways of each set. The array must be empty. */
void mem_tags_limit(struct mem_tags *t, uint32_t ways);

/* ---- looking ---- */

static inline uint32_t mem_tags_set(const struct mem_tags *t, uint64_t address) { return mem_index_set(&t->index, address); }

/* The frame that holds a line, or MEM_NO_FRAME. Does not count as a use. */
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
/* For replacement policies: the ways 64 * word to 64 * word + 63 of a set, as bits. mem_tags_ways: all that exist;
 * mem_tags_free_ways: those without a line; mem_tags_open_ways: those whose line may be evicted. mem_tags_free_way:
 * the first free way, or MEM_NO_WAY. */
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

/* A free frame, otherwise the one to evict, or MEM_NO_FRAME if no line may be evicted. Changes no tag. */
int32_t mem_tags_victim(const struct mem_tags *t, uint32_t set);

/* ---- lines ---- */

void mem_tags_notify_use(struct mem_tags *t, uint32_t frame);
static inline void mem_tags_touch(struct mem_tags *t, int32_t frame) {
  t->used[frame] = ++t->clock;
  if (t->c.replacement->touch) mem_tags_notify_use(t, (uint32_t)frame);
}
/* Puts a line into a frame, in place of what was there. It counts as used now; none of its bytes are here or reserved. */
void mem_tags_place(struct mem_tags *t, int32_t frame, uint64_t line);
/* Empties a frame; does nothing if it is empty. */
void mem_tags_drop(struct mem_tags *t, int32_t frame);
void mem_tags_lock(struct mem_tags *t, int32_t frame);
void mem_tags_unlock(struct mem_tags *t, int32_t frame);
static inline bool mem_tags_is_locked(const struct mem_tags *t, int32_t frame) {
  uint32_t f = (uint32_t)frame, set = f / t->c.ways, way = f - set * t->c.ways;
  return t->locked[(size_t)set * t->words + way / 64] >> way % 64 & 1;
}

/* ---- kept lines ---- */

/* Keeps the line in a frame from being evicted. If its set then has more than `most` such lines, the least recently
 * used of them becomes a normal line again. With most = 0 nothing is kept. */
void mem_tags_keep(struct mem_tags *t, int32_t frame, uint32_t most);
/* Makes the line in a frame, or all lines, normal again. */
void mem_tags_unkeep(struct mem_tags *t, int32_t frame);
void mem_tags_unkeep_all(struct mem_tags *t);

/* ---- with masks ---- */

/* Reserves bytes of a part of a frame's line, which have been requested. */
void mem_tags_reserve(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);
/* Bytes are no longer reserved; true: none of the line are. */
bool mem_tags_release(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);
/* Bytes have come, whether they were reserved or not. */
void mem_tags_fill(struct mem_tags *t, int32_t frame, uint32_t part, struct mem_bytes bytes);

/* ---- forgetting ---- */

/* Empties a frame. A frame that waits for data keeps its line, but loses the bytes that are here. */
void mem_tags_invalidate(struct mem_tags *t, int32_t frame);
/* The same for all frames. */
void mem_tags_clear(struct mem_tags *t);

#endif
