/* Launches: checks, parameters, and the way to the engine.
 *
 * A launch is checked as by CUDA, with the reason of a refusal on standard error. A fault of the kernel is returned by the next call that
 * synchronises, and by every call after it. Each launch that fails is counted (failures.h), with its reason, except launches into a context
 * that a fault has killed, because the fault was counted. */
#include "base/arena.h"
#include "cuda/launch_failures.h"
#include "cuda/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what fails ---- */

/* True if nothing like it has failed before. kernel NULL: not known. */
static bool count_failure(const char *kernel, CUresult code, const char *why) {
  const char *name = NULL;
  cuGetErrorName(code, &name);
  return cuda_failures_add(&cuda.engine.failures, kernel, name ? name : "CUDA_ERROR_UNKNOWN", why);
}

static void count_plain_failure(const char *kernel, CUresult code) {
  const char *text = NULL;
  cuGetErrorString(code, &text);
  count_failure(kernel, code, text ? text : "");
}

/* Printed once, however often it happens. */
static CUresult refuse(CUresult code, const struct CUfunc_st *f, const char *why) {
  if (count_failure(f->func->ptx->name, code, why)) cuda_say("launch of %s refused: %s", f->func->ptx->name, why);
  return code;
}

CUDA_EXPORT void heddleLaunchFailed(const char *kernel, CUresult code, const char *reason) {
  CUDA_LOCKED;
  if (reason && *reason) count_failure(kernel, code, reason);
  else count_plain_failure(kernel, code);
}

/* ---- checks ---- */

static CUresult check_block(const struct CUfunc_st *f, const struct cuda_launch_request *r) {
  const struct ptx_func *p = f->func->ptx;
  static const uint32_t most[3] = {1024, 1024, 64};
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    if (!r->block[i] || !r->grid[i]) return refuse(CUDA_ERROR_INVALID_VALUE, f, "a dimension is zero");
    if (r->block[i] > most[i])
      return refuse(CUDA_ERROR_INVALID_VALUE, f, "the block is larger than 1024 x 1024 x 64");
    threads *= r->block[i];
  }
  if (threads > 1024) return refuse(CUDA_ERROR_INVALID_VALUE, f, "the block has more than 1024 threads");
  if (r->grid[0] > INT32_MAX || r->grid[1] > 65535 || r->grid[2] > 65535)
    return refuse(CUDA_ERROR_INVALID_VALUE, f, "the grid is larger than 2147483647 x 65535 x 65535");
  if (p->reqntid[0]) {
    for (int i = 0; i < 3; i++)
      if (r->block[i] != (p->reqntid[i] ? p->reqntid[i] : 1))
        return refuse(CUDA_ERROR_INVALID_VALUE, f, "the block is not of the size its .reqntid says");
  } else if (p->maxntid[0]) {
    uint64_t max = p->maxntid[0];
    for (int i = 1; i < 3; i++) max *= p->maxntid[i] ? p->maxntid[i] : 1;
    if (threads > max)
      return refuse(CUDA_ERROR_INVALID_VALUE, f, "the block has more threads than its .maxntid says");
  }
  if (p->maxnreg && (uint64_t)p->maxnreg * threads > cuda.engine.info.registers_per_block &&
      cuda_function_registers(f) * threads > cuda.engine.info.registers_per_block)
    return refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, f, "the block needs more registers than an SM has");
  return CUDA_SUCCESS;
}

static CUresult check_shared(const struct CUfunc_st *f, size_t dynamic) {
  uint64_t all = (uint64_t)f->func->shared_bytes + dynamic;
  if (dynamic > (size_t)f->max_dynamic_shared || all > cuda.engine.info.shared_per_block_optin)
    return refuse(
        CUDA_ERROR_INVALID_VALUE, f,
        "more shared memory than allowed (cuFuncSetAttribute raises the limit for dynamic shared memory)");
  return CUDA_SUCCESS;
}

