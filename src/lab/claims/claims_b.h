/* What the claims and figures about un-coalesced loads and BUCL (Zhao et al.: Selectively GPU cache bypassing for
 * un-coalesced loads) share: configurations, benchmarks, and what is measured in a run. The GPU is gtx480-bucl, that
 * of the paper.
 *
 * SWL-Best is the best limit on the warps of an SM, found by a search (claim_search.h). Of equally good limits it is
 * the smallest, which for a workload that no limit helps is the number of its warps that an SM holds. MRPB bypasses
 * on any refusal, as section V of the paper says of its MRPB. A hit rate is that of the loads that L1D served,
 * without those that bypassed it. */
#ifndef LAB_CLAIMS_B_H
#define LAB_CLAIMS_B_H

#include "lab/claims/claim.h"
#include "lab/claims/claim_search.h"

#include <math.h>
#include <stdio.h>

#define GPU "gtx480-bucl"
#define DYN "l1.bypass=bucl-dyn"

static const struct claim_setup base = {.gpu = GPU}, probed = {.gpu = GPU, .probes = "coalescing"}, dyn = {.gpu = GPU, .set = DYN},
                                prf5k = {.gpu = GPU, .set = "l1.bypass=bucl-prf"},
                                prf10k = {.gpu = GPU, .set = "l1.bypass=bucl-prf,l1.bucl.profile=10000"},
                                mrpb = {.gpu = GPU, .set = "l1.bypass=mrpb,l1.mrpb.bypass=any"};

static const char *const uncoalesced[] = {"kmn", "bfs", "particlefilter", "gaussian", "sssp", NULL};
static const char *const coherent[] = {"backprop", "b+tree", "nw", "2dconv", "myocyte", NULL};
enum { UNCOALESCED = 5 };

/* ---- the best limit of warps ------------------------------------------------------------------------------------------- */

#define LIMITS(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) \
  X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32) X(33) X(34) \
  X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47) X(48)
#define WITHOUT(n) {.gpu = GPU, .set = "sm.warp_limit=" #n},
#define WITH(n) {.gpu = GPU, .set = DYN ",sm.warp_limit=" #n},
enum { WARPS = 48 };
static const struct claim_setup swl[WARPS] = {LIMITS(WITHOUT)}, swbu[WARPS] = {LIMITS(WITH)}; /* by limit - 1 */

struct best {
  unsigned limit;
  double speedup; /* NAN: not known yet */
};

struct search {
  struct claim *c;
  const struct claim_setup *limits;
  const char *workload;
};

static inline double cycles_at(void *user, unsigned limit) {
  const struct search *s = user;
  return claim_stat(s->c, &s->limits[limit - 1], s->workload, "cycles");
}

static inline struct best best_limit(struct claim *c, const struct claim_setup *limits, const char *workload) {
  struct search s = {c, limits, workload};
  double all = claim_stat(c, &base, workload, "cycles");
  char chain[64];
  snprintf(chain, sizeof chain, "%s %s", limits == swl ? "swl" : "swbu", workload);
  claim_chain(c, chain);
  unsigned limit = claim_search(WARPS, cycles_at, &s);
  double speedup = limit ? all / cycles_at(&s, limit) : NAN;
  claim_chain(c, NULL);
  return (struct best){limit, speedup};
}

/* Geometric mean over a list; *each, if not NULL, gets one a workload. */
static inline double best_gmean(struct claim *c, const struct claim_setup *limits, const char *const *list, struct best *each) {
  double sum = 0;
  unsigned n = 0;
  for (; list[n]; n++) {
    struct best b = best_limit(c, limits, list[n]);
    sum += log(b.speedup);
    if (each) each[n] = b;
  }
  return exp(sum / n);
}

static inline double percent(double speedup) { return 100 * (speedup - 1); }

static inline double hit_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  double reads = claim_stat(c, s, workload, "l1d.reads"), bypasses = claim_stat(c, s, workload, "l1d.bypasses");
  double hits = claim_stat(c, s, workload, "l1d.hits");
  return reads == bypasses ? 0 : 100 * hits / (reads - bypasses);
}

#endif
