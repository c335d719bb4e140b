/* See stat.h. */
#include "base/stat.h"

#include "base/arena.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct entry {
  const struct stat_def *def;
  const uint64_t **counters; /* one an instance */
  size_t n, cap;
};

struct stats {
  struct entry *entries;
  size_t n, cap;
  struct strmap by_name;
};

struct stats *stats_new(void) { return must_alloc(sizeof(struct stats)); }

void stats_delete(struct stats *s) {
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) free(s->entries[i].counters);
  free(s->entries);
  strmap_free(&s->by_name);
  free(s);
}

static struct entry *find(struct stats *s, const struct stat_def *def) {
  uint32_t at;
  if (strmap_get(&s->by_name, def->name, strlen(def->name), &at)) return &s->entries[at];
  GROW(s->entries, s->cap, s->n + 1);
  s->entries[s->n] = (struct entry){.def = def};
  strmap_put(&s->by_name, def->name, strlen(def->name), (uint32_t)s->n);
  return &s->entries[s->n++];
}

void stats_register(struct stats *s, const struct stat_def *defs, size_t n, const uint64_t *counters,
                    unsigned instance) {
  for (size_t i = 0; i < n; i++) {
    struct entry *en = find(s, &defs[i]);
    while (en->n <= instance) {
      GROW(en->counters, en->cap, en->n + 1);
      en->counters[en->n++] = NULL;
    }
    en->counters[instance] = counters ? &counters[i] : en->counters[instance];
  }
}

size_t stats_count(const struct stats *s) { return s->n; }
const struct stat_def *stats_def(const struct stats *s, size_t i) { return s->entries[i].def; }
size_t stats_instances(const struct stats *s, size_t i) { return s->entries[i].n; }

uint64_t stats_instance(const struct stats *s, size_t i, size_t instance) {
  const uint64_t *c = s->entries[i].counters[instance];
  return c ? *c : 0;
}

uint64_t stats_total(const struct stats *s, size_t i) {
  uint64_t sum = 0;
  for (size_t k = 0; k < s->entries[i].n; k++) sum += stats_instance(s, i, k);
  return sum;
}

uint64_t stats_get(const struct stats *s, const char *name) {
  uint32_t at;
  return strmap_get(&s->by_name, name, strlen(name), &at) ? stats_total(s, at) : 0;
}

void stats_snapshot(const struct stats *s, uint64_t *out) {
  for (size_t i = 0; i < s->n; i++) out[i] = stats_total(s, i);
}
