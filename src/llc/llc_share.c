/* See llc_share.h. */
#include "llc/llc_share.h"

#include "base/arena.h"

#include <stdlib.h>

struct place { /* a slice's own, so that slices may be visited by several threads */
  const uint8_t *program_of;
  struct llc_share of[LLC_MAX_PROGRAMS];
};
struct llc_shares {
  uint32_t n;
  struct place at[];
};

static void count(void *user, const struct mem_seen_lookup *l) {
  struct place *p = user;
  struct llc_share *s = &p->of[p->program_of[l->k->sm]];
  s->accesses++;
  s->hits += l->result == MEM_SEEN_HIT;
  s->pending_hits += l->result == MEM_SEEN_MERGED;
  s->misses += l->result == MEM_SEEN_MISS;
}

struct llc_shares *llc_shares_new(struct llc_slice *const *slices, uint32_t n, const uint8_t *program_of) {
  static const struct mem_observer events = {.lookup = count};
  struct llc_shares *s = must_alloc(sizeof *s + n * sizeof *s->at);
  s->n = n;
  for (uint32_t i = 0; i < n; i++) {
    s->at[i].program_of = program_of;
    mem_observers_add(&slices[i]->observers, &events, &s->at[i]);
  }
  return s;
}

void llc_shares_delete(struct llc_shares *s) { free(s); }

struct llc_share llc_shares_sum(const struct llc_shares *s, uint32_t program) {
  struct llc_share sum = {0};
  for (uint32_t i = 0; i < s->n; i++) {
    const struct llc_share *p = &s->at[i].of[program];
    sum.accesses += p->accesses;
    sum.hits += p->hits;
    sum.pending_hits += p->pending_hits;
    sum.misses += p->misses;
  }
  return sum;
}
