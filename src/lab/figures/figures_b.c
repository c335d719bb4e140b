/* Figures about un-coalesced loads and BUCL (Zhao et al.: Selectively GPU cache bypassing for un-coalesced loads):
 * see figure.h. Configurations, benchmarks and measures are those of the claims (claims_b.h). */
#include "lab/claims/claims_b.h"
#include "lab/figures/figure.h"

static const char *const ten[] = {"kmn",    "bfs", "particlefilter", "gaussian", "sssp", "backprop",
                                  "b+tree", "nw",  "2dconv",         "myocyte",  NULL};
#define UC_MEAN "mean of un-coalesced"
#define CH_MEAN "mean of coherent"

/* ---- what loads are like ----------------------------------------------------------------------------------------- */

enum { GROUPS = 5 };
static const char *const group_names[GROUPS] = {"1", "2", "3 to 10", "11 to 20", "21 to 32"};
static const char *const group_keys[GROUPS] = {"1", "2", "3-10", "11-20", "21-32"};

/* What the probe says of a group of loads: NULL while it is not known, a null where the group has none. */
static const json_t *of_group(struct chart *f, const char *workload, unsigned group, const char *name) {
  const json_t *groups = json_object_get(claim_probe(f->c, &probed, workload, "coalescing"), "groups");
  return json_object_get(json_object_get(groups, group_keys[group]), name);
}

static void b2(struct chart *f) {
  for (unsigned i = 0; ten[i]; i++)
    for (unsigned k = 0; k < GROUPS; k++) {
      const json_t *v = of_group(f, ten[i], k, "loads");
      chart_point(f, group_names[k], ten[i], v ? 100 * json_number_value(v) : NAN);
    }
}
static const struct figure_mark b2_marks[] = {AT("11 to 20", "kmn", 50), {0}};

/* A number of each group, times `scale`; over that of the coherent loads where `relative`. */
static void by_group(struct chart *f, const char *name, bool relative, double scale) {
  for (unsigned i = 0; ten[i]; i++)
    for (unsigned k = 0; k < GROUPS; k++) {
      const json_t *v = of_group(f, ten[i], k, name), *one = of_group(f, ten[i], 0, name);
      double of = relative ? json_number_value(one) : 1;
      if (json_is_null(v) || (v && !(of > 0)))
        chart_none(f, group_names[k], ten[i]);
      else
        chart_point(f, group_names[k], ten[i], v ? scale * json_number_value(v) / of : NAN);
    }
}

static void b5a(struct chart *f) { by_group(f, "all_hit", false, 100); }
static void b5b(struct chart *f) { by_group(f, "latency", true, 1); }
static void b5c(struct chart *f) { by_group(f, "block_reuse", true, 100); }
static const struct figure_mark b5a_marks[] = {AT("1", "kmn", 23), AT("21 to 32", "kmn", 0.2), {0}};
static const struct figure_mark b5b_marks[] = {AT("21 to 32", "bfs", 3.5), AT("21 to 32", "particlefilter", 13.6), {0}};
static const struct figure_mark b5c_marks[] = {AT("11 to 20", "bfs", 1.4), AT("21 to 32", "bfs", 1.5), {0}};

/* ---- both groups, each with its mean ----------------------------------------------------------------------------- */

typedef double (*measure)(struct claim *c, const struct claim_setup *s, const char *workload);

static double speedup(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_speedup(c, s, &base, workload);
}

/* The configuration of a workload: `s`, or where it is NULL that of the best limit; NULL while that is not known. */
static const struct claim_setup *setup_for(struct chart *f, const struct claim_setup *s, const struct claim_setup *limits,
                                           const char *workload) {
  if (s) return s;
  struct best b = best_limit(f->c, limits, workload);
  return b.limit ? &limits[b.limit - 1] : NULL;
}

/* Limits are asked for where s is NULL. The mean is geometric or not. */
static void one_group(struct chart *f, const char *series, const struct claim_setup *s, const struct claim_setup *limits,
                      const char *const *list, const char *mean, measure number, bool geometric) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) {
    const struct claim_setup *own = setup_for(f, s, limits, list[n]);
    double v = own ? number(f->c, own, list[n]) : NAN;
    chart_point(f, series, list[n], v);
    sum += geometric ? log(v) : v;
  }
  chart_point(f, series, mean, geometric ? exp(sum / n) : sum / n);
}

static void both_groups(struct chart *f, const char *series, const struct claim_setup *s, measure number, bool geometric) {
  one_group(f, series, s, swl, uncoalesced, UC_MEAN, number, geometric);
  one_group(f, series, s, swl, coherent, CH_MEAN, number, geometric);
}

static void b3(struct chart *f) { both_groups(f, "base", &base, hit_rate, false); }
static const struct figure_mark b3_marks[] = {AT("base", UC_MEAN, 18), {0}};

