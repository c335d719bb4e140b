/* A run of Heddle beside a table of Nsight Compute: launches matched by the kernel's name and the order of its launches, and what
 * both have counted, compared. */
#ifndef LAB_CORRELATE_H
#define LAB_CORRELATE_H

#include "lab/ncu_csv.h"

#include <jansson.h>

struct correlated {
  const char *kernel;            /* its bare name */
  size_t launch;                 /* among those of this name, from 0 */
  const struct ncu_launch *card;
  const json_t *ours;            /* an object of "kernels" */
};

/* What can be compared. A rate is in percent and is compared in points. */
struct correlate_quantity {
  const char *name, *unit;
  bool is_rate;
  const char *metrics[4]; /* of Nsight Compute: the first that a table has; the first of all is what Heddle gives (ncu_metrics.h) */
};
extern const struct correlate_quantity correlate_quantities[];
enum { CORRELATE_QUANTITIES = 9 };

struct correlation {
  struct arena arena;
  const json_t *report;
  struct correlated *pairs;
  size_t n, cap;
  size_t only_card, only_ours; /* launches without a partner */
};

bool correlate(struct correlation *c, const struct ncu_table *card, const json_t *report, struct err *e);
void correlate_free(struct correlation *c);
/* Both values of a quantity; false if one of the two did not count it. */
bool correlate_values(const struct correlation *c, size_t pair, unsigned quantity, double *card, double *ours);

/* Over all pairs that have both values: how far off in percent (rates: in points) on average, the geometric mean of ours over the card's
 * (rates: the mean difference), and the correlation of logarithms (rates: of the values). */
struct correlate_summary {
  size_t n;
  double error, ratio, correlation;
};
struct correlate_summary correlate_sum(const struct correlation *c, unsigned quantity);
/* Pairs by how far ours is off in time or, where that was not measured, in cycles; the worst first. `order` has c->n entries. */
void correlate_worst(const struct correlation *c, size_t *order);

#endif
