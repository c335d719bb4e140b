/* The runtime library's own header: entering a call, errors, and what the program has registered.
 *
 * The runtime is a layer over the driver API. A call first makes sure that the thread has a context (the primary one unless the program
 * made another current), calls the driver, converts the result into a cudaError_t and remembers it. The same sources make
 * libcudart.so.11.0, .12 and .13 (RUNTIME_MAJOR): if 13 changed a function's parameters, the function is written here with the new ones
 * under the name that 12 has for them (or, if 12 changed them, under a name that is not exported), and runtime_old.c has the older form. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#define RUNTIME_VERSION (RUNTIME_MAJOR == 11 ? 11080 : RUNTIME_MAJOR == 12 ? 12090 : 13000)

#if RUNTIME_MAJOR == 11
#define cudaGraphInstantiate            rt_12_cudaGraphInstantiate
#define cudaGraphExecUpdate             rt_12_cudaGraphExecUpdate
#define cudaGetDriverEntryPoint         rt_12_cudaGetDriverEntryPoint
#define cudaGetDriverEntryPoint_ptsz    rt_12_cudaGetDriverEntryPoint_ptsz
#define cudaCreateTextureObject         cudaCreateTextureObject_v2
#define cudaGetTextureObjectTextureDesc cudaGetTextureObjectTextureDesc_v2
#endif
#if RUNTIME_MAJOR < 13
#define cudaMemAdvise                       cudaMemAdvise_v2
#define cudaMemPrefetchAsync                cudaMemPrefetchAsync_v2
#define cudaStreamGetCaptureInfo            cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaGraphGetEdges                   cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies        cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes      cudaGraphNodeGetDependentNodes_v2
#define cudaGraphAddDependencies            cudaGraphAddDependencies_v2
#define cudaGraphRemoveDependencies         cudaGraphRemoveDependencies_v2
#define cudaGraphAddNode                    cudaGraphAddNode_v2
#define cudaMemcpyBatchAsync                cudaMemcpyBatchAsync_v2
#define cudaMemcpy3DBatchAsync              cudaMemcpy3DBatchAsync_v2
#endif

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUDA_EXPORT __attribute__((visibility("default")))

/* ---- entering and leaving ---- */

/* Initialises the driver and gives the thread a context. */
cudaError_t rt_enter(void);
/* Only initialises the driver, for queries that need no context. */
cudaError_t rt_init(void);
/* Remembers an error as the thread's last one and returns it. */
cudaError_t rt_fail(cudaError_t e);
/* The same for a result of the driver. */
cudaError_t rt_done(CUresult r);

#define RT_ENTER()                                                                                           \
  do {                                                                                                       \
    cudaError_t entered_ = rt_enter();                                                                       \
    if (entered_ != cudaSuccess) return entered_;                                                            \
  } while (0)
#define RT_NEED(condition)                                                                                   \
  do {                                                                                                       \
    if (!(condition)) return rt_fail(cudaErrorInvalidValue);                                                 \
  } while (0)

/* An entry point that is one driver call. */
#define RT(name, parameters, call)                                                                           \
  CUDA_EXPORT cudaError_t name parameters {                                                                  \
    RT_ENTER();                                                                                              \
    return rt_done(call);                                                                                    \
  }

/* ---- what the program registered: runtime_register.c ---- */

/* The driver's handle for a kernel: of a host function that was registered, or a handle itself. */
CUresult rt_function(CUfunction *out, const void *func);
/* The same for a launch: if its kernel is not available, the launch is counted as failed. */
CUresult rt_launched_function(CUfunction *out, const void *func);
/* Address of a variable of the program on the device. */
cudaError_t rt_symbol(CUdeviceptr *at, size_t *bytes, const void *symbol);

/* A texture or surface reference of the program. */
struct rt_reference {
  CUmodule module;
  const char *name;
  bool as_float; /* its texels are read as floats */
  bool is_bound;
};
cudaError_t rt_reference(struct rt_reference *out, const void *host, bool surface);
/* Stores the driver's reference that is bound now, and returns the previous one. */
CUtexref rt_swap_reference(const void *host, CUtexref now);

/* ---- copies: runtime_copy.c ---- */

/* Fills the driver's description; returns cudaSuccess, or the error of a wrong direction or pitch. */
cudaError_t rt_copy_line(CUDA_MEMCPY3D *c, void *to, const void *from, size_t bytes,
                         enum cudaMemcpyKind kind);
cudaError_t rt_copy_box(CUDA_MEMCPY3D *c, const struct cudaMemcpy3DParms *p);
void rt_copy_back(struct cudaMemcpy3DParms *p, const CUDA_MEMCPY3D *c);

/* ---- formats: runtime_texture.c ---- */

bool rt_format(CUarray_format *format, unsigned *channels, const struct cudaChannelFormatDesc *d);
struct cudaChannelFormatDesc rt_channel_desc(CUarray_format format, unsigned channels);

/* ---- structures that grew: so many bytes of them are the program's ---- */

#define RT_SINCE(major, type, member) (RUNTIME_MAJOR >= (major) ? sizeof(type) : offsetof(type, member))
enum {
  RT_POINTER_BYTES = RT_SINCE(13, struct cudaPointerAttributes, reserved),
  RT_RESOURCE_BYTES = RT_SINCE(13, struct cudaResourceDesc, res.pitch2D.pitchInBytes) + (RUNTIME_MAJOR >= 13 ? 0 : sizeof(size_t)),
  RT_VIEW_BYTES = RT_SINCE(13, struct cudaResourceViewDesc, reserved),
  RT_FUNCTION_BYTES = RT_SINCE(12, struct cudaFuncAttributes, clusterDimMustBeSet),
  RT_TEXTURE_BYTES = RT_SINCE(12, struct cudaTextureDesc, seamlessCubemap)
};

static inline CUarray rt_array(cudaArray_const_t a) { return (CUarray)(uintptr_t)a; }
static inline CUdeviceptr rt_ptr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

#endif
