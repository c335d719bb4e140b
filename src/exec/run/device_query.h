/* What the device runtime tells kernels: attributes and limits of the device and of kernels, how many CTAs fit, and its version.
 *
 * The device's owner answers (struct exec_told), and the answer is written where the kernel wants it. Errors are those of an H200. */
#ifndef EXEC_DEVICE_QUERY_H
#define EXEC_DEVICE_QUERY_H

#include "exec/builtins.h"

/* The values of cudaError_t that the device runtime returns. */
enum {
  EXEC_RT_SUCCESS = 0, EXEC_RT_INVALID_VALUE = 1, EXEC_RT_OUT_OF_MEMORY = 2, EXEC_RT_INVALID_CONFIGURATION = 9,
  EXEC_RT_INVALID_PITCH = 12, EXEC_RT_INVALID_DIRECTION = 21, EXEC_RT_SYNC_DEPTH = 68,
  EXEC_RT_INVALID_DEVICE_FUNCTION = 98, EXEC_RT_INVALID_DEVICE = 101, EXEC_RT_NOT_SUPPORTED = 801, EXEC_RT_INVALID_CLUSTER = 912,
};

void exec_do_attribute(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_limit(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_function_attributes(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_occupancy(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);
void exec_do_runtime_version(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c);

#endif
