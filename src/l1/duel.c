/* See duel.h. On a tie, as at the start, followers store finely, which is the default of the cache. */
#include "l1/duel.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static void choose(struct l1_duel *d, uint32_t sets, enum l1_mode mode, uint32_t n, struct rng *rng) {
  while (n) {
    uint32_t set = (uint32_t)rng_below(rng, sets);
    if (d->role[set] != L1_FOLLOWER) continue;
    d->role[set] = (uint8_t)mode;
    n--;
  }
}

void l1_duel_init(struct l1_duel *d, uint32_t sets, uint32_t each, struct rng *rng) {
  *d = (struct l1_duel){.role = must_alloc(sets)};
  memset(d->role, L1_FOLLOWER, sets);
  choose(d, sets, L1_FINE, each, rng);
  choose(d, sets, L1_COARSE, each, rng);
}

void l1_duel_free(struct l1_duel *d) { free(d->role); }

static uint64_t cost(const struct l1_duel *d, enum l1_mode m) { return (uint64_t)d->misses[m] * d->traffic[m]; }

void l1_duel_miss(struct l1_duel *d, uint32_t set, uint32_t packets) {
  enum l1_mode m = (enum l1_mode)d->role[set];
  if (m == L1_FOLLOWER) return;
  d->misses[m]++;
  d->traffic[m] += packets;
  if (d->misses[m] > L1_DUEL_LIMIT)
    for (int i = 0; i < L1_MODES; i++) d->misses[i] >>= 1, d->traffic[i] >>= 1;
  d->decided = cost(d, L1_COARSE) < cost(d, L1_FINE) ? L1_COARSE : L1_FINE;
}

bool l1_duel_publish(struct l1_duel *d) {
  bool changed = d->published != d->decided;
  d->published = d->decided;
  return changed;
}
