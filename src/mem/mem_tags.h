/* A set-associative tag array with replacement, and the set index functions of the caches.
 *
 * It knows which line is in which frame and which frame to give up next; what else a cache keeps about a line
 * (sectors, dirty bytes, who brought it) lives in the cache's own array, indexed by the same frame number.
 * Frames that wait for data are locked and never chosen as victims. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include "base/err.h"
#include "mem/packet.h"

enum mem_replacement { MEM_LRU, MEM_NRU };

/* plain: line number modulo sets. xor: the upper bits folded onto the index. ipoly: line number modulo an
 * irreducible polynomial over GF(2). fermi: address bits 7..11 exclusive-or {13, 14, 15, 17, 19}, bit 12 on
 * top with 64 sets. */
enum mem_index { MEM_INDEX_PLAIN, MEM_INDEX_XOR, MEM_INDEX_IPOLY, MEM_INDEX_FERMI };

enum { MEM_NO_FRAME = -1 };

struct mem_tags_config {
  uint32_t sets, ways; /* ways at most 64 */
  enum mem_replacement replacement;
  enum mem_index index;
};

struct mem_tags {
  struct mem_tags_config c;
  uint64_t *line;   /* per frame: line address, MEM_NO_LINE if free */
  uint64_t *used;   /* per frame: when it was last touched (LRU) */
  uint64_t *locked; /* per set: ways that may not be evicted */
  uint64_t *recent; /* per set: ways touched since the last sweep (NRU) */
  uint64_t clock;
  uint32_t index_bits, odd; /* sets = odd << index_bits */
  struct mem_gf2 *poly;     /* of the ipoly index */
};
#define MEM_NO_LINE UINT64_MAX

/* False and a sentence if sizes do not fit the index function. */
bool mem_tags_fits(const struct mem_tags_config *c, struct err *e);
void mem_tags_init(struct mem_tags *t, const struct mem_tags_config *c);
void mem_tags_free(struct mem_tags *t);

/* The set of an address (of any byte of the line). A cache behind an address map passes the address that is
 * left once the channel and slice are taken out, so that every set is used. */
uint32_t mem_tags_set(const struct mem_tags *t, uint64_t address);

/* Frame = set * ways + way. Finding does not touch. */
static inline int32_t mem_tags_find(const struct mem_tags *t, uint32_t set, uint64_t line) {
  const uint64_t *l = &t->line[(size_t)set * t->c.ways];
  for (uint32_t w = 0; w < t->c.ways; w++)
    if (l[w] == line) return (int32_t)(set * t->c.ways + w);
  return MEM_NO_FRAME;
}
void mem_tags_touch(struct mem_tags *t, int32_t frame);
/* A free frame, else the one to evict, else MEM_NO_FRAME when every way is locked. Changes nothing. */
int32_t mem_tags_victim(const struct mem_tags *t, uint32_t set);
/* Puts a line into a frame (over what was there) and touches it. */
void mem_tags_place(struct mem_tags *t, int32_t frame, uint64_t line);
void mem_tags_drop(struct mem_tags *t, int32_t frame);
void mem_tags_lock(struct mem_tags *t, int32_t frame);
void mem_tags_unlock(struct mem_tags *t, int32_t frame);

#endif
