/* The registry of live handles: a hash set of addresses with their kinds. An address that is not in it is not
 * an object, whatever a program says. Called with the lock held. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>

struct slot {
  const void *object; /* NULL: empty */
  uint8_t kind;
  bool removed; /* a stone to step over */
};

static struct {
  struct slot *slots;
  size_t mask, used; /* used counts stones too */
} set;

static size_t place(const void *p) {
  uint64_t z = (uintptr_t)p >> 4;
  z = (z ^ (z >> 29)) * 0x9e3779b97f4a7c15u;
  return (size_t)(z ^ (z >> 32));
}

static struct slot *find(const void *p) {
  if (!p || !set.slots) return NULL;
  for (size_t i = place(p);; i++) {
    struct slot *s = &set.slots[i & set.mask];
    if (!s->object) return NULL;
    if (s->object == p && !s->removed) return s;
  }
}

static void insert(const void *p, uint8_t kind) {
  size_t i = place(p);
  while (set.slots[i & set.mask].object) i++;
  set.slots[i & set.mask] = (struct slot){.object = p, .kind = kind};
  set.used++;
}

static void rehash(void) {
  struct slot *old = set.slots;
  size_t n = old ? set.mask + 1 : 0, live = 0;
  for (size_t i = 0; i < n; i++) live += old[i].object && !old[i].removed;
  size_t size = 256;
  while (size < 4 * (live + 1)) size *= 2;
  set.slots = must_alloc(size * sizeof *set.slots);
  set.mask = size - 1;
  set.used = 0;
  for (size_t i = 0; i < n; i++)
    if (old[i].object && !old[i].removed) insert(old[i].object, old[i].kind);
  free(old);
}

void cuda_object_register(void *object) {
  if (!set.slots || 2 * set.used >= set.mask) rehash();
  insert(object, ((struct cuda_object *)object)->kind);
}

void *cuda_object_new(enum cuda_kind kind, struct CUctx_st *ctx, size_t bytes) {
  struct cuda_object *o = must_alloc(bytes);
  o->kind = (uint8_t)kind;
  o->ctx = ctx;
  cuda_object_register(o);
  return o;
}

void cuda_object_forget(void *object) {
  struct slot *s = find(object);
  if (s) s->removed = true;
}

void cuda_object_delete(void *object) {
  cuda_object_forget(object);
  free(object);
}

enum cuda_kind cuda_kind_of(const void *handle) {
  struct slot *s = find(handle);
  return s ? (enum cuda_kind)s->kind : CUDA_K_NONE;
}

bool cuda_is(const void *handle, enum cuda_kind kind) { return cuda_kind_of(handle) == kind; }

void cuda_each(enum cuda_kind kind, const struct CUctx_st *ctx, void (*fn)(void *object)) {
  if (!set.slots) return;
  size_t n = 0, size = set.mask + 1;
  void **found = must_alloc(size * sizeof *found);
  for (size_t i = 0; i < size; i++) {
    const struct slot *s = &set.slots[i];
    if (!s->object || s->removed || s->kind != kind) continue;
    const struct cuda_object *o = s->object;
    if (!ctx || o->ctx == ctx) found[n++] = (void *)(uintptr_t)s->object;
  }
  for (size_t i = 0; i < n; i++)
    if (cuda_is(found[i], kind)) fn(found[i]);
  free(found);
}
