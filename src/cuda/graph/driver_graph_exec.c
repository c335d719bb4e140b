/* Executable graphs: instantiation, updates, launches. An executable graph is a copy of the graph it was made from; its nodes remember the
 * nodes that they were copied from, by which a program names them. A launch makes another copy; launches of the same executable graph run
 * one after the other. Kernels launch the graph as it was last uploaded. */
#include "base/arena.h"
#include "cuda/graph/graph_params.h"
#include "cuda/state.h"

#include <string.h>

struct CUgraphExec_st {
  struct cuda_object o;
  struct CUgraph_st *graph, *from;
  cuuint64_t flags;
  struct CUevent_st *launches; /* recorded at the end of each launch */
  struct CUgraph_st *uploaded; /* what kernels launch; NULL: nothing yet */
  unsigned busy;               /* launches that have begun or were requested by kernels, and have not ended */
};

#define NEED_EXEC(e)                                                                                         \
  do {                                                                                                       \
    if (!cuda_is(e, CUDA_K_EXEC)) return CUDA_ERROR_INVALID_VALUE;                                           \
  } while (0)

/* ---- making ---- */

enum { UPLOAD = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, DEVICE = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH };

/* Copies in a graph that kernels launch must be between device memory and pinned memory. */
static bool is_plain_copy(const CUDA_MEMCPY3D *c) {
  enum heddle_memory from, to;
  return c->srcMemoryType != CU_MEMORYTYPE_ARRAY && c->dstMemoryType != CU_MEMORYTYPE_ARRAY && cuda_copy_memory(c, &from, &to) &&
         from != HEDDLE_PAGEABLE && to != HEDDLE_PAGEABLE;
}

/* A node that is not permitted in a graph launched by kernels; *work: some node does something. */
static CUgraphNode unfit_node(const struct CUgraph_st *g, bool *work) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    CUgraphNode inner = op->kind == CUDA_OP_CHILD ? unfit_node(op->child, work) : NULL;
    if (inner) return inner;
    *work |= op->kind != CUDA_OP_CHILD;
    if (op->kind == CUDA_OP_CHILD || op->kind == CUDA_OP_KERNEL || op->kind == CUDA_OP_FILL) continue;
    if (op->kind != CUDA_OP_COPY || !is_plain_copy(&op->copy)) return g->nodes[i];
  }
  return NULL;
}

static void upload(CUgraphExec e) {
  if (!(e->flags & DEVICE)) return;
  cuda_graph_delete(e->uploaded);
  e->uploaded = cuda_graph_copy(e->graph);
  e->uploaded->embedded = true;
  e->uploaded->id = e->graph->id;
}

static CUresult instantiate(CUgraphExec *out, CUgraph g, cuuint64_t flags, CUgraphNode *unfit) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  const cuuint64_t known =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | UPLOAD | DEVICE | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  bool work = false;
  *unfit = NULL;
  NEED(out && cuda_is(g, CUDA_K_GRAPH));
  NEED(!(flags & ~known) && cuda_graph_order(g));
  if (flags & DEVICE) {
    NEED(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    *unfit = unfit_node(g, &work);
    if (*unfit) cuda_say("a graph that kernels launch holds more than kernels, fills, copies of device and pinned memory and child graphs");
    NEED(!*unfit && work);
  }
  if (!cuda_condition_bodies_ok(g)) {
    cuda_say("the body of a conditional node holds more than kernels, copies, fills, child graphs and conditional nodes");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (g->executables && cuda_graph_has_memory(g)) {
    cuda_say("a graph that allocates or frees memory has one executable graph at a time");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  struct CUgraphExec_st *e = cuda_object_new(CUDA_K_EXEC, NULL, sizeof *e);
  e->graph = cuda_graph_copy(g);
  e->graph->embedded = true;
  e->graph->id = ++cuda.n_executables;
  e->from = g;
  g->executables++;
  e->flags = flags & ~(cuuint64_t)UPLOAD;
  e->launches = must_alloc(sizeof *e->launches);
  e->launches->destroyed = true; /* it has no handle */
  cuda_event_keep(e->launches);
  if (flags & UPLOAD) upload(e);
  *out = e;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags) {
  CUgraphNode unfit;
  return instantiate(out, g, flags, &unfit);
}
CUDA_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
                                                  CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  NEED(p);
  CUgraphNode unfit;
  CUresult r = instantiate(out, g, p->flags, &unfit);
  p->hErrNode_out = unfit;
  p->result_out = unfit                 ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                  : r == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                      : CUDA_GRAPH_INSTANTIATE_ERROR;
  return r;
}

static CUresult instantiate_old(CUgraphExec *out, CUgraph g, CUgraphNode *node, char *log, size_t capacity) {
  if (node) *node = NULL;
  if (log && capacity) *log = 0;
  CUgraphNode unfit;
  return instantiate(out, g, 0, &unfit);
}
#undef cuGraphInstantiate
CUDA_EXPORT CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *node, char *log,
                                        size_t capacity);
