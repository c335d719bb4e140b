/* See mem_mshr.h. */
#include "mem/mem_mshr.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

enum { NOBODY = -1 };

void mem_mshr_init(struct mem_mshr *m, uint32_t n, uint32_t merge) {
  uint32_t buckets = 1;
  while (buckets < 2 * n) buckets *= 2;
  *m = (struct mem_mshr){.n = n, .merge = merge, .bucket_mask = buckets - 1};
  m->entries = must_alloc(n * sizeof *m->entries);
  m->buckets = must_alloc(buckets * sizeof *m->buckets);
  for (uint32_t i = 0; i < buckets; i++) m->buckets[i] = MEM_NO_MSHR;
  for (uint32_t i = 0; i < n; i++) m->entries[i].chain = i + 1 < n ? (int32_t)(i + 1) : MEM_NO_MSHR;
  m->free = n ? 0 : MEM_NO_MSHR;
}

void mem_mshr_init_owners(struct mem_mshr *m, uint32_t n, uint32_t merge, enum mem_mshr_order order) {
  mem_mshr_init(m, n, merge);
  m->order = order;
  m->waiters = must_alloc((size_t)n * merge * sizeof *m->waiters);
  m->free_waiter = NOBODY;
}

void mem_mshr_free(struct mem_mshr *m) {
  free(m->entries);
  free(m->buckets);
  free(m->waiters);
  *m = (struct mem_mshr){0};
}

int32_t mem_mshr_new(struct mem_mshr *m, uint64_t line) {
  assert(!mem_mshr_full(m));
  int32_t at = m->free, *b = mem_mshr_bucket(m, line);
  struct mem_mshr_entry *e = &m->entries[at];
  m->free = e->chain;
  *e = (struct mem_mshr_entry){.line = line, .chain = *b, .first_waiter = NOBODY, .last_waiter = NOBODY};
  *b = at;
  m->used++;
  return at;
}

void mem_mshr_end(struct mem_mshr *m, int32_t at) {
  struct mem_mshr_entry *e = &m->entries[at];
  assert(!e->first && e->first_waiter == NOBODY);
  int32_t *link = mem_mshr_bucket(m, e->line);
  while (*link != at) link = &m->entries[*link].chain;
  *link = e->chain;
  e->chain = m->free;
  m->free = at;
  m->used--;
  m->ended++;
}

/* ---- packets ---- */

void mem_mshr_wait(struct mem_mshr *m, int32_t at, struct mem_packet *k) {
  struct mem_mshr_entry *e = &m->entries[at];
  assert(e->waiting < m->merge);
  k->next = NULL;
  if (e->last)
    e->last->next = k;
  else
    e->first = k;
  e->last = k;
  e->waiting++;
}

struct mem_packet *mem_mshr_take(struct mem_mshr *m, int32_t at) {
  struct mem_mshr_entry *e = &m->entries[at];
  struct mem_packet *k = e->first;
  e->first = e->last = NULL;
  e->waiting = 0;
  return k;
}

/* ---- owners ---- */

static int32_t new_waiter(struct mem_mshr *m) {
  int32_t w = m->free_waiter;
  if (w == NOBODY) return (int32_t)m->fresh++;
  m->free_waiter = m->waiters[w].next;
  return w;
}

void mem_mshr_wait_for(struct mem_mshr *m, int32_t at, uint32_t owner, struct mem_bytes bytes) {
  struct mem_mshr_entry *e = &m->entries[at];
  assert(m->waiters && e->waiting < m->merge);
  int32_t w = new_waiter(m);
  bool alone = e->first_waiter == NOBODY, newest = m->order == MEM_NEWEST_FIRST;
  m->waiters[w] = (struct mem_waiter){.owner = owner, .bytes = bytes, .next = newest ? e->first_waiter : NOBODY};
  if (!newest && !alone) m->waiters[e->last_waiter].next = w;
  if (newest || alone) e->first_waiter = w;
  if (!newest || alone) e->last_waiter = w;
  e->waiting++;
}

/* Takes a waiter that follows `before` (NOBODY: the first) out of an entry; returns the one after it. */
static int32_t take_out(struct mem_mshr *m, struct mem_mshr_entry *e, int32_t before, int32_t w) {
  int32_t next = m->waiters[w].next;
  if (before == NOBODY) e->first_waiter = next;
  else m->waiters[before].next = next;
  if (e->last_waiter == w) e->last_waiter = before;
  m->waiters[w].next = m->free_waiter;
  m->free_waiter = w;
  return next;
}

void mem_mshr_arrive(struct mem_mshr *m, int32_t at, struct mem_bytes bytes, void (*done)(void *user, uint32_t owner), void *user) {
  struct mem_mshr_entry *e = &m->entries[at];
  for (int32_t w = e->first_waiter, before = NOBODY; w != NOBODY;) {
    struct mem_waiter *k = &m->waiters[w];
    k->bytes = mem_minus(k->bytes, bytes);
    if (mem_none(k->bytes)) {
      uint32_t owner = k->owner;
      w = take_out(m, e, before, w);
      done(user, owner);
    } else {
      before = w;
      w = k->next;
    }
  }
  e->asked = mem_minus(e->asked, bytes);
  if (mem_none(e->asked)) mem_mshr_end(m, at);
}
