/* Graphs: creation, nodes and edges. Every kind of node is made from CUgraphNodeParams in one place; the entry points for one kind fill in
 * that structure. Nodes for external semaphores are refused; conditional nodes are made in graph_condition.c. Memory of an allocation node
 * exists from the creation of the node, so that its address is known, until the last graph that names it is gone. */
#include "base/arena.h"
#include "cuda/graph/graph_params.h"
#include "cuda/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CUDA_EXPORT CUresult cuGraphCreate(CUgraph *out, unsigned flags) {
  ENTER();
  NEED(out && !flags);
  *out = cuda_graph_new();
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphDestroy(CUgraph g) {
  ENTER();
  NEED_GRAPH(g);
  NEED(!g->embedded);
  cuda_graph_delete(g);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphClone(CUgraph *out, CUgraph g) {
  ENTER();
  NEED(out);
  NEED_GRAPH(g);
  if (cuda_graph_has_conditions(g)) return CUDA_ERROR_NOT_SUPPORTED;
  *out = cuda_graph_copy(g);
  return CUDA_SUCCESS;
}

/* ---- operations from parameters ---- */

static CUresult kernel_op(struct cuda_op *op, const CUDA_KERNEL_NODE_PARAMS_v3 *p) {
  struct cuda_launch_request r = {.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                  .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                  .shared = p->sharedMemBytes,
                                  .params = p->kernelParams,
                                  .extra = p->extra};
  struct CUfunc_st *f;
  CHECK(cuda_function_of(&f, p->func ? p->func : (CUfunction)(void *)p->kern));
  return cuda_launch_prepare(op, f, &r);
}

static CUresult alloc_op(struct cuda_op *op, CUDA_MEM_ALLOC_NODE_PARAMS_v2 *p) {
  NEED(p->bytesize && p->poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  NEED_DEVICE(p->poolProps.location.id);
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, p->bytesize, CUDA_B_GRAPH, NULL));
  b->refs = 1;
  p->dptr = b->base;
  *op = (struct cuda_op){.kind = CUDA_OP_ALLOC, .memory = {b->base, b->bytes, true}};
  return CUDA_SUCCESS;
}

static CUresult event_op(struct cuda_op *op, CUevent event, enum cuda_op_kind kind) {
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  *op = (struct cuda_op){.kind = (uint8_t)kind, .event = {.event = event}};
  cuda_event_keep(event);
  return CUDA_SUCCESS;
}

static CUresult child_op(struct cuda_op *op, CUDA_CHILD_GRAPH_NODE_PARAMS *p) {
  NEED_GRAPH(p->graph);
  if (cuda_graph_has_conditions(p->graph)) return CUDA_ERROR_NOT_SUPPORTED;
  *op = (struct cuda_op){.kind = CUDA_OP_CHILD, .child = cuda_graph_copy(p->graph)};
  op->child->embedded = true;
  return CUDA_SUCCESS;
}

static CUresult batch_op(struct cuda_op *op, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *p) {
  NEED(p->count && p->count <= 256 && p->paramArray && !p->flags);
  size_t bytes = p->count * sizeof *p->paramArray;
  *op = (struct cuda_op){.kind = CUDA_OP_MEMORY, .batch = {.items = must_alloc(bytes), .n = p->count}};
  memcpy(op->batch.items, p->paramArray, bytes);
  return CUDA_SUCCESS;
}

