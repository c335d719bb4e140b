/* Where launches meet the machine: the one place that knows whether a grid runs functionally or on the timed
 * GPU.
 *
 * Owns: the simulated clock and the totals that are reported when the program ends. Does not: know contexts,
 * streams or memory. The device has one time line: whatever is put into a stream happens when it is put
 * there, and takes the time said here. Kernels take what the timed GPU says. Functional mode has no cycles;
 * its clock is derived from counts, so that elapsed times are repeatable and never zero: every SM retires one
 * warp instruction a cycle, a launch costs 2 us, a copy 1 us plus its bytes at 50 GB/s between host and
 * device or at 4 TB/s within the device.
 */
#ifndef CUDA_ENGINE_H
#define CUDA_ENGINE_H

#include "cuda/device_info.h"
#include "cuda/settings.h"
#include "exec/exec.h"
#include "gpu/gpu.h"

struct cuda_engine_kernel { /* one row a kernel name */
  char *name;
  uint64_t launches, warp_instructions, thread_instructions, ns;
};

struct cuda_engine {
  struct cuda_settings settings;
  struct cuda_device_info info;
  struct gpu *gpu; /* NULL: functional */
  uint64_t ns;     /* simulated time since the start */
  double carry;    /* fraction of a nanosecond not yet in ns */
  uint64_t next_grid;
  uint64_t warp_instructions, thread_instructions;
  uint64_t copies, copied_bytes;
  struct cuda_engine_kernel *kernels;
  size_t n_kernels, kernel_capacity;
  double started; /* host seconds */
  double shown;   /* when progress was last shown; 0: never */
};

/* Reads the settings and chooses the device. */
bool cuda_engine_start(struct cuda_engine *g, struct err *e);
/* Runs a grid to its end and moves the clock. False on a fault (grid->fault says which) or if it cannot run.
 */
bool cuda_engine_run(struct cuda_engine *g, struct exec_grid *grid, struct err *e);
/* Data has been written to the device from outside: it may now be in the second-level cache. */
void cuda_engine_copied_in(struct cuda_engine *g, uint64_t address, uint64_t bytes);
/* Charges a copy or fill of that many bytes. */
enum cuda_traffic { CUDA_TRAFFIC_HOST, CUDA_TRAFFIC_DEVICE };
void cuda_engine_copy(struct cuda_engine *g, uint64_t bytes, enum cuda_traffic traffic);
/* Charges an operation of fixed cost, such as an event. */
void cuda_engine_wait(struct cuda_engine *g, uint64_t ns);
/* Writes the report, if one was asked for, and gives back what the engine holds. */
void cuda_engine_finish(struct cuda_engine *g);

#endif
