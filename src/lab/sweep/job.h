/* One run of a plan as a process: the workload program, or a program in its place (program_table.h), with our CUDA
 * libraries in front of it. Its results and its standard error are kept in memory of this process, not in files, so
 * nothing is left over if a process is killed. The process dies with its parent and is in a group of its own, so
 * Ctrl-C reaches it only through lab_job_kill. */
#ifndef LAB_JOB_H
#define LAB_JOB_H

#include "base/err.h"
#include "lab/sweep/plan.h"

#include <jansson.h>
#include <sys/types.h>

struct lab_job {
  pid_t pid; /* 0: none */
  int report, messages; /* descriptors */
  bool is_program;      /* a program of the user, not a workload that checks its output */
  double started;
};

/* Starts a run. The folder `home` contains heddle-workloads and lib/. */
bool lab_job_start(struct lab_job *j, const char *home, const struct lab_run *r, struct err *e);
/* Whether the process has ended; if so, *status is that of waitpid. */
bool lab_job_ended(const struct lab_job *j, int *status);
/* Takes the result of a process that has ended. Either *report is set, or `why` is a sentence that says why the run
 * failed; false: the host refused something. */
bool lab_job_result(struct lab_job *j, int status, json_t **report, char *why, size_t capacity, struct err *e);
void lab_job_kill(struct lab_job *j);

/* Identifies a build by 16 digits, computed from the simulator's library and the workloads in `home`; "" if they cannot be read. */
const char *lab_build(const char *home, char out[17]);
double lab_clock(void); /* seconds on a clock that never goes back */

#endif
