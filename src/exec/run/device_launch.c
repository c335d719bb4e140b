/* See device_launch.h. */
#include "exec/run/device_launch.h"

#include "base/arena.h"
#include "exec/run/device_query.h"
#include "exec/run/device_wait.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFERS_BYTES = 4 << 20, MAX_THREADS = 1024, MAX_GRID_YZ = 65535, FIRST_HANDLE = 16 };
/* Streams of a launch that are words, not objects; what an event in a kernel must be made with (cudaEventDisableTiming). */
enum { TAIL_STREAM = 3, NO_TIMING = 2 };

struct exec_launches {
  struct exec_mem *mem;
  struct exec_child *fresh; /* launched by grids that run, in order */
  size_t n, capacity;
  struct prepared {
    struct exec_child child;
    uint64_t buffer;
    uint32_t bytes; /* of it */
  } *prepared; /* buffers requested and not launched yet */
  size_t n_prepared, prepared_capacity;
  uint64_t buffers, used; /* device memory for parameters until the launch, followed by the texts and names of errors */
  struct exec_syncs syncs;
  uint64_t next_handle;   /* of streams and events */
  uint32_t last_error;
};

/* The errors that calls in kernels return, with their texts; the last entry is for all others. */
enum { TEXT_BYTES = 96 };
static const struct error_text {
  uint32_t code;
  char text[TEXT_BYTES], name[TEXT_BYTES];
} texts[] = {{EXEC_RT_SUCCESS, "no error", "cudaSuccess"},
             {EXEC_RT_INVALID_VALUE, "invalid argument", "cudaErrorInvalidValue"},
             {EXEC_RT_OUT_OF_MEMORY, "out of memory", "cudaErrorMemoryAllocation"},
             {EXEC_RT_INVALID_CONFIGURATION, "invalid configuration argument", "cudaErrorInvalidConfiguration"},
             {EXEC_RT_INVALID_PITCH, "invalid pitch argument", "cudaErrorInvalidPitchValue"},
             {EXEC_RT_INVALID_DIRECTION, "invalid copy direction for memcpy", "cudaErrorInvalidMemcpyDirection"},
             {EXEC_RT_SYNC_DEPTH, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth",
              "cudaErrorSyncDepthExceeded"},
             {EXEC_RT_INVALID_DEVICE, "invalid device ordinal", "cudaErrorInvalidDevice"},
             {EXEC_RT_NOT_SUPPORTED, "operation not supported", "cudaErrorNotSupported"},
             {EXEC_RT_INVALID_CLUSTER, "a kernel launch error has occurred due to cluster misconfiguration", "cudaErrorInvalidClusterSize"},
             {UINT32_MAX, "unrecognized error code", "unrecognized error code"}};
enum { TEXTS = sizeof texts / sizeof *texts };

struct exec_launches *exec_launches_new(struct exec_mem *mem) {
  uint64_t buffers = exec_mem_alloc(mem, BUFFERS_BYTES + sizeof texts, 256, EXEC_ALLOC_MODULE, "parameters of launches by kernels");
  if (!buffers) return NULL;
  memcpy(exec_mem_ptr(buffers + BUFFERS_BYTES), texts, sizeof texts);
  struct exec_launches *l = must_alloc(sizeof *l);
  l->mem = mem;
  l->buffers = buffers;
  l->next_handle = FIRST_HANDLE;
  return l;
}

void exec_launches_delete(struct exec_launches *l) {
  if (!l) return;
  exec_mem_free(l->mem, l->buffers);
  for (size_t i = 0; i < l->n; i++) free(l->fresh[i].params);
  free(l->fresh);
  free(l->syncs.at);
  free(l->prepared);
  free(l);
}

/* ---- what is left to run ---------------------------------------------------------------------------------------------- */

enum { ANY_CTA = -1 };

static bool is_of(const struct exec_child *c, const struct exec_grid *g, int64_t cta) {
  return c->parent == g && (cta == ANY_CTA || c->cta == (uint64_t)cta);
}

static void push_kind(struct exec_launches *l, const struct exec_grid *of, int64_t cta, struct exec_todo *todo, bool tail) {
  for (size_t i = l->n; i-- > 0;) {
    if (!is_of(&l->fresh[i], of, cta) || l->fresh[i].tail != tail) continue;
    GROW(todo->at, todo->capacity, todo->n + 1);
    todo->at[todo->n] = l->fresh[i];
    todo->at[todo->n].parent = NULL;
    todo->at[todo->n].depth = of->depth + 1;
    todo->at[todo->n++].awaited = of->awaited + (cta != ANY_CTA);
  }
}