CUresult cuda_op_from_params(struct cuda_op *op, CUgraphNodeParams *p) {
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_op(op, &p->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    *op = (struct cuda_op){.kind = CUDA_OP_COPY, .copy = p->memcpy.copyParams};
    return cuda_copy_check(&op->copy);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    *op = (struct cuda_op){.kind = CUDA_OP_FILL,
                           .fill = {p->memset.dst, p->memset.pitch, p->memset.width, p->memset.height,
                                    p->memset.value, p->memset.elementSize}};
    NEED(op->fill.width && op->fill.height);
    return cuda_fill_check(op);
  case CU_GRAPH_NODE_TYPE_HOST:
    NEED(p->host.fn);
    *op = (struct cuda_op){.kind = CUDA_OP_HOST, .host = {p->host.fn, p->host.userData}};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_GRAPH: return child_op(op, &p->graph);
  case CU_GRAPH_NODE_TYPE_EMPTY: *op = (struct cuda_op){.kind = CUDA_OP_EMPTY}; return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return event_op(op, p->eventWait.event, CUDA_OP_WAIT);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return event_op(op, p->eventRecord.event, CUDA_OP_RECORD);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return alloc_op(op, &p->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    NEED(cuda_block_at(p->free.dptr));
    *op = (struct cuda_op){.kind = CUDA_OP_FREE, .memory = {.address = p->free.dptr}};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return batch_op(op, &p->memOp);
  default:
    cuda_say("graph nodes of type %d are not supported", (int)p->type);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

/* ---- adding ---- */

static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, const CUgraphEdgeData *edges,
                    size_t n, CUgraphNodeParams *p) {
  ENTER();
  NEED(out);
  NEED_GRAPH(g);
  NEED(cuda_graph_nodes_ok(g, deps, n));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) NEED(deps[i] != deps[k]);
  struct cuda_op op;
  CHECK(p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ? cuda_condition_op(&op, g, &p->conditional) : cuda_op_from_params(&op, p));
  *out = cuda_graph_add(g, deps, edges, n, &op);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *deps,
                                       const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p) {
  NEED(p);
  return add(out, g, deps, edges, n, p);
}
#undef cuGraphAddNode
CUDA_EXPORT CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                    CUgraphNodeParams *p);
CUDA_EXPORT CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                    CUgraphNodeParams *p) {
  NEED(p);
  return add(out, g, deps, NULL, n, p);
}

CUgraphNodeParams cuda_params_kernel(const CUDA_KERNEL_NODE_PARAMS *p) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_KERNEL,
                             .kernel = {.func = p->func,
                                        .gridDimX = p->gridDimX,
                                        .gridDimY = p->gridDimY,
                                        .gridDimZ = p->gridDimZ,
                                        .blockDimX = p->blockDimX,
                                        .blockDimY = p->blockDimY,
                                        .blockDimZ = p->blockDimZ,
                                        .sharedMemBytes = p->sharedMemBytes,
                                        .kernelParams = p->kernelParams,
                                        .extra = p->extra,
                                        .kern = p->kern,
                                        .ctx = p->ctx}};
}
CUDA_KERNEL_NODE_PARAMS cuda_params_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
  CUDA_KERNEL_NODE_PARAMS v2 = {0};
  memcpy(&v2, p, sizeof *p);
  return v2;
}
CUgraphNodeParams cuda_params_memcpy(const CUDA_MEMCPY3D *p) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyParams = *p}};
}
CUgraphNodeParams cuda_params_memset(const CUDA_MEMSET_NODE_PARAMS *p) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET,
                             .memset = {.dst = p->dst,
                                        .pitch = p->pitch,
                                        .value = p->value,
                                        .elementSize = p->elementSize,
                                        .width = p->width,
                                        .height = p->height}};
}
CUgraphNodeParams cuda_params_host(const CUDA_HOST_NODE_PARAMS *p) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {.fn = p->fn, .userData = p->userData}};
}
CUgraphNodeParams cuda_params_event(CUgraphNodeType type, CUevent event) {
  CUgraphNodeParams p = {.type = type};
  if (type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    p.eventWait.event = event;
  else
    p.eventRecord.event = event;
  return p;
}
CUgraphNodeParams cuda_params_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return (CUgraphNodeParams){
      .type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
      .memOp = {.ctx = p->ctx, .count = p->count, .paramArray = p->paramArray, .flags = p->flags}};
}

