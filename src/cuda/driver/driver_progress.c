/* Operations under way: what begins an operation, what happens at its end, and graphs while they run.
 *
 * In functional mode an operation ends as soon as it begins. On the timed GPU a kernel, copy, fill or recording is a task of the engine;
 * its effect on memory and events happens at its end (a kernel's, while it runs), so operations that wait for it see it complete, and
 * others may see either state. Kernels launched by a kernel run after it, one after the other, as part of its operation; those that a CTA
 * of it waits for run one after the other as an operation of their own. Nodes of a graph begin as soon as the nodes they depend on have
 * ended, so branches overlap; behind a programmatic edge a node begins as soon as the kernel before it lets others begin. */
#include "base/arena.h"
#include "cuda/state.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- without time ---- */

static void run_unlocked(const struct cuda_op *op, CUresult status) {
  struct cuda_op mine = *op;
  pthread_mutex_unlock(&cuda.lock);
  if (mine.kind == CUDA_OP_HOST)
    mine.host.fn(mine.host.user);
  else
    mine.callback.fn(mine.callback.stream, status, mine.callback.user);
  pthread_mutex_lock(&cuda.lock);
}

static CUresult run_alloc(const struct cuda_op *op, bool use) {
  struct cuda_block *b = cuda_block_at(op->memory.address);
  NEED(b);
  if (b->kind == CUDA_B_GRAPH) {
    b->in_use = use;
    return CUDA_SUCCESS;
  }
  return use ? CUDA_SUCCESS : cuda_free_address(op->memory.address);
}

CUresult cuda_op_run(struct CUctx_st *ctx, struct cuda_op *op) {
  switch (op->kind) {
  case CUDA_OP_HOST:
  case CUDA_OP_CALLBACK: run_unlocked(op, ctx->fault); return CUDA_SUCCESS;
  case CUDA_OP_ALLOC: return run_alloc(op, true);
  case CUDA_OP_FREE: return run_alloc(op, false);
  case CUDA_OP_MEMORY: return cuda_values_end(op);
  default: return CUDA_SUCCESS;
  }
}

/* ---- with time ---- */

/* Prepares the operation and finds out how long it takes. */
static CUresult prepare(struct cuda_activity *a, double *ns) {
  *ns = 0;
  switch (a->op->kind) {
  case CUDA_OP_KERNEL: return cuda_launch_begin(a, &a->op->launch);
  case CUDA_OP_COPY:
    a->task.what = cuda_copy_kind(&a->op->copy);
    a->task.bytes = a->op->copy.WidthInBytes * a->op->copy.Height * a->op->copy.Depth;
    return cuda_copy_begin(&a->op->copy, ns);
  case CUDA_OP_FILL:
    a->task.what = "fill";
    a->task.bytes = a->op->fill.width * a->op->fill.element * a->op->fill.height;
    return cuda_fill_begin(a->op, ns);
  case CUDA_OP_RECORD: *ns = cuda_engine_event(&cuda.engine); return CUDA_SUCCESS;
  default: return CUDA_SUCCESS;
  }
}

static CUresult complete(struct cuda_activity *a) {
  if (heddleTraced && (a->op->kind != CUDA_OP_KERNEL || a->task.failed)) cuda_trace_activity(a);
  switch (a->op->kind) {
  case CUDA_OP_KERNEL: cuda_launch_end(a, a->task.failed, &a->task.err); return CUDA_SUCCESS;
  case CUDA_OP_COPY: return cuda_copy_end(&a->op->copy);
  case CUDA_OP_FILL: return cuda_fill_end(a->op);
  case CUDA_OP_RECORD: cuda_finish_recording(a->op); return CUDA_SUCCESS;
  default: return cuda_op_run(a->ctx, a->op);
  }
}

static void end_activity(struct cuda_activity *a, CUresult result) {
  struct cuda_environment *v = a->environment && a->environment->of == a ? a->environment : NULL;
  a->ctx->n_active--;
  if (v) cuda_exec_busy(v->exec, -1);
  a->ended(a, result);
  if (v) cuda_environment_delete(v);
  free(a);
}