/* Takes what a grid, or one of its CTAs, has launched. */
static void take(struct exec_launches *l, const struct exec_grid *of, int64_t cta, struct exec_todo *todo) {
  if (!l->n) return;
  push_kind(l, of, cta, todo, true);
  push_kind(l, of, cta, todo, false);
  size_t kept = 0;
  for (size_t i = 0; i < l->n; i++)
    if (!is_of(&l->fresh[i], of, cta)) l->fresh[kept++] = l->fresh[i];
  l->n = kept;
}

/* The space is reused when all buffers have been launched. */
static void forget_prepared(struct exec_launches *l, size_t i) {
  l->prepared[i] = l->prepared[--l->n_prepared];
  if (!l->n_prepared) l->used = 0;
}

void exec_launches_take(struct exec_launches *l, const struct exec_grid *ended, struct exec_todo *todo) {
  if (!l) return;
  for (size_t i = l->n_prepared; i-- > 0;)
    if (l->prepared[i].child.parent == ended) forget_prepared(l, i);
  exec_syncs_end(l, ended);
  take(l, ended, ANY_CTA, todo);
}

bool exec_launches_take_of(struct exec_launches *l, const struct exec_grid *g, uint64_t cta, struct exec_todo *todo) {
  size_t before = todo->n;
  take(l, g, (int64_t)cta, todo);
  return todo->n > before;
}

bool exec_launches_any_of(const struct exec_launches *l, const struct exec_grid *g, uint64_t cta) {
  for (size_t i = 0; i < l->n; i++)
    if (is_of(&l->fresh[i], g, (int64_t)cta)) return true;
  return false;
}

struct exec_syncs *exec_launches_syncs(struct exec_launches *l) { return &l->syncs; }

bool exec_todo_next(struct exec_todo *todo, struct exec_child *next) {
  while (todo->n) {
    *next = todo->at[--todo->n];
    if (next->kernel) return true;
    exec_box_move(&next->box);
  }
  return false;
}

void exec_todo_free(struct exec_todo *todo) {
  for (size_t i = 0; i < todo->n; i++) free(todo->at[i].params);
  free(todo->at);
  *todo = (struct exec_todo){0};
}

/* The cluster that the kernel specifies; otherwise none. */
static uint32_t cluster_dimension(const struct exec_func *kernel, int i) {
  const uint32_t *stated = kernel->ptx->reqnctapercluster;
  return stated[0] && !stated[i] ? 1 : stated[i];
}

struct exec_grid exec_child_grid(const struct exec_child *c, struct exec_device *device) {
  struct exec_grid g = {.module = c->module,
                        .kernel = c->kernel,
                        .device = device,
                        .dynamic_shared = c->dynamic_shared,
                        .params = c->params,
                        .depth = c->depth,
                        .awaited = c->awaited};
  memcpy(g.grid, c->grid, sizeof g.grid);
  memcpy(g.block, c->block, sizeof g.block);
  for (int i = 0; i < 3; i++) g.cluster[i] = cluster_dimension(c->kernel, i);
  return g;
}

void exec_child_ended(struct exec_grid *g) {
  if (!g->depth) return;
  free(g->params);
  g->params = NULL;
}

/* ---- entry points ------------------------------------------------------------------------------------------------------- */

struct exec_launches *exec_launches_of(struct exec_warp *w, const struct exec_inst *in) {
  struct exec_launches *l = w->grid->device->launches;
  if (!l)
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(w->mask),
               "a kernel launches kernels: only CUDA programs can do that here");
  return l;
}

const struct exec_func *exec_kernel_at(const struct exec_warp *w, uint64_t address) {
  const struct exec_module *m = w->grid->module;
  uint64_t i = (address - m->code_base) / 16;
  if (address < m->code_base || i >= m->ptx.n_funcs || !m->ptx.funcs[i].is_entry) return NULL;
  return &m->funcs[i];
}

const struct exec_mem *exec_launches_memory(const struct exec_launches *l) { return l->mem; }

void exec_launches_add_box(struct exec_warp *w, const struct exec_box *b, uint64_t stream) {
  struct exec_launches *l = w->grid->device->launches;
  GROW(l->fresh, l->capacity, l->n + 1);
  l->fresh[l->n++] = (struct exec_child){.parent = w->grid, .cta = w->cta->linear_id, .box = *b, .tail = stream == TAIL_STREAM};
}

