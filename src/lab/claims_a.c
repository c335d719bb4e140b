/* Claims about the adaptive last-level cache (paper 002): one function each, see claim.h. GPU: gpu80, the paper's. */
#include "lab/claim.h"

#include <math.h>

static const struct claim_setup probed = {.gpu = "gpu80", .probes = "sharing"};
static const char *const private_friendly[] = {"alexnet", "resnet", "squeezenet", "nn-fc", "matrixmul", NULL};
static const char *const shared_friendly[] = {"lud", "sp", "3dconv", "b+tree", "gemm", "backprop", NULL};
static const char *const neutral[] = {"blackscholes", "dwt2d", "mergesort", "binomialoptions", "histogram", "vectoradd", NULL};

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

const struct claim_rule claims_a[] = {
    {"A09", a09, 0,
     "Every line of an output, which one cluster writes, counts as touched by one; what is left is when CTAs of different "
     "clusters come to the same weights. binomialoptions touches three lines in all, one of which is shared"},
    {0},
};
