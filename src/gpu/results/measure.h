/* What a configuration promises and what the model built from it does: unloaded latencies and peak bandwidths
 * computed from the keys, beside the same measured with small kernels, and the mistakes that most often spoil an
 * experiment.
 *
 * Owns: nothing after the call. Does not: print. */
#ifndef GPU_MEASURE_H
#define GPU_MEASURE_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/str.h"

enum gpu_measured { GPU_M_L1, GPU_M_L2, GPU_M_DRAM, GPU_M_L2_BYTES, GPU_M_DRAM_BYTES, GPU_MEASURED };

struct gpu_measure {
  struct gpu_measure_row {
    const char *what, *unit;
    double promised, measured;
  } row[GPU_MEASURED];
  double network_bytes; /* bytes a second the reply network can deliver */
  struct str warnings;  /* one line each */
  unsigned n_warnings;
};

/* The most that a configuration could do in a second, computed from the keys: thread instructions that the schedulers
 * can issue; bytes that the L1Ds (one line for each access), the reply network, the data ports of L2 and the data
 * buses of DRAM can deliver. */
struct gpu_peaks {
  double instructions, l1_bytes, noc_bytes, l2_bytes, dram_bytes;
};
struct gpu_peaks gpu_peaks(const struct cfg *cfg);

/* Builds the GPU, runs the kernels, fills `out`. False and e if the configuration cannot be built or run. */
bool gpu_measure(const struct cfg *cfg, struct gpu_measure *out, struct err *e);
void gpu_measure_free(struct gpu_measure *m);

#endif