void exec_launch_answer(struct exec_warp *w, const struct exec_call *c, unsigned lane, uint32_t error) {
  struct exec_launches *l = w->grid->device->launches;
  if (error && l) l->last_error = error;
  exec_builtin_result(w, c, lane, error);
}

static uint64_t take_buffer(struct exec_launches *l, uint32_t bytes) {
  uint64_t need = (bytes + 63u) & ~63u;
  if (l->used + need > BUFFERS_BYTES) return 0;
  uint64_t at = l->buffers + l->used;
  l->used += need ? need : 64;
  return at;
}

static uint32_t check_launch(const struct exec_device *d, const struct exec_child *c) {
  enum { MOST_SHARED = 8 }; /* cudaDevAttrMaxSharedMemoryPerBlock */
  uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2], ctas = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
  int32_t shared = INT32_MAX;
  if (d->told) d->told->attribute(d->print_user, MOST_SHARED, &shared);
  bool fits = threads && threads <= MAX_THREADS && ctas && c->grid[1] <= MAX_GRID_YZ && c->grid[2] <= MAX_GRID_YZ &&
              exec_shared_bytes(c->kernel, c->dynamic_shared) <= (uint32_t)shared;
  if (!fits) return EXEC_RT_INVALID_CONFIGURATION;
  for (int i = 0; i < 3 && cluster_dimension(c->kernel, i); i++)
    if (c->grid[i] % cluster_dimension(c->kernel, i)) return EXEC_RT_INVALID_CLUSTER;
  return c->kernel->refused ? EXEC_RT_NOT_SUPPORTED : EXEC_RT_SUCCESS;
}

/* A buffer of so many bytes; 0 if the launch is invalid. */
static uint64_t prepare(struct exec_launches *l, const struct exec_child *c, uint32_t bytes, uint32_t error) {
  uint64_t at = error ? 0 : take_buffer(l, bytes);
  if (!error && !at) error = EXEC_RT_OUT_OF_MEMORY;
  if (error) {
    l->last_error = error;
    return 0;
  }
  GROW(l->prepared, l->prepared_capacity, l->n_prepared + 1);
  l->prepared[l->n_prepared++] = (struct prepared){*c, at, bytes};
  return at;
}

/* Reads a lane's launch: the kernel, and from argument `at` on grid, block and shared memory. */
static uint32_t read_launch(const struct exec_warp *w, const struct exec_call *c, unsigned lane, unsigned at, struct exec_child *child) {
  child->kernel = exec_kernel_at(w, exec_builtin_argument(w, c, 0, lane));
  child->dynamic_shared = (uint32_t)exec_builtin_argument(w, c, at + 2, lane);
  bool whole = c->n_args > at + 2 && c->args[at].bytes == sizeof child->grid && c->args[at + 1].bytes == sizeof child->block;
  if (whole) memcpy(child->grid, exec_call_slot(w, w->frame, &c->args[at], lane), sizeof child->grid);
  if (whole) memcpy(child->block, exec_call_slot(w, w->frame, &c->args[at + 1], lane), sizeof child->block);
  return child->kernel ? check_launch(w->grid->device, child) : EXEC_RT_INVALID_VALUE;
}

static struct exec_child child_of(const struct exec_warp *w) {
  return (struct exec_child){.parent = w->grid, .cta = w->cta->linear_id, .module = w->grid->module};
}

/* void *GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared) */
static void do_get_buffer(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    struct exec_child child = child_of(w);
    uint32_t error = read_launch(w, c, lane, 1, &child);
    exec_builtin_result(w, c, lane, prepare(l, &child, error ? 0 : (uint32_t)child.kernel->ptx->param_bytes, error));
  }
}

/* void *GetParameterBuffer(size_t alignment, size_t size), which is not told the kernel */
static void do_get_plain_buffer(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    struct exec_child child = child_of(w);
    uint64_t bytes = exec_builtin_argument(w, c, 1, lane);
    exec_builtin_result(w, c, lane, prepare(l, &child, (uint32_t)bytes, bytes > BUFFERS_BYTES ? EXEC_RT_OUT_OF_MEMORY : EXEC_RT_SUCCESS));
  }
}

static struct prepared *find_prepared(struct exec_launches *l, uint64_t buffer) {
  for (size_t i = l->n_prepared; i-- > 0;)
    if (l->prepared[i].buffer == buffer) return &l->prepared[i];
  return NULL;
}

