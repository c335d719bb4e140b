/* Figures about data filtering (Byoun 2018): see figure.h. Configurations, benchmarks and measures are those of the
 * claims (claims_d.h). */
#include "lab/claims/claims_d.h"
#include "lab/figures/figure.h"

#include <math.h>

/* The benchmarks that the text names for the left part of its figures; who else is there, it does not say. */
#define FAVOURABLE "mean of favourable"
#define UNFAVOURABLE "mean of unfavourable"

/* A bar a workload of the suite, their mean and that of the favourable. */
static void bars(struct chart *f, const char *series, const struct claim_setup *s, chart_number number) {
  double sum = 0;
  unsigned n = 0;
  chart_numbers(f, series, s, suite, number);
  for (; favourable[n]; n++) sum += number(f->c, s, favourable[n]);
  chart_point(f, series, FAVOURABLE, sum / n);
}

/* ---- how lines are used ------------------------------------------------------------------------------------------ */

static double used(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * claim_stat(c, s, workload, "probes.lines.used_bytes_share");
}
static void d2_1(struct chart *f) { bars(f, "used", &probed, used); }
static const struct figure_mark d2_1_marks[] = {AT("used", CHART_MEAN, 40),   {"used", "hybridsort", 90, 100},
                                                {"used", "nn", 90, 100},      {"used", "srad_v1", 90, 100},
                                                {"used", "srad_v2", 90, 100}, {0}};

/* Parts of a whole a workload, and the means of the suite and of the favourable. */
static void parts(struct chart *f, const char *const *names, const char *const *stats, unsigned n) {
  for (unsigned k = 0; k < n; k++) {
    double all = 0, some = 0;
    unsigned in_all = 0, in_some = 0;
    for (; suite[in_all]; in_all++) {
      double v = 100 * claim_stat(f->c, &probed, suite[in_all], stats[k]);
      chart_point(f, names[k], suite[in_all], v);
      all += v;
    }
    for (; favourable[in_some]; in_some++) some += 100 * claim_stat(f->c, &probed, favourable[in_some], stats[k]);
    chart_point(f, names[k], CHART_MEAN, all / in_all);
    chart_point(f, names[k], FAVOURABLE, some / in_some);
  }
}

static void d2_3(struct chart *f) {
  static const char *const names[] = {"32 B", "64 B", "96 B", "128 B"};
  static const char *const stats[] = {"probes.lines.used.32B", "probes.lines.used.64B", "probes.lines.used.96B",
                                      "probes.lines.used.128B"};
  parts(f, names, stats, 4);
}

static void d2_6(struct chart *f) {
  static const char *const names[] = {"CA 32 B", "CA 64 B", "CA 96 B", "CA 128 B", "ICA 64 B", "ICA 96 B", "ICA 128 B"};
  static const char *const stats[] = {"probes.consistency.classes.CA 32B",  "probes.consistency.classes.CA 64B",
                                      "probes.consistency.classes.CA 96B",  "probes.consistency.classes.CA 128B",
                                      "probes.consistency.classes.ICA 64B", "probes.consistency.classes.ICA 96B",
                                      "probes.consistency.classes.ICA 128B"};
  parts(f, names, stats, 7);
}
static const struct figure_mark d2_6_marks[] = {AT("CA 96 B", FAVOURABLE, 90), {0}};

/* ---- speed and traffic ------------------------------------------------------------------------------------------- */

static double over_base(struct claim *c, const struct claim_setup *s, const char *workload) {
  return faster(c, s, &base, workload);
}
static double over_dpc(struct claim *c, const struct claim_setup *s, const char *workload) {
  return faster(c, s, &dpc, workload);
}

/* Geometric means, as the claims take them. */
static void speeds(struct chart *f, const char *series, const struct claim_setup *s, chart_number number) {
  static const char *const *const lists[] = {suite, favourable};
  static const char *const means[] = {CHART_GMEAN, FAVOURABLE};
  for (unsigned i = 0; suite[i]; i++) chart_point(f, series, suite[i], number(f->c, s, suite[i]));
  for (unsigned k = 0; k < 2; k++) {
    double sum = 0;
    unsigned n = 0;
    for (; lists[k][n]; n++) sum += log(number(f->c, s, lists[k][n]));
    chart_point(f, series, means[k], exp(sum / n));
  }
}

static void d5_1(struct chart *f) {
  speeds(f, "DF-MAN", &man, over_base);
  speeds(f, "DF-TRUC", &truc, over_base);
}
static const struct figure_mark d5_1_marks[] = {AT("DF-MAN", CHART_GMEAN, 1.39), AT("DF-TRUC", CHART_GMEAN, 1.39), {0}};

static void d5_2(struct chart *f) { speeds(f, "DF-MAN", &man, over_dpc); }
static const struct figure_mark d5_2_marks[] = {AT("DF-MAN", CHART_GMEAN, 1.05), AT("DF-MAN", FAVOURABLE, 1.2), {0}};

