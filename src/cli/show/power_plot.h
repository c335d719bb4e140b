/* Power over time, of a report with intervals, as a picture. */
#ifndef CLI_POWER_PLOT_H
#define CLI_POWER_PLOT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* Writes an SVG, or a page if the name ends in .html; false if it cannot be written. */
bool cli_plot_power(const json_t *report, const char *path, struct err *e);

#endif
