/* See packet.h. Packets are carved from chunks and never returned to the host while the pool lives. */
#include "mem/packet.h"

#include "base/arena.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024, BATCH = 32 };

struct mem_pool {
  struct arena arena;
  struct mem_packet *free;
  size_t stock; /* of a branch: how many are in `free` */
  int64_t out;  /* of a branch: less than none where it got back more than it gave */
  struct mem_pool *trunk; /* NULL: not a branch */
  struct mem_pool *branches, *next;
  atomic_flag busy;
};

static void enter(struct mem_pool *p) {
  if (p->branches)
    while (atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {}
}
static void leave(struct mem_pool *p) {
  if (p->branches) atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

struct mem_pool *mem_pool_new(void) { return must_alloc_lines(sizeof(struct mem_pool)); }

struct mem_pool *mem_pool_branch(struct mem_pool *p) {
  struct mem_pool *b = mem_pool_new();
  b->trunk = p;
  b->next = p->branches;
  p->branches = b;
  return b;
}

void mem_pool_delete(struct mem_pool *p) {
  if (!p) return;
  for (struct mem_pool *b = p->branches, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  arena_free(&p->arena);
  free(p);
}

static void refill(struct mem_pool *p) {
  uintptr_t at = (uintptr_t)arena_alloc(&p->arena, CHUNK * sizeof(struct mem_packet) + MEM_HOST_LINE);
  struct mem_packet *chunk = (struct mem_packet *)((at + MEM_HOST_LINE - 1) / MEM_HOST_LINE * MEM_HOST_LINE);
  for (size_t i = 0; i < CHUNK; i++) {
    chunk[i].next = p->free;
    p->free = &chunk[i];
  }
}

static struct mem_packet *pop(struct mem_pool *p) {
  struct mem_packet *k = p->free;
  p->free = k->next;
  return k;
}

static void push(struct mem_pool *p, struct mem_packet *k) {
  k->next = p->free;
  p->free = k;
}

static void take_batch(struct mem_pool *b) {
  enter(b->trunk);
  for (; b->stock < BATCH; b->stock++) {
    if (!b->trunk->free) refill(b->trunk);
    push(b, pop(b->trunk));
  }
  leave(b->trunk);
}

static void return_batch(struct mem_pool *b) {
  enter(b->trunk);
  for (; b->stock > BATCH; b->stock--) push(b->trunk, pop(b));
  leave(b->trunk);
}

struct mem_packet *mem_packet_new(struct mem_pool *p) {
  struct mem_packet *k;
  if (p->trunk) {
    if (!p->stock) take_batch(p);
    k = pop(p);
    p->stock--;
    p->out++;
  } else {
    enter(p);
    if (!p->free) refill(p);
    k = pop(p);
    p->out++;
    leave(p);
  }
  *k = (struct mem_packet){0};
  return k;
}

void mem_packet_free(struct mem_pool *p, struct mem_packet *k) {
  if (p->trunk) {
    push(p, k);
    p->out--;
    if (++p->stock > 2 * BATCH) return_batch(p);
    return;
  }
  enter(p);
  push(p, k);
  p->out--;
  leave(p);
}

size_t mem_pool_out(const struct mem_pool *p) {
  int64_t out = p->out;
  for (const struct mem_pool *b = p->branches; b; b = b->next) out += b->out;
  return (size_t)out;
}
