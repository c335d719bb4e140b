/* The table of texture and surface descriptors: see texture.h. Handles are indices that are never used again;
 * the table grows while no kernel runs, so that a running kernel may keep pointers into it. */
#include "base/arena.h"
#include "exec/texture/texture.h"

#include <stdlib.h>

static struct {
  struct exec_texture **at; /* NULL: removed */
  size_t n, capacity;
} table;

uint64_t exec_texture_add(const struct exec_texture *t) {
  GROW(table.at, table.capacity, table.n + 1);
  struct exec_texture *copy = must_alloc(sizeof *copy);
  *copy = *t;
  table.at[table.n++] = copy;
  return table.n;
}

const struct exec_texture *exec_texture_find(uint64_t handle) {
  return handle && handle <= table.n ? table.at[handle - 1] : NULL;
}

bool exec_texture_change(uint64_t handle, const struct exec_texture *t) {
  if (!exec_texture_find(handle)) return false;
  *table.at[handle - 1] = *t;
  return true;
}

bool exec_texture_remove(uint64_t handle) {
  if (!exec_texture_find(handle)) return false;
  free(table.at[handle - 1]);
  table.at[handle - 1] = NULL;
  return true;
}
