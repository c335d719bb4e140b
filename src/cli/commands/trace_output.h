/* The time line of a run (--trace): the CUDA library leaves it in memory of this process, as it does the report, and it is written to where
 * the user wants it when the program has ended. So it may be standard output, and nothing is left over whatever is killed. */
#ifndef CLI_TRACE_OUTPUT_H
#define CLI_TRACE_OUTPUT_H

#include "base/err.h"
#include "base/str.h"

struct cli_launch;

struct cli_trace {
  int memory;              /* a file descriptor */
  struct str path, limit;  /* for the program; bytes */
};

/* Makes the launch leave one, of as many megabytes as it says (l->trace_limit), which is in bytes from here on. */
bool cli_trace_open(struct cli_trace *t, struct cli_launch *l, struct err *e);
bool cli_trace_write(const struct cli_trace *t, const char *path, struct err *e);
void cli_trace_close(struct cli_trace *t);

#endif
