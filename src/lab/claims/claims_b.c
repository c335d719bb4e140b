/* Claims about un-coalesced loads and BUCL (Zhao et al.: Selectively GPU cache bypassing for un-coalesced loads),
 * with one function for each: see claim.h. Setups, and what is measured in a run, are in claims_b.h. */
#include "lab/claims/claims_b.h"

#include <math.h>

/* ---- what loads are like -------------------------------------------------------------------------------------------------- */

static void b01(struct claim *c) {
  double all = claim_stat(c, &probed, "kmn", "probes.coalescing.loads");
  double accesses = claim_stat(c, &probed, "kmn", "probes.coalescing.accesses");
  double n = claim_stat(c, &probed, "kmn", "probes.coalescing.degrees.32");
  double loads = 100 * n / all, made = 100 * 32 * n / accesses;
  claim_figure(c, "loads", "%", 50, loads);
  claim_figure(c, "accesses", "%", 97, made);
  claim_holds(c, claim_near(loads, 50, 10) && claim_near(made, 97, 10));
}

static void b02(struct claim *c) {
  unsigned right = 0;
  for (unsigned i = 0; i < 10; i++) {
    const char *name = i < 5 ? uncoalesced[i] : coherent[i - 5];
    double v = claim_stat(c, &probed, name, "probes.coalescing.above_2");
    bool ok = (v > 0.1) == (i < 5);
    right += ok;
    claim_figure(c, name, "%", NAN, 100 * v);
    claim_note(c, "%s%s %.0f %%%s", i ? ", " : "", name, 100 * v, ok ? "" : " (!)");
  }
  claim_measured(c, "%u of 10", right);
  claim_holds(c, right >= 9);
}

static double group(struct claim *c, const char *workload, const char *name) { return claim_stat(c, &probed, workload, name); }

/* Where every load has degree 32 there is no rate of degree 1 to compare with, and the claim differs. */
static void b03(struct claim *c) {
  if (group(c, "kmn", "probes.coalescing.loads") == group(c, "kmn", "probes.coalescing.degrees.32")) {
    claim_measured(c, "all loads have degree 32");
    claim_holds(c, false);
    return;
  }
  double one = 100 * group(c, "kmn", "probes.coalescing.groups.1.all_hit");
  double many = 100 * group(c, "kmn", "probes.coalescing.groups.21-32.all_hit");
  claim_figure(c, "degree 1", "%", 23, one);
  claim_figure(c, "21 to 32", "%", 0.2, many);
  claim_holds(c, one > 10 && many < 2);
}

static double slower(struct claim *c, const char *workload) {
  double many = group(c, workload, "probes.coalescing.groups.21-32.latency");
  return many / group(c, workload, "probes.coalescing.groups.1.latency");
}

static void b04(struct claim *c) {
  double v = slower(c, "bfs");
  claim_figure(c, "bfs", "x", 3.5, v);
  claim_holds(c, v >= 2);
}

static void b05(struct claim *c) {
  double v = slower(c, "particlefilter");
  claim_figure(c, "particlefilter", "x", 13.6, v);
  claim_holds(c, v >= 5);
}

static void b06(struct claim *c) {
  double one = group(c, "bfs", "probes.coalescing.groups.1.block_reuse");
  double some = 100 * group(c, "bfs", "probes.coalescing.groups.11-20.block_reuse") / one;
  double many = 100 * group(c, "bfs", "probes.coalescing.groups.21-32.block_reuse") / one;
  claim_figure(c, "11 to 20", "%", 1.4, some);
  claim_figure(c, "21 to 32", "%", 1.5, many);
  claim_note(c, "degree 1: %.0f %% of lines are used again", 100 * one);
  claim_holds(c, some < 10 && many < 10);
}

/* ---- performance --------------------------------------------------------------------------------------------------------- */

static void gain(struct claim *c, const struct claim_setup *s, double published) {
  double mean = percent(claim_gmean(c, s, &base, uncoalesced));
  claim_figure(c, "un-coalesced mean", "%", published, mean);
  for (unsigned i = 0; i < UNCOALESCED; i++)
    claim_note(c, "%s%s %+.0f %%", i ? ", " : "", uncoalesced[i], percent(claim_speedup(c, s, &base, uncoalesced[i])));
  claim_holds(c, claim_near(mean, published, 10));
}

static void b07(struct claim *c) { gain(c, &dyn, 36); }
static void b08(struct claim *c) { gain(c, &prf5k, 38); }
static void b09(struct claim *c) { gain(c, &prf10k, 29); }
static void b10(struct claim *c) { gain(c, &mrpb, 22); }

static void b11(struct claim *c) {
  struct best each[UNCOALESCED];
  double mean = percent(best_gmean(c, swl, uncoalesced, each));
  claim_figure(c, "un-coalesced mean", "%", 16, mean);
  for (unsigned i = 0; i < UNCOALESCED; i++)
    claim_note(c, "%s%s %+.0f %% at %u", i ? ", " : "", uncoalesced[i], percent(each[i].speedup), each[i].limit);
  claim_holds(c, claim_near(mean, 16, 10));
}

static void b12(struct claim *c) {
  double d = percent(claim_gmean(c, &dyn, &base, uncoalesced)), p5 = percent(claim_gmean(c, &prf5k, &base, uncoalesced));
  double p10 = percent(claim_gmean(c, &prf10k, &base, uncoalesced)), m = percent(claim_gmean(c, &mrpb, &base, uncoalesced));
  double s = percent(best_gmean(c, swl, uncoalesced, NULL)), rival = fmax(m, s);
  claim_figure(c, "Dyn", "%", 36, d);
  claim_figure(c, "Prf5k", "%", 38, p5);
  claim_figure(c, "Prf10k", "%", 29, p10);
  claim_figure(c, "MRPB", "%", 22, m);
  claim_figure(c, "SWL-Best", "%", 16, s);
  claim_holds(c, d > rival && p5 > rival && p10 > rival);
}

