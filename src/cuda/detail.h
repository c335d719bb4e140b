/* Which launches of a timed run are simulated in detail; the others are executed without timing, so that values are always exact.
 *
 * Three ways, one at a time: --only (kernels whose name matches), --skip-to (from a launch on, by its number or by its kernel's name), --sample
 * (a choice that predicts the rest, gpu/sampling.h). Without any of them all launches are simulated.
 *
 * Owns: the choice and what it needs. Does not: run anything; the engine does, and reports to it. */
#ifndef CUDA_DETAIL_H
#define CUDA_DETAIL_H

#include "cuda/settings.h"
#include "exec/exec.h"
#include "gpu/results/estimate.h"

#include <regex.h>

struct cuda_detail {
  bool only, skip;           /* which way */
  regex_t pattern;           /* of only, or of skip where that is a name */
  uint64_t first;            /* skip: number of the first launch that is simulated; 0: by name, and not yet seen */
  struct gpu_estimator *estimator; /* NULL: no sampling */
  uint64_t skipped, skipped_instructions; /* launches, and their warp instructions */
};

/* What was asked for must make sense: false and e filled if not. g: NULL if the run has no timing. */
bool cuda_detail_start(struct cuda_detail *d, const struct cuda_settings *s, const struct gpu *g, struct err *e);
void cuda_detail_free(struct cuda_detail *d);
/* Whether to simulate a launch that comes now, the how-manieth it is (from 1), and its group where launches are sampled. */
bool cuda_detail_wants(struct cuda_detail *d, const struct exec_grid *g, uint64_t number, size_t *group);
/* A launch is over that was simulated, or not. */
void cuda_detail_simulated(struct cuda_detail *d, size_t group);
void cuda_detail_skipped(struct cuda_detail *d, size_t group, const struct exec_grid *g);
/* Core cycles that a launch is taken to need that was not simulated; 0: not known. */
double cuda_detail_cycles(const struct cuda_detail *d, size_t group, const struct exec_grid *g);
/* "skipped" of the report: launches that were executed without timing. Nothing where there are none. */
void cuda_detail_report(const struct cuda_detail *d, json_t *root);

#endif
