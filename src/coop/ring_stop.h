/* A stop of a ring, of which rings are made: the link from the stop before it, and the queue behind that link. What
 * rings do is in ring.c.
 *
 * Whatever enters a ring must leave one slot of the stop's queue free (ring_enters), while moving on needs only one.
 * So there is always a free slot somewhere in a ring, and the packet before it can move. */
#ifndef COOP_RING_STOP_H
#define COOP_RING_STOP_H

#include "mem/mem_ring.h"

struct ring_stop {
  struct mem_port in;
  struct ring_stop *next;    /* the stop at the end of its own link */
  uint64_t link_free;        /* that link is busy until then */
  struct mem_ring queue;
  uint32_t hop;              /* cycles of a link */
  uint64_t *writes, *flits;  /* counters: entries into the queue, flits over the link */
};

static inline void ring_stop_init(struct ring_stop *s, uint32_t capacity, uint32_t hop, struct mem_wake *wake) {
  s->hop = hop;
  mem_ring_init(&s->queue, capacity);
  mem_port_init(&s->in, hop + 1, hop, wake, wake);
}
static inline void ring_stop_free(struct ring_stop *s) {
  if (s->queue.at) mem_port_free(&s->in);
  mem_ring_free(&s->queue);
}

static inline uint32_t ring_free_slots(const struct ring_stop *s) { return mem_ring_free_slots(&s->queue); }
static inline bool ring_enters(const struct ring_stop *s) { return ring_free_slots(s) >= 2; }
static inline struct mem_packet *ring_head(const struct ring_stop *s) {
  const struct mem_slot *first = mem_ring_head(&s->queue);
  return first ? first->k : NULL;
}
static inline uint32_t ring_inside(const struct ring_stop *s) { return s->queue.count + s->in.count; }

static inline void ring_put(struct ring_stop *s, struct mem_packet *k) {
  mem_ring_push(&s->queue, k, 0);
  ++*s->writes;
}
static inline struct mem_packet *ring_take(struct ring_stop *s) { return mem_ring_pop(&s->queue); }

/* Takes one packet from the link into the queue; false: none is there, or the queue is full. */
static inline bool ring_take_link(struct ring_stop *s, uint64_t now) {
  if (!mem_port_peek(&s->in, now) || !ring_free_slots(s)) return false;
  ring_put(s, mem_port_pop(&s->in, now));
  return true;
}

static inline uint32_t ring_flits(uint32_t bytes, uint32_t width) { return (bytes + width - 1) / width; }

/* Whether the head of the queue could be sent over the link into a port at its end. */
static inline bool ring_can_send(const struct ring_stop *s, const struct mem_port *to, uint64_t now) {
  return s->link_free <= now && mem_port_free_slots(to, now);
}
/* Occupies the link for this many flits. */
static inline void ring_use_link(struct ring_stop *s, uint32_t flits, uint64_t now) {
  s->link_free = now + flits * s->in.consumer->period;
  *s->flits += flits;
}
/* Sends a packet over the link into the port at its end, which sees it when the first flit has come or, with `whole`, when all have. */
static inline void ring_send(struct ring_stop *s, struct mem_packet *k, struct mem_port *to, uint32_t flits, bool whole, uint64_t now) {
  k->sent = now;
  to->extra = s->hop - 1 + (whole ? flits - 1 : 0);
  mem_port_push(to, k, now);
  ring_use_link(s, flits, now);
}

#endif