/* A kernel has ended without a fault: whether it, or one that ended before, launched another one, which becomes the activity's kernel. */
static bool go_on_with_child(struct cuda_activity *a) {
  if (heddleTraced) cuda_trace_activity(a);
  if (!cuda_launch_child(a)) return false;
  a->traced.by_device = true;
  a->task.came = cuda.engine.now;
  return true;
}

/* In runs without timing: runs the kernel and those that it launches. False: one of them waits for the host. */
static bool run_kernels(struct cuda_activity *a) {
  do {
    a->task.failed = !cuda_engine_run(&cuda.engine, a->task.launch.grid, &a->task.err);
    if (a->task.launch.grid->paused) {
      cuda_engine_keep(&cuda.engine, &a->task);
      return false;
    }
  } while (!a->task.failed && go_on_with_child(a));
  return true;
}

static void begin_graph(struct cuda_activity *a, struct CUgraph_st *g);
static void begin_launch(struct cuda_activity *a);
static void begin_condition(struct cuda_activity *a);

/* In a dead context only recordings and callbacks happen, because something may wait for them. */
static bool dead(const struct cuda_activity *a) {
  return a->ctx->fault != CUDA_SUCCESS && a->op->kind != CUDA_OP_RECORD && a->op->kind != CUDA_OP_CALLBACK;
}

void cuda_activity_begin(const struct cuda_activity *from) {
  struct cuda_activity *a = must_alloc(sizeof *a);
  *a = *from;
  a->ctx->n_active++;
  if (a->op->kind == CUDA_OP_CHILD && a->op->launches) {
    if (!a->environment) {
      a->environment = cuda_environment_new(a->op->exec, NULL);
      cuda_exec_busy(a->op->exec, 1);
    }
    a->environment->of = a;
  }
  if (dead(a)) {
    end_activity(a, a->ctx->fault);
    return;
  }
  if (a->op->kind == CUDA_OP_CHILD) {
    if (a->op->launches) begin_launch(a);
    else begin_graph(a, a->op->child);
    return;
  }
  if (a->op->kind == CUDA_OP_CONDITION) {
    begin_condition(a);
    return;
  }
  double ns;
  CUresult result = prepare(a, &ns);
  bool kernel = a->task.launch.grid != NULL;
  if (result == CUDA_SUCCESS && cuda_engine_timed(&cuda.engine) && (kernel || ns > 0)) {
    if (kernel) cuda_engine_begin_kernel(&cuda.engine, &a->task);
    else cuda_engine_begin(&cuda.engine, &a->task, ns);
    return;
  }
  a->task.begun = a->task.came = cuda.engine.now;
  if (result == CUDA_SUCCESS && kernel && !run_kernels(a)) return;
  cuda.engine.now += ns;
  end_activity(a, result == CUDA_SUCCESS ? complete(a) : result);
}

/* ---- graphs ---- */

struct graph_run {
  struct cuda_activity *of; /* the launch */
  struct CUgraphNode_st **order;
  size_t n, left, running; /* nodes: all, not begun, begun and not ended */
  size_t waits;            /* of those not begun: waits for events and values */
  uint32_t graph;          /* id of the executable graph */
  CUresult result;
  bool looking; /* it is looking for nodes that can begin */
  struct graph_run *next;
};
static struct graph_run *runs; /* the youngest first */

/* Whether the node may run at the same time as the node at the other end of an edge, which has not ended. */
static bool may_overlap(const struct CUgraphNode_st *n, size_t edge) {
  const struct CUgraphNode_st *before = n->deps[edge];
  const CUgraphEdgeData *e = &n->edges[edge];
  return e->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && e->from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC &&
         n->op.kind == CUDA_OP_KERNEL && before->begun && !before->disabled && cuda_lets_others_begin(&before->op);
}

/* *behind: the node at the same time as which it may run; NULL: none. With two such nodes, it waits for the end of one. */
static bool can_begin(struct CUgraphNode_st *n, const struct CUgraphNode_st **behind) {
  *behind = NULL;
  if (n->begun || (n->op.kind == CUDA_OP_WAIT && !cuda_event_done(n->op.event.event, n->op.event.ticket))) return false;
  for (size_t i = 0; i < n->n_deps; i++) {
    if (n->deps[i]->ended) continue;
    if (*behind || !may_overlap(n, i)) return false;
    *behind = n->deps[i];
  }
  return n->op.kind != CUDA_OP_MEMORY || n->disabled || cuda_values_ready(&n->op);
}

