/* Probe "working-set": the share of an SM's load accesses that would hit a fully associative LRU cache, for several
 * sizes, and how many different lines an SM and the whole GPU touch.
 *
 * Stack distances are exact. Lines are kept from kernel to kernel. Loads of global and local memory are included, in
 * lines of 128 bytes. */
#include "base/arena.h"
#include "probe/probe.h"
#include "probe/stack_distance.h"

#include <stdlib.h>

enum { SIZES = 15 /* 1 KiB to 16 MiB */, FIRST_LINES = 8 };

struct working_set {
  struct stack_distance stack;
  uint64_t accesses, cold, near[SIZES]; /* by the smallest size that hits */
};

static void *create(const struct probe_shape *shape) {
  (void)shape;
  return must_alloc(sizeof(struct working_set));
}

static void destroy(void *state) {
  struct working_set *s = state;
  stack_distance_free(&s->stack);
  free(s);
}

static void access_line(void *state, const struct mem_seen_access *a) {
  struct working_set *s = state;
  uint32_t distance = stack_distance(&s->stack, a->line);
  unsigned k = 0;
  s->accesses++;
  s->cold += distance == STACK_NEVER;
  while (k < SIZES && distance >= (uint32_t)FIRST_LINES << k) k++;
  if (k < SIZES) s->near[k]++;
}

static void add_lines(struct table *to, const struct table *from) {
  bool is_new;
  uint64_t line;
  for (size_t at = 0; table_next(from, &at, &line);) table_put(to, line, 0, &is_new);
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  struct table lines = {0};
  uint64_t accesses = 0, cold = 0, most = 0, hits = 0;
  json_t *o = json_object(), *curve = json_object();
  (void)shape;
  for (uint32_t i = 0; i < n; i++) {
    const struct working_set *s = states[i];
    accesses += s->accesses;
    cold += s->cold;
    most = s->cold > most ? s->cold : most;
    add_lines(&lines, &s->stack.last);
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
  table_free(&lines);
  return o;
}

const struct probe probe_working_set = {.name = "working-set",
                                        .meaning = "hits of an ideal LRU L1D by its size, and how much memory is touched",
                                        .create = create,
                                        .destroy = destroy,
                                        .events.access = access_line,
                                        .report = report};
