/* A small read-only cache: constants, textures, instructions. Whole lines of 128 or 64 bytes, allocate on fill, misses merged: the tag
 * array and the MSHR table of src/mem with nothing of its own but the order of things.
 * Misses share the L1D's miss queue towards the network; replies are distinguished by their class. */
#ifndef L1_READONLY_H
#define L1_READONLY_H

#include "l1/l1.h"
#include "mem/mem_tags.h"

enum { RO_MAX_MISSES = 32, RO_MAX_WAITERS = 64 };

enum ro_stat { RO_S_ACCESSES, RO_S_HITS, RO_S_MISSES, RO_S_STALLS, RO_STATS };

struct ro_cache {
  uint8_t class_;      /* enum mem_class */
  bool half;           /* lines of 64 bytes */
  struct mem_tags tags;
  struct mem_mshr misses;
  struct l1 *l1;       /* whose miss queue is shared */
  uint64_t stats[RO_STATS];
};

struct ro_shape {
  uint64_t bytes;
  uint32_t ways;
  bool half; /* lines of 64 bytes, not of 128; the two halves of 128 bytes lie in one set */
  const struct mem_replacement *replacement; /* NULL: LRU */
};
void ro_init(struct ro_cache *c, const struct ro_shape *shape, enum mem_class class_, struct l1 *l1);
void ro_free(struct ro_cache *c);
/* L1_HIT, L1_MISS (owner is notified by ro_fill) or L1_STALL. */
enum l1_result ro_access(struct ro_cache *c, uint64_t line, uint32_t owner, uint64_t now);
void ro_fill(struct ro_cache *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user);
bool ro_holds(struct ro_cache *c, uint64_t line);
/* An access to what was loaded beforehand: always L1_HIT; a line that is not there is put there without any time passing. */
enum l1_result ro_access_preloaded(struct ro_cache *c, uint64_t line);
/* Asks for a line that nobody waits for yet, if it is neither there nor on its way and can be asked for. */
void ro_prefetch(struct ro_cache *c, uint64_t line, uint64_t now);
void ro_flush(struct ro_cache *c);

#endif
