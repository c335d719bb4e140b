/* What the probes of this folder share: the CUDA driver API, an error of which ends the program with the call's text. Plain C
 * and cuda.h only, so that they also build on a machine with a GPU and nothing of Heddle. */
#ifndef H200_DRIVER_H
#define H200_DRIVER_H

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    CUresult r_ = (call);                                                                                    \
    if (r_) {                                                                                                \
      const char *s_ = "?";                                                                                  \
      cuGetErrorString(r_, &s_);                                                                             \
      fprintf(stderr, "%s: %s\n", #call, s_);                                                                \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

static inline CUdevice open_device(void) {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  return device;
}

#endif
