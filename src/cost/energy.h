/* Energy, power, area and added storage of a run, from its counters, as JSON. Computed when a run is reported. */
#ifndef COST_ENERGY_H
#define COST_ENERGY_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"

#include <jansson.h>

struct cost_energy;
/* Creates the model of a configuration, for the statistics of the GPU that was built from it. */
struct cost_energy *cost_energy_new(const struct cfg *cfg, const struct stats *s);
void cost_energy_delete(struct cost_energy *e);
/* Sets o.energy (J, by part) and o.power (W) for `counters` (stats_count() differences) over this many core cycles. */
void cost_energy_put(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *o);
/* The sum of that energy, in J. */
double cost_energy_total(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles);
/* As cost_energy_put for a whole run, with the items of each part, root.area (mm2) and root.storage. */
void cost_energy_put_all(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *root);

/* The figures that a report has besides the statistics (energy.*, power.*, area.*, storage.*), with unit and meaning. */
const struct stat_def *cost_energy_defs(size_t *n);
/* What the configuration costs before anything runs, for `heddle area`: {"areas": [{name, mm2, wires, bits,
 * leakage}], "storage": as in a report, "events": [{part, item, statistic, joules}]}; the statistic "seconds" is
 * time. A new object. */
json_t *cost_area(const struct cost_energy *e);

#endif
