/* What a warp knows has happened before: for each other warp, and each of its asynchronous copies, a number below which
 * all its events are. Sorted, sparse, immutable and counted, so that warps behind one barrier share one. NULL knows nothing.
 *
 * A clock of more than VCLOCK_MOST entries is replaced by one that knows everything: then races are missed, none is made up. */
#ifndef CHECK_VCLOCK_H
#define CHECK_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { VCLOCK_MOST = 16384 };

struct vclock_entry {
  uint32_t who, before;
};
struct vclock {
  uint32_t refs, n;
  bool all;
  struct vclock_entry e[];
};

struct vclock *vclock_of(const struct vclock_entry *e, uint32_t n); /* sorted by who */
struct vclock *vclock_keep(struct vclock *c);
void vclock_drop(struct vclock *c);
/* Both together, a reference more. */
struct vclock *vclock_join(struct vclock *a, struct vclock *b);
/* *to knows what c knows too. */
void vclock_learn(struct vclock **to, struct vclock *c);
bool vclock_knows(const struct vclock *c, uint32_t who, uint32_t event);

#endif
