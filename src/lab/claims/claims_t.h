/* What the claims and figures about the tag-split cache (Li et al., ICS 2016) share: configurations, benchmarks, and
 * what is measured in a run. The GPU is gtx480, that of the paper's Table 2.
 *
 * Misses are those of loads, since stores always go below. A miss rate by instruction is the share of load
 * instructions that had to wait for data from below. Whether rates are by instruction, and what counts as traffic,
 * are readings (readings/t.toml). */
#ifndef LAB_CLAIMS_T_H
#define LAB_CLAIMS_T_H

#include "lab/claims/claim.h"

#define GPU(...) {.gpu = "gtx480", __VA_ARGS__}
static const struct claim_setup base = GPU(), lines = GPU(.probes = "lines"), line32 = GPU(.set = "l1.org=line32"),
                                line64 = GPU(.set = "l1.org=line64"), line256 = GPU(.set = "l1.org=line256"),
                                sector = GPU(.set = "l1.org=sector"), lamar = GPU(.set = "l1.org=lamar"),
                                dsc2 = GPU(.set = "l1.org=dsc2,l1.dsc.evicts=lines"), dsc4 = GPU(.set = "l1.org=dsc4,l1.dsc.evicts=lines"),
                                mrpb = GPU(.set = "l1.bypass=mrpb"), tsc = GPU(.set = "l1.org=tsc"),
                                tsc_plus = GPU(.set = "l1.org=tsc+"), tsc_tag5 = GPU(.set = "l1.org=tsc,l1.tsc.private_tag=5");
static const struct claim_setup chunks[] = {GPU(.set = "l1.org=tsc,l1.tsc.chunk=8"), GPU(.set = "l1.org=tsc,l1.tsc.chunk=16"),
                                            GPU(.set = "l1.org=tsc,l1.tsc.chunk=32"), GPU(.set = "l1.org=tsc,l1.tsc.chunk=64")};
static const char *const chunk_names[] = {"8 B", "16 B", "32 B", "64 B"};

/* Table 1, and stencil, which is in the figures only. */
#define CLN "bfs", "cfd", "kmeans", "mummergpu", "particlefilter", "srad_v2", "spmv"
#define CLP "b+tree", "dwt2d", "gaussian", "srad_v1", "streamcluster", "histo", "stencil"
static const char *const suite[] = {CLN, CLP, "mri-gridding", NULL}, *const cln[] = {CLN, NULL},
                  *const clp[] = {CLP, "mri-gridding", NULL}, *const without_gridding[] = {CLN, CLP, NULL};
enum { SUITE = sizeof suite / sizeof *suite - 1 };

static inline double percent(double ratio) { return 100 * (ratio - 1); }

static inline double load_misses(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "l1d.misses") - claim_stat(c, s, workload, "l1d.writes") -
         claim_stat(c, s, workload, "l1d.atomics");
}

static inline double miss_rate_by_access(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * load_misses(c, s, workload) / claim_stat(c, s, workload, "l1d.reads");
}

static inline double miss_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  if (claim_reads(c, "t.misses", "access")) return miss_rate_by_access(c, s, workload);
  return 100 * claim_share(c, s, workload, "l1d.missed_instructions", "l1d.load_instructions");
}

/* What is counted of the traffic from L1 to L2, and of that back. */
static inline const char *traffic_out(const struct claim *c) {
  return claim_reads(c, "t.traffic", "flits") ? "noc.request_flits" : "l1d.packets_out";
}
/* The same under lines of 256 bytes. GPGPU-Sim 3.2.2 sends one request for a miss, whatever the line's size; here it is two, since
 * L2 has lines of 128 bytes. Counted are one request a load that misses, and stores and atomics as they are under `base`. */
static inline double traffic_out_256(struct claim *c, const struct claim_setup *s, const char *workload) {
  double others = claim_stat(c, &base, workload, traffic_out(c)) - load_misses(c, &base, workload);
  return others + load_misses(c, s, workload);
}
static inline const char *traffic_in(const struct claim *c) {
  return claim_reads(c, "t.traffic", "flits") ? "noc.reply_flits" : "l1d.packets_in";
}

#endif
