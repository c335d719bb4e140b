/* Variants of entry points for programs compiled with a default stream per thread: no stream means the calling thread's own. Synchronous
 * calls (_ptds) do the same as the ordinary ones. */
#include "cuda/runtime/runtime.h"

#if RUNTIME_MAJOR < 13 /* names with another meaning before 13: see runtime.h */
#define cudaMemPrefetchAsync_ptsz                cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamGetCaptureInfo_ptsz            cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies_ptsz cudaStreamUpdateCaptureDependencies_v2_ptsz
#define cudaMemcpyBatchAsync_ptsz                cudaMemcpyBatchAsync_v2_ptsz
#define cudaMemcpy3DBatchAsync_ptsz              cudaMemcpy3DBatchAsync_v2_ptsz
#endif

#define OWN(stream) ((stream) ? (stream) : cudaStreamPerThread)
#define SAME(name, base, parameters, arguments)                                                              \
  CUDA_EXPORT cudaError_t name parameters;                                                                   \
  CUDA_EXPORT cudaError_t name parameters { return base arguments; }

SAME(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags, (cudaEvent_t a, cudaStream_t b, unsigned int c),
     (a, OWN(b), c))
SAME(cudaEventRecord_ptsz, cudaEventRecord, (cudaEvent_t a, cudaStream_t b), (a, OWN(b)))
SAME(cudaFreeAsync_ptsz, cudaFreeAsync, (void *a, cudaStream_t b), (a, OWN(b)))
SAME(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion,
     (const char *a, void **b, unsigned int c, unsigned long long d, enum cudaDriverEntryPointQueryResult *e),
     (a, b, c, d, e))
SAME(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint,
     (const char *a, void **b, unsigned long long c, enum cudaDriverEntryPointQueryResult *d), (a, b, c, d))
SAME(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams,
     (cudaGraphExec_t * a, cudaGraph_t b, cudaGraphInstantiateParams *c), (a, b, c))
SAME(cudaGraphLaunch_ptsz, cudaGraphLaunch, (cudaGraphExec_t a, cudaStream_t b), (a, OWN(b)))
SAME(cudaGraphUpload_ptsz, cudaGraphUpload, (cudaGraphExec_t a, cudaStream_t b), (a, OWN(b)))
SAME(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel,
     (const void *a, dim3 b, dim3 c, void **d, size_t e, cudaStream_t f), (a, b, c, d, e, OWN(f)))
SAME(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc, (cudaStream_t a, cudaHostFn_t b, void *c), (OWN(a), b, c))
SAME(cudaLaunchKernel_ptsz, cudaLaunchKernel,
     (const void *a, dim3 b, dim3 c, void **d, size_t e, cudaStream_t f), (a, b, c, d, e, OWN(f)))
SAME(cudaMallocAsync_ptsz, cudaMallocAsync, (void **a, size_t b, cudaStream_t c), (a, b, OWN(c)))
SAME(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync,
     (void **a, size_t b, cudaMemPool_t c, cudaStream_t d), (a, b, c, OWN(d)))
