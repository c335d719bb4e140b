/* Claims about un-coalesced loads and BUCL (paper 001): one function each, see claim.h. GPU: gtx480-bucl, the paper's. */
#include "lab/claim.h"

#include <math.h>

static const struct claim_setup probed = {.gpu = "gtx480-bucl", .probes = "coalescing"};

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
  static const char *const suite[] = {"kmn", "bfs", "particlefilter", "gaussian", "sssp", "backprop", "b+tree", "nw", "2dconv",
                                      "myocyte"};
  unsigned right = 0;
  for (unsigned i = 0; i < 10; i++) {
    double v = claim_stat(c, &probed, suite[i], "probes.coalescing.above_2");
    bool ok = (v > 0.1) == (i < 5);
    right += ok;
    claim_figure(c, suite[i], "%", NAN, 100 * v);
    claim_note(c, "%s%s %.0f %%%s", i ? ", " : "", suite[i], 100 * v, ok ? "" : " (!)");
  }
  claim_measured(c, "%u of 10", right);
  claim_holds(c, right >= 9);
}

const struct claim_rule claims_b[] = {
    {"B01", b01, CLAIM_QUICK, NULL},
    {"B02", b02, 0, NULL},
    {0},
};
