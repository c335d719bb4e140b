/* What the claims and figures about the cooperative caching network (Dublish et al., TACO 2016) share:
 * configurations, benchmarks, and what is measured in a run. The GPU is gtx480-ccn, that of the paper. */
#ifndef LAB_CLAIMS_C_H
#define LAB_CLAIMS_C_H

#include "lab/claims/claim.h"

#include <stdio.h>

static const struct claim_setup probed = {.gpu = "gtx480-ccn", .probes = "reuse"};

static const struct {
  const char *workload;
  double percent; /* Table I */
} table_i[] = {{"mm", 4}, {"ss", 28}, {"cfd", 51}, {"pvr", 32}, {"streamcluster", 18}, {"bfs", 3}, {"dwt2d", 7}, {"lbm", 0},
               {"km", 24}, {"hybridsort", 1}, {"pbfs", 6}, {"lavamd", 1}, {"histo", 1}, {"sm", 3}, {"myocyte", 1}, {"nw", 8},
               {"b+tree", 25}, {"ii", 2}, {"particlefilter", 8}, {"leukocyte", 1}, {"wc", 54}, {"sad", 3}, {"srad_v1", 15},
               {"srad_v2", 16}, {"mri-gridding", 2}, {"kmeans", 0}, {"lud", 28}, {"stencil", 6}, {"heartwall", 0}, {"backprop", 3},
               {"hotspot", 29}, {"cutcp", 78}, {"mri-q", 0}, {"tpacf", 19}};
enum { TABLE_I = sizeof table_i / sizeof *table_i };

#define GPU(...) {.gpu = "gtx480-ccn", __VA_ARGS__}
#define BIG "l1.sets=96" /* 48 KB; shared memory stays, as the paper says nothing of it */
#define BANKS "l2.slices_per_channel=4,l2.sets=32" /* 24 banks, the same capacity */
static const struct claim_setup base = GPU(), ccn_b = GPU(.set = "coop=ccn-b"), ccn_rt = GPU(.set = "coop=ccn-rt"),
                                ideal = GPU(.set = "coop=ideal"), ideal_80 = GPU(.set = "coop=ideal,coop.reuse_latency=80"),
                                ideal_300 = GPU(.set = "coop=ideal,coop.reuse_latency=300"),
                                big = GPU(.set = BIG), big_rt = GPU(.set = "coop=ccn-rt," BIG),
                                hop_3 = GPU(.set = "coop=ccn-rt,coop.hop=3"), hop_5 = GPU(.set = "coop=ccn-rt,coop.hop=5"),
                                banks = GPU(.set = BANKS), banks_rt = GPU(.set = "coop=ccn-rt," BANKS),
                                cluster_3 = GPU(.set = "coop=cluster,coop.cluster=3"),
                                cluster_5 = GPU(.set = "coop=cluster,coop.cluster=5"),
                                same_way = GPU(.set = "coop=ccn-rt,coop.same_way=true");

/* Section 5.3: reuse is a coefficient above 10 % in Table I, no reuse one below 3 %. */
static const char *const reuse[] = {"ss", "cfd", "pvr", "streamcluster", "km", "b+tree", "wc", "srad_v1", "srad_v2", "lud",
                                    "hotspot", "cutcp", "tpacf", NULL},
                  *const no_reuse[] = {"lbm", "hybridsort", "lavamd", "histo", "myocyte", "ii", "leukocyte", "mri-gridding",
                                       "kmeans", "heartwall", "mri-q", NULL};

static inline double percent(double ratio) { return 100 * (ratio - 1); }

static inline double l2_accesses(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "l2.accesses");
}
/* From an L1D access to the reply that fills it, over loads of global memory, wherever it came from. */
static inline double latency(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_share(c, s, workload, "sm.miss_latency", "sm.miss_replies");
}
/* Scheduler slots in which no warp could issue although one was resident; or those in which it waited for memory, or for a free
 * slot of the load/store unit. */
static inline double stalls(struct claim *c, const struct claim_setup *s, const char *workload) {
  static const char *const why[] = {"memory", "lsu", "barrier", "fence", "fetch", "alu", "pipe"};
  unsigned n = claim_reads(c, "c.stalls", "memory") ? 2 : sizeof why / sizeof *why;
  double sum = 0;
  for (unsigned i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "sm.stall_%s", why[i]);
    sum += claim_stat(c, s, workload, name);
  }
  return sum;
}
static inline double dram_accesses(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "dram.reads") + claim_stat(c, s, workload, "dram.writes");
}

/* Lanes: pipelines of 32 and schedulers that feed them, two each in the base as in GPGPU-Sim's GTX480. Its banks of registers feed
 * four at most: with more lanes operands come by sm.collectors' rule. */
#define LANES(n) "sm.schedulers=" n ",sm.pipes.sp=" n ",sm.register_banks=0"
static const struct claim_setup lanes_with[] = {GPU(.set = "coop=ccn-rt"), GPU(.set = "coop=ccn-rt," LANES("4")),
                                          GPU(.set = "coop=ccn-rt," LANES("8")), GPU(.set = "coop=ccn-rt," LANES("12"))},
                                lanes_without[] = {GPU(), GPU(.set = LANES("4")), GPU(.set = LANES("8")), GPU(.set = LANES("12"))};
static const char *const lane_names[] = {"32 lanes", "64", "128", "192"};

#endif
