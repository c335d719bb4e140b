/* Energy, power, area and added storage of a run, from its counters, as JSON. Computed when a run is reported. */
#ifndef GPU_ENERGY_H
#define GPU_ENERGY_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"

#include <jansson.h>

struct gpu_energy;
/* For a configuration a GPU was made from, and that GPU's statistics. */
struct gpu_energy *gpu_energy_new(const struct cfg *cfg, const struct stats *s);
void gpu_energy_delete(struct gpu_energy *e);
/* Sets o.energy (J, by part) and o.power (W) of counters (stats_count() differences) over core cycles. */
void gpu_energy_put(const struct gpu_energy *e, const uint64_t *counters, uint64_t cycles, json_t *o);
/* The same of the whole run, with items, and root.area (mm2) and root.storage. */
void gpu_energy_put_all(const struct gpu_energy *e, uint64_t cycles, json_t *root);

/* Names of what a report has besides the statistics: energy.*, power.*, area.*, storage.*, with unit and meaning. */
const struct stat_def *gpu_energy_defs(size_t *n);
/* What a configuration costs before anything runs, for `heddle area`: {"areas": [{name, mm2, wires, bits, leakage}],
 * "storage": as in a report, "events": [{part, item, statistic, joules}]}, statistic "seconds" being time. NULL with e
 * filled if no GPU can be made from it. */
json_t *gpu_area(const struct cfg *cfg, struct err *e);

#endif
