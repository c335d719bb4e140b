/* See device_query.h. */
#include "exec/run/device_query.h"

#include "exec/run/device_launch.h"

/* What device runtimes of CUDA 12 and 13 report. */
enum { DEVICE_RUNTIME_VERSION = 6000 };

/* cudaFuncAttributes as far as the device runtime fills it. */
struct function_attributes {
  uint64_t shared, constant, local;
  int32_t most_threads, registers, ptx_version, binary_version, caches_all, dynamic_shared;
};

/* Answers every active lane: `ask` fills the data for the address in the first argument and returns the error. */
typedef uint32_t ask_fn(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out);

static void answer(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c, ask_fn *ask, void *out, size_t bytes) {
  for (uint32_t left = w->mask; left; left &= left - 1) {
    unsigned lane = (unsigned)__builtin_ctz(left);
    uint32_t error = w->grid->device->told ? ask(w, c, lane, out) : EXEC_RT_NOT_SUPPORTED;
    if (!error && !exec_builtin_write(w, exec_builtin_argument(w, c, 0, lane), out, bytes, lane)) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "an answer of the device runtime cannot be written where it was asked for");
      return;
    }
    exec_launch_answer(w, c, lane, error);
  }
}

/* cudaError_t DeviceGetAttribute(int *out, cudaDeviceAttr which, int device) */
static uint32_t ask_attribute(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out) {
  const struct exec_device *d = w->grid->device;
  if ((int32_t)exec_builtin_argument(w, c, 2, lane)) return EXEC_RT_INVALID_DEVICE;
  return d->told->attribute(d->print_user, (int)exec_builtin_argument(w, c, 1, lane), out) ? EXEC_RT_SUCCESS : EXEC_RT_INVALID_VALUE;
}
void exec_do_attribute(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  int32_t value = 0;
  answer(w, in, c, ask_attribute, &value, sizeof value);
}

/* cudaError_t DeviceGetLimit(size_t *out, cudaLimit which) */
static uint32_t ask_limit(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out) {
  const struct exec_device *d = w->grid->device;
  return d->told->limit(d->print_user, (int)exec_builtin_argument(w, c, 1, lane), out) ? EXEC_RT_SUCCESS : EXEC_RT_INVALID_VALUE;
}
void exec_do_limit(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  uint64_t value = 0;
  answer(w, in, c, ask_limit, &value, sizeof value);
}

/* cudaError_t FuncGetAttributes(cudaFuncAttributes *out, const void *kernel) */
static uint32_t ask_function(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out) {
  enum { MAJOR = 75, MINOR = 76 }; /* cudaDevAttrComputeCapability... */
  const struct exec_device *d = w->grid->device;
  const struct exec_func *k = exec_kernel_at(w, exec_builtin_argument(w, c, 1, lane));
  int32_t major = 0, minor = 0;
  if (!k) return EXEC_RT_INVALID_DEVICE_FUNCTION;
  d->told->attribute(d->print_user, MAJOR, &major);
  d->told->attribute(d->print_user, MINOR, &minor);
  *(struct function_attributes *)out = (struct function_attributes){.shared = k->shared_bytes,
                                                                    .local = k->ptx->local_bytes,
                                                                    .most_threads = (int32_t)d->told->most_threads(d->print_user, k),
                                                                    .registers = (int32_t)d->told->registers(d->print_user, k),
                                                                    .ptx_version = (int32_t)w->grid->module->ptx.target,
                                                                    .binary_version = 10 * major + minor};
  return EXEC_RT_SUCCESS;
}
void exec_do_function_attributes(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct function_attributes all;
  answer(w, in, c, ask_function, &all, sizeof all);
}

/* cudaError_t OccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *kernel, int threads, size_t dynamic_shared), and the
 * same with flags behind it. */
static uint32_t ask_occupancy(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out) {
  const struct exec_device *d = w->grid->device;
  const struct exec_func *k = exec_kernel_at(w, exec_builtin_argument(w, c, 1, lane));
  int32_t threads = (int32_t)exec_builtin_argument(w, c, 2, lane);
  if (!k) return EXEC_RT_INVALID_DEVICE_FUNCTION;
  if (threads <= 0) return EXEC_RT_INVALID_VALUE;
  *(int32_t *)out = (int32_t)d->told->ctas_per_sm(d->print_user, k, (uint32_t)threads, exec_builtin_argument(w, c, 3, lane));
  return EXEC_RT_SUCCESS;
}
void exec_do_occupancy(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  int32_t value = 0;
  answer(w, in, c, ask_occupancy, &value, sizeof value);
}

/* cudaError_t RuntimeGetVersion(int *out) */
static uint32_t ask_version(struct exec_warp *w, const struct exec_call *c, unsigned lane, void *out) {
  (void)w, (void)c, (void)lane;
  *(int32_t *)out = DEVICE_RUNTIME_VERSION;
  return EXEC_RT_SUCCESS;
}
void exec_do_runtime_version(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  int32_t value = 0;
  answer(w, in, c, ask_version, &value, sizeof value);
}
