/* Figures about the cooperative caching network (Dublish et al., TACO 2016): see figure.h. Configurations, benchmarks
 * and measures are those of the claims (claims_c.h). */
#include "lab/claims/claims_c.h"
#include "lab/figures/figure.h"

/* ---- misses and reuse between SMs -------------------------------------------------------------------------------- */

static double miss_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  double misses = claim_stat(c, s, workload, "l1d.misses") - claim_stat(c, s, workload, "l1d.writes") -
                  claim_stat(c, s, workload, "l1d.atomics");
  double reads = claim_stat(c, s, workload, "l1d.reads");
  return reads == 0 ? 0 : 100 * misses / reads;
}

static void c1a(struct chart *f) {
  double sum = 0;
  for (unsigned i = 0; i < TABLE_I; i++) {
    double v = miss_rate(f->c, &base, table_i[i].workload);
    chart_point(f, "base", table_i[i].workload, v);
    sum += v;
  }
  chart_point(f, "base", CHART_MEAN, sum / TABLE_I);
}

static void c1b(struct chart *f) {
  double sum = 0;
  for (unsigned i = 0; i < TABLE_I; i++) {
    double v = 100 * claim_stat(f->c, &probed, table_i[i].workload, "probes.reuse.coefficient");
    chart_point(f, "base", table_i[i].workload, v);
    chart_mark(f, "base", table_i[i].workload, table_i[i].percent, table_i[i].percent);
    sum += v;
  }
  chart_point(f, "base", CHART_MEAN, sum / TABLE_I);
}
static const struct figure_mark c1b_marks[] = {AT("base", CHART_MEAN, 14), {0}};

static void c3(struct chart *f) {
  static const char *const named[] = {"cutcp", "dwt2d", "km", "tpacf"};
  for (unsigned i = 0; i < 4; i++)
    chart_map(f, named[i], json_object_get(claim_probe(f->c, &probed, named[i], "reuse"), "map"));
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static void c4(struct chart *f) {
#define AFTER(n) GPU(.set = "coop=ideal,coop.reuse_latency=" #n)
  static const struct claim_setup after[] = {AFTER(40), AFTER(80), AFTER(120), AFTER(160), AFTER(200), AFTER(250), AFTER(300)};
  static const char *const names[] = {"40", "80", "120", "160", "200", "250", "300 cycles"};
  chart_speedups(f, "0", &ideal, &base, reuse);
  for (unsigned i = 0; i < sizeof after / sizeof *after; i++) chart_speedups(f, names[i], &after[i], &base, reuse);
}
static const struct figure_mark c4_marks[] = {
    AT("0", CHART_GMEAN, 1.215), AT("80", CHART_GMEAN, 1.188), AT("300 cycles", CHART_GMEAN, 1),
    AT("0", "cfd", 1.73),        AT("0", "pvr", 1.38),         {0}};

static const struct claim_setup *const schemes[] = {&ccn_b, &ccn_rt, &ideal};
static const char *const scheme_names[] = {"CCN-B", "CCN-RT", "ideal"};
enum { SCHEMES = 3 };

static void c7a(struct chart *f) {
  for (unsigned k = 0; k < SCHEMES; k++) {
    chart_speedups(f, scheme_names[k], schemes[k], &base, reuse);
    chart_point(f, scheme_names[k], "best", claim_best(f->c, schemes[k], &base, reuse, NULL));
  }
}
static const struct figure_mark c7a_marks[] = {AT("CCN-B", CHART_GMEAN, 1.145), AT("CCN-RT", CHART_GMEAN, 1.147),
                                               AT("ideal", CHART_GMEAN, 1.215), AT("CCN-RT", "best", 1.49),
                                               AT("CCN-RT", "b+tree", 1.31),    {0}};

static void c7b(struct chart *f) {
  for (unsigned k = 0; k < 2; k++) {
    chart_speedups(f, scheme_names[k], schemes[k], &base, no_reuse);
    chart_point(f, scheme_names[k], "worst", claim_worst(f->c, schemes[k], &base, no_reuse, NULL));
  }
}
static const struct figure_mark c7b_marks[] = {AT("CCN-B", CHART_GMEAN, 0.983),
                                               AT("CCN-RT", CHART_GMEAN, 0.999),
                                               AT("CCN-B", "worst", 0.885),
                                               AT("CCN-RT", "worst", 0.985),
                                               {0}};

/* ---- what it saves ----------------------------------------------------------------------------------------------- */

static void over_base(struct chart *f, chart_number number) {
  for (unsigned k = 0; k < SCHEMES; k++) chart_ratios(f, scheme_names[k], schemes[k], &base, reuse, number);
}

static void c8a(struct chart *f) { over_base(f, l2_accesses); }
static void c8b(struct chart *f) { over_base(f, latency); }
static void c8c(struct chart *f) { over_base(f, stalls); }
static void c8d(struct chart *f) { over_base(f, dram_accesses); }
static const struct figure_mark c8a_marks[] = {
    AT("CCN-B", CHART_MEAN, 0.71), AT("CCN-RT", CHART_MEAN, 0.71), AT("ideal", CHART_MEAN, 0.67), {0}};
static const struct figure_mark c8b_marks[] = {AT("CCN-RT", CHART_MEAN, 0.76), AT("CCN-RT", "cutcp", 0.35), {0}};
static const struct figure_mark c8c_marks[] = {AT("CCN-RT", CHART_MEAN, 0.74), AT("ideal", CHART_MEAN, 0.72), {0}};
static const struct figure_mark c8d_marks[] = {AT("CCN-RT", "streamcluster", 0.88), {0}};

static double energy(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "energy.total");
}

