/* Claims about the cooperative caching network (Dublish et al., TACO 2016), with one function for each: see claim.h.
 * Setups, and what is measured in a run, are in claims_c.h. */
#include "lab/claims/claims_c.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 /* SMs */ };

/* ---- reuse between SMs ----------------------------------------------------------------------------------------------- */

static void c01(struct claim *c) {
  double theirs[TABLE_I], ours[TABLE_I], sum = 0;
  for (unsigned i = 0; i < TABLE_I; i++) {
    theirs[i] = table_i[i].percent;
    ours[i] = 100 * claim_stat(c, &probed, table_i[i].workload, "probes.reuse.coefficient");
    sum += ours[i];
    claim_figure(c, table_i[i].workload, "%", theirs[i], ours[i]);
    claim_note(c, "%s%s %.0f (%.0f)", i ? ", " : "measured (published): ", table_i[i].workload, ours[i], theirs[i]);
  }
  double r = claim_spearman(theirs, ours, TABLE_I);
  claim_measured(c, "Spearman %.2f, mean %.0f %%", r, sum / TABLE_I);
  claim_holds(c, r >= 0.8);
}

/* Mean share of an SM's misses that an SM at each distance could answer; by[0] is not used. SMs are in a ring, as CTAs are
 * dealt out to them: the last is a neighbour of the first. Returns how many distances there are, with 0. */
static unsigned by_distance(struct claim *c, const char *workload, double *by, double *variation) {
  const json_t *map = json_object_get(claim_probe(c, &probed, workload, "reuse"), "map");
  size_t n = json_array_size(map) < MOST ? json_array_size(map) : MOST;
  double sum = 0, squares = 0, pairs = (double)(n * (n - 1));
  for (size_t d = 0; d < n; d++) by[d] = 0;
  for (size_t i = 0; i < n * n; i++) {
    size_t x = i / n, y = i % n, d = (x + n - y) % n;
    d = d < n - d ? d : n - d;
    double v = json_number_value(json_array_get(json_array_get(map, x), y));
    if (!d) continue;
    by[d] += v / (double)(2 * d == n ? n : 2 * n);
    sum += v, squares += v * v;
  }
  double mean = sum / pairs;
  *variation = mean > 0 ? sqrt(fabs(squares / pairs - mean * mean)) / mean : INFINITY;
  return (unsigned)(n / 2 + (n > 0));
}

static unsigned largest(const double *by, unsigned n) {
  unsigned at = 1;
  for (unsigned d = 2; d < n; d++) at = by[d] > by[at] ? d : at;
  return at;
}

/* cutcp: the largest at distance 4. dwt2d: at distance 1, twice the mean of the rest. km: falls with distance (rank
 * correlation -0.8 or less). tpacf: deviation under 30 % of the mean. */
static void c21(struct claim *c) {
  double by[MOST], variation, distance[MOST], rest = 0;
  for (unsigned d = 0; d < MOST; d++) distance[d] = d;
  unsigned n = by_distance(c, "cutcp", by, &variation), shapes = 0;
  unsigned at = n > 1 ? largest(by, n) : 0;
  shapes += at == 4;
  claim_note(c, "cutcp: most at distance %u (%.1f %%)", at, n > 1 ? 100 * by[at] : 0);
  n = by_distance(c, "dwt2d", by, &variation);
  for (unsigned d = 2; d < n; d++) rest += by[d] / (n - 2);
  shapes += n > 1 && largest(by, n) == 1 && by[1] > 2 * rest;
  claim_note(c, "; dwt2d: %.1f %% at distance 1, %.1f %% beyond", n > 1 ? 100 * by[1] : 0, 100 * rest);
  n = by_distance(c, "km", by, &variation);
  double falls = n > 2 ? claim_spearman(distance + 1, by + 1, n - 1) : 0;
  shapes += falls <= -0.8;
  claim_note(c, "; km: rank correlation with distance %.2f", falls);
  by_distance(c, "tpacf", by, &variation);
  shapes += variation < 0.3;
  claim_note(c, "; tpacf: deviation %.0f %% of the mean", 100 * variation);
  claim_measured(c, "%u of 4", shapes);
  claim_holds(c, shapes >= 3);
}

/* ---- cooperation ------------------------------------------------------------------------------------------------------- */

static double gain(struct claim *c, const struct claim_setup *s, const struct claim_setup *b) {
  return percent(claim_gmean(c, s, b, reuse));
}

