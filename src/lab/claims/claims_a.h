/* What the claims and figures about the adaptive last-level cache (Zhao et al., ISCA 2019) share: configurations,
 * benchmarks, and what is measured in a run. The GPU is gpu80, that of the paper, with the hierarchical crossbar that
 * the paper takes as its base.
 *
 * A miss rate is l2.misses over l2.accesses, of reads, writes and atomics; an access to a pending line is not a miss. */
#ifndef LAB_CLAIMS_A_H
#define LAB_CLAIMS_A_H

#include "lab/claims/claim.h"

#include <math.h>

#define HXBAR "noc.topology=hxbar"
#define PRIVATE HXBAR ",llc.mode=private"
#define ADAPTIVE HXBAR ",llc.mode=adaptive"
#define GPU(...) {.gpu = "gpu80", __VA_ARGS__}

static const struct claim_setup probed = GPU(.probes = "sharing");
static const struct claim_setup base = GPU(.set = HXBAR), own = GPU(.set = PRIVATE), adaptive = GPU(.set = ADAPTIVE);

#define PRIVATE_FRIENDLY "alexnet", "resnet", "squeezenet", "nn-fc", "matrixmul"
#define SHARED_FRIENDLY "lud", "sp", "3dconv", "b+tree", "gemm", "backprop"
#define NEUTRAL "blackscholes", "dwt2d", "mergesort", "binomialoptions", "histogram", "vectoradd"
static const char *const private_friendly[] = {PRIVATE_FRIENDLY, NULL}, *const shared_friendly[] = {SHARED_FRIENDLY, NULL},
                  *const neutral[] = {NEUTRAL, NULL}, *const others[] = {SHARED_FRIENDLY, NEUTRAL, NULL},
                  *const not_shared[] = {PRIVATE_FRIENDLY, NEUTRAL, NULL},
                  *const all[] = {PRIVATE_FRIENDLY, SHARED_FRIENDLY, NEUTRAL, NULL};

static inline double percent(double ratio) { return 100 * (ratio - 1); }

static inline double response_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_share(c, s, workload, "noc.reply_flits", "cycles");
}

static inline double miss_rate(struct claim *c, const struct claim_setup *s, const char *workload) {
  return 100 * claim_share(c, s, workload, "l2.misses", "l2.accesses");
}

/* ---- networks: full with hierarchical, concentrated 2, 4, 8 with hierarchical of 1/2, 1/4, 1/8 of the width --------------- */

#define CXBAR(n) "noc.topology=cxbar,noc.concentration=" #n
#define NARROW(bytes) HXBAR ",noc.flit_bytes=" #bytes
enum { PAIRS = 4 };
static const char *const pair_name[PAIRS] = {"full", "concentrated 2", "concentrated 4", "concentrated 8"};
static const struct claim_setup other_net[PAIRS] = {GPU(), GPU(.set = CXBAR(2)), GPU(.set = CXBAR(4)), GPU(.set = CXBAR(8))};
static const struct claim_setup hxbar[PAIRS] = {GPU(.set = HXBAR), GPU(.set = NARROW(16)), GPU(.set = NARROW(8)),
                                                GPU(.set = NARROW(4))};

static inline double power(struct claim *c, const struct claim_setup *s, const char *workload) {
  return claim_stat(c, s, workload, "energy.noc") / claim_stat(c, s, workload, "cycles");
}

/* ---- two programs: system throughput is the sum of what each keeps of its speed alone in a shared cache -------------------- */

enum { MIXES = 6 };
#define MIX(p) {p "+lud", p "+sp", p "+3dconv", p "+b+tree", p "+gemm", p "+backprop"}
static const char *const mixes[][MIXES] = {MIX("alexnet"), MIX("resnet"), MIX("squeezenet"), MIX("nn-fc"), MIX("matrixmul")};

static inline double throughput(struct claim *c, const struct claim_setup *s, unsigned p, unsigned m) {
  return claim_stat(c, s, mixes[p][m], "programs.0.ipc") / claim_stat(c, &base, private_friendly[p], "ipc") +
         claim_stat(c, s, mixes[p][m], "programs.1.ipc") / claim_stat(c, &base, shared_friendly[m], "ipc");
}

/* The first program's slices are private, as it likes them; the second's are shared. */
static const struct claim_setup apart = GPU(.set = HXBAR ",llc.program_modes=private:shared");

/* ---- sensitivity: the adaptive cache's gain on the private-friendly where something else is different ------------- */

struct variant {
  const char *name;
  double published;
  struct claim_setup shared, adaptive;
};
#define VARIANT(name, published, set_) {name, published, GPU(.set = HXBAR set_), GPU(.set = ADAPTIVE set_)}
/* Rows of 8 KB as in the preset: two columns more than the GTX 480's. */
#define HYNIX ",dram.map=hynix,dram.layout=RRRRRRRRRRRRBBBCCCCCBCSSSSSSS"

/* Clusters of 10 SMs: half or twice as many, with half or twice the slices of a controller. */
static const struct variant usual = VARIANT("usual", 28.1, ""), hynix = VARIANT("Hynix map", 31.1, HYNIX),
                            wide = VARIANT("64 bytes", 22.6, ",noc.flit_bytes=64"),
                            narrow = VARIANT("16 bytes", 38.2, ",noc.flit_bytes=16"),
                            small = VARIANT("40 SMs", NAN, ",gpu.sms=40,gpu.clusters=4,l2.slices_per_channel=4"),
                            large = VARIANT("160 SMs", 40, ",gpu.sms=160,gpu.clusters=16,l2.slices_per_channel=16"),
                            l1_sizes[] = {VARIANT("64 KB", 28, ",l1.ways=8"), VARIANT("96 KB", 28, ",l1.ways=12"),
                                          VARIANT("128 KB", 15, ",l1.ways=16")},
                            block = VARIANT("block", NAN, ",gpu.cta_scheduler=block"),
                            distributed = VARIANT("distributed", 23.9, ",gpu.cta_scheduler=distributed");

#endif
