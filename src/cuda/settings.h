/* What `heddle run` passes to the CUDA libraries, by environment variables, read in one place.
 *
 *   HEDDLE_GPU          name of the GPU to be (default gtx480)
 *   HEDDLE_SET          comma-separated key=value overrides for the timed GPU
 *   HEDDLE_FUNCTIONAL   1: values only, no timing
 *   HEDDLE_REPORT       file that receives a JSON with totals when the program ends
 *   HEDDLE_NO_CHECK     1: accesses are not checked against the allocation table
 *   HEDDLE_STRICT       1: an access outside every allocation is a fault; red zones keep allocations apart
 *   HEDDLE_CHECK        tools of `heddle check`, or "all": a checker follows the run, which must be functional
 *   HEDDLE_CHECK_LOG    file that receives what it finds
 *   HEDDLE_LOCKSTEP     1: to it, lanes of a warp that execute together are in step
 *   HEDDLE_MAX_INSTRUCTIONS, HEDDLE_MAX_CYCLES   end the program after so many, of the timed GPU
 *   HEDDLE_EXPECTED     warp instructions that the program is known to execute: for the bar on a terminal
 *   HEDDLE_INTERVAL     core cycles between snapshots of all statistics
 *   HEDDLE_STOP_STABLE  percent: end the program when IPC varies less than that from interval to interval
 *   HEDDLE_ONLY         regular expression: only kernels of such a name are simulated, the others executed without timing
 *   HEDDLE_SKIP_TO      number of a launch, or a regular expression: launches before it are executed without timing
 *   HEDDLE_SAMPLE_PLAN  1: which launches gpu.sample would choose, of a run without timing
 *   HEDDLE_PER_SM       1: statistics of each SM in the report
 *   HEDDLE_PROFILE      1: costs of each source line in the report
 *   HEDDLE_DETAIL       1: what a page shows besides, in the report: when each operation and CTA ran, what each SM counts in an interval
 *   HEDDLE_TRACE        file that receives a time line when the program ends (base/trace_file.h)
 *   HEDDLE_TRACE_LIMIT  bytes that it may have
 *   HEDDLE_PROBE        comma-separated probes, or "all": what they saw is in the report
 *   HEDDLE_MEMORY       bytes of device memory, in place of the GPU's own size */
#ifndef CUDA_SETTINGS_H
#define CUDA_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct cuda_settings {
  const char *gpu, *set, *report, *probe, *trace, *check, *check_log, *only, *skip_to; /* NULL where not given */
  bool functional, no_check, strict, per_sm, profile, detail, lockstep, sample_plan;
  uint64_t max_instructions, max_cycles, interval, trace_limit; /* 0: none */
  double stop_stable;                              /* 0: no */
  uint64_t memory; /* 0: the GPU's own */
  uint64_t expected; /* 0: not known */
};

struct cuda_settings cuda_read_settings(void);

#endif
