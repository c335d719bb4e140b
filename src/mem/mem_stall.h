/* What a producer does when a port has no free slot.
 *
 * A port can be full until its consumer pops a packet, or only for the rest of this instant, because a slot that was
 * popped now may not be refilled before the next cycle. In the second case nobody will wake the producer: if it only
 * called mem_port_wait, it would sleep although a slot is free whenever the consumer happened to be visited first. */
#ifndef MEM_STALL_H
#define MEM_STALL_H

#include "mem/port.h"

/* Call it when mem_port_free_slots is 0. Returns when the producer should look again: in the next cycle, or MEM_NEVER
 * because the pop that frees a slot will wake it. */
static inline uint64_t mem_port_stall(struct mem_port *p, const struct mem_wake *producer, uint64_t now) {
  if (p->count < p->capacity) return mem_next_edge(producer, now);
  mem_port_wait(p);
  return MEM_NEVER;
}

static inline uint64_t mem_earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t mem_later(uint64_t a, uint64_t b) { return a > b ? a : b; }

#endif
