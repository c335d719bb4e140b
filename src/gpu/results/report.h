/* A run's results as JSON: totals, each kernel, the configuration. The names are a promise to scripts: see
 * docs/results.md. */
#ifndef GPU_REPORT_H
#define GPU_REPORT_H

#include "gpu/gpu.h"

#include <jansson.h>

/* The only name in the report of a program whose GPU was refused. */
#define GPU_REFUSED_KEY "refused"

/* A new object, owned by the caller, who adds the figures of the host. It has `intervals` and `profile` if the GPU recorded them. */
json_t *gpu_report(const struct gpu *g);
/* The same, with other totals than were counted. */
struct gpu_totals {
  uint64_t cycles, warp_instructions, thread_instructions;
  const uint64_t *counters; /* stats_count() of them */
};
json_t *gpu_report_of(const struct gpu *g, const struct gpu_totals *t);
/* The results of the probes, of which there must be some. */
json_t *gpu_report_probes(const struct gpu *g);
/* The statistics of each SM, as a list of objects. */
json_t *gpu_report_sms(const struct gpu *g);
/* What a configuration costs before anything runs, as given by cost_area (cost/energy.h); NULL with e filled if no
 * GPU can be built from it. */
json_t *gpu_area(const struct cfg *cfg, struct err *e);
/* What is known of one of several programs: its own rates, and the counts of its SMs. */
json_t *gpu_report_program(const struct gpu *g, uint32_t program);

#endif
