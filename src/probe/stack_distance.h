/* Stack distances: the number of other lines touched since the last access to a line, counted exactly. For probes. */
#ifndef PROBE_STACK_DISTANCE_H
#define PROBE_STACK_DISTANCE_H

#include "base/table.h"

#define STACK_NEVER UINT32_MAX

/* All zero: nothing was touched yet. */
struct stack_distance {
  struct table last; /* line -> time of its latest access, uint32_t; times start at 1 */
  uint32_t *tree;    /* Fenwick tree over times, with a one at the latest access of each line */
  uint32_t times, now;
};

/* Notes an access and returns its distance; STACK_NEVER for the first one to the line. */
uint32_t stack_distance(struct stack_distance *s, uint64_t line);
/* Forgets all lines. */
void stack_distance_clear(struct stack_distance *s);
void stack_distance_free(struct stack_distance *s);

#endif
