/* The state behind the driver API: what a handle points to, and the functions shared by its files.
 *
 * One lock guards everything. A call holds it from beginning to end, except while a host function of the program runs and while a
 * synchronising call waits for another thread. A handle is the address of one of the structs below. The registry (handles.c) knows which
 * addresses are live and of what kind, so a stale or invented handle is refused and never dereferenced. Objects that belong to a context
 * are destroyed with it. */
#ifndef CUDA_STATE_H
#define CUDA_STATE_H

#include "cuda/engine.h"
#include "cuda/trace/call_trace.h"
#include "exec/builtins.h"
#include "exec/exec.h"
#include "exec/run/device_wait.h"
#include "exec/texture/texture.h"

#include <cuda.h>
#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define CUDA_EXPORT __attribute__((visibility("default")))
#ifndef CUDA_SYMBOL /* the linker's name of a function: trace/calls.awk */
#define CUDA_SYMBOL(name) #name
#endif
/* A second exported name of a function defined in the same file. */
#define CUDA_ALIAS(alias_name, name)                                                                         \
  CUDA_EXPORT extern __typeof__(name) alias_name __attribute__((alias(CUDA_SYMBOL(name))))

enum cuda_kind {
  CUDA_K_NONE,
  CUDA_K_CONTEXT,
  CUDA_K_MODULE,
  CUDA_K_FUNCTION,
  CUDA_K_LIBRARY,
  CUDA_K_KERNEL,
  CUDA_K_STREAM,
  CUDA_K_EVENT,
  CUDA_K_ARRAY,
  CUDA_K_MIPMAP,
  CUDA_K_GRAPH,
  CUDA_K_NODE,
  CUDA_K_EXEC,
  CUDA_K_POOL,
  CUDA_K_LINK,
  CUDA_K_TEXREF,
  CUDA_K_SURFREF,
  CUDA_K_USER_OBJECT,
  CUDA_K_PHYSICAL
};

/* First member of every object. */
struct cuda_object {
  uint8_t kind;         /* enum cuda_kind */
  struct CUctx_st *ctx; /* owner; NULL: it outlives contexts */
};

/* ---- operations: what streams execute and graph nodes hold -------------------------------------------------------- */

enum cuda_op_kind {
  CUDA_OP_EMPTY,
  CUDA_OP_KERNEL,
  CUDA_OP_COPY,
  CUDA_OP_FILL,
  CUDA_OP_HOST,
  CUDA_OP_CALLBACK,
  CUDA_OP_CHILD,
  CUDA_OP_RECORD,
  CUDA_OP_WAIT,
  CUDA_OP_ALLOC,
  CUDA_OP_FREE,
  CUDA_OP_MEMORY,
  CUDA_OP_CONDITION /* graphs that run if, or as long as, a value set by kernels says so */
};

struct cuda_launch {
  struct CUfunc_st *func;
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; /* 0: no clusters */
  uint32_t dynamic_shared;
  bool cooperative;
  bool dependent; /* programmatic stream serialization: it may begin before the kernel before it has ended */
  int priority;
  struct exec_l2_window window;
  uint32_t n_params;
  size_t param_bytes;
  unsigned char *params; /* owned: func's parameter block */
  void **pointers;       /* owned: one pointer into params a parameter, for cuGraphKernelNodeGetParams */
};

struct cuda_op {
  uint8_t kind; /* enum cuda_op_kind */
  bool async;   /* of a copy or fill: the call does not wait for it */
  union {
    struct cuda_launch launch;
    CUDA_MEMCPY3D copy;
    struct {
      CUdeviceptr dst;
      size_t pitch, width, height; /* width in elements */
      unsigned value, element;
    } fill;
    struct {
      CUhostFn fn;
      void *user;
    } host;
    struct {
      CUstreamCallback fn;
      void *user;
      struct CUstream_st *stream; /* as the program named it */
    } callback;
    struct {
      struct CUgraph_st *child;    /* owned */
      struct CUevent_st *launches; /* of a launch: the launches of its executable graph, which run one after the other; NULL: a node */
      uint64_t turn;               /* its ticket among them */
      struct CUgraphExec_st *exec; /* of a launch: the executable graph */
    };
    struct {
      struct CUevent_st *event;
      uint64_t ticket; /* which recording: see struct CUevent_st */
    } event;
    struct {
      CUdeviceptr address;
      size_t bytes;
      bool owned; /* the node's memory, to be given back with it */
    } memory;
    struct {
      CUstreamBatchMemOpParams *items; /* owned */
      unsigned n, done;                /* in order */
    } batch;
    struct {
      struct cuda_condition *on; /* one reference to it */
      CUgraphConditionalNodeType type;
      unsigned n;
      struct CUgraph_st **bodies; /* owned */
    } condition;
  };
};

