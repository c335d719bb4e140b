/* The report of a run of which only some launches were simulated (gpu/sample/sampling.h). Totals are estimates for
 * the whole run, each with its 95 % interval; the list of kernels has the launches that were simulated, as they were
 * measured.
 *
 * A launch is described by its cycles, its energy and every statistic. Launches must not overlap
 * (gpu.concurrent_kernels=1), since what runs at the same time is counted for both. */
#ifndef GPU_ESTIMATE_H
#define GPU_ESTIMATE_H

#include "gpu/gpu.h"
#include "gpu/sample/sampling.h"

#include <jansson.h>

struct gpu_estimator;
struct gpu_estimator *gpu_estimator_new(const struct gpu *g, double error);
void gpu_estimator_delete(struct gpu_estimator *e);
struct sampling *gpu_estimator_sampling(struct gpu_estimator *e);
/* The "groups" of a report. Each has its kernel, the shape of its first launch, the numbers of launches, of simulated
 * ones and of warp instructions, and the size by which the others are predicted. */
json_t *gpu_sampling_groups(const struct sampling *s);
/* A launch of the group that was simulated is over; it is the last of gpu_kernel_at. */
void gpu_estimator_simulated(struct gpu_estimator *e, size_t group, const struct exec_grid *grid);
/* As gpu_report, with "sample": the number of launches and of simulated ones, the groups, and [value, low, high] of every total. */
json_t *gpu_estimator_report(const struct gpu_estimator *e, uint64_t warp_instructions, uint64_t thread_instructions);

#endif
