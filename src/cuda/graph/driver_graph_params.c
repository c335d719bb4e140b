/* The entry points for the parameters of a graph's nodes, which can be read and changed, and for the attributes of its kernel nodes. Nodes
 * themselves are made in driver_graph.c; those of executable graphs are changed in driver_graph_exec.c. */
#include "cuda/graph/graph_params.h"
#include "cuda/state.h"

#include <string.h>

static CUresult node_of(struct CUgraphNode_st *n, enum cuda_op_kind kind) {
  NEED_NODE(n);
  NEED(n->op.kind == kind);
  return CUDA_SUCCESS;
}

CUresult cuda_node_set(struct CUgraphNode_st *n, CUgraphNodeParams *p) {
  struct cuda_op op;
  NEED(p->type == cuda_node_type(n) && p->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
       p->type != CU_GRAPH_NODE_TYPE_MEM_FREE);
  CHECK(cuda_op_from_params(&op, p));
  if (op.kind == CUDA_OP_KERNEL) {
    op.launch.cooperative = n->op.launch.cooperative;
    op.launch.priority = n->op.launch.priority;
    op.launch.window = n->op.launch.window;
    if (n->op.launch.cluster[0]) CHECK(cuda_launch_cluster(&op.launch, n->op.launch.cluster));
  }
  cuda_op_release(&n->op);
  n->op = op;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *p) {
  ENTER();
  NEED_NODE(n);
  NEED(p);
  return cuda_node_set(n, p);
}
CUDA_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p) {
  ENTER();
  NEED(p);
  CHECK(node_of(n, CUDA_OP_KERNEL));
  const struct cuda_launch *l = &n->op.launch;
  *p = (CUDA_KERNEL_NODE_PARAMS){.func = l->func,
                                 .gridDimX = l->grid[0],
                                 .gridDimY = l->grid[1],
                                 .gridDimZ = l->grid[2],
                                 .blockDimX = l->block[0],
                                 .blockDimY = l->block[1],
                                 .blockDimZ = l->block[2],
                                 .sharedMemBytes = l->dynamic_shared,
                                 .kernelParams = l->pointers};
  return CUDA_SUCCESS;
}
#undef cuGraphKernelNodeGetParams
CUDA_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1 *p);
CUDA_EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1 *p) {
  CUDA_KERNEL_NODE_PARAMS v2;
  NEED(p);
  CHECK(cuGraphKernelNodeGetParams_v2(n, &v2));
  memcpy(p, &v2, sizeof *p);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *k) {
  NEED(k);
  CUgraphNodeParams p = cuda_params_kernel(k);
  return cuGraphNodeSetParams(n, &p);
}
#undef cuGraphKernelNodeSetParams
CUDA_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *k);
CUDA_EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
  NEED(k);
  CUDA_KERNEL_NODE_PARAMS v2 = cuda_params_kernel_v1(k);
  return cuGraphKernelNodeSetParams_v2(n, &v2);
}
CUDA_EXPORT CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *c) {
  ENTER();
  NEED(c);
  CHECK(node_of(n, CUDA_OP_COPY));
  *c = n->op.copy;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *c) {
  NEED(c);
  CUgraphNodeParams p = cuda_params_memcpy(c);
  return cuGraphNodeSetParams(n, &p);
}
CUDA_EXPORT CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *p) {
  ENTER();
  NEED(p);
  CHECK(node_of(n, CUDA_OP_FILL));
  *p = (CUDA_MEMSET_NODE_PARAMS){.dst = n->op.fill.dst,
                                 .pitch = n->op.fill.pitch,
                                 .value = n->op.fill.value,
                                 .elementSize = n->op.fill.element,
                                 .width = n->op.fill.width,
                                 .height = n->op.fill.height};
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *m) {
  NEED(m);
  CUgraphNodeParams p = cuda_params_memset(m);
  return cuGraphNodeSetParams(n, &p);
}
CUDA_EXPORT CUresult cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *p) {
  ENTER();
  NEED(p);
  CHECK(node_of(n, CUDA_OP_HOST));
  *p = (CUDA_HOST_NODE_PARAMS){.fn = n->op.host.fn, .userData = n->op.host.user};
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h) {
  NEED(h);
  CUgraphNodeParams p = cuda_params_host(h);
  return cuGraphNodeSetParams(n, &p);
}
CUDA_EXPORT CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *g) {
  ENTER();
  NEED(g);
  CHECK(node_of(n, CUDA_OP_CHILD));
  *g = n->op.child;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *e) {
  ENTER();
  NEED(e);
  CHECK(node_of(n, CUDA_OP_RECORD));
  *e = n->op.event.event;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent e) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, e);
  return cuGraphNodeSetParams(n, &p);
}
CUDA_EXPORT CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *e) {
  ENTER();
  NEED(e);
  CHECK(node_of(n, CUDA_OP_WAIT));
  *e = n->op.event.event;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent e) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, e);
  return cuGraphNodeSetParams(n, &p);
}
CUDA_EXPORT CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p) {
  ENTER();
  NEED(p);
  CHECK(node_of(n, CUDA_OP_ALLOC));
  *p = (CUDA_MEM_ALLOC_NODE_PARAMS){
      .poolProps = cuda.default_pool->props, .bytesize = n->op.memory.bytes, .dptr = n->op.memory.address};
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *at) {
  ENTER();
  NEED(at);
  CHECK(node_of(n, CUDA_OP_FREE));
  *at = n->op.memory.address;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode n, CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  ENTER();
  NEED(p);
  CHECK(node_of(n, CUDA_OP_MEMORY));
  *p = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.count = n->op.batch.n, .paramArray = n->op.batch.items};
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *b) {
  NEED(b);
  CUgraphNodeParams p = cuda_params_batch(b);
  return cuGraphNodeSetParams(n, &p);
}

