/* A sweep: the runs of a plan in parallel processes, each stored when it ends. What is stored is not run again, so a
 * sweep that was stopped in any way goes on where it was; several may work on one database at the same time. */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "base/err.h"
#include "lab/sweep/database.h"
#include "lab/sweep/plan.h"

enum { LAB_MAX_JOBS = 1024 };

struct lab_sweep_counts {
  size_t runs, before /* stored already, the failed among them included */, done /* now */, failed /* before or now */;
  unsigned running;
};

struct lab_sweep {
  const struct lab_plan *plan;
  struct lab_db *db;
  const char *home;     /* holds heddle-workloads and lib/ */
  const char *json_dir; /* each run's report there too; NULL: no */
  unsigned jobs;        /* 1 to LAB_MAX_JOBS */
  unsigned shard, shards; /* this part, from 1, of that many */
  bool retry_failed;
  /* Called when a run ended: error is NULL if it went well. */
  void (*ended)(void *user, const struct lab_sweep_counts *c, const struct lab_run *r, double seconds, const json_t *report,
                const char *error);
  /* Called about once a second. */
  void (*tick)(void *user, const struct lab_sweep_counts *c);
  void *user;
};

/* False with *signal set after SIGINT, SIGTERM or SIGHUP: the runs at work are given back. False with an error if the
 * host refused something, a full disk for instance. A run that fails does not make it false. */
bool lab_sweep_run(const struct lab_sweep *s, struct lab_sweep_counts *out, int *signal, struct err *e);

#endif
