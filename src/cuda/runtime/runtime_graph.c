/* Graphs of the runtime: the driver's graphs, with kernels named by their host stubs and copies described as in the runtime. */
#include "cuda/runtime/runtime.h"

#include <string.h>

/* ---- parameters ---- */

static CUresult kernel_params(CUDA_KERNEL_NODE_PARAMS *out, const struct cudaKernelNodeParams *p) {
  *out = (CUDA_KERNEL_NODE_PARAMS){.gridDimX = p->gridDim.x,
                                   .gridDimY = p->gridDim.y,
                                   .gridDimZ = p->gridDim.z,
                                   .blockDimX = p->blockDim.x,
                                   .blockDimY = p->blockDim.y,
                                   .blockDimZ = p->blockDim.z,
                                   .sharedMemBytes = p->sharedMemBytes,
                                   .kernelParams = p->kernelParams,
                                   .extra = p->extra};
  CUresult r = rt_function(&out->func, p->func);
  return r;
}

static CUDA_MEMSET_NODE_PARAMS memset_params(const struct cudaMemsetParams *p) {
  return (CUDA_MEMSET_NODE_PARAMS){.dst = rt_ptr(p->dst),
                                   .pitch = p->pitch,
                                   .value = p->value,
                                   .elementSize = p->elementSize,
                                   .width = p->width,
                                   .height = p->height};
}

static CUDA_HOST_NODE_PARAMS host_params(const struct cudaHostNodeParams *p) {
  return (CUDA_HOST_NODE_PARAMS){.fn = p->fn, .userData = p->userData};
}

/* The common form of every kind of node. */
static cudaError_t node_params(CUgraphNodeParams *out, const struct cudaGraphNodeParams *p) {
  *out = (CUgraphNodeParams){.type = (CUgraphNodeType)p->type};
  switch (p->type) {
  case cudaGraphNodeTypeKernel: {
    out->kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.gridDimX = p->kernel.gridDim.x,
                                               .gridDimY = p->kernel.gridDim.y,
                                               .gridDimZ = p->kernel.gridDim.z,
                                               .blockDimX = p->kernel.blockDim.x,
                                               .blockDimY = p->kernel.blockDim.y,
                                               .blockDimZ = p->kernel.blockDim.z,
                                               .sharedMemBytes = p->kernel.sharedMemBytes,
                                               .kernelParams = p->kernel.kernelParams,
                                               .extra = p->kernel.extra};
    return (cudaError_t)rt_function(&out->kernel.func, p->kernel.func);
  }
  case cudaGraphNodeTypeMemcpy: return rt_copy_box(&out->memcpy.copyParams, &p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    out->memset = (CUDA_MEMSET_NODE_PARAMS_v2){.dst = rt_ptr(p->memset.dst),
                                               .pitch = p->memset.pitch,
                                               .value = p->memset.value,
                                               .elementSize = p->memset.elementSize,
                                               .width = p->memset.width,
                                               .height = p->memset.height};
    return cudaSuccess;
  default: /* all others have the same layout in both */
    memcpy(out->reserved1, p->reserved1, sizeof out->reserved1);
    return cudaSuccess;
  }
}

#define ENTER_KERNEL(k, p)                                                                                   \
  RT_NEED(p);                                                                                                \
  RT_ENTER();                                                                                                \
  CUDA_KERNEL_NODE_PARAMS k;                                                                                 \
  do {                                                                                                       \
    CUresult r_ = kernel_params(&k, p);                                                                      \
    if (r_ != CUDA_SUCCESS)                                                                                  \
      return rt_fail(r_ == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : (cudaError_t)r_);         \
  } while (0)
#define ENTER_BOX(c, p)                                                                                      \
  RT_NEED(p);                                                                                                \
  RT_ENTER();                                                                                                \
  CUDA_MEMCPY3D c;                                                                                           \
  do {                                                                                                       \
    cudaError_t e_ = rt_copy_box(&c, p);                                                                     \
    if (e_ != cudaSuccess) return rt_fail(e_);                                                               \
  } while (0)
