/* Claims measured: rules are called, what they ask for is run in parallel into the database, and they are called again
 * until nothing new is asked for (see claim.h). The scores are kept in the database too. Figures (figure.h) ask for runs in the
 * same way; what they show is drawn from the database whenever it is wanted. */
#ifndef LAB_CLAIM_LAB_H
#define LAB_CLAIM_LAB_H

#include "lab/claims/claim.h"
#include "lab/claims/reading.h"
#include "lab/sweep/sweep.h"

struct claim_lab {
  struct lab_sweep sweep;       /* db, home, jobs, retry_failed, ended, tick and user are given; the plan is made here */
  const char *size;             /* of every input */
  const struct reading *reading; /* the one question that is not read as by default; NULL: none */
  const char *figures;          /* letters of the groups whose figures' runs are made too; NULL: none */
  const char *const *workloads; /* the names that exist; NULL: any is taken to be one */
  size_t n_workloads;
  /* Called before each round with the number of its runs (may be NULL). */
  void (*round)(void *user, size_t runs);
};
/* *scores: a list of claim_evaluate's objects in the order of ids. False with *stopped after a signal, or with e filled. */
bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped, struct err *e);
/* Figures of these groups at one size, as far as the runs of the database go: a list of figure_evaluate's objects. Runs nothing.
 * NULL after a failure. */
json_t *claim_lab_figures(struct lab_db *db, const char *size, const char *groups, struct err *e);

#endif
