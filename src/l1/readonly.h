/* A small read-only cache for constants, textures or instructions: whole lines of 128 or 64 bytes, allocated on fill,
 * misses merged. It is built from the tag array and the MSHR table of src/mem and adds only the order of their use.
 * Its misses go through the L1D's miss queue towards the network; replies are told apart by their class. */
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
  struct l1 *l1;       /* the L1D whose miss queue it uses */
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
/* Looks up a line: L1_HIT, L1_MISS (ro_fill calls `done` for the owner) or L1_STALL (no MSHR or queue slot is free: try again). */
enum l1_result ro_access(struct ro_cache *c, uint64_t line, uint32_t owner, uint64_t now);
void ro_fill(struct ro_cache *c, const struct mem_packet *reply, void (*done)(void *user, uint32_t owner), void *user);
bool ro_holds(struct ro_cache *c, uint64_t line);
/* An access to data that counts as loaded beforehand: always L1_HIT. A line that is not in the cache is put there
 * without any time passing. */
enum l1_result ro_access_preloaded(struct ro_cache *c, uint64_t line);
/* Requests a line for which nobody waits yet, unless it is here or outstanding, or no MSHR or queue slot is free. */
void ro_prefetch(struct ro_cache *c, uint64_t line, uint64_t now);
void ro_flush(struct ro_cache *c);

#endif
