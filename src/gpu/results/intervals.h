/* Statistics by interval: differences of all counters over N core cycles each, from the start of each
 * kernel; a kernel's last one may be shorter. A kernel's rows therefore add up to the kernel's own counters.
 * Also says whether the rate of instructions has settled.
 *
 * Where nobody said how long an interval is, it begins short and doubles whenever there are too many rows: neighbours of one kernel
 * become one, so that a run of any length has rows of one length all the same. */
#ifndef GPU_INTERVALS_H
#define GPU_INTERVALS_H

#include "base/err.h"
#include "base/stat.h"
#include "gpu/gpu.h"
#include "llc/llc.h"

struct gpu_intervals {
  const struct stats *stats;
  uint64_t every; /* core cycles; 0: off */
  double stable;  /* percent; 0: never stop */
  size_t most;    /* rows from which on intervals become longer; 0: never */
  bool by_instance; /* also what each SM, slice and channel has counted */
  struct gpu_interval *rows;
  size_t n, cap;
  size_t lengthened; /* rows that were left when intervals last became longer */
  size_t first;     /* row of the present kernel */
  uint64_t cycle;   /* of the present kernel, where the open interval began */
  uint64_t *before; /* counters then */
  uint64_t *each_before; /* of gpu_each_stats, instance after instance */
  /* For the utilisation of the slices' input buffers. */
  struct llc_slice *const *slices;
  uint32_t n_slices;
  const uint64_t *now;              /* the GPU's time */
  uint64_t began, *occupancy_began; /* time and llc_input_occupancy when the open interval began */
};

void gpu_intervals_begin(struct gpu_intervals *v); /* a kernel */
/* Ends the open interval at that cycle of the kernel (the kernels-th of the run) and opens the next. */
void gpu_intervals_close(struct gpu_intervals *v, size_t kernel, uint64_t cycle);
/* Whether the IPC of the kernel's last GPU_STABLE_INTERVALS whole intervals varies by less than asked; e says
 * how. */
bool gpu_intervals_stable(const struct gpu_intervals *v, struct err *e);
void gpu_intervals_free(struct gpu_intervals *v);

#endif