CUDA_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                             const CUDA_KERNEL_NODE_PARAMS *k) {
  NEED(k);
  CUgraphNodeParams p = cuda_params_kernel(k);
  return add(out, g, deps, NULL, n, &p);
}
#undef cuGraphAddKernelNode
CUDA_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                          const CUDA_KERNEL_NODE_PARAMS_v1 *k);
CUDA_EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                          const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
  NEED(k);
  CUDA_KERNEL_NODE_PARAMS v2 = cuda_params_kernel_v1(k);
  return cuGraphAddKernelNode_v2(out, g, deps, n, &v2);
}
CUDA_EXPORT CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                          const CUDA_MEMCPY3D *c, CUcontext ctx) {
  (void)ctx;
  NEED(c);
  CUgraphNodeParams p = cuda_params_memcpy(c);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                          const CUDA_MEMSET_NODE_PARAMS *m, CUcontext ctx) {
  (void)ctx;
  NEED(m);
  CUgraphNodeParams p = cuda_params_memset(m);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                        const CUDA_HOST_NODE_PARAMS *h) {
  NEED(h);
  CUgraphNodeParams p = cuda_params_host(h);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                              CUgraph child) {
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};
  NEED(child != g);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n) {
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                               CUevent event) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                             CUevent event) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                            CUDA_MEM_ALLOC_NODE_PARAMS *a) {
  NEED(a);
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                         .alloc = {.poolProps = a->poolProps,
                                   .accessDescs = a->accessDescs,
                                   .accessDescCount = a->accessDescCount,
                                   .bytesize = a->bytesize}};
  CHECK(add(out, g, deps, NULL, n, &p));
  a->dptr = p.alloc.dptr;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                           CUdeviceptr at) {
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {.dptr = at}};
  return add(out, g, deps, NULL, n, &p);
}
CUDA_EXPORT CUresult cuGraphAddBatchMemOpNode(CUgraphNode *out, CUgraph g, const CUgraphNode *deps, size_t n,
                                              const CUDA_BATCH_MEM_OP_NODE_PARAMS *b) {
  NEED(b);
  CUgraphNodeParams p = cuda_params_batch(b);
  return add(out, g, deps, NULL, n, &p);
}

/* ---- the shape of a graph ---- */

/* Fills a list of at most *n entries; then *n is the number of entries that exist (without a list) or were filled in. */
struct listing {
  CUgraphNode *from, *to;
  CUgraphEdgeData *edges;
  size_t capacity, n;
};
static void list(struct listing *l, CUgraphNode from, CUgraphNode to, CUgraphEdgeData edge) {
  if (l->n < l->capacity) {
    if (l->from) l->from[l->n] = from;
    if (l->to) l->to[l->n] = to;
    if (l->edges) l->edges[l->n] = edge;
  }
  l->n++;
}
static CUresult listed(const struct listing *l, size_t *n) {
  if (l->from || l->to)
    for (size_t i = l->n; i < l->capacity; i++) {
      if (l->from) l->from[i] = NULL;
      if (l->to) l->to[i] = NULL;
    }
  *n = (l->from || l->to) && l->n > l->capacity ? l->capacity : l->n;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *n) {
  ENTER();
  NEED(n);
  NEED_GRAPH(g);
  struct listing l = {.from = nodes, .capacity = nodes ? *n : 0};
  for (size_t i = 0; i < g->n_nodes; i++) list(&l, g->nodes[i], NULL, (CUgraphEdgeData){0});
  return listed(&l, n);
}
CUDA_EXPORT CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *nodes, size_t *n) {
  ENTER();
  NEED(n);
  NEED_GRAPH(g);
  struct listing l = {.from = nodes, .capacity = nodes ? *n : 0};
  for (size_t i = 0; i < g->n_nodes; i++)
    if (!g->nodes[i]->n_deps) list(&l, g->nodes[i], NULL, (CUgraphEdgeData){0});
  return listed(&l, n);
}
CUDA_EXPORT CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                                        size_t *n) {
  ENTER();
  NEED(n && !from == !to);
  NEED_GRAPH(g);
  struct listing l = {.from = from, .to = to, .edges = edges, .capacity = from ? *n : 0};
  for (size_t i = 0; i < g->n_nodes; i++)
    for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
      list(&l, g->nodes[i]->deps[k], g->nodes[i], g->nodes[i]->edges[k]);
  return listed(&l, n);
}
CUDA_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *deps,
                                                   CUgraphEdgeData *edges, size_t *n) {
  ENTER();
  NEED(n);
  NEED_NODE(node);
  struct listing l = {.from = deps, .edges = edges, .capacity = deps ? *n : 0};
  for (size_t k = 0; k < node->n_deps; k++) list(&l, node->deps[k], NULL, node->edges[k]);
  return listed(&l, n);
}
CUDA_EXPORT CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *after,
                                                     CUgraphEdgeData *edges, size_t *n) {
  ENTER();
  NEED(n);
  NEED_NODE(node);
  struct listing l = {.from = after, .edges = edges, .capacity = after ? *n : 0};
  const struct CUgraph_st *g = node->graph;
  for (size_t i = 0; i < g->n_nodes; i++)
    for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
      if (g->nodes[i]->deps[k] == node) list(&l, g->nodes[i], NULL, g->nodes[i]->edges[k]);
  return listed(&l, n);
}
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
CUDA_EXPORT CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n);
CUDA_EXPORT CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n) {
  return cuGraphGetEdges_v2(g, from, to, NULL, n);
}
CUDA_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *deps, size_t *n);
CUDA_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *deps, size_t *n) {
  return cuGraphNodeGetDependencies_v2(node, deps, NULL, n);
}
CUDA_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *after, size_t *n);
CUDA_EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *after, size_t *n) {
  return cuGraphNodeGetDependentNodes_v2(node, after, NULL, n);
}

