/* See packet.h. Packets are carved from chunks and never returned to the host while the pool lives. */
#include "mem/packet.h"

#include "base/arena.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

struct mem_pool {
  struct arena arena;
  struct mem_packet *free;
  size_t out;
  bool shared;
  atomic_flag busy;
};

static void enter(struct mem_pool *p) {
  if (p->shared)
    while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {}
}
static void leave(struct mem_pool *p) {
  if (p->shared) atomic_flag_clear_explicit(&p->busy, memory_order_release);
}
void mem_pool_share(struct mem_pool *p) { p->shared = true; }

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
  enter(p);
  if (!p->free) refill(p);
  struct mem_packet *k = p->free;
  p->free = k->next;
  p->out++;
  leave(p);
  *k = (struct mem_packet){0};
  return k;
}

void mem_packet_free(struct mem_pool *p, struct mem_packet *k) {
  enter(p);
  k->next = p->free;
  p->free = k;
  p->out--;
  leave(p);
}

size_t mem_pool_out(const struct mem_pool *p) { return p->out; }