/* Speedups one by one, for the reader. */
static void each(struct claim *c, const struct claim_setup *s, const struct claim_setup *b, const char *const *list) {
  for (unsigned i = 0; list[i]; i++)
    claim_note(c, "%s%s %+.1f %%", i ? ", " : "", list[i], percent(claim_speedup(c, s, b, list[i])));
}

/* Flat: at 80 cycles four fifths of the gain are left, as in the paper nearly nine tenths. Near 0: within 5 points. */
static void c02(struct claim *c) {
  double at_0 = gain(c, &ideal, &base), at_80 = gain(c, &ideal_80, &base), at_300 = gain(c, &ideal_300, &base);
  claim_figure(c, "0 cycles", "%", 21.5, at_0);
  claim_figure(c, "80", "%", 18.8, at_80);
  claim_figure(c, "300", "%", 0, at_300);
  each(c, &ideal, &base, reuse);
  claim_holds(c, at_0 > 0 && at_80 >= 0.8 * at_0 && fabs(at_300) <= 5);
}

static void c03(struct claim *c) {
  double v = gain(c, &ccn_b, &base);
  claim_figure(c, "CCN-B", "%", 14.5, v);
  each(c, &ccn_b, &base, reuse);
  claim_holds(c, claim_near(v, 14.5, 5));
}

static void c04(struct claim *c) {
  double v = gain(c, &ccn_rt, &base);
  claim_figure(c, "CCN-RT", "%", 14.7, v);
  each(c, &ccn_rt, &base, reuse);
  claim_holds(c, claim_near(v, 14.7, 5));
}

static void c05(struct claim *c) {
  const char *which = "";
  double v = percent(claim_best(c, &ccn_rt, &base, reuse, &which));
  claim_figure(c, "best", "%", 49, v);
  claim_note(c, "%s", which);
  claim_holds(c, claim_near(v, 49, 20));
}

static void without_reuse(struct claim *c, const struct claim_setup *s, double mean_published, double worst_published, double *mean,
                          double *worst) {
  const char *which = "";
  *mean = percent(claim_gmean(c, s, &base, no_reuse));
  *worst = percent(claim_worst(c, s, &base, no_reuse, &which));
  claim_figure(c, "mean", "%", mean_published, *mean);
  claim_figure(c, "worst", "%", worst_published, *worst);
  claim_note(c, "worst: %s; ", which);
  each(c, s, &base, no_reuse);
}

static void c06(struct claim *c) {
  double mean, worst;
  without_reuse(c, &ccn_b, -1.7, -11.5, &mean, &worst);
  claim_holds(c, mean < 0);
}

static void c07(struct claim *c) {
  double mean, worst;
  without_reuse(c, &ccn_rt, -0.1, -1.5, &mean, &worst);
  claim_holds(c, mean > -0.5 && worst > -3);
}

/* ---- what it saves ------------------------------------------------------------------------------------------------------ */

typedef double (*number_of)(struct claim *c, const struct claim_setup *s, const char *workload);

/* Mean over the reuse set of how much less there is than in the base, in percent; 0 where there is nothing. */
static double cut(struct claim *c, number_of f, const struct claim_setup *s, bool note) {
  double sum = 0;
  unsigned n = 0;
  for (; reuse[n]; n++) {
    double before = f(c, &base, reuse[n]), after = f(c, s, reuse[n]), v = before > 0 ? 100 * (1 - after / before) : 0;
    sum += v;
    if (note) claim_note(c, "%s%s %.0f %%", n ? ", " : "", reuse[n], v);
  }
  return sum / n;
}

static void c08(struct claim *c) {
  double v = cut(c, l2_accesses, &ccn_rt, true), best = cut(c, l2_accesses, &ideal, false);
  claim_figure(c, "CCN-RT", "%", 29, v);
  claim_figure(c, "ideal", "%", 33, best);
  claim_holds(c, claim_near(v, 29, 8) && claim_near(v, best, 6));
}

static void c09(struct claim *c) {
  double v = cut(c, latency, &ccn_rt, true);
  claim_figure(c, "CCN-RT", "%", 24, v);
  claim_holds(c, claim_near(v, 24, 8));
}

static void c10(struct claim *c) {
  double v = cut(c, stalls, &ccn_rt, true), best = cut(c, stalls, &ideal, false);
  claim_figure(c, "CCN-RT", "%", 26, v);
  claim_figure(c, "ideal", "%", 28, best);
  claim_holds(c, claim_near(v, 26, 8));
}

