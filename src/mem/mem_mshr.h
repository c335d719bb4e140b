/* Miss status holding registers: which lines are outstanding, and who waits for each.
 *
 * An entry is a line with the bytes that were requested from below. Those that wait are either packets, in order of
 * arrival and chained through their `next` (in L2, where a request waits), or owners, numbers that mean something to
 * the cache above, each with the bytes that it still waits for (in L1). A table has one kind or the other. It
 * allocates nothing after it has been made, and does not know why anybody waits; with packets, the cache looks
 * through the list when data comes. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include "mem/mem_mask.h"

enum { MEM_NO_MSHR = -1 };
/* The order in which owners are notified that their bytes have come. */
enum mem_mshr_order { MEM_OLDEST_FIRST, MEM_NEWEST_FIRST };

struct mem_waiter {
  uint32_t owner;
  int32_t next;           /* next waiter of the same entry, or next free one */
  struct mem_bytes bytes; /* bytes that it still waits for */
};

struct mem_mshr_entry {
  uint64_t line;
  struct mem_packet *first, *last; /* packets that wait */
  int32_t first_waiter, last_waiter;
  uint32_t waiting;       /* packets in the list; or owners that have joined, including those that have all their bytes by now */
  uint32_t frame;         /* where the data goes; kept by the cache */
  struct mem_bytes asked; /* requested from below and not yet here; where packets wait, kept by the cache */
  int32_t chain;          /* next entry in the same hash bucket or in the free list */
  uint8_t warp;           /* the warp whose load missed; kept by the cache */
  bool unkept;            /* the data is not to be kept when it comes; set by the cache */
};

struct mem_mshr {
  struct mem_mshr_entry *entries;
  int32_t *buckets;
  uint32_t n, merge, used, bucket_mask;
  uint64_t ended;                /* how many entries have ended since it was made */
  int32_t free;
  enum mem_mshr_order order;
  struct mem_waiter *waiters;    /* NULL: packets wait */
  uint32_t fresh;                /* first waiter that was never used; untouched ones take no memory of the host */
  int32_t free_waiter;
};

/* Makes a table of n entries with at most `merge` packets in each; the second function makes one for owners. */
void mem_mshr_init(struct mem_mshr *m, uint32_t n, uint32_t merge);
void mem_mshr_init_owners(struct mem_mshr *m, uint32_t n, uint32_t merge, enum mem_mshr_order order);
void mem_mshr_free(struct mem_mshr *m);

static inline int32_t *mem_mshr_bucket(const struct mem_mshr *m, uint64_t line) {
  enum { SMALLEST_LINE = 32 };
  return &m->buckets[(line / SMALLEST_LINE * 0x9e3779b97f4a7c15u >> 40) & m->bucket_mask];
}
static inline int32_t mem_mshr_find(const struct mem_mshr *m, uint64_t line) {
  int32_t at = *mem_mshr_bucket(m, line);
  while (at != MEM_NO_MSHR && m->entries[at].line != line) at = m->entries[at].chain;
  return at;
}
static inline bool mem_mshr_full(const struct mem_mshr *m) { return m->used == m->n; }
static inline bool mem_mshr_mergeable(const struct mem_mshr *m, int32_t at) {
  return m->entries[at].waiting < m->merge;
}
/* A new entry for a line that has none; the table must not be full. */
int32_t mem_mshr_new(struct mem_mshr *m, uint64_t line);
/* Ends an entry for which nobody waits. */
void mem_mshr_end(struct mem_mshr *m, int32_t at);

/* ---- packets ---- */

/* Appends a packet to an entry that is mergeable. */
void mem_mshr_wait(struct mem_mshr *m, int32_t at, struct mem_packet *k);
/* Takes the whole list of waiting packets out of an entry, oldest first; the entry stays. */
struct mem_packet *mem_mshr_take(struct mem_mshr *m, int32_t at);

/* ---- owners ---- */

/* Adds an owner to an entry that is mergeable. */
void mem_mshr_wait_for(struct mem_mshr *m, int32_t at, uint32_t owner, struct mem_bytes bytes);
/* Bytes have come: calls `done` for owners that now have all of theirs, and ends the entry when all that was requested is here. */
void mem_mshr_arrive(struct mem_mshr *m, int32_t at, struct mem_bytes bytes, void (*done)(void *user, uint32_t owner), void *user);

#endif