void cuda_op_copy(struct cuda_op *to, const struct cuda_op *from); /* deep */
void cuda_op_release(struct cuda_op *op);

/* ---- objects ------------------------------------------------------------------------------------------------------ */

/* An operation that has begun (driver_progress.c). */
struct cuda_activity {
  struct cuda_task task; /* the first member, by which the engine knows it */
  struct CUctx_st *ctx;
  struct cuda_op *op; /* its owner's */
  void (*ended)(struct cuda_activity *a, CUresult result);
  void *owner;                        /* struct cuda_pending, or the graph's run */
  struct CUgraphNode_st *node;        /* in it */
  uint64_t wait;                      /* the wait of a CTA for which it runs launched kernels (exec/run/device_wait.h); 0: none */
  struct exec_todo todo;              /* of a kernel: launches made by it or by its children that are still to run */
  struct cuda_environment *environment; /* the launch of an executable graph that it is, or is in; NULL: none */
  struct {                            /* of a conditional node */
    uint64_t turns;                   /* bodies begun */
    bool inside, done;                /* while a body is begun: it has already ended */
    CUresult result;                  /* of the last one */
  } bodies;
  struct {                            /* for a tracer */
    uint32_t correlation, graph;      /* the call that caused it; the executable graph, 0: none */
    uint64_t node;                    /* of the graph */
    bool by_device;                   /* a kernel that a kernel launched */
  } traced;
};

struct cuda_outcome { /* for a call that waits for its own operation */
  bool done;
  CUresult result;
};

struct cuda_pending { /* an operation of a stream that has not ended */
  struct cuda_pending *next;
  struct CUstream_st *stream; /* NULL: it no longer exists */
  struct cuda_op op;
  uint64_t order;
  uint32_t correlation; /* of the call, for a tracer; 0: none */
  bool begun;
  struct cuda_outcome *outcome; /* NULL: a failure becomes the context's */
};

struct cuda_capture {
  struct CUgraph_st *graph;
  bool own_graph; /* made by the capture */
  struct CUstream_st *origin;
  unsigned refs; /* streams that take part */
  bool invalid;
  CUstreamCaptureMode mode;
  uint64_t thread, id;
  struct CUgraphNode_st **left; /* last nodes of streams that took part and have been destroyed since */
  size_t n_left, left_capacity;
  struct cuda_capture *next; /* list of active captures */
};

struct CUstream_st {
  struct cuda_object o;
  unsigned flags;
  int priority;
  uint64_t id;
  bool legacy;
  bool destroyed;  /* the handle is gone, operations remain */
  uint64_t thread; /* per-thread default stream of that thread, or 0 */
  struct cuda_pending *first, **last;
  struct cuda_capture *capture;
  struct CUgraphNode_st **heads; /* nodes the next captured operation depends on */
  size_t n_heads, head_capacity;
  CUlaunchAttributeValue attributes[20];
  struct CUstream_st *next; /* in the context */
};

/* A recording gets a ticket when it is put into a stream, alone or in a graph. Recordings of an event in different streams may end in any
 * order. */
struct CUevent_st {
  struct cuda_object o;
  unsigned flags;
  uint32_t id;     /* for a tracer */
  uint64_t issued; /* the last ticket */
  uint64_t *open;  /* tickets of recordings that have not ended */
  size_t n_open, open_capacity;
  uint64_t done;   /* the last ticket that has ended */
  double ns;       /* when it ended */
  unsigned refs; /* operations that name it, for which the struct outlives the handle */
  bool destroyed;
  struct cuda_shared_event *shared; /* tickets shared with other processes (driver_ipc.c); NULL: not shared */
  int shared_fd;                    /* their file; -1: it belongs to another process */
  uint64_t capture_id; /* last recorded within this capture, after these nodes; 0: not */
  struct CUgraphNode_st **heads;
  size_t n_heads;
};

struct CUmod_st {
  struct cuda_object o;
  struct exec_module m;
  struct CUfunc_st **functions; /* parallel to m.funcs; made when asked for */
};

struct CUfunc_st {
  struct cuda_object o;
  struct CUmod_st *module;
  const struct exec_func *func;
  int max_dynamic_shared, carveout, cache;
  int non_portable_cluster, cluster_policy;
  uint32_t old_block[3], old_shared; /* cuFuncSetBlockShape and friends */
  unsigned char *old_params;
};

