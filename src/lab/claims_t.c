/* Claims about the tag-split cache (paper 000): one function each, see claim.h. GPU: gtx480, the paper's Table 2. */
#include "lab/claim.h"

#include <math.h>
#include <string.h>

static const struct claim_setup base = {.gpu = "gtx480"}, lines = {.gpu = "gtx480", .probes = "lines"};
static const struct claim_setup line32 = {.gpu = "gtx480", .set = "l1.org=line32"},
                                line64 = {.gpu = "gtx480", .set = "l1.org=line64"};

/* CLN, then CLP of Table 1; stencil is in the figures only. */
static const char *const suite[] = {"bfs",      "cfd",     "kmeans",        "mummergpu", "particlefilter", "srad_v2", "spmv", "b+tree",
                                    "dwt2d",    "gaussian", "srad_v1", "streamcluster", "histo",     "mri-gridding",   "stencil", NULL};

/* ---- use of lines ------------------------------------------------------------------------------------------------------ */

static void t01(struct claim *c) {
  double v = 100 * claim_stat(c, &lines, "mummergpu", "probes.lines.quarter_of_reused");
  claim_figure(c, "mummergpu", "%", 90.3, v);
  claim_holds(c, claim_near(v, 90.3, 10));
}

/* More than half of the lines with more than two of four chunks reused. */
static void t02(struct claim *c) {
  bool others = false, histo = false;
  for (unsigned i = 0; suite[i]; i++) {
    double share = claim_stat(c, &lines, suite[i], "probes.lines.reused.3/4") +
                   claim_stat(c, &lines, suite[i], "probes.lines.reused.4/4");
    double some = 1 - claim_stat(c, &lines, suite[i], "probes.lines.reused.0");
    bool is_histo = !strcmp(suite[i], "histo");
    claim_figure(c, suite[i], "%", NAN, 100 * share);
    if (is_histo)
      claim_note(c, "histo: %.1f %% of all lines, %.1f %% of the reused", 100 * share, some > 0 ? 100 * share / some : 0);
    if (!(share > 0.5)) continue;
    claim_measured(c, "%s%s %.0f %%", histo || others ? ", " : "", suite[i], 100 * share);
    if (is_histo) histo = true;
    else others = true;
  }
  if (!histo && !others) claim_measured(c, "none");
  claim_holds(c, histo && !others);
}

static void t09(struct claim *c) {
  static const struct claim_setup *const setups[] = {&line32, &line64, &base};
  static const char *const names[] = {"32 B", "64 B", "128 B"};
  for (unsigned i = 0; i < 3; i++) {
    double v = 100 * claim_share(c, setups[i], "stencil", "l1d.missed_instructions", "l1d.load_instructions");
    claim_figure(c, names[i], "%", 100, v);
    claim_holds(c, v > 90);
  }
}

const struct claim_rule claims_t[] = {
    {"T01", t01, CLAIM_QUICK, NULL},
    {"T02", t02, 0,
     "histo is the extreme case here too, in that each of its reused lines is reused wholly, but only one line in five is reused at "
     "all: the CTAs of an SM that read the same places do not always find the line still there"},
    {"T09", t09, CLAIM_QUICK, NULL},
    {0},
};
