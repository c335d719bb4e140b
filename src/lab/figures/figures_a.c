/* Figures about the adaptive last-level cache (Zhao et al., ISCA 2019): see figure.h. Configurations, benchmarks and
 * measures are those of the claims (claims_a.h). */
#include "lab/claims/claims_a.h"
#include "lab/figures/figure.h"

/* In the order of the paper's panels. */
enum { SETS = 3 };
static const char *const *const sets[SETS] = {shared_friendly, private_friendly, neutral};
#define SHARED_MEAN "mean of shared-friendly"
#define PRIVATE_MEAN "mean of private-friendly"
#define NEUTRAL_MEAN "mean of neutral"
static const char *const set_means[SETS] = {SHARED_MEAN, PRIVATE_MEAN, NEUTRAL_MEAN};

/* ---- shared against private slices ------------------------------------------------------------------------------- */

static void by_set(struct chart *f, const char *series, const struct claim_setup *s) {
  for (unsigned g = 0; g < SETS; g++) {
    for (unsigned i = 0; sets[g][i]; i++) chart_point(f, series, sets[g][i], claim_speedup(f->c, s, &base, sets[g][i]));
    chart_point(f, series, set_means[g], claim_gmean(f->c, s, &base, sets[g]));
  }
}

static void extremes(struct chart *f, const char *series, const struct claim_setup *s) {
  chart_point(f, series, "worst of shared-friendly", claim_worst(f->c, s, &base, shared_friendly, NULL));
  chart_point(f, series, "best of private-friendly", claim_best(f->c, s, &base, private_friendly, NULL));
}

static void a2(struct chart *f) {
  by_set(f, "private", &own);
  extremes(f, "private", &own);
}
static const struct figure_mark a2_marks[] = {
    AT("private", SHARED_MEAN, 0.819), AT("private", "worst of shared-friendly", 0.774), {0}};

static void a3(struct chart *f) {
  static const char *const names[] = {"1 cluster", "2", "3 or 4", "5 to 8"};
  static const char *const stats[] = {"probes.sharing.touched_by.1", "probes.sharing.touched_by.2",
                                      "probes.sharing.touched_by.3-4", "probes.sharing.touched_by.5-8"};
  for (unsigned k = 0; k < 4; k++)
    for (unsigned g = 0; g < SETS; g++) {
      for (unsigned i = 0; sets[g][i]; i++)
        chart_point(f, names[k], sets[g][i], 100 * claim_stat(f->c, &probed, sets[g][i], stats[k]));
      chart_point(f, names[k], set_means[g], 100 * claim_mean(f->c, &probed, sets[g], stats[k]));
    }
}
static const struct figure_mark a3_marks[] = {
    AT("1 cluster", SHARED_MEAN, 80), {"1 cluster", PRIVATE_MEAN, 0, 40}, AT("1 cluster", NEUTRAL_MEAN, 100), {0}};

static void a11(struct chart *f) {
  by_set(f, "private", &own);
  extremes(f, "private", &own);
  by_set(f, "adaptive", &adaptive);
  extremes(f, "adaptive", &adaptive);
}
static const struct figure_mark a11_marks[] = {AT("private", SHARED_MEAN, 0.819),
                                               AT("private", "worst of shared-friendly", 0.774),
                                               AT("adaptive", PRIVATE_MEAN, 1.281),
                                               AT("adaptive", SHARED_MEAN, 1),
                                               AT("adaptive", NEUTRAL_MEAN, 1),
                                               AT("adaptive", "best of private-friendly", 1.381),
                                               {0}};

static const struct claim_setup *const modes[] = {&base, &own, &adaptive};
static const char *const mode_names[] = {"shared", "private", "adaptive"};

static double mean_of(struct claim *c, const struct claim_setup *s, const char *const *list, chart_number number) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += number(c, s, list[n]);
  return sum / n;
}

static void a12(struct chart *f) {
  for (unsigned k = 0; k < 3; k++) chart_numbers(f, mode_names[k], modes[k], private_friendly, response_rate);
  double shared = mean_of(f->c, &base, private_friendly, response_rate);
  chart_mark(f, "private", CHART_MEAN, 1.353 * shared, 1.353 * shared);
  chart_mark(f, "adaptive", CHART_MEAN, 1.5 * shared, 1.5 * shared);
}

