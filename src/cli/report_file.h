/* A report of `heddle run --json`, read back from its file by commands that compare reports. */
#ifndef CLI_REPORT_FILE_H
#define CLI_REPORT_FILE_H

#include "base/err.h"

#include <jansson.h>

/* `number` is one that the caller cannot do without ("cycles": of a timed run). NULL with e filled if the file is no such report; the
 * caller gives the report back. */
json_t *cli_load_report(const char *path, const char *number, struct err *e);

#endif
