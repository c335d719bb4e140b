/* Between the runtime library and the driver library: launches that fail before the driver sees them. libcuda.so.1 exports these,
 * libcudart.so calls them. */
#ifndef CUDA_LAUNCH_FAILURES_H
#define CUDA_LAUNCH_FAILURES_H

#include <cuda.h>

/* Why the last image that this thread requested could not be used; "": it could. Valid until the next request of the thread. */
const char *heddleWhyRefused(void);
/* A launch failed because its kernel was not available. kernel: NULL if it is not known; reason: NULL or "" if there is only the error. */
void heddleLaunchFailed(const char *kernel, CUresult error, const char *reason);

#endif
