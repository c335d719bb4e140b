/* Reading options: one table row each, so that help and parsing cannot disagree. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/str.h"

#include <stdbool.h>

struct cli_option {
  const char *name;     /* "--gpu" */
  const char *value;    /* what the value is, for help; NULL: a switch */
  const char *meaning;
  const char **text;    /* receives the value */
  const char **output;  /* or receives the file to write; "-" is standard output, see base/output.h */
  bool *flag;           /* or is set */
  struct str *list;     /* or collects repeated values, comma-separated */
};

/* Takes options out of argv and leaves the rest, from *argc on; stops at "--". Returns -1 to go on, or an exit status
 * (after --help, or a mistake that was reported on standard error). Options end with a row without name. Where an output is
 * "-", it has standard output for itself from then on; one that cannot be written is a mistake. */
int cli_options(const char *usage, const struct cli_option *o, int *argc, char **argv);

#endif
