/* Functions that later versions dropped or changed: those that only libcudart.so.11.0 and .12 have (texture references are in
 * runtime_reference.c), and the names with "Thread", deprecated since CUDA 4, that old programs still use. */
#include "cuda/runtime/runtime.h"

#include <string.h>

#define OLD(name, parameters, call)                                                                          \
  CUDA_EXPORT cudaError_t name parameters;                                                                   \
  CUDA_EXPORT cudaError_t name parameters { return call; }

OLD(cudaThreadSynchronize, (void), cudaDeviceSynchronize())
OLD(cudaThreadExit, (void), cudaDeviceReset())
OLD(cudaThreadGetLimit, (size_t * v, enum cudaLimit l), cudaDeviceGetLimit(v, l))
OLD(cudaThreadSetLimit, (enum cudaLimit l, size_t v), cudaDeviceSetLimit(l, v))
OLD(cudaThreadGetCacheConfig, (enum cudaFuncCache * c), cudaDeviceGetCacheConfig(c))
OLD(cudaThreadSetCacheConfig, (enum cudaFuncCache c), cudaDeviceSetCacheConfig(c))
OLD(cudaEventElapsedTime_v2, (float *ms, cudaEvent_t a, cudaEvent_t b), cudaEventElapsedTime(ms, a, b))

#if RUNTIME_MAJOR < 13

#if RUNTIME_MAJOR == 12
OLD(cudaCreateTextureObject_v2,
    (cudaTextureObject_t * t, const struct cudaResourceDesc *r, const struct cudaTextureDesc *d,
     const struct cudaResourceViewDesc *v),
    cudaCreateTextureObject(t, r, d, v))
OLD(cudaGetTextureObjectTextureDesc_v2, (struct cudaTextureDesc * d, cudaTextureObject_t t),
    cudaGetTextureObjectTextureDesc(d, t))
#endif

#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphAddNode
#undef cudaMemcpyBatchAsync
#undef cudaMemcpy3DBatchAsync

/* A device number, of which -1 is the host. */
static struct cudaMemLocation place(int device) {
  return (struct cudaMemLocation){.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                                                    : cudaMemLocationTypeDevice,
                                  .id = device == cudaCpuDeviceId ? 0 : device};
}
OLD(cudaMemAdvise, (const void *p, size_t n, enum cudaMemoryAdvise a, int device),
    cudaMemAdvise_v2(p, n, a, place(device)))
OLD(cudaMemPrefetchAsync, (const void *p, size_t n, int device, cudaStream_t s),
    cudaMemPrefetchAsync_v2(p, n, place(device), 0, s))
OLD(cudaMemPrefetchAsync_ptsz, (const void *p, size_t n, int device, cudaStream_t s),
    cudaMemPrefetchAsync_v2(p, n, place(device), 0, s ? s : cudaStreamPerThread))
OLD(cudaStreamGetCaptureInfo, (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id),
    cudaStreamGetCaptureInfo_v3(s, status, id, NULL, NULL, NULL, NULL))
OLD(cudaStreamGetCaptureInfo_v2,
    (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
     const cudaGraphNode_t **deps, size_t *n),
    cudaStreamGetCaptureInfo_v3(s, status, id, g, deps, NULL, n))
OLD(cudaStreamUpdateCaptureDependencies, (cudaStream_t s, cudaGraphNode_t *deps, size_t n, unsigned flags),
    cudaStreamUpdateCaptureDependencies_v2(s, deps, NULL, n, flags))
OLD(cudaStreamGetCaptureInfo_ptsz, (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id),
    cudaStreamGetCaptureInfo_v3(s ? s : cudaStreamPerThread, status, id, NULL, NULL, NULL, NULL))
OLD(cudaStreamGetCaptureInfo_v2_ptsz,
    (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
     const cudaGraphNode_t **deps, size_t *n),
    cudaStreamGetCaptureInfo_v3(s ? s : cudaStreamPerThread, status, id, g, deps, NULL, n))
OLD(cudaStreamUpdateCaptureDependencies_ptsz, (cudaStream_t s, cudaGraphNode_t *deps, size_t n, unsigned flags),
    cudaStreamUpdateCaptureDependencies_v2(s ? s : cudaStreamPerThread, deps, NULL, n, flags))