/* An image that is loaded into each context that uses it. */
struct CUlib_st {
  struct cuda_object o;
  CUresult refused; /* the result of reading it, which is final: bad PTX */
  char *why;        /* owned: in words */
  char *ptx;        /* owned, zero-terminated */
  struct CUkern_st **kernels;
  size_t n_kernels, kernel_capacity;
  struct cuda_lib_module {
    struct CUctx_st *ctx;
    struct CUmod_st *module;
  } * modules;
  size_t n_modules, module_capacity;
};

struct CUkern_st {
  struct cuda_object o;
  struct CUlib_st *library;
  char *name;
  int max_dynamic_shared, carveout, cache; /* -1: not set */
};

struct CUarray_st {
  struct cuda_object o;
  CUDA_ARRAY3D_DESCRIPTOR desc;
  uint64_t base;
  uint32_t texel_bytes;
  uint32_t width, height, depth;      /* storage: at least 1 each; layers and faces count as depth */
  struct CUmipmappedArray_st *mipmap; /* a level of it, or NULL */
};

struct CUmipmappedArray_st {
  struct cuda_object o;
  CUDA_ARRAY3D_DESCRIPTOR desc;
  uint32_t n_levels;
  struct CUarray_st *levels[EXEC_TEX_LEVELS];
};

struct CUmemPoolHandle_st {
  struct cuda_object o;
  struct CUmemPoolHandle_st *next; /* of all pools */
  CUmemPoolProps props;
  bool is_default;
  bool imported;   /* from another process: its memory is visible here, but cannot be allocated */
  int fd;          /* of an imported pool: the file with its memory */
  uint64_t number; /* in the process that made it */
  uint64_t threshold, used, used_high, reserved, reserved_high; /* bytes */
  int reuse[3]; /* the reuse attributes: kept, without effect here */
};

struct cuda_physical { /* CUmemGenericAllocationHandle */
  struct cuda_object o;
  int fd;
  uint64_t bytes;
  unsigned refs;
  CUmemAllocationProp prop;
};

struct CUctx_st {
  struct cuda_object o;
  bool primary;
  uint32_t program; /* see driver_programs.c */
  unsigned refs; /* of the primary context, kept while it is not active */
  unsigned flags;
  CUresult fault; /* not CUDA_SUCCESS: a kernel's fault has killed the context */
  uint64_t id;
  size_t limits[CU_LIMIT_MAX];
  CUfunc_cache cache;
  CUsharedconfig shared_config;
  struct CUstream_st *streams; /* all, legacy and per-thread ones included */
  struct CUstream_st legacy;
  struct exec_device device;
  uint64_t *workspaces; /* barriers of cooperative grids; the lowest bit is set while one is in use */
  size_t n_workspaces, workspace_capacity;
  uint64_t n_active;  /* operations that have begun and not ended */
  char *printed;      /* device printf since the last synchronisation */
  size_t n_printed, printed_capacity;
  struct CUctx_st *next; /* the next one made */
};

/* ---- memory blocks ------------------------------------------------------------------------------------------------ */

enum cuda_block_kind {
  CUDA_B_DEVICE,
  CUDA_B_PITCHED,
  CUDA_B_MANAGED,
  CUDA_B_HOST,
  CUDA_B_REGISTERED,
  CUDA_B_ARRAY,
  CUDA_B_POOL,
  CUDA_B_GRAPH,
  CUDA_B_MAPPED,  /* virtual memory */
  CUDA_B_IMPORTED, /* of another process */
  CUDA_B_IMPORTED_PART /* of a pool of another process: freed like memory of a pool */
};
struct cuda_block {
  uint64_t base, bytes;
  uint8_t kind; /* enum cuda_block_kind */
  unsigned flags;
  uint64_t id;
  struct CUctx_st *ctx;
  struct CUmemPoolHandle_st *pool;
  struct cuda_physical *physical;
  uint64_t physical_offset;
  CUmemAccess_flags access; /* of mapped memory */
  bool read_mostly;
  int preferred, prefetched; /* advice and the last prefetch: device, CU_DEVICE_CPU or CU_DEVICE_INVALID */
  int accessed_by;
  bool sync_memops;
  unsigned refs; /* of a graph's memory: allocation nodes that name it */
  bool in_use;   /* of a graph's memory: allocated by a launch and not freed since */
  bool given;    /* the same according to the calls so far, which may not have taken effect yet */
  bool backed;   /* it counts as held for graphs: it was launched since the last trim */
};

/* ---- the process -------------------------------------------------------------------------------------------------- */