static double flits_saved(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * (1 - claim_ratio(c, s, &base, workload, "noc.reply_flits"));
}
static double flits_saved_over_dpc(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * (1 - claim_ratio(c, s, &dpc, workload, "noc.reply_flits"));
}
static void d5_3(struct chart *f) {
  bars(f, "DF-MAN over the base", &man, flits_saved);
  bars(f, "DF-MAN over DPC", &man, flits_saved_over_dpc);
}
static const struct figure_mark d5_3_marks[] = {AT("DF-MAN over the base", CHART_MEAN, 48.3),
                                                AT("DF-MAN over DPC", CHART_MEAN, 17.7),
                                                AT("DF-MAN over DPC", FAVOURABLE, 44.2),
                                                {0}};

/* Of the 128 bytes of each line that was sent. */
static double space_saved(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * (1 - claim_share(c, s, workload, "reply.block_bits", "reply.blocks") / (128 * 8));
}
static void d5_4(struct chart *f) {
  bars(f, "DPC", &dpc, space_saved);
  bars(f, "DF-MAN", &man, space_saved);
}
static const struct figure_mark d5_4_marks[] = {AT("DPC", FAVOURABLE, 28.38), AT("DF-MAN", FAVOURABLE, 67.04), {0}};

/* ---- misses ------------------------------------------------------------------------------------------------------ */

static void d5_5(struct chart *f) {
  static const struct claim_setup *const setups[] = {&base, &man};
  static const char *const names[] = {"base", "DF-MAN"};
  double mean[2] = {NAN, NAN};
  for (unsigned k = 0; k < 2; k++) {
    double sum = 0;
    unsigned n = 0;
    bars(f, names[k], setups[k], miss_rate);
    for (unsigned i = 0; suite[i]; i++)
      if (unfavourable(f->c, suite[i])) sum += miss_rate(f->c, setups[k], suite[i]), n++;
    if (claim_known(f->c)) mean[k] = sum / n;
    chart_point(f, names[k], UNFAVOURABLE, mean[k]);
  }
  chart_mark(f, "DF-MAN", UNFAVOURABLE, mean[0] + 1, mean[0] + 1);
}

/* Of a workload without misses there is nothing to divide. */
static void d5_6(struct chart *f) {
  static const char *const names[] = {"first misses", "subsequent misses", "hits but invalid"};
  static const char *const stats[] = {"l1d.first_misses", "l1d.subsequent_misses", "l1d.hit_invalid"};
  for (unsigned i = 0; suite[i]; i++) {
    double v[3], all = 0;
    for (unsigned k = 0; k < 3; k++) all += v[k] = claim_stat(f->c, &man, suite[i], stats[k]);
    for (unsigned k = 0; k < 3; k++) {
      if (all == 0)
        chart_none(f, names[k], suite[i]);
      else
        chart_point(f, names[k], suite[i], 100 * v[k] / all);
    }
  }
}

#define LEFT                                                                                                                   \
  "The favourable are cfd, gaussian, myocyte, ii, sm and ss, which the text names; the figure's own list is not in it."
const struct figure figures_d[] = {
    {.id = "D:2.1",
     .title = "Share of an L1D line that is used before it is evicted",
     .unit = "% of its bytes",
     .draw = d2_1,
     .marks = d2_1_marks,
     .note = LEFT},
    {.id = "D:2.3",
     .title = "Lines by how much of them is used before they are evicted",
     .unit = "% of lines",
     .kind = FIGURE_STACKED,
     .flags = FIGURE_ORDERED,
     .draw = d2_3,
     .note = LEFT},
    {.id = "D:2.6",
     .title = "Lines by consistent (CA) and inconsistent (ICA) accesses",
     .unit = "% of lines",
     .kind = FIGURE_STACKED,
     .draw = d2_6,
     .marks = d2_6_marks,
     .note = LEFT " The mark is where partial consistent accesses, of 32 to 96 bytes, end."},
    {.id = "D:5.1",
     .title = "Data filtering with compression",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = d5_1,
     .marks = d5_1_marks,
     .note = "Means are geometric. " LEFT},
    {.id = "D:5.2",
     .title = "Data filtering beside compression alone",
     .unit = "IPC over DPC",
     .flags = FIGURE_FROM_ONE,
     .draw = d5_2,
     .marks = d5_2_marks,
     .note = "Means are geometric. " LEFT},
    {.id = "D:5.3", .title = "Reply flits saved", .unit = "%", .draw = d5_3, .marks = d5_3_marks, .note = LEFT},
    {.id = "D:5.4",
     .title = "Space saved in reply packets",
     .unit = "% of 128 bytes",
     .draw = d5_4,
     .marks = d5_4_marks,
     .note = LEFT},
    {.id = "D:5.5",
     .title = "L1D miss rate",
     .unit = "% of loads",
     .draw = d5_5,
     .note =
         LEFT " The unfavourable are those with fewer than half of their lines partial and consistent. Published: one point "
              "more in these, drawn on the base as measured."},
    {.id = "D:5.6", .title = "Misses of DF-MAN by kind", .unit = "% of misses", .kind = FIGURE_STACKED, .draw = d5_6},
    {0},
};
