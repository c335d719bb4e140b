/* Entering the runtime, the last error, and devices.
 *
 * The last error is cleared when it is read, even one that killed the context; in that case the next call sets it again, until the device
 * is reset. "Not ready" is an answer, not an error, and is not remembered. */
#include "cuda/runtime/runtime.h"

#include <stddef.h>
#include <string.h>

static _Thread_local cudaError_t last;
static _Thread_local uint64_t entered; /* the generation in which this thread got its context */
static uint64_t generation = 1;
static CUcontext primary;
static unsigned device_flags;

/* ---- errors ---- */

cudaError_t rt_fail(cudaError_t e) {
  if (e == cudaSuccess || e == cudaErrorNotReady) return e;
  last = e;
  return e;
}

cudaError_t rt_done(CUresult r) { return rt_fail((cudaError_t)r); }

CUDA_EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t e = last;
  last = cudaSuccess;
  return e;
}
CUDA_EXPORT cudaError_t cudaPeekAtLastError(void) { return last; }

static const struct {
  cudaError_t code;
  const char *name, *text;
} errors[] = {
#define ERROR(code, text) {code, #code, text},
#include "cuda/runtime/runtime_errors.def"
#undef ERROR
};

CUDA_EXPORT const char *cudaGetErrorName(cudaError_t code) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) return errors[i].name;
  return "unrecognized error code";
}
CUDA_EXPORT const char *cudaGetErrorString(cudaError_t code) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) return errors[i].text;
  return "unrecognized error code";
}

/* ---- entering ---- */

cudaError_t rt_init(void) {
  static bool done;
  if (done) return cudaSuccess;
  CUresult r = cuInit(0);
  if (r == CUDA_SUCCESS) done = true;
  return rt_done(r);
}

cudaError_t rt_enter(void) {
  if (entered == generation) return cudaSuccess;
  cudaError_t e = rt_init();
  if (e != cudaSuccess) return e;
  CUcontext current = NULL;
  CUdevice device;
  CUresult r = cuCtxGetCurrent(&current);
  if (r == CUDA_SUCCESS && current && cuCtxGetDevice(&device) != CUDA_SUCCESS) current = NULL; /* destroyed */
  if (r == CUDA_SUCCESS && !current) {
    r = primary ? CUDA_SUCCESS : cuDevicePrimaryCtxRetain(&primary, 0);
    if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(primary);
  }
  if (r == CUDA_SUCCESS) entered = generation;
  return rt_done(r);
}

/* After a reset of the device nothing is valid except the last error. */
static void forget(void) {
  primary = NULL;
  __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}

CUDA_EXPORT cudaError_t cudaDeviceReset(void) {
  cudaError_t e = rt_init();
  if (e != cudaSuccess) return e;
  cuCtxSetCurrent(NULL);
  CUresult r = cuDevicePrimaryCtxReset_v2(0);
  forget();
  return rt_done(r);
}

/* ---- choosing a device ---- */

CUDA_EXPORT cudaError_t cudaGetDeviceCount(int *count) {
  cudaError_t e = rt_init();
  return e != cudaSuccess ? e : rt_done(cuDeviceGetCount(count));
}
CUDA_EXPORT cudaError_t cudaSetDevice(int device) {
  if (device != 0) return rt_fail(cudaErrorInvalidDevice);
  return rt_enter();
}
CUDA_EXPORT cudaError_t cudaGetDevice(int *device) {
  RT_NEED(device);
  cudaError_t e = rt_init();
  *device = 0;
  return e;
}
CUDA_EXPORT cudaError_t cudaInitDevice(int device, unsigned flags, unsigned how) {
  if (device != 0) return rt_fail(cudaErrorInvalidDevice);
  if (how & cudaInitDeviceFlagsAreValid) device_flags = flags;
  return rt_enter();
}
CUDA_EXPORT cudaError_t cudaSetValidDevices(int *list, int n) {
  RT_NEED(n >= 0 && (list || !n));
  for (int i = 0; i < n; i++)
    if (list[i] != 0) return rt_fail(cudaErrorInvalidDevice);
  return cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
  RT_NEED(device && wanted);
  *device = 0;
  return rt_init();
}
CUDA_EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags) {
  RT_NEED(!(flags & ~(unsigned)cudaDeviceMask));
  cudaError_t e = rt_init();
  if (e != cudaSuccess) return e;
  device_flags = flags;
  return rt_done(cuDevicePrimaryCtxSetFlags_v2(0, flags));
}
CUDA_EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  RT_NEED(flags);
  *flags = device_flags | cudaDeviceMapHost;
  return rt_init();
}

/* ---- versions ---- */

CUDA_EXPORT cudaError_t cudaDriverGetVersion(int *version) { return rt_done(cuDriverGetVersion(version)); }
CUDA_EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
  RT_NEED(version);
  *version = RUNTIME_VERSION;
  return cudaSuccess;
}

static cudaError_t entry_point(const char *name, void **out, int version, unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *status) {
  RT_NEED(name && out);
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  CUresult r = cuGetProcAddress_v2(name, out, version, flags, &found);
  if (status) *status = (enum cudaDriverEntryPointQueryResult)found;
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *status) {
  return entry_point(name, out, RUNTIME_VERSION, flags, status);
}
CUDA_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                         unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *status) {
  return entry_point(name, out, (int)version, flags, status);
}