CUDA_EXPORT CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *node, char *log,
                                        size_t capacity) {
  return instantiate_old(out, g, node, log, capacity);
}
CUDA_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *node, char *log,
                                           size_t capacity);
CUDA_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *node, char *log,
                                           size_t capacity) {
  return instantiate_old(out, g, node, log, capacity);
}

CUDA_EXPORT CUresult cuGraphExecDestroy(CUgraphExec e) {
  ENTER();
  NEED_EXEC(e);
  if (cuda_is(e->from, CUDA_K_GRAPH) && e->from->executables) e->from->executables--;
  cuda_graph_delete(e->graph);
  cuda_graph_delete(e->uploaded);
  cuda_event_drop(e->launches);
  cuda_object_delete(e);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphExecGetFlags(CUgraphExec e, cuuint64_t *flags) {
  ENTER();
  NEED(flags);
  NEED_EXEC(e);
  *flags = e->flags;
  return CUDA_SUCCESS;
}

/* ---- launching ---- */

/* What nodes inherit from a launch: a wait is for what its event was recorded with before; kernels have the stream's priority unless the
 * graph keeps their own. */
static void set_out(struct CUgraph_st *g, const int *priority) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    struct cuda_op *op = &g->nodes[i]->op;
    if (op->kind == CUDA_OP_CHILD) set_out(op->child, priority);
    for (unsigned k = 0; op->kind == CUDA_OP_CONDITION && k < op->condition.n; k++) set_out(op->condition.bodies[k], priority);
    if (op->kind == CUDA_OP_KERNEL && priority) op->launch.priority = *priority;
    if (op->kind == CUDA_OP_WAIT) op->event.ticket = cuda_event_latest(op->event.event);
  }
}

/* Recordings count from the launch on, for all waits that come later. */
static void issue_recordings(struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    struct cuda_op *op = &g->nodes[i]->op;
    if (op->kind == CUDA_OP_CHILD) issue_recordings(op->child);
    if (op->kind == CUDA_OP_RECORD) op->event.ticket = cuda_event_issue(op->event.event);
  }
}