static uint32_t launch(struct exec_launches *l, struct prepared *p, uint64_t stream) {
  if (!p || !p->child.kernel) return EXEC_RT_INVALID_VALUE;
  struct exec_child child = p->child;
  size_t bytes = child.kernel->ptx->param_bytes;
  child.tail = stream == TAIL_STREAM;
  child.params = must_alloc(bytes + 1);
  memcpy(child.params, exec_mem_ptr(p->buffer), p->bytes < bytes ? p->bytes : bytes);
  forget_prepared(l, (size_t)(p - l->prepared));
  GROW(l->fresh, l->capacity, l->n + 1);
  l->fresh[l->n++] = child;
  return EXEC_RT_SUCCESS;
}

/* cudaError_t LaunchDeviceV2(void *buffer, cudaStream_t stream) */
static void do_launch(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    struct prepared *p = find_prepared(l, exec_builtin_argument(w, c, 0, lane));
    exec_launch_answer(w, c, lane, launch(l, p, exec_builtin_argument(w, c, 1, lane)));
  }
}

/* cudaError_t LaunchDevice(void *kernel, void *buffer, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream) */
static void do_plain_launch(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    struct prepared *p = find_prepared(l, exec_builtin_argument(w, c, 1, lane));
    uint32_t error = p ? read_launch(w, c, lane, 2, &p->child) : EXEC_RT_INVALID_VALUE;
    exec_launch_answer(w, c, lane, error ? error : launch(l, p, exec_builtin_argument(w, c, 5, lane)));
  }
}

/* cudaError_t ...Create...(object *out, unsigned flags) */
static void do_create(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    bool ok = exec_builtin_write(w, exec_builtin_argument(w, c, 0, lane), &l->next_handle, sizeof l->next_handle, lane);
    if (!ok) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "a stream or event cannot be written where it was asked for");
      return;
    }
    l->next_handle++;
    exec_builtin_result(w, c, lane, EXEC_RT_SUCCESS);
  }
}

/* cudaError_t EventCreateWithFlags(cudaEvent_t *out, unsigned flags) */
static void do_create_event(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  bool ok = true;
  EXEC_EACH_ACTIVE(w, lane) ok = ok && exec_builtin_argument(w, c, 1, lane) == NO_TIMING;
  if (ok) do_create(w, in, c);
  else EXEC_EACH_ACTIVE(w, lane) exec_launch_answer(w, c, lane, EXEC_RT_INVALID_VALUE);
}

/* Nothing to do: the order is that of the launches anyway. */
static void do_nothing(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  (void)in;
  EXEC_EACH_ACTIVE(w, lane) exec_builtin_result(w, c, lane, EXEC_RT_SUCCESS);
}

static void last_error(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c, bool clear) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    exec_builtin_result(w, c, lane, l->last_error);
    if (clear) l->last_error = EXEC_RT_SUCCESS;
  }
}
static void do_get_error(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) { last_error(w, in, c, true); }
static void do_peek_error(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) { last_error(w, in, c, false); }

/* const char *GetErrorString(cudaError_t), and GetErrorName */
static void error_text(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c, size_t member) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    uint64_t code = exec_builtin_argument(w, c, 0, lane), i = 0;
    while (i + 1 < TEXTS && texts[i].code != code) i++;
    exec_builtin_result(w, c, lane, l->buffers + BUFFERS_BYTES + i * sizeof *texts + member);
  }
}
static void do_error_text(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  error_text(w, in, c, offsetof(struct error_text, text));
}
static void do_error_name(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  error_text(w, in, c, offsetof(struct error_text, name));
}

/* cudaError_t cudaGetDevice(int *), and how many there are. */
static void write_number(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c, int32_t n) {
  EXEC_EACH_ACTIVE(w, lane) {
    if (!exec_builtin_write(w, exec_builtin_argument(w, c, 0, lane), &n, sizeof n, lane)) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "a number cannot be written where it was asked for");
      return;
    }
    exec_builtin_result(w, c, lane, EXEC_RT_SUCCESS);
  }
}
static void do_get_device(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) { write_number(w, in, c, 0); }
static void do_get_count(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) { write_number(w, in, c, 1); }

