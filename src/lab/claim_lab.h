/* Claims measured: rules are called, what they ask for is run in parallel into the database, and they are called again
 * until nothing new is asked for (see claim.h). The scores are kept in the database too. */
#ifndef LAB_CLAIM_LAB_H
#define LAB_CLAIM_LAB_H

#include "lab/claim.h"
#include "lab/sweep.h"

struct claim_lab {
  struct lab_sweep sweep;       /* db, home, jobs, retry_failed, ended, tick and user are given; the plan is made here */
  const char *size;             /* of every input */
  const char *const *workloads; /* the names that exist */
  size_t n_workloads;
  /* Called before each round with the number of its runs (may be NULL). */
  void (*round)(void *user, size_t runs);
};
/* *scores: a list of claim_evaluate's objects in the order of ids. False with *stopped after a signal, or with e filled. */
bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped, struct err *e);

#endif
