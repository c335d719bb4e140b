/* See llc_profile.h. */
#include "llc/llc_profile.h"

#include "base/arena.h"
#include "mem/mem_tags.h"

#include <stdlib.h>

enum { COUNTER_MAX = UINT16_MAX, COUNTER_BITS = 16 };

/* ---- the auxiliary tag directory ---- */

struct llc_atd {
  struct mem_tags tags; /* of the sampled sets */
  uint64_t *routers;    /* by frame, a bit each */
  uint32_t stride, sms_per_router;
  bool any;
  struct llc_atd_counts counts;
};

static uint32_t sampled(uint32_t sets, uint32_t wanted) { return wanted < sets ? wanted : sets; }

struct llc_atd *llc_atd_new(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                            uint32_t sms_per_router) {
  struct llc_atd *a = must_alloc(sizeof *a);
  *a = (struct llc_atd){.sms_per_router = sms_per_router, .any = c->any_router};
  mem_tags_init(&a->tags, &(struct mem_tags_config){.sets = sampled(sets, c->sampled_sets), .ways = ways});
  a->stride = sets / a->tags.c.sets;
  a->routers = must_alloc((size_t)a->tags.c.sets * ways * sizeof *a->routers);
  return a;
}

void llc_atd_delete(struct llc_atd *a) {
  if (!a) return;
  mem_tags_free(&a->tags);
  free(a->routers);
  free(a);
}

void llc_atd_access(struct llc_atd *a, uint32_t set, uint64_t line, uint32_t sm) {
  uint32_t mine = set / a->stride;
  if (set % a->stride || mine >= a->tags.c.sets) return;
  uint64_t router = UINT64_C(1) << sm / a->sms_per_router;
  int32_t frame = mem_tags_find(&a->tags, mine, line);
  bool hit = frame != MEM_NO_FRAME;
  a->counts.accesses++;
  a->counts.hits += hit;
  a->counts.private_hits += hit && a->routers[frame] & router;
  if (hit) mem_tags_touch(&a->tags, frame);
  else mem_tags_place(&a->tags, frame = mem_tags_victim(&a->tags, mine), line);
  a->routers[frame] = hit && a->any ? a->routers[frame] | router : router;
}

void llc_atd_clear(struct llc_atd *a) { mem_tags_clear(&a->tags); }

void llc_atd_count(struct llc_atd *a) { a->counts = (struct llc_atd_counts){0}; }
struct llc_atd_counts llc_atd_counts(const struct llc_atd *a) { return a->counts; }

/* ---- the model ---- */

static double ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

/* Sum over maximum, of counters that stop at `most`. */
static double parallelism(const uint64_t *n, uint32_t count, uint64_t most) {
  uint64_t sum = 0, max = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t v = n[i] < most ? n[i] : most;
    sum += v;
    if (v > max) max = v;
  }
  return max ? (double)sum / (double)max : 0;
}

static double bandwidth(const struct llc_mode_config *c, double miss, double lsp) {
  return (1 - miss) * lsp * c->slice_bytes + miss * c->memory_bytes;
}

enum llc_rule llc_decide(const struct llc_mode_config *c, const struct llc_sample *s, struct llc_estimate *out) {
  *out = (struct llc_estimate){
      .shared_miss = ratio(s->misses, s->accesses),
      .private_miss = ratio(s->atd.accesses - s->atd.private_hits, s->atd.accesses),
      .shared_lsp = parallelism(s->slice, c->channels * c->slices, UINT64_MAX),
      .private_lsp = c->clusters * parallelism(s->first, c->channels, COUNTER_MAX),
  };
  out->shared_bytes = bandwidth(c, out->shared_miss, out->shared_lsp);
  if (!s->atd.accesses) return LLC_STAY_SHARED;
  out->private_bytes = bandwidth(c, out->private_miss, out->private_lsp);
  if (out->private_miss <= out->shared_miss + c->similar) return LLC_RULE_1;
  return out->private_bytes > out->shared_bytes ? LLC_RULE_2 : LLC_STAY_SHARED;
}

/* ---- storage ---- */

static uint32_t log2_up(uint32_t n) { return n > 1 ? 32u - (uint32_t)__builtin_clz(n - 1) : 0; }

struct llc_storage llc_profile_storage(const struct llc_mode_config *c, uint32_t sets, uint32_t ways,
                                       uint32_t address_bits) {
  uint32_t slice_bits = log2_up(c->channels) + log2_up(c->slices), line_bits = log2_up(MEM_LINE);
  uint32_t index_bits = sets & (sets - 1) ? 0 : log2_up(sets);
  struct llc_storage s = {.tag_bits = address_bits - line_bits - slice_bits - index_bits,
                          .entries = sampled(sets, c->sampled_sets) * ways,
                          .counter_bits = (uint64_t)c->channels * COUNTER_BITS};
  s.entry_bits = s.tag_bits + c->clusters;
  s.atd_bits = (uint64_t)s.entries * s.entry_bits;
  return s;
}
