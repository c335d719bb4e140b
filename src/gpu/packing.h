/* The reply compressors of all slices (reply.compress): creates them, and gives them the bytes of device memory,
 * which no room below this one may read. Without compression there are none. */
#ifndef GPU_PACKING_H
#define GPU_PACKING_H

#include "base/cfg.h"
#include "base/stat.h"
#include "exec/exec.h"
#include "llc/llc.h"

struct gpu_packing {
  struct reply_packer *packers; /* one for each slice */
  uint32_t n;
  bool on;
  const struct exec_mem *mem; /* memory of the grid that runs; set by the owner */
};

/* Connects a compressor to each slice if reply.compress asks for one. The struct must not move afterwards. */
void gpu_packing_init(struct gpu_packing *p, const struct cfg *cfg, struct llc_slice **slices, uint32_t n, uint64_t l2_period,
                      uint64_t noc_period, struct stats *stats);
/* Reads the 128 bytes of a line as they are now; false: there is no memory at this address. */
bool gpu_packing_read(const struct gpu_packing *p, uint64_t line, uint8_t *block);
void gpu_packing_free(struct gpu_packing *p);

#endif