/* Whether the node may begin later than the end of those before it. */
static bool is_wait(const struct CUgraphNode_st *n) { return n->op.kind == CUDA_OP_WAIT || n->op.kind == CUDA_OP_MEMORY; }

static void go_on(struct graph_run *r);

static void begin_asked(struct cuda_activity *a);

static void node_ended(struct cuda_activity *a, CUresult result) {
  struct graph_run *r = a->owner;
  begin_asked(a);
  a->node->ended = true;
  r->running--;
  if (r->result == CUDA_SUCCESS) r->result = result;
  go_on(r);
}

static void begin_node(struct graph_run *r, struct CUgraphNode_st *n, const struct CUgraphNode_st *behind) {
  n->begun = true;
  r->left--;
  r->waits -= is_wait(n);
  if (n->disabled) {
    n->ended = true;
    return;
  }
  r->running++;
  cuda_activity_begin(&(struct cuda_activity){
      .task = {.stream = r->of->task.stream, .default_stream = r->of->task.default_stream, .node = n, .behind = behind,
               .dependent = behind != NULL},
      .ctx = r->of->ctx, .op = &n->op, .environment = r->of->environment,
      .ended = node_ended, .owner = r, .node = n,
      .traced = {.by_device = r->of->traced.by_device,
                 .correlation = r->of->traced.correlation, .graph = r->graph, .node = (uint64_t)r->graph << 32 | n->index}});
}

/* ---- launches of executable graphs, and those that kernels make (graph_device.c) ---- */

/* The environment's graph and all environments within have ended: the next graph of the tail. False: there is none, and the activity may no
 * longer exist. */
static bool next_of_tail(struct cuda_activity *a) {
  struct cuda_environment *v = a->environment;
  CUgraphExec exec;
  do exec = v->result == CUDA_SUCCESS ? cuda_environment_tail(v) : NULL;
  while (exec && (!cuda_is(exec, CUDA_K_EXEC) || !cuda_exec_is_on_device(exec))); /* destroyed meanwhile */
  if (!exec) {
    if (!v->siblings) end_activity(a, v->result);
    return false;
  }
  cuda_exec_busy(v->exec, -1);
  cuda_exec_busy(exec, 1);
  cuda_op_release(&v->op);
  cuda_exec_op(exec, &v->op, v->priority);
  v->exec = exec;
  return true;
}

/* If a graph ends while it is being begun, the next one is begun here, so that a graph that launches itself again needs no stack. */
static void begin_launch(struct cuda_activity *a) {
  struct cuda_environment *v = a->environment;
  for (;;) {
    v->graph_ended = v->done = false;
    v->inside = true;
    struct CUgraph_st *g = v->op.kind == CUDA_OP_CHILD ? v->op.child : a->op->child;
    cuda_condition_defaults(g);
    begin_graph(a, g);
    v->inside = false;
    if (!v->done || !next_of_tail(a)) return;
  }
}

/* Something in the environment has ended. */
static void look_whether_ended(struct cuda_environment *v) {
  if (!v->graph_ended || v->within) return;
  v->done = true;
  if (!v->inside && next_of_tail(v->of)) begin_launch(v->of);
}

/* An environment of a launch by a kernel has ended. */
static void environment_ended(struct cuda_activity *a, CUresult result) {
  struct cuda_environment *in = a->owner;
  bool sibling = !a->environment->around;
  if (in->result == CUDA_SUCCESS) in->result = result;
  if (sibling) in->siblings--;
  else in->within--;
  look_whether_ended(in);
}

