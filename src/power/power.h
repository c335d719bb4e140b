/* Energy, area and storage of a configuration.
 *
 * A model is made once from a description of the chip and from the keys power.*. It consists of a list of terms, each
 * of which is a number of joules for one count of a statistic (or for a second), and of a table of areas. Energy is
 * then a sum of products with counters that the simulation keeps anyway. Nothing is computed while simulating, and
 * since the sum is linear, the energies of intervals add up to that of their kernel.
 *
 * Each coefficient is a key (power_keys.c, with its source) or follows from the technology (power_tech.c,
 * power_sram.c, power_net.c). docs/rooms/power.md says which coefficients were calibrated, and to what.
 *
 * Does not: know components (the room cost describes the chip and hands over counters), or feed anything back into
 * timing. */
#ifndef POWER_H
#define POWER_H

#include "base/cfg.h"
#include "base/err.h"
#include "power/power_net.h"
#include "power/power_ring.h"
#include "power/power_sram.h"

#include <stddef.h>
#include <stdint.h>

extern const struct cfg_key power_keys[];

/* ---- storage that a mechanism adds ----------------------------------------------------------------------------------- */

/* One kind of storage beyond that of the base configuration: the bits of a tag-split L1, an auxiliary tag directory,
 * a ring's queues, a filter's table. Each policy declares the storage that it needs (policy.storage); cost/storage.c
 * collects it, and its bits, area, leakage and energy are counted. */
struct power_store {
  const char *name;      /* as it is shown: "l1.org tsc" */
  uint64_t bits;         /* of one instance */
  uint64_t instances;
  uint32_t width;        /* bits that one access reads or writes */
  bool flops;            /* held in flip-flops (queues, counters) rather than in an SRAM array */
  const char *statistic; /* the statistic that counts accesses to all instances; NULL: only area and leakage are known */
};
enum { POWER_MAX_STORES = 32 };
struct power_stores {
  struct power_store store[POWER_MAX_STORES];
  size_t n;
};
void power_store_add(struct power_stores *s, const struct power_store *one); /* does nothing if it has no bits */
uint64_t power_store_bits(const struct power_stores *s);

/* ---- the chip ---------------------------------------------------------------------------------------------------------- */

/* Routers of one kind. */
struct power_net_router {
  const char *kind;
  unsigned n;
  struct power_router_shape shape; /* power_model_init fills in its toggle */
  bool every;    /* each flit crosses one router of this kind; all other crossings are of the kind for which it is false */
  bool gateable; /* they can be power-gated, and the cycles are counted */
};
/* Links of one kind. */
struct power_net_link {
  const char *kind;
  unsigned n, bits;
  double sides;  /* length, as a multiple of the side of the die or, with over_l2, of a square as large as all L2 slices */
  bool over_l2;
  double cycles; /* network cycles that a flit may take */
  bool terminal; /* each flit takes one link of this kind; otherwise flits over them are counted */
};
enum { POWER_KINDS = 4 };
struct power_net { /* one physical network */
  const char *name;
  struct power_net_router router[POWER_KINDS];
  struct power_net_link link[POWER_KINDS];
  unsigned routers, links;
  bool request, reply; /* what it carries */
};

struct power_chip {
  unsigned sms, slices, channels;
  double core_hz, noc_hz;
  double register_bits, shared_bits, l1_bits, l1_tag_bits, readonly_bits; /* of an SM */
  double l2_bits, l2_tag_bits;                                            /* of a slice */
  double l1_set_bits, l2_set_bits;                                        /* tags that one lookup reads */
  double dram_bus_bytes, dram_burst_bytes;                                /* of a channel */
  struct power_net net[2];
  unsigned nets;
  struct power_ring_shape ring; /* between the SMs */
  struct power_stores stores;
};

/* ---- the model --------------------------------------------------------------------------------------------------------- */

enum power_part {
  POWER_CORE, POWER_REGISTER_FILE, POWER_SHARED, POWER_L1, POWER_L2, POWER_NOC_ROUTERS, POWER_NOC_LINKS, POWER_DRAM,
  POWER_ADDED, POWER_STATIC, POWER_PARTS
};
struct power_name {
  const char *name, *meaning;
};
extern const struct power_name power_parts[POWER_PARTS];

/* What energy is proportional to: statistics, time, and accesses to stores. */
enum power_count {
  POWER_N_INT, POWER_N_MULTIPLY, POWER_N_FP32, POWER_N_FP64, POWER_N_SFU, POWER_N_TENSOR, POWER_N_OTHER,
  POWER_N_REGISTER_READS, POWER_N_REGISTER_WRITES, POWER_N_SHARED, POWER_N_ACTIVE, POWER_N_L1, POWER_N_L1_ASKED,
  POWER_N_L1_FILLED, POWER_N_CONST, POWER_N_TEX, POWER_N_L2, POWER_N_L2_REPLIED, POWER_N_L2_WRITTEN, POWER_N_L2_FETCHED,
  POWER_N_L2_WRITTEN_BACK,
  POWER_N_REQUEST_FLITS, POWER_N_REQUEST_ROUTERS, POWER_N_REQUEST_LINKS, POWER_N_REQUEST_GATED,
  POWER_N_REPLY_FLITS, POWER_N_REPLY_ROUTERS, POWER_N_REPLY_LINKS, POWER_N_REPLY_GATED, POWER_N_ACTIVATES,
  POWER_N_READ_BURSTS, POWER_N_WRITE_BURSTS, POWER_N_REFRESHES, POWER_N_RING_REQUESTS, POWER_N_RING_RESPONSES, POWER_STATISTICS,
  POWER_N_SECONDS = POWER_STATISTICS, /* time of the kernel, from its first CTA to its last acknowledgement */
  POWER_N_STORE,                      /* accesses to store i: POWER_N_STORE + i */
  POWER_COUNTS = POWER_N_STORE + POWER_MAX_STORES
};
extern const char *const power_statistics[POWER_STATISTICS];

struct power_term {
  enum power_part part;
  const char *name;    /* name of the item within its part: energy.detail.NAME */
  unsigned count;      /* enum power_count */
  double joules;       /* for one count */
};

struct power_area { /* area of a part, which follows from the configuration alone */
  const char *name;
  const char *wired;   /* the name under which `wires` is reported; NULL: it has none */
  double mm2, wires;   /* silicon; top metal of links */
  double bits;         /* of storage */
  double leakage;      /* W */
};

enum { POWER_MAX_TERMS = 96 + POWER_MAX_STORES, POWER_MAX_AREAS = 24 };
struct power_model {
  struct power_term term[POWER_MAX_TERMS];
  size_t terms;
  struct power_area area[POWER_MAX_AREAS];
  size_t areas;
  double added_mm2, added_leakage; /* sums over all stores */
  struct power_stores stores;
};

void power_model_init(struct power_model *m, const struct cfg *cfg, const struct power_chip *chip);

struct power_energy {
  double part[POWER_PARTS]; /* J */
  double noc, total;
};
/* `counts` has POWER_COUNTS elements. */
struct power_energy power_energy(const struct power_model *m, const double *counts);
/* The energy of all terms of one name; a name may occur several times (two networks, two kinds of routers). */
double power_item(const struct power_model *m, const double *counts, const char *name);

#endif
