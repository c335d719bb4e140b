/* What a configuration is built of, as the energy model needs it: sizes of arrays, networks, added storage. It
 * follows from the keys alone; nothing is run. */
#ifndef COST_HARDWARE_H
#define COST_HARDWARE_H

#include "base/cfg.h"
#include "base/err.h"
#include "power/power.h"

/* False with e filled if the configuration is refused. */
bool cost_hardware(const struct cfg *cfg, struct power_chip *chip, struct err *e);

#endif
