/* BUCL (Zhao, Wang, Lin, Zhou, Zheng: Selectively GPU cache bypassing for un-coalesced loads): loads bypass the L1D
 * at two granularities.
 *
 * Whole loads: a load that makes more accesses than the threshold of un-coalescing degree (TUCD) does not use the
 * cache with any of them.
 *
 * Single accesses: an access that the cache refuses bypasses it if, in the last sampling period, the L1D hit rate and
 * the utilisation of the input buffer of the memory sub-partition that it goes to were both below their thresholds,
 * and the queue towards the network has a free slot.
 *
 * The hit rate (that of one L1D, used for all) and the utilisations are measured at the end of every sampling period
 * by an update logic that all SMs share. bucl-dyn: TUCD goes up by one if the hit rate was above its threshold and
 * down by one otherwise, within bounds. bucl-prf: at the start of each kernel every SM takes its TUCD from a table;
 * after the profiling cycles all SMs take the TUCD of the SM whose threads executed the most instructions (the first
 * of equals).
 *
 * Data that bypasses goes to the registers and fills nothing. A bypassing access is not merged with an outstanding
 * miss of the same line and does not wait for it: a load over TUCD never looks at the MSHRs, and a refused access
 * could not be merged (the merge limit is one of the reasons). Data below is never older than in L1D, which is
 * write-through.
 *
 * The paper does not say:
 * - what the hit rate counts. Here it is that of the loads that L1D accepted; one merged with an outstanding miss is
 *   a miss, as in section II of the paper, or a hit with l1.bucl.merged=hit, as in GPGPU-Sim's miss rate;
 * - what happens after a period in which the tracked L1D accepted no load. Here hit rate and TUCD stay as they are;
 * - what happens before the first period has ended. Here refused accesses wait;
 * - whether a new kernel resets bucl-dyn's TUCD. Here it does not, unless l1.bucl.reset is set;
 * - how the table is used with a number of SMs other than 15. Here it begins again from its start.
 *
 * Loads of local memory always use the cache: on Fermi, L1D may hold the only copy of local data.
 *
 * Simplified: the L1D's miss queue also stands for the request queue of the network interface; what the update logic
 * learns at the end of a period is known to all SMs at once. */
#include "l1/bypass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 64, LOWEST = 1, HIGHEST = 128 };

enum { MERGED_MISS, MERGED_HIT };
static const struct policy *const merged[] = {
    [MERGED_MISS] = OPTION("miss", "a merged load counts as a miss, as in the paper's section II"),
    [MERGED_HIT] = OPTION("hit", "a merged load counts as a hit, as in GPGPU-Sim's miss rate"),
    NULL,
};
static const struct cfg_key keys[] = {
    {"l1.bucl.period", CFG_INT, "1000", 1, 1e9, NULL, "core cycles", "sampling period of bucl-dyn and bucl-prf"},
    {"l1.bucl.hit_rate", CFG_REAL, "0.8", 0, 2, NULL, "",
     "L1DHR-threshold of bucl: refused accesses wait at or above this hit rate, and bypass below"},
    {"l1.bucl.utilisation", CFG_REAL, "0.7", 0, 2, NULL, "",
     "UIB-threshold of bucl: refused accesses wait if the target L2 input buffer is at least this full"},
    {"l1.bucl.merged", CFG_CHOICE, "miss", 0, 0, merged, "",
     "whether a load merged with an outstanding miss counts as a miss or a hit in bucl's hit rate"},
    {"l1.bucl.tucd", CFG_INT, "5", LOWEST, HIGHEST, NULL, "accesses",
     "initial TUCD of bucl-dyn: a load that makes more accesses bypasses the L1D"},
    {"l1.bucl.tucd_min", CFG_INT, "2", LOWEST, HIGHEST, NULL, "accesses", "lowest TUCD of bucl-dyn"},
    {"l1.bucl.tucd_max", CFG_INT, "25", LOWEST, HIGHEST, NULL, "accesses", "highest TUCD of bucl-dyn"},
    {"l1.bucl.reset", CFG_BOOL, "false", 0, 0, NULL, "",
     "each kernel begins with the initial TUCD (bucl-dyn); false: with that of the kernel before"},
    {"l1.bucl.profile", CFG_INT, "5000", 1, 1e9, NULL, "core cycles", "time at the start of each kernel in which bucl-prf compares SMs"},
    {"l1.bucl.table", CFG_TEXT, "2 3 4 5 6 7 8 10 12 14 16 18 20 22 25", 0, 0, NULL, "accesses",
     "TUCDs that bucl-prf gives to SM 0, 1, ... while it compares them"},
    {"l1.bucl.tracked_sm", CFG_INT, "0", 0, 255, NULL, "", "number of the SM whose L1D hit rate bucl uses for all SMs"},
    {0},
};

