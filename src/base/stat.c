/* See stat.h. */
#include "base/stat.h"

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  const struct stat_def *def;
  const uint64_t **counters; /* one an instance */
  size_t n, cap;
};

/* Counters that follow each other, in memory and in the registry: a snapshot adds them without looking each up. */
struct run {
  const uint64_t *counters;
  size_t first, n; /* statistics */
};

struct runs {
  struct run *at;
  size_t n, cap;
  bool known; /* nothing has been registered since they were found */
};

struct stats {
  struct entry *entries;
  size_t n, cap;
  struct strmap by_name;
  struct runs *runs;
};

struct stats *stats_new(void) {
  struct stats *s = must_alloc(sizeof *s);
  s->runs = must_alloc(sizeof *s->runs);
  return s;
}

void stats_delete(struct stats *s) {
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) free(s->entries[i].counters);
  free(s->entries);
  strmap_free(&s->by_name);
  free(s->runs->at);
  free(s->runs);
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
  s->runs->known = false;
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

static void add_counter(struct runs *r, const uint64_t *counter, size_t statistic) {
  struct run *last = r->n ? &r->at[r->n - 1] : NULL;
  if (last && last->counters + last->n == counter && last->first + last->n == statistic) {
    last->n++;
    return;
  }
  GROW(r->at, r->cap, r->n + 1);
  r->at[r->n++] = (struct run){counter, statistic, 1};
}

static void find_runs(const struct stats *s) {
  size_t instances = 0;
  for (size_t i = 0; i < s->n; i++)
    if (s->entries[i].n > instances) instances = s->entries[i].n;
  s->runs->n = 0;
  for (size_t k = 0; k < instances; k++)
    for (size_t i = 0; i < s->n; i++)
      if (k < s->entries[i].n && s->entries[i].counters[k]) add_counter(s->runs, s->entries[i].counters[k], i);
  s->runs->known = true;
}

/* Four counters at a time: they are many, and are added up twice a launch. */
typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));

static void add_run(uint64_t *out, const struct run *r) {
  size_t i = 0;
  for (; i + 4 <= r->n; i += 4) *(four *)&out[r->first + i] += *(const four *)&r->counters[i];
  for (; i < r->n; i++) out[r->first + i] += r->counters[i];
}

void stats_snapshot(const struct stats *s, uint64_t *out) {
  if (!s->runs->known) find_runs(s);
  memset(out, 0, s->n * sizeof *out);
  for (const struct run *r = s->runs->at, *end = r + s->runs->n; r < end; r++) add_run(out, r);
}
