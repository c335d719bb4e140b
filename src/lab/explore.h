/* The search of `heddle explore`: which combinations of the systems are best.
 *
 * It uses successive halving. The first population is the GPU as it is, every single change to it, and combinations
 * drawn at random; those that cannot be built are reported with the reason. Each round runs all combinations that are
 * left on more workloads (few at first, all at last), keeps the better half, and adds crosses of pairs of those that
 * it kept. A combination is better if fewer others beat it in speed-up, energy and added storage at once; among
 * equals, the faster one is better. The same seed gives the same combinations. */
#ifndef LAB_EXPLORE_H
#define LAB_EXPLORE_H

#include "lab/explore_space.h"
#include "lab/sweep/sweep.h"

enum { LAB_CLASSES = 4 };
/* Classes of workloads, by what they do on the GPU as it is. */
extern const struct lab_class {
  const char *name, *meaning;
} lab_classes[LAB_CLASSES];

struct lab_explore {
  struct lab_sweep sweep;       /* the caller sets db, home, jobs, retry_failed, ended, tick and user; the plan is made here */
  const char *gpu, *size;
  const char *const *workloads; /* at least one */
  size_t n_workloads;
  unsigned combinations;        /* in the first population, including the GPU as it is */
  unsigned rounds;              /* at least 1; the last runs every workload */
  uint64_t seed;
  void (*round)(void *user, unsigned round, size_t combinations, size_t workloads, size_t runs);
};

/* Runs the search. *found is JSON:
 *   {gpu, size, seed, energy (whether there is any), workloads: {class: [names]},
 *    combinations: [{settings, round, workloads, speedup, energy, storage_bits, pareto, classes: {class: speed-up}}],
 *    best: {class: settings}, refused: [{settings, why}], failed: [{settings, why}]}
 * Combinations that reached the last round come first, the fastest first, then the others by round. Speed-up is the
 * geometric mean over the workloads on which a combination was run; energy likewise, of the whole GPU, relative to
 * the GPU as it is. Results are also kept in the table `combinations` of the database. False with *stopped after a
 * signal, or with e filled. */
bool lab_explore_run(const struct lab_explore *x, json_t **found, int *stopped, struct err *e);

#endif
