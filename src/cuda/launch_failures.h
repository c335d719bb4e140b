/* What the runtime library and the driver library say to each other of launches that fail before the driver sees them: libcuda.so.1
 * exports these, libcudart.so calls them. */
#ifndef CUDA_LAUNCH_FAILURES_H
#define CUDA_LAUNCH_FAILURES_H

#include <cuda.h>

/* Why the last image that this thread asked for could not be used; "": all could. Valid until the thread asks for another. */
const char *heddleWhyRefused(void);
/* A launch came to nothing, because its kernel could not be had. kernel: NULL if it is not known; reason: NULL or "" if there is
 * none but the error. */
void heddleLaunchFailed(const char *kernel, CUresult error, const char *reason);

#endif
