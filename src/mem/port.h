/* Time and ports.
 *
 * Time is one integer. It counts ticks of a unit of which every clock period of the GPU is a whole multiple (exact
 * ratios: 700 and 924 MHz have periods of 33 and 25 ticks). A component is visited only at the edges of its own clock
 * domain, and only when it has something to do: its tick returns the time at which it wants to be visited next, and a
 * packet that is pushed into one of its input ports wakes it earlier.
 *
 * A port is a bounded queue between two components, with a latency of at least one cycle of the consumer. What is
 * pushed at time t is seen at t + latency, and a slot that is freed at time t can be refilled only after t. So the
 * order in which components are visited within one instant cannot change a result. Pushing into a full port is a bug.
 *
 * The slots of a port are not a struct mem_ring (mem_ring.h): packets stay in order of arrival, and together with
 * what wakes its two components a port fills exactly one cache line of the host. */
#ifndef MEM_PORT_H
#define MEM_PORT_H

#include "mem/packet.h"

#include <assert.h>

#define MEM_NEVER UINT64_MAX

/* A component's place in the run loop. */
struct mem_wake {
  uint64_t at;      /* next visit, MEM_NEVER: asleep */
  uint64_t period;  /* of its clock domain, in ticks */
  bool shared;      /* several threads may wake it at once */
  uint64_t *filled; /* set of its ports, by their numbers, that may hold packets; NULL: not used */
  uint64_t *awake, bit; /* a word of the run loop in which `bit` is set while it may be awake; NULL: not used */
  uint64_t *copy;       /* a copy of `at` beside those of others, for the run loop; NULL if `awake` is */
};

/* Sets bits in a word, which others may change at the same time if `shared`. */
static inline void mem_set_bits(uint64_t *word, uint64_t bits, bool shared) {
  if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) == bits) return;
  if (shared) __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
  else *word |= bits;
}
/* The first edge of the clock domain at or after t. */
static inline uint64_t mem_edge(const struct mem_wake *w, uint64_t t) {
  uint64_t r = t % w->period;
  return r ? t + w->period - r : t;
}
/* The first edge after t: "next cycle". */
static inline uint64_t mem_next_edge(const struct mem_wake *w, uint64_t t) { return t - t % w->period + w->period; }
/* Puts a component to sleep until it is woken. */
static inline void mem_sleep(struct mem_wake *w) {
  w->at = MEM_NEVER;
  if (w->copy) *w->copy = MEM_NEVER;
}
/* Lowers *at to t if that is earlier. If several threads do so at once, the earliest time wins. An atomic exchange
 * costs as much as twenty instructions, so a single thread does without. */
static inline void mem_lower(uint64_t *at, uint64_t t, bool shared) {
  uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
  if (!shared) *at = t < old ? t : old;
  else
    while (t < old && !__atomic_compare_exchange_n(at, &old, t, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
/* Wakes a component at t, if it would sleep longer. With several threads, two neighbours may do so at once. */
static inline void mem_wake_at(struct mem_wake *w, uint64_t t) {
  if (t >= __atomic_load_n(&w->at, __ATOMIC_RELAXED)) return;
  mem_lower(&w->at, t, w->shared);
  if (!w->awake) return;
  mem_set_bits(w->awake, w->bit, w->shared);
  mem_lower(w->copy, t, w->shared);
}

struct mem_slot {
  struct mem_packet *k;
  uint64_t ready;
};

/* A port is one cache line, so that threads which use neighbouring ports of an array (must_alloc_lines) do not slow each other down. */
struct mem_port {
  struct mem_slot *ring;
  uint32_t capacity, head, count;
  uint32_t extra;           /* cycles beyond the first before a packet is seen */
  uint64_t unpack;          /* additional time until a compressed packet is seen, in whole periods of the consumer */
  uint64_t pop_time;        /* time of the last pop, and the number of pops then, whose slots are not yet free for the producer */
  uint32_t pops;
  uint16_t number;          /* among the consumer's ports */
  bool waiting;             /* the producer wants to be woken when a slot becomes free */
  struct mem_wake *consumer, *producer;
};
_Static_assert(sizeof(void *) != 8 || sizeof(struct mem_port) == 64, "a port is one cache line");

void mem_port_init(struct mem_port *p, uint32_t capacity, uint32_t latency, struct mem_wake *consumer,
                   struct mem_wake *producer);
void mem_port_free(struct mem_port *p);

/* The slots that a producer may fill at time now. */
static inline uint32_t mem_port_free_slots(const struct mem_port *p, uint64_t now) {
  uint32_t used = p->count + (p->pop_time == now ? p->pops : 0);
  return p->capacity - used;
}
/* When a packet that arrives at `ready` can be seen if compressed packets are decompressed first: packets stay in
 * order, so one that is being decompressed holds up those behind it. */
static inline uint64_t mem_port_unpacked(const struct mem_port *p, const struct mem_packet *k, uint64_t ready) {
  if (k->packed) ready += p->unpack;
  uint64_t last = p->count ? p->ring[(p->head + p->count - 1) % p->capacity].ready : 0;
  return last > ready ? last : ready;
}
/* The consumer's next clock edge. A producer pushes at an edge of its own clock, so no division is needed if both have the same period. */
static inline uint64_t mem_port_edge(const struct mem_port *p, uint64_t now) {
  uint64_t period = p->consumer->period;
  return p->producer && p->producer->period == period ? now + period : mem_next_edge(p->consumer, now);
}
static inline void mem_port_push(struct mem_port *p, struct mem_packet *k, uint64_t now) {
  assert(p->pop_time <= now && mem_port_free_slots(p, now) > 0);
  uint64_t ready = mem_port_edge(p, now) + p->extra * p->consumer->period;
  uint32_t at = p->head + p->count;
  if (p->unpack) ready = mem_port_unpacked(p, k, ready);
  p->ring[at < p->capacity ? at : at - p->capacity] = (struct mem_slot){k, ready};
  p->count++;
  struct mem_wake *w = p->consumer;
  if (w->filled) mem_set_bits(&w->filled[p->number / 64], UINT64_C(1) << p->number % 64, w->shared);
  mem_wake_at(w, ready);
}
/* The oldest packet if it can be seen at `now`, else NULL. */
static inline struct mem_packet *mem_port_peek(const struct mem_port *p, uint64_t now) {
  return p->count && p->ring[p->head].ready <= now ? p->ring[p->head].k : NULL;
}
static inline struct mem_packet *mem_port_pop(struct mem_port *p, uint64_t now) {
  assert(p->count && p->pop_time <= now && p->ring[p->head].ready <= now);
  struct mem_packet *k = p->ring[p->head].k;
  p->head = p->head + 1 < p->capacity ? p->head + 1 : 0;
  p->count--;
  if (p->pop_time != now) p->pop_time = now, p->pops = 0;
  p->pops++;
  if (p->waiting) {
    p->waiting = false;
    mem_wake_at(p->producer, mem_next_edge(p->producer, now));
  }
  return k;
}
/* When the consumer should look again: when the oldest packet can be seen, or MEM_NEVER if the port is empty. */
static inline uint64_t mem_port_next(const struct mem_port *p) {
  return p->count ? p->ring[p->head].ready : MEM_NEVER;
}
/* A producer that found no free slot asks to be woken. */
static inline void mem_port_wait(struct mem_port *p) { p->waiting = true; }

#endif
