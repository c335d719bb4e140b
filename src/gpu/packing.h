/* The reply compressors of all slices (reply.compress): making them, and giving them the bytes of device memory, which no room
 * below this one may look at. Off, there are none. */
#ifndef GPU_PACKING_H
#define GPU_PACKING_H

#include "base/cfg.h"
#include "base/stat.h"
#include "exec/exec.h"
#include "llc/llc.h"

struct gpu_packing {
  struct reply_packer *packers; /* one a slice */
  uint32_t n;
  bool on;
  const struct exec_mem *mem; /* of the grid that runs: set by the owner */
};

/* Connects a compressor to each slice if there is to be one. The struct must stay where it is. */
void gpu_packing_init(struct gpu_packing *p, const struct cfg *cfg, struct llc_slice **slices, uint32_t n, uint64_t l2_period,
                      uint64_t noc_period, struct stats *stats);
/* The 128 bytes of a line as they are now; false: no memory is there. */
bool gpu_packing_read(const struct gpu_packing *p, uint64_t line, uint8_t *block);
void gpu_packing_free(struct gpu_packing *p);

#endif
