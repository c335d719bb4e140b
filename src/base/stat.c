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
  const uint64_t **stamps;   /* what they change with; NULL: anything */
  size_t n, cap, stamps_cap;
};

/* Counters that follow each other, in memory and in the registry: a snapshot adds them without looking each up. */
struct run {
  const uint64_t *counters;
  size_t first, n; /* statistics */
};

/* Runs that follow each other and change with one stamp. */
struct group {
  const uint64_t *stamp; /* NULL: always */
  uint64_t seen;         /* the stamp when they were last added */
  size_t first, n;       /* runs */
  uint64_t *last;        /* what their counters were then */
};

struct groups {
  struct group *at;
  size_t n, cap;
};

struct runs {
  struct run *at;
  size_t n, cap;
  struct groups watched, always; /* those with a stamp, of which there are many, and those without */
  uint64_t *sums;                /* of the groups with a stamp, by statistic */
  bool known;     /* nothing has been registered since they were found */
};

struct stats {
  struct entry *entries;
  size_t n, cap;
  struct strmap by_name;
  const uint64_t *stamp; /* of what is registered */
  struct runs *runs;
};

struct stats *stats_new(void) {
  struct stats *s = must_alloc(sizeof *s);
  s->runs = must_alloc(sizeof *s->runs);
  return s;
}

static void forget_groups(struct runs *r) {
  for (size_t i = 0; i < r->watched.n; i++) free(r->watched.at[i].last);
  free(r->sums);
  r->sums = NULL;
  r->n = r->watched.n = r->always.n = 0;
}

void stats_delete(struct stats *s) {
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) {
    free(s->entries[i].counters);
    free(s->entries[i].stamps);
  }
  free(s->entries);
  strmap_free(&s->by_name);
  forget_groups(s->runs);
  free(s->runs->watched.at);
  free(s->runs->always.at);
  free(s->runs->at);
  free(s->runs);
  free(s);
}

void stats_watch(struct stats *s, const uint64_t *stamp) { s->stamp = stamp; }

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
      GROW(en->stamps, en->stamps_cap, en->n + 1);
      en->counters[en->n] = en->stamps[en->n] = NULL;
      en->n++;
    }
    if (!counters) continue;
    en->counters[instance] = &counters[i];
    en->stamps[instance] = s->stamp;
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

static void add_counter(struct runs *r, const uint64_t *counter, const uint64_t *stamp, size_t statistic) {
  struct run *last = r->n ? &r->at[r->n - 1] : NULL;
  struct groups *of = stamp ? &r->watched : &r->always;
  struct group *group = of->n ? &of->at[of->n - 1] : NULL;
  bool same = group && group->stamp == stamp && group->first + group->n == r->n;
  if (same && last->counters + last->n == counter && last->first + last->n == statistic) {
    last->n++;
    return;
  }
  if (!same) {
    GROW(of->at, of->cap, of->n + 1);
    group = &of->at[of->n++];
    *group = (struct group){.stamp = stamp, .first = r->n};
  }
  GROW(r->at, r->cap, r->n + 1);
  r->at[r->n++] = (struct run){counter, statistic, 1};
  group->n++;
}

/* They have counted nothing when they were last added. */
static void begin_group(const struct runs *r, struct group *g) {
  size_t counters = 0;
  for (size_t i = g->first; i < g->first + g->n; i++) counters += r->at[i].n;
  g->last = must_alloc(counters * sizeof *g->last);
  g->seen = *g->stamp - 1;
}

static void find_runs(const struct stats *s) {
  size_t instances = 0;
  for (size_t i = 0; i < s->n; i++)
    if (s->entries[i].n > instances) instances = s->entries[i].n;
  forget_groups(s->runs);
  s->runs->sums = must_alloc(s->n * sizeof *s->runs->sums);
  for (size_t k = 0; k < instances; k++)
    for (size_t i = 0; i < s->n; i++)
      if (k < s->entries[i].n && s->entries[i].counters[k])
        add_counter(s->runs, s->entries[i].counters[k], s->entries[i].stamps[k], i);
  for (size_t i = 0; i < s->runs->watched.n; i++) begin_group(s->runs, &s->runs->watched.at[i]);
  s->runs->known = true;
}

/* Four counters at a time: they are many, and are added up twice a launch. */
typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));

static void add_run(uint64_t *out, const struct run *r) {
  size_t i = 0;
  for (; i + 4 <= r->n; i += 4) *(four *)&out[r->first + i] += *(const four *)&r->counters[i];
  for (; i < r->n; i++) out[r->first + i] += r->counters[i];
}

/* What a group has counted since it was last added. */
static void add_change(struct runs *r, struct group *g) {
  uint64_t *last = g->last;
  for (const struct run *run = &r->at[g->first], *end = run + g->n; run < end; run++)
    for (size_t i = 0; i < run->n; i++, last++) {
      r->sums[run->first + i] += run->counters[i] - *last;
      *last = run->counters[i];
    }
  g->seen = *g->stamp;
}

void stats_snapshot(const struct stats *s, uint64_t *out) {
  struct runs *r = s->runs;
  if (!r->known) find_runs(s);
  for (struct group *g = r->watched.at; g < r->watched.at + r->watched.n; g++)
    if (*g->stamp != g->seen) add_change(r, g);
  memcpy(out, r->sums, s->n * sizeof *out);
  for (const struct group *g = r->always.at; g < r->always.at + r->always.n; g++)
    for (size_t i = g->first; i < g->first + g->n; i++) add_run(out, &r->at[i]);
}
