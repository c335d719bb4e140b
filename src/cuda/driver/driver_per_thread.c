/* Variants of entry points for programs compiled with a default stream per thread: no stream means the calling thread's own. Synchronous
 * calls (_ptds) do the same as the ordinary ones, because their work has ended before they return. */
#include "cuda/state.h"

#undef cuMemPrefetchAsync
CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t bytes, CUdevice device, CUstream stream);

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#define SAME(name, base, parameters, arguments)                                                              \
  CUDA_EXPORT CUresult name parameters;                                                                      \
  CUDA_EXPORT CUresult name parameters { return base arguments; }

SAME(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags, (CUevent a, CUstream b, unsigned int c),
     (a, OWN(b), c))
SAME(cuEventRecord_ptsz, cuEventRecord, (CUevent a, CUstream b), (a, OWN(b)))
SAME(cuGraphLaunch_ptsz, cuGraphLaunch, (CUgraphExec a, CUstream b), (a, OWN(b)))
SAME(cuGraphUpload_ptsz, cuGraphUpload, (CUgraphExec a, CUstream b), (a, OWN(b)))
SAME(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel,
     (CUfunction a, unsigned int b, unsigned int c, unsigned int d, unsigned int e, unsigned int f,
      unsigned int g, unsigned int h, CUstream i, void **j),
     (a, b, c, d, e, f, g, h, OWN(i), j))
SAME(cuLaunchHostFunc_ptsz, cuLaunchHostFunc, (CUstream a, CUhostFn b, void *c), (OWN(a), b, c))
SAME(cuLaunchKernel_ptsz, cuLaunchKernel,
     (CUfunction a, unsigned int b, unsigned int c, unsigned int d, unsigned int e, unsigned int f,
      unsigned int g, unsigned int h, CUstream i, void **j, void **k),
     (a, b, c, d, e, f, g, h, OWN(i), j, k))
SAME(cuMemAllocAsync_ptsz, cuMemAllocAsync, (CUdeviceptr * a, size_t b, CUstream c), (a, b, OWN(c)))
SAME(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync,
     (CUdeviceptr * a, size_t b, CUmemoryPool c, CUstream d), (a, b, c, OWN(d)))
SAME(cuMemFreeAsync_ptsz, cuMemFreeAsync, (CUdeviceptr a, CUstream b), (a, OWN(b)))
SAME(cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemDiscardAndPrefetchBatchAsync,
     (CUdeviceptr * a, size_t *b, size_t c, CUmemLocation *d, size_t *e, size_t f, unsigned long long g,
      CUstream h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cuMemDiscardBatchAsync_ptsz, cuMemDiscardBatchAsync,
     (CUdeviceptr * a, size_t *b, size_t c, unsigned long long d, CUstream e), (a, b, c, d, OWN(e)))
SAME(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2,
     (CUdeviceptr a, size_t b, CUmemLocation c, unsigned int d, CUstream e), (a, b, c, d, OWN(e)))
SAME(cuMemPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync,
     (CUdeviceptr * a, size_t *b, size_t c, CUmemLocation *d, size_t *e, size_t f, unsigned long long g,
      CUstream h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *a, CUstream b), (a, OWN(b)))
SAME(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *a), (a))
SAME(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2, (const CUDA_MEMCPY2D *a), (a))
SAME(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *a, CUstream b), (a, OWN(b)))
SAME(cuMemcpy3DBatchAsync_v2_ptsz, cuMemcpy3DBatchAsync_v2,
     (size_t a, CUDA_MEMCPY3D_BATCH_OP *b, unsigned long long c, CUstream d), (a, b, c, OWN(d)))