/* A node has ended: begins the graphs that its kernel launched. */
static void begin_asked(struct cuda_activity *a) {
  CUgraphExec exec;
  bool sibling;
  struct cuda_environment *v = a->environment;
  while (v && a->op->kind == CUDA_OP_KERNEL && cuda_environment_begins(v, a, &exec, &sibling)) {
    if (!cuda_is(exec, CUDA_K_EXEC)) continue; /* destroyed meanwhile */
    struct cuda_environment *in = sibling && v->around ? v->around : v;
    bool beside = sibling && !v->around;
    struct cuda_environment *fresh = cuda_environment_new(exec, beside ? NULL : in);
    cuda_exec_op(exec, &fresh->op, v->priority);
    if (beside) in->siblings++;
    else in->within++;
    cuda_activity_begin(&(struct cuda_activity){
        .task = {.stream = a->task.stream, .default_stream = a->task.default_stream}, .ctx = a->ctx, .op = &fresh->op,
        .environment = fresh, .ended = environment_ended, .owner = in,
        .traced = {.correlation = a->traced.correlation, .by_device = true}});
  }
}

/* A graph of the activity has ended: a launch's, a child's, or a body of a conditional node. */
static void graph_ended(struct cuda_activity *a, CUresult result) {
  if (a->op->kind == CUDA_OP_CHILD && a->op->launches) {
    if (a->environment->result == CUDA_SUCCESS) a->environment->result = result;
    a->environment->graph_ended = true;
    look_whether_ended(a->environment);
    return;
  }
  if (a->op->kind != CUDA_OP_CONDITION) {
    end_activity(a, result);
    return;
  }
  a->bodies.result = result;
  a->bodies.done = true;
  if (!a->bodies.inside) begin_condition(a);
}

/* Begins the next body, or ends. If a body ends while it is being begun, the next one is begun here, so that a loop needs no stack. */
static void begin_condition(struct cuda_activity *a) {
  do {
    struct CUgraph_st *g = a->bodies.result == CUDA_SUCCESS ? cuda_condition_body(a->op, a->bodies.turns) : NULL;
    if (!g) {
      end_activity(a, a->bodies.result);
      return;
    }
    a->bodies.turns++;
    a->bodies.done = false;
    a->bodies.inside = true;
    begin_graph(a, g);
    a->bodies.inside = false;
  } while (a->bodies.done);
}

static void end_run(struct graph_run *r) {
  struct graph_run **at = &runs;
  while (*at != r) at = &(*at)->next;
  *at = r->next;
  struct cuda_activity *of = r->of;
  CUresult result = r->result;
  free(r);
  graph_ended(of, result);
}

/* Begins the nodes that can begin; none after a failure. The run ends with its last node. */
static void go_on(struct graph_run *r) {
  if (r->looking) return;
  r->looking = true;
  const struct CUgraphNode_st *behind;
  for (bool any = true; any && r->result == CUDA_SUCCESS;) {
    any = false;
    for (size_t i = 0; i < r->n && r->result == CUDA_SUCCESS; i++) {
      if (!can_begin(r->order[i], &behind)) continue;
      begin_node(r, r->order[i], behind);
      any = true;
    }
  }
  r->looking = false;
  if (!r->running && (!r->left || r->result != CUDA_SUCCESS)) end_run(r);
}

bool cuda_graph_step(void) {
  const struct CUgraphNode_st *behind;
  for (struct graph_run *r = runs; r; r = r->next)
    for (size_t i = 0; r->waits && !r->looking && r->result == CUDA_SUCCESS && i < r->n; i++)
      if (can_begin(r->order[i], &behind)) {
        go_on(r);
        return true;
      }
  return false;
}

/* Graphs of a context that is about to be destroyed and that wait for something that will not happen. */
static void give_up_graphs(const struct CUctx_st *ctx) {
  for (struct graph_run *r = runs; r;) {
    struct graph_run *next = r->next;
    if (r->of->ctx == ctx && !r->running) {
      r->result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
      go_on(r);
      next = runs; /* an enclosing graph may have ended with it */
    }
    r = next;
  }
}

