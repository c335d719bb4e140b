/* Node parameters in their common form, and operations made from them: shared by the files of entry points in this folder. */
#ifndef CUDA_GRAPH_PARAMS_H
#define CUDA_GRAPH_PARAMS_H

#include "cuda/state.h"

/* For entry points: the argument must be a graph, or a node of one. */
#define NEED_GRAPH(g)                                                                                        \
  do {                                                                                                       \
    if (!cuda_is(g, CUDA_K_GRAPH)) return CUDA_ERROR_INVALID_VALUE;                                          \
  } while (0)
#define NEED_NODE(n)                                                                                         \
  do {                                                                                                       \
    if (!cuda_is(n, CUDA_K_NODE)) return CUDA_ERROR_INVALID_VALUE;                                           \
  } while (0)

CUgraphNodeParams cuda_params_kernel(const CUDA_KERNEL_NODE_PARAMS *p);
CUDA_KERNEL_NODE_PARAMS cuda_params_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p);
CUgraphNodeParams cuda_params_memcpy(const CUDA_MEMCPY3D *p);
CUgraphNodeParams cuda_params_memset(const CUDA_MEMSET_NODE_PARAMS *p);
CUgraphNodeParams cuda_params_host(const CUDA_HOST_NODE_PARAMS *p);
CUgraphNodeParams cuda_params_event(CUgraphNodeType type, CUevent event);
CUgraphNodeParams cuda_params_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);

/* Makes the operation and checks it; an allocation's address is written into *p. */
CUresult cuda_op_from_params(struct cuda_op *op, CUgraphNodeParams *p);
/* Changes a node's parameters, of the same kind. */
CUresult cuda_node_set(struct CUgraphNode_st *n, CUgraphNodeParams *p);

#endif