struct cuda_programs { /* driver_programs.c */
  uint32_t n, begun;      /* 0: a single program */
  uint32_t turn;
  uint32_t waiting, ended, gone; /* sets: checked in vain since the last end; ended once; not coming back */
  pthread_cond_t changed;
  struct {
    const char *name;
    int ok;
    json_t *json;
  } report[GPU_MAX_PROGRAMS];
};

struct cuda_state {
  pthread_mutex_t lock;
  struct cuda_programs programs;
  bool initialized;
  struct cuda_engine engine;
  struct exec_mem *mem;
  struct CUctx_st *contexts; /* oldest first: operations that could begin at once begin in this order */
  const struct exec_observer *observer; /* of functional runs; NULL: none */
  struct CUctx_st *primary[GPU_MAX_PROGRAMS];      /* active; NULL: not */
  struct CUctx_st *primary_home[GPU_MAX_PROGRAMS]; /* the permanent handle of a program's primary context; NULL: not yet */
  unsigned primary_flags;
  struct CUmemPoolHandle_st *pools, *default_pool, *current_pool;
  struct cuda_block **blocks; /* sorted by base */
  size_t n_blocks, block_capacity;
  struct cuda_capture *captures;
  uint64_t next_id, next_order;
  uint32_t n_events, n_executables; /* number made so far */
  uint64_t n_pending; /* operations in streams that have not ended */
  uint64_t n_streams, n_nonblocking; /* in addition to the legacy ones */
  uint64_t graph_backed, graph_held_high; /* bytes of graph memory that are backed; the most that were held */
  uint64_t physical_bytes; /* created for virtual memory */
};
extern struct cuda_state cuda;

/* Each thread's stack of contexts and its part in captures. */
enum { CUDA_CONTEXT_DEPTH = 256 };
struct cuda_thread {
  struct CUctx_st *stack[CUDA_CONTEXT_DEPTH];
  unsigned depth;
  uint64_t id;
  CUstreamCaptureMode capture_mode;
};
struct cuda_thread *cuda_thread(void);

/* Holds the lock until the end of the enclosing block. */
static inline bool cuda_lock(void) {
  pthread_mutex_lock(&cuda.lock);
  return true;
}
static inline void cuda_unlock(const bool *held) {
  if (*held) pthread_mutex_unlock(&cuda.lock);
}
#define CUDA_LOCKED __attribute__((cleanup(cuda_unlock), unused)) const bool locked_ = cuda_lock()

/* The beginning of almost every entry point. */
#define ENTER()                                                                                              \
  CUDA_LOCKED;                                                                                               \
  if (!cuda.initialized) return CUDA_ERROR_NOT_INITIALIZED
#define ENTER_CONTEXT(ctx)                                                                                   \
  ENTER();                                                                                                   \
  struct CUctx_st *ctx;                                                                                      \
  do {                                                                                                       \
    CUresult entered_ = cuda_current(&ctx);                                                                  \
    if (entered_ != CUDA_SUCCESS) return entered_;                                                           \
  } while (0)
#define ENTER_ALIVE()                                                                                        \
  ENTER();                                                                                                   \
  CHECK(cuda_alive())
/* The same with the context of the stream that a call names: a stream's own, for default streams the current one. */
#define ENTER_FOR(ctx, stream)                                                                               \
  ENTER();                                                                                                   \
  struct CUctx_st *ctx;                                                                                      \
  CHECK(cuda_context_of(&ctx, stream))
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    CUresult result_ = (call);                                                                               \
    if (result_ != CUDA_SUCCESS) return result_;                                                             \
  } while (0)
#define NEED(condition)                                                                                      \
  do {                                                                                                       \
    if (!(condition)) return CUDA_ERROR_INVALID_VALUE;                                                       \
  } while (0)

/* The calling thread's context, alive and not faulted. */
CUresult cuda_current(struct CUctx_st **ctx);
/* Whether the current context is alive; no context also counts, for calls about a module or a function that has one. */
CUresult cuda_alive(void);
CUresult cuda_context_of(struct CUctx_st **ctx, CUstream stream);
/* A device ordinal of this machine. */
#define NEED_DEVICE(device)                                                                                  \
  do {                                                                                                       \
    if ((device) != 0) return CUDA_ERROR_INVALID_DEVICE;                                                     \
  } while (0)

