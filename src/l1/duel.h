/* Chooses between fine and coarse storage at run time by set duelling (section 3.5 of the tag-split cache paper).
 *
 * A few sampler sets always store finely, as many others always coarsely. Misses and traffic of both kinds are
 * counted, and the kind with the smaller product of misses and traffic is what all other sets, the followers, should
 * do. All counters are halved when a miss counter exceeds L1_DUEL_LIMIT. Followers change their mode only when the
 * decision is published. */
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

/* Chooses `each` sampler sets for each mode at random. There must be at least twice as many sets. */
void l1_duel_init(struct l1_duel *d, uint32_t sets, uint32_t each, struct rng *rng);
void l1_duel_free(struct l1_duel *d);
/* Counts a miss of a set: `packets` is the traffic of its request and its reply. Does nothing for followers. */
void l1_duel_miss(struct l1_duel *d, uint32_t set, uint32_t packets);
/* Makes the decision known to the followers. True if their mode has changed. */
bool l1_duel_publish(struct l1_duel *d);

static inline enum l1_mode l1_duel_mode(const struct l1_duel *d, uint32_t set) {
  return d->role[set] == L1_FOLLOWER ? d->published : (enum l1_mode)d->role[set];
}

#endif