enum { PERIODS, TUCD };
static const struct stat_def stats[] = {
    [PERIODS] = {"l1d.bucl_periods", "periods", "l1.bypass=bucl-*: sampling periods, summed over SMs", ""},
    [TUCD] = {"l1d.bucl_tucd_sum", "accesses",
              "l1.bypass=bucl-*: TUCD, the degree beyond which loads bypass L1D, summed over l1d.bucl_periods", ""},
    {0},
};

extern const struct l1_bypass l1_bucl_dyn, l1_bucl_prf;

struct config {
  bool profiling, reset;
  uint64_t period, profile;
  double hit_rate, utilisation;
  uint32_t tucd, tucd_min, tucd_max, tracked;
  uint32_t table[TABLE], n_table;
};

struct bucl;
struct bucl_sm {
  struct bucl *all;      /* NULL: nobody updates, as in a cache on its own */
  uint32_t sm, tucd;
  bool merged_hits;
  uint64_t loads, hits;  /* that L1D served */
  uint64_t *stats;
};

/* The update logic. What SMs read of it changes only while none is visited. */
struct bucl {
  struct config config;
  struct l1_gpu gpu;
  struct bucl_sm **sm;
  bool measured;         /* a period has ended */
  double hit_rate;       /* L1DHR */
  double *utilisation;   /* UIB, by sub-partition */
  uint32_t tucd;
  uint64_t period_ends, profile_ends; /* cycles; UINT64_MAX: not profiling */
  /* Where the counts stood when the period, or profiling, began. */
  uint64_t loads, hits, full, *occupancy, *instructions;
};

/* ---- an SM --------------------------------------------------------------------------------------------------------------- */

static bool skips(void *b, const struct l1_request *r) {
  const struct bucl_sm *s = b;
  return r->class_ == MEM_GLOBAL && r->degree > s->tucd;
}

static bool gives_up(void *b, const struct l1_request *r, enum l1_why why) {
  const struct bucl_sm *s = b;
  const struct bucl *u = s->all;
  (void)why;
  if (r->class_ != MEM_GLOBAL || !u || !u->measured || u->hit_rate >= u->config.hit_rate) return false;
  return u->utilisation[u->gpu.slice_of(u->gpu.user, s->sm, r->line)] < u->config.utilisation;
}

static void served(void *b, const struct l1_request *r, enum l1_result result) {
  struct bucl_sm *s = b;
  (void)r;
  s->loads++;
  s->hits += result == L1_HIT || (result == L1_PENDING && s->merged_hits);
}

static void *create(const struct cfg *cfg, const struct l1_place *place, struct err *e) {
  struct bucl_sm *s = must_alloc(sizeof *s);
  (void)e;
  s->tucd = (uint32_t)cfg_int(cfg, "l1.bucl.tucd");
  s->merged_hits = cfg_option(cfg, "l1.bucl.merged") == MERGED_HIT;
  s->stats = place->stats;
  return s;
}

/* ---- the end of a period --------------------------------------------------------------------------------------------------- */

static void count_period(struct bucl *u) {
  for (uint32_t i = 0; i < u->gpu.sms; i++) {
    u->sm[i]->stats[PERIODS]++;
    u->sm[i]->stats[TUCD] += u->sm[i]->tucd;
  }
}

static void give_all(struct bucl *u, uint32_t tucd) {
  for (uint32_t i = 0; i < u->gpu.sms; i++) u->sm[i]->tucd = tucd;
}

/* False: the tracked L1D served nothing. */
static bool measure_hit_rate(struct bucl *u) {
  const struct bucl_sm *s = u->sm[u->config.tracked];
  uint64_t loads = s->loads - u->loads, hits = s->hits - u->hits;
  u->loads = s->loads;
  u->hits = s->hits;
  if (loads) u->hit_rate = (double)hits / (double)loads;
  return loads != 0;
}