CUDA_EXPORT CUresult cuGraphLaunch(CUgraphExec e, CUstream stream) {
  ENTER_FOR(ctx, stream);
  NEED_EXEC(e);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (!s->capture) CHECK(cuda_graph_memory_launch(e->graph, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  struct cuda_op op = {.kind = CUDA_OP_CHILD, .child = cuda_graph_copy(e->graph)};
  op.child->id = e->graph->id;
  op.child->embedded = true;
  if (!s->capture) {
    set_out(op.child, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? NULL : &s->priority);
    issue_recordings(op.child);
    op.launches = e->launches;
    op.turn = cuda_event_issue(e->launches);
    op.exec = e;
    cuda_event_keep(e->launches);
    upload(e);
  }
  return cuda_submit(s, &op);
}
/* Nothing has to be sent to a device, but kernels launch the graph as it was uploaded. */
CUDA_EXPORT CUresult cuGraphUpload(CUgraphExec e, CUstream stream) {
  ENTER_FOR(ctx, stream);
  NEED_EXEC(e);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  upload(e);
  return CUDA_SUCCESS;
}

/* ---- launches by kernels ---- */

bool cuda_exec_is_on_device(CUgraphExec e) { return e->uploaded != NULL; }
bool cuda_exec_is_busy(CUgraphExec e) { return e->busy != 0; }
void cuda_exec_busy(CUgraphExec e, int by) {
  if (cuda_is(e, CUDA_K_EXEC)) e->busy += (unsigned)by;
}
uint64_t cuda_exec_current(CUgraphExec e) { return cuda_is(e, CUDA_K_EXEC) && e->flags & DEVICE ? (uintptr_t)e : 0; }

void cuda_exec_op(CUgraphExec e, struct cuda_op *op, int priority) {
  *op = (struct cuda_op){.kind = CUDA_OP_CHILD, .child = cuda_graph_copy(e->uploaded), .launches = e->launches, .exec = e};
  op->child->id = e->uploaded->id;
  op->child->embedded = true;
  set_out(op->child, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY ? NULL : &priority);
  op->turn = cuda_event_issue(e->launches);
  cuda_event_keep(e->launches);
}

/* ---- updates ---- */

/* The copy of a node, also in child graphs and bodies. */
static struct CUgraphNode_st *find_copy(const struct CUgraph_st *g, CUgraphNode original) {
  struct CUgraphNode_st *found = NULL;
  for (size_t i = 0; i < g->n_nodes && !found; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    if (g->nodes[i]->source == original) return g->nodes[i];
    if (op->kind == CUDA_OP_CHILD) found = find_copy(op->child, original);
    for (unsigned k = 0; !found && op->kind == CUDA_OP_CONDITION && k < op->condition.n; k++)
      found = find_copy(op->condition.bodies[k], original);
  }
  return found;
}

static CUresult exec_node(struct CUgraphNode_st **out, CUgraphExec e, CUgraphNode original) {
  NEED_EXEC(e);
  *out = find_copy(e->graph, original);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDA_EXPORT CUresult cuGraphExecNodeSetParams(CUgraphExec e, CUgraphNode original, CUgraphNodeParams *p) {
  ENTER();
  NEED(p);
  struct CUgraphNode_st *n;
  CHECK(exec_node(&n, e, original));
  return cuda_node_set(n, p);
}
CUDA_EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec e, CUgraphNode n,
                                                       const CUDA_KERNEL_NODE_PARAMS *k) {
  NEED(k);
  CUgraphNodeParams p = cuda_params_kernel(k);
  return cuGraphExecNodeSetParams(e, n, &p);
}
#undef cuGraphExecKernelNodeSetParams
CUDA_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode n,
                                                    const CUDA_KERNEL_NODE_PARAMS_v1 *k);
CUDA_EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec e, CUgraphNode n,
                                                    const CUDA_KERNEL_NODE_PARAMS_v1 *k) {
  NEED(k);
  CUDA_KERNEL_NODE_PARAMS v2 = cuda_params_kernel_v1(k);
  return cuGraphExecKernelNodeSetParams_v2(e, n, &v2);
}
CUDA_EXPORT CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec e, CUgraphNode n, const CUDA_MEMCPY3D *c,
                                                    CUcontext ctx) {
  (void)ctx;
  NEED(c);
  CUgraphNodeParams p = cuda_params_memcpy(c);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec e, CUgraphNode n,
                                                    const CUDA_MEMSET_NODE_PARAMS *m, CUcontext ctx) {
  (void)ctx;
  NEED(m);
  CUgraphNodeParams p = cuda_params_memset(m);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecHostNodeSetParams(CUgraphExec e, CUgraphNode n,
                                                  const CUDA_HOST_NODE_PARAMS *h) {
  NEED(h);
  CUgraphNodeParams p = cuda_params_host(h);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec e, CUgraphNode n, CUevent event) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec e, CUgraphNode n, CUevent event) {
  CUgraphNodeParams p = cuda_params_event(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec e, CUgraphNode n,
                                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *b) {
  NEED(b);
  CUgraphNodeParams p = cuda_params_batch(b);
  return cuGraphExecNodeSetParams(e, n, &p);
}
CUDA_EXPORT CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraph child) {
  CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}};
  return cuGraphExecNodeSetParams(e, n, &p);
}

