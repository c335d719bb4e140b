/* Claims about data filtering (Byoun 2018), with one function for each: see claim.h. Setups, and what is measured in
 * a run, are in claims_d.h. */
#include "lab/claims/claims_d.h"

#include <math.h>

/* In bytes: the figure speaks of actual usage, and the thesis counts in sub-blocks of 32 bytes only after it. */
static void d01(struct claim *c) {
  double v = 100 * claim_mean(c, &probed, suite, "probes.lines.used_bytes_share");
  claim_figure(c, "", "%", 40, v);
  claim_note(c, "in whole sub-blocks of 32 bytes %.1f %%", 100 * claim_mean(c, &probed, suite, "probes.lines.used_share"));
  claim_holds(c, claim_near(v, 40, 12));
}

static void d02(struct claim *c) {
  const char *room[SUITE], *const *group = favourable_group(c, false, room);
  double v = 100 * claim_mean(c, &probed, group, "probes.consistency.partial_consistent");
  claim_figure(c, "mean", "%", 90, v);
  for (unsigned i = 0; group[i]; i++) {
    double one = 100 * claim_stat(c, &probed, group[i], "probes.consistency.partial_consistent");
    claim_figure(c, group[i], "%", NAN, one);
    claim_note(c, "%s%s %.0f %%", i ? ", " : "", group[i], one);
  }
  claim_measured(c, "%.1f %%", v);
  claim_holds(c, v >= 80);
}

/* ---- instructions a cycle ---------------------------------------------------------------------------------------------- */

static double gain(struct claim *c, const struct claim_setup *s, const struct claim_setup *over, const char *const *list) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += log(faster(c, s, over, list[n]));
  return 100 * (exp(sum / n) - 1);
}

static double slowest(struct claim *c, const struct claim_setup *s, const char **which) {
  double least = INFINITY;
  for (unsigned i = 0; suite[i]; i++) {
    double v = faster(c, s, &base, suite[i]);
    if (v < least) least = v, *which = suite[i];
  }
  return least;
}

static void d03(struct claim *c) {
  double v = gain(c, &man, &base, suite);
  claim_figure(c, "DF-MAN", "%", 39, v);
  claim_figure(c, "DF-TRUC", "%", NAN, gain(c, &truc, &base, suite));
  claim_figure(c, "DPC alone", "%", NAN, gain(c, &dpc, &base, suite));
  claim_holds(c, claim_near(v, 39, 12));
}

static void d04(struct claim *c) {
  double v = gain(c, &man, &dpc, suite);
  claim_figure(c, "", "%", 5, v);
  claim_note(c, "DF-TRUC %.1f %%", gain(c, &truc, &dpc, suite));
  claim_holds(c, claim_near(v, 5, 4));
}

static void d05(struct claim *c) {
  const char *room[SUITE], *const *group = favourable_group(c, true, room);
  double v = gain(c, &man, &dpc, group);
  claim_figure(c, "mean", "%", 20, v);
  for (unsigned i = 0; group[i]; i++) claim_figure(c, group[i], "%", NAN, 100 * (faster(c, &man, &dpc, group[i]) - 1));
  claim_measured(c, "%.1f %%", v);
  claim_note(c, "DF-TRUC %.1f %%", gain(c, &truc, &dpc, group));
  claim_holds(c, claim_near(v, 20, 8));
}

static void d06(struct claim *c) {
  const char *which[2] = {"", ""};
  double worst[] = {slowest(c, &man, &which[0]), slowest(c, &truc, &which[1])};
  claim_figure(c, "DF-MAN", "x", NAN, worst[0]);
  claim_figure(c, "DF-TRUC", "x", NAN, worst[1]);
  claim_measured(c, "DF-MAN %.2f %s / DF-TRUC %.2f %s", worst[0], which[0], worst[1], which[1]);
  claim_holds(c, worst[0] >= 0.98 && worst[1] >= 0.98);
}

static void d07(struct claim *c) {
  double m = gain(c, &man, &base, suite), t = gain(c, &truc, &base, suite);
  claim_figure(c, "DF-MAN", "%", NAN, m);
  claim_figure(c, "DF-TRUC", "%", NAN, t);
  claim_holds(c, claim_near(t, m, 3));
}

/* ---- traffic ------------------------------------------------------------------------------------------------------------ */

