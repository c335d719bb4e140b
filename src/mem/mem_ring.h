/* A bounded queue inside one component, of packets with the time from which each may go on: for pipelines, and for
 * queues in front of a port. Unlike a port it wakes nobody, and a slot is free as soon as its packet is taken. Where
 * packets may go on at once their time is 0. Pushing into a full ring is a bug. */
#ifndef MEM_RING_H
#define MEM_RING_H

#include "base/arena.h"
#include "mem/port.h"

#include <stdlib.h>

struct mem_ring {
  struct mem_slot *at;
  uint32_t capacity, head, count;
};

static inline void mem_ring_init(struct mem_ring *r, uint32_t capacity) {
  *r = (struct mem_ring){must_alloc(capacity * sizeof *r->at), capacity, 0, 0};
}
static inline void mem_ring_free(struct mem_ring *r) {
  free(r->at);
  *r = (struct mem_ring){0};
}
static inline uint32_t mem_ring_free_slots(const struct mem_ring *r) { return r->capacity - r->count; }
/* The i-th slot, counted from the first. */
static inline struct mem_slot *mem_ring_at(const struct mem_ring *r, uint32_t i) {
  uint32_t p = r->head + i;
  return &r->at[p < r->capacity ? p : p - r->capacity];
}
/* The first slot; NULL: the ring is empty. */
static inline struct mem_slot *mem_ring_head(const struct mem_ring *r) { return r->count ? &r->at[r->head] : NULL; }
/* When the first packet may go on; MEM_NEVER: the ring is empty. */
static inline uint64_t mem_ring_next(const struct mem_ring *r) { return r->count ? r->at[r->head].ready : MEM_NEVER; }
static inline struct mem_packet *mem_ring_pop(struct mem_ring *r) {
  struct mem_packet *k = r->at[r->head].k;
  r->head = r->head + 1 < r->capacity ? r->head + 1 : 0;
  r->count--;
  return k;
}
/* Inserts a packet in order of time; packets with equal times stay in order of arrival. */
static inline void mem_ring_push(struct mem_ring *r, struct mem_packet *k, uint64_t ready) {
  assert(r->count < r->capacity);
  uint32_t i = r->count++;
  for (; i > 0 && mem_ring_at(r, i - 1)->ready > ready; i--) *mem_ring_at(r, i) = *mem_ring_at(r, i - 1);
  *mem_ring_at(r, i) = (struct mem_slot){k, ready};
}

#endif