CUDA_EXPORT CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                               const CUgraphEdgeData *edges, size_t n) {
  ENTER();
  NEED_GRAPH(g);
  NEED(cuda_graph_nodes_ok(g, from, n) && cuda_graph_nodes_ok(g, to, n));
  for (size_t i = 0; i < n; i++)
    NEED(from[i] != to[i] && cuda_graph_depend(to[i], from[i], edges ? &edges[i] : NULL));
  return CUDA_SUCCESS;
}

static bool undepend(struct CUgraphNode_st *node, const struct CUgraphNode_st *on) {
  for (size_t i = 0; i < node->n_deps; i++) {
    if (node->deps[i] != on) continue;
    node->n_deps--;
    memmove(node->deps + i, node->deps + i + 1, (node->n_deps - i) * sizeof *node->deps);
    memmove(node->edges + i, node->edges + i + 1, (node->n_deps - i) * sizeof *node->edges);
    free(node->graph->order);
    node->graph->order = NULL;
    return true;
  }
  return false;
}

CUDA_EXPORT CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                                  const CUgraphEdgeData *edges, size_t n) {
  ENTER();
  (void)edges;
  NEED_GRAPH(g);
  NEED(cuda_graph_nodes_ok(g, from, n) && cuda_graph_nodes_ok(g, to, n));
  for (size_t i = 0; i < n; i++) NEED(undepend(to[i], from[i]));
  return CUDA_SUCCESS;
}
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
CUDA_EXPORT CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                            size_t n);
CUDA_EXPORT CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                            size_t n) {
  return cuGraphAddDependencies_v2(g, from, to, NULL, n);
}
CUDA_EXPORT CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                               size_t n);
CUDA_EXPORT CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                               size_t n) {
  return cuGraphRemoveDependencies_v2(g, from, to, NULL, n);
}