#define ENTER_LINE(c, to, from, n, kind)                                                                     \
  RT_ENTER();                                                                                                \
  CUDA_MEMCPY3D c;                                                                                           \
  do {                                                                                                       \
    cudaError_t e_ = rt_copy_line(&c, to, from, n, kind);                                                    \
    if (e_ != cudaSuccess) return rt_fail(e_);                                                               \
  } while (0)

/* ---- graphs ---- */

RT(cudaGraphCreate, (cudaGraph_t * g, unsigned flags), cuGraphCreate(g, flags))
RT(cudaGraphDestroy, (cudaGraph_t g), cuGraphDestroy(g))
RT(cudaGraphClone, (cudaGraph_t * out, cudaGraph_t g), cuGraphClone(out, g))
RT(cudaGraphDestroyNode, (cudaGraphNode_t n), cuGraphDestroyNode(n))
RT(cudaGraphDebugDotPrint, (cudaGraph_t g, const char *path, unsigned flags),
   cuGraphDebugDotPrint(g, path, flags))
RT(cudaGraphGetNodes, (cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n), cuGraphGetNodes(g, nodes, n))
RT(cudaGraphGetRootNodes, (cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n),
   cuGraphGetRootNodes(g, nodes, n))
RT(cudaGraphGetEdges,
   (cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n),
   cuGraphGetEdges_v2(g, from, to, (CUgraphEdgeData *)edges, n))
RT(cudaGraphNodeGetDependencies,
   (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges, size_t *n),
   cuGraphNodeGetDependencies_v2(node, deps, (CUgraphEdgeData *)edges, n))
RT(cudaGraphNodeGetDependentNodes,
   (cudaGraphNode_t node, cudaGraphNode_t *after, cudaGraphEdgeData *edges, size_t *n),
   cuGraphNodeGetDependentNodes_v2(node, after, (CUgraphEdgeData *)edges, n))
RT(cudaGraphAddDependencies,
   (cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
    size_t n),
   cuGraphAddDependencies_v2(g, from, to, (const CUgraphEdgeData *)edges, n))
RT(cudaGraphRemoveDependencies,
   (cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
    size_t n),
   cuGraphRemoveDependencies_v2(g, from, to, (const CUgraphEdgeData *)edges, n))
RT(cudaGraphNodeGetType, (cudaGraphNode_t n, enum cudaGraphNodeType *type),
   cuGraphNodeGetType(n, (CUgraphNodeType *)type))
RT(cudaGraphNodeFindInClone, (cudaGraphNode_t * out, cudaGraphNode_t n, cudaGraph_t clone),
   cuGraphNodeFindInClone(out, n, clone))
RT(cudaUserObjectCreate,
   (cudaUserObject_t * out, void *p, cudaHostFn_t destroy, unsigned refs, unsigned flags),
   cuUserObjectCreate(out, p, destroy, refs, flags))
RT(cudaUserObjectRetain, (cudaUserObject_t u, unsigned n), cuUserObjectRetain(u, n))
RT(cudaUserObjectRelease, (cudaUserObject_t u, unsigned n), cuUserObjectRelease(u, n))
RT(cudaGraphRetainUserObject, (cudaGraph_t g, cudaUserObject_t u, unsigned n, unsigned flags),
   cuGraphRetainUserObject(g, u, n, flags))
RT(cudaGraphReleaseUserObject, (cudaGraph_t g, cudaUserObject_t u, unsigned n),
   cuGraphReleaseUserObject(g, u, n))

/* ---- adding nodes ---- */

#define AT cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t n

