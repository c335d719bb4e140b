/* The device that a program sees: the numbers behind attributes, occupancy and launch checks. */
#ifndef CUDA_DEVICE_INFO_H
#define CUDA_DEVICE_INFO_H

#include "base/cfg.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct cuda_device_info {
  const char *preset; /* "h200"; the device's name is "Heddle h200" */
  int major, minor;   /* compute capability: decides which PTX is chosen from a fat binary */
  uint32_t sms, gpc_sms; /* gpc_sms 0: all are one GPC */
  uint32_t threads_per_sm, blocks_per_sm, warps_per_block_max;
  uint32_t registers_per_sm, registers_per_block;
  uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved;
  uint64_t memory_bytes;
  uint32_t l2_bytes, l2_part, l2_set_aside; /* a sixteenth of L2, and how many of these can be set aside */
  uint32_t core_khz, memory_khz, bus_bits;
};

/* The device that a configuration describes; `name` is its name. */
struct cuda_device_info cuda_device_info_of(const struct cfg *c, const char *name);

/* The value of a CUdevice_attribute; false if there is no such attribute. */
bool cuda_device_attribute(const struct cuda_device_info *d, int attribute, int *value);

/* How many blocks of a kernel fit on one SM at once. */
struct cuda_occupancy_need {
  uint32_t threads, registers_per_thread, static_shared, dynamic_shared;
};
uint32_t cuda_blocks_per_sm(const struct cuda_device_info *d, const struct cuda_occupancy_need *need);

#endif