static void c8e(struct chart *f) {
  for (unsigned k = 0; k < 2; k++) chart_ratios(f, scheme_names[k], schemes[k], &base, reuse, energy);
}
static const struct figure_mark c8e_marks[] = {AT("CCN-RT", CHART_MEAN, 1.025), {0}};

/* ---- sensitivity ------------------------------------------------------------------------------------------------- */

static void c9a(struct chart *f) {
  chart_speedups(f, "16 KB", &ccn_rt, &base, reuse);
  chart_speedups(f, "48 KB", &big_rt, &big, reuse);
}
static const struct figure_mark c9a_marks[] = {AT("16 KB", CHART_GMEAN, 1.147), AT("48 KB", CHART_GMEAN, 1.206), {0}};

static void c9b(struct chart *f) {
#define HOP(n) GPU(.set = "coop=ccn-rt,coop.hop=" #n)
  static const struct claim_setup hop[] = {HOP(2), HOP(3), HOP(4), HOP(5)};
  static const char *const names[] = {"2", "3", "4", "5"};
  chart_speedups(f, "1 cycle", &ccn_rt, &base, reuse);
  for (unsigned i = 0; i < 4; i++) chart_speedups(f, names[i], &hop[i], &base, reuse);
  double less = claim_speedup(f->c, &ccn_rt, &base, "cfd") - 0.01;
  chart_mark(f, "5", "cfd", less, less);
}
static const struct figure_mark c9b_marks[] = {AT("1 cycle", CHART_GMEAN, 1.147), AT("3", CHART_GMEAN, 1.136),
                                               AT("5", CHART_GMEAN, 1.112),       AT("1 cycle", "b+tree", 1.31),
                                               AT("5", "b+tree", 1.19),           {0}};

static void c9c(struct chart *f) {
  for (unsigned i = 0; i < 4; i++) chart_speedups(f, lane_names[i], &lanes_with[i], &lanes_without[i], reuse);
}
static const struct figure_mark c9c_marks[] = {AT("32 lanes", CHART_GMEAN, 1.147),
                                               AT("64", CHART_GMEAN, 1.136),
                                               AT("128", CHART_GMEAN, 1.114),
                                               AT("192", CHART_GMEAN, 1.102),
                                               {0}};

/* ---- other ways -------------------------------------------------------------------------------------------------- */