CUDA_EXPORT cudaError_t cudaGraphAddKernelNode(AT, const struct cudaKernelNodeParams *p) {
  ENTER_KERNEL(k, p);
  return rt_done(cuGraphAddKernelNode_v2(out, g, deps, n, &k));
}
CUDA_EXPORT cudaError_t cudaGraphAddMemcpyNode(AT, const struct cudaMemcpy3DParms *p) {
  ENTER_BOX(c, p);
  return rt_done(cuGraphAddMemcpyNode(out, g, deps, n, &c, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphAddMemcpyNode1D(AT, void *to, const void *from, size_t bytes,
                                                 enum cudaMemcpyKind kind) {
  ENTER_LINE(c, to, from, bytes, kind);
  return rt_done(cuGraphAddMemcpyNode(out, g, deps, n, &c, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphAddMemsetNode(AT, const struct cudaMemsetParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_MEMSET_NODE_PARAMS m = memset_params(p);
  return rt_done(cuGraphAddMemsetNode(out, g, deps, n, &m, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphAddHostNode(AT, const struct cudaHostNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_HOST_NODE_PARAMS h = host_params(p);
  return rt_done(cuGraphAddHostNode(out, g, deps, n, &h));
}
RT(cudaGraphAddChildGraphNode, (AT, cudaGraph_t child), cuGraphAddChildGraphNode(out, g, deps, n, child))
RT(cudaGraphAddEmptyNode, (AT), cuGraphAddEmptyNode(out, g, deps, n))
RT(cudaGraphAddEventRecordNode, (AT, cudaEvent_t e), cuGraphAddEventRecordNode(out, g, deps, n, e))
RT(cudaGraphAddEventWaitNode, (AT, cudaEvent_t e), cuGraphAddEventWaitNode(out, g, deps, n, e))
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "one layout");
RT(cudaGraphAddMemAllocNode, (AT, struct cudaMemAllocNodeParams *p),
   cuGraphAddMemAllocNode(out, g, deps, n, (CUDA_MEM_ALLOC_NODE_PARAMS *)p))
RT(cudaGraphAddMemFreeNode, (AT, void *p), cuGraphAddMemFreeNode(out, g, deps, n, rt_ptr(p)))

static cudaError_t symbol_address(void **at, const void *symbol, size_t n, size_t offset) {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  RT_ENTER();
  cudaError_t e = rt_symbol(&base, &bytes, symbol);
  if (e != cudaSuccess) return rt_fail(e);
  RT_NEED(offset <= bytes && n <= bytes - offset);
  *at = (void *)(uintptr_t)(base + offset);
  return cudaSuccess;
}
/* Calls that name a symbol become calls that name its address. */
#define WITH_SYMBOL(call)                                                                                    \
  void *at = NULL;                                                                                           \
  cudaError_t e = symbol_address(&at, symbol, bytes, offset);                                                \
  return e != cudaSuccess ? e : call

CUDA_EXPORT cudaError_t cudaGraphAddMemcpyNodeToSymbol(AT, const void *symbol, const void *from, size_t bytes,
                                                       size_t offset, enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphAddMemcpyNode1D(out, g, deps, n, at, from, bytes, kind));
}
CUDA_EXPORT cudaError_t cudaGraphAddMemcpyNodeFromSymbol(AT, void *to, const void *symbol, size_t bytes,
                                                         size_t offset, enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphAddMemcpyNode1D(out, g, deps, n, to, at, bytes, kind));
}

CUDA_EXPORT cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                         const cudaGraphEdgeData *edges, size_t n,
                                         struct cudaGraphNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUgraphNodeParams d;
  cudaError_t e = node_params(&d, p);
  if (e != cudaSuccess) return rt_fail(e);
  CUresult r = cuGraphAddNode_v2(out, g, deps, (const CUgraphEdgeData *)edges, n, &d);
  if (r == CUDA_SUCCESS && p->type == cudaGraphNodeTypeMemAlloc)
    p->alloc.dptr = (void *)(uintptr_t)d.alloc.dptr;
  if (r == CUDA_SUCCESS && p->type == cudaGraphNodeTypeGraph)
    cuGraphChildGraphNodeGetGraph(*out, &p->graph.graph);
  if (r == CUDA_SUCCESS && p->type == cudaGraphNodeTypeConditional) p->conditional.phGraph_out = d.conditional.phGraph_out;
  return rt_done(r);
}

RT(cudaGraphConditionalHandleCreate, (cudaGraphConditionalHandle * out, cudaGraph_t g, unsigned first, unsigned flags),
   cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)out, g, NULL, first, flags))

/* ---- parameters of nodes ---- */

CUDA_EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_KERNEL_NODE_PARAMS k;
  CUresult r = cuGraphKernelNodeGetParams_v2(node, &k);
  if (r == CUDA_SUCCESS)
    *p = (struct cudaKernelNodeParams){.func = k.func ? (void *)k.func : (void *)k.kern,
                                       .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
                                       .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
                                       .sharedMemBytes = k.sharedMemBytes,
                                       .kernelParams = k.kernelParams,
                                       .extra = k.extra};
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                     const struct cudaKernelNodeParams *p) {
  ENTER_KERNEL(k, p);
  return rt_done(cuGraphKernelNodeSetParams_v2(node, &k));
}
RT(cudaGraphKernelNodeGetAttribute,
   (cudaGraphNode_t n, cudaLaunchAttributeID id, cudaLaunchAttributeValue *v),
   cuGraphKernelNodeGetAttribute(n, (CUkernelNodeAttrID)id, (CUkernelNodeAttrValue *)v))
RT(cudaGraphKernelNodeSetAttribute,
   (cudaGraphNode_t n, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v),
   cuGraphKernelNodeSetAttribute(n, (CUkernelNodeAttrID)id, (const CUkernelNodeAttrValue *)v))
RT(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t to, cudaGraphNode_t from),
   cuGraphKernelNodeCopyAttributes(to, from))

CUDA_EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_MEMCPY3D c;
  CUresult r = cuGraphMemcpyNodeGetParams(node, &c);
  if (r == CUDA_SUCCESS) rt_copy_back(p, &c);
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                     const struct cudaMemcpy3DParms *p) {
  ENTER_BOX(c, p);
  return rt_done(cuGraphMemcpyNodeSetParams(node, &c));
}
CUDA_EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                                       size_t bytes, enum cudaMemcpyKind kind) {
  ENTER_LINE(c, to, from, bytes, kind);
  return rt_done(cuGraphMemcpyNodeSetParams(node, &c));
}
CUDA_EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                             const void *from, size_t bytes, size_t offset,
                                                             enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphMemcpyNodeSetParams1D(node, at, from, bytes, kind));
}
CUDA_EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                               const void *symbol, size_t bytes,
                                                               size_t offset, enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphMemcpyNodeSetParams1D(node, to, at, bytes, kind));
}
CUDA_EXPORT cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_MEMSET_NODE_PARAMS m;
  CUresult r = cuGraphMemsetNodeGetParams(node, &m);
  if (r == CUDA_SUCCESS)
    *p = (struct cudaMemsetParams){
        (void *)(uintptr_t)m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_MEMSET_NODE_PARAMS m = memset_params(p);
  return rt_done(cuGraphMemsetNodeSetParams(node, &m));
}
CUDA_EXPORT cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_HOST_NODE_PARAMS h = {0};
  CUresult r = cuGraphHostNodeGetParams(node, &h);
  *p = (struct cudaHostNodeParams){h.fn, h.userData};
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_HOST_NODE_PARAMS h = host_params(p);
  return rt_done(cuGraphHostNodeSetParams(node, &h));
}
RT(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t n, cudaGraph_t *g), cuGraphChildGraphNodeGetGraph(n, g))
RT(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t n, cudaEvent_t *e),
   cuGraphEventRecordNodeGetEvent(n, e))