SAME(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemDiscardAndPrefetchBatchAsync,
     (void **a, size_t *b, size_t c, struct cudaMemLocation *d, size_t *e, size_t f, unsigned long long g,
      cudaStream_t h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync,
     (void **a, size_t *b, size_t c, unsigned long long d, cudaStream_t e), (a, b, c, d, OWN(e)))
SAME(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync,
     (const void *a, size_t b, struct cudaMemLocation c, unsigned int d, cudaStream_t e),
     (a, b, c, d, OWN(e)))
SAME(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync,
     (void **a, size_t *b, size_t c, struct cudaMemLocation *d, size_t *e, size_t f, unsigned long long g,
      cudaStream_t h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray,
     (cudaArray_t a, size_t b, size_t c, cudaArray_const_t d, size_t e, size_t f, size_t g, size_t h,
      enum cudaMemcpyKind i),
     (a, b, c, d, e, f, g, h, i))
SAME(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync,
     (void *a, size_t b, const void *c, size_t d, size_t e, size_t f, enum cudaMemcpyKind g, cudaStream_t h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync,
     (void *a, size_t b, cudaArray_const_t c, size_t d, size_t e, size_t f, size_t g, enum cudaMemcpyKind h,
      cudaStream_t i),
     (a, b, c, d, e, f, g, h, OWN(i)))
SAME(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray,
     (void *a, size_t b, cudaArray_const_t c, size_t d, size_t e, size_t f, size_t g, enum cudaMemcpyKind h),
     (a, b, c, d, e, f, g, h))
SAME(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync,
     (cudaArray_t a, size_t b, size_t c, const void *d, size_t e, size_t f, size_t g, enum cudaMemcpyKind h,
      cudaStream_t i),
     (a, b, c, d, e, f, g, h, OWN(i)))
SAME(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray,
     (cudaArray_t a, size_t b, size_t c, const void *d, size_t e, size_t f, size_t g, enum cudaMemcpyKind h),
     (a, b, c, d, e, f, g, h))
SAME(cudaMemcpy2D_ptds, cudaMemcpy2D,
     (void *a, size_t b, const void *c, size_t d, size_t e, size_t f, enum cudaMemcpyKind g),
     (a, b, c, d, e, f, g))
SAME(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *a, cudaStream_t b),
     (a, OWN(b)))
SAME(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync,
     (const struct cudaMemcpy3DPeerParms *a, cudaStream_t b), (a, OWN(b)))
SAME(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *a), (a))
SAME(cudaMemcpy3D_ptds, cudaMemcpy3D, (const struct cudaMemcpy3DParms *a), (a))
SAME(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray,
     (cudaArray_t a, size_t b, size_t c, cudaArray_const_t d, size_t e, size_t f, size_t g,
      enum cudaMemcpyKind h),
     (a, b, c, d, e, f, g, h))
SAME(cudaMemcpy3DBatchAsync_ptsz, cudaMemcpy3DBatchAsync,
     (size_t a, struct cudaMemcpy3DBatchOp *b, unsigned long long c, cudaStream_t d), (a, b, c, OWN(d)))
SAME(cudaMemcpyAsync_ptsz, cudaMemcpyAsync,
     (void *a, const void *b, size_t c, enum cudaMemcpyKind d, cudaStream_t e), (a, b, c, d, OWN(e)))
SAME(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync,
     (void *const *a, const void *const *b, const size_t *c, size_t d, struct cudaMemcpyAttributes *e,
      size_t *f, size_t g, cudaStream_t h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync,
     (void *a, cudaArray_const_t b, size_t c, size_t d, size_t e, enum cudaMemcpyKind f, cudaStream_t g),
     (a, b, c, d, e, f, OWN(g)))
SAME(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray,
     (void *a, cudaArray_const_t b, size_t c, size_t d, size_t e, enum cudaMemcpyKind f), (a, b, c, d, e, f))
SAME(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync,
     (void *a, const void *b, size_t c, size_t d, enum cudaMemcpyKind e, cudaStream_t f),
     (a, b, c, d, e, OWN(f)))
SAME(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol,
     (void *a, const void *b, size_t c, size_t d, enum cudaMemcpyKind e), (a, b, c, d, e))
SAME(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync,
     (cudaArray_t a, size_t b, size_t c, const void *d, size_t e, enum cudaMemcpyKind f, cudaStream_t g),
     (a, b, c, d, e, f, OWN(g)))
SAME(cudaMemcpyToArray_ptds, cudaMemcpyToArray,
     (cudaArray_t a, size_t b, size_t c, const void *d, size_t e, enum cudaMemcpyKind f), (a, b, c, d, e, f))
SAME(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync,
     (const void *a, const void *b, size_t c, size_t d, enum cudaMemcpyKind e, cudaStream_t f),
     (a, b, c, d, e, OWN(f)))
SAME(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol,
     (const void *a, const void *b, size_t c, size_t d, enum cudaMemcpyKind e), (a, b, c, d, e))
SAME(cudaMemcpy_ptds, cudaMemcpy, (void *a, const void *b, size_t c, enum cudaMemcpyKind d), (a, b, c, d))
SAME(cudaMemset2DAsync_ptsz, cudaMemset2DAsync,
     (void *a, size_t b, int c, size_t d, size_t e, cudaStream_t f), (a, b, c, d, e, OWN(f)))
SAME(cudaMemset2D_ptds, cudaMemset2D, (void *a, size_t b, int c, size_t d, size_t e), (a, b, c, d, e))
SAME(cudaMemset3DAsync_ptsz, cudaMemset3DAsync,
     (struct cudaPitchedPtr a, int b, struct cudaExtent c, cudaStream_t d), (a, b, c, OWN(d)))
SAME(cudaMemset3D_ptds, cudaMemset3D, (struct cudaPitchedPtr a, int b, struct cudaExtent c), (a, b, c))
SAME(cudaMemsetAsync_ptsz, cudaMemsetAsync, (void *a, int b, size_t c, cudaStream_t d), (a, b, c, OWN(d)))
SAME(cudaMemset_ptds, cudaMemset, (void *a, int b, size_t c), (a, b, c))
SAME(cudaStreamAddCallback_ptsz, cudaStreamAddCallback,
     (cudaStream_t a, cudaStreamCallback_t b, void *c, unsigned int d), (OWN(a), b, c, d))
SAME(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync,
     (cudaStream_t a, void *b, size_t c, unsigned int d), (OWN(a), b, c, d))
SAME(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph,
     (cudaStream_t a, cudaGraph_t b, const cudaGraphNode_t *c, const cudaGraphEdgeData *d, size_t e,
      enum cudaStreamCaptureMode f),
     (OWN(a), b, c, d, e, f))
SAME(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture, (cudaStream_t a, enum cudaStreamCaptureMode b),
     (OWN(a), b))
SAME(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes, (cudaStream_t a, cudaStream_t b),
     (OWN(a), OWN(b)))
SAME(cudaStreamEndCapture_ptsz, cudaStreamEndCapture, (cudaStream_t a, cudaGraph_t *b), (OWN(a), b))
SAME(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute,
     (cudaStream_t a, cudaLaunchAttributeID b, cudaLaunchAttributeValue *c), (OWN(a), b, c))
SAME(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo,
     (cudaStream_t a, enum cudaStreamCaptureStatus *b, unsigned long long *c, cudaGraph_t *d,
      const cudaGraphNode_t **e, const cudaGraphEdgeData **f, size_t *g),
     (OWN(a), b, c, d, e, f, g))
SAME(cudaStreamGetDevice_ptsz, cudaStreamGetDevice, (cudaStream_t a, int *b), (OWN(a), b))
SAME(cudaStreamGetFlags_ptsz, cudaStreamGetFlags, (cudaStream_t a, unsigned int *b), (OWN(a), b))
SAME(cudaStreamGetId_ptsz, cudaStreamGetId, (cudaStream_t a, unsigned long long *b), (OWN(a), b))
SAME(cudaStreamGetPriority_ptsz, cudaStreamGetPriority, (cudaStream_t a, int *b), (OWN(a), b))
SAME(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing, (cudaStream_t a, enum cudaStreamCaptureStatus *b),
     (OWN(a), b))
SAME(cudaStreamQuery_ptsz, cudaStreamQuery, (cudaStream_t a), (OWN(a)))
SAME(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute,
     (cudaStream_t a, cudaLaunchAttributeID b, const cudaLaunchAttributeValue *c), (OWN(a), b, c))
SAME(cudaStreamSynchronize_ptsz, cudaStreamSynchronize, (cudaStream_t a), (OWN(a)))
SAME(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies,
     (cudaStream_t a, cudaGraphNode_t *b, const cudaGraphEdgeData *c, size_t d, unsigned int e),
     (OWN(a), b, c, d, e))
SAME(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent, (cudaStream_t a, cudaEvent_t b, unsigned int c),
     (OWN(a), b, c))

cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
SAME(__cudaLaunchKernel_ptsz, __cudaLaunchKernel,
     (cudaKernel_t a, dim3 b, dim3 c, void **d, size_t e, cudaStream_t f), (a, b, c, d, e, OWN(f)))

CUDA_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                                 void **args);
CUDA_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                                                 void **args) {
  RT_NEED(config);
  cudaLaunchConfig_t own = *config;
  own.stream = OWN(own.stream);
  return cudaLaunchKernelExC(&own, func, args);
}
