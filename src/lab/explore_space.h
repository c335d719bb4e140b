/* The space that `heddle explore` searches: every way of combining, in one GPU, the systems that can be switched on.
 * An axis is a key of the configuration; its values are the choices that the key declares, so a new policy is
 * searched without a change here. */
#ifndef LAB_EXPLORE_SPACE_H
#define LAB_EXPLORE_SPACE_H

#include "base/arena.h"
#include "base/cfg.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAB_AXES = 16 };

struct lab_axis {
  const char *key;
  const char **values; /* the GPU's own value first */
  size_t n;
};
struct lab_space {
  struct arena arena;
  const char *gpu;
  struct lab_axis axes[LAB_AXES];
  size_t n;
};
/* A point of the space: the number of the value on each axis; all 0 is the GPU as it is. */
struct lab_point {
  uint8_t at[LAB_AXES];
};

bool lab_space_init(struct lab_space *s, const char *gpu, struct err *e);
void lab_space_free(struct lab_space *s);
/* Writes the settings in which a point differs from the GPU, "key=value,...", sorted by key. */
void lab_space_settings(const struct lab_space *s, const struct lab_point *p, struct str *out);
/* The configuration of a point, which the caller deletes; NULL: there is none, and e says why. */
struct cfg *lab_space_configuration(const struct lab_space *s, const struct lab_point *p, struct err *e);
/* Whether a GPU can be built from a point, and then the total bits of storage that it has beyond the base. False: e says why not. */
bool lab_space_check(const struct lab_space *s, const struct lab_point *p, uint64_t *storage_bits, struct err *e);

#endif