/* Prints one line on standard error: why a call was refused. */
void cuda_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* handles.c */
void *cuda_object_new(enum cuda_kind kind, struct CUctx_st *ctx, size_t bytes); /* zeroed and registered */
void cuda_object_register(void *object);
void cuda_object_delete(void *object); /* removes it from the registry and frees it */
void cuda_object_forget(void *object); /* only removes it from the registry */
bool cuda_is(const void *handle, enum cuda_kind kind);
enum cuda_kind cuda_kind_of(const void *handle);
/* Calls fn for every live object of a kind that belongs to ctx (any if NULL); fn may delete the object. */
void cuda_each(enum cuda_kind kind, const struct CUctx_st *ctx, void (*fn)(void *object));

/* driver_context.c */
void cuda_context_fault(struct CUctx_st *ctx, CUresult code);
void cuda_context_print(void *user, const char *text, size_t n);
CUresult cuda_limit(const struct CUctx_st *ctx, CUlimit limit, size_t *value);
extern const struct exec_told cuda_told; /* what the device runtime tells a context's kernels */
struct CUmemPoolHandle_st *cuda_pool_new(const CUmemPoolProps *props);
void cuda_pools_release(void);    /* at every synchronisation: releases unused memory of pools above their thresholds */
uint64_t cuda_pools_unused(void); /* what they hold unused */
void cuda_context_flush(struct CUctx_st *ctx); /* writes the output of device printf to standard output */

/* driver_programs.c */
uint32_t cuda_program(void); /* of the calling thread */
/* If other programs have something to do, lets them run, and returns true when it is this one's turn again. */
bool cuda_others_ran(void);
void cuda_programs_look(void); /* something has ended: each program must check */
json_t *cuda_programs_report(void);

/* driver_module.c */
CUresult cuda_module_from_ptx(struct CUmod_st **out, struct CUctx_st *ctx, const char *ptx, struct err *e);
/* Deletes a module that calls an undefined function, and returns the code; of a program's own images the kernels are refused one by one
 * instead. */
CUresult cuda_module_resolved(struct CUmod_st *m, CUresult code, struct err *e);
void cuda_module_delete(void *module);
CUresult cuda_module_function(struct CUfunc_st **out, struct CUmod_st *m, const char *name);
CUresult cuda_module_global(CUdeviceptr *at, size_t *bytes, const struct CUmod_st *m, const char *name);
/* The function a launch means: a CUfunction, or a CUkernel in its place. */
CUresult cuda_function_of(struct CUfunc_st **out, CUfunction f);
CUresult cuda_kernel_function(struct CUfunc_st **out, struct CUctx_st *ctx, struct CUkern_st *k);
void cuda_library_forget_context(void *library); /* drops modules of destroyed contexts */

/* driver_memory.c */
struct cuda_block *cuda_block_add(uint64_t base, uint64_t bytes, enum cuda_block_kind kind,
                                  struct CUctx_st *ctx);
struct cuda_block *cuda_block_at(uint64_t base);
struct cuda_block *cuda_block_holding(uint64_t address);
void cuda_block_remove(struct cuda_block *b);   /* only removes it from the table */
CUresult cuda_block_free(struct cuda_block *b); /* also frees its memory */
/* New memory with its table entry. */
const void *cuda_call_site(void); /* the place in the program's own code that made the CUDA call */
CUresult cuda_allocate(struct cuda_block **out, uint64_t bytes, enum cuda_block_kind kind,
                       struct CUctx_st *ctx);
CUresult cuda_free_address(CUdeviceptr at);
/* Memory of a graph: one more node names it, or one less. */
void cuda_graph_memory_keep(CUdeviceptr at);
void cuda_graph_memory_drop(CUdeviceptr at);
/* A launch of the graph was requested: its memory is held and in use from now on. Refused if the program still has the memory. */
CUresult cuda_graph_memory_launch(const struct CUgraph_st *g, bool frees_first);
void cuda_graph_memory_asked_back(CUdeviceptr at); /* a free of any memory was requested */
bool cuda_graph_has_memory(const struct CUgraph_st *g);
uint64_t cuda_graph_memory_held(void);
void cuda_graph_memory_trim(void);
uint64_t cuda_whole_pieces(uint64_t bytes); /* rounds up to the pieces in which device memory is held */
/* Describes the block that an address is in, table entry or module variable, as a table entry. */
bool cuda_describe(uint64_t at, struct cuda_block *out);
/* Whether [at, at + bytes) lies within one allocation that kernels may use. */
bool cuda_range_ok(uint64_t at, uint64_t bytes);
/* For an address outside all allocations: whether it is where only allocations can be, so that it must not be accessed. */
bool cuda_is_device_address(uint64_t at);

