/* See probe_table.h. */
#include "probe/probe_table.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static struct probe_slot *slot_of(const struct probe_table *t, uint64_t key) {
  size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & t->mask;
  while (t->slots[i].line && t->slots[i].line != key) i = (i + 1) & t->mask;
  return &t->slots[i];
}

static void grow(struct probe_table *t) {
  struct probe_table old = *t;
  size_t size = old.mask ? 2 * (old.mask + 1) : 1024;
  t->slots = must_alloc(size * sizeof *t->slots);
  t->mask = size - 1;
  for (size_t i = 0; old.mask && i <= old.mask; i++)
    if (old.slots[i].line) *slot_of(t, old.slots[i].line) = old.slots[i];
  free(old.slots);
}

uint32_t *probe_table_at(struct probe_table *t, uint64_t line, uint32_t fresh, bool *is_new) {
  if (2 * t->n >= t->mask) grow(t);
  struct probe_slot *s = slot_of(t, line + 1);
  *is_new = !s->line;
  if (*is_new) {
    *s = (struct probe_slot){line + 1, fresh};
    t->n++;
  }
  return &s->value;
}

void probe_table_clear(struct probe_table *t) {
  if (t->mask) memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
  t->n = 0;
}

void probe_table_free(struct probe_table *t) { free(t->slots); }