/* Mean over the benchmarks of the share of reply flits that are gone, in percent. */
static double saved(struct claim *c, const struct claim_setup *s, const struct claim_setup *against, const char *const *list) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += 1 - claim_ratio(c, s, against, list[n], "noc.reply_flits");
  return 100 * sum / n;
}

static void d08(struct claim *c) {
  double v = saved(c, &man, &base, suite);
  claim_figure(c, "DF-MAN", "%", 48.3, v);
  claim_figure(c, "DF-TRUC", "%", NAN, saved(c, &truc, &base, suite));
  claim_figure(c, "DPC alone", "%", NAN, saved(c, &dpc, &base, suite));
  claim_holds(c, claim_near(v, 48.3, 10));
}

static void d09(struct claim *c) {
  const char *room[SUITE], *const *group = favourable_group(c, true, room);
  double v = saved(c, &man, &dpc, suite);
  claim_figure(c, "", "%", 17.7, v);
  claim_note(c, "DF-TRUC %.1f %%; favourable group, published 44.2 %%: DF-MAN %.1f %%, DF-TRUC %.1f %%", saved(c, &truc, &dpc, suite),
             saved(c, &man, &dpc, group), saved(c, &truc, &dpc, group));
  claim_holds(c, claim_near(v, 17.7, 8));
}

/* Of the 128 bytes of each line that was sent. */
static double space(struct claim *c, const struct claim_setup *s, const char *const *group) {
  return 100 * (1 - claim_mean_share(c, s, group, "reply.block_bits", "reply.blocks") / (128 * 8));
}

static void d10(struct claim *c) {
  const char *room[SUITE], *const *group = favourable_group(c, true, room);
  double m = space(c, &man, group), d = space(c, &dpc, group);
  claim_figure(c, "DF-MAN", "%", 67.04, m);
  claim_figure(c, "DPC", "%", 28.38, d);
  claim_figure(c, "DF-TRUC", "%", NAN, space(c, &truc, group));
  claim_holds(c, claim_near(m, 67.04, 12) && claim_near(d, 28.38, 12));
}

/* ---- misses -------------------------------------------------------------------------------------------------------------- */

static void d11(struct claim *c) {
  double sum = 0, all = 0, worst = 0;
  unsigned n = 0, in_all = 0;
  const char *which = "";
  for (; suite[in_all]; in_all++) {
    const char *w = suite[in_all];
    double more = miss_rate(c, &man, w) - miss_rate(c, &base, w);
    all += more;
    if (!unfavourable(c, w)) continue;
    sum += more;
    n++;
    if (more > worst) worst = more, which = w;
  }
  double v = n ? sum / n : NAN;
  claim_figure(c, "", "points", 1, v);
  claim_note(c, "%u workloads, most in %s: %.1f points; all %u: %.1f points", n, which, worst, in_all, all / in_all);
  claim_holds(c, v < 2);
}

/* Share of hit-but-invalid misses, in percent. */
static double invalid(struct claim *c, const char *workload) {
  double hit_invalid = claim_stat(c, &man, workload, "l1d.hit_invalid");
  double all = hit_invalid + claim_stat(c, &man, workload, "l1d.first_misses") + claim_stat(c, &man, workload, "l1d.subsequent_misses");
  return all > 0 ? 100 * hit_invalid / all : 0;
}

static void d12(struct claim *c) {
  const char *room[SUITE], *const *group = favourable_group(c, false, room);
  double few = 0, many = 0;
  unsigned n = 0, m = 0;
  for (unsigned i = 0; suite[i]; i++) {
    double share = invalid(c, suite[i]);
    if (!unfavourable(c, suite[i])) continue;
    few += share;
    n++;
  }
  for (; group[m]; m++) many += invalid(c, group[m]);
  few = n ? few / n : NAN;
  many /= m;
  claim_figure(c, "unfavourable", "%", NAN, few);
  claim_figure(c, "favourable", "%", NAN, many);
  claim_holds(c, few < many);
}

const struct claim_rule claims_d[] = {
    {"D01", d01, 0},
    {"D02", d02, CLAIM_QUICK},
    {"D03", d03, CLAIM_SPEEDUP},
    {"D04", d04, CLAIM_SPEEDUP},
    {"D05", d05, CLAIM_QUICK | CLAIM_SPEEDUP},
    {"D06", d06, 0},
    {"D07", d07, 0},
    {"D08", d08, 0},
    {"D09", d09, 0},
    {"D10", d10, CLAIM_QUICK},
    {"D11", d11, 0},
    {"D12", d12, 0},
    {0},
};
