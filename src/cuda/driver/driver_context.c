/* Initialisation, contexts and their settings.
 *
 * A context owns what is made while it is current: modules, streams, events, memory, arrays. The legacy default stream is part of it;
 * per-thread default streams are made on first use. A kernel's fault kills the context: every later call on it returns the fault's code
 * until it is destroyed or the primary context is reset. */
#include "base/arena.h"
#include "cuda/checks.h"
#include "cuda/state.h"
#include "cuda/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_program(void) {
  CUDA_LOCKED;
  cuda_engine_stop(&cuda.engine);
}

/* If accesses are checked closely, there is space between allocations. */
static bool make_memory(struct err *e) {
  const struct cuda_settings *s = &cuda.engine.settings;
  cuda.mem = exec_mem_new_apart(cuda.engine.info.memory_bytes, s->strict || s->check ? EXEC_RED_ZONE : 0, e);
  return cuda.mem != NULL;
}

CUDA_EXPORT CUresult cuInit(unsigned flags) {
  CUDA_LOCKED;
  NEED(flags == 0);
  if (cuda.initialized) return CUDA_SUCCESS;
  struct err e = {0};
  if (!cuda_engine_start(&cuda.engine, cuda.programs.n, &e) || !make_memory(&e) || !cuda_check_start(&e)) {
    cuda_say("%s", e.text);
    cuda_engine_refuse(&cuda.engine, &e);
    return CUDA_ERROR_NO_DEVICE;
  }
  cuda.initialized = true;
  if (cuda.programs.n > 1) cuda.engine.report_programs = cuda_programs_report;
  cuda_stop_on_signals(end_program);
  cuda.default_pool = cuda_pool_new(&(CUmemPoolProps){.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}});
  cuda.default_pool->is_default = true;
  cuda.current_pool = cuda.default_pool;
  return CUDA_SUCCESS;
}

/* ---- making and destroying ---- */

static void default_limits(size_t *limits) {
  limits[CU_LIMIT_STACK_SIZE] = 1024;
  limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 8650752;
  limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8388608;
  limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
  limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
  limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
  limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0;
  limits[CU_LIMIT_SHMEM_SIZE] = cuda.engine.info.shared_per_block_optin;
}

void cuda_context_print(void *user, const char *text, size_t n) {
  struct CUctx_st *ctx = user;
  if (ctx->n_printed + n > ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE]) cuda_context_flush(ctx);
  GROW(ctx->printed, ctx->printed_capacity, ctx->n_printed + n + 1);
  memcpy(ctx->printed + ctx->n_printed, text, n);
  ctx->n_printed += n;
}

void cuda_context_flush(struct CUctx_st *ctx) {
  if (!ctx->n_printed) return;
  cuda_engine_clear_line(&cuda.engine);
  fwrite(ctx->printed, 1, ctx->n_printed, stdout);
  fflush(stdout);
  ctx->n_printed = 0;
}

/* Initialises an empty context. */
static void context_begin(struct CUctx_st *ctx, unsigned flags) {
  ctx->program = cuda_program();
  ctx->flags = flags;
  ctx->id = ++cuda.next_id;
  default_limits(ctx->limits);
  const struct cuda_device_info *info = &cuda.engine.info;
  ctx->device = (struct exec_device){.mem = cuda.mem,
                                     .stack_limit = 65536,
                                     .n_sms = info->sms,
                                     .warp_slots = info->threads_per_sm / 32,
                                     .clock_hz = 1000ull * info->core_khz,
                                     .check = !cuda.engine.settings.no_check,
                                     .strict = cuda.engine.settings.strict,
                                     .strays = cuda.observer ? NULL : cuda.engine.strays, /* the checker reports them */
                                     .observer = cuda.observer,
                                     .print = cuda_context_print,
                                     .print_user = ctx,
                                     .told = &cuda_told};
  ctx->legacy.legacy = true;
  cuda_stream_init(&ctx->legacy, ctx);
  struct CUctx_st **last = &cuda.contexts;
  while (*last) last = &(*last)->next;
  *last = ctx;
  if (heddleTraced) {
    cuda_trace_context(ctx);
    cuda_trace_stream(&ctx->legacy);
  }
}

static struct CUctx_st *context_new(unsigned flags) {
  struct CUctx_st *ctx = cuda_object_new(CUDA_K_CONTEXT, NULL, sizeof *ctx);
  context_begin(ctx, flags);
  return ctx;
}