/* By ways, so that the hashed index stays what it is. */
static void b4(struct chart *f) {
  static const struct claim_setup sizes[] = {
      {.gpu = GPU, .set = "l1.ways=8"}, {.gpu = GPU, .set = "l1.ways=12"}, {.gpu = GPU, .set = "l1.ways=16"}};
  static const char *const names[] = {"32 KB", "48 KB", "64 KB"};
  for (unsigned k = 0; k < 3; k++) both_groups(f, names[k], &sizes[k], speedup, true);
}

static void b7(struct chart *f) {
  both_groups(f, "MRPB", &mrpb, speedup, true);
  both_groups(f, "BUCL-Prf5k", &prf5k, speedup, true);
  both_groups(f, "BUCL-Prf10k", &prf10k, speedup, true);
  both_groups(f, "SWL-Best", NULL, speedup, true);
  both_groups(f, "BUCL-Dyn", &dyn, speedup, true);
  double more = 1.19 * claim_speedup(f->c, &mrpb, &base, "kmn");
  chart_mark(f, "BUCL-Dyn", "kmn", more, more);
}
static const struct figure_mark b7_marks[] = {AT("MRPB", UC_MEAN, 1.22),
                                              AT("BUCL-Prf5k", UC_MEAN, 1.38),
                                              AT("BUCL-Prf10k", UC_MEAN, 1.29),
                                              AT("SWL-Best", UC_MEAN, 1.16),
                                              AT("BUCL-Dyn", UC_MEAN, 1.36),
                                              AT("BUCL-Dyn", CH_MEAN, 1.05),
                                              AT("SWL-Best", CH_MEAN, 1.03),
                                              AT("MRPB", "backprop", 0.93),
                                              AT("MRPB", "2dconv", 0.96),
                                              AT("BUCL-Prf10k", "gaussian", 1),
                                              {0}};

static void b8(struct chart *f) {
  both_groups(f, "base", &base, hit_rate, false);
  both_groups(f, "MRPB", &mrpb, hit_rate, false);
  both_groups(f, "SWL-Best", NULL, hit_rate, false);
  both_groups(f, "BUCL", &dyn, hit_rate, false);
}
static const struct figure_mark b8_marks[] = {
    AT("base", UC_MEAN, 18), AT("MRPB", UC_MEAN, 39), AT("SWL-Best", UC_MEAN, 39), AT("BUCL", UC_MEAN, 63), {0}};

static void b9(struct chart *f) {
  one_group(f, "SWL-Best", NULL, swl, uncoalesced, CHART_GMEAN, speedup, true);
  one_group(f, "BUCL", &dyn, NULL, uncoalesced, CHART_GMEAN, speedup, true);
  one_group(f, "SWBU", NULL, swbu, uncoalesced, CHART_GMEAN, speedup, true);
}
static const struct figure_mark b9_marks[] = {
    AT("SWL-Best", CHART_GMEAN, 1.16), AT("BUCL", CHART_GMEAN, 1.36), AT("SWBU", CHART_GMEAN, 1.45), {0}};

const struct figure figures_b[] = {
    {.id = "B:2",
     .title = "Loads by the number of lines that they touch",
     .unit = "% of loads",
     .kind = FIGURE_STACKED,
     .flags = FIGURE_ORDERED,
     .draw = b2,
     .marks = b2_marks,
     .note = "Half of the loads of kmn touch 32 lines: the mark is the edge below them."},
    {.id = "B:3", .title = "L1D hit rate of the base", .unit = "%", .draw = b3, .marks = b3_marks},
    {.id = "B:4",
     .title = "More L1D",
     .unit = "IPC over 16 KB",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = b4,
     .note = "The capacities of the paper's figure are not in its text."},
    {.id = "B:5a",
     .title = "Loads that hit with all their accesses, by lines touched",
     .unit = "% of loads",
     .flags = FIGURE_ORDERED,
     .draw = b5a,
     .marks = b5a_marks,
     .note = "No bar: there are no such loads."},
    {.id = "B:5b",
     .title = "Latency of loads by lines touched",
     .unit = "over loads of one line",
     .flags = FIGURE_FROM_ONE | FIGURE_ORDERED,
     .draw = b5b,
     .marks = b5b_marks,
     .note = "No bar: there are no such loads, or none of one line."},
    {.id = "B:5c",
     .title = "Lines fetched that are used again, by lines touched",
     .unit = "% of that of loads of one line",
     .flags = FIGURE_ORDERED,
     .draw = b5c,
     .marks = b5c_marks,
     .note = "No bar: no such lines were fetched, or none by loads of one line."},
    {.id = "B:7",
     .title = "Speed of the schemes",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = b7,
     .marks = b7_marks,
     .note = "Means are geometric. Published of kmn: about 19 % over MRPB, drawn on the latter as measured."},
    {.id = "B:8", .title = "L1D hit rate of the schemes", .unit = "%", .draw = b8, .marks = b8_marks},
    {.id = "B:9",
     .title = "A limit of warps and BUCL together",
     .unit = "IPC over the base",
     .flags = FIGURE_FROM_ONE,
     .draw = b9,
     .marks = b9_marks},
    {0},
};
