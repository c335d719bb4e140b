/* What the claims and figures about data filtering (Byoun 2018) share: configurations, benchmarks, and what is
 * measured in a run. The GPU is mesh56, that of the paper. */
#ifndef LAB_CLAIMS_D_H
#define LAB_CLAIMS_D_H

#include "lab/claims/claim.h"

#define DPC "reply.compress=dpc"
static const struct claim_setup base = {.gpu = "mesh56"}, dpc = {.gpu = "mesh56", .set = DPC},
                                man = {.gpu = "mesh56", .set = DPC ",reply.filter=df-man"},
                                truc = {.gpu = "mesh56", .set = DPC ",reply.filter=df-truc"};
static const struct claim_setup probed = {.gpu = "mesh56", .probes = "lines,consistency"};
static const char *const suite[] = {"backprop", "bfs", "cfd", "dwt2d", "gaussian", "heartwall", "hotspot", "hybridsort", "kmeans",
                                    "lavamd", "lud", "mummergpu", "myocyte", "nn", "nw", "particlefilter", "pathfinder", "srad_v1",
                                    "srad_v2", "streamcluster", "apsp", "ccl", "gco", "gcu", "ii", "km", "mm", "pvc", "pvr", "sm",
                                    "ss", "wc", NULL};
enum { SUITE = sizeof suite / sizeof *suite };
/* The workloads that the text names as poor users of their lines: the figures' own list is not in the text. */
static const char *const favourable[] = {"cfd", "gaussian", "myocyte", "ii", "sm", "ss", NULL};

/* As published: instructions a cycle, not time. gco's rounds depend on which of two threads comes first. */
static inline double faster(struct claim *c, const struct claim_setup *s, const struct claim_setup *over, const char *workload) {
  return claim_ratio(c, s, over, workload, "ipc");
}

static inline double miss_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  double misses = claim_stat(c, s, workload, "l1d.misses") - claim_stat(c, s, workload, "l1d.writes") -
                  claim_stat(c, s, workload, "l1d.atomics");
  return 100 * misses / claim_stat(c, s, workload, "l1d.reads");
}

/* The thesis divides its benchmarks by their partial consistent accesses, which are about 90 % in one group; which are in
 * the other is not in the text, so that here it is those in which they are fewer than half. */
static inline bool unfavourable(struct claim *c, const char *workload) {
  return claim_stat(c, &probed, workload, "probes.consistency.partial_consistent") < 0.5;
}

/* The favourable group as the question d.group is read, ended by NULL; empty until its probes are known. `compared`: the part of it whose
 * IPC, traffic and space are given. */
static inline const char *const *favourable_group(struct claim *c, bool compared, const char *list[SUITE]) {
  bool gaining = claim_reads(c, "d.group", "gaining");
  unsigned n = 0;
  if (!gaining && !claim_reads(c, "d.group", "partial")) return favourable;
  for (unsigned i = 0; suite[i]; i++) {
    bool partial = claim_stat(c, &probed, suite[i], "probes.consistency.partial_consistent") >= 0.5;
    if (partial && !(gaining && compared && !(faster(c, &man, &dpc, suite[i]) > 1))) list[n++] = suite[i];
  }
  list[n] = NULL;
  return list;
}

#endif