static void free_blocks_of(const struct CUctx_st *ctx) {
  for (size_t i = cuda.n_blocks; i-- > 0;)
    if (i < cuda.n_blocks && cuda.blocks[i]->ctx == ctx) cuda_block_free(cuda.blocks[i]);
}

/* Ends everything in the context; its handle is no longer valid. */
static void context_end(struct CUctx_st *ctx) {
  cuda_settle(ctx);
  cuda_check_leaks(ctx);
  cuda_context_flush(ctx);
  cuda_each(CUDA_K_STREAM, ctx, cuda_stream_delete);
  for (struct CUstream_st *s = ctx->streams, *next; s; s = next) { /* their handles are gone, but not their work */
    next = s->next;
    if (s->destroyed) cuda_stream_delete(s);
  }
  cuda_stream_delete(&ctx->legacy);
  cuda_each(CUDA_K_EVENT, ctx, cuda_event_delete);
  cuda_each(CUDA_K_MIPMAP, ctx, cuda_mipmap_delete);
  cuda_each(CUDA_K_ARRAY, ctx, cuda_array_delete);
  cuda_each(CUDA_K_MODULE, ctx, cuda_module_delete);
  free_blocks_of(ctx);
  if (ctx->device.heap) exec_heap_delete(ctx->device.heap);
  exec_launches_delete(ctx->device.launches);
  for (size_t i = 0; i < ctx->n_workspaces; i++) exec_mem_free(cuda.mem, ctx->workspaces[i]);
  free(ctx->workspaces);
  free(ctx->printed);
  struct CUctx_st **at = &cuda.contexts;
  while (*at != ctx) at = &(*at)->next;
  *at = ctx->next;
  cuda_object_forget(ctx);
  cuda_each(CUDA_K_LIBRARY, NULL, cuda_library_forget_context);
}

static void context_delete(struct CUctx_st *ctx) {
  context_end(ctx);
  free(ctx);
}

/* Whether it is an inactive primary context, which can be current and knows its device. */
static bool is_asleep(const struct CUctx_st *ctx) {
  for (size_t i = 0; i < GPU_MAX_PROGRAMS; i++)
    if (ctx && cuda.primary_home[i] == ctx) return cuda.primary[i] == NULL;
  return false;
}

static CUresult push(struct CUctx_st *ctx) {
  struct cuda_thread *t = cuda_thread();
  if (t->depth == CUDA_CONTEXT_DEPTH) return CUDA_ERROR_OUT_OF_MEMORY;
  t->stack[t->depth++] = ctx;
  return CUDA_SUCCESS;
}

#define CONTEXT_FLAGS                                                                                        \
  (CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_COREDUMP_ENABLE |                \
   CU_CTX_USER_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS)

static CUresult create(CUcontext *out, unsigned flags, CUdevice device) {
  ENTER();
  NEED(out && !(flags & ~(unsigned)CONTEXT_FLAGS));
  NEED_DEVICE(device);
  struct CUctx_st *ctx = context_new(flags);
  CUresult r = push(ctx);
  if (r != CUDA_SUCCESS) {
    context_delete(ctx);
    return r;
  }
  *out = ctx;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUDA_EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
#undef cuCtxCreate
CUDA_EXPORT CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device);
CUDA_EXPORT CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device) {
  return create(out, flags, device);
}
CUDA_EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params, int n, unsigned flags,
                                    CUdevice device);
