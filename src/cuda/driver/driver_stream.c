/* Streams: order, and when operations happen.
 *
 * Operations of a stream begin in order, each when the one before has ended and everything it waits for has happened: a recording, a memory
 * value that the program will write, and, between the legacy default stream of a context and its blocking streams, whatever was put into
 * the other before. Operations of different streams overlap in simulated time.
 *
 * Simulated time passes while a call waits. If nothing can overlap (functional mode, or only one stream), a call waits for its own
 * operation, so that the program sees it done. Otherwise it returns at once; time passes in calls that synchronise, and a moment of it in
 * calls that query. Calls with an effect that the program may wait for without calling CUDA again (host functions, values in memory) wait
 * for it. Host functions run on the thread that made them ready, without the lock. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- operations ---- */

static void *copy_bytes(const void *from, size_t n) {
  void *p = must_alloc(n);
  if (n) memcpy(p, from, n);
  return p;
}

static void copy_launch(struct cuda_launch *l) {
  uint32_t n = l->n_params;
  unsigned char *old = l->params;
  l->params = copy_bytes(old, l->param_bytes);
  void **pointers = must_alloc((n + 1) * sizeof *pointers);
  for (uint32_t i = 0; i < n; i++) pointers[i] = l->params + ((unsigned char *)l->pointers[i] - old);
  l->pointers = pointers;
}

static void copy_bodies(struct cuda_op *op) {
  struct CUgraph_st *const *old = op->condition.bodies;
  op->condition.bodies = must_alloc(op->condition.n * sizeof *old);
  for (unsigned i = 0; i < op->condition.n; i++) {
    op->condition.bodies[i] = cuda_graph_copy(old[i]);
    op->condition.bodies[i]->embedded = true;
  }
  cuda_condition_keep(op->condition.on);
}

void cuda_op_copy(struct cuda_op *to, const struct cuda_op *from) {
  *to = *from;
  switch (to->kind) {
  case CUDA_OP_KERNEL: copy_launch(&to->launch); break;
  case CUDA_OP_CHILD:
    to->child = cuda_graph_copy(from->child);
    to->launches = NULL;
    to->exec = NULL;
    break;
  case CUDA_OP_RECORD:
  case CUDA_OP_WAIT: cuda_event_keep(to->event.event); break;
  case CUDA_OP_MEMORY:
    to->batch.done = 0;
    to->batch.items = copy_bytes(from->batch.items, from->batch.n * sizeof *to->batch.items);
    break;
  case CUDA_OP_ALLOC: cuda_graph_memory_keep(to->memory.address); break;
  case CUDA_OP_CONDITION: copy_bodies(to); break;
  default: break;
  }
}

void cuda_op_release(struct cuda_op *op) {
  switch (op->kind) {
  case CUDA_OP_KERNEL:
    free(op->launch.params);
    free(op->launch.pointers);
    break;
  case CUDA_OP_CHILD:
    cuda_graph_delete(op->child);
    if (!op->launches) break;
    cuda_event_close(op->launches, op->turn);
    cuda_event_drop(op->launches);
    break;
  case CUDA_OP_RECORD: /* a recording that never happened must not leave anything waiting */
    cuda_event_close(op->event.event, op->event.ticket);
    cuda_event_drop(op->event.event);
    break;
  case CUDA_OP_WAIT: cuda_event_drop(op->event.event); break;
  case CUDA_OP_MEMORY: free(op->batch.items); break;
  case CUDA_OP_ALLOC: cuda_graph_memory_drop(op->memory.address); break;
  case CUDA_OP_CONDITION:
    for (unsigned i = 0; i < op->condition.n; i++) cuda_graph_delete(op->condition.bodies[i]);
    free(op->condition.bodies);
    cuda_condition_drop(op->condition.on);
    break;
  default: break;
  }
  op->kind = CUDA_OP_EMPTY;
}

/* ---- values in memory ---- */

static bool value_reached(const CUstreamBatchMemOpParams *p) {
  bool wide = p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
  uint64_t now = 0;
  memcpy(&now, exec_mem_ptr(p->waitValue.address), wide ? 8 : 4);
  uint64_t want = wide ? p->waitValue.value64 : p->waitValue.value;
  switch (p->waitValue.flags & 3) {
  case CU_STREAM_WAIT_VALUE_GEQ: return wide ? (int64_t)(now - want) >= 0 : (int32_t)(now - want) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ: return now == want;
  case CU_STREAM_WAIT_VALUE_AND: return (now & want) != 0;
  default: return (~(now | want) & (wide ? UINT64_MAX : UINT32_MAX)) != 0;
  }
}

