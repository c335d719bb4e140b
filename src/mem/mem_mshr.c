/* See mem_mshr.h. */
#include "mem/mem_mshr.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

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

void mem_mshr_free(struct mem_mshr *m) {
  free(m->entries);
  free(m->buckets);
  *m = (struct mem_mshr){0};
}

static int32_t *bucket(const struct mem_mshr *m, uint64_t line) {
  return &m->buckets[(line / MEM_LINE * 0x9e3779b97f4a7c15u >> 40) & m->bucket_mask];
}

int32_t mem_mshr_find(const struct mem_mshr *m, uint64_t line) {
  int32_t at = *bucket(m, line);
  while (at != MEM_NO_MSHR && m->entries[at].line != line) at = m->entries[at].chain;
  return at;
}

int32_t mem_mshr_new(struct mem_mshr *m, uint64_t line) {
  assert(!mem_mshr_full(m));
  int32_t at = m->free, *b = bucket(m, line);
  struct mem_mshr_entry *e = &m->entries[at];
  m->free = e->chain;
  *e = (struct mem_mshr_entry){.line = line, .chain = *b};
  *b = at;
  m->used++;
  return at;
}

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

void mem_mshr_end(struct mem_mshr *m, int32_t at) {
  struct mem_mshr_entry *e = &m->entries[at];
  assert(!e->first);
  int32_t *link = bucket(m, e->line);
  while (*link != at) link = &m->entries[*link].chain;
  *link = e->chain;
  e->chain = m->free;
  m->free = at;
  m->used--;
}
