/* A sweep: the runs of a plan in parallel processes, each stored when it ends. What is stored is not run again, so a
 * sweep that was stopped in any way can be continued, and several sweeps may use one database at the same time. */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "base/err.h"
#include "lab/sweep/database.h"
#include "lab/sweep/plan.h"

enum { LAB_MAX_JOBS = 1024 };

struct lab_sweep_counts {
  size_t runs, before /* stored before, including failed ones */, done /* now */, failed /* before or now */;
  unsigned running;
};

struct lab_sweep {
  const struct lab_plan *plan;
  struct lab_db *db;
  const char *home;     /* folder that contains heddle-workloads and lib/ */
  const char *json_dir; /* folder for the reports of all runs; NULL: none */
  unsigned jobs;        /* 1 to LAB_MAX_JOBS */
  unsigned shard, shards; /* which part of the runs to make, from 1, and the number of parts */
  bool retry_failed;
  /* Called when a run has ended; error is NULL if it succeeded. */
  void (*ended)(void *user, const struct lab_sweep_counts *c, const struct lab_run *r, double seconds, const json_t *report,
                const char *error);
  /* Called about once a second. */
  void (*tick)(void *user, const struct lab_sweep_counts *c);
  void *user;
};

/* False with *signal set after SIGINT, SIGTERM or SIGHUP, when the runs in progress are given up. False with an error
 * if the host refused something, for instance because a disk is full. A failed run does not make it false. */
bool lab_sweep_run(const struct lab_sweep *s, struct lab_sweep_counts *out, int *signal, struct err *e);

#endif