CUDA_EXPORT CUresult cuGraphDestroyNode(CUgraphNode node) {
  ENTER();
  NEED_NODE(node);
  struct CUgraph_st *g = node->graph;
  for (size_t i = 0; i < g->n_nodes; i++) undepend(g->nodes[i], node);
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i] == node) {
      g->n_nodes--;
      memmove(g->nodes + i, g->nodes + i + 1, (g->n_nodes - i) * sizeof *g->nodes);
      break;
    }
  free(g->order);
  g->order = NULL;
  cuda_op_release(&node->op);
  free(node->deps);
  free(node->edges);
  free(node->attributes);
  cuda_object_delete(node);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *type) {
  ENTER();
  NEED(type);
  NEED_NODE(n);
  *type = cuda_node_type(n);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
  ENTER();
  NEED(out);
  NEED_GRAPH(clone);
  for (size_t i = 0; i < clone->n_nodes; i++)
    if (clone->nodes[i]->source == original) {
      *out = clone->nodes[i];
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUDA_EXPORT CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags) {
  static const char *const names[] = {"KERNEL",    "MEMCPY",     "MEMSET", "HOST",       "GRAPH",
                                      "EMPTY",     "WAIT_EVENT", "RECORD", "EXT_SIGNAL", "EXT_WAIT",
                                      "MEM_ALLOC", "MEM_FREE",   "MEM_OP", "CONDITIONAL"};
  ENTER();
  (void)flags;
  NEED(path);
  NEED_GRAPH(g);
  FILE *f = fopen(path, "w");
  if (!f) return CUDA_ERROR_OPERATING_SYSTEM;
  fprintf(f, "digraph heddle {\n");
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct CUgraphNode_st *n = g->nodes[i];
    bool kernel = n->op.kind == CUDA_OP_KERNEL && cuda_is(n->op.launch.func, CUDA_K_FUNCTION);
    fprintf(f, "  n%zu [label=\"%zu %s%s%s\"];\n", i, i, names[cuda_node_type(n)], kernel ? "\\n" : "",
            kernel ? n->op.launch.func->func->ptx->name : "");
  }
  for (size_t i = 0; i < g->n_nodes; i++)
    for (size_t k = 0; k < g->nodes[i]->n_deps; k++)
      for (size_t j = 0; j < g->n_nodes; j++)
        if (g->nodes[j] == g->nodes[i]->deps[k]) fprintf(f, "  n%zu -> n%zu;\n", j, i);
  fprintf(f, "}\n");
  fclose(f);
  return CUDA_SUCCESS;
}

/* ---- user objects ---- */

struct CUuserObject_st {
  struct cuda_object o;
  void *object;
  CUhostFn destroy;
  unsigned refs;
};

CUDA_EXPORT CUresult cuUserObjectCreate(CUuserObject *out, void *object, CUhostFn destroy, unsigned refs,
                                        unsigned flags) {
  ENTER();
  NEED(out && destroy && refs && refs <= INT32_MAX && flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  struct CUuserObject_st *u = cuda_object_new(CUDA_K_USER_OBJECT, NULL, sizeof *u);
  u->object = object;
  u->destroy = destroy;
  u->refs = refs;
  *out = u;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuUserObjectRetain(CUuserObject u, unsigned count) {
  ENTER();
  NEED(cuda_is(u, CUDA_K_USER_OBJECT) && count && count <= INT32_MAX - u->refs);
  u->refs += count;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuUserObjectRelease(CUuserObject u, unsigned count) {
  ENTER();
  NEED(cuda_is(u, CUDA_K_USER_OBJECT) && count && count <= u->refs);
  u->refs -= count;
  if (u->refs) return CUDA_SUCCESS;
  CUhostFn destroy = u->destroy;
  void *object = u->object;
  cuda_object_delete(u);
  destroy(object);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject u, unsigned count, unsigned flags) {
  ENTER();
  NEED_GRAPH(g);
  NEED(cuda_is(u, CUDA_K_USER_OBJECT) && count && count < 1000000 &&
       !(flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE));
  NEED(!(flags & CU_GRAPH_USER_OBJECT_MOVE) || count <= u->refs);
  if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) u->refs += count;
  GROW(g->users, g->user_capacity, g->n_users + count);
  for (unsigned i = 0; i < count; i++) g->users[g->n_users++] = u;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject u, unsigned count) {
  ENTER();
  NEED_GRAPH(g);
  unsigned found = 0;
  for (size_t i = 0; i < g->n_users; i++) found += g->users[i] == u;
  NEED(count && count <= found);
  unsigned left = count;
  for (size_t i = g->n_users; i-- > 0 && left;)
    if (g->users[i] == u) {
      g->users[i] = g->users[--g->n_users];
      left--;
    }
  return cuUserObjectRelease(u, count);
}
