/* Probe "reuse": misses of one SM that the L1D of another SM could answer (cooperative caching paper, table I and
 * figure 3).
 *
 * coefficient: of the read requests of global memory that reach L2, the share whose line is in the L1D of at least
 * one other SM at that moment. map[x][y]: the share of the requests of SM x whose line is in the L1D of SM y. The
 * moment is the arrival at L2, while no SM is being visited; on its way there a request may have lost or gained a
 * sharer. */
#include "base/arena.h"
#include "probe/probe.h"

#include <stdlib.h>

struct reuse {
  const struct probe_shape *shape;
  uint64_t requests, shared;
  uint64_t *of_sm;  /* requests of each */
  uint64_t *map;    /* [asker][holder] */
};

static void *create(const struct probe_shape *shape) {
  struct reuse *s = must_alloc(sizeof *s);
  s->shape = shape;
  s->of_sm = must_alloc(shape->sms * sizeof *s->of_sm);
  s->map = must_alloc((size_t)shape->sms * shape->sms * sizeof *s->map);
  return s;
}

static void destroy(void *state) {
  struct reuse *s = state;
  free(s->of_sm);
  free(s->map);
  free(s);
}

static void request(void *state, const struct mem_packet *k, uint64_t now) {
  struct reuse *s = state;
  (void)now;
  if (k->kind != MEM_READ || k->class_ != MEM_GLOBAL || !s->shape->holds) return;
  bool any = false;
  for (uint32_t i = 0; i < s->shape->sms; i++) {
    if (i == k->sm || !s->shape->holds(s->shape->user, i, k->line)) continue;
    s->map[(size_t)k->sm * s->shape->sms + i]++;
    any = true;
  }
  s->requests++;
  s->of_sm[k->sm]++;
  s->shared += any;
}

static json_t *map_of(const struct reuse *all, uint32_t sms) {
  json_t *rows = json_array();
  for (uint32_t x = 0; x < sms; x++) {
    json_t *row = json_array();
    for (uint32_t y = 0; y < sms; y++)
      json_array_append_new(row, json_real(probe_ratio(all->map[(size_t)x * sms + y], all->of_sm[x])));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  struct reuse *all = create(shape);
  for (uint32_t i = 0; i < n; i++) {
    const struct reuse *s = states[i];
    all->requests += s->requests;
    all->shared += s->shared;
    for (uint32_t k = 0; k < shape->sms; k++) all->of_sm[k] += s->of_sm[k];
    for (size_t k = 0; k < (size_t)shape->sms * shape->sms; k++) all->map[k] += s->map[k];
  }
  json_t *o = json_object();
  json_object_set_new(o, "requests", json_integer((json_int_t)all->requests));
  json_object_set_new(o, "coefficient", shape->holds ? json_real(probe_ratio(all->shared, all->requests)) : json_null());
  json_object_set_new(o, "map", map_of(all, shape->sms));
  destroy(all);
  return o;
}

const struct probe probe_reuse = {.name = "reuse",
                                  .meaning = "L1D misses whose line is in another SM's L1D, and in which SM's",
                                  .of_slices = true,
                                  .create = create,
                                  .destroy = destroy,
                                  .events.request = request,
                                  .report = report};
