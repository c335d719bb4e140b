/* See llc_mode.h. */
#include "llc/llc_mode.h"

#include "mem/mem_tags.h"

#include <math.h>
#include <string.h>

const struct cfg_key llc_mode_keys[] = {
    {"llc.mode", CFG_CHOICE, "shared", 0, 0, LLC_MODES, "",
     "L2 slices shared by all SMs, private to clusters, or chosen as the program runs"},
    {"llc.program_modes", CFG_TEXT, "", 0, 0, NULL, "",
     "programs side by side: the mode of each, \"shared:private\"; those not named have llc.mode"},
    {"llc.profile", CFG_INT, "50000", 1, 1e12, NULL, "core cycles",
     "adaptive: a shared L2 is watched so long before it may become private"},
    {"llc.epoch", CFG_INT, "1000000", 1, 1e15, NULL, "core cycles",
     "adaptive: a private L2 becomes shared and is watched again so often; and when a kernel starts"},
    {"llc.similar", CFG_REAL, "2", 0, 100, NULL, "percent points",
     "adaptive: miss rates that differ by at most this count as similar (rule 1)"},
    {"llc.gate_latency", CFG_INT, "20", 0, 100000, NULL, "core cycles",
     "to switch the MC-routers' power off or on"},
    {"llc.atd_sets", CFG_INT, "8", 1, 4096, NULL, "sets",
     "adaptive: sets of one slice that the auxiliary tag directory follows"},
    {"llc.atd_router", CFG_CHOICE, "last", 0, 0, "last any", "",
     "adaptive: a line's bits name the SM-router that touched it last, or all that did"},
    {0},
};

const struct llc_mode_name llc_modes[] = {
    {"shared", "L2 slices chosen by the address, the same for all SMs"},
    {"private", "a slice of each controller for each cluster of SMs"},
    {"adaptive", "shared, and private where a profile of the running kernel says so"},
    {0},
};

static double memory_bandwidth(const struct cfg *cfg) {
  double length = (double)cfg_int(cfg, "dram.burst_length");
  double clocks = fmax(ceil(length / (double)cfg_int(cfg, "dram.rate")), (double)cfg_int(cfg, "dram.tCCD"));
  double per_clock = (double)cfg_int(cfg, "dram.bus_bytes") * length / clocks;
  return (double)cfg_int(cfg, "dram.channels") * per_clock * cfg_real(cfg, "gpu.dram_clock") * 1e6;
}

/* "shared:private" into the modes of the first programs. */
static bool read_programs(struct llc_mode_config *c, const struct cfg *cfg, struct err *e) {
  const char *text = cfg_text(cfg, "llc.program_modes");
  for (unsigned i = 0; i < LLC_MAX_PROGRAMS; i++) c->of[i] = c->mode;
  for (unsigned i = 0; *text; i++) {
    char word[16] = "";
    size_t n = strcspn(text, ":");
    if (n < sizeof word) memcpy(word, text, n);
    int mode = mem_choice(LLC_MODES, word);
    if (mode < 0 || i == LLC_MAX_PROGRAMS)
      return cfg_complain(cfg, "llc.program_modes", e, "must be at most %d of " LLC_MODES ", separated by colons",
                          LLC_MAX_PROGRAMS);
    c->of[i] = (enum llc_mode)mode;
    text += n + (text[n] == ':');
  }
  return true;
}

static bool any_is(const struct llc_mode_config *c, enum llc_mode m) {
  for (unsigned i = 0; i < LLC_MAX_PROGRAMS; i++)
    if (c->of[i] == m) return true;
  return c->mode == m;
}

bool llc_mode_always_shared(const struct llc_mode_config *c) {
  return !any_is(c, LLC_PRIVATE) && !any_is(c, LLC_ADAPTIVE);
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
  if (any_is(c, LLC_ADAPTIVE) && c->profile >= c->epoch)
    return cfg_complain(cfg, "llc.profile", e, "must be shorter than llc.epoch (%lu)", c->epoch);
  return true;
}

bool llc_mode_read(struct llc_mode_config *c, const struct cfg *cfg, struct err *e) {
  *c = (struct llc_mode_config){
      .mode = (enum llc_mode)mem_choice(LLC_MODES, cfg_text(cfg, "llc.mode")),
      .profile = (uint64_t)cfg_int(cfg, "llc.profile"),
      .epoch = (uint64_t)cfg_int(cfg, "llc.epoch"),
      .gate = (uint64_t)cfg_int(cfg, "llc.gate_latency"),
      .clusters = (uint32_t)cfg_int(cfg, "gpu.clusters"),
      .channels = (uint32_t)cfg_int(cfg, "dram.channels"),
      .slices = (uint32_t)cfg_int(cfg, "l2.slices_per_channel"),
      .sampled_sets = (uint32_t)cfg_int(cfg, "llc.atd_sets"),
      .any_router = mem_choice("last any", cfg_text(cfg, "llc.atd_router")) == 1,
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
