/* See table.h. */
#include "base/table.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static size_t slots_of(const struct table *t) { return t->slots ? t->mask + 1 : 0; }

static void grow(struct table *t) {
  struct table old = *t;
  size_t n = slots_of(&old), slots = n ? 2 * n : FIRST_SLOTS;
  t->slots = must_alloc(slots * t->words * sizeof *t->slots);
  t->mask = slots - 1;
  for (size_t i = 0; i < n; i++) {
    const uint64_t *slot = old.slots + i * t->words;
    if (*slot) memcpy(table_slot(t, *slot - 1), slot, t->words * sizeof *slot);
  }
  free(old.slots);
}

void *table_put(struct table *t, uint64_t key, size_t bytes, bool *fresh) {
  if (!t->slots) t->words = 1 + (bytes + sizeof *t->slots - 1) / sizeof *t->slots;
  if (2 * (t->n + 1) > slots_of(t)) grow(t);
  uint64_t *slot = table_slot(t, key);
  *fresh = !*slot;
  if (*fresh) {
    *slot = key + 1;
    t->n++;
  }
  return slot + 1;
}

/* Later slots of the run move up, so that no search stops too early. */
void table_remove(struct table *t, uint64_t key) {
  size_t bytes = t->words * sizeof *t->slots, hole = (size_t)(table_slot(t, key) - t->slots) / t->words;
  for (size_t i = (hole + 1) & t->mask; t->slots[i * t->words]; i = (i + 1) & t->mask) {
    uint64_t *slot = t->slots + i * t->words;
    if (((i - table_home(t, *slot - 1)) & t->mask) < ((i - hole) & t->mask)) continue;
    memcpy(t->slots + hole * t->words, slot, bytes);
    hole = i;
  }
  memset(t->slots + hole * t->words, 0, bytes);
  t->n--;
}

void table_clear(struct table *t) {
  if (t->n) memset(t->slots, 0, slots_of(t) * t->words * sizeof *t->slots);
  t->n = 0;
}

void table_free(struct table *t) {
  free(t->slots);
  *t = (struct table){0};
}

void *table_next(const struct table *t, size_t *at, uint64_t *key) {
  while (*at < slots_of(t)) {
    uint64_t *slot = t->slots + (*at)++ * t->words;
    if (!*slot) continue;
    *key = *slot - 1;
    return slot + 1;
  }
  return NULL;
}
