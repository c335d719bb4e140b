/* The space that `heddle explore` searches: every way of combining the systems that can be switched on in one GPU. An axis is a
 * key of the configuration; its values are the choices that the key declares, so that a new policy is searched without a
 * change here. */
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
  const char **values; /* the GPU's own first */
  size_t n;
};
struct lab_space {
  struct arena arena;
  const char *gpu;
  struct lab_axis axes[LAB_AXES];
  size_t n;
};
/* A point: which value of each axis; all 0 is the GPU as it is. */
struct lab_point {
  uint8_t at[LAB_AXES];
};

bool lab_space_init(struct lab_space *s, const char *gpu, struct err *e);
void lab_space_free(struct lab_space *s);
/* "key=value,..." of what differs from the GPU, sorted by key. */
void lab_space_settings(const struct lab_space *s, const struct lab_point *p, struct str *out);
/* Its configuration; NULL: e says why not. The caller deletes it. */
struct cfg *lab_space_configuration(const struct lab_space *s, const struct lab_point *p, struct err *e);
/* Whether a GPU can be made of it, and then the bits of storage that it has in all beyond the base. False: e says why not. */
bool lab_space_check(const struct lab_space *s, const struct lab_point *p, uint64_t *storage_bits, struct err *e);

#endif