CUDA_EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params, int n, unsigned flags,
                                    CUdevice device) {
  if (params && n) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(out, flags, device);
}
CUDA_EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags,
                                    CUdevice device) {
  if (params && params->numExecAffinityParams) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (params && params->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
  return create(out, flags, device);
}

CUDA_EXPORT CUresult cuCtxDestroy_v2(CUcontext ctx) {
  ENTER();
  NEED(ctx);
  if (!cuda_is(ctx, CUDA_K_CONTEXT) || ctx->primary) return CUDA_ERROR_INVALID_CONTEXT;
  struct cuda_thread *t = cuda_thread();
  if (t->depth && t->stack[t->depth - 1] == ctx) t->depth--;
  context_delete(ctx);
  return CUDA_SUCCESS;
}
#undef cuCtxDestroy
CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

/* ---- the stack ---- */

CUDA_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext ctx) {
  ENTER();
  if (!cuda_is(ctx, CUDA_K_CONTEXT) && !is_asleep(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  return push(ctx);
}
CUDA_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out) {
  ENTER();
  struct cuda_thread *t = cuda_thread();
  if (!t->depth) return CUDA_ERROR_INVALID_CONTEXT;
  struct CUctx_st *top = t->stack[--t->depth];
  if (out) *out = top;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxSetCurrent(CUcontext ctx) {
  ENTER();
  struct cuda_thread *t = cuda_thread();
  if (ctx && !cuda_is(ctx, CUDA_K_CONTEXT) && !is_asleep(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
  if (t->depth) t->depth--;
  return ctx ? push(ctx) : CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetCurrent(CUcontext *out) {
  ENTER();
  NEED(out);
  struct cuda_thread *t = cuda_thread();
  *out = t->depth ? t->stack[t->depth - 1] : NULL;
  return CUDA_SUCCESS;
}
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);
CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

/* The old way of counting references: the current context is kept, never shared. */
CUDA_EXPORT CUresult cuCtxAttach(CUcontext *out, unsigned flags) {
  ENTER_CONTEXT(ctx);
  NEED(out && !flags);
  ctx->refs++;
  *out = ctx;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxDetach(CUcontext ctx) {
  {
    ENTER();
    if (!cuda_is(ctx, CUDA_K_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    if (ctx->refs) {
      ctx->refs--;
      return CUDA_SUCCESS;
    }
  }
  return cuCtxDestroy_v2(ctx);
}

/* ---- the primary context ----
 *
 * Its handle stays the same, as on an H200. When it is released or reset, everything that was made in it ends; the next call that retains
 * it activates it again, also for threads in which it is current. */

static void wake_primary(void) {
  uint32_t i = cuda_program();
  struct CUctx_st *ctx = cuda.primary_home[i];
  if (!ctx) {
    ctx = cuda.primary_home[i] = context_new(cuda.primary_flags);
  } else {
    *ctx = (struct CUctx_st){.o.kind = CUDA_K_CONTEXT, .refs = ctx->refs};
    cuda_object_register(ctx);
    context_begin(ctx, cuda.primary_flags);
  }
  ctx->primary = true;
  cuda.primary[i] = ctx;
}

CUDA_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  ENTER();
  NEED(out);
  NEED_DEVICE(device);
  if (!cuda.primary[cuda_program()]) wake_primary();
  cuda.primary[cuda_program()]->refs++;
  *out = cuda.primary[cuda_program()];
  return CUDA_SUCCESS;
}

static void drop_primary(void) {
  struct CUctx_st *ctx = cuda.primary[cuda_program()];
  cuda.primary[cuda_program()] = NULL;
  if (ctx) context_end(ctx);
}

CUDA_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER();
  NEED_DEVICE(device);
  struct CUctx_st *ctx = cuda.primary_home[cuda_program()];
  if (!ctx || !ctx->refs) return CUDA_ERROR_INVALID_CONTEXT;
  if (--ctx->refs == 0) drop_primary();
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  ENTER();
  NEED_DEVICE(device);
  drop_primary();
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  ENTER();
  NEED_DEVICE(device);
  NEED(!(flags & ~(unsigned)CONTEXT_FLAGS));
  cuda.primary_flags = flags;
  if (cuda.primary[cuda_program()]) cuda.primary[cuda_program()]->flags = flags;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  ENTER();
  NEED(flags && active);
  NEED_DEVICE(device);
  *flags = cuda.primary_flags;
  *active = cuda.primary[cuda_program()] != NULL;
  return CUDA_SUCCESS;
}
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);
CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);
CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

/* ---- what a context knows of itself ---- */

void cuda_context_fault(struct CUctx_st *ctx, CUresult code) {
  if (ctx->fault == CUDA_SUCCESS) ctx->fault = code;
}

/* The context that a call names, or the current one. */
static CUresult named(struct CUctx_st **out, CUcontext ctx) {
  if (!ctx) return cuda_current(out);
  if (!cuda_is(ctx, CUDA_K_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
  *out = ctx;
  return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext which) {
  ENTER();
  struct CUctx_st *ctx;
  CHECK(named(&ctx, which));
  CHECK(cuda_capture_forbids());
  double start = cuda.engine.now;
  uint64_t id = ctx->id;
  CUresult r = cuda_drain(ctx, NULL);
  if (heddleTraced) cuda_trace_sync(HEDDLE_SYNC_CONTEXT, id, UINT32_MAX, UINT32_MAX, start, r);
  return r;
}
CUDA_EXPORT CUresult cuCtxSynchronize(void) { return synchronize(NULL); }
CUDA_EXPORT CUresult cuCtxSynchronize_v2(CUcontext ctx) { return synchronize(ctx); }

static CUresult device_of(CUdevice *out, CUcontext which) {
  ENTER();
  NEED(out);
  struct cuda_thread *t = cuda_thread();
  if (!which && t->depth) which = t->stack[t->depth - 1];
  if (!which) return CUDA_ERROR_INVALID_CONTEXT;
  if (!cuda_is(which, CUDA_K_CONTEXT) && !is_asleep(which)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *out = 0;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetDevice(CUdevice *out) { return device_of(out, NULL); }
CUDA_EXPORT CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext ctx) { return device_of(out, ctx); }

CUDA_EXPORT CUresult cuCtxGetId(CUcontext which, unsigned long long *out) {
  ENTER();
  NEED(out);
  struct CUctx_st *ctx;
  if (is_asleep(which)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  CHECK(named(&ctx, which));
  *out = ctx->id;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetApiVersion(CUcontext which, unsigned *version) {
  ENTER();
  NEED(version);
  struct CUctx_st *ctx;
  CHECK(named(&ctx, which));
  *version = 3020;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
  ENTER();
  NEED(flags);
  struct CUctx_st *ctx;
  CUresult r = cuda_current(&ctx);
  if (r != CUDA_SUCCESS && !(r == CUDA_ERROR_CONTEXT_IS_DESTROYED && is_asleep(ctx))) return r;
  *flags = r == CUDA_SUCCESS ? ctx->flags : cuda.primary_flags;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxSetFlags(unsigned flags) {
  ENTER_CONTEXT(ctx);
  NEED(!(flags & ~(unsigned)CONTEXT_FLAGS));
  ctx->flags = flags;
  return CUDA_SUCCESS;
}

/* From compute capability 9.0 on, kernels cannot wait for kernels that they launched. */
static bool has_limit(CUlimit limit) {
  if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH) return cuda.engine.info.major < 9;
  return limit <= CU_LIMIT_CIG_ENABLED;
}

CUresult cuda_limit(const struct CUctx_st *ctx, CUlimit limit, size_t *value) {
  NEED(value && (unsigned)limit < CU_LIMIT_MAX);
  if (!has_limit(limit)) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = ctx->limits[limit];
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  ENTER_CONTEXT(ctx);
  return cuda_limit(ctx, limit, value);
}
/* Rounds up to whole parts of L2; 0 for a device without them. */
static CUresult set_aside(size_t *bytes) {
  const struct cuda_device_info *d = &cuda.engine.info;
  if (!d->l2_set_aside) *bytes = 0;
  NEED(*bytes <= (size_t)d->l2_set_aside * d->l2_part);
  size_t parts = (*bytes + d->l2_part - 1) / d->l2_part;
  *bytes = parts * d->l2_part;
  if (cuda.engine.gpu) gpu_set_aside(cuda.engine.gpu, (uint32_t)parts);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  ENTER_CONTEXT(ctx);
  NEED((unsigned)limit < CU_LIMIT_MAX);
  if (!has_limit(limit) || limit == CU_LIMIT_SHMEM_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == CU_LIMIT_STACK_SIZE) {
    NEED(value <= 524288);
    value = (value + 15) / 16 * 16;
  }
  if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH) NEED(value <= EXEC_LAUNCH_LEVELS);
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) CHECK(set_aside(&value));
  if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && ctx->device.heap) NEED(value <= ctx->limits[limit]);
  ctx->limits[limit] = value;
  if (limit == CU_LIMIT_STACK_SIZE && value > ctx->device.stack_limit)
    ctx->device.stack_limit = (uint32_t)value;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  ENTER_CONTEXT(ctx);
  NEED(config);
  *config = ctx->cache;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  ENTER_CONTEXT(ctx);
  NEED((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL);
  ctx->cache = config;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  ENTER_CONTEXT(ctx);
  NEED(config);
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  ENTER_CONTEXT(ctx);
  NEED((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  ctx->shared_config = config;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxResetPersistingL2Cache(void) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  if (cuda.engine.gpu) gpu_unkeep_lines(cuda.engine.gpu);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuCtxGetExecAffinity(CUexecAffinityParam *param, CUexecAffinityType type) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(param);
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  param->type = type;
  param->param.smCount.val = cuda.engine.info.sms;
  return CUDA_SUCCESS;
}

/* ---- peers: there is one device ---- */

CUDA_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  ENTER_CONTEXT(ctx);
  NEED(!flags);
  if (!cuda_is(peer, CUDA_K_CONTEXT) || peer == ctx) return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}
CUDA_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  ENTER_CONTEXT(ctx);
  if (!cuda_is(peer, CUDA_K_CONTEXT) || peer == ctx) return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