static void measure_utilisation(struct bucl *u, const struct l1_snapshot *s) {
  uint64_t full = s->full - u->full;
  for (uint32_t i = 0; i < u->gpu.slices; i++) {
    u->utilisation[i] = full ? (double)(s->occupancy[i] - u->occupancy[i]) / (double)full : 0;
    u->occupancy[i] = s->occupancy[i];
  }
  u->full = s->full;
}

static void walk(struct bucl *u) {
  const struct config *c = &u->config;
  if (u->hit_rate > c->hit_rate) u->tucd += u->tucd < c->tucd_max;
  else u->tucd -= u->tucd > c->tucd_min;
  give_all(u, u->tucd);
}

static void end_period(struct bucl *u, const struct l1_snapshot *s) {
  count_period(u);
  bool looked = measure_hit_rate(u);
  measure_utilisation(u, s);
  u->measured = u->measured || looked;
  if (looked && !u->config.profiling) walk(u);
  u->period_ends += u->config.period;
}

/* ---- profiling --------------------------------------------------------------------------------------------------------------- */

static void begin_profile(struct bucl *u, const struct l1_snapshot *s) {
  for (uint32_t i = 0; i < u->gpu.sms; i++) {
    u->sm[i]->tucd = u->config.table[i % u->config.n_table];
    u->instructions[i] = s->instructions[i];
  }
  u->profile_ends = s->cycle + u->config.profile;
}

static void end_profile(struct bucl *u, const struct l1_snapshot *s) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < u->gpu.sms; i++)
    if (s->instructions[i] - u->instructions[i] > s->instructions[best] - u->instructions[best]) best = i;
  u->profile_ends = UINT64_MAX;
  give_all(u, u->sm[best]->tucd);
}

/* ---- the update logic ---------------------------------------------------------------------------------------------------------- */

static uint64_t next_look(const struct bucl *u) {
  return u->period_ends < u->profile_ends ? u->period_ends : u->profile_ends;
}

static uint64_t begin(void *shared, const struct l1_snapshot *s) {
  struct bucl *u = shared;
  if (u->config.profiling) begin_profile(u, s);
  else if (u->config.reset) give_all(u, u->tucd = u->config.tucd);
  return next_look(u);
}

static uint64_t update(void *shared, const struct l1_snapshot *s) {
  struct bucl *u = shared;
  if (s->cycle >= u->period_ends) end_period(u, s);
  if (s->cycle >= u->profile_ends) end_profile(u, s);
  return next_look(u);
}

static void join(void *shared, void *b, uint32_t sm) {
  struct bucl *u = shared;
  u->sm[sm] = b;
  u->sm[sm]->all = u;
  u->sm[sm]->sm = sm;
}

/* Numbers separated by blanks. */
static bool read_table(struct config *c, const struct cfg *cfg, struct err *e) {
  const char *p = cfg_text(cfg, "l1.bucl.table");
  for (; *(p += strspn(p, " ")); c->n_table++) {
    char *end;
    unsigned long v = strtoul(p, &end, 10);
    if (end == p || (*end && *end != ' ') || v < LOWEST || v > HIGHEST || c->n_table == TABLE) break;
    c->table[c->n_table] = (uint32_t)v;
    p = end;
  }
  if (c->n_table && !*p) return true;
  return cfg_complain(cfg, "l1.bucl.table", e, "it must be 1 to %d numbers from %d to %d, separated by blanks", TABLE, LOWEST,
                      HIGHEST);
}

