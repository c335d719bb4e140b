/* The names of the built-in workloads and their versions, as heddle-workloads lists them. */
#ifndef CLI_WORKLOAD_NAMES_H
#define CLI_WORKLOAD_NAMES_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct cli_names {
  char *text;
  const char **list;
  size_t n;
};
bool cli_workload_names(struct cli_names *out, struct err *e);
/* A line "name TAB stamp" each; the stamp changes with what the workload does. */
bool cli_workload_stamps(struct str *out, struct err *e);
void cli_names_free(struct cli_names *n);

#endif