static bool is_wait(const CUstreamBatchMemOpParams *p) {
  return p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static size_t bytes_written(const CUstreamBatchMemOpParams *p) {
  return p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4 : p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 0;
}

/* Stops at a value that cannot be written, which cuda_values_end reports. */
bool cuda_values_ready(struct cuda_op *op) {
  for (; op->batch.done < op->batch.n; op->batch.done++) {
    const CUstreamBatchMemOpParams *p = &op->batch.items[op->batch.done];
    size_t n = bytes_written(p);
    if (is_wait(p) && cuda_range_ok(p->waitValue.address, 4) && !value_reached(p)) return false;
    if (!n) continue;
    if (!cuda_range_ok(p->writeValue.address, n)) return true;
    memcpy(exec_mem_ptr(p->writeValue.address), &p->writeValue.value64, n);
    exec_mem_moved(cuda.mem, p->writeValue.address, 0, n);
  }
  return true;
}

CUresult cuda_values_end(const struct cuda_op *op) { return op->batch.done == op->batch.n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

void cuda_finish_recording(const struct cuda_op *op) {
  struct CUevent_st *e = op->event.event;
  cuda_event_close(e, op->event.ticket);
  if (op->event.ticket < e->done) return;
  e->done = op->event.ticket;
  e->ns = cuda.engine.now;
}

/* ---- order ---- */

static bool blocking(const struct CUstream_st *s) {
  return s->legacy || !(s->flags & CU_STREAM_NON_BLOCKING);
}

static bool holds_earlier(const struct CUstream_st *s, uint64_t order) { return s->first && s->first->order < order; }

/* Whether another stream holds work that a blocking stream's operation must come after. */
static bool behind_others(const struct CUstream_st *s, uint64_t order) {
  if (!blocking(s)) return false;
  if (!s->legacy) return holds_earlier(&s->o.ctx->legacy, order);
  for (const struct CUstream_st *o = s->o.ctx->streams; o; o = o->next)
    if (o != s && blocking(o) && holds_earlier(o, order)) return true;
  return false;
}

static bool ready(const struct CUstream_st *s, struct cuda_op *op, uint64_t order) {
  if (cuda.n_pending && behind_others(s, order)) return false;
  if (op->kind == CUDA_OP_WAIT) return cuda_event_done(op->event.event, op->event.ticket);
  if (op->kind == CUDA_OP_CHILD) return cuda_event_reached(op->launches, op->turn);
  if (op->kind == CUDA_OP_MEMORY) return s->o.ctx->fault != CUDA_SUCCESS || cuda_values_ready(op); /* a dead context writes nothing */
  return true;
}

static struct cuda_pending *append(struct CUstream_st *s, const struct cuda_op *op, struct cuda_outcome *out) {
  struct cuda_pending *p = must_alloc(sizeof *p);
  *p = (struct cuda_pending){.stream = s, .op = *op, .order = ++cuda.next_order, .outcome = out,
                             .correlation = heddleTraced ? cuda_trace_correlation() : 0};
  *s->last = p;
  s->last = &p->next;
  cuda.n_pending++;
  return p;
}

static void unlink_stream(struct CUstream_st *s) {
  for (struct CUstream_st **at = &s->o.ctx->streams; *at; at = &(*at)->next)
    if (*at == s) {
      *at = s->next;
      return;
    }
}

static void count_stream(const struct CUstream_st *s, int change) {
  if (s->legacy) return;
  cuda.n_streams += (uint64_t)change;
  if (s->flags & CU_STREAM_NON_BLOCKING) cuda.n_nonblocking += (uint64_t)change;
}

static void forget(struct CUstream_st *s, struct cuda_pending *p) {
  struct cuda_pending **at = &s->first;
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  if (!*at) s->last = at;
  if (s->first || !s->destroyed) return;
  count_stream(s, -1);
  unlink_stream(s);
  free(s->heads);
  free(s);
}

/* The operation has ended and its stream goes on; a failure that no call waits for becomes the context's. */
static void pending_ended(struct cuda_activity *a, CUresult result) {
  struct cuda_pending *p = a->owner;
  if (p->stream) forget(p->stream, p);
  cuda.n_pending--;
  if (p->outcome) *p->outcome = (struct cuda_outcome){true, result};
  else if (result != CUDA_SUCCESS && cuda_is(a->ctx, CUDA_K_CONTEXT)) cuda_context_fault(a->ctx, result);
  cuda_op_release(&p->op);
  free(p);
}

bool cuda_lets_others_begin(const struct cuda_op *op) {
  if (op->kind != CUDA_OP_KERNEL || !cuda_engine_timed(&cuda.engine) || !cuda_is(op->launch.func, CUDA_K_FUNCTION)) return false;
  const struct ptx_func *f = op->launch.func->func->ptx;
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (f->insts[i].op == PTX_OP_griddepcontrol && ptx_has(&f->insts[i], PTX_M_launch_dependents)) return true;
  return false;
}

static void begin(struct CUstream_st *s, struct cuda_pending *p, bool dependent) {
  p->begun = true;
  cuda_activity_begin(&(struct cuda_activity){.task = {.stream = s->id, .default_stream = s->legacy, .dependent = dependent},
                                              .ctx = s->o.ctx, .op = &p->op, .ended = pending_ended, .owner = p,
                                              .traced = {.correlation = p->correlation}});
}

/* Begins the stream's first operation if possible, or the second, if that is a kernel launched as a dependent of the first. */
static bool step(struct CUstream_st *s) {
  struct cuda_pending *p = s->first;
  if (p && !p->begun && ready(s, &p->op, p->order)) {
    begin(s, p, false);
    return true;
  }
  struct cuda_pending *next = p ? p->next : NULL;
  bool dependent = next && p->begun && !next->begun && next->op.kind == CUDA_OP_KERNEL && next->op.launch.dependent;
  if (!dependent || !cuda_lets_others_begin(&p->op) || !ready(s, &next->op, next->order)) return false;
  begin(s, next, true);
  return true;
}

/* After a step the lists may have changed. */
static bool step_any(void) {
  for (struct CUctx_st *ctx = cuda.contexts; ctx; ctx = ctx->next)
    for (struct CUstream_st *s = ctx->streams; s; s = s->next)
      if (step(s)) return true;
  return cuda_graph_step();
}

void cuda_progress(void) {
  while (cuda.n_pending && step_any()) continue;
}

/* Work in the legacy stream would order itself after a capture that has not happened yet. */
static CUresult legacy_meets_capture(struct CUstream_st *s) {
  if (!s->legacy) return CUDA_SUCCESS;
  for (struct CUstream_st *o = s->o.ctx->streams; o; o = o->next)
    if (o->capture && blocking(o)) {
      o->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  return CUDA_SUCCESS;
}

/* Whether two operations could be under way at once: two streams, one that does not wait for the legacy stream, or two programs. */
static bool may_overlap(void) { return cuda.n_streams > 1 || cuda.n_nonblocking || cuda.programs.n > 1; }

/* Whether the program may wait for the operation without a CUDA call. */
static bool seen_by_program(const struct cuda_op *op) {
  if (op->kind == CUDA_OP_HOST || op->kind == CUDA_OP_CALLBACK || op->kind == CUDA_OP_MEMORY) return true;
  for (size_t i = 0; op->kind == CUDA_OP_CHILD && i < op->child->n_nodes; i++)
    if (seen_by_program(&op->child->nodes[i]->op)) return true;
  return false;
}

static CUresult submit(struct CUstream_st *s, struct cuda_op *op, bool wait) {
  if (s->capture) return cuda_graph_capture(s, op);
  CUresult r = legacy_meets_capture(s);
  if (r != CUDA_SUCCESS) {
    cuda_op_release(op);
    return r;
  }
  struct cuda_outcome out = {0};
  struct cuda_pending *p = append(s, op, &out);
  cuda_progress();
  while (wait && !out.done && !cuda.engine.waits && cuda_pass()) continue;
  if (!out.done) p->outcome = NULL;
  return out.result;
}

CUresult cuda_submit(struct CUstream_st *s, struct cuda_op *op) {
  return submit(s, op, !(may_overlap() || cuda_lets_others_begin(op)) || seen_by_program(op));
}
CUresult cuda_submit_and_wait(struct CUstream_st *s, struct cuda_op *op) { return submit(s, op, true); }

void cuda_ask(void) { cuda_pass_until(cuda.engine.now + CUDA_QUERY_NS); }

static bool anything_left(const struct CUctx_st *ctx, const struct CUstream_st *s) {
  if (!cuda.n_pending) return false;
  if (s) return s->first != NULL;
  for (const struct CUstream_st *o = ctx->streams; o; o = o->next)
    if (o->first) return true;
  return false;
}

CUresult cuda_drain(struct CUctx_st *ctx, struct CUstream_st *s) {
  cuda_progress();
  while (anything_left(ctx, s)) {
    if (!cuda_pass()) cuda_wait_for_others();
    if (!cuda_is(ctx, CUDA_K_CONTEXT)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (s && !s->legacy && !cuda_is(s, CUDA_K_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
  }
  cuda_context_flush(ctx);
  cuda_pools_release();
  return ctx->fault;
}

/* ---- making streams ---- */

void cuda_stream_init(struct CUstream_st *s, struct CUctx_st *ctx) {
  s->o.kind = CUDA_K_STREAM;
  s->o.ctx = ctx;
  s->last = &s->first;
  s->id = ++cuda.next_id;
  s->next = ctx->streams;
  ctx->streams = s;
}

static struct CUstream_st *stream_new(struct CUctx_st *ctx, unsigned flags, int priority) {
  struct CUstream_st *s = cuda_object_new(CUDA_K_STREAM, ctx, sizeof *s);
  s->flags = flags;
  s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  cuda_stream_init(s, ctx);
  count_stream(s, 1);
  if (heddleTraced) cuda_trace_stream(s);
  return s;
}

void cuda_stream_delete(void *stream) {
  struct CUstream_st *s = stream;
  if (s->capture) cuda_capture_leave(s);
  unlink_stream(s);
  count_stream(s, -1);
  while (s->first) {
    struct cuda_pending *p = s->first;
    s->first = p->next;
    if (p->begun) { /* a host function runs; when it ends, the stream is gone */
      p->stream = NULL;
      continue;
    }
    cuda.n_pending--;
    if (p->op.kind == CUDA_OP_RECORD) cuda_finish_recording(&p->op); /* something may wait for it */
    cuda_op_release(&p->op);
    free(p);
  }
  free(s->heads);
  s->heads = NULL;
  if (s->destroyed) free(s);
  else if (!s->legacy) cuda_object_delete(s);
}

CUresult cuda_stream_of(struct CUstream_st **out, struct CUctx_st *ctx, CUstream stream) {
  if (!stream || stream == CU_STREAM_LEGACY) {
    *out = &ctx->legacy;
    return CUDA_SUCCESS;
  }
  if (stream == CU_STREAM_PER_THREAD) {
    uint64_t thread = cuda_thread()->id;
    for (*out = ctx->streams; *out; *out = (*out)->next)
      if ((*out)->thread == thread) return CUDA_SUCCESS;
    *out = stream_new(ctx, 0, 0);
    (*out)->thread = thread;
    return CUDA_SUCCESS;
  }
  if (!cuda_is(stream, CUDA_K_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
  *out = stream;
  return (*out)->o.ctx->fault;
}

CUDA_EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority) {
  ENTER_CONTEXT(ctx);
  NEED(out && !(flags & ~(unsigned)CU_STREAM_NON_BLOCKING));
  *out = stream_new(ctx, flags, priority);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  return cuStreamCreateWithPriority(out, flags, 0);
}

CUDA_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER();
  if (!cuda_is(stream, CUDA_K_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
  cuda_progress();
  if (stream->first) { /* the handle is removed now, the rest when its work is done */
    cuda_object_forget(stream);
    stream->destroyed = true;
    return CUDA_SUCCESS;
  }
  cuda_stream_delete(stream);
  return CUDA_SUCCESS;
}
#undef cuStreamDestroy
CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

/* ---- what streams do ---- */

/* Enters a call with the stream that it names. */
#define ENTER_STREAM(s, stream)                                                                              \
  ENTER_FOR(ctx, stream);                                                                                    \
  struct CUstream_st *s;                                                                                     \
  CHECK(cuda_stream_of(&s, ctx, stream))

/* A call that would have to wait for a stream under capture ends the capture. */
static CUresult not_captured(struct CUstream_st *s) {
  if (s->capture) {
    s->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  CHECK(legacy_meets_capture(s));
  return cuda_capture_forbids();
}

CUDA_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  ENTER_STREAM(s, stream);
  CHECK(not_captured(s));
  double start = cuda.engine.now;
  uint64_t in = s->o.ctx->id, id = s->id; /* another thread may destroy them meanwhile */
  CUresult r = cuda_drain(s->o.ctx, s);
  if (heddleTraced) cuda_trace_sync(HEDDLE_SYNC_STREAM, in, id, UINT32_MAX, start, r);
  return r;
}

CUDA_EXPORT CUresult cuStreamQuery(CUstream stream) {
  ENTER_STREAM(s, stream);
  CHECK(not_captured(s));
  cuda_progress();
  if (s->first) cuda_ask();
  CHECK(ctx->fault);
  if (s->first) return CUDA_ERROR_NOT_READY;
  return CUDA_SUCCESS;
}

static bool has_head(const struct CUstream_st *s, const struct CUgraphNode_st *n) {
  for (size_t i = 0; i < s->n_heads; i++)
    if (s->heads[i] == n) return true;
  return false;
}

static void add_heads(struct CUstream_st *s, struct CUgraphNode_st *const *nodes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (has_head(s, nodes[i])) continue;
    GROW(s->heads, s->head_capacity, s->n_heads + 1);
    s->heads[s->n_heads++] = nodes[i];
  }
}

/* A wait for an event recorded in a capture: the stream joins the capture. */
static CUresult join_capture(struct CUstream_st *s, const struct CUevent_st *e) {
  struct cuda_capture *c = cuda_capture_by_id(e->capture_id);
  if (!c) return CUDA_ERROR_CAPTURED_EVENT;
  if (s->legacy) {
    c->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (s->capture && s->capture != c) {
    s->capture->invalid = c->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (!s->capture) {
    s->capture = c;
    s->n_heads = 0;
    c->refs++;
  }
  add_heads(s, e->heads, e->n_heads);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  ENTER_STREAM(s, stream);
  NEED(!(flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL));
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture_id) return join_capture(s, event);
  if (s->capture && !(flags & CU_EVENT_WAIT_EXTERNAL)) {
    s->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  struct cuda_op op = {.kind = CUDA_OP_WAIT, .event = {.event = event, .ticket = cuda_event_latest(event)}};
  cuda_event_keep(event);
  if (heddleTraced) cuda_trace_sync(HEDDLE_SYNC_STREAM_EVENT, s->o.ctx->id, s->id, event->id, cuda.engine.now, CUDA_SUCCESS);
  return cuda_submit(s, &op);
}

CUDA_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *user) {
  ENTER_STREAM(s, stream);
  NEED(fn);
  struct cuda_op op = {.kind = CUDA_OP_HOST, .host = {fn, user}};
  return cuda_submit(s, &op);
}
CUDA_EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback fn, void *user, unsigned flags) {
  ENTER_STREAM(s, stream);
  NEED(fn && !flags);
  if (s->capture) {
    s->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  struct cuda_op op = {.kind = CUDA_OP_CALLBACK, .callback = {fn, user, stream}};
  return cuda_submit(s, &op);
}

/* ---- memory operations ---- */

static CUresult batch_check(const CUstreamBatchMemOpParams *items, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    uint64_t at = items[i].waitValue.address;
    switch (items[i].operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: NEED(at % 4 == 0 && cuda_range_ok(at, 4)); break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: NEED(at % 8 == 0 && cuda_range_ok(at, 8)); break;
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: break;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned n, CUstreamBatchMemOpParams *items,
                                           unsigned flags) {
  ENTER_STREAM(s, stream);
  NEED(items && n && n <= 256 && !flags);
  CHECK(batch_check(items, n));
  struct cuda_op op = {.kind = CUDA_OP_MEMORY, .batch = {.items = copy_bytes(items, n * sizeof *items), .n = n}};
  return cuda_submit(s, &op);
}

static CUresult one_value(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr at, uint64_t value,
                          unsigned flags) {
  CUstreamBatchMemOpParams p = {.waitValue = {.operation = type, .address = at, .flags = flags}};
  p.waitValue.value64 = value;
  return cuStreamBatchMemOp_v2(stream, 1, &p, 0);
}
CUDA_EXPORT CUresult cuStreamWaitValue32_v2(CUstream s, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return one_value(s, CU_STREAM_MEM_OP_WAIT_VALUE_32, at, value, flags);
}
CUDA_EXPORT CUresult cuStreamWaitValue64_v2(CUstream s, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return one_value(s, CU_STREAM_MEM_OP_WAIT_VALUE_64, at, value, flags);
}
CUDA_EXPORT CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, cuuint32_t value, unsigned flags) {
  return one_value(s, CU_STREAM_MEM_OP_WRITE_VALUE_32, at, value, flags);
}
CUDA_EXPORT CUresult cuStreamWriteValue64_v2(CUstream s, CUdeviceptr at, cuuint64_t value, unsigned flags) {
  return one_value(s, CU_STREAM_MEM_OP_WRITE_VALUE_64, at, value, flags);
}

#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64
#undef cuStreamBatchMemOp
CUDA_ALIAS(cuStreamWaitValue32, cuStreamWaitValue32_v2);
CUDA_ALIAS(cuStreamWaitValue64, cuStreamWaitValue64_v2);
CUDA_ALIAS(cuStreamWriteValue32, cuStreamWriteValue32_v2);
CUDA_ALIAS(cuStreamWriteValue64, cuStreamWriteValue64_v2);
CUDA_ALIAS(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);

/* ---- what is known of a stream ---- */

CUDA_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  ENTER_STREAM(s, stream);
  NEED(flags);
  *flags = s->flags;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  ENTER_STREAM(s, stream);
  NEED(priority);
  *priority = s->priority;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  ENTER_STREAM(s, stream);
  NEED(id);
  *id = s->id;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *out) {
  ENTER_STREAM(s, stream);
  NEED(out);
  *out = s->o.ctx;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *out, CUgreenCtx *green) {
  if (green) *green = NULL;
  return cuStreamGetCtx(stream, out);
}
CUDA_EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  ENTER_STREAM(s, stream);
  NEED(device && s);
  *device = 0;
  return CUDA_SUCCESS;
}

enum { STREAM_ATTRIBUTES = 20 };
static bool stream_attribute(CUstreamAttrID id) {
  return id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         id == CU_LAUNCH_ATTRIBUTE_PRIORITY || id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

/* Attributes are kept and returned; launches use the priority and the window, the others are hints. */
CUDA_EXPORT CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID id,
                                          const CUstreamAttrValue *value) {
  ENTER_STREAM(s, stream);
  NEED(value && stream_attribute(id));
  if (id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) NEED(cuda_window_is_valid(&value->accessPolicyWindow));
  s->attributes[id] = *value;
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) s->priority = value->priority;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID id, CUstreamAttrValue *value) {
  ENTER_STREAM(s, stream);
  NEED(value && stream_attribute(id));
  *value = s->attributes[id];
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = s->priority;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  ENTER_STREAM(d, to);
  struct CUstream_st *f;
  CHECK(cuda_stream_of(&f, ctx, from));
  memcpy(d->attributes, f->attributes, sizeof d->attributes);
  d->priority = f->priority;
  return CUDA_SUCCESS;
}

/* ---- events of a whole context ---- */

CUDA_EXPORT CUresult cuCtxRecordEvent(CUcontext which, CUevent event) {
  ENTER();
  if (!cuda_is(which, CUDA_K_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  for (struct CUstream_st *s = which->streams; s; s = s->next)
    if (s->capture) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CHECK(cuda_drain(which, NULL));
  return cuda_event_record(event, &which->legacy, false);
}
CUDA_EXPORT CUresult cuCtxWaitEvent(CUcontext which, CUevent event) {
  ENTER();
  if (!cuda_is(which, CUDA_K_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  cuda_progress();
  return cuda_event_done(event, cuda_event_latest(event)) ? CUDA_SUCCESS : cuda_drain(event->o.ctx, NULL);
}
