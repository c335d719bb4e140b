/* Versions, devices and their properties. There is one device, number 0. */
#include "cuda/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_VERSION = 13000 };

CUDA_EXPORT CUresult cuDriverGetVersion(int *version) {
  NEED(version);
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetCount(int *count) {
  ENTER();
  NEED(count);
  *count = 1;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER();
  NEED(device);
  NEED_DEVICE(ordinal);
  *device = 0;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetName(char *name, int n, CUdevice device) {
  ENTER();
  NEED(name && n > 0);
  NEED_DEVICE(device);
  snprintf(name, (size_t)n, "Heddle %s", cuda.engine.info.preset);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  ENTER();
  NEED(bytes);
  NEED_DEVICE(device);
  *bytes = exec_mem_capacity(cuda.mem);
  return CUDA_SUCCESS;
}
#undef cuDeviceTotalMem
CUDA_EXPORT CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device);
CUDA_EXPORT CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device) {
  size_t all = 0;
  NEED(bytes);
  CHECK(cuDeviceTotalMem_v2(&all, device));
  *bytes = all > 0xffffffffu ? 0xffffffffu : (unsigned)all;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER();
  NEED(value);
  NEED_DEVICE(device);
  NEED(cuda_device_attribute(&cuda.engine.info, (int)attribute, value));
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  ENTER();
  NEED(major && minor);
  NEED_DEVICE(device);
  *major = cuda.engine.info.major;
  *minor = cuda.engine.info.minor;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device) {
  ENTER();
  NEED(p);
  NEED_DEVICE(device);
  const struct cuda_device_info *d = &cuda.engine.info;
  *p = (CUdevprop){.maxThreadsPerBlock = 1024,
                   .maxThreadsDim = {1024, 1024, 64},
                   .maxGridSize = {2147483647, 65535, 65535},
                   .sharedMemPerBlock = (int)d->shared_per_block,
                   .totalConstantMemory = 65536,
                   .SIMDWidth = 32,
                   .memPitch = 2147483647,
                   .regsPerBlock = (int)d->registers_per_block,
                   .clockRate = (int)d->core_khz,
                   .textureAlign = 512};
  return CUDA_SUCCESS;
}

/* An identifier that names the simulator and is the same in every run. */
static CUresult uuid(CUuuid *out, CUdevice device) {
  ENTER();
  NEED(out);
  NEED_DEVICE(device);
  memset(out, 0, sizeof *out);
  snprintf(out->bytes, sizeof out->bytes, "Heddle-%s", cuda.engine.info.preset);
  return CUDA_SUCCESS;
}
#undef cuDeviceGetUuid
CUDA_EXPORT CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device);
CUDA_EXPORT CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device) { return uuid(out, device); }
CUDA_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *out, CUdevice device) { return uuid(out, device); }

CUDA_EXPORT CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device) {
  ENTER();
  NEED(luid && mask);
  NEED_DEVICE(device);
  return CUDA_ERROR_NOT_SUPPORTED; /* a notion of another operating system */
}
CUDA_EXPORT CUresult cuDeviceGetPCIBusId(char *out, int n, CUdevice device) {
  ENTER();
  NEED(out && n > 0);
  NEED_DEVICE(device);
  NEED(n >= 13);
  snprintf(out, (size_t)n, "0000:00:00.0");
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  ENTER();
  NEED(device && id);
  unsigned domain = 0, bus = 1, slot = 1;
  int fields = sscanf(id, "%x:%x:%x", &domain, &bus, &slot);
  if (fields == 2) {
    slot = bus;
    bus = domain;
    domain = 0;
  }
  NEED(fields >= 2);
  if (domain || bus || slot) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                                        unsigned channels, CUdevice device) {
  ENTER();
  (void)format;
  NEED(width && (channels == 1 || channels == 2 || channels == 4));
  NEED_DEVICE(device);
  *width = 268435456;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetExecAffinitySupport(int *yes, CUexecAffinityType type, CUdevice device) {
  ENTER();
  (void)type;
  NEED(yes);
  NEED_DEVICE(device);
  *yes = 0;
  return CUDA_SUCCESS;
}

/* ---- other devices: there are none ---- */

CUDA_EXPORT CUresult cuDeviceCanAccessPeer(int *yes, CUdevice device, CUdevice peer) {
  ENTER();
  NEED(yes);
  NEED_DEVICE(device);
  NEED_DEVICE(peer);
  *yes = 0;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
                                             CUdevice to) {
  ENTER();
  (void)attribute;
  NEED(value);
  NEED_DEVICE(from);
  NEED_DEVICE(to);
  return CUDA_ERROR_INVALID_DEVICE; /* CUDA's answer if both are the same */
}

/* ---- profiling: there is no profiler to start or stop, as on a machine without one attached ---- */

CUDA_EXPORT CUresult cuProfilerStart(void) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuProfilerStop(void) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  return CUDA_SUCCESS;
}
