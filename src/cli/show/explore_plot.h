/* What heddle explore found, as a picture. */
#ifndef CLI_EXPLORE_PLOT_H
#define CLI_EXPLORE_PLOT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* Writes an SVG, or a page if the name ends in .html; false if it cannot be written. */
bool cli_plot_explored(const json_t *found, const char *path, struct err *e);

#endif
