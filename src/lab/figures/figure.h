/* Figures of the papers, redrawn: what a figure consists of. Each group is one file (figures_t.c, figures_b.c ...) with one
 * function for each figure and one table at its end, and is listed in figure_groups.c. docs/figures.md says which figures of
 * which paper are drawn, and which are diagrams with nothing to measure.
 *
 * How a figure is written (figures_t.c is a whole group):
 *
 *   static void t13(struct chart *f) {
 *     chart_speedups(f, "TSC", &tsc, &base, suite);                   // a bar for each workload, and their geometric mean
 *   }
 *   static const struct figure_mark t13_marks[] = {AT("TSC", CHART_GMEAN, 1.156), {0}};
 *
 *   const struct figure figures_t[] = {{.id = "T:13", .title = "...", .unit = "times", .draw = t13, .marks = t13_marks}, {0}};
 *
 * A figure asks for numbers as a claim does (claim.h): it runs nothing, and a number that is not known is NAN. A point that is
 * NAN is missing; for a point that cannot exist (a group without loads) there is chart_none. A figure must ask for the same
 * points whatever the answers are.
 *
 * A published value is a mark at a series and a row. In a stack it is the upper edge of that series in the paper: the sum of
 * the series and those before it. */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

#include "lab/claims/claim.h"

/* Rows that are computed from the others. */
#define CHART_GMEAN "geometric mean"
#define CHART_MEAN "mean"

enum figure_kind { FIGURE_BARS, FIGURE_STACKED, FIGURE_LINES, FIGURE_MAPS };
enum figure_flags {
  FIGURE_ORDERED = 1, /* the series are steps of one quantity (sizes of a line), in shades of one colour */
  FIGURE_FROM_ONE = 2, /* a ratio: there is a line at 1 */
  FIGURE_COMPUTED = 4 /* computed from the configuration: needs no runs */
};

/* The published value of a point, or the range that it is in. */
struct figure_mark {
  const char *series, *row;
  double low, high;
};
#define AT(series, row, value) {series, row, value, value}

struct chart;
struct figure {
  const char *id; /* letter of the group, colon, number in the paper: "T:10b" */
  const char *title, *unit;
  enum figure_kind kind;
  unsigned flags; /* enum figure_flags */
  void (*draw)(struct chart *f);
  const struct figure_mark *marks; /* ended by a mark without series; NULL: the paper gives no numbers */
  const char *note;                /* anything else that a reader should know; NULL: nothing */
};
extern const struct figure *const figure_groups[]; /* ended by NULL; each ended by a figure without id */

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* A figure while it is drawn. A draw function uses only c, to ask for numbers. */
struct chart {
  struct claim *c;
  const struct figure *figure;
  json_t *rows, *series, *maps; /* in the order of their first points */
  json_t *notes;
  unsigned points, missing;
};

/* Sets the order of the rows, if the first series would not give it. */
void chart_rows(struct chart *f, const char *const *list);
/* Adds one bar, or one point of a line. Rows and series are created by their first point; each point is given once. Names are copied. */
void chart_point(struct chart *f, const char *series, const char *row, double measured);
/* A point that cannot exist, and so is not missing. */
void chart_none(struct chart *f, const char *series, const char *row);
/* A mark whose position follows from a measured number, for example "45 % less than the base" for the base that was measured. */
void chart_mark(struct chart *f, const char *series, const char *row, double low, double high);
/* Puts a series into another stack, beside the others. */
void chart_stack(struct chart *f, const char *series, const char *stack);
/* Shows a series as dots over the bars. */
void chart_dots(struct chart *f, const char *series);
/* A map by SM, as the probe "reuse" gives it; NULL is a missing point. */
void chart_map(struct chart *f, const char *name, const json_t *map);

/* ---- often drawn; lists end with NULL ---------------------------------------------------------------------------- */

typedef double (*chart_number)(struct claim *c, const struct claim_setup *s, const char *workload);

/* Speed-ups of a list, and their geometric mean. */
void chart_speedups(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                    const char *const *list);
/* A number of each workload of a list, and their mean. */
void chart_numbers(struct chart *f, const char *series, const struct claim_setup *s, const char *const *list,
                   chart_number number);
/* The same relative to that of a base, and the mean. There is no point if the number of the base is 0. */
void chart_ratios(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *base,
                  const char *const *list, chart_number number);

/* ---- evaluating -------------------------------------------------------------------------------------------------- */

/* Evaluates a figure: {id, title, unit, kind, ordered, from_one, computed, rows, series: [{name, stack, dots,
 * measured: [], low: [], high: []}], maps: [{name, map}], notes: [], points, missing, lacks}. Numbers that are not
 * known are null; lacks says what cannot be had. */
json_t *figure_evaluate(const struct figure *f, const struct claim_source *source);
const struct figure *figure_of(const char *id); /* NULL: there is none */

#endif
