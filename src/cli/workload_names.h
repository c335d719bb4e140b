/* The names of the built-in workloads and their versions, as heddle-workloads lists them, and the programs that are to run in their
 * place. */
#ifndef CLI_WORKLOAD_NAMES_H
#define CLI_WORKLOAD_NAMES_H

#include "base/err.h"
#include "base/str.h"
#include "lab/sweep/program_table.h"

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

/* The programs that --programs names; without a file (NULL) there are none. Free with lab_programs_free, also after a failure. */
bool cli_programs(const char *path, struct lab_programs *out, struct err *e);
#define CLI_PROGRAMS __attribute__((cleanup(lab_programs_free))) struct lab_programs
/* The option's row: its name, its word, its meaning. */
#define CLI_PROGRAMS_OPTION "--programs", "FILE", "run the programs of this table in the workloads' place (docs/programs.md)"

#endif
