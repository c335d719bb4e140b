/* Measures claims: rules are called, the runs that they ask for are made in parallel, into the database, unless they
 * are stored (claim_stored.h), and the rules are called again until they ask for nothing new (see claim.h). The
 * scores are kept in the database too. Figures (figure.h) ask for runs in the same way; what they show is drawn from
 * the database, or from stored results, whenever it is wanted. */
#ifndef LAB_CLAIM_LAB_H
#define LAB_CLAIM_LAB_H

#include "lab/claims/claim.h"
#include "lab/claims/claim_stored.h"
#include "lab/reading.h"
#include "lab/sweep/program_table.h"
#include "lab/sweep/sweep.h"

struct claim_lab {
  struct lab_sweep sweep;       /* the caller sets all but plan and json_dir; the plan is made here */
  const char *size;             /* size of all inputs; runs of size paper stop where those of the paper did (struct claim_paper) */
  const struct reading *reading; /* the one question with a reading other than its default; NULL: none */
  const struct claim_stored *stored; /* runs that need not be made; NULL: none */
  struct claim_stored *store;   /* gets the numbers of all runs that were asked for and made; NULL: they are not stored */
  const char *figures;          /* letters of the groups for whose figures runs are made too; NULL: none */
  const char *const *workloads; /* the names that exist; NULL: any name counts as one */
  size_t n_workloads;
  const struct lab_programs *programs; /* programs that run in place of all workloads; NULL: none. Scores are kept separately */
  const char *sample;           /* CLAIM_SAMPLED: parts of runs without probes are predicted; NULL: none are. Scores are kept separately */
  /* Called before each round with the number of its runs (may be NULL). */
  void (*round)(void *user, size_t runs);
};
/* Measures claims. *scores is a list of claim_evaluate's objects in the order of ids, or NULL if only a part of the
 * runs is made (sweep.shards). False with *stopped after a signal (what was measured until then is in `store`), or
 * with e filled. */
bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped, struct err *e);
/* The same from stored results alone, of whole runs or of sampled ones (CLAIM_SAMPLED); runs nothing. Stale results
 * are used too; a score that rests on one has "stale" true. */
json_t *claim_lab_look(const struct claim_stored *stored, const char *size, const struct reading *reading, const char *sample,
                       const char *const *ids, size_t n);
/* Puts the scores of the stored results of a size, under every reading, into a database, for the report. */
bool claim_lab_keep(struct lab_db *db, const struct claim_stored *stored, const char *size, struct err *e);
/* The figures of these groups at one size, as far as the runs in the database and the stored results allow (either
 * may be NULL): a list of figure_evaluate's objects. With `programs`, they are of the runs of these. Runs nothing.
 * NULL after a failure. */
json_t *claim_lab_figures(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *size,
                          const char *groups, struct err *e);
/* The end of a score's reading in the database if it was measured with programs in the workloads' place. */
#define CLAIM_PROGRAMS "@programs"
/* The same if runs were sampled. */
#define CLAIM_SAMPLE "@sample"
/* The value of gpu.sample in sampled runs: the half width of the interval of their cycles, in percent. A score that
 * rests on one has "sampled" true. */
#define CLAIM_SAMPLED "2"

#endif
