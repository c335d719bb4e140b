/* Miss status holding registers: which lines are on their way, and the packets that wait for each.
 *
 * An entry is a line with the sectors asked for from below and a list of waiting packets in order of arrival
 * (chained through their `next`). The table never allocates after it is made. It does not know why a packet
 * waits: the cache looks through the list when data comes. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include "mem/packet.h"

enum { MEM_NO_MSHR = -1 };

struct mem_mshr_entry {
  uint64_t line;
  struct mem_packet *first, *last;
  uint32_t waiting; /* packets in the list */
  uint8_t pending;  /* sectors asked for and not yet here; kept by the cache */
  uint32_t frame;   /* where the data goes; kept by the cache */
  int32_t chain;    /* next entry of the same hash bucket, or of the free list */
};

struct mem_mshr {
  struct mem_mshr_entry *entries;
  int32_t *buckets;
  uint32_t n, merge, used, bucket_mask;
  int32_t free;
};

/* n entries, at most merge packets in each. */
void mem_mshr_init(struct mem_mshr *m, uint32_t n, uint32_t merge);
void mem_mshr_free(struct mem_mshr *m);

int32_t mem_mshr_find(const struct mem_mshr *m, uint64_t line);
static inline bool mem_mshr_full(const struct mem_mshr *m) { return m->used == m->n; }
static inline bool mem_mshr_mergeable(const struct mem_mshr *m, int32_t at) {
  return m->entries[at].waiting < m->merge;
}
/* A new entry for a line that has none; the table must not be full. */
int32_t mem_mshr_new(struct mem_mshr *m, uint64_t line);
/* Appends a packet to an entry that is mergeable. */
void mem_mshr_wait(struct mem_mshr *m, int32_t at, struct mem_packet *k);
/* Takes the whole list of waiting packets out of an entry, oldest first; the entry stays. */
struct mem_packet *mem_mshr_take(struct mem_mshr *m, int32_t at);
/* Ends an entry without waiting packets. */
void mem_mshr_end(struct mem_mshr *m, int32_t at);

#endif
