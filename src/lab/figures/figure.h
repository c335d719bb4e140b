/* Figures of the papers, redrawn: what one is made of. One file a group (figures_t.c, figures_b.c ...), each with one function
 * a figure and one table at its end, listed in figure_groups.c. Which figure of which paper is drawn, and which is a diagram
 * with nothing to measure, is in docs/figures.md.
 *
 * How a figure is written (figures_t.c is a whole group):
 *
 *   static void t13(struct chart *f) {
 *     chart_speedups(f, "TSC", &tsc, &base, suite);                   // a bar a workload, and their geometric mean
 *   }
 *   static const struct figure_mark t13_marks[] = {AT("TSC", CHART_GMEAN, 1.156), {0}};
 *
 *   const struct figure figures_t[] = {{.id = "T:13", .title = "...", .unit = "times", .draw = t13, .marks = t13_marks}, {0}};
 *
 * A figure asks for numbers as a claim does (claim.h): it runs nothing, and a number that is not known is NAN. A point that is
 * NAN is missing; one that cannot exist (a group without loads) is distinguished by chart_none. A figure must ask for the same
 * points whatever it is answered.
 *
 * A published value is a mark at a series and a row. In a stack it is where the paper has the upper edge of that series: the sum
 * of it and of those before. */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

#include "lab/claims/claim.h"

/* Rows that are made of the others. */
#define CHART_GMEAN "geometric mean"
#define CHART_MEAN "mean"

enum figure_kind { FIGURE_BARS, FIGURE_STACKED, FIGURE_LINES, FIGURE_MAPS };
enum figure_flags {
  FIGURE_ORDERED = 1, /* the series are steps of one quantity (sizes of a line), in shades of one colour */
  FIGURE_FROM_ONE = 2, /* a ratio: there is a line at 1 */
  FIGURE_COMPUTED = 4 /* from a model of the configuration: needs no runs */
};

/* The published value of a point, or the range it lies in. */
struct figure_mark {
  const char *series, *row;
  double low, high;
};
#define AT(series, row, value) {series, row, value, value}

struct chart;
struct figure {
  const char *id; /* the letter of its group, a colon, its number in the paper: "T:10b" */
  const char *title, *unit;
  enum figure_kind kind;
  unsigned flags; /* enum figure_flags */
  void (*draw)(struct chart *f);
  const struct figure_mark *marks; /* ended by one without series; NULL: the text gives no number */
  const char *note;                /* what a reader should know besides; NULL: nothing */
};
extern const struct figure *const figure_groups[]; /* ended by NULL; each ended by a figure without id */

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* A figure while it is drawn. Whoever draws reads c only: to ask for numbers. */
struct chart {
  struct claim *c;
  const struct figure *figure;
  json_t *rows, *series, *maps; /* in the order of their first points */
  json_t *notes;
  unsigned points, missing;
};

/* Rows in this order, where the first series would not give them. */
void chart_rows(struct chart *f, const char *const *list);
/* One bar, or one point of a line. Rows and series come into being by their first point; a point is given once. Names may
 * be of any life. */
void chart_point(struct chart *f, const char *series, const char *row, double measured);
/* A point that cannot exist, and is not missing. */
void chart_none(struct chart *f, const char *series, const char *row);
/* A mark whose place follows from a measured number: "45 % less than the base" on the base that was measured. */
void chart_mark(struct chart *f, const char *series, const char *row, double low, double high);
/* Puts a series into a stack of its own beside others. */
void chart_stack(struct chart *f, const char *series, const char *stack);
/* Shows a series as dots over the bars. */
void chart_dots(struct chart *f, const char *series);
/* A map by SM, as the probe of reuse gives it; NULL is a missing point. */
void chart_map(struct chart *f, const char *name, const json_t *map);

/* ---- often drawn; lists end with NULL ---------------------------------------------------------------------------- */

typedef double (*chart_number)(struct claim *c, const struct claim_setup *s, const char *workload);

/* Speed-ups of a list, and their geometric mean. */
void chart_speedups(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                    const char *const *list);
/* A number of each workload of a list, and their mean. */
void chart_numbers(struct chart *f, const char *series, const struct claim_setup *s, const char *const *list,
                   chart_number number);
/* The same over that of a base, and the mean. Where the base has none of it there is no point. */
void chart_ratios(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                  const char *const *list, chart_number number);

/* ---- evaluating -------------------------------------------------------------------------------------------------- */

/* {id, title, unit, kind, ordered, from_one, computed, rows, series: [{name, stack, dots, measured: [], low: [], high: []}],
 * maps: [{name, map}], notes: [], points, missing, lacks}; numbers that are not known are null; lacks says what cannot be had. */
json_t *figure_evaluate(const struct figure *f, const struct claim_source *source);
const struct figure *figure_of(const char *id); /* NULL: there is none */

#endif
