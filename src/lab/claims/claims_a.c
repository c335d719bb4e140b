/* Claims about the adaptive last-level cache (Zhao et al., ISCA 2019), with one function for each: see claim.h.
 * Setups, and what is measured in a run, are in claims_a.h.
 *
 * Gains are geometric means of cycles. Where a claim compares gains with each other, there must be gains to compare. */
#include "lab/claims/claims_a.h"

#include <math.h>

/* Each workload's own number behind the mean, for the note. */
static void note_each(struct claim *c, const char *const *list, const struct claim_setup *s, const struct claim_setup *than) {
  for (unsigned i = 0; list[i]; i++)
    claim_note(c, "%s%s %+.0f %%", i ? ", " : "", list[i], percent(claim_speedup(c, s, than, list[i])));
}

/* How often the adaptive cache became private at all. */
static double note_changes(struct claim *c, const char *const *list) {
  double profiles = 0, changes = 0;
  for (unsigned i = 0; list[i]; i++) {
    profiles += claim_stat(c, &adaptive, list[i], "llc.profiles");
    changes += claim_stat(c, &adaptive, list[i], "llc.to_private");
  }
  claim_note(c, "%.0f kernels or epochs lasted as long as a profile, %.0f changes to private", profiles, changes);
  return changes;
}

/* ---- performance --------------------------------------------------------------------------------------------------------- */

static void a01(struct claim *c) {
  unsigned gains = 0, n = 0;
  for (; private_friendly[n]; n++) {
    double gain = percent(claim_speedup(c, &own, &base, private_friendly[n]));
    gains += gain > 0;
    claim_figure(c, private_friendly[n], "%", NAN, gain);
  }
  claim_measured(c, "%u of %u", gains, n);
  note_each(c, private_friendly, &own, &base);
  claim_holds(c, gains >= 4);
}

static void a02(struct claim *c) {
  double mean = percent(claim_gmean(c, &own, &base, shared_friendly));
  double best = percent(claim_best(c, &own, &base, shared_friendly, NULL));
  claim_figure(c, "shared-friendly", "%", -18.1, mean);
  note_each(c, shared_friendly, &own, &base);
  claim_holds(c, claim_near(mean, -18.1, 8) && best < 0);
}

static void a03(struct claim *c) {
  double gain = percent(claim_gmean(c, &adaptive, &base, private_friendly));
  claim_figure(c, "private-friendly", "%", 28.1, gain);
  note_changes(c, private_friendly);
  claim_holds(c, claim_near(gain, 28.1, 8));
}

static void a04(struct claim *c) {
  const char *which = NULL;
  double best = percent(claim_best(c, &adaptive, &base, private_friendly, &which));
  claim_figure(c, which ? which : "best", "%", 38.1, best);
  claim_holds(c, claim_near(best, 38.1, 15));
}

static void a05(struct claim *c) {
  const char *which = NULL;
  double mean = percent(claim_gmean(c, &adaptive, &base, others));
  double worst = percent(claim_worst(c, &adaptive, &base, others, &which));
  claim_figure(c, "mean", "%", 0, mean);
  claim_figure(c, which ? which : "worst", "%", NAN, worst);
  note_changes(c, others);
  claim_holds(c, fabs(mean) <= 2 && worst > -4);
}

static void a06(struct claim *c) {
  double sum = 0;
  unsigned n = 0;
  for (; private_friendly[n]; n++) {
    double more = percent(response_rate(c, &own, private_friendly[n]) / response_rate(c, &base, private_friendly[n]));
    sum += more;
    claim_note(c, "%s%s %+.0f %% of %.1f flits a cycle", n ? ", " : "", private_friendly[n], more,
               response_rate(c, &base, private_friendly[n]));
  }
  claim_figure(c, "private-friendly", "%", 35.3, sum / n);
  claim_holds(c, claim_near(sum / n, 35.3, 12));
}

/* ---- miss rates ------------------------------------------------------------------------------------------------------------ */

static double more_misses(struct claim *c, const char *const *list) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) {
    double shared = miss_rate(c, &base, list[n]), mine = miss_rate(c, &own, list[n]);
    sum += mine - shared;
    claim_note(c, "%s%s %.0f to %.0f %%", n ? ", " : "", list[n], shared, mine);
  }
  return sum / n;
}

