/* The search of `heddle explore`: which combinations of the systems are best.
 *
 * Successive halving. The first population is the GPU as it is, every single change, and combinations drawn at random; those
 * that cannot be made are named with the reason. Each round runs all that are left on more workloads (few first, all at last),
 * keeps the better half, and adds crosses of pairs of those kept. Better is: beaten in speed-up, energy and added storage at once
 * by fewer others; among equals, the faster. With the same seed the same combinations are tried. */
#ifndef LAB_EXPLORE_H
#define LAB_EXPLORE_H

#include "lab/explore_space.h"
#include "lab/sweep/sweep.h"

enum { LAB_CLASSES = 4 };
/* Of workloads, by what they do on the GPU as it is. */
extern const struct lab_class {
  const char *name, *meaning;
} lab_classes[LAB_CLASSES];

struct lab_explore {
  struct lab_sweep sweep;       /* db, home, jobs, retry_failed, ended, tick and user are given; the plan is made here */
  const char *gpu, *size;
  const char *const *workloads; /* at least one */
  size_t n_workloads;
  unsigned combinations;        /* of the first population, with the GPU as it is */
  unsigned rounds;              /* at least 1; the last runs every workload */
  uint64_t seed;
  void (*round)(void *user, unsigned round, size_t combinations, size_t workloads, size_t runs);
};

/* What was found, as JSON:
 *   {gpu, size, seed, energy (whether there is any), workloads: {class: [names]},
 *    combinations: [{settings, round, workloads, speedup, energy, storage_bits, pareto, classes: {class: speed-up}}],
 *    best: {class: settings}, refused: [{settings, why}], failed: [{settings, why}]}
 * the fastest of those that reached the last round first, then the rest by round. Speed-up is a geometric mean over the
 * workloads a combination was run on; energy likewise, of the whole GPU, as a share of the GPU's as it is. It is kept in the
 * database's table combinations too. False with *stopped after a signal, or with e filled. */
bool lab_explore_run(const struct lab_explore *x, json_t **found, int *stopped, struct err *e);

#endif