/* driver_copy.c */
CUresult cuda_copy_check(const CUDA_MEMCPY3D *c);
/* Kinds of memory that it copies from and to; false: not possible. */
bool cuda_copy_memory(const CUDA_MEMCPY3D *c, enum heddle_memory *from, enum heddle_memory *to);
enum heddle_memory cuda_memory_at(uint64_t at);
/* Its duration in ns (0: there is nothing to move), and moving it. */
const char *cuda_copy_kind(const CUDA_MEMCPY3D *c); /* cuda_operation.kind; NULL: none */
CUresult cuda_copy_begin(const CUDA_MEMCPY3D *c, double *ns);
CUresult cuda_copy_end(const CUDA_MEMCPY3D *c);
CUresult cuda_fill_check(const struct cuda_op *op);
CUresult cuda_fill_begin(const struct cuda_op *op, double *ns);
CUresult cuda_fill_end(const struct cuda_op *op);
CUresult cuda_copy_from_2d(CUDA_MEMCPY3D *out, const CUDA_MEMCPY2D *in);

/* driver_stream.c */
CUresult cuda_stream_of(struct CUstream_st **out, struct CUctx_st *ctx, CUstream s);
/* Whether the kernel of an operation lets others begin before its end (griddepcontrol.launch_dependents). */
bool cuda_lets_others_begin(const struct cuda_op *op);
/* Puts an operation into a stream, where it is captured, begun, or kept until it can begin. Takes ownership of the operation. */
CUresult cuda_submit(struct CUstream_st *s, struct cuda_op *op);
/* The same, and waits for its end unless something else must happen first. */
CUresult cuda_submit_and_wait(struct CUstream_st *s, struct cuda_op *op);
/* Waits until the stream (NULL: every stream of the context) has nothing left. */
CUresult cuda_drain(struct CUctx_st *ctx, struct CUstream_st *s);
void cuda_progress(void); /* begins everything that can begin */
/* For a call that queries whether something has ended: a moment passes. */
void cuda_ask(void);
void cuda_finish_recording(const struct cuda_op *op);
/* Values in memory: writes those before the next unsatisfied wait; false: there is such a wait. The other one returns the result. */
bool cuda_values_ready(struct cuda_op *op);
CUresult cuda_values_end(const struct cuda_op *op);

/* driver_progress.c */
/* Begins an operation, which the owner keeps; `ended` may be called before this returns. */
void cuda_activity_begin(const struct cuda_activity *a);
/* Lets time pass until something ends; false: nothing goes on. */
bool cuda_pass(void);
void cuda_pass_until(double ns);
/* Does one operation that takes no time. */
CUresult cuda_op_run(struct CUctx_st *ctx, struct cuda_op *op);
/* Begins the nodes of a running graph that have waited for an event or a value; false: there are none. */
bool cuda_graph_step(void);
void cuda_wait_for_others(void); /* waits until another thread has done something */
/* For a context that is about to be destroyed: lets operations end that have begun. */
void cuda_settle(struct CUctx_st *ctx);
void cuda_stream_delete(void *stream);
void cuda_stream_init(struct CUstream_st *s, struct CUctx_st *ctx);
/* Refuses (and invalidates the capture) a call that may not be made while a capture is going on. */
CUresult cuda_capture_forbids(void);
struct cuda_capture *cuda_capture_by_id(uint64_t id);
void cuda_capture_drop(struct cuda_capture *c);
void cuda_capture_leave(struct CUstream_st *s); /* it takes part in a capture and is about to be destroyed */

/* driver_event.c */
void cuda_event_delete(void *event);
void cuda_event_keep(struct CUevent_st *event);
void cuda_event_drop(struct CUevent_st *event);
CUresult cuda_event_record(struct CUevent_st *event, struct CUstream_st *s, bool external);
uint64_t cuda_event_issue(struct CUevent_st *event); /* a ticket for a recording that will end */
uint64_t cuda_event_latest(const struct CUevent_st *event); /* the last ticket, of any process */
void cuda_event_close(struct CUevent_st *event, uint64_t ticket);
/* Whether the recording with that ticket has ended; 0: there was none. */
bool cuda_event_done(const struct CUevent_st *event, uint64_t ticket);
/* Whether all recordings before that ticket's have ended. */
bool cuda_event_reached(const struct CUevent_st *event, uint64_t ticket);

/* trace/trace_done.c: tell a tracer; only while heddleTraced. Ids that do not apply are UINT32_MAX. */
void cuda_trace_activity(const struct cuda_activity *a); /* reports a kernel, copy or fill that has just ended, nothing else */
void cuda_trace_sync(enum heddle_sync what, uint64_t context, uint64_t stream, uint32_t event, double start, CUresult result);
void cuda_trace_context(const struct CUctx_st *ctx);
void cuda_trace_stream(const struct CUstream_st *s);
void cuda_trace_mark(enum heddle_mark what, uint32_t id, const char *name, const char *domain);

