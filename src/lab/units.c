/* See units.h. */
#include "lab/units.h"

#include "base/arena.h"
#include "base/str.h"
#include "cost/energy.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

struct lab_units {
  struct gpu *gpu;
};

/* What every report has besides the statistics. */
static const struct stat_def totals[] = {
    {"cycles", "core cycles", "summed over launches", ""},
    {"warp_instructions", "instructions", "executed by warps", ""},
    {"thread_instructions", "instructions", "executed by threads whose guard was true", ""},
    {"ipc", "instructions/cycle", "thread instructions per core cycle", ""},
    {"simulated_ns", "ns", "the device's clock at the end", ""},
    {"launches", "launches", "of kernels", ""},
    {"copies", "copies", "between host and device", ""},
    {"copied_bytes", "bytes", "between host and device", ""},
    {"skipped.launches", "launches", "executed without timing", ""},
    {"skipped.warp_instructions", "instructions", "of these launches", ""},
    {"peak.instructions", "instructions/s", "thread instructions that the SMs can issue at most", ""},
    {"peak.l1_bytes", "bytes/s", "between SMs and their L1Ds at most", ""},
    {"peak.noc_bytes", "bytes/s", "from L2 to the SMs through the network at most", ""},
    {"peak.l2_bytes", "bytes/s", "of the L2 slices at most", ""},
    {"peak.dram_bytes", "bytes/s", "of the DRAM channels at most", ""},
};

static struct gpu *build(const json_t *config) {
  struct cfg *c = gpu_cfg_new();
  struct err e = {0};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)config, key, value) {
    struct str set = {0};
    struct err unknown = {0};
    if (!json_is_string(value)) continue;
    str_add(&set, "%s=%s", key, json_string_value(value));
    cfg_set(c, set.s, &unknown);
    str_free(&set);
  }
  struct gpu *g = gpu_new(c, &e);
  cfg_delete(c);
  return g;
}

struct lab_units *lab_units_new(const json_t *config) {
  struct lab_units *u = must_alloc(sizeof *u);
  u->gpu = build(config);
  if (!u->gpu) u->gpu = build(NULL);
  return u;
}

void lab_units_delete(struct lab_units *u) {
  if (!u) return;
  if (u->gpu) gpu_delete(u->gpu);
  free(u);
}

static const struct stat_def *find(const struct lab_units *u, const char *name) {
  for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
    if (!strcmp(totals[i].name, name)) return &totals[i];
  const struct stats *s = u->gpu ? gpu_stats(u->gpu) : NULL;
  for (size_t i = 0; s && i < stats_count(s); i++)
    if (!strcmp(stats_def(s, i)->name, name)) return stats_def(s, i);
  size_t n;
  const struct stat_def *energy = cost_energy_defs(&n);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(energy[i].name, name)) return &energy[i];
  return NULL;
}

const char *lab_unit(const struct lab_units *u, const char *name) {
  const struct stat_def *d = find(u, name);
  if (!d && !strncmp(name, "energy.", 7)) return "J"; /* of the parts of parts */
  return d ? d->unit : "";
}

const char *lab_meaning(const struct lab_units *u, const char *name) {
  const struct stat_def *d = find(u, name);
  return d ? d->meaning : "";
}
