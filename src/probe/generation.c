/* See generation.h. */
#include "probe/generation.h"

#include "base/arena.h"

#include <stdlib.h>

void generations_init(struct generations *s, const struct probe_shape *shape,
                      void (*ended)(void *user, const struct generation *g), void *user) {
  *s = (struct generations){.granule = shape->granule, .ended = ended, .user = user};
}

static uint8_t fetched_by(const struct generations *s, uint8_t sectors) {
  if (s->granule >= MEM_LINE) return 0xf;
  if (s->granule <= MEM_SECTOR) return sectors;
  return (uint8_t)((sectors & 3 ? 3 : 0) | (sectors & 12 ? 12 : 0));
}

static void begin(struct generations *s, struct generation *g, const struct mem_seen_access *a, uint8_t sectors) {
  *g = (struct generation){.fetched = fetched_by(s, sectors),
                           .first = sectors,
                           .used = sectors,
                           .degree = a->degree,
                           .accesses = 1,
                           .bytes = a->bytes};
}

void generations_access(struct generations *s, const struct mem_seen_access *a) {
  if (a->result == MEM_SEEN_BYPASS) return;
  bool is_new;
  size_t *i = table_put(&s->index, a->line, sizeof *i, &is_new);
  uint8_t sectors = mem_sectors_of(a->bytes);
  if (is_new) {
    *i = s->n;
    GROW(s->at, s->cap, s->n + 1);
    begin(s, &s->at[s->n++], a, sectors);
    return;
  }
  struct generation *g = &s->at[*i];
  if (a->result == MEM_SEEN_MISS && !(sectors & (uint8_t)~g->fetched)) {
    s->ended(s->user, g);
    begin(s, g, a, sectors);
    return;
  }
  g->fetched |= fetched_by(s, sectors);
  g->strayed |= (sectors & (uint8_t)~g->first) != 0;
  g->used |= sectors;
  g->reused |= sectors;
  g->accesses++;
  g->bytes.b[0] |= a->bytes.b[0];
  g->bytes.b[1] |= a->bytes.b[1];
}

void generations_end(struct generations *s) {
  for (size_t i = 0; i < s->n; i++) s->ended(s->user, &s->at[i]);
  s->n = 0;
  table_clear(&s->index);
}

void generations_free(struct generations *s) {
  table_free(&s->index);
  free(s->at);
}
