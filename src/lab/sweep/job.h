/* One run of a plan as a process: the workload program, or one in its place (program_table.h), with our CUDA libraries in front.
 * Its results and what it says on standard error are kept in memory of this process, not in files, so that nothing is left over
 * whatever is killed. The process dies with its parent, and is in a group of its own: Ctrl-C reaches it only through lab_job_kill. */
#ifndef LAB_JOB_H
#define LAB_JOB_H

#include "base/err.h"
#include "lab/sweep/plan.h"

#include <jansson.h>
#include <sys/types.h>

struct lab_job {
  pid_t pid; /* 0: none */
  int report, messages; /* descriptors */
  bool is_program;      /* a program of the user's, not a workload that checks its output */
  double started;
};

/* `home` holds heddle-workloads and lib/. */
bool lab_job_start(struct lab_job *j, const char *home, const struct lab_run *r, struct err *e);
/* Whether it has ended; then *status is that of waitpid. */
bool lab_job_ended(const struct lab_job *j, int *status);
/* What it left. Either *report is set, or `why` says in a sentence why the run failed; false: the host refused. */
bool lab_job_result(struct lab_job *j, int status, json_t **report, char *why, size_t capacity, struct err *e);
void lab_job_kill(struct lab_job *j);

/* Distinguishes builds: 16 digits from the simulator's library and the workloads in `home`, "" if they cannot be read. */
const char *lab_build(const char *home, char out[17]);
double lab_clock(void); /* seconds, of a clock that never goes back */

#endif