static void a13(struct chart *f) {
  for (unsigned k = 0; k < 3; k++) chart_numbers(f, mode_names[k], modes[k], shared_friendly, miss_rate);
  double more = mean_of(f->c, &base, shared_friendly, miss_rate) + 27.9;
  chart_mark(f, "private", CHART_MEAN, more, more);
  double lud = 3 * miss_rate(f->c, &base, "lud");
  chart_mark(f, "private", "lud", lud, lud);
}

/* ---- networks ---------------------------------------------------------------------------------------------------- */

static const char *const bandwidths[PAIRS] = {"all (full crossbar)", "1/2 (concentrated 2)", "1/4 (concentrated 4)",
                                              "1/8 (concentrated 8)"};

static void a7a(struct chart *f) {
  for (unsigned p = 0; p < PAIRS; p++) {
    chart_point(f, "full or concentrated", bandwidths[p], claim_gmean(f->c, &other_net[p], &other_net[0], all));
    chart_point(f, "H-Xbar", bandwidths[p], claim_gmean(f->c, &hxbar[p], &other_net[0], all));
  }
}

/* Routers below links, a stack each network; `low` and `high` are what the hierarchical one may have of the other. */
static void two_parts(struct chart *f, unsigned p, const double *other, const double *ours, double low, double high) {
  static const char *const names[] = {"full or concentrated, routers", "full or concentrated, links", "H-Xbar, routers",
                                      "H-Xbar, links"};
  for (unsigned k = 0; k < 4; k++) {
    chart_point(f, names[k], bandwidths[p], k < 2 ? other[k] : ours[k - 2]);
    chart_stack(f, names[k], k < 2 ? "other" : "ours");
  }
  if (high > 0) chart_mark(f, names[3], bandwidths[p], low * (other[0] + other[1]), high * (other[0] + other[1]));
}

static void a7b(struct chart *f) {
  for (unsigned p = 0; p < PAIRS; p++) {
    double other[] = {claim_stat(f->c, &other_net[p], "vectoradd", "area.noc_routers"),
                      claim_stat(f->c, &other_net[p], "vectoradd", "area.noc_links")};
    double ours[] = {claim_stat(f->c, &hxbar[p], "vectoradd", "area.noc_routers"),
                     claim_stat(f->c, &hxbar[p], "vectoradd", "area.noc_links")};
    two_parts(f, p, other, ours, 0.21, 0.38);
  }
}

static double router_power(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 1e9 * claim_stat(c, s, workload, "energy.noc_routers") / claim_stat(c, s, workload, "cycles");
}
static double link_power(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 1e9 * claim_stat(c, s, workload, "energy.noc_links") / claim_stat(c, s, workload, "cycles");
}

static void a7c(struct chart *f) {
  for (unsigned p = 0; p < PAIRS; p++) {
    double other[] = {mean_of(f->c, &other_net[p], all, router_power), mean_of(f->c, &other_net[p], all, link_power)};
    double ours[] = {mean_of(f->c, &hxbar[p], all, router_power), mean_of(f->c, &hxbar[p], all, link_power)};
    two_parts(f, p, other, ours, 0.2, p ? 1 : 0);
  }
}

/* ---- energy, two programs, sensitivity --------------------------------------------------------------------------- */

static double noc_energy(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "energy.noc");
}

static void a14(struct chart *f) {
  for (unsigned k = 1; k < 3; k++) {
    double least = INFINITY;
    chart_ratios(f, mode_names[k], modes[k], &base, not_shared, noc_energy);
    for (unsigned i = 0; not_shared[i]; i++) {
      double v = claim_ratio(f->c, modes[k], &base, not_shared[i], "energy.noc");
      least = isnan(v) || v < least ? v : least;
    }
    chart_point(f, mode_names[k], "best", least);
  }
}
static const struct figure_mark a14_marks[] = {AT("adaptive", CHART_MEAN, 0.734), AT("adaptive", "best", 0.703), {0}};

static void a15(struct chart *f) {
  static const struct claim_setup *const setups[] = {&base, &apart};
  static const char *const names[] = {"shared for both", "private for the first"};
  double mean[2] = {0};
  for (unsigned k = 0; k < 2; k++) {
    for (unsigned p = 0; private_friendly[p]; p++)
      for (unsigned m = 0; m < MIXES; m++) {
        double v = throughput(f->c, setups[k], p, m);
        chart_point(f, names[k], mixes[p][m], v);
        mean[k] += v / 30;
      }
    chart_point(f, names[k], CHART_MEAN, mean[k]);
  }
  chart_mark(f, names[1], CHART_MEAN, 1.08 * mean[0], 1.08 * mean[0]);
}

