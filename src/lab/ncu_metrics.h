/* The metrics of Nsight Compute, by name and definition, computed from a report of Heddle: one table for `heddle run
 * --ncu` and `heddle correlate`.
 *
 * Stall reasons are counted for each warp and averaged over the cycles in which a scheduler issued, as Nsight Compute
 * does; sm/sm_waits.c says what they leave out. Does not: contain metrics whose counterparts Heddle counts
 * differently. */
#ifndef LAB_NCU_METRICS_H
#define LAB_NCU_METRICS_H

#include <jansson.h>

struct ncu_metric_row {
  const char *name, *unit;
  enum { NCU_SUM, NCU_DIFFERENCE, NCU_PERCENT, NCU_RATIO, NCU_TIME } kind;
  const char *of[4];   /* members of the report, such as "l1d.load_sectors", which are added up */
  const char *over[4]; /* members that are subtracted, or of which it is a percentage or a ratio */
  double scale;        /* 0: not scaled */
};
extern const struct ncu_metric_row ncu_metric_rows[]; /* ended by a row without a name */

/* The value of a metric for a launch (an object of "kernels") or for a whole report; NAN if it lacks what is needed.
 * `report` has the clock. */
double ncu_value(const json_t *report, const json_t *of, const char *name);
/* An object with all metrics that can be computed, by name. */
json_t *ncu_values(const json_t *report, const json_t *of);

#endif
