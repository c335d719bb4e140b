/* Fine or coarse storage, chosen at run time from what sampler sets show (section 3.5 of the tag-split cache paper).
 *
 * Some sets always store finely, as many always coarsely; misses and traffic of both kinds are counted, and the kind
 * with the smaller product of the two is what every other set should do. Counters are halved when a miss counter
 * exceeds a threshold. What is decided takes effect when it is published. */
#ifndef L1_DUEL_H
#define L1_DUEL_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum { L1_DUEL_LIMIT = 1024 };
enum l1_mode { L1_FINE, L1_COARSE, L1_MODES, L1_FOLLOWER = L1_MODES };

struct l1_duel {
  uint8_t *role;                 /* enum l1_mode of each set, or L1_FOLLOWER */
  uint32_t misses[L1_MODES], traffic[L1_MODES];
  enum l1_mode decided, published;
};

/* Chooses `each` sets for each mode; there must be enough. */
void l1_duel_init(struct l1_duel *d, uint32_t sets, uint32_t each, struct rng *rng);
void l1_duel_free(struct l1_duel *d);
/* A miss request of a set: `packets` is what it and its answer take. Does nothing for followers. */
void l1_duel_miss(struct l1_duel *d, uint32_t set, uint32_t packets);
/* True if the mode has changed. */
bool l1_duel_publish(struct l1_duel *d);

static inline enum l1_mode l1_duel_mode(const struct l1_duel *d, uint32_t set) {
  return d->role[set] == L1_FOLLOWER ? d->published : (enum l1_mode)d->role[set];
}

#endif
