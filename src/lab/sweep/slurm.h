/* A plan, or published claims, for a batch system: a folder with the plan and a Slurm script, a job array whose tasks each make
 * a part of the runs and leave one small results database; and the collection of those into one. The tasks work on a local disk and
 * move their file into the folder when they end, so the folder may be on a network file system. */
#ifndef LAB_SLURM_H
#define LAB_SLURM_H

#include "lab/sweep/database.h"

enum { LAB_MAX_TASKS = 1000 /* Slurm's own limit on arrays, unless it was raised, is 1001 */ };

struct lab_slurm {
  const char *folder; /* made if it is not there */
  const char *plan;   /* file; copied; NULL: */
  const char *programs; /* a table of programs that the plan's workloads stand for; NULL: none */
  const char *command; /* what a task asks of heddle, without --shard, --db and --jobs */
  const char *heddle; /* this program */
  unsigned tasks, at_once; /* 0: no limit */
};
/* Writes folder/job.sh, and folder/plan.toml or folder/claims.txt with the command. */
bool lab_slurm_write(const struct lab_slurm *s, struct err *e);

struct lab_collected {
  size_t files, runs /* in them */, added;
};
/* Puts the runs of folder/task-*.db into the database: new ones, and those that failed there and went well here. */
bool lab_collect(struct lab_db *db, const char *folder, struct lab_collected *out, struct err *e);

#endif
