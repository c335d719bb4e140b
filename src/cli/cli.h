/* The command line: one function a command, listed in heddle.c. Each returns the process's exit status:
 * 0 fine (also a run that a limit ended), 1 the thing asked about is not so (a check failed), 2 bad input, 3 the host
 * refused, 4 a deadlock of the simulated GPU, 5 counters that do not add up (gpu.h), 130 Ctrl-C (statistics so far are printed),
 * otherwise the program's own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/err.h"

enum { CLI_OK = 0, CLI_NO = 1, CLI_USAGE = 2, CLI_HOST = 3 };

int cli_run(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_ptx(int argc, char **argv);
int cli_list(int argc, char **argv);
int cli_lint(int argc, char **argv);
int cli_area(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_tune(int argc, char **argv);
int cli_characterize(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_claims(int argc, char **argv);
int cli_explore(int argc, char **argv);
int cli_collect(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_correlate(int argc, char **argv);
int cli_compress(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_view(int argc, char **argv);

/* Prints "heddle: text" and returns the exit status for the error's kind. */
int cli_fail(const struct err *e);
/* A word where a command has options only: it was to be the GPU. */
int cli_needs_gpu_option(const char *command, const char *word);
/* Folder that holds lib/ and heddle-workloads: where this program lies, or its PREFIX/lib/heddle. */
const char *cli_home(void);

#endif