static void a16(struct chart *f) {
  static const struct {
    const char *row;
    const struct variant *v;
  } rows[] = {{"PAE map", &usual},        {"Hynix map", &hynix},
              {"16 B channels", &narrow}, {"32 B channels", &usual},
              {"64 B channels", &wide},   {"40 SMs", &small},
              {"80 SMs", &usual},         {"160 SMs", &large},
              {"48 KB L1", &usual},       {"64 KB L1", &l1_sizes[0]},
              {"96 KB L1", &l1_sizes[1]}, {"128 KB L1", &l1_sizes[2]},
              {"two-level CTAs", &usual}, {"BCS", &block},
              {"DCS", &distributed}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct variant *v = rows[i].v;
    chart_point(f, "adaptive", rows[i].row, claim_gmean(f->c, &v->adaptive, &v->shared, private_friendly));
    if (!isnan(v->published)) chart_mark(f, "adaptive", rows[i].row, 1 + v->published / 100, 1 + v->published / 100);
  }
}

const struct figure figures_a[] = {
    {.id = "A:2",
     .title = "Private slices of L2",
     .unit = "IPC over shared slices",
     .flags = FIGURE_FROM_ONE,
     .draw = a2,
     .marks = a2_marks,
     .note = "Means are geometric."},
    {.id = "A:3",
     .title = "L2 lines by the clusters that touch them in 1,000 cycles",
     .unit = "% of lines",
     .kind = FIGURE_STACKED,
     .flags = FIGURE_ORDERED,
     .draw = a3,
     .marks = a3_marks,
     .note = "Published: more than 60 % of the lines of the private-friendly are shared, about 20 % of the shared-friendly, "
             "none of the neutral."},
    {.id = "A:7a",
     .title = "Crossbars of the same bisection bandwidth: speed",
     .unit = "IPC over a full crossbar",
     .flags = FIGURE_FROM_ONE,
     .draw = a7a,
     .note = "Geometric means of the 17 benchmarks. Published: similar; ahead of the concentrated 8."},
    {.id = "A:7b",
     .title = "Crossbars of the same bisection bandwidth: active area",
     .unit = "mm2",
     .kind = FIGURE_STACKED,
     .draw = a7b,
     .note = "The published range, 62 to 79 % less, is drawn on what is measured for the other network."},
    {.id = "A:7c",
     .title = "Crossbars of the same bisection bandwidth: power",
     .unit = "nJ a core cycle",
     .kind = FIGURE_STACKED,
     .draw = a7c,
     .note = "Means of the 17 benchmarks. Published: up to 80 % less than a concentrated crossbar, drawn on what is measured "
             "for that."},
    {.id = "A:11",
     .title = "Private and adaptive slices of L2",
     .unit = "IPC over shared slices",
     .flags = FIGURE_FROM_ONE,
     .draw = a11,
     .marks = a11_marks,
     .note = "Means are geometric."},
    {.id = "A:12",
     .title = "Replies of L2, private-friendly benchmarks",
     .unit = "flits a cycle",
     .draw = a12,
     .note = "Published: 35.3 % more with private slices (text), 1.5 times with adaptive ones (caption), drawn on the shared "
             "ones as measured."},
    {.id = "A:13",
     .title = "L2 miss rate, shared-friendly benchmarks",
     .unit = "%",
     .draw = a13,
     .note =
         "Published: 27.9 points more with private slices (up to 52.3) and 3 times as much in lud, drawn on the shared ones "
         "as measured."},
    {.id = "A:14",
     .title = "Energy of the networks",
     .unit = "over shared slices",
     .flags = FIGURE_FROM_ONE,
     .draw = a14,
     .marks = a14_marks},
    {.id = "A:15",
     .title = "Two programs at once",
     .unit = "system throughput",
     .draw = a15,
     .note = "Published: 8 % more on average, drawn on the shared ones as measured."},
    {.id = "A:16",
     .title = "Gain of adaptive slices where something else is different, private-friendly benchmarks",
     .unit = "IPC over shared slices",
     .flags = FIGURE_FROM_ONE,
     .draw = a16,
     .note = "Geometric means."},
    {0},
};
