/* Claims measured: rules are called, what they ask for is run in parallel into the database, unless it is stored
 * (claim_stored.h), and they are called again until nothing new is asked for (see claim.h). The scores are kept in the
 * database too. Figures (figure.h) ask for runs in the same way; what they show is drawn from the database, or from what is stored,
 * whenever it is wanted. */
#ifndef LAB_CLAIM_LAB_H
#define LAB_CLAIM_LAB_H

#include "lab/claims/claim.h"
#include "lab/claims/claim_stored.h"
#include "lab/reading.h"
#include "lab/sweep/program_table.h"
#include "lab/sweep/sweep.h"

struct claim_lab {
  struct lab_sweep sweep;       /* db, home, jobs, shard, shards, retry_failed, ended, tick and user are given; the plan is made here */
  const char *size;             /* of every input; runs of size paper stop where the paper's did (struct claim_paper) */
  const struct reading *reading; /* the one question that is not read as by default; NULL: none */
  const struct claim_stored *stored; /* runs that need not be made; NULL: none */
  struct claim_stored *store;   /* gets the numbers of all runs that were asked for and made; NULL: none does */
  const char *figures;          /* letters of the groups whose figures' runs are made too; NULL: none */
  const char *const *workloads; /* the names that exist; NULL: any is taken to be one */
  size_t n_workloads;
  const struct lab_programs *programs; /* that run in the workloads' place, all of them; NULL: none. Scores are kept apart */
  const char *sample;           /* CLAIM_SAMPLED: parts of every run without probes are predicted; NULL: none. Scores are kept apart */
  /* Called before each round with the number of its runs (may be NULL). */
  void (*round)(void *user, size_t runs);
};
/* *scores: a list of claim_evaluate's objects in the order of ids, NULL where only a part of the runs is made (sweep.shards). False
 * with *stopped after a signal (what was measured until then is in `store`), or with e filled. */
bool claim_lab_measure(const struct claim_lab *l, const char *const *ids, size_t n, json_t **scores, int *stopped, struct err *e);
/* The same from the stored results alone, of whole runs or of sampled ones (CLAIM_SAMPLED): runs nothing. Stale ones are taken too; a score
 * that is made of one has "stale" true. */
json_t *claim_lab_look(const struct claim_stored *stored, const char *size, const struct reading *reading, const char *sample,
                       const char *const *ids, size_t n);
/* Keeps the scores of the stored results of a size, under every reading, in a database: for the report. */
bool claim_lab_keep(struct lab_db *db, const struct claim_stored *stored, const char *size, struct err *e);
/* Figures of these groups at one size, as far as the runs of the database and the stored ones go (either may be NULL): a list of
 * figure_evaluate's objects, of the runs of these programs if they are given. Runs nothing. NULL after a failure. */
json_t *claim_lab_figures(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *size,
                          const char *groups, struct err *e);
/* What a score's reading ends with in the database if it was measured with programs in the workloads' place. */
#define CLAIM_PROGRAMS "@programs"
/* And if runs were sampled. */
#define CLAIM_SAMPLE "@sample"
/* The value of gpu.sample in sampled runs: half of the interval of their cycles, in per cent. A score that is made of one has "sampled"
 * true. */
#define CLAIM_SAMPLED "2"

#endif
