/* A plan, or published claims, for a batch system. It writes a folder with the plan and a Slurm script for a job
 * array, each of whose tasks makes a part of the runs and leaves one small results database; and it collects these
 * databases into one. The tasks work on a local disk and move their file into the folder when they end, so the folder
 * may be on a network file system. */
#ifndef LAB_SLURM_H
#define LAB_SLURM_H

#include "lab/sweep/database.h"

enum { LAB_MAX_TASKS = 1000 /* Slurm's own limit on arrays, unless it was raised, is 1001 */ };

struct lab_slurm {
  const char *folder; /* created if it does not exist */
  const char *plan;   /* a file, which is copied; NULL: `command` is used */
  const char *programs; /* a table of programs that run in place of the plan's workloads; NULL: none */
  const char *command; /* the arguments of heddle in a task, without --shard, --db and --jobs */
  const char *heddle; /* path of this program */
  unsigned tasks, at_once; /* at_once 0: no limit */
};
/* Writes folder/job.sh, and folder/plan.toml or folder/claims.txt with the command. */
bool lab_slurm_write(const struct lab_slurm *s, struct err *e);

struct lab_collected {
  size_t files, runs /* in them */, added;
};
/* Copies the runs of folder/task-*.db into the database: new ones, and those that failed in the database and succeeded in a task. */
bool lab_collect(struct lab_db *db, const char *folder, struct lab_collected *out, struct err *e);

#endif
