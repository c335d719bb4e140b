/* What a tracer is told about ended operations of the device: a kernel, copy or fill, from its activity. */
#include "cuda/state.h"

static struct heddle_done of_activity(const struct cuda_activity *a, enum heddle_done_kind kind, double start) {
  return (struct heddle_done){.kind = kind, .start = cuda_trace_ns(start), .end = cuda_trace_ns(cuda.engine.now), .context = a->ctx->id,
                              .stream = a->task.stream, .correlation = a->traced.correlation, .graph = a->traced.graph,
                              .graph_node = a->traced.node};
}

static void kernel(const struct cuda_activity *a) {
  const struct exec_grid *g = a->task.launch.grid;
  struct heddle_done d = of_activity(a, HEDDLE_KERNEL, a->task.came);
  d.name = g->kernel->ptx->name;
  d.kernel.id = g->id;
  for (int i = 0; i < 3; i++) {
    d.kernel.grid[i] = g->grid[i];
    d.kernel.block[i] = g->block[i];
    d.kernel.cluster[i] = g->cluster[i];
  }
  d.kernel.registers = g->kernel->ptx->regs_needed;
  if (cuda_is(a->op->launch.func, CUDA_K_FUNCTION) && a->op->launch.func->func == g->kernel) {
    d.kernel.registers = cuda_function_registers(a->op->launch.func); /* the value of cuFuncGetAttribute */
    d.kernel.cluster_policy = (uint32_t)a->op->launch.func->cluster_policy;
  }
  d.kernel.static_shared = g->kernel->shared_bytes;
  d.kernel.dynamic_shared = g->dynamic_shared;
  d.kernel.local_bytes = (uint32_t)g->kernel->ptx->local_bytes;
  d.kernel.cooperative = g->cooperative;
  d.kernel.by_device = a->traced.by_device;
  cuda_trace_done(&d);
}

static void copy(const struct cuda_activity *a) {
  const CUDA_MEMCPY3D *c = &a->op->copy;
  struct heddle_done d = of_activity(a, HEDDLE_COPY, a->task.begun);
  d.memory.bytes = c->WidthInBytes * c->Height * c->Depth;
  d.memory.async = a->op->async && !a->node;
  if (d.memory.bytes && cuda_copy_memory(c, &d.memory.from, &d.memory.to)) cuda_trace_done(&d);
}

static void fill(const struct cuda_activity *a) {
  struct heddle_done d = of_activity(a, HEDDLE_FILL, a->task.begun);
  d.memory.bytes = a->op->fill.width * a->op->fill.element * a->op->fill.height;
  d.memory.async = a->op->async && !a->node;
  d.memory.value = a->op->fill.value;
  d.memory.to = cuda_memory_at(a->op->fill.dst);
  if (d.memory.bytes) cuda_trace_done(&d);
}

void cuda_trace_activity(const struct cuda_activity *a) {
  if (a->op->kind == CUDA_OP_KERNEL && a->task.launch.grid) kernel(a);
  else if (a->op->kind == CUDA_OP_COPY) copy(a);
  else if (a->op->kind == CUDA_OP_FILL) fill(a);
}

void cuda_trace_sync(enum heddle_sync what, uint64_t context, uint64_t stream, uint32_t event, double start, CUresult result) {
  cuda_trace_done(&(struct heddle_done){.kind = HEDDLE_SYNC, .start = cuda_trace_ns(start), .end = cuda_trace_ns(cuda.engine.now),
                                        .context = context, .stream = stream, .correlation = cuda_trace_correlation(),
                                        .sync = {what, event, (int)result}});
}

void cuda_trace_context(const struct CUctx_st *ctx) {
  cuda_trace_done(&(struct heddle_done){.kind = HEDDLE_CONTEXT, .context = ctx->id, .correlation = cuda_trace_correlation(),
                                        .made = {ctx->legacy.id}});
}

void cuda_trace_stream(const struct CUstream_st *s) {
  cuda_trace_done(&(struct heddle_done){.kind = HEDDLE_STREAM, .context = s->o.ctx->id, .stream = s->id,
                                        .correlation = cuda_trace_correlation(),
                                        .opened = {s->priority, s->legacy, (s->flags & CU_STREAM_NON_BLOCKING) != 0}});
}

void cuda_trace_mark(enum heddle_mark what, uint32_t id, const char *name, const char *domain) {
  uint64_t now = cuda_trace_ns(cuda.engine.now);
  cuda_trace_done(&(struct heddle_done){.kind = HEDDLE_MARK, .start = now, .end = now, .name = name, .mark = {what, id, domain}});
}