RT(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t n, cudaEvent_t e), cuGraphEventRecordNodeSetEvent(n, e))
RT(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t n, cudaEvent_t *e), cuGraphEventWaitNodeGetEvent(n, e))
RT(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t n, cudaEvent_t e), cuGraphEventWaitNodeSetEvent(n, e))
RT(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t n, struct cudaMemAllocNodeParams *p),
   cuGraphMemAllocNodeGetParams(n, (CUDA_MEM_ALLOC_NODE_PARAMS *)p))
RT(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t n, void *p),
   cuGraphMemFreeNodeGetParams(n, (CUdeviceptr *)p))
CUDA_EXPORT cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUgraphNodeParams d;
  cudaError_t e = node_params(&d, p);
  return e != cudaSuccess ? rt_fail(e) : rt_done(cuGraphNodeSetParams(node, &d));
}

/* ---- executable graphs ---- */

RT(cudaGraphInstantiate, (cudaGraphExec_t * e, cudaGraph_t g, unsigned long long flags),
   cuGraphInstantiateWithFlags(e, g, flags))
RT(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * e, cudaGraph_t g, unsigned long long flags),
   cuGraphInstantiateWithFlags(e, g, flags))
RT(cudaGraphInstantiateWithParams, (cudaGraphExec_t * e, cudaGraph_t g, cudaGraphInstantiateParams *p),
   cuGraphInstantiateWithParams(e, g, (CUDA_GRAPH_INSTANTIATE_PARAMS *)p))