OLD(cudaGraphGetEdges, (cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n),
    cudaGraphGetEdges_v2(g, from, to, NULL, n))
OLD(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *deps, size_t *n),
    cudaGraphNodeGetDependencies_v2(node, deps, NULL, n))
OLD(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t node, cudaGraphNode_t *after, size_t *n),
    cudaGraphNodeGetDependentNodes_v2(node, after, NULL, n))
OLD(cudaGraphAddDependencies,
    (cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n),
    cudaGraphAddDependencies_v2(g, from, to, NULL, n))
OLD(cudaGraphRemoveDependencies,
    (cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n),
    cudaGraphRemoveDependencies_v2(g, from, to, NULL, n))
OLD(cudaGraphAddNode,
    (cudaGraphNode_t * out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n,
     struct cudaGraphNodeParams *p),
    cudaGraphAddNode_v2(out, g, deps, NULL, n, p))
OLD(cudaMemcpyBatchAsync,
    (void **to, void **from, size_t *n, size_t count, struct cudaMemcpyAttributes *a, size_t *index,
     size_t attributes, size_t *failed, cudaStream_t s),
    (failed ? (void)(*failed = SIZE_MAX) : (void)0,
     cudaMemcpyBatchAsync_v2((void *const *)to, (const void *const *)from, n, count, a, index, attributes,
                             s)))
OLD(cudaMemcpy3DBatchAsync,
    (size_t n, struct cudaMemcpy3DBatchOp *ops, size_t *failed, unsigned long long flags, cudaStream_t s),
    (failed ? (void)(*failed = SIZE_MAX) : (void)0, cudaMemcpy3DBatchAsync_v2(n, ops, flags, s)))

#endif

#if RUNTIME_MAJOR == 11

#undef cudaGraphInstantiate
#undef cudaGraphExecUpdate
#undef cudaGetDriverEntryPoint
#undef cudaGetDriverEntryPoint_ptsz
#undef cudaCreateTextureObject
#undef cudaGetTextureObjectTextureDesc

OLD(cudaGetDriverEntryPoint, (const char *name, void **out, unsigned long long flags),
    rt_12_cudaGetDriverEntryPoint(name, out, flags, NULL))
OLD(cudaGetDriverEntryPoint_ptsz, (const char *name, void **out, unsigned long long flags),
    rt_12_cudaGetDriverEntryPoint(name, out, flags, NULL))
/* Errors have no node and no text here. */
OLD(cudaGraphInstantiate, (cudaGraphExec_t * e, cudaGraph_t g, cudaGraphNode_t *node, char *log, size_t n),
    ((void)(node ? *node = NULL : NULL), (void)(log && n ? *log = 0 : 0), rt_12_cudaGraphInstantiate(e, g, 0)))

CUDA_EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t *node,
                                            enum cudaGraphExecUpdateResult *result);
CUDA_EXPORT cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphNode_t *node,
                                            enum cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info = {0};
  cudaError_t done = rt_12_cudaGraphExecUpdate(e, g, &info);
  if (node) *node = info.errorNode;
  if (result) *result = info.result;
  return done;
}

/* A texture's description without its last member, seamlessCubemap. */
CUDA_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const struct cudaResourceDesc *r,
                                                const struct cudaTextureDesc *d,
                                                const struct cudaResourceViewDesc *v);
CUDA_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const struct cudaResourceDesc *r,
                                                const struct cudaTextureDesc *d,
                                                const struct cudaResourceViewDesc *v) {
  struct cudaTextureDesc whole = {0};
  if (d) memcpy(&whole, d, RT_TEXTURE_BYTES);
  return cudaCreateTextureObject_v2(t, r, d ? &whole : NULL, v);
}
CUDA_EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t t);
CUDA_EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t t) {
  struct cudaTextureDesc whole = {0};
  cudaError_t e = cudaGetTextureObjectTextureDesc_v2(d ? &whole : NULL, t);
  if (d && e == cudaSuccess) memcpy(d, &whole, RT_TEXTURE_BYTES);
  return e;
}

#endif
