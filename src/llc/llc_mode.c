/* See llc_mode.h. */
#include "llc/llc_mode.h"

#include "llc/llc_control.h"
#include "llc/llc_profile.h"

#include <math.h>
#include <string.h>

enum { LAST_ROUTER, ANY_ROUTER };
static const struct policy *const routers[] = {[LAST_ROUTER] = OPTION("last", "a line keeps the SM-router that touched it last"),
                                              [ANY_ROUTER] = OPTION("any", "a line keeps all SM-routers that touched it"), NULL};
static const struct cfg_key adaptive_keys[] = {
    {"llc.profile", CFG_INT, "50000", 1, 1e12, NULL, "core cycles",
     "time for which the adaptive mode profiles a shared L2 before it may become private"},
    {"llc.epoch", CFG_INT, "1000000", 1, 1e15, NULL, "core cycles",
     "time after which the adaptive mode makes a private L2 shared again and takes a new profile; so does the start of a kernel"},
    {"llc.similar", CFG_REAL, "2", 0, 100, NULL, "percent points",
     "largest difference of miss rates that the adaptive mode counts as similar (rule 1)"},
    {"llc.gate_latency", CFG_INT, "20", 0, 100000, NULL, "core cycles",
     "time to switch the power of the MC-routers (those at the memory controllers) off or on"},
    {"llc.atd_sets", CFG_INT, "8", 1, 4096, NULL, "sets",
     "sets of one slice that the auxiliary tag directory of the adaptive mode follows"},
    {"llc.atd_router", CFG_CHOICE, "last", 0, 0, routers, "",
     "which SM-routers the auxiliary tag directory keeps with a line: the last that touched it, or all that did"},
    {0},
};

/* Whether some program's slices may change while it runs. */
static bool any_adapts(const struct llc_mode_config *c) {
  for (unsigned i = 0; i < LLC_MAX_PROGRAMS; i++)
    if (c->of[i]->decide) return true;
  return c->mode->decide != NULL;
}

/* What an L2 that chooses its mode watches itself with: one for the GPU, for each program that may be adaptive. */
static bool profile_storage(const struct cfg *cfg, struct llc_storage *out, struct err *e) {
  enum { ADDRESS = 32 };
  struct llc_mode_config c;
  if (!llc_mode_read(&c, cfg, e)) return false;
  *out = any_adapts(&c)
             ? llc_profile_storage(&c, (uint32_t)cfg_int(cfg, "l2.sets"), (uint32_t)cfg_int(cfg, "l2.ways"), ADDRESS)
             : (struct llc_storage){0};
  return true;
}

static bool atd_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct llc_storage s = {0};
  bool ok = profile_storage(cfg, &s, e);
  *bits = s.atd_bits;
  return ok;
}
static bool counter_bits(const struct cfg *cfg, uint64_t *bits, struct err *e) {
  struct llc_storage s = {0};
  bool ok = profile_storage(cfg, &s, e);
  *bits = s.counter_bits;
  return ok;
}

static const struct policy_part storage[] = {{"llc.atd", POLICY_OF_GPU, atd_bits, "llc.atd_sets", "llc.sampled_accesses", false},
                                            {"llc.counters", POLICY_OF_GPU, counter_bits, NULL, NULL, true},
                                            {0}};

#define PAPER "Zhao et al.: Adaptive memory-side last-level GPU caching, ISCA 2019"
/* Programs may have modes of their own (llc.program_modes): each mode has the parts that an adaptive one needs. */
const struct llc_mode llc_shared = {
    .policy = {.name = "shared", .meaning = "the address chooses the L2 slice, the same for all SMs", .storage = storage}};
const struct llc_mode llc_private = {
    .policy = {.name = "private", .meaning = "each cluster of SMs has a slice of its own at each memory controller", .paper = PAPER,
               .stats = &llc_events[LLC_E_TO_PRIVATE], .storage = storage},
    .is_private = true};
const struct llc_mode llc_adaptive = {
    .policy = {.name = "adaptive", .meaning = "shared at first, and private if a profile of the running kernel favours it", .paper = PAPER,
               .keys = adaptive_keys, .stats = llc_events, .storage = storage},
    .decide = llc_decide};

#define LIST(X, T)    \
  X(T, llc_shared)    \
  X(T, llc_private)   \
  X(T, llc_adaptive)
POLICY_LIST(llc_modes, struct llc_mode, LIST);

const struct cfg_key llc_mode_keys[] = {
    {"llc.mode", CFG_CHOICE, "shared", 0, 0, llc_modes, "",
     "mode of L2: slices shared by all SMs, private to clusters, or chosen as the program runs"},
    {"llc.program_modes", CFG_TEXT, "", 0, 0, NULL, "",
     "modes of L2 for several programs side by side, as in \"shared:private\"; programs without an entry have llc.mode"},
    {0},
};

