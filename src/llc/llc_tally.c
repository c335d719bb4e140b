/* See llc_tally.h. */
#include "llc/llc_tally.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct tally {
  uint64_t accesses, misses;
  uint64_t first;      /* accesses of the first cluster */
  struct llc_atd *atd; /* of one slice only, else NULL */
};
struct place { /* a slice's own, so that slices may be visited by several threads */
  const struct llc_view *views;
  uint32_t first_sms;
  struct tally of[LLC_MAX_PROGRAMS];
};
struct llc_tallies {
  uint32_t n, slices; /* of the GPU, of a controller */
  uint32_t channels;
  uint64_t *slice, *first; /* accesses: by slice and, of the first cluster, by controller */
  struct place at[];
};

static void count(void *user, const struct mem_seen_lookup *l) {
  struct place *p = user;
  struct tally *t = &p->of[p->views[l->k->sm].program];
  t->accesses++;
  t->misses += l->result == MEM_SEEN_MISS;
  t->first += l->k->sm < p->first_sms;
  if (t->atd) llc_atd_access(t->atd, l->set, l->k->line, l->k->sm);
}

struct llc_tallies *llc_tallies_new(struct llc_slice *const *slices, uint32_t n, const struct llc_mode_config *c,
                                    const struct llc_view *views, uint32_t first_sms) {
  static const struct mem_observer events = {.lookup = count};
  struct llc_tallies *t = must_alloc(sizeof *t + n * sizeof *t->at);
  *t = (struct llc_tallies){.n = n, .slices = c->slices, .channels = c->channels};
  t->slice = must_alloc(n * sizeof *t->slice);
  t->first = must_alloc(c->channels * sizeof *t->first);
  for (uint32_t i = 0; i < n; i++) {
    t->at[i].views = views;
    t->at[i].first_sms = first_sms;
    mem_observers_add(&slices[i]->observers, &events, &t->at[i]);
  }
  return t;
}

void llc_tallies_delete(struct llc_tallies *t) {
  if (!t) return;
  free(t->slice);
  free(t->first);
  free(t);
}

void llc_tallies_follow(struct llc_tallies *t, uint8_t program, struct llc_atd *atd) { t->at[0].of[program].atd = atd; }

void llc_tallies_begin(struct llc_tallies *t, uint8_t program) {
  llc_atd_count(t->at[0].of[program].atd);
  for (uint32_t i = 0; i < t->n; i++) {
    struct tally *w = &t->at[i].of[program];
    w->accesses = w->misses = w->first = 0;
  }
}

struct llc_sample llc_tallies_collect(struct llc_tallies *t, uint8_t program) {
  struct llc_sample s = {.atd = llc_atd_counts(t->at[0].of[program].atd), .slice = t->slice, .first = t->first};
  memset(t->first, 0, t->channels * sizeof *t->first);
  for (uint32_t i = 0; i < t->n; i++) {
    const struct tally *w = &t->at[i].of[program];
    t->slice[i] = w->accesses;
    t->first[i / t->slices] += w->first;
    s.accesses += w->accesses;
    s.misses += w->misses;
  }
  return s;
}
