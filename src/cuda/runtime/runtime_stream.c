/* Streams, events and capture: one driver call each. */
#include "cuda/runtime/runtime.h"

RT(cudaStreamCreate, (cudaStream_t * s), cuStreamCreate(s, 0))
RT(cudaStreamCreateWithFlags, (cudaStream_t * s, unsigned flags), cuStreamCreate(s, flags))
RT(cudaStreamCreateWithPriority, (cudaStream_t * s, unsigned flags, int priority),
   cuStreamCreateWithPriority(s, flags, priority))
RT(cudaStreamDestroy, (cudaStream_t s), cuStreamDestroy_v2(s))
RT(cudaStreamSynchronize, (cudaStream_t s), cuStreamSynchronize(s))
RT(cudaStreamQuery, (cudaStream_t s), cuStreamQuery(s))
RT(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), cuStreamWaitEvent(s, e, flags))
RT(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags), cuStreamGetFlags(s, flags))
RT(cudaStreamGetPriority, (cudaStream_t s, int *priority), cuStreamGetPriority(s, priority))
RT(cudaStreamGetId, (cudaStream_t s, unsigned long long *id), cuStreamGetId(s, id))
RT(cudaStreamGetDevice, (cudaStream_t s, int *device), cuStreamGetDevice(s, device))
RT(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), cuStreamCopyAttributes(to, from))
RT(cudaStreamSetAttribute, (cudaStream_t s, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v),
   cuStreamSetAttribute(s, (CUstreamAttrID)id, (const CUstreamAttrValue *)v))
RT(cudaStreamGetAttribute, (cudaStream_t s, cudaLaunchAttributeID id, cudaLaunchAttributeValue *v),
   cuStreamGetAttribute(s, (CUstreamAttrID)id, (CUstreamAttrValue *)v))

/* The two kinds of callback differ only in the type of the status, whose numbers are the same. */
CUDA_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t fn, void *user,
                                              unsigned flags) {
  RT_ENTER();
  CUstreamCallback same;
  *(void **)&same = *(void **)&fn;
  return rt_done(cuStreamAddCallback(s, same, user, flags));
}

/* ---- events ---- */

RT(cudaEventCreate, (cudaEvent_t * e), cuEventCreate(e, 0))
RT(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags), cuEventCreate(e, flags))
RT(cudaEventDestroy, (cudaEvent_t e), cuEventDestroy_v2(e))
RT(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), cuEventRecord(e, s))
RT(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned flags),
   cuEventRecordWithFlags(e, s, flags))
RT(cudaEventQuery, (cudaEvent_t e), cuEventQuery(e))
RT(cudaEventSynchronize, (cudaEvent_t e), cuEventSynchronize(e))
RT(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end),
   cuEventElapsedTime_v2(ms, start, end))

/* ---- capture ---- */

_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "edge data is the driver's");

RT(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode mode),
   cuStreamBeginCapture_v2(s, (CUstreamCaptureMode)mode))
RT(cudaStreamBeginCaptureToGraph,
   (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n,
    enum cudaStreamCaptureMode mode),
   cuStreamBeginCaptureToGraph(s, g, deps, (const CUgraphEdgeData *)edges, n, (CUstreamCaptureMode)mode))
RT(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *g), cuStreamEndCapture(s, g))
RT(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *status),
   cuStreamIsCapturing(s, (CUstreamCaptureStatus *)status))
RT(cudaStreamGetCaptureInfo,
   (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *g,
    const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges, size_t *n),
   cuStreamGetCaptureInfo_v3(s, (CUstreamCaptureStatus *)status, (cuuint64_t *)id, g, deps,
                             (const CUgraphEdgeData **)edges, n))
RT(cudaStreamUpdateCaptureDependencies,
   (cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, unsigned flags),
   cuStreamUpdateCaptureDependencies_v2(s, deps, (const CUgraphEdgeData *)edges, n, flags))
RT(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode),
   cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode))