/* ---- attributes of kernel nodes ---- */

enum { ATTRIBUTES = 20 };

CUDA_EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, CUkernelNodeAttrID id,
                                                   const CUkernelNodeAttrValue *value) {
  ENTER();
  NEED(value && (unsigned)id < ATTRIBUTES);
  CHECK(node_of(n, CUDA_OP_KERNEL));
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) CHECK(cuda_launch_cluster(&n->op.launch, &value->clusterDim.x));
  if (id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
    NEED(cuda_window_is_valid(&value->accessPolicyWindow));
    cuda_launch_window(&n->op.launch, &value->accessPolicyWindow);
  }
  if (!n->attributes) n->attributes = must_alloc(ATTRIBUTES * sizeof *n->attributes);
  n->attributes[id] = *value;
  if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) n->op.launch.cooperative = value->cooperative != 0;
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) n->op.launch.priority = value->priority;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, CUkernelNodeAttrID id,
                                                   CUkernelNodeAttrValue *value) {
  ENTER();
  NEED(value && (unsigned)id < ATTRIBUTES);
  CHECK(node_of(n, CUDA_OP_KERNEL));
  *value = n->attributes ? n->attributes[id] : (CUkernelNodeAttrValue){0};
  if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = n->op.launch.cooperative;
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) memcpy(&value->clusterDim, n->op.launch.cluster, sizeof n->op.launch.cluster);
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = n->op.launch.priority;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  ENTER();
  CHECK(node_of(to, CUDA_OP_KERNEL));
  CHECK(node_of(from, CUDA_OP_KERNEL));
  to->op.launch.cooperative = from->op.launch.cooperative;
  to->op.launch.priority = from->op.launch.priority;
  to->op.launch.window = from->op.launch.window;
  if (from->op.launch.cluster[0]) CHECK(cuda_launch_cluster(&to->op.launch, from->op.launch.cluster));
  if (!from->attributes) return CUDA_SUCCESS;
  if (!to->attributes) to->attributes = must_alloc(ATTRIBUTES * sizeof *to->attributes);
  memcpy(to->attributes, from->attributes, ATTRIBUTES * sizeof *to->attributes);
  return CUDA_SUCCESS;
}
