/* The registry of live handles: their addresses with their kinds. An address that is not in it is not an object, whatever a program says.
 * Called with the lock held. */
#include "base/arena.h"
#include "base/table.h"
#include "cuda/state.h"

#include <stdlib.h>

static struct table live; /* by address, kinds: uint8_t */

void cuda_object_register(void *object) {
  bool fresh;
  *(uint8_t *)table_put(&live, (uintptr_t)object, sizeof(uint8_t), &fresh) = ((struct cuda_object *)object)->kind;
}

void *cuda_object_new(enum cuda_kind kind, struct CUctx_st *ctx, size_t bytes) {
  struct cuda_object *o = must_alloc(bytes);
  o->kind = (uint8_t)kind;
  o->ctx = ctx;
  cuda_object_register(o);
  return o;
}

void cuda_object_forget(void *object) {
  if (table_find(&live, (uintptr_t)object)) table_remove(&live, (uintptr_t)object);
}

void cuda_object_delete(void *object) {
  cuda_object_forget(object);
  free(object);
}

enum cuda_kind cuda_kind_of(const void *handle) {
  const uint8_t *kind = table_find(&live, (uintptr_t)handle);
  return kind ? (enum cuda_kind)*kind : CUDA_K_NONE;
}

bool cuda_is(const void *handle, enum cuda_kind kind) { return cuda_kind_of(handle) == kind; }

void cuda_each(enum cuda_kind kind, const struct CUctx_st *ctx, void (*fn)(void *object)) {
  void **found = must_alloc((live.n + 1) * sizeof *found);
  uint64_t address;
  size_t n = 0, at = 0;
  for (const uint8_t *k; (k = table_next(&live, &at, &address)) != NULL;) {
    struct cuda_object *o = (struct cuda_object *)(uintptr_t)address;
    if (*k == kind && (!ctx || o->ctx == ctx)) found[n++] = o;
  }
  for (size_t i = 0; i < n; i++)
    if (cuda_is(found[i], kind)) fn(found[i]);
  free(found);
}
