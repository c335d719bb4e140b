/* Events. Time is the engine's clock; engine.h says what it means without a timed GPU. A recording within a capture marks the nodes
 * recorded so far, so that another stream can depend on them. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>

void cuda_event_keep(struct CUevent_st *event) { event->refs++; }

void cuda_event_drop(struct CUevent_st *event) {
  if (--event->refs || !event->destroyed) return;
  cuda_event_unshare(event);
  free(event->heads);
  free(event->open);
  free(event);
}

uint64_t cuda_event_issue(struct CUevent_st *event) {
  GROW(event->open, event->open_capacity, event->n_open + 1);
  event->issued = event->shared ? cuda_shared_issue(event->shared) : event->issued + 1;
  return event->open[event->n_open++] = event->issued;
}

uint64_t cuda_event_latest(const struct CUevent_st *event) {
  return event->shared ? cuda_shared_latest(event->shared) : event->issued;
}

void cuda_event_close(struct CUevent_st *event, uint64_t ticket) {
  for (size_t i = 0; i < event->n_open; i++)
    if (event->open[i] == ticket) {
      event->open[i] = event->open[--event->n_open];
      if (event->shared) cuda_shared_close(event->shared, ticket);
      return;
    }
}

bool cuda_event_done(const struct CUevent_st *event, uint64_t ticket) {
  for (size_t i = 0; i < event->n_open; i++)
    if (event->open[i] == ticket) return false;
  return !event->shared || cuda_shared_done(event->shared, ticket);
}

bool cuda_event_reached(const struct CUevent_st *event, uint64_t ticket) {
  for (size_t i = 0; i < event->n_open; i++)
    if (event->open[i] < ticket) return false;
  return true;
}

static bool latest_done(const struct CUevent_st *event) { return cuda_event_done(event, cuda_event_latest(event)); }

void cuda_event_delete(void *event) {
  struct CUevent_st *e = event;
  cuda_object_forget(e);
  e->destroyed = true;
  e->o.ctx = NULL;
  e->refs++;
  cuda_event_drop(e);
}

CUDA_EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags) {
  ENTER_CONTEXT(ctx);
  const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  NEED(out && !(flags & ~known));
  NEED(!(flags & CU_EVENT_INTERPROCESS) || flags & CU_EVENT_DISABLE_TIMING);
  struct CUevent_st *e = cuda_object_new(CUDA_K_EVENT, ctx, sizeof *e);
  e->flags = flags;
  e->id = ++cuda.n_events;
  if (flags & CU_EVENT_INTERPROCESS && !cuda_event_share(e)) {
    cuda_event_delete(e);
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  *out = e;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  ENTER();
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  cuda_event_delete(event);
  return CUDA_SUCCESS;
}
#undef cuEventDestroy
CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);

/* ---- recording ---- */

static void record_in_capture(struct CUevent_st *e, const struct CUstream_st *s) {
  e->capture_id = s->capture->id;
  free(e->heads);
  e->heads = must_alloc((s->n_heads + 1) * sizeof *e->heads);
  if (s->n_heads) memcpy(e->heads, s->heads, s->n_heads * sizeof *e->heads);
  e->n_heads = s->n_heads;
}

CUresult cuda_event_record(struct CUevent_st *e, struct CUstream_st *s, bool external) {
  if (s->capture && !external) {
    record_in_capture(e, s);
    return CUDA_SUCCESS;
  }
  if (!s->capture) e->capture_id = 0;
  struct cuda_op op = {.kind = CUDA_OP_RECORD, .event = {.event = e}};
  uint64_t ticket = s->capture ? 0 : cuda_event_issue(e); /* a node gets its ticket when its graph is launched */
  op.event.ticket = ticket;
  cuda_event_keep(e);
  CUresult r = e->shared ? cuda_submit_and_wait(s, &op) : cuda_submit(s, &op);
  if (r != CUDA_SUCCESS && ticket && e->issued == ticket && !e->shared) e->issued--; /* it must not be waited for */
  return r;
}

CUDA_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  ENTER_FOR(ctx, stream);
  NEED(!(flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL));
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (event->o.ctx != s->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  return cuda_event_record(event, s, flags & CU_EVENT_RECORD_EXTERNAL);
}
CUDA_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

/* ---- waiting and asking ---- */

CUDA_EXPORT CUresult cuEventQuery(CUevent event) {
  ENTER();
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(event->o.ctx->fault);
  if (event->capture_id) return CUDA_ERROR_CAPTURED_EVENT;
  CHECK(cuda_capture_forbids());
  cuda_progress();
  if (!latest_done(event)) cuda_ask();
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(event->o.ctx->fault);
  return latest_done(event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUDA_EXPORT CUresult cuEventSynchronize(CUevent event) {
  ENTER();
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  struct CUctx_st *ctx = event->o.ctx;
  CHECK(ctx->fault);
  if (event->capture_id) return CUDA_ERROR_CAPTURED_EVENT;
  CHECK(cuda_capture_forbids());
  double start = cuda.engine.now;
  cuda_progress();
  while (!latest_done(event)) {
    if (!cuda_pass()) cuda_wait_for_others();
    if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  }
  if (heddleTraced) cuda_trace_sync(HEDDLE_SYNC_EVENT, ctx->id, UINT32_MAX, event->id, start, ctx->fault);
  cuda_context_flush(ctx);
  cuda_pools_release();
  return ctx->fault;
}

CUDA_EXPORT CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
  ENTER();
  NEED(ms);
  if (!cuda_is(start, CUDA_K_EVENT) || !cuda_is(end, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  CHECK(start->o.ctx->fault);
  if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  if (!start->issued || !end->issued) return CUDA_ERROR_INVALID_HANDLE;
  if (start->capture_id || end->capture_id) return CUDA_ERROR_CAPTURED_EVENT;
  cuda_progress();
  if (!latest_done(start) || !latest_done(end)) return CUDA_ERROR_NOT_READY;
  *ms = (float)((end->ns - start->ns) * 1e-6);
  return CUDA_SUCCESS;
}
#undef cuEventElapsedTime
CUDA_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);