RT(cudaGraphExecDestroy, (cudaGraphExec_t e), cuGraphExecDestroy(e))
RT(cudaGraphExecGetFlags, (cudaGraphExec_t e, unsigned long long *flags),
   cuGraphExecGetFlags(e, (cuuint64_t *)flags))
RT(cudaGraphLaunch, (cudaGraphExec_t e, cudaStream_t s), cuGraphLaunch(e, s))
RT(cudaGraphUpload, (cudaGraphExec_t e, cudaStream_t s), cuGraphUpload(e, s))
RT(cudaGraphNodeSetEnabled, (cudaGraphExec_t e, cudaGraphNode_t n, unsigned yes),
   cuGraphNodeSetEnabled(e, n, yes))
RT(cudaGraphNodeGetEnabled, (cudaGraphExec_t e, cudaGraphNode_t n, unsigned *yes),
   cuGraphNodeGetEnabled(e, n, yes))
RT(cudaGraphExecUpdate, (cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info),
   cuGraphExecUpdate_v2(e, g, (CUgraphExecUpdateResultInfo *)info))
RT(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t e, cudaGraphNode_t n, cudaEvent_t event),
   cuGraphExecEventRecordNodeSetEvent(e, n, event))
RT(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t e, cudaGraphNode_t n, cudaEvent_t event),
   cuGraphExecEventWaitNodeSetEvent(e, n, event))
RT(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t e, cudaGraphNode_t n, cudaGraph_t child),
   cuGraphExecChildGraphNodeSetParams(e, n, child))

#define IN cudaGraphExec_t exec, cudaGraphNode_t node
CUDA_EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(IN, const struct cudaKernelNodeParams *p) {
  ENTER_KERNEL(k, p);
  return rt_done(cuGraphExecKernelNodeSetParams_v2(exec, node, &k));
}
CUDA_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams(IN, const struct cudaMemcpy3DParms *p) {
  ENTER_BOX(c, p);
  return rt_done(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(IN, void *to, const void *from, size_t bytes,
                                                           enum cudaMemcpyKind kind) {
  ENTER_LINE(c, to, from, bytes, kind);
  return rt_done(cuGraphExecMemcpyNodeSetParams(exec, node, &c, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(IN, const void *symbol, const void *from,
                                                                 size_t bytes, size_t offset,
                                                                 enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphExecMemcpyNodeSetParams1D(exec, node, at, from, bytes, kind));
}
CUDA_EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(IN, void *to, const void *symbol,
                                                                   size_t bytes, size_t offset,
                                                                   enum cudaMemcpyKind kind) {
  WITH_SYMBOL(cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, at, bytes, kind));
}
CUDA_EXPORT cudaError_t cudaGraphExecMemsetNodeSetParams(IN, const struct cudaMemsetParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_MEMSET_NODE_PARAMS m = memset_params(p);
  return rt_done(cuGraphExecMemsetNodeSetParams(exec, node, &m, NULL));
}
CUDA_EXPORT cudaError_t cudaGraphExecHostNodeSetParams(IN, const struct cudaHostNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUDA_HOST_NODE_PARAMS h = host_params(p);
  return rt_done(cuGraphExecHostNodeSetParams(exec, node, &h));
}
CUDA_EXPORT cudaError_t cudaGraphExecNodeSetParams(IN, struct cudaGraphNodeParams *p) {
  RT_NEED(p);
  RT_ENTER();
  CUgraphNodeParams d;
  cudaError_t e = node_params(&d, p);
  return e != cudaSuccess ? rt_fail(e) : rt_done(cuGraphExecNodeSetParams(exec, node, &d));
}
