/* See packet.h. Packets are carved from chunks and never returned to the host while the pool lives. */
#include "mem/packet.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

struct mem_pool {
  struct arena arena;
  struct mem_packet *free;
  size_t out;
};

struct mem_pool *mem_pool_new(void) { return must_alloc(sizeof(struct mem_pool)); }

void mem_pool_delete(struct mem_pool *p) {
  if (!p) return;
  arena_free(&p->arena);
  free(p);
}

static void refill(struct mem_pool *p) {
  struct mem_packet *chunk = ARENA_ARRAY(&p->arena, struct mem_packet, CHUNK);
  for (size_t i = 0; i < CHUNK; i++) {
    chunk[i].next = p->free;
    p->free = &chunk[i];
  }
}

struct mem_packet *mem_packet_new(struct mem_pool *p) {
  if (!p->free) refill(p);
  struct mem_packet *k = p->free;
  p->free = k->next;
  *k = (struct mem_packet){0};
  p->out++;
  return k;
}

void mem_packet_free(struct mem_pool *p, struct mem_packet *k) {
  k->next = p->free;
  p->free = k;
  p->out--;
}

size_t mem_pool_out(const struct mem_pool *p) { return p->out; }
