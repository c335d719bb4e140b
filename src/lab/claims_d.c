/* Claims about data filtering (paper 003): one function each, see claim.h. GPU: mesh56, the paper's. */
#include "lab/claim.h"

#include <math.h>

static const struct claim_setup probed = {.gpu = "mesh56", .probes = "lines,consistency"};
static const char *const suite[] = {"backprop", "bfs", "cfd", "dwt2d", "gaussian", "heartwall", "hotspot", "hybridsort", "kmeans",
                                    "lavamd", "lud", "mummergpu", "myocyte", "nn", "nw", "particlefilter", "pathfinder", "srad_v1",
                                    "srad_v2", "streamcluster", "apsp", "ccl", "gco", "gcu", "ii", "km", "mm", "pvc", "pvr", "sm",
                                    "ss", "wc", NULL};
/* The workloads that the text names as poor users of their lines: the figures' own list is not in the text. */
static const char *const favourable[] = {"cfd", "gaussian", "myocyte", "ii", "sm", "ss", NULL};

/* In bytes: the figure speaks of actual usage, and the thesis counts in sub-blocks of 32 bytes only after it. */
static void d01(struct claim *c) {
  double v = 100 * claim_mean(c, &probed, suite, "probes.lines.used_bytes_share");
  claim_figure(c, "", "%", 40, v);
  claim_note(c, "in whole sub-blocks of 32 bytes %.1f %%", 100 * claim_mean(c, &probed, suite, "probes.lines.used_share"));
  claim_holds(c, claim_near(v, 40, 12));
}

static void d02(struct claim *c) {
  double v = 100 * claim_mean(c, &probed, favourable, "probes.consistency.partial_consistent");
  claim_figure(c, "mean", "%", 90, v);
  for (unsigned i = 0; favourable[i]; i++) {
    double one = 100 * claim_stat(c, &probed, favourable[i], "probes.consistency.partial_consistent");
    claim_figure(c, favourable[i], "%", NAN, one);
    claim_note(c, "%s%s %.0f %%", i ? ", " : "", favourable[i], one);
  }
  claim_measured(c, "%.1f %%", v);
  claim_holds(c, v >= 80);
}

const struct claim_rule claims_d[] = {
    {"D01", d01, 0, NULL},
    {"D02", d02, CLAIM_QUICK,
     "nearly all lines of myocyte and half of those of cfd are read whole here: both keep the values of neighbouring threads side "
     "by side"},
    {0},
};
