/* A run of Heddle beside a table of Nsight Compute: launches are matched by the kernel's name and by their order
 * among the launches of that name, and what both have counted is compared. */
#ifndef LAB_CORRELATE_H
#define LAB_CORRELATE_H

#include "lab/ncu_csv.h"

#include <jansson.h>

struct correlated {
  const char *kernel;            /* its bare name */
  size_t launch;                 /* number among the launches of this name, from 0 */
  const struct ncu_launch *card;
  const json_t *ours;            /* an object of "kernels" */
};

/* The quantities that can be compared. A rate is in percent, and its difference is in percentage points. */
struct correlate_quantity {
  const char *name, *unit;
  bool is_rate;
  const char *metrics[4]; /* of Nsight Compute, of which the first that a table has is used; Heddle gives the first (ncu_metrics.h) */
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
/* Both values of a quantity for a pair of launches; false if one side did not count it. */
bool correlate_values(const struct correlation *c, size_t pair, unsigned quantity, double *card, double *ours);

/* Over all pairs that have both values: the mean error in percent (rates: in points), the geometric mean of our value
 * over the card's (rates: the mean difference), and the correlation of the logarithms (rates: of the values). */
struct correlate_summary {
  size_t n;
  double error, ratio, correlation;
};
struct correlate_summary correlate_sum(const struct correlation *c, unsigned quantity);
/* Orders the pairs by their error in time or, if that was not measured, in cycles, the worst first. `order` has c->n entries. */
void correlate_worst(const struct correlation *c, size_t *order);

#endif
