/* What a report of Heddle says under the names, and by the definitions, of Nsight Compute: one table for `heddle run --ncu` and for
 * `heddle correlate`.
 *
 * Stall reasons are of each warp, an average over the cycles in which a scheduler issued, as Nsight Compute has them; what they leave out
 * is in sm/sm_waits.c. Does not: have what Heddle counts otherwise. */
#ifndef LAB_NCU_METRICS_H
#define LAB_NCU_METRICS_H

#include <jansson.h>

struct ncu_metric_row {
  const char *name, *unit;
  enum { NCU_SUM, NCU_DIFFERENCE, NCU_PERCENT, NCU_RATIO, NCU_TIME } kind;
  const char *of[4];   /* members of the report, "l1d.load_sectors"; added up */
  const char *over[4]; /* what they are less, or a percentage of */
  double scale;        /* 0: as it is */
};
extern const struct ncu_metric_row ncu_metric_rows[]; /* ended by a row without a name */

/* Of a launch (an object of "kernels") or of a whole report; NAN if it does not have what is needed. `report` has the clock. */
double ncu_value(const json_t *report, const json_t *of, const char *name);
/* An object of all metrics that it has, by name. */
json_t *ncu_values(const json_t *report, const json_t *of);

#endif