static void a07(struct claim *c) {
  double more = more_misses(c, shared_friendly);
  claim_figure(c, "shared-friendly", "points", 27.9, more);
  claim_holds(c, claim_near(more, 27.9, 12));
}

static void a08(struct claim *c) {
  double more = more_misses(c, private_friendly);
  claim_figure(c, "private-friendly", "points", 12.7, more);
  claim_holds(c, claim_near(more, 12.7, 8));
}

static void a09(struct claim *c) {
  static const char *const *const groups[] = {private_friendly, shared_friendly, neutral};
  static const char *const names[] = {"private-friendly", "shared-friendly", "neutral"};
  static const double published[] = {60, 20, 0};
  double mean[3];
  for (unsigned g = 0; g < 3; g++) {
    mean[g] = claim_mean(c, &probed, groups[g], "probes.sharing.shared");
    claim_figure(c, names[g], "%", published[g], 100 * mean[g]);
    for (unsigned i = 0; groups[g][i]; i++)
      claim_note(c, "%s%s %.0f %%", i ? ", " : g ? "; " : "", groups[g][i],
                 100 * claim_stat(c, &probed, groups[g][i], "probes.sharing.shared"));
  }
  claim_measured(c, "%.0f / %.0f / %.0f %%", 100 * mean[0], 100 * mean[1], 100 * mean[2]);
  claim_holds(c, mean[0] > mean[1] && mean[1] > mean[2] && mean[0] > 0.5);
}

/* ---- energy ---------------------------------------------------------------------------------------------------------------- */

static double mean_saved(struct claim *c, const struct claim_setup *s, const char *const *list, const char *energy) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) sum += 100 * (1 - claim_ratio(c, s, &base, list[n], energy));
  return sum / n;
}

static void a10(struct claim *c) {
  double saved = mean_saved(c, &adaptive, not_shared, "energy.noc");
  claim_figure(c, "private-friendly and neutral", "%", 26.6, saved);
  note_changes(c, not_shared);
  claim_note(c, "; with a cache that is always private %.1f %%", mean_saved(c, &own, not_shared, "energy.noc"));
  claim_holds(c, claim_near(saved, 26.6, 8));
}

static void a11(struct claim *c) {
  double saved = mean_saved(c, &own, not_shared, "energy.total");
  claim_figure(c, "private-friendly and neutral", "%", 6.1, saved);
  claim_note(c, "DRAM %+.0f %%", -mean_saved(c, &own, not_shared, "energy.dram"));
  claim_holds(c, claim_near(saved, 6.1, 5));
}

/* ---- networks ------------------------------------------------------------------------------------------------------------- */

static void a12(struct claim *c) {
  bool similar = true;
  double last = 0;
  for (unsigned p = 0; p < PAIRS; p++) {
    last = percent(claim_gmean(c, &hxbar[p], &other_net[p], all));
    claim_figure(c, pair_name[p], "%", NAN, last);
    if (p < PAIRS - 1) similar &= fabs(last) <= 5;
  }
  claim_holds(c, similar && last > 0);
}

static void a13(struct claim *c) {
  bool in_range = true;
  for (unsigned p = 0; p < PAIRS; p++) {
    double area = claim_stat(c, &hxbar[p], "vectoradd", "area.noc") / claim_stat(c, &other_net[p], "vectoradd", "area.noc");
    double less = 100 * (1 - area);
    claim_figure(c, pair_name[p], "%", NAN, less);
    in_range &= less >= 55 && less <= 85;
  }
  claim_holds(c, in_range);
}

static void a14(struct claim *c) {
  double best = -INFINITY;
  for (unsigned p = 1; p < PAIRS; p++) {
    double sum = 0;
    unsigned n = 0;
    for (; all[n]; n++) sum += 100 * (1 - power(c, &hxbar[p], all[n]) / power(c, &other_net[p], all[n]));
    claim_figure(c, pair_name[p], "%", NAN, sum / n);
    best = fmax(best, sum / n);
  }
  claim_holds(c, best >= 60);
}