/* void GraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) */
static void do_set_condition(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_launches *l = exec_launches_of(w, in);
  if (!l) return;
  EXEC_EACH_ACTIVE(w, lane) {
    uint64_t handle = exec_builtin_argument(w, c, 0, lane);
    const struct exec_alloc *a = exec_mem_find(l->mem, handle, NULL);
    if (!a || a->range.base != handle || !a->name || strcmp(a->name, EXEC_CONDITION_NAME) != 0) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "0x%llx is not the handle of a conditional node", (unsigned long long)handle);
      return;
    }
    *(uint32_t *)exec_mem_ptr(handle) = (uint32_t)exec_builtin_argument(w, c, 1, lane);
  }
}

/* cudaError_t GraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) */
static void do_launch_graph(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  const struct exec_device *d = w->grid->device;
  if (!exec_launches_of(w, in)) return;
  EXEC_EACH_ACTIVE(w, lane) {
    uint64_t graph = exec_builtin_argument(w, c, 0, lane), stream = exec_builtin_argument(w, c, 1, lane);
    exec_launch_answer(w, c, lane, d->told ? d->told->launch_graph(d->print_user, w->grid, graph, stream) : EXEC_RT_NOT_SUPPORTED);
  }
}

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

/* The name without the prefix of its generation; both generations have a form for per-thread default streams. */
static const char *plain_name(const char *name, char out[64]) {
  static const char second[] = "__cudaCDP2", first[] = "cuda", per_thread[] = "_ptsz";
  if (!strcmp(name, "__cudaDeviceSynchronizeDeprecationAvoidance")) name = "cudaDeviceSynchronize"; /* of CUDA 11.6 and later */
  const char *rest = !strncmp(name, second, sizeof second - 1) ? name + sizeof second - 1
                     : !strncmp(name, first, sizeof first - 1) ? name + sizeof first - 1 : NULL;
  size_t n = rest ? strlen(rest) : 0;
  if (!rest || n >= 64) return NULL;
  memcpy(out, rest, n + 1);
  size_t k = sizeof per_thread - 1;
  if (n > k && !strcmp(out + n - k, per_thread)) out[n - k] = 0;
  return out;
}

bool exec_is_launch_name(const char *name) {
  char plain[64];
  return plain_name(name, plain) != NULL;
}

bool exec_launches_kernels(const struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (m->funcs[i].is_extern && exec_is_launch_name(m->funcs[i].name)) return true;
  return false;
}

bool exec_awaits_kernels(const struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (m->funcs[i].is_extern && exec_find_launch_builtin(m->funcs[i].name) == exec_do_synchronize) return true;
  return false;
}

exec_builtin_fn exec_find_launch_builtin(const char *name) {
  static const struct {
    const char *name;
    exec_builtin_fn fn;
  } table[] = {{"GetParameterBufferV2", do_get_buffer}, {"LaunchDeviceV2", do_launch},     {"StreamCreateWithFlags", do_create},
               {"GetParameterBuffer", do_get_plain_buffer}, {"LaunchDevice", do_plain_launch},
               {"EventCreateWithFlags", do_create_event}, {"StreamDestroy", do_nothing},     {"EventDestroy", do_nothing},
               {"EventRecord", do_nothing},             {"StreamWaitEvent", do_nothing},   {"EventRecordWithFlags", do_nothing},
               {"GetLastError", do_get_error},          {"PeekAtLastError", do_peek_error}, {"GetDevice", do_get_device},
               {"GetDeviceCount", do_get_count},        {"DeviceSynchronize", exec_do_synchronize}, {"MemcpyAsync", exec_do_copy},
               {"MemsetAsync", exec_do_fill},           {"GetErrorString", do_error_text},   {"GetErrorName", do_error_name},
               {"GraphSetConditional", do_set_condition}, {"GraphLaunch", do_launch_graph},
               {"Malloc", exec_do_cuda_malloc},         {"Free", exec_do_cuda_free},
               {"DeviceGetAttribute", exec_do_attribute}, {"DeviceGetLimit", exec_do_limit},
               {"FuncGetAttributes", exec_do_function_attributes},
               {"OccupancyMaxActiveBlocksPerMultiprocessor", exec_do_occupancy},
               {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", exec_do_occupancy},
               {"RuntimeGetVersion", exec_do_runtime_version}, {"Memcpy2DAsync", exec_do_copy_2d}, {"Memcpy3DAsync", exec_do_copy_3d},
               {"Memset2DAsync", exec_do_fill_2d},      {"Memset3DAsync", exec_do_fill_3d}};
  char plain[64];
  if (!plain_name(name, plain)) return NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, plain)) return table[i].fn;
  return NULL;
}