CUDA_EXPORT CUresult cuGraphNodeSetEnabled(CUgraphExec e, CUgraphNode original, unsigned yes) {
  ENTER();
  struct CUgraphNode_st *n;
  CHECK(exec_node(&n, e, original));
  NEED(n->op.kind == CUDA_OP_KERNEL || n->op.kind == CUDA_OP_COPY || n->op.kind == CUDA_OP_FILL);
  n->disabled = !yes;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuGraphNodeGetEnabled(CUgraphExec e, CUgraphNode original, unsigned *yes) {
  ENTER();
  NEED(yes);
  struct CUgraphNode_st *n;
  CHECK(exec_node(&n, e, original));
  *yes = !n->disabled;
  return CUDA_SUCCESS;
}

/* ---- update from another graph of the same shape ---- */

static size_t index_of(const struct CUgraph_st *g, const struct CUgraphNode_st *node) {
  for (size_t i = 0; i < g->n_nodes; i++)
    if (g->nodes[i] == node) return i;
  return SIZE_MAX;
}

static CUgraphExecUpdateResult same_shape(const struct CUgraph_st *a, const struct CUgraph_st *b,
                                          CUgraphNode *at) {
  *at = NULL;
  if (a->n_nodes != b->n_nodes) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t i = 0; i < a->n_nodes; i++) {
    const struct CUgraphNode_st *x = a->nodes[i], *y = b->nodes[i];
    *at = b->nodes[i];
    if (cuda_node_type(x) != cuda_node_type(y)) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (x->n_deps != y->n_deps) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t k = 0; k < x->n_deps; k++)
      if (index_of(a, x->deps[k]) != index_of(b, y->deps[k]))
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (x->op.kind == CUDA_OP_ALLOC || x->op.kind == CUDA_OP_FREE)
      return CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  }
  *at = NULL;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

static CUresult update(CUgraphExec e, CUgraph g, CUgraphNode *at, CUgraphExecUpdateResult *result) {
  ENTER();
  NEED_EXEC(e);
  NEED(cuda_is(g, CUDA_K_GRAPH));
  *result = same_shape(e->graph, g, at);
  if (*result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (size_t i = 0; i < g->n_nodes; i++) {
    struct CUgraphNode_st *n = e->graph->nodes[i];
    cuda_op_release(&n->op);
    cuda_op_copy(&n->op, &g->nodes[i]->op);
    if (n->op.kind == CUDA_OP_CHILD) n->op.child->embedded = true;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec e, CUgraph g, CUgraphExecUpdateResultInfo *info) {
  NEED(info);
  *info = (CUgraphExecUpdateResultInfo){.result = CU_GRAPH_EXEC_UPDATE_ERROR};
  return update(e, g, &info->errorNode, &info->result);
}
#undef cuGraphExecUpdate
CUDA_EXPORT CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphNode *at,
                                       CUgraphExecUpdateResult *result);
CUDA_EXPORT CUresult cuGraphExecUpdate(CUgraphExec e, CUgraph g, CUgraphNode *at,
                                       CUgraphExecUpdateResult *result) {
  CUgraphNode node = NULL;
  CUgraphExecUpdateResult why = CU_GRAPH_EXEC_UPDATE_ERROR;
  CUresult r = update(e, g, &node, &why);
  if (at) *at = node;
  if (result) *result = why;
  return r;
}