/* driver_ipc.c */
void cuda_ipc_forget(const struct cuda_block *b); /* it is about to be freed */
void cuda_pool_forget(const struct CUmemPoolHandle_st *pool); /* likewise */
bool cuda_event_share(struct CUevent_st *e);      /* false: the host has no place */
void cuda_event_unshare(struct CUevent_st *e);
uint64_t cuda_shared_latest(const struct cuda_shared_event *s);
uint64_t cuda_shared_issue(struct cuda_shared_event *s);
void cuda_shared_close(struct cuda_shared_event *s, uint64_t ticket);
bool cuda_shared_done(const struct cuda_shared_event *s, uint64_t ticket);

/* driver_launch.c */
struct cuda_launch_request {
  uint32_t grid[3], block[3];
  size_t shared;
  void **params, **extra;
  const CUlaunchAttribute *attributes;
  unsigned n_attributes;
  bool cooperative;
  int priority;                       /* unless an attribute gives another one */
  const CUaccessPolicyWindow *window; /* likewise; NULL: none */
};
/* The window of L2 lines that a launch uses, and whether it is valid. */
bool cuda_window_is_valid(const CUaccessPolicyWindow *w);
void cuda_launch_window(struct cuda_launch *l, const CUaccessPolicyWindow *w);
/* Sets the cluster that the kernel asks for, or `dims` (three), if possible. Otherwise the first function says why, and the second counts a
 * failed launch. */
CUresult cuda_cluster_shape(struct cuda_launch *l, const uint32_t *dims, const char **why);
CUresult cuda_launch_cluster(struct cuda_launch *l, const uint32_t *dims);
CUresult cuda_launch_prepare(struct cuda_op *op, struct CUfunc_st *f, const struct cuda_launch_request *r);
/* Makes the grid of a launch, owned by the caller; and what comes after its end. */
CUresult cuda_launch_begin(struct cuda_activity *a, const struct cuda_launch *l);
void cuda_launch_end(struct cuda_activity *a, bool failed, const struct err *e);
/* The activity's grid has ended without a fault: replaces it by the next kernel that a kernel launched. False: there is none. */
bool cuda_launch_child(struct cuda_activity *a);
uint32_t cuda_function_registers(const struct CUfunc_st *f);

/* driver_texture.c: whether an array can have so many channels; what a descriptor says of texels and of sampling */
bool cuda_channels_ok(unsigned n);
CUresult cuda_describe_resource(struct exec_texture *t, const CUDA_RESOURCE_DESC *r);
CUresult cuda_describe_sampling(struct exec_texture *t, const CUDA_TEXTURE_DESC *d);
void cuda_array_delete(void *array);
void cuda_mipmap_delete(void *mipmap);

/* graph_device.c: graphs that kernels launch */
struct cuda_asked { /* while the kernel runs */
  struct CUgraphExec_st *exec;
  uint64_t stream;
  const struct cuda_activity *from;
};
struct cuda_environment {           /* of a launch of an executable graph: see the head of that file */
  struct cuda_activity *of;         /* the launch */
  struct CUgraphExec_st *exec;      /* what runs: the launch's graph, then those of its tail */
  struct cuda_environment *around;  /* of a launch by a kernel; NULL: launched by the host */
  struct cuda_op op;                /* owned: the graph of a launch by a kernel, or of the tail */
  struct cuda_asked *asked;
  size_t n_asked, asked_capacity;
  struct CUgraphExec_st **tails;    /* the next one last */
  size_t n_tails, tail_capacity;
  unsigned forgotten;               /* number launched by the running graph */
  int priority;                     /* of the kernel that made the last request */
  unsigned within, siblings;        /* environments that have not ended */
  bool inside, done, graph_ended;   /* its graph is being begun; everything has ended meanwhile; its graph has ended */
  CUresult result;
};
struct cuda_environment *cuda_environment_new(struct CUgraphExec_st *exec, struct cuda_environment *around);
void cuda_environment_delete(struct cuda_environment *v);
uint32_t cuda_graph_ask(void *ctx, const struct exec_grid *from, uint64_t graph, uint64_t stream); /* exec_told.launch_graph */
/* The next launch, not of the tail, that an ended kernel requested; false: there is none. */
bool cuda_environment_begins(struct cuda_environment *v, const struct cuda_activity *ended, CUgraphExec *exec, bool *sibling);
CUgraphExec cuda_environment_tail(struct cuda_environment *v); /* what runs next when everything before has ended; NULL: nothing */

