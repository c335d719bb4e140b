/* Probe "working-set": what share of an SM's load accesses would hit a fully associative LRU cache of each size, and how
 * many different lines an SM and the whole GPU touch.
 *
 * The stack distance of an access (different lines since the last access to its own) is counted exactly: a tree over
 * access times has a one at the latest access of each line. Lines are kept from kernel to kernel. Loads of global and
 * local memory, lines of 128 bytes. */
#include "base/arena.h"
#include "probe/probe.h"
#include "probe/probe_table.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES = 15 /* 1 KiB to 16 MiB */, FIRST_LINES = 8, ROUND = 1 << 16 /* times the tree starts with */ };

struct working_set {
  struct probe_table last;  /* line -> time of its latest access; times start at 1 */
  uint32_t *tree;           /* Fenwick tree over times */
  uint32_t times, now;
  uint64_t accesses, cold, near[SIZES]; /* by the smallest size that hits */
};

static void *create(const struct probe_shape *shape) {
  struct working_set *s = must_alloc(sizeof *s);
  (void)shape;
  s->times = ROUND;
  s->tree = must_alloc((s->times + 1) * sizeof *s->tree);
  return s;
}

static void destroy(void *state) {
  struct working_set *s = state;
  probe_table_free(&s->last);
  free(s->tree);
  free(s);
}

static void add(struct working_set *s, uint32_t at, uint32_t by) {
  for (; at <= s->times; at += at & -at) s->tree[at] += by;
}
static uint32_t sum(const struct working_set *s, uint32_t to) {
  uint32_t n = 0;
  for (; to; to -= to & -to) n += s->tree[to];
  return n;
}

static int by_time(const void *a, const void *b) {
  uint32_t x = (*(struct probe_slot *const *)a)->value, y = (*(struct probe_slot *const *)b)->value;
  return (x > y) - (x < y);
}

/* Out of times: numbers the lines' latest accesses anew, 1, 2, 3 ..., with room for as many again. */
static void renumber(struct working_set *s) {
  struct probe_slot **order = must_alloc((s->last.n + 1) * sizeof *order);
  size_t n = 0;
  for (size_t i = 0; i <= s->last.mask; i++)
    if (s->last.slots[i].line) order[n++] = &s->last.slots[i];
  qsort(order, n, sizeof *order, by_time);
  s->times = (uint32_t)(2 * n > ROUND ? 2 * n : ROUND);
  free(s->tree);
  s->tree = must_alloc((s->times + 1) * sizeof *s->tree);
  s->now = 0;
  for (size_t i = 0; i < n; i++) {
    order[i]->value = ++s->now;
    add(s, s->now, 1);
  }
  free(order);
}

static void access_line(void *state, const struct probe_access *a) {
  struct working_set *s = state;
  if (s->now == s->times) renumber(s);
  bool is_new;
  uint32_t *last = probe_table_at(&s->last, a->line, 0, &is_new);
  s->accesses++;
  if (is_new) s->cold++;
  else {
    uint32_t distance = sum(s, s->now) - sum(s, *last); /* other lines since */
    unsigned k = 0;
    while (k < SIZES && distance >= (uint32_t)FIRST_LINES << k) k++;
    if (k < SIZES) s->near[k]++;
    add(s, *last, (uint32_t)-1);
  }
  *last = ++s->now;
  add(s, s->now, 1);
}

static void add_lines(struct probe_table *to, const struct probe_table *from) {
  bool is_new;
  for (size_t i = 0; from->mask && i <= from->mask; i++)
    if (from->slots[i].line) probe_table_at(to, from->slots[i].line - 1, 0, &is_new);
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  struct probe_table lines = {0};
  uint64_t accesses = 0, cold = 0, most = 0, hits = 0;
  json_t *o = json_object(), *curve = json_object();
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct working_set *s = states[i];
    accesses += s->accesses;
    cold += s->cold;
    most = s->cold > most ? s->cold : most;
    add_lines(&lines, &s->last);
  }
  for (unsigned k = 0; k < SIZES; k++) {
    char name[32];
    snprintf(name, sizeof name, "%u", (FIRST_LINES << k) * MEM_LINE / 1024);
    for (uint32_t i = 0; i < n; i++) hits += ((const struct working_set *)states[i])->near[k];
    json_object_set_new(curve, name, json_real(probe_ratio(hits, accesses)));
  }
  json_object_set_new(o, "accesses", json_integer((json_int_t)accesses));
  json_object_set_new(o, "footprint_kib", json_real((double)lines.n * MEM_LINE / 1024));
  json_object_set_new(o, "largest_sm_kib", json_real((double)most * MEM_LINE / 1024));
  json_object_set_new(o, "first_touch", json_real(probe_ratio(cold, accesses)));
  json_object_set_new(o, "hits_at_kib", curve);
  probe_table_free(&lines);
  return o;
}

const struct probe probe_working_set = {.name = "working-set",
                                        .meaning = "hits of an LRU L1D of each size, and how much memory is touched",
                                        .create = create,
                                        .destroy = destroy,
                                        .access = access_line,
                                        .report = report};
