/* Statistics by interval: the differences of all counters over N core cycles, from the start of each kernel on; the
 * last interval of a kernel may be shorter. So the rows of a kernel add up to its own counters. It also says whether
 * the rate of instructions has become stable.
 *
 * If the length of an interval was not given, it begins short and doubles whenever there are too many rows:
 * neighbouring rows of a kernel are joined, so a run of any length has intervals of one length all the same. */
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
  size_t most;    /* number of rows at which intervals become longer; 0: never */
  bool by_instance; /* also record what each SM, slice and channel has counted */
  struct gpu_interval *rows;
  size_t n, cap;
  size_t lengthened; /* rows that remained when intervals last became longer */
  size_t first;     /* row of the present kernel */
  uint64_t cycle;   /* cycle of the present kernel at which the open interval began */
  uint64_t *before; /* counters at that cycle */
  uint64_t *each_before; /* counters of gpu_each_stats, instance after instance */
  /* For the utilisation of the slices' input buffers. */
  struct llc_slice *const *slices;
  uint32_t n_slices;
  const uint64_t *now;              /* the GPU's time */
  uint64_t began, *occupancy_began; /* time and llc_input_occupancy when the open interval began */
};

void gpu_intervals_begin(struct gpu_intervals *v); /* a kernel begins */
/* Ends the open interval at this cycle of the kernel (gpu_kernel_at(kernel)) and opens the next. */
void gpu_intervals_close(struct gpu_intervals *v, size_t kernel, uint64_t cycle);
/* Whether the IPC of the kernel's last GPU_STABLE_INTERVALS whole intervals varies by less than `stable` percent; e
 * then says by how much. */
bool gpu_intervals_stable(const struct gpu_intervals *v, struct err *e);
void gpu_intervals_free(struct gpu_intervals *v);

#endif
