/* See port.h. */
#include "mem/port.h"

#include "base/arena.h"

#include <stdlib.h>

void mem_port_init(struct mem_port *p, uint32_t capacity, uint32_t latency, struct mem_wake *consumer,
                   struct mem_wake *producer) {
  assert(capacity > 0 && latency > 0);
  *p = (struct mem_port){.capacity = capacity, .extra = latency - 1};
  p->ring = must_alloc(capacity * sizeof *p->ring);
  p->consumer = consumer;
  p->producer = producer;
}

void mem_port_free(struct mem_port *p) {
  free(p->ring);
  p->ring = NULL;
}