/* ---- two programs ---------------------------------------------------------------------------------------------------------- */

static void a15(struct claim *c) {
  double sum = 0;
  for (unsigned p = 0; private_friendly[p]; p++) {
    double mean = 0;
    for (unsigned m = 0; m < MIXES; m++) mean += percent(throughput(c, &apart, p, m) / throughput(c, &base, p, m)) / MIXES;
    claim_note(c, "%s%s %+.1f %%", p ? ", " : "", private_friendly[p], mean);
    sum += mean / 5;
  }
  claim_figure(c, "30 mixes", "%", 8, sum);
  claim_holds(c, claim_near(sum, 8, 4));
}

/* ---- sensitivity ----------------------------------------------------------------------------------------------------------- */

static double gain_of(struct claim *c, const struct variant *v) {
  double gain = percent(claim_gmean(c, &v->adaptive, &v->shared, private_friendly));
  claim_figure(c, v->name, "%", v->published, gain);
  return gain;
}

static void a16(struct claim *c) {
  double other = gain_of(c, &hynix), here = gain_of(c, &usual);
  claim_holds(c, here > 0 && other >= here);
}

static void a17(struct claim *c) {
  double w = gain_of(c, &wide), u = gain_of(c, &usual), n = gain_of(c, &narrow);
  claim_holds(c, w > 0 && u > w && n > u);
}

static void a18(struct claim *c) {
  double l = gain_of(c, &large), u = gain_of(c, &usual);
  claim_holds(c, u > 0 && l > u);
}

static void a19(struct claim *c) {
  double gain[3];
  for (unsigned i = 0; i < 3; i++) gain[i] = gain_of(c, &l1_sizes[i]);
  claim_holds(c, gain[2] > 0 && gain[2] < gain[0] && gain[2] < gain[1]);
}

static void a20(struct claim *c) {
  double d = gain_of(c, &distributed), u = gain_of(c, &usual);
  claim_holds(c, u > 0 && d < u);
}

/* ---- costs -------------------------------------------------------------------------------------------------------------------- */

/* Cycles in which SMs were halted for a change. Profiling itself takes none; without a change there is nothing to measure. */
static void a21(struct claim *c) {
  static const char *const halted[] = {"llc.drain_cycles", "llc.write_back_cycles", "llc.invalidate_cycles", "llc.gate_cycles"};
  double sum = 0;
  unsigned n = 0;
  for (; all[n]; n++)
    for (unsigned i = 0; i < 4; i++) sum += 100 * claim_share(c, &adaptive, all[n], halted[i], "cycles");
  claim_figure(c, "mean", "%", 0.8, sum / n);
  double changes = note_changes(c, all);
  claim_holds(c, changes > 0 && sum / n < 2);
}

static void a22(struct claim *c) {
  double directory = claim_storage(c, &adaptive, "llc.atd") / 8, counters = claim_storage(c, &adaptive, "llc.counters") / 8;
  claim_figure(c, "directory", "bytes", 432, directory);
  claim_figure(c, "counters", "bytes", 16, counters);
  claim_measured(c, "%.0f bytes", directory + counters);
  claim_holds(c, directory == 432 && counters == 16);
}

const struct claim_rule claims_a[] = {
    {"A01", a01, 0},
    {"A02", a02, 0},
    {"A03", a03, CLAIM_SPEEDUP},
    {"A04", a04, CLAIM_SPEEDUP},
    {"A05", a05, 0},
    {"A06", a06, 0},
    {"A07", a07, 0},
    {"A08", a08, 0},
    {"A09", a09, 0},
    {"A10", a10, 0},
    {"A11", a11, 0},
    {"A12", a12, 0},
    {"A13", a13, CLAIM_QUICK},
    {"A14", a14, 0},
    {"A15", a15, CLAIM_SPEEDUP},
    {"A16", a16, CLAIM_SPEEDUP},
    {"A17", a17, CLAIM_SPEEDUP},
    {"A18", a18, CLAIM_SPEEDUP},
    {"A19", a19, CLAIM_SPEEDUP},
    {"A20", a20, CLAIM_SPEEDUP},
    {"A21", a21, 0},
    {"A22", a22, CLAIM_QUICK},
    {0},
};
