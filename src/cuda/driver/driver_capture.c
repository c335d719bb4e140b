/* Stream capture: operations put into a capturing stream become nodes of a graph. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

struct cuda_capture *cuda_capture_by_id(uint64_t id) {
  for (struct cuda_capture *c = cuda.captures; c; c = c->next)
    if (c->id == id) return c;
  return NULL;
}

static bool forbidden(const struct cuda_capture *c, const struct cuda_thread *t) {
  if (t->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return false;
  if (c->thread == t->id) return true;
  return c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && t->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult cuda_capture_forbids(void) {
  CUresult r = CUDA_SUCCESS;
  const struct cuda_thread *t = cuda_thread();
  for (struct cuda_capture *c = cuda.captures; c; c = c->next)
    if (forbidden(c, t)) {
      c->invalid = true;
      r = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return r;
}

static struct cuda_capture *leaving; /* which capture leave() takes streams out of */
static void leave(void *stream) {
  struct CUstream_st *s = stream;
  if (s->capture != leaving) return;
  s->capture = NULL;
  s->n_heads = 0;
}

/* Ends a capture: streams leave it; a graph made by it is deleted unless the program has received it. */
void cuda_capture_drop(struct cuda_capture *c) {
  leaving = c;
  cuda_each(CUDA_K_STREAM, NULL, leave);
  for (struct cuda_capture **at = &cuda.captures; *at; at = &(*at)->next)
    if (*at == c) {
      *at = c->next;
      break;
    }
  if (c->own_graph && cuda_is(c->graph, CUDA_K_GRAPH)) cuda_graph_delete(c->graph);
  free(c->left);
  free(c);
}

void cuda_capture_leave(struct CUstream_st *s) {
  struct cuda_capture *c = s->capture;
  if (c->origin == s) {
    cuda_capture_drop(c);
    return;
  }
  GROW(c->left, c->left_capacity, c->n_left + s->n_heads + 1);
  for (size_t i = 0; i < s->n_heads; i++) c->left[c->n_left++] = s->heads[i];
  s->capture = NULL;
}

/* ---- adding to the graph ---- */

static void set_heads(struct CUstream_st *s, struct CUgraphNode_st *const *nodes, size_t n) {
  GROW(s->heads, s->head_capacity, n + 1);
  if (n) memcpy(s->heads, nodes, n * sizeof *nodes);
  s->n_heads = n;
}

/* The program may have destroyed nodes, or the graph of the capture, in the meantime. */
static bool still_whole(const struct CUstream_st *s) {
  const struct cuda_capture *c = s->capture;
  return !c->invalid && cuda_is(c->graph, CUDA_K_GRAPH) &&
         cuda_graph_nodes_ok(c->graph, s->heads, s->n_heads);
}

/* A kernel launched with programmatic serialization depends on kernels before it by programmatic edges. */
static void mark_edges(struct CUgraphNode_st *node) {
  const CUgraphEdgeData edge = {.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, .from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC};
  for (size_t i = 0; node->op.kind == CUDA_OP_KERNEL && node->op.launch.dependent && i < node->n_deps; i++)
    if (node->deps[i]->op.kind == CUDA_OP_KERNEL) node->edges[i] = edge;
}