/* In runs without timing a CTA that no SM can hold runs nevertheless. */
static CUresult check_fits(const struct CUfunc_st *f, const struct cuda_launch_request *r) {
  struct exec_grid g = {.kernel = f->func, .dynamic_shared = (uint32_t)r->shared};
  struct err e = {0};
  memcpy(g.block, r->block, sizeof g.block);
  if (!cuda.engine.gpu || gpu_cta_fits(&cuda.engine.shape, &g, &e)) return CUDA_SUCCESS;
  return refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, f, e.text);
}

static CUresult check_cooperative(const struct CUfunc_st *f, const struct cuda_launch_request *r) {
  struct cuda_occupancy_need need = {.threads = r->block[0] * r->block[1] * r->block[2],
                                     .registers_per_thread = cuda_function_registers(f),
                                     .static_shared = f->func->shared_bytes,
                                     .dynamic_shared = (uint32_t)r->shared};
  uint64_t resident = (uint64_t)cuda_blocks_per_sm(&cuda.engine.info, &need) * cuda.engine.info.sms;
  uint64_t blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
  if (blocks > resident)
    return refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, f,
                  "a cooperative grid must fit on the device at once");
  return CUDA_SUCCESS;
}

CUresult cuda_cluster_shape(struct cuda_launch *l, const uint32_t *dims, const char **why) {
  enum { PORTABLE = 8 };
  const struct ptx_func *p = l->func->func->ptx;
  uint32_t own[3];
  for (int i = 0; i < 3; i++) own[i] = p->reqnctapercluster[i] ? p->reqnctapercluster[i] : 1;
  if (!dims && !p->reqnctapercluster[0]) return CUDA_SUCCESS;
  *why = "the kernel is compiled for clusters of another size";
  if (dims && p->reqnctapercluster[0] && memcmp(dims, own, sizeof own)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  memcpy(l->cluster, dims ? dims : own, sizeof l->cluster);
  uint64_t size = (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2];
  *why = "the clusters do not divide the grid";
  for (int i = 0; i < 3; i++)
    if (!l->cluster[i] || l->grid[i] % l->cluster[i]) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *why = "clusters of several blocks need compute capability 9.0";
  if (size > 1 && cuda.engine.info.major < 9) return CUDA_ERROR_NOT_SUPPORTED;
  *why = "a cluster has at most 8 blocks, or 16 if the function allows sizes that are not portable";
  bool fits = size <= (l->func->non_portable_cluster ? EXEC_MAX_CLUSTER : PORTABLE) && (!p->maxclusterrank || size <= p->maxclusterrank);
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

CUresult cuda_launch_cluster(struct cuda_launch *l, const uint32_t *dims) {
  const char *why = NULL;
  CUresult r = cuda_cluster_shape(l, dims, &why);
  return r == CUDA_SUCCESS ? r : refuse(r, l->func, why);
}

/* Preferred cluster sizes: a GPU may also use the launch's own size, as is done here. */
static CUresult check_preferred(const struct cuda_launch *l, const uint32_t *dims) {
  for (int i = 0; i < 3; i++) {
    uint32_t own = l->cluster[i] ? l->cluster[i] : 1;
    if (!dims[i] || dims[i] % own || l->grid[i] % dims[i])
      return refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, l->func,
                    "the preferred clusters do not divide the grid, or the clusters do not divide them");
  }
  return CUDA_SUCCESS;
}

bool cuda_window_is_valid(const CUaccessPolicyWindow *w) {
  return w->hitRatio >= 0 && w->hitRatio <= 1 && (unsigned)w->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
         (unsigned)w->missProp <= CU_ACCESS_PROPERTY_STREAMING;
}

void cuda_launch_window(struct cuda_launch *l, const CUaccessPolicyWindow *w) {
  l->window = (struct exec_l2_window){.base = (uint64_t)(uintptr_t)w->base_ptr, .bytes = w->num_bytes, .hit_ratio = w->hitRatio,
                                      .hit = (uint8_t)w->hitProp, .miss = (uint8_t)w->missProp};
}

static CUresult read_attributes(struct cuda_launch *l, const struct cuda_launch_request *r) {
  const uint32_t *cluster = NULL, *preferred = NULL;
  if (r->window) cuda_launch_window(l, r->window);
  for (unsigned i = 0; i < r->n_attributes; i++) {
    const CUlaunchAttributeValue *v = &r->attributes[i].value;
    switch (r->attributes[i].id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: l->cooperative = v->cooperative != 0; break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY: l->priority = v->priority; break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      l->dependent = v->programmaticStreamSerializationAllowed != 0;
      break;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
      if (!cuda_window_is_valid(&v->accessPolicyWindow)) return CUDA_ERROR_INVALID_VALUE;
      cuda_launch_window(l, &v->accessPolicyWindow);
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: cluster = &v->clusterDim.x; break;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      if (v->deviceUpdatableKernelNode.deviceUpdatable)
        return refuse(CUDA_ERROR_NOT_SUPPORTED, l->func, "a node cannot be updated from the device");
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: preferred = &v->preferredClusterDim.x; break;
    case CU_LAUNCH_ATTRIBUTE_IGNORE: break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: break; /* the caller records it */
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: break; /* hints: no result depends on them */
    default: return refuse(CUDA_ERROR_INVALID_VALUE, l->func, "a launch has no such attribute");
    }
  }
  CHECK(cuda_launch_cluster(l, cluster));
  return preferred ? check_preferred(l, preferred) : CUDA_SUCCESS;
}

/* ---- parameters ---- */

static const struct ptx_var *param(const struct CUfunc_st *f, uint32_t i) {
  return &f->module->m.ptx.vars[f->func->ptx->params[i]];
}

static CUresult copy_extra(struct cuda_launch *l, void **extra) {
  const void *buffer = NULL;
  const size_t *bytes = NULL;
  for (unsigned i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    NEED(i < 16);
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = extra[i + 1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  NEED(buffer && bytes);
  if (*bytes > l->param_bytes)
    return refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, l->func, "too many bytes of parameters");
  memcpy(l->params, buffer, *bytes); /* missing bytes are zero */
  return CUDA_SUCCESS;
}

static CUresult copy_params(struct cuda_launch *l, const struct cuda_launch_request *r) {
  NEED(!r->params || !r->extra);
  if (r->extra) return copy_extra(l, r->extra);
  NEED(r->params || !l->n_params);
  for (uint32_t i = 0; i < l->n_params; i++) {
    const struct ptx_var *v = param(l->func, i);
    NEED(r->params[i]);
    memcpy(l->params + v->offset, r->params[i], v->bytes);
  }
  return CUDA_SUCCESS;
}

CUresult cuda_launch_prepare(struct cuda_op *op, struct CUfunc_st *f, const struct cuda_launch_request *r) {
  struct cuda_launch *l = &op->launch;
  *op = (struct cuda_op){.kind = CUDA_OP_KERNEL};
  *l = (struct cuda_launch){.func = f, .dynamic_shared = (uint32_t)r->shared, .cooperative = r->cooperative, .priority = r->priority};
  memcpy(l->grid, r->grid, sizeof l->grid);
  memcpy(l->block, r->block, sizeof l->block);
  if (f->func->refused) return refuse(CUDA_ERROR_NOT_SUPPORTED, f, f->func->refused);
  CHECK(check_block(f, r));
  CHECK(check_shared(f, r->shared));
  CHECK(read_attributes(l, r));
  CHECK(l->cooperative ? check_cooperative(f, r) : check_fits(f, r));
  l->n_params = f->func->ptx->n_params;
  l->param_bytes = f->func->ptx->param_bytes;
  l->params = must_alloc(l->param_bytes + 1);
  l->pointers = must_alloc((l->n_params + 1) * sizeof *l->pointers);
  for (uint32_t i = 0; i < l->n_params; i++) l->pointers[i] = l->params + param(f, i)->offset;
  CUresult result = copy_params(l, r);
  if (result != CUDA_SUCCESS) cuda_op_release(op);
  return result;
}

/* ---- running ---- */

static CUresult fault_code(enum exec_fault_kind kind) {
  switch (kind) {
  case EXEC_FAULT_ILLEGAL_ADDRESS:
  case EXEC_FAULT_READ_ONLY: return CUDA_ERROR_ILLEGAL_ADDRESS;
  case EXEC_FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
  case EXEC_FAULT_ASSERT: return CUDA_ERROR_ASSERT;
  case EXEC_FAULT_STACK: return CUDA_ERROR_HARDWARE_STACK_ERROR;
  case EXEC_FAULT_ILLEGAL_INSTRUCTION: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case EXEC_FAULT_DEADLOCK: return CUDA_ERROR_LAUNCH_TIMEOUT;
  case EXEC_FAULT_ADDRESS_SPACE: return CUDA_ERROR_INVALID_ADDRESS_SPACE;
  default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}

/* The heap of device malloc is created at the first launch of a module that names malloc, and the record of launches by kernels at the
 * first launch of a module that makes any. */
static void prepare_heap(struct CUctx_st *ctx, const struct CUmod_st *m) {
  if (!ctx->device.launches && exec_launches_kernels(&m->m.ptx)) ctx->device.launches = exec_launches_new(cuda.mem);
  if (ctx->device.heap || !exec_uses_heap(&m->m.ptx)) return;
  ctx->device.heap = exec_heap_new(cuda.mem, ctx->limits[CU_LIMIT_MALLOC_HEAP_SIZE]);
}

/* The memory of a cooperative grid's barrier: its own size in bytes, then the count. */
static uint64_t take_workspace(struct CUctx_st *ctx) {
  size_t i = 0;
  while (i < ctx->n_workspaces && ctx->workspaces[i] & 1) i++;
  if (i == ctx->n_workspaces) {
    uint64_t at = exec_mem_alloc(cuda.mem, 256, 256, EXEC_ALLOC_MODULE, "barrier of cooperative grids");
    if (!at) return 0;
    GROW(ctx->workspaces, ctx->workspace_capacity, ctx->n_workspaces + 1);
    ctx->workspaces[ctx->n_workspaces++] = at;
  }
  uint32_t start[2] = {8, 0};
  memcpy(exec_mem_ptr(ctx->workspaces[i]), start, sizeof start);
  ctx->workspaces[i] |= 1;
  return ctx->workspaces[i] & ~UINT64_C(1);
}

static void leave_workspace(struct CUctx_st *ctx, uint64_t at) {
  for (size_t i = 0; i < ctx->n_workspaces; i++)
    if (ctx->workspaces[i] == (at | 1)) ctx->workspaces[i] = at;
}

CUresult cuda_launch_begin(struct cuda_activity *a, const struct cuda_launch *l) {
  struct CUctx_st *ctx = a->ctx;
  if (!cuda_is(l->func, CUDA_K_FUNCTION) || l->func->func->ptx->param_bytes != l->param_bytes) { /* unloaded since */
    count_plain_failure(NULL, CUDA_ERROR_INVALID_HANDLE);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  prepare_heap(ctx, l->func->module);
  struct exec_grid *g = must_alloc(sizeof *g);
  *g = (struct exec_grid){.module = &l->func->module->m,
                          .kernel = l->func->func,
                          .device = &ctx->device,
                          .dynamic_shared = l->dynamic_shared,
                          .params = l->params,
                          .window = l->window,
                          .of = a,
                          .graph = a->environment ? cuda_exec_current(a->environment->exec) : 0,
                          .cooperative = l->cooperative};
  memcpy(g->grid, l->grid, sizeof g->grid);
  memcpy(g->block, l->block, sizeof g->block);
  memcpy(g->cluster, l->cluster, sizeof g->cluster);
  if (l->cooperative) g->workspace = take_workspace(ctx);
  a->task.launch = (struct gpu_launch){.grid = g, .program = ctx->program, .priority = l->priority};
  return CUDA_SUCCESS;
}

/* If a CTA waits, what it has launched meanwhile is appended. */
static bool next_child(struct cuda_activity *a, struct exec_child *child) {
  if (exec_todo_next(&a->todo, child)) return true;
  return a->wait && exec_sync_more(a->ctx->device.launches, a->wait, &a->todo) && exec_todo_next(&a->todo, child);
}

static void give_back(struct cuda_activity *a, struct exec_grid *g) {
  if (g->workspace) leave_workspace(a->ctx, g->workspace);
  exec_child_ended(g);
}

bool cuda_launch_child(struct cuda_activity *a) {
  struct exec_grid *g = a->task.launch.grid;
  struct exec_child child;
  if (g) exec_launches_take(a->ctx->device.launches, g, &a->todo);
  if (!next_child(a, &child)) return false;
  if (g) give_back(a, g);
  else g = a->task.launch.grid = must_alloc(sizeof *g);
  *g = exec_child_grid(&child, &a->ctx->device);
  a->task.ticket = 0;
  return true;
}

void cuda_launch_end(struct cuda_activity *a, bool failed, const struct err *e) {
  struct exec_grid *g = a->task.launch.grid;
  exec_launches_take(a->ctx->device.launches, g, &a->todo); /* if the grid failed, they do not run */
  exec_todo_free(&a->todo);
  if (failed) {
    const char *why = g->fault.kind != EXEC_FAULT_NONE ? g->fault.text : e->text;
    CUresult code = e->kind == ERR_UNSUPPORTED ? CUDA_ERROR_NOT_SUPPORTED : fault_code(g->fault.kind);
    cuda_context_flush(a->ctx);
    fflush(stdout);
    cuda_say("%s", why);
    count_failure(g->kernel->ptx->name, code, why);
    cuda_context_fault(a->ctx, code);
  }
  give_back(a, g);
  free(g);
  a->task.launch.grid = NULL;
}

/* ---- entry points ---- */

/* Events to be recorded by a launch attribute: in stream order they come right after the kernel. */
static CUresult record_events(struct CUstream_st *s, const struct cuda_launch_request *r) {
  for (unsigned i = 0; i < r->n_attributes; i++) {
    CUevent e = NULL;
    if (r->attributes[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
      e = r->attributes[i].value.programmaticEvent.event;
    if (r->attributes[i].id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
      e = r->attributes[i].value.launchCompletionEvent.event;
    if (!e) continue;
    if (!cuda_is(e, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    CHECK(cuda_event_record(e, s, false));
  }
  return CUDA_SUCCESS;
}

/* Launches with the priority of the stream, unless an attribute gives another one. */
static CUresult launch_function(struct CUctx_st *ctx, struct CUfunc_st *f, const struct cuda_launch_request *r, CUstream stream) {
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (f->o.ctx != s->o.ctx) return CUDA_ERROR_INVALID_HANDLE;
  struct cuda_op op;
  struct cuda_launch_request in_stream = *r;
  in_stream.priority = s->priority;
  in_stream.window = &s->attributes[CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW].accessPolicyWindow;
  CHECK(cuda_launch_prepare(&op, f, &in_stream));
  CHECK(cuda_submit(s, &op));
  return record_events(s, r);
}

static CUresult launch(CUfunction handle, const struct cuda_launch_request *r, CUstream stream) {
  ENTER_FOR(ctx, stream);
  struct CUfunc_st *f = NULL;
  uint64_t counted = cuda.engine.failures.launches;
  CUresult result = cuda_function_of(&f, handle);
  if (result == CUDA_SUCCESS) result = launch_function(ctx, f, r, stream);
  if (result != CUDA_SUCCESS && counted == cuda.engine.failures.launches) /* another thread may have unloaded it meanwhile */
    count_plain_failure(cuda_is(f, CUDA_K_FUNCTION) ? f->func->ptx->name : NULL, result);
  return result;
}

CUDA_EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                    unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,
                                    void **extra) {
  struct cuda_launch_request r = {
      .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .params = params, .extra = extra};
  return launch(f, &r, stream);
}

CUDA_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                               CUstream stream, void **params) {
  struct cuda_launch_request r = {
      .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .params = params, .cooperative = true};
  return launch(f, &r, stream);
}

CUDA_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
  NEED(c && (c->attrs || !c->numAttrs));
  struct cuda_launch_request r = {.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                  .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                  .shared = c->sharedMemBytes,
                                  .params = params,
                                  .extra = extra,
                                  .attributes = c->attrs,
                                  .n_attributes = c->numAttrs};
  return launch(f, &r, c->hStream);
}

/* ---- the way launches were written before CUDA 4 ---- */

static CUresult old_function(struct CUfunc_st **f, CUfunction handle) {
  CHECK(cuda_function_of(f, handle));
  if (!(*f)->old_params) (*f)->old_params = must_alloc((*f)->func->ptx->param_bytes + 1);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z) {
  ENTER();
  struct CUfunc_st *f;
  CHECK(old_function(&f, handle));
  NEED(x > 0 && y > 0 && z > 0);
  f->old_block[0] = (uint32_t)x;
  f->old_block[1] = (uint32_t)y;
  f->old_block[2] = (uint32_t)z;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuFuncSetSharedSize(CUfunction handle, unsigned bytes) {
  ENTER();
  struct CUfunc_st *f;
  CHECK(old_function(&f, handle));
  f->old_shared = bytes;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuParamSetSize(CUfunction handle, unsigned bytes) {
  ENTER();
  struct CUfunc_st *f;
  CHECK(old_function(&f, handle));
  NEED(bytes <= f->func->ptx->param_bytes);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuParamSetv(CUfunction handle, int offset, void *from, unsigned bytes) {
  ENTER();
  struct CUfunc_st *f;
  CHECK(old_function(&f, handle));
  size_t size = f->func->ptx->param_bytes;
  NEED(from && offset >= 0 && (size_t)offset <= size && bytes <= size - (size_t)offset);
  memcpy(f->old_params + offset, from, bytes);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuParamSeti(CUfunction f, int offset, unsigned value) {
  return cuParamSetv(f, offset, &value, sizeof value);
}
CUDA_EXPORT CUresult cuParamSetf(CUfunction f, int offset, float value) {
  return cuParamSetv(f, offset, &value, sizeof value);
}

CUDA_EXPORT CUresult cuLaunchGridAsync(CUfunction handle, int x, int y, CUstream stream) {
  struct cuda_launch_request r = {.grid = {(uint32_t)x, (uint32_t)y, 1}};
  size_t bytes;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  {
    ENTER();
    struct CUfunc_st *f;
    CHECK(old_function(&f, handle));
    NEED(x > 0 && y > 0);
    memcpy(r.block, f->old_block, sizeof r.block);
    r.shared = f->old_shared;
    bytes = f->func->ptx->param_bytes;
    extra[1] = f->old_params;
    r.extra = extra;
  }
  return launch(handle, &r, stream);
}
CUDA_EXPORT CUresult cuLaunchGrid(CUfunction f, int x, int y) { return cuLaunchGridAsync(f, x, y, NULL); }
CUDA_EXPORT CUresult cuLaunch(CUfunction f) { return cuLaunchGridAsync(f, 1, 1, NULL); }
