/* What changed between two reports: every number of both under its dotted name, in total and for each kernel (the
 * launches of one name added up). Cycles come first, then the largest relative change. Figures of the host and shapes
 * of launches are left out. */
#ifndef LAB_DELTA_H
#define LAB_DELTA_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct lab_delta {
  const char *kernel; /* "" : the total */
  const char *name;
  double a, b;
  bool in_a, in_b;
  double percent;     /* |b - a| relative to |a|; infinite if a is 0, or if only one report has the number */
};

struct lab_deltas {
  struct arena arena;
  struct lab_delta *rows; /* changed ones, sorted */
  size_t n, cap, same;    /* same: how many numbers did not change */
};

/* `only`: comma-separated names to compare; NULL or "": all. */
void lab_deltas_find(struct lab_deltas *d, const json_t *a, const json_t *b, const char *only);
void lab_deltas_free(struct lab_deltas *d);

#endif