static void c11(struct claim *c) {
  double others = 0, sc = 0;
  unsigned n = 0;
  for (unsigned i = 0; reuse[i]; i++) {
    double before = dram_accesses(c, &base, reuse[i]), after = dram_accesses(c, &ccn_rt, reuse[i]);
    double v = before > 0 ? 100 * (after / before - 1) : 0;
    claim_note(c, "%s%s %+.1f %%", i ? ", " : "", reuse[i], v);
    if (!strcmp(reuse[i], "streamcluster")) sc = v;
    else others += v, n++;
  }
  claim_figure(c, "sc", "%", -12, sc);
  claim_figure(c, "others", "%", 0, others / n);
  claim_holds(c, claim_near(others / n, 0, 3));
}

/* Ring, shadow tags of the largest L1D (48 KB) and queues, on a die of 700 mm2. Wires of the top metal take no silicon. */
static void c12(struct claim *c) {
  double ring = claim_stat(c, &big_rt, "cfd", "area.ring"), stores = claim_stat(c, &big_rt, "cfd", "storage.added_mm2");
  double share = 100 * (ring + stores) / 700;
  claim_figure(c, "of the die", "%", 1.3, share);
  claim_note(c, "ring %.2f mm2 and %.2f of top metal, shadow tags and queues %.2f (published: ring and tags 4.38, queues 4.82)", ring,
             claim_stat(c, &big_rt, "cfd", "area.ring_wires"), stores);
  claim_holds(c, claim_near(share, 1.3, 0.3));
}

static void c13(struct claim *c) {
  double sum = 0;
  unsigned n = 0;
  for (; reuse[n]; n++) {
    double v = percent(claim_ratio(c, &ccn_rt, &base, reuse[n], "energy.total"));
    sum += v;
    claim_note(c, "%s%s %+.1f %%", n ? ", " : "", reuse[n], v);
  }
  claim_figure(c, "CCN-RT", "%", 2.5, sum / n);
  claim_holds(c, claim_near(sum / n, 2.5, 2.5));
}

/* ---- sensitivity ---------------------------------------------------------------------------------------------------------- */

static void c14(struct claim *c) {
  double small = gain(c, &ccn_rt, &base), large = gain(c, &big_rt, &big);
  claim_figure(c, "16 KB", "%", 14.7, small);
  claim_figure(c, "48 KB", "%", 20.6, large);
  each(c, &big_rt, &big, reuse);
  claim_holds(c, large > small);
}

static void c15(struct claim *c) {
  double hop_1 = gain(c, &ccn_rt, &base), three = gain(c, &hop_3, &base), five = gain(c, &hop_5, &base);
  claim_figure(c, "1 cycle", "%", 14.7, hop_1);
  claim_figure(c, "3", "%", 13.6, three);
  claim_figure(c, "5", "%", 11.2, five);
  claim_holds(c, hop_1 > 0 && hop_1 >= three && three >= five && five >= 0.6 * hop_1);
}

static void c16(struct claim *c) {
  static const double published[] = {14.7, 13.6, 11.4, 10.2};
  double v[4];
  for (unsigned i = 0; i < 4; i++) {
    v[i] = gain(c, &lanes_with[i], &lanes_without[i]);
    claim_figure(c, lane_names[i], "%", published[i], v[i]);
  }
  claim_holds(c, v[0] > v[1] && v[1] > v[2] && v[2] > v[3] && v[3] > 0);
}

static void c17(struct claim *c) {
  double twice = gain(c, &banks, &base), ccn = gain(c, &ccn_rt, &base), both = gain(c, &banks_rt, &base);
  claim_figure(c, "24 banks", "%", 10.2, twice);
  claim_figure(c, "CCN", "%", 14.7, ccn);
  claim_figure(c, "both", "%", 23.5, both);
  claim_holds(c, twice < ccn && ccn < both);
}

static void c18(struct claim *c) {
  double three = gain(c, &cluster_3, &base), five = gain(c, &cluster_5, &base), all = gain(c, &ideal, &base);
  claim_figure(c, "clusters of 3", "%", 4, three);
  claim_figure(c, "of 5", "%", 8, five);
  claim_figure(c, "all", "%", 21, all);
  claim_holds(c, three < five && five < all);
}

/* ---- the analytical model ------------------------------------------------------------------------------------------------ */

/* Terms of section 4.1, each the mean over the reuse set. A load miss counts from its L1D access. Overhead is over those
 * that came back from the ring; the latency of L2 is over all that L2 answered, without their time in the ring. */
struct terms {
  double l2, relief, overhead, reuse, share; /* l_O, delta_cong, delta_overhead, l_reuse, h_reuse */
  double measured;                           /* l_C */
};