CUresult cuda_graph_capture(struct CUstream_st *s, struct cuda_op *op) {
  struct cuda_capture *c = s->capture;
  if (!still_whole(s)) {
    c->invalid = true;
    cuda_op_release(op);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  if (op->kind == CUDA_OP_CHILD) op->child->embedded = true;
  struct CUgraphNode_st *node = cuda_graph_add(c->graph, s->heads, NULL, s->n_heads, op);
  mark_edges(node);
  set_heads(s, &node, 1);
  return CUDA_SUCCESS;
}

/* ---- beginning and end ---- */

static CUresult begin(CUstream stream, struct CUgraph_st *graph, const CUgraphNode *deps, size_t n,
                      CUstreamCaptureMode mode) {
  ENTER_FOR(ctx, stream);
  NEED((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (s->legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (s->capture) return CUDA_ERROR_ILLEGAL_STATE;
  if (graph) NEED(cuda_is(graph, CUDA_K_GRAPH) && cuda_graph_nodes_ok(graph, deps, n));
  struct cuda_capture *c = must_alloc(sizeof *c);
  *c = (struct cuda_capture){.graph = graph ? graph : cuda_graph_new(),
                             .own_graph = !graph,
                             .origin = s,
                             .refs = 1,
                             .mode = mode,
                             .thread = cuda_thread()->id,
                             .id = ++cuda.next_id,
                             .next = cuda.captures};
  cuda.captures = c;
  s->capture = c;
  set_heads(s, deps, n);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode mode) {
  return begin(s, NULL, NULL, 0, mode);
}
#undef cuStreamBeginCapture
CUDA_EXPORT CUresult cuStreamBeginCapture(CUstream s);
CUDA_EXPORT CUresult cuStreamBeginCapture(CUstream s) {
  return begin(s, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUDA_EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph graph, const CUgraphNode *deps,
                                                 const CUgraphEdgeData *edges, size_t n,
                                                 CUstreamCaptureMode mode) {
  (void)edges; /* all edges are of the ordinary kind */
  NEED(graph);
  return begin(s, graph, deps, n, mode);
}

/* Checks that what other streams captured comes before something with which the first stream ends. */
static struct CUstream_st *origin;
static bool joined;
static void check_joined(void *stream) {
  struct CUstream_st *s = stream;
  if (s == origin || s->capture != origin->capture || !joined) return;
  joined = cuda_graph_nodes_ok(s->capture->graph, s->heads, s->n_heads) &&
           cuda_graph_covers(s->capture->graph, origin->heads, origin->n_heads, s->heads, s->n_heads);
}

/* The same for streams that have been destroyed. */
static bool left_joined(const struct CUstream_st *s) {
  const struct cuda_capture *c = s->capture;
  return cuda_graph_nodes_ok(c->graph, c->left, c->n_left) &&
         cuda_graph_covers(c->graph, s->heads, s->n_heads, c->left, c->n_left);
}

CUDA_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  struct cuda_capture *c = s->capture;
  NEED(out || (c && !c->own_graph)); /* the program owns the graph that it captures into */
  if (!c) return CUDA_ERROR_ILLEGAL_STATE;
  if (c->origin != s) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != cuda_thread()->id)
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  CUresult r = CUDA_SUCCESS;
  if (out) *out = NULL;
  joined = true;
  origin = s;
  if (!still_whole(s))
    r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else {
    joined = left_joined(s);
    cuda_each(CUDA_K_STREAM, NULL, check_joined);
  }
  if (!joined) r = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (r == CUDA_SUCCESS) {
    if (out) *out = c->graph;
    c->graph = NULL;
  }
  if (c->graph && !c->own_graph) c->graph = NULL;
  cuda_capture_drop(c);
  return r;
}

/* ---- asking ---- */

static CUstreamCaptureStatus status_of(const struct CUstream_st *s) {
  if (!s->capture) return CU_STREAM_CAPTURE_STATUS_NONE;
  return s->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUDA_EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  ENTER_FOR(ctx, stream);
  NEED(status);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  *status = status_of(s);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                               CUgraph *graph, const CUgraphNode **deps,
                                               const CUgraphEdgeData **edges, size_t *n) {
  ENTER_FOR(ctx, stream);
  NEED(status);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  *status = status_of(s);
  if (edges) *edges = NULL;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  if (id) *id = s->capture->id;
  if (graph) *graph = s->capture->graph;
  if (deps) *deps = s->heads;
  if (n) *n = s->n_heads;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
                                               CUgraph *graph, const CUgraphNode **deps, size_t *n);
CUDA_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
                                               CUgraph *graph, const CUgraphNode **deps, size_t *n) {
  return cuStreamGetCaptureInfo_v3(s, status, id, graph, deps, NULL, n);
}
#undef cuStreamGetCaptureInfo
CUDA_EXPORT CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id);
CUDA_EXPORT CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo_v3(s, status, id, NULL, NULL, NULL, NULL);
}

CUDA_EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *deps,
                                                          const CUgraphEdgeData *edges, size_t n,
                                                          unsigned flags) {
  ENTER_FOR(ctx, stream);
  (void)edges;
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  NEED(flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES || flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  if (!s->capture) return CUDA_ERROR_ILLEGAL_STATE;
  NEED(still_whole(s) && cuda_graph_nodes_ok(s->capture->graph, deps, n));
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) s->n_heads = 0;
  for (size_t i = 0; i < n; i++) {
    bool there = false;
    for (size_t k = 0; k < s->n_heads; k++) there |= s->heads[k] == deps[i];
    if (there) continue;
    GROW(s->heads, s->head_capacity, s->n_heads + 1);
    s->heads[s->n_heads++] = deps[i];
  }
  return CUDA_SUCCESS;
}
#undef cuStreamUpdateCaptureDependencies
CUDA_EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps, size_t n,
                                                       unsigned flags);
CUDA_EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps, size_t n,
                                                       unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(s, deps, NULL, n, flags);
}

CUDA_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  ENTER();
  NEED(mode && (unsigned)*mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  struct cuda_thread *t = cuda_thread();
  CUstreamCaptureMode old = t->capture_mode;
  t->capture_mode = *mode;
  *mode = old;
  return CUDA_SUCCESS;
}