static void c10a(struct chart *f) {
  chart_speedups(f, "24 banks", &banks, &base, reuse);
  chart_speedups(f, "CCN-RT", &ccn_rt, &base, reuse);
  chart_speedups(f, "both", &banks_rt, &base, reuse);
  double more = 1.34 * claim_speedup(f->c, &banks, &base, "cfd");
  chart_mark(f, "CCN-RT", "cfd", more, more);
}
static const struct figure_mark c10a_marks[] = {
    AT("24 banks", CHART_GMEAN, 1.102), AT("CCN-RT", CHART_GMEAN, 1.147), AT("both", CHART_GMEAN, 1.235), {0}};

static void c10b(struct chart *f) {
  chart_speedups(f, "clusters of 3", &cluster_3, &base, reuse);
  chart_speedups(f, "clusters of 5", &cluster_5, &base, reuse);
  chart_speedups(f, "all", &ideal, &base, reuse);
}
static const struct figure_mark c10b_marks[] = {
    AT("clusters of 3", CHART_GMEAN, 1.04), AT("clusters of 5", CHART_GMEAN, 1.08), AT("all", CHART_GMEAN, 1.21), {0}};

const struct figure figures_c[] = {
    {.id = "C:1a", .title = "L1 miss rate", .unit = "% of loads", .draw = c1a},
    {.id = "C:1b",
     .title = "L1 misses that another L1 holds",
     .unit = "% of misses",
     .draw = c1b,
     .marks = c1b_marks,
     .note = "Published values are those of Table I."},
    {.id = "C:3",
     .title = "Reuse between SMs",
     .unit = "",
     .kind = FIGURE_MAPS,
     .draw = c3,
     .note = "Across: the SM whose load missed; upwards: the SM that had the line. Published: cutcp at a distance of four SMs, "
             "dwt2d between neighbours, "
             "km falling off with distance, tpacf everywhere."},
    {.id = "C:4",
     .title = "Ideal cooperation by the latency of another L1",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = c4,
     .marks = c4_marks},
    {.id = "C:7a",
     .title = "Cooperation, benchmarks with reuse",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c7a,
     .marks = c7a_marks},
    {.id = "C:7b",
     .title = "Cooperation, benchmarks without reuse",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c7b,
     .marks = c7b_marks},
    {.id = "C:8a",
     .title = "Accesses of L2",
     .unit = "over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c8a,
     .marks = c8a_marks},
    {.id = "C:8b",
     .title = "Average memory latency",
     .unit = "over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c8b,
     .marks = c8b_marks},
    {.id = "C:8c",
     .title = "Stall cycles of the SMs",
     .unit = "over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c8c,
     .marks = c8c_marks},
    {.id = "C:8d",
     .title = "Traffic of DRAM",
     .unit = "over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c8d,
     .marks = c8d_marks,
     .note = "Published: no visible difference for most."},
    {.id = "C:8e", .title = "Energy", .unit = "over the base", .flags = FIGURE_FROM_ONE, .draw = c8e, .marks = c8e_marks},
    {.id = "C:9a",
     .title = "Gain of CCN-RT with a larger L1",
     .unit = "IPC over the same without",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = c9a,
     .marks = c9a_marks},
    {.id = "C:9b",
     .title = "Gain of CCN-RT by the latency of a hop",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = c9b,
     .marks = c9b_marks,
     .note = "Published of cfd: 1 % less with 5 cycles than with 1, drawn on the latter as measured."},
    {.id = "C:9c",
     .title = "Gain of CCN-RT by SIMD lanes",
     .unit = "IPC over the same without",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = c9c,
     .marks = c9c_marks},
    {.id = "C:10a",
     .title = "Twice the banks of L2",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = c10a,
     .marks = c10a_marks,
     .note = "Published of cfd: 34 % faster with CCN-RT than with 24 banks, drawn on the latter as measured."},
    {.id = "C:10b",
     .title = "Ideal cooperation in clusters",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = c10b,
     .marks = c10b_marks},
    {0},
};