static void begin_graph(struct cuda_activity *a, struct CUgraph_st *g) {
  struct CUgraphNode_st **order = cuda_graph_order(g);
  if (!order) {
    graph_ended(a, CUDA_ERROR_INVALID_VALUE);
    return;
  }
  struct graph_run *r = must_alloc(sizeof *r);
  *r = (struct graph_run){.of = a, .order = order, .n = g->n_nodes, .left = g->n_nodes, .next = runs,
                          .graph = g->id ? g->id : a->traced.graph};
  runs = r;
  for (size_t i = 0; i < g->n_nodes; i++) {
    order[i]->begun = order[i]->ended = false;
    if (order[i]->op.kind == CUDA_OP_MEMORY) order[i]->op.batch.done = 0;
    r->waits += is_wait(order[i]);
  }
  go_on(r);
}

/* ---- kernels that a CTA waits for (exec/run/device_wait.h) ---- */

/* A kernel that failed makes the kernels fail that wait for it. */
static void fail_waiting(struct exec_grid *g) {
  g->fault.kind = EXEC_FAULT_TRAP;
  snprintf(g->fault.text, sizeof g->fault.text, "kernel '%s' waits for a kernel that it has launched, and that one has failed",
           g->kernel->ptx->name);
}

static void children_ended(struct cuda_activity *a, CUresult result) {
  struct exec_grid *grid;
  uint64_t cta;
  (void)result;
  if (!exec_sync_over(a->ctx->device.launches, a->wait, &grid, &cta)) return;
  if (a->task.failed) fail_waiting(grid);
  cuda_engine_children_ended(&cuda.engine, grid, cta);
}

static void begin_children(const struct cuda_activity *of) {
  static struct cuda_op kernel = {.kind = CUDA_OP_KERNEL};
  struct cuda_activity *a = must_alloc(sizeof *a);
  *a = (struct cuda_activity){.task = {.stream = of->task.stream, .default_stream = of->task.default_stream, .launch = of->task.launch},
                              .ctx = of->ctx, .op = &kernel, .ended = children_ended, .traced = of->traced};
  a->wait = exec_sync_asked(a->ctx->device.launches, of->task.launch.grid);
  a->task.launch.grid = NULL;
  a->traced.by_device = true;
  a->ctx->n_active++;
  if (cuda_launch_child(a)) {
    cuda_engine_begin_kernel(&cuda.engine, &a->task);
    return;
  }
  exec_todo_free(&a->todo); /* there were only copies */
  end_activity(a, CUDA_SUCCESS);
}

/* Tasks that are begun here are appended to the list. What a failed grid has launched does not run. */
static void begin_awaited(void) {
  for (struct cuda_task *t = cuda.engine.tasks; t; t = t->next)
    while (t->ticket && !t->launch.grid->fault.kind && t->launch.grid->asking) begin_children((struct cuda_activity *)t);
}

/* ---- time ---- */

/* The next task that ends. */
static struct cuda_task *pass(double limit) {
  for (;;) {
    struct cuda_task *t = cuda_engine_pass(&cuda.engine, limit);
    if (!cuda.engine.asks) return t;
    begin_awaited();
  }
}

static void end_task(struct cuda_task *t) {
  struct cuda_activity *a = (struct cuda_activity *)t;
  if (t->launch.grid && !t->failed && go_on_with_child(a)) {
    if (cuda_engine_timed(&cuda.engine)) cuda_engine_begin_kernel(&cuda.engine, t);
    if (cuda_engine_timed(&cuda.engine) || !run_kernels(a)) return;
  }
  end_activity(a, complete(a));
  cuda_progress();
}

bool cuda_pass(void) {
  if (cuda_others_ran()) return true;
  struct cuda_task *t = pass(INFINITY);
  if (t) end_task(t);
  cuda_programs_look();
  return t != NULL;
}

void cuda_pass_until(double ns) {
  if (cuda.programs.n > 1) { /* time is shared by the programs */
    cuda_pass();
    return;
  }
  for (struct cuda_task *t; (t = pass(ns));) end_task(t);
}

void cuda_wait_for_others(void) {
  cuda_engine_wait_for_host(&cuda.engine);
  pthread_mutex_unlock(&cuda.lock);
  nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  pthread_mutex_lock(&cuda.lock);
  cuda_progress();
}

void cuda_settle(struct CUctx_st *ctx) {
  while (ctx->n_active && (cuda_pass() || cuda.engine.waits))
    if (cuda.engine.waits) cuda_wait_for_others();
  give_up_graphs(ctx);
}
