/* Probe "coalescing": loads by their un-coalescing degree, the number of lines that a warp's load asks for (BUCL
 * paper, figures 2 and 5). It reports, for each group of degrees: loads, accesses, all-hit loads (all accesses hit
 * L1D), the mean latency from issue to the last byte, and how many of the lines that the loads fetched were used
 * again before their eviction. Loads of global and local memory are included. */
#include "base/arena.h"
#include "probe/generation.h"

#include <stdlib.h>

enum { GROUPS = 5, DEGREES = 129 /* four accesses a lane at most */ };
static const char *const group_names[GROUPS] = {"1", "2", "3-10", "11-20", "21-32"};

struct pending {
  uint16_t degree, hits;
};
struct coalescing {
  struct generations g;
  struct pending *loads; /* by owner */
  size_t cap;
  uint64_t degree[DEGREES];
  uint64_t all_hit[GROUPS], latency[GROUPS], fetched[GROUPS], reused[GROUPS];
};

/* Degrees above 32 (wide elements, far apart) are counted with the last group. */
static unsigned group_of(unsigned degree) {
  return degree <= 1 ? 0 : degree == 2 ? 1 : degree <= 10 ? 2 : degree <= 20 ? 3 : 4;
}

static void ended(void *user, const struct generation *g) {
  struct coalescing *s = user;
  unsigned k = group_of(g->degree);
  s->fetched[k]++;
  s->reused[k] += g->accesses > 1;
}

static void *create(const struct probe_shape *shape) {
  struct coalescing *s = must_alloc(sizeof *s);
  generations_init(&s->g, shape, ended, s);
  return s;
}

static void destroy(void *state) {
  struct coalescing *s = state;
  generations_free(&s->g);
  free(s->loads);
  free(s);
}

static void access_line(void *state, const struct mem_seen_access *a) {
  struct coalescing *s = state;
  generations_access(&s->g, a);
  size_t had = s->cap;
  GROW(s->loads, s->cap, a->owner + 1u);
  for (size_t i = had; i < s->cap; i++) s->loads[i] = (struct pending){0};
  s->loads[a->owner].degree = a->degree;
  s->loads[a->owner].hits = (uint16_t)(s->loads[a->owner].hits + (a->result == MEM_SEEN_HIT));
}

static void load(void *state, const struct mem_seen_load *l) {
  struct coalescing *s = state;
  if (l->owner >= s->cap || !s->loads[l->owner].degree) return;
  struct pending *p = &s->loads[l->owner];
  unsigned k = group_of(p->degree);
  s->degree[p->degree < DEGREES ? p->degree : DEGREES - 1]++;
  s->all_hit[k] += p->hits == p->degree;
  s->latency[k] += l->cycles;
  *p = (struct pending){0};
}

static void kernel_end(void *state, const struct probe_kernel *k) {
  (void)k;
  generations_end(&((struct coalescing *)state)->g);
}

static void merge(struct coalescing *all, const struct coalescing *s) {
  for (unsigned d = 0; d < DEGREES; d++) all->degree[d] += s->degree[d];
  for (unsigned k = 0; k < GROUPS; k++) {
    all->all_hit[k] += s->all_hit[k];
    all->latency[k] += s->latency[k];
    all->fetched[k] += s->fetched[k];
    all->reused[k] += s->reused[k];
  }
}

static json_t *group(const struct coalescing *s, unsigned k, uint64_t loads, uint64_t accesses, const uint64_t *all) {
  json_t *o = json_object();
  json_object_set_new(o, "loads", json_real(probe_ratio(loads, all[0])));
  json_object_set_new(o, "accesses", json_real(probe_ratio(accesses, all[1])));
  json_object_set_new(o, "all_hit", loads ? json_real(probe_ratio(s->all_hit[k], loads)) : json_null());
  json_object_set_new(o, "latency", loads ? json_real(probe_ratio(s->latency[k], loads)) : json_null());
  json_object_set_new(o, "block_reuse", s->fetched[k] ? json_real(probe_ratio(s->reused[k], s->fetched[k])) : json_null());
  return o;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  struct coalescing all = {0};
  uint64_t loads[GROUPS] = {0}, accesses[GROUPS] = {0}, total[2] = {0};
  (void)shape;
  for (uint32_t i = 0; i < n; i++) merge(&all, states[i]);
  for (unsigned d = 1; d < DEGREES; d++) {
    loads[group_of(d)] += all.degree[d];
    accesses[group_of(d)] += d * all.degree[d];
    total[0] += all.degree[d];
    total[1] += d * all.degree[d];
  }
  json_t *o = json_object(), *groups = json_object(), *degrees = json_object();
  for (unsigned d = 1; d < DEGREES; d++) {
    char name[16];
    snprintf(name, sizeof name, "%u", d);
    if (all.degree[d]) json_object_set_new(degrees, name, json_integer((json_int_t)all.degree[d]));
  }
  for (unsigned k = 0; k < GROUPS; k++)
    json_object_set_new(groups, group_names[k], group(&all, k, loads[k], accesses[k], total));
  json_object_set_new(o, "loads", json_integer((json_int_t)total[0]));
  json_object_set_new(o, "accesses", json_integer((json_int_t)total[1]));
  json_object_set_new(o, "above_2", json_real(probe_ratio(loads[2] + loads[3] + loads[4], total[0])));
  json_object_set_new(o, "groups", groups);
  json_object_set_new(o, "degrees", degrees);
  return o;
}

const struct probe probe_coalescing = {.name = "coalescing",
                                       .meaning = "loads by un-coalescing degree, with their hits, latency and reuse of their lines",
                                       .create = create,
                                       .destroy = destroy,
                                       .events.access = access_line,
                                       .events.load = load,
                                       .kernel_end = kernel_end,
                                       .report = report};
