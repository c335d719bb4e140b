/* Running a program under the simulator: its environment, its end, its results. Shared by run, check, compare and characterize. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "base/err.h"
#include "base/str.h"
#include "lab/sweep/program_table.h"

#include <jansson.h>
#include <stdbool.h>

struct cli_launch {
  const char *gpu;          /* preset name or file; NULL: default */
  struct str set;           /* comma-separated key=value */
  bool functional, no_check, strict, quiet /* the program's standard output is not shown */;
  const char *probe;        /* comma-separated names, or "all"; NULL: none */
  const char *size, *seed;  /* of a workload; NULL: its defaults */
  const char *workload;     /* NULL: program is argv */
  const char *with;         /* another workload beside it; NULL: none */
  char **argv;              /* NULL-terminated */
  const struct lab_program *program; /* runs in the workload's place, at `size`, which is given then; NULL: none */
  const char *max_instructions, *max_cycles, *interval, *stop_stable; /* numbers as given; NULL: none */
  const char *only, *skip_to; /* which launches are simulated (cuda/chosen.h); NULL: all */
  bool sample_plan;         /* only say which those would be, of a functional run */
  bool per_sm, profile, detail; /* detail: all that a page shows */
  const char *trace;        /* file for a time line; NULL: none */
  const char *trace_limit;  /* bytes that it may have */
  const char *check;        /* tools of a checker, which writes to check_log; NULL: none */
  const char *check_log;
  bool lockstep;            /* a setting of it */
};

/* Chooses what is run: the workload, or, where the table names programs, its program, whose name is NAME@STAMP. */
bool cli_launch_workload(struct cli_launch *l, const char *name, struct lab_programs *table, struct err *e);
/* Gives back what options collected; a command may end in many places, so this is tied to the variable's scope. */
void cli_launch_free(struct cli_launch *l);
#define CLI_LAUNCH __attribute__((cleanup(cli_launch_free))) struct cli_launch

struct cli_result {
  int status;               /* of the program; 128 + signal if it was killed */
  int signal;               /* that was sent to us while it ran; 0: none. Nothing more should be run then */
  json_t *report;           /* NULL if it ended before making one */
  bool called;              /* it made a CUDA call */
};

/* Launches that failed or were refused, in a report; the kernel of one of its failures; and the last line of all that a command says,
 * if there are any: what it has shown may be half of what the program was to do. */
double cli_failed_launches(const json_t *report);
const char *cli_failed_kernel(const json_t *failure);
void cli_warn_of_failures(const json_t *report);

/* Checks gpu and settings first, so that a mistake is reported before anything runs. */
bool cli_launch(const struct cli_launch *l, struct cli_result *out, struct err *e);

#endif