static struct terms terms_of(struct claim *c, const char *w) {
  const struct claim_setup *s = &ccn_rt;
  double n = claim_stat(c, s, w, "sm.miss_replies"), sum = claim_stat(c, s, w, "sm.miss_latency");
  double hits = claim_stat(c, s, w, "coop.hits"), back = claim_stat(c, s, w, "coop.returned");
  double in_ring = claim_stat(c, s, w, "coop.overhead_sum"), hit_sum = claim_stat(c, s, w, "coop.hit_latency_sum");
  double by_l2 = n - hits, rest = by_l2 > 0 ? (sum - hit_sum - in_ring) / by_l2 : 0;
  struct terms t = {.l2 = latency(c, &base, w), .measured = sum / n, .share = hits / n};
  t.relief = t.l2 - rest;
  t.overhead = back > 0 ? in_ring / back : 0;
  t.reuse = hits > 0 ? claim_stat(c, s, w, "coop.reuse_latency_sum") / hits : 0;
  return t;
}

static void c19(struct claim *c) {
  struct terms m = {0};
  unsigned n = 0;
  for (; reuse[n]; n++) {
    struct terms t = terms_of(c, reuse[n]);
    m.l2 += t.l2, m.relief += t.relief, m.overhead += t.overhead, m.reuse += t.reuse;
    m.share += t.share, m.measured += t.measured;
  }
  m.l2 /= n, m.relief /= n, m.overhead /= n, m.reuse /= n, m.share /= n, m.measured /= n;
  double predicted = (m.l2 - m.relief + m.overhead) * (1 - m.share) + m.reuse * m.share;
  claim_figure(c, "reuse", "cycles", 42, m.reuse);
  claim_figure(c, "overhead", "cycles", 54, m.overhead);
  claim_figure(c, "relief", "cycles", 78, m.relief);
  claim_figure(c, "L2", "cycles", 300, m.l2);
  claim_note(c, "%.0f %% of misses answered by another L1D (29); average latency %.0f cycles predicted by equation 1 (208), %.0f measured",
             100 * m.share, predicted, m.measured);
  claim_holds(c, claim_near(m.reuse, 42, 0.35 * 42) && claim_near(m.overhead, 54, 0.35 * 54) &&
                     claim_near(m.relief, 78, 0.35 * 78) && claim_near(m.l2, 300, 0.35 * 300));
}

static double hops(struct claim *c, const struct claim_setup *s) {
  double sum = 0, hits = 0;
  for (unsigned i = 0; reuse[i]; i++) {
    sum += claim_stat(c, s, reuse[i], "coop.hit_hops");
    hits += claim_stat(c, s, reuse[i], "coop.hits");
  }
  return hits > 0 ? sum / hits : NAN;
}

static void c20(struct claim *c) {
  double against = hops(c, &ccn_rt), with = hops(c, &same_way);
  claim_figure(c, "opposite", "hops", 10, against);
  claim_figure(c, "the same way", "hops", 15, with);
  claim_holds(c, claim_near(against, 10, 1.5) && claim_near(with, 15, 1.5));
}

/* 96 words of 4 tags of 24 bits and a valid bit. */
static void c22(struct claim *c) {
  double bytes = claim_storage(c, &big_rt, "coop.tags") / 8, sms = claim_key(c, &big_rt, "gpu.sms");
  claim_figure(c, "an SM", "bytes", 1200, bytes);
  claim_figure(c, "15 SMs", "KB", 17.578125, bytes * sms / 1024); /* 17.5 in the paper: cut off, not rounded */
  claim_holds(c, bytes == 1200 && bytes * sms == 18000);
}

const struct claim_rule claims_c[] = {
    {"C01", c01, 0},
    {"C02", c02, CLAIM_SPEEDUP},
    {"C03", c03, CLAIM_SPEEDUP},
    {"C04", c04, CLAIM_SPEEDUP},
    {"C05", c05, CLAIM_SPEEDUP},
    {"C06", c06, 0},
    {"C07", c07, 0},
    {"C08", c08, 0},
    {"C09", c09, 0},
    {"C10", c10, 0},
    {"C11", c11, 0},
    {"C12", c12, CLAIM_QUICK},
    {"C13", c13, 0},
    {"C14", c14, CLAIM_SPEEDUP},
    {"C15", c15, CLAIM_SPEEDUP},
    {"C16", c16, CLAIM_SPEEDUP},
    {"C17", c17, 0},
    {"C18", c18, CLAIM_SPEEDUP},
    {"C19", c19, 0},
    {"C20", c20, 0},
    {"C21", c21, CLAIM_QUICK},
    {"C22", c22, CLAIM_QUICK},
    {0},
};