static void b13(struct claim *c) {
  const char *which = "";
  double d = percent(claim_gmean(c, &dyn, &base, coherent)), s = percent(best_gmean(c, swl, coherent, NULL));
  double worst = claim_worst(c, &dyn, &base, coherent, &which);
  claim_figure(c, "Dyn", "%", 5, d);
  claim_figure(c, "SWL-Best", "%", 3, s);
  claim_note(c, "lowest under Dyn: %s %.3f", which, worst);
  claim_holds(c, claim_near(d, 5, 4) && claim_near(s, 3, 4) && worst >= 0.98);
}

static void b14(struct claim *c) {
  double bp = claim_speedup(c, &mrpb, &base, "backprop"), conv = claim_speedup(c, &mrpb, &base, "2dconv");
  claim_figure(c, "backprop", "%", -7, percent(bp));
  claim_figure(c, "2dconv", "%", -4, percent(conv));
  claim_holds(c, bp <= 1 && conv <= 1);
}

static void b15(struct claim *c) {
  double p5 = percent(claim_speedup(c, &prf5k, &base, "gaussian")), p10 = percent(claim_speedup(c, &prf10k, &base, "gaussian"));
  claim_figure(c, "Prf5k", "%", NAN, p5);
  claim_figure(c, "Prf10k", "%", NAN, p10);
  claim_holds(c, p5 > p10);
}

/* ---- hit rates ------------------------------------------------------------------------------------------------------------ */

static void b16(struct claim *c) {
  static const struct claim_setup *const setups[] = {&base, &mrpb, NULL, &dyn}; /* NULL: the best limit of each */
  static const char *const names[] = {"base", "MRPB", "SWL-Best", "BUCL"};
  static const double published[] = {18, 39, 39, 63};
  double mean[4] = {0};
  struct best each[UNCOALESCED];
  best_gmean(c, swl, uncoalesced, each);
  for (unsigned k = 0; k < 4; k++) {
    for (unsigned i = 0; i < UNCOALESCED; i++) {
      const struct claim_setup *s = setups[k] ? setups[k] : each[i].limit ? &swl[each[i].limit - 1] : &base;
      double v = hit_rate(c, s, uncoalesced[i]);
      mean[k] += v / UNCOALESCED;
      claim_note(c, "%s%s %.0f", !i ? (k ? "; " : "") : ", ", uncoalesced[i], v);
    }
    claim_figure(c, names[k], "%", published[k], mean[k]);
    claim_holds(c, claim_near(mean[k], published[k], 12));
  }
  claim_holds(c, mean[3] > mean[0] && mean[3] > mean[1] && mean[3] > mean[2]);
}

/* ---- both together ---------------------------------------------------------------------------------------------------------- */

static void b17(struct claim *c) {
  double limit = percent(best_gmean(c, swl, uncoalesced, NULL)), both = percent(best_gmean(c, swbu, uncoalesced, NULL));
  double d = percent(claim_gmean(c, &dyn, &base, uncoalesced));
  claim_figure(c, "SWL-Best", "%", 16, limit);
  claim_figure(c, "BUCL", "%", 36, d);
  claim_figure(c, "SWBU", "%", 45, both);
  claim_holds(c, both > limit && both > d);
}

static void b18(struct claim *c) {
  static const double published[2][UNCOALESCED] = {{3, 12, 20, 7, 5}, {12, 18, 41, 14, 10}};
  struct best alone[UNCOALESCED], both[UNCOALESCED];
  unsigned more = 0;
  best_gmean(c, swl, uncoalesced, alone);
  best_gmean(c, swbu, uncoalesced, both);
  for (unsigned i = 0; i < UNCOALESCED; i++) {
    more += both[i].limit > alone[i].limit;
    claim_figure(c, uncoalesced[i], "warps", published[0][i], alone[i].limit);
    claim_figure(c, "with BUCL", "warps", published[1][i], both[i].limit);
    claim_note(c, "%s%s %u to %u", i ? ", " : "", uncoalesced[i], alone[i].limit, both[i].limit);
  }
  claim_measured(c, "%u of 5", more);
  claim_holds(c, more >= 4);
}

const struct claim_rule claims_b[] = {
    {"B01", b01, CLAIM_QUICK},
    {"B02", b02, 0},
    {"B03", b03, CLAIM_QUICK},
    {"B04", b04, CLAIM_QUICK},
    {"B05", b05, CLAIM_QUICK},
    {"B06", b06, CLAIM_QUICK},
    {"B07", b07, CLAIM_SPEEDUP},
    {"B08", b08, CLAIM_SPEEDUP},
    {"B09", b09, CLAIM_SPEEDUP},
    {"B10", b10, CLAIM_SPEEDUP},
    {"B11", b11, CLAIM_SPEEDUP},
    {"B12", b12, 0},
    {"B13", b13, CLAIM_SPEEDUP},
    {"B14", b14, CLAIM_QUICK},
    {"B15", b15, CLAIM_QUICK},
    {"B16", b16, 0},
    {"B17", b17, CLAIM_SPEEDUP},
    {"B18", b18, 0},
    {0},
};
