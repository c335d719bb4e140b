/* See shadow.h. */
#include "coop/shadow.h"

#include "base/arena.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 512 };

static uint32_t home_of(const struct coop_shadow *s, uint64_t line) {
  return (uint32_t)((line / MEM_LINE) * 0x9e3779b97f4a7c15u >> 40) & s->mask;
}

/* Where the line is, or the free slot where it would be. */
static uint32_t slot_of(const struct coop_shadow *s, uint64_t line) {
  uint32_t i = home_of(s, line);
  while (s->at[i].line && s->at[i].line != (line | 1)) i = (i + 1) & s->mask;
  return i;
}

static void grow(struct coop_shadow *s) {
  struct coop_shadow_entry *old = s->at;
  uint32_t n = old ? s->mask + 1 : 0, slots = n ? 2 * n : FIRST_SLOTS;
  s->at = must_alloc(slots * sizeof *s->at);
  s->mask = slots - 1;
  for (uint32_t i = 0; i < n; i++)
    if (old[i].line) s->at[slot_of(s, old[i].line - 1)] = old[i];
  free(old);
}

/* Later entries of the cluster move up, so that no search stops too early. */
static void take_out(struct coop_shadow *s, uint32_t hole) {
  for (uint32_t i = (hole + 1) & s->mask; s->at[i].line; i = (i + 1) & s->mask) {
    uint32_t home = home_of(s, s->at[i].line - 1);
    if (((i - home) & s->mask) < ((i - hole) & s->mask)) continue;
    s->at[hole] = s->at[i];
    hole = i;
  }
  s->at[hole] = (struct coop_shadow_entry){0};
  s->used--;
}

void coop_shadow_free(struct coop_shadow *s) {
  free(s->at);
  *s = (struct coop_shadow){0};
}

void coop_shadow_change(struct coop_shadow *s, uint64_t line, struct mem_bytes bytes, bool here) {
  if (!s->at || 2 * (s->used + 1) > s->mask) grow(s);
  struct coop_shadow_entry *e = &s->at[slot_of(s, line)];
  if (here) {
    s->used += !e->line;
    e->line = line | 1;
    e->here.b[0] |= bytes.b[0];
    e->here.b[1] |= bytes.b[1];
    return;
  }
  if (!e->line) return;
  e->here.b[0] &= ~bytes.b[0];
  e->here.b[1] &= ~bytes.b[1];
  if (!(e->here.b[0] | e->here.b[1])) take_out(s, (uint32_t)(e - s->at));
}

struct mem_bytes coop_shadow_held(const struct coop_shadow *s, uint64_t line) {
  if (!s->at) return (struct mem_bytes){{0, 0}};
  const struct coop_shadow_entry *e = &s->at[slot_of(s, line)];
  return e->line ? e->here : (struct mem_bytes){{0, 0}};
}
