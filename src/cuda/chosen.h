/* Which launches of a timed run are simulated. The others are executed without timing, so values are always exact.
 *
 * There are three ways to choose, one at a time: --only (kernels whose name matches), --skip-to (from a launch on, by its number or its
 * kernel's name), --sample (a choice from which the rest is predicted, gpu/sample/sampling.h). Without any of them all launches are
 * simulated.
 *
 * Owns: the choice and what it needs. Runs nothing: the engine does, and reports to it. */
#ifndef CUDA_CHOSEN_H
#define CUDA_CHOSEN_H

#include "cuda/settings.h"
#include "exec/exec.h"
#include "gpu/results/estimate.h"
#include "gpu/sample/segments.h"
#include "gpu/sample/warm.h"

#include <regex.h>

struct cuda_chosen {
  bool only, skip;           /* which way */
  regex_t pattern;           /* of `only`, or of `skip` by name */
  bool compiled;             /* `pattern` is compiled */
  uint64_t first;            /* skip: number of the first launch that is simulated; 0: by name, and not yet seen */
  char *before;              /* kernel of the last launch, with sampling */
  struct gpu_estimator *estimator; /* NULL: no sampling */
  struct sampling *plan;     /* in a run without timing, what sampling would choose at least; NULL: not requested */
  uint64_t skipped, skipped_instructions; /* launches, and their warp instructions */
};

/* Checks and stores the settings: false and e filled if they are inconsistent. sample: permitted error of sampling (gpu.sample), 0: none.
 * g: NULL if the run has no timing. */
bool cuda_chosen_start(struct cuda_chosen *c, const struct cuda_settings *s, double sample, const struct gpu *g, struct err *e);
void cuda_chosen_free(struct cuda_chosen *c);
/* Whether to simulate the next launch, with its number (from 1); sets its group if launches are sampled. */
bool cuda_chosen_wants(struct cuda_chosen *c, const struct exec_grid *g, uint64_t number, size_t *group);
/* Whether the GPU's caches are to follow a launch that is not simulated. */
bool cuda_chosen_follows(struct cuda_chosen *c, size_t group, const struct gpu *g);
/* The launch has been followed (NULL: it has not). */
void cuda_chosen_followed(struct cuda_chosen *c, size_t group, const struct gpu_followed *f);
/* Whether to count the segments of a launch that is not simulated. */
bool cuda_chosen_counts(const struct cuda_chosen *c, size_t group, const struct exec_grid *g);
/* A launch is over that was simulated, or that was not; the latter with its segments, or SAMPLING_UNCOUNTED. */
void cuda_chosen_simulated(struct cuda_chosen *c, size_t group, const struct exec_grid *g);
void cuda_chosen_skipped(struct cuda_chosen *c, size_t group, const struct exec_grid *g, double segments);
/* A launch of a run without timing is over. */
void cuda_chosen_planned(struct cuda_chosen *c, const struct exec_grid *g);
/* Estimated core cycles of a launch that was not simulated; 0: not known. */
double cuda_chosen_cycles(const struct cuda_chosen *c, size_t group, const struct exec_grid *g, double segments);
/* "skipped" of the report: launches that were executed without timing; and "sample_plan". Adds nothing if there are none. */
void cuda_chosen_report(const struct cuda_chosen *c, json_t *root);

#endif