SAME(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *a, CUstream b), (a, OWN(b)))
SAME(cuMemcpy3DPeer_ptds, cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *a), (a))
SAME(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2, (const CUDA_MEMCPY3D *a), (a))
SAME(cuMemcpyAsync_ptsz, cuMemcpyAsync, (CUdeviceptr a, CUdeviceptr b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemcpyAtoA_v2_ptds, cuMemcpyAtoA_v2, (CUarray a, size_t b, CUarray c, size_t d, size_t e),
     (a, b, c, d, e))
SAME(cuMemcpyAtoD_v2_ptds, cuMemcpyAtoD_v2, (CUdeviceptr a, CUarray b, size_t c, size_t d), (a, b, c, d))
SAME(cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoHAsync_v2, (void *a, CUarray b, size_t c, size_t d, CUstream e),
     (a, b, c, d, OWN(e)))
SAME(cuMemcpyAtoH_v2_ptds, cuMemcpyAtoH_v2, (void *a, CUarray b, size_t c, size_t d), (a, b, c, d))
SAME(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2,
     (CUdeviceptr * a, CUdeviceptr *b, size_t *c, size_t d, CUmemcpyAttributes *e, size_t *f, size_t g,
      CUstream h),
     (a, b, c, d, e, f, g, OWN(h)))
SAME(cuMemcpyDtoA_v2_ptds, cuMemcpyDtoA_v2, (CUarray a, size_t b, CUdeviceptr c, size_t d), (a, b, c, d))
SAME(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2, (CUdeviceptr a, CUdeviceptr b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2, (CUdeviceptr a, CUdeviceptr b, size_t c), (a, b, c))
SAME(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2, (void *a, CUdeviceptr b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2, (void *a, CUdeviceptr b, size_t c), (a, b, c))
SAME(cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoAAsync_v2,
     (CUarray a, size_t b, const void *c, size_t d, CUstream e), (a, b, c, d, OWN(e)))
SAME(cuMemcpyHtoA_v2_ptds, cuMemcpyHtoA_v2, (CUarray a, size_t b, const void *c, size_t d), (a, b, c, d))
SAME(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2, (CUdeviceptr a, const void *b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2, (CUdeviceptr a, const void *b, size_t c), (a, b, c))
SAME(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync,
     (CUdeviceptr a, CUcontext b, CUdeviceptr c, CUcontext d, size_t e, CUstream f), (a, b, c, d, e, OWN(f)))
SAME(cuMemcpyPeer_ptds, cuMemcpyPeer, (CUdeviceptr a, CUcontext b, CUdeviceptr c, CUcontext d, size_t e),
     (a, b, c, d, e))
SAME(cuMemcpy_ptds, cuMemcpy, (CUdeviceptr a, CUdeviceptr b, size_t c), (a, b, c))
SAME(cuMemsetD16Async_ptsz, cuMemsetD16Async, (CUdeviceptr a, unsigned short b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemsetD16_v2_ptds, cuMemsetD16_v2, (CUdeviceptr a, unsigned short b, size_t c), (a, b, c))
SAME(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async,
     (CUdeviceptr a, size_t b, unsigned short c, size_t d, size_t e, CUstream f), (a, b, c, d, e, OWN(f)))
SAME(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2, (CUdeviceptr a, size_t b, unsigned short c, size_t d, size_t e),
     (a, b, c, d, e))
SAME(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async,
     (CUdeviceptr a, size_t b, unsigned int c, size_t d, size_t e, CUstream f), (a, b, c, d, e, OWN(f)))
SAME(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2, (CUdeviceptr a, size_t b, unsigned int c, size_t d, size_t e),
     (a, b, c, d, e))
SAME(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async,
     (CUdeviceptr a, size_t b, unsigned char c, size_t d, size_t e, CUstream f), (a, b, c, d, e, OWN(f)))
SAME(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2, (CUdeviceptr a, size_t b, unsigned char c, size_t d, size_t e),
     (a, b, c, d, e))
SAME(cuMemsetD32Async_ptsz, cuMemsetD32Async, (CUdeviceptr a, unsigned int b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemsetD32_v2_ptds, cuMemsetD32_v2, (CUdeviceptr a, unsigned int b, size_t c), (a, b, c))
SAME(cuMemsetD8Async_ptsz, cuMemsetD8Async, (CUdeviceptr a, unsigned char b, size_t c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuMemsetD8_v2_ptds, cuMemsetD8_v2, (CUdeviceptr a, unsigned char b, size_t c), (a, b, c))
SAME(cuStreamAddCallback_ptsz, cuStreamAddCallback, (CUstream a, CUstreamCallback b, void *c, unsigned int d),
     (OWN(a), b, c, d))
SAME(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync,
     (CUstream a, CUdeviceptr b, size_t c, unsigned int d), (OWN(a), b, c, d))
SAME(cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp_v2,
     (CUstream a, unsigned int b, CUstreamBatchMemOpParams *c, unsigned int d), (OWN(a), b, c, d))
SAME(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph,
     (CUstream a, CUgraph b, const CUgraphNode *c, const CUgraphEdgeData *d, size_t e, CUstreamCaptureMode f),
     (OWN(a), b, c, d, e, f))
SAME(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2, (CUstream a, CUstreamCaptureMode b), (OWN(a), b))
SAME(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes, (CUstream a, CUstream b), (OWN(a), OWN(b)))
SAME(cuStreamEndCapture_ptsz, cuStreamEndCapture, (CUstream a, CUgraph *b), (OWN(a), b))
SAME(cuStreamGetAttribute_ptsz, cuStreamGetAttribute, (CUstream a, CUstreamAttrID b, CUstreamAttrValue *c),
     (OWN(a), b, c))
SAME(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
     (CUstream a, CUstreamCaptureStatus *b, cuuint64_t *c, CUgraph *d, const CUgraphNode **e,
      const CUgraphEdgeData **f, size_t *g),
     (OWN(a), b, c, d, e, f, g))
SAME(cuStreamGetCtx_ptsz, cuStreamGetCtx, (CUstream a, CUcontext *b), (OWN(a), b))
SAME(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2, (CUstream a, CUcontext *b, CUgreenCtx *c), (OWN(a), b, c))
SAME(cuStreamGetDevice_ptsz, cuStreamGetDevice, (CUstream a, CUdevice *b), (OWN(a), b))
SAME(cuStreamGetFlags_ptsz, cuStreamGetFlags, (CUstream a, unsigned int *b), (OWN(a), b))
SAME(cuStreamGetId_ptsz, cuStreamGetId, (CUstream a, unsigned long long *b), (OWN(a), b))
SAME(cuStreamGetPriority_ptsz, cuStreamGetPriority, (CUstream a, int *b), (OWN(a), b))
SAME(cuStreamIsCapturing_ptsz, cuStreamIsCapturing, (CUstream a, CUstreamCaptureStatus *b), (OWN(a), b))
SAME(cuStreamQuery_ptsz, cuStreamQuery, (CUstream a), (OWN(a)))
SAME(cuStreamSetAttribute_ptsz, cuStreamSetAttribute,
     (CUstream a, CUstreamAttrID b, const CUstreamAttrValue *c), (OWN(a), b, c))
SAME(cuStreamSynchronize_ptsz, cuStreamSynchronize, (CUstream a), (OWN(a)))
SAME(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2,
     (CUstream a, CUgraphNode *b, const CUgraphEdgeData *c, size_t d, unsigned int e), (OWN(a), b, c, d, e))
SAME(cuStreamWaitEvent_ptsz, cuStreamWaitEvent, (CUstream a, CUevent b, unsigned int c), (OWN(a), b, c))
SAME(cuStreamWaitValue32_v2_ptsz, cuStreamWaitValue32_v2,
     (CUstream a, CUdeviceptr b, cuuint32_t c, unsigned int d), (OWN(a), b, c, d))
SAME(cuStreamWaitValue64_v2_ptsz, cuStreamWaitValue64_v2,
     (CUstream a, CUdeviceptr b, cuuint64_t c, unsigned int d), (OWN(a), b, c, d))
SAME(cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32_v2,
     (CUstream a, CUdeviceptr b, cuuint32_t c, unsigned int d), (OWN(a), b, c, d))
SAME(cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64_v2,
     (CUstream a, CUdeviceptr b, cuuint64_t c, unsigned int d), (OWN(a), b, c, d))

SAME(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams,
     (CUgraphExec * a, CUgraph b, CUDA_GRAPH_INSTANTIATE_PARAMS *c), (a, b, c))

SAME(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync, (CUdeviceptr a, size_t b, CUdevice c, CUstream d),
     (a, b, c, OWN(d)))
SAME(cuStreamBeginCapture_ptsz, cuStreamBeginCapture_v2, (CUstream a),
     (OWN(a), CU_STREAM_CAPTURE_MODE_GLOBAL))
SAME(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo_v3,
     (CUstream a, CUstreamCaptureStatus *b, cuuint64_t *c), (OWN(a), b, c, NULL, NULL, NULL, NULL))
SAME(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v3,
     (CUstream a, CUstreamCaptureStatus *b, cuuint64_t *c, CUgraph *d, const CUgraphNode **e, size_t *f),
     (OWN(a), b, c, d, e, NULL, f))
SAME(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies_v2,
     (CUstream a, CUgraphNode *b, size_t c, unsigned d), (OWN(a), b, NULL, c, d))
SAME(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2, (CUstream a, CUdeviceptr b, cuuint32_t c, unsigned d),
     (OWN(a), b, c, d))
SAME(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2, (CUstream a, CUdeviceptr b, cuuint64_t c, unsigned d),
     (OWN(a), b, c, d))
SAME(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2,
     (CUstream a, CUdeviceptr b, cuuint32_t c, unsigned d), (OWN(a), b, c, d))
SAME(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2,
     (CUstream a, CUdeviceptr b, cuuint64_t c, unsigned d), (OWN(a), b, c, d))
SAME(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2,
     (CUstream a, unsigned b, CUstreamBatchMemOpParams *c, unsigned d), (OWN(a), b, c, d))

CUDA_EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params,
                                           void **extra);
CUDA_EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **params,
                                           void **extra) {
  NEED(config);
  CUlaunchConfig own = *config;
  own.hStream = OWN(own.hStream);
  return cuLaunchKernelEx(&own, f, params, extra);
}
