/* Tables made from a run's report: intervals as CSV, the profile by source line. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

struct cli_sources;

/* One row an interval, one column a figure; false if the file cannot be written. */
bool cli_write_intervals(const json_t *report, const char *path, struct err *e);
/* The lines that cost most, by stall cycles, with their text where the source file can be read. */
void cli_print_profile(const json_t *report, const struct cli_sources *sources);

#endif