static bool read_config(struct config *c, const struct cfg *cfg, uint32_t sms, struct err *e) {
  *c = (struct config){.profiling = cfg_policy(cfg, "l1.bypass") == &l1_bucl_prf,
                       .reset = cfg_bool(cfg, "l1.bucl.reset"),
                       .period = (uint64_t)cfg_int(cfg, "l1.bucl.period"),
                       .profile = (uint64_t)cfg_int(cfg, "l1.bucl.profile"),
                       .hit_rate = cfg_real(cfg, "l1.bucl.hit_rate"),
                       .utilisation = cfg_real(cfg, "l1.bucl.utilisation"),
                       .tucd = (uint32_t)cfg_int(cfg, "l1.bucl.tucd"),
                       .tucd_min = (uint32_t)cfg_int(cfg, "l1.bucl.tucd_min"),
                       .tucd_max = (uint32_t)cfg_int(cfg, "l1.bucl.tucd_max"),
                       .tracked = (uint32_t)cfg_int(cfg, "l1.bucl.tracked_sm")};
  if (c->tracked >= sms) return cfg_complain(cfg, "l1.bucl.tracked_sm", e, "there are %u SMs, numbered from 0", sms);
  if (c->tucd < c->tucd_min || c->tucd > c->tucd_max)
    return cfg_complain(cfg, "l1.bucl.tucd", e, "it must lie between l1.bucl.tucd_min %u and l1.bucl.tucd_max %u", c->tucd_min,
                        c->tucd_max);
  return read_table(c, cfg, e);
}

static void *share(const struct cfg *cfg, const struct l1_gpu *gpu, struct err *e) {
  struct config c;
  if (!read_config(&c, cfg, gpu->sms, e)) return NULL;
  struct bucl *u = must_alloc(sizeof *u);
  *u = (struct bucl){.config = c, .gpu = *gpu, .tucd = c.tucd, .period_ends = c.period, .profile_ends = UINT64_MAX};
  u->sm = must_alloc(gpu->sms * sizeof *u->sm);
  u->instructions = must_alloc(gpu->sms * sizeof *u->instructions);
  u->utilisation = must_alloc(gpu->slices * sizeof *u->utilisation);
  u->occupancy = must_alloc(gpu->slices * sizeof *u->occupancy);
  return u;
}

static void unshare(void *shared) {
  struct bucl *u = shared;
  free(u->sm);
  free(u->instructions);
  free(u->utilisation);
  free(u->occupancy);
  free(u);
}

/* ---- storage --------------------------------------------------------------------------------------------------------------- */

static unsigned bits_to_count(uint64_t n) { return n ? 64u - (unsigned)__builtin_clzll(n) : 0; }

/* Section V.D names what is kept, not its widths. Here a counter reaches the most that its period can bring, and a rate
 * is as fine as the counters that it comes from:
 * - cycles of the period, loads and hits of the tracked L1D (one access a cycle), L1DHR and its threshold;
 * - by sub-partition its packets summed over the period and UIB, and the threshold of all;
 * - TUCD: bucl-dyn has one, bucl-prf one an SM, and an SM's count of instructions and the cycles of profiling.
 * The table of bucl-prf is wired. */
static uint64_t shared_bits(const struct cfg *cfg, const struct l1_extent *gpu) {
  struct config c;
  struct err e = {0};
  if (!read_config(&c, cfg, gpu->sms, &e)) return 0; /* refused when the GPU is made */
  unsigned period = bits_to_count(c.period), fill = bits_to_count((uint64_t)ceil((double)c.period * gpu->occupancy));
  uint64_t rates = 5 * period + (2 * gpu->slices + 1) * fill;
  if (!c.profiling) return rates + bits_to_count(c.tucd_max);
  uint32_t most = 0;
  for (uint32_t i = 0; i < c.n_table; i++) most = c.table[i] > most ? c.table[i] : most;
  uint64_t an_sm = bits_to_count(most) + bits_to_count(c.profile * gpu->instructions);
  return rates + gpu->sms * an_sm + bits_to_count(c.profile);
}

#define BUCL                                                                                                           \
  .create = create, .destroy = free, .skips = skips, .gives_up = gives_up, .served = served, .share = share,           \
  .unshare = unshare, .join = join, .begin = begin, .update = update, .shared_bits = shared_bits

#define POLICY_OF_BUCL                                                                                                 \
  .paper = "Zhao, Wang, Lin, Zhou, Zheng: Selectively GPU cache bypassing for un-coalesced loads", .keys = keys,        \
  .stats = stats, .storage = l1_bypass_storage

const struct l1_bypass l1_bucl_dyn = {
    .policy = {.name = "bucl-dyn", .meaning = "un-coalesced loads bypass the L1D; the degree follows the hit rate",
               POLICY_OF_BUCL},
    BUCL};
const struct l1_bypass l1_bucl_prf = {
    .policy = {.name = "bucl-prf", .meaning = "un-coalesced loads bypass the L1D; the degree is that of the best SM",
               POLICY_OF_BUCL},
    BUCL};
