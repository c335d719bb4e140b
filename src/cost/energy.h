/* Energy, power, area and added storage of a run, from its counters, as JSON. Computed when a run is reported. */
#ifndef COST_ENERGY_H
#define COST_ENERGY_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"

#include <jansson.h>

struct cost_energy;
/* For a configuration a GPU was made from, and that GPU's statistics. */
struct cost_energy *cost_energy_new(const struct cfg *cfg, const struct stats *s);
void cost_energy_delete(struct cost_energy *e);
/* Sets o.energy (J, by part) and o.power (W) of counters (stats_count() differences) over core cycles. */
void cost_energy_put(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *o);
/* Their sum, in J. */
double cost_energy_total(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles);
/* As cost_energy_put, of a whole run, with items, and root.area (mm2) and root.storage. */
void cost_energy_put_all(const struct cost_energy *e, const uint64_t *counters, uint64_t cycles, json_t *root);

/* Names of what a report has besides the statistics: energy.*, power.*, area.*, storage.*, with unit and meaning. */
const struct stat_def *cost_energy_defs(size_t *n);
/* What the configuration costs before anything runs, for `heddle area`: {"areas": [{name, mm2, wires, bits, leakage}],
 * "storage": as in a report, "events": [{part, item, statistic, joules}]}, statistic "seconds" being time. A new object. */
json_t *cost_area(const struct cost_energy *e);

#endif