/* driver_graph_exec.c */
bool cuda_exec_is_on_device(CUgraphExec e);  /* kernels may launch it: made for that, and uploaded */
bool cuda_exec_is_busy(CUgraphExec e);       /* it runs, or a kernel has launched it */
void cuda_exec_busy(CUgraphExec e, int by);  /* one more, or one less; e may no longer exist */
uint64_t cuda_exec_current(CUgraphExec e);   /* what its kernels read as %current_graph_exec */
void cuda_exec_op(CUgraphExec e, struct cuda_op *op, int priority); /* the operation of a launch by a kernel */

/* graph_condition.c */
struct cuda_condition *cuda_condition_of(CUgraphConditionalHandle handle); /* NULL: there is none */
void cuda_condition_keep(struct cuda_condition *c);
void cuda_condition_drop(struct cuda_condition *c);
/* The operation of a node with bodies, which the program fills; p receives their list. */
CUresult cuda_condition_op(struct cuda_op *op, const struct CUgraph_st *g, CUDA_CONDITIONAL_NODE_PARAMS *p);
/* The next body to run after so many turns; NULL: none. */
struct CUgraph_st *cuda_condition_body(const struct cuda_op *op, uint64_t turns);
/* A graph is launched: sets values that have a default. */
void cuda_condition_defaults(const struct CUgraph_st *g);
/* Whether the graph has conditional nodes, and whether their bodies hold only permitted nodes. */
bool cuda_graph_has_conditions(const struct CUgraph_st *g);
bool cuda_condition_bodies_ok(const struct CUgraph_st *g);
void cuda_graph_drop_conditions(struct CUgraph_st *g); /* the handles made for the graph, which is about to be destroyed */

/* driver_graph.c */
struct CUgraphNode_st {
  struct cuda_object o;
  struct CUgraph_st *graph;
  struct cuda_op op;
  struct CUgraphNode_st **deps; /* nodes it comes after */
  CUgraphEdgeData *edges;       /* parallel to deps */
  size_t n_deps, dep_capacity, edge_capacity;
  const struct CUgraphNode_st *source; /* of a copy: the node it was copied from */
  bool disabled;                       /* in an executable graph */
  uint32_t index;                      /* in its graph: the number of nodes before it */
  bool placed;                         /* while an order is being computed */
  bool begun, ended;                   /* while it runs */
  CUlaunchAttributeValue *attributes;  /* of kernel nodes: by CUlaunchAttributeID; NULL: none set */
};
struct CUgraph_st {
  struct cuda_object o;
  uint32_t id; /* of an executable graph and its launches; 0: none */
  struct CUgraphNode_st **nodes; /* in the order they were added */
  size_t n_nodes, node_capacity;
  struct CUgraphNode_st **order;  /* an order in which they may run; NULL: to be computed */
  bool embedded;                  /* belongs to a node or to an executable graph */
  unsigned executables;           /* existing executable graphs made from it */
  struct CUuserObject_st **users; /* one entry per reference */
  size_t n_users, user_capacity;
  struct cuda_condition **conditions; /* whose handles were made for it */
  size_t n_conditions, condition_capacity;
};
CUresult cuda_graph_capture(struct CUstream_st *s, struct cuda_op *op); /* takes ownership of the operation */
void cuda_graph_delete(void *graph);
struct CUgraph_st *cuda_graph_new(void);
struct CUgraph_st *cuda_graph_copy(const struct CUgraph_st *g);
/* Adds a node after the given ones; takes ownership of the operation. */
struct CUgraphNode_st *cuda_graph_add(struct CUgraph_st *g, struct CUgraphNode_st *const *deps,
                                      const CUgraphEdgeData *edges, size_t n, struct cuda_op *op);
bool cuda_graph_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *on, const CUgraphEdgeData *edge);
bool cuda_graph_nodes_ok(const struct CUgraph_st *g, struct CUgraphNode_st *const *nodes, size_t n);
/* Whether every node in `before` is in `nodes` or comes before one of them. */
bool cuda_graph_covers(struct CUgraph_st *g, struct CUgraphNode_st *const *nodes, size_t n,
                       struct CUgraphNode_st *const *before, size_t n_before);
/* The nodes in an order that respects their edges; NULL if they go in a circle. */
struct CUgraphNode_st **cuda_graph_order(struct CUgraph_st *g);
CUgraphNodeType cuda_node_type(const struct CUgraphNode_st *n);

#endif