static double memory_bandwidth(const struct cfg *cfg) {
  double length = (double)cfg_int(cfg, "dram.burst_length");
  double clocks = fmax(ceil(length / (double)cfg_int(cfg, "dram.rate")), (double)cfg_int(cfg, "dram.tCCD"));
  double per_clock = (double)cfg_int(cfg, "dram.bus_bytes") * length / clocks;
  return (double)cfg_int(cfg, "dram.channels") * per_clock * cfg_real(cfg, "gpu.dram_clock") * 1e6;
}

static bool wrong_programs(const struct cfg *cfg, const char *word, struct err *e) {
  struct str words = {0};
  policy_words(llc_modes, &words);
  cfg_complain(cfg, "llc.program_modes", e, "must be at most %d of %s, separated by colons%s", LLC_MAX_PROGRAMS, words.s,
               policy_hint(llc_modes, word).s);
  str_free(&words);
  return false;
}

/* "shared:private" into the modes of the first programs. */
static bool read_programs(struct llc_mode_config *c, const struct cfg *cfg, struct err *e) {
  const char *text = cfg_text(cfg, "llc.program_modes");
  for (unsigned i = 0; i < LLC_MAX_PROGRAMS; i++) c->of[i] = c->mode;
  for (unsigned i = 0; *text; i++) {
    char word[32] = "";
    size_t n = strcspn(text, ":");
    memcpy(word, text, n < sizeof word ? n : sizeof word - 1);
    const struct llc_mode *mode = policy_find(llc_modes, word);
    if (!mode || i == LLC_MAX_PROGRAMS) return wrong_programs(cfg, word, e);
    c->of[i] = mode;
    text += n + (text[n] == ':');
  }
  return true;
}

bool llc_mode_always_shared(const struct llc_mode_config *c) {
  for (unsigned i = 0; i < LLC_MAX_PROGRAMS; i++)
    if (!llc_mode_stays_shared(c->of[i])) return false;
  return llc_mode_stays_shared(c->mode);
}

static bool fits(const struct llc_mode_config *c, const struct cfg *cfg, struct err *e) {
  if (llc_mode_always_shared(c)) return true;
  if (c->clusters != c->slices)
    return cfg_complain(cfg, "llc.mode", e,
                        "a private L2 needs as many clusters of SMs (gpu.clusters) as L2 slices a controller "
                        "(l2.slices_per_channel); here are %u and %u",
                        c->clusters, c->slices);
  if (cfg_int(cfg, "gpu.sms") % c->clusters)
    return cfg_complain(cfg, "gpu.clusters", e, "%u clusters do not share %u SMs evenly", c->clusters,
                        (unsigned)cfg_int(cfg, "gpu.sms"));
  if (cfg_int(cfg, "l2.partitions") > 1)
    return cfg_complain(cfg, "llc.mode", e, "an L2 in two partitions (l2.partitions) is always shared");
  if (any_adapts(c) && c->profile >= c->epoch)
    return cfg_complain(cfg, "llc.profile", e, "must be shorter than llc.epoch (%lu)", c->epoch);
  return true;
}

bool llc_mode_read(struct llc_mode_config *c, const struct cfg *cfg, struct err *e) {
  *c = (struct llc_mode_config){
      .mode = cfg_policy(cfg, "llc.mode"),
      .profile = (uint64_t)cfg_int(cfg, "llc.profile"),
      .epoch = (uint64_t)cfg_int(cfg, "llc.epoch"),
      .gate = (uint64_t)cfg_int(cfg, "llc.gate_latency"),
      .clusters = (uint32_t)cfg_int(cfg, "gpu.clusters"),
      .channels = (uint32_t)cfg_int(cfg, "dram.channels"),
      .slices = (uint32_t)cfg_int(cfg, "l2.slices_per_channel"),
      .sampled_sets = (uint32_t)cfg_int(cfg, "llc.atd_sets"),
      .any_router = cfg_option(cfg, "llc.atd_router") == ANY_ROUTER,
      .similar = cfg_real(cfg, "llc.similar") / 100,
      .slice_bytes = (double)cfg_int(cfg, "l2.data_bytes") * cfg_real(cfg, "gpu.l2_clock") * 1e6,
      .memory_bytes = memory_bandwidth(cfg),
  };
  return read_programs(c, cfg, e) && fits(c, cfg, e);
}

uint64_t llc_view_slice(const struct llc_view *v, uint64_t line) {
  uint64_t slice = mem_map_slice(v->map, line);
  return v->is_private ? slice - slice % v->slices + v->cluster : slice;
}
