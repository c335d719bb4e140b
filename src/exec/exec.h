/* Functional execution of PTX: one warp instruction at a time, 32 lanes at once.
 *
 * Owns: decoded functions, warps with their registers and divergence state, CTAs with shared memory and barriers. Knows no time: the timed
 * SM and the functional runner both drive warps through exec_step(), and what an instruction accessed is left in w->access for the caller
 * that charges it.
 *
 * Registers are rows of 32 lanes. A row of up to 32 bits per lane is uint32_t[32] (8- and 16-bit values are kept in the low bits; the upper
 * bits are unspecified and must be ignored by readers), a 64-bit row is uint64_t[32], a 128-bit row is 32 x 16 bytes, a predicate is one
 * uint32_t whose bit i belongs to lane i. Immediates and symbol addresses are rows too, made once when the function is decoded, so every
 * source operand is a pointer to a row. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "base/arena.h"
#include "base/err.h"
#include "exec/memory/device_memory.h"
#include "ptx/ptx.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXEC_LANES = 32, EXEC_BARRIERS = 16, EXEC_NO_PC = 0xffffffffu };
/* One barrier more than a CTA can name: barrier.cluster. */
enum { EXEC_CLUSTER_BARRIER = EXEC_BARRIERS, EXEC_ALL_BARRIERS };
/* One barrier per warpgroup, where its four warps wait for each other (wgmma.wait_group); observers are not notified of these. */
enum { EXEC_GROUP_BARRIER = EXEC_ALL_BARRIERS, EXEC_GROUP_WARPS = 4, EXEC_GROUPS = 8 };
enum { EXEC_LAUNCH_LEVELS = 24 }; /* depth of nested launches, CUDA's limit */
/* Where threads wait for the kernels that their CTA has launched (run/device_wait.h). It is no barrier, and observers are not notified. */
enum { EXEC_CHILDREN = EXEC_GROUP_BARRIER + EXEC_GROUPS };
#define EXEC_ALL_LANES 0xffffffffu
/* The number of lanes in a mask, without a call even where the compiler may not use the host's instruction. */
static inline unsigned exec_count_lanes(uint32_t mask) {
  if (mask == EXEC_ALL_LANES) return 32;
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* ---- decoded instructions ------------------------------------------------------------------------------------ */

/* Where an operand's row lives. The first four belong to the current frame; constants to the function; special
 * registers to the warp. */
enum exec_file { EXEC_F32, EXEC_F64, EXEC_F128, EXEC_FPRED, EXEC_FCONST, EXEC_FSREG, EXEC_FILES, EXEC_FNONE = 255 };

struct exec_opnd {
  uint32_t off;  /* bytes from the file's base */
  uint8_t file;  /* enum exec_file; EXEC_FNONE: absent, or the sink `_` */
  bool negate;   /* a predicate written !p */
};

struct exec_warp;
struct exec_inst;
typedef void (*exec_fn)(struct exec_warp *w, const struct exec_inst *in);

/* Which pipeline an instruction occupies: the timed SM's latency and initiation tables are indexed by this. */
enum exec_unit {
  EXEC_U_ALU,      /* integer add, move */
  EXEC_U_LOGIC,    /* logic, compare, select, permute */
  EXEC_U_IMUL, EXEC_U_IMAD, EXEC_U_IDIV, EXEC_U_LDIV /* of 64 bits */, EXEC_U_SHIFT, EXEC_U_IMAX,
  EXEC_U_FADD, EXEC_U_FMUL, EXEC_U_FFMA, EXEC_U_FDIV, EXEC_U_FMAX,
  EXEC_U_HALF,     /* f16, bf16 arithmetic */
  EXEC_U_DADD, EXEC_U_DMUL, EXEC_U_DFMA, EXEC_U_DDIV, EXEC_U_DRCP /* rounded reciprocal */, EXEC_U_DMAX,
  EXEC_U_SFU,      /* approximations */
  EXEC_U_CVT, EXEC_U_XCVT /* 64 bits, to whole numbers, from and to short ones */, EXEC_U_TENSOR, EXEC_U_SHUFFLE,
  EXEC_U_VOTE, EXEC_U_MATCH, EXEC_U_REDUX,
  EXEC_U_LDST,     /* everything that goes through the load/store unit; w->access says where */
  EXEC_U_TEX, EXEC_U_BRANCH, EXEC_U_BARRIER, EXEC_U_FENCE, EXEC_U_EXIT,
  EXEC_U_OTHER,    /* only as exec_inst.by_opcode */
  EXEC_UNITS
};

enum { /* exec_inst.flags */
  EXEC_CONTROL = 1,   /* may change pc or block; must see a zero mask too (bra, bar, ret, exit, call) */
  EXEC_MEMORY = 2,    /* fills w->access */
  EXEC_UNIFORM = 4,   /* .uni or otherwise known not to diverge */
  EXEC_ORDERED = 16,  /* changes what other SMs can see (global stores, atomics, calls of the device library): executed
                         in a fixed order of SMs, so that results do not depend on which host thread simulates which SM. In runs
                         without timing also accesses to shared memory before which other warps must catch up (ptx_mark_late) */
  EXEC_SPIN = 8,      /* instructions by which threads wait for others: cas, exch, volatile and acquire loads, sleeps */
  EXEC_YIELD = 32,    /* the back branch of a loop in which threads wait for others: the warp's other lanes run next */
  EXEC_FETCH = 64,    /* reads global memory: on a GPU other warps run until the data arrive */
  EXEC_LOOK = 128,    /* likewise, instructions that a waiting thread repeats and that change nothing: loads that bypass L1, and plain
                         loads that decide whether a loop ends (ptx_mark_looks) */
};

struct exec_inst {
  exec_fn fn;
  exec_fn quick;      /* a fast version, which leaves in w->access only where a store began; NULL: use fn */
  struct exec_opnd d, a, b, c; /* destination and sources in PTX order; families may use them otherwise */
  uint32_t guard;     /* byte offset of the guard predicate in EXEC_FPRED */
  uint8_t guarded, guard_negate;
  uint8_t unit;       /* enum exec_unit */
  uint8_t by_opcode;  /* the unit by opcode and type alone: add, max, mul, mad, div, approximations, or EXEC_U_OTHER */
  uint8_t flags;
  uint8_t size;       /* bytes an element, of memory instructions */
  uint8_t vec;        /* elements a lane */
  uint8_t space;      /* enum ptx_space of memory instructions */
  uint8_t sub;        /* family's own small selector */
  uint8_t slots;      /* issue slots: 1, or what the lowering counted (ptx_count_slots) */
  uint8_t reads;      /* registers that its machine instruction reads, as the lowering counted; else 0 */
  bool plain;         /* one issue slot, no control flow, no wgmma: the rare cases need no check, except those by unit */
  uint32_t target;    /* of branches: instruction index */
  uint32_t rpc;       /* of branches: where the sides reconverge, or EXEC_NO_PC */
  int64_t imm;        /* address offset, lookup table, ... by family */
  void *aux;          /* family's own decoded data (vector operands, call descriptors, texture operands), arena */
  const struct ptx_inst *ptx;
  uint32_t deps;      /* index into func->deps */
};

/* Registers an instruction reads (a guard first) and writes, as dense ids in [0, func->n_dep_ids): for scoreboards. */
struct exec_deps {
  const uint16_t *reads, *writes; /* registers, each once; a guard is the first read */
  /* The same as operands, by the register's number in its function: those read, in order and as often as they are named, without the guard;
   * and those written. */
  const uint16_t *operands, *results;
  uint8_t n_reads, n_writes, n_operands, n_results;
};

struct exec_module;

struct exec_func {
  const struct ptx_func *ptx;
  struct exec_module *module;
  struct exec_inst *insts;
  uint32_t n_insts;
  uint32_t first_pc;          /* instructions of the module's earlier functions: first_pc + i names an instruction */
  uint32_t file_bytes[4];     /* of a frame: EXEC_F32, EXEC_F64, EXEC_F128, EXEC_FPRED */
  unsigned char *constants;   /* EXEC_FCONST rows, 64-byte aligned */
  uint32_t constant_bytes;
  struct exec_deps *deps;     /* one an instruction */
  uint32_t n_dep_ids;
  uint32_t shared_bytes;      /* static shared memory of an entry: its own, its callees' and the module's */
  uint32_t local_bytes;       /* own .local */
  uint32_t stack_bytes;       /* local_bytes + deepest callee, or the device's limit if recursive or indirect */
  bool makes_calls, uses_stack;
  struct exec_stretches *stretches; /* run/stretch.h; NULL: it is refused */
  const char *refused;        /* why it cannot run, because of an instruction of it or of a callee; NULL: it can */
};

/* A module ready to run: code decoded, globals and constants placed in device memory. */
struct exec_module {
  struct ptx_module ptx;
  struct arena arena;
  struct exec_func *funcs;    /* parallel to ptx.funcs */
  uint32_t n_insts;           /* of all its functions */
  uint64_t *var_address;      /* parallel to ptx.vars: device address of .global/.const, shared offset of .shared */
  uint32_t func_shared_bytes; /* of .shared variables that .func bodies use: they have one place in every kernel */
  const char *unresolved; /* the first called function that neither the module nor CUDA has; NULL: none */
  uint32_t sreg_offset[PTX_SREGS]; /* rows of the special registers in use, in EXEC_FSREG; EXEC_NO_PC: not in use */
  uint32_t dynamic_shared_row; /* row with the offset of dynamic shared memory, for .func bodies */
  uint32_t sreg_bytes;
  uint64_t code_base;         /* address of function 0, as device code sees it; 16 bytes apart */
  const char *text;           /* as it was read; NULL unless EXEC_KEEP_TEXT said so */
  struct exec_mem *mem;
};

/* Decodes `text` and places its variables. A kernel with an unsupported instruction is marked as refused, with a sentence
 * that names the instruction, its line and the function, and must not be launched; if no kernel is left, that is an error,
 * unless EXEC_KEEP_REFUSED says that it is none. On false the module is already released. */
enum exec_load_flags {
  EXEC_ORDER_BLOCKS = 1 /* ptx_order_blocks */, EXEC_YIELD_LOOPS = 2 /* ptx_mark_yields */, EXEC_KEEP_REFUSED = 4,
  EXEC_KEEP_TEXT = 8 /* to show it to the user */, EXEC_LOWER = 16 /* ptx_lower, ptx_count_slots */,
  EXEC_UNTIMED = 32 /* its grids are run by exec_run_grid only: exec_keep_constants */
};
bool exec_module_load(struct exec_module *m, struct exec_mem *mem, unsigned flags, const char *name, const char *text, size_t bytes,
                      struct err *e);
void exec_module_unload(struct exec_module *m);

/* Decodes without device memory and without stopping at the first problem, for `heddle ptx`. Calls `report` for each unsupported
 * instruction, and returns how many there were. */
typedef void (*exec_report_fn)(void *user, const struct ptx_func *f, const struct ptx_inst *in, const char *why);
unsigned exec_check_support(const struct ptx_module *m, exec_report_fn report, void *user);

/* ---- what an instruction touched ----------------------------------------------------------------------------- */

enum exec_access_op { EXEC_LOAD, EXEC_STORE, EXEC_ATOMIC, EXEC_REDUCE, EXEC_PREFETCH };
enum exec_cache_op { EXEC_CACHE_ALL /* .ca, .wb */, EXEC_CACHE_GLOBAL /* .cg */, EXEC_CACHE_STREAM /* .cs */,
                     EXEC_CACHE_LAST_USE /* .lu */, EXEC_CACHE_VOLATILE /* .cv, .wt, volatile */ };

struct exec_access {
  uint8_t op;          /* enum exec_access_op */
  uint8_t cache;       /* enum exec_cache_op */
  uint8_t space;       /* resolved: PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_TEX, PTX_PARAM */
  bool read_only;      /* ld.global.nc, texture */
  bool async;          /* cp.async: the data goes to shared memory, no register waits for it */
  bool bulk;           /* a bulk copy: the lines are in exec_warp.sent */
  bool signals;        /* there are signals in exec_warp.sent */
  uint32_t times;      /* of copies within shared memory: it takes as long as so many accesses; 0: as one */
  bool same;           /* a write that changed no byte; known for atomics, and for stores of a watched warp */
  uint8_t bytes;       /* per lane, all elements */
  uint8_t element;     /* bytes of one element, of stores; otherwise `bytes` */
  uint32_t mask;       /* lanes with an address */
  uint32_t other_mask; /* lanes of a generic access that fell into another space than `space` (charged as shared) */
  uint32_t remote;     /* lanes in the shared memory of another CTA of the cluster */
  uint64_t addr[EXEC_LANES]; /* device address; offset within the window for shared; the lane's own stack offset for
                                local */
};

/* A signal under way to an mbarrier: bytes that have arrived (negative) or are expected, and arrivals. Left by instructions on the timed
 * GPU. */
struct exec_cta;
struct exec_signal {
  struct exec_cta *cta;
  uint64_t start;      /* exec_cta.starts when it was sent: a later CTA in the slot does not get it */
  uint32_t addr;       /* in its shared memory */
  int32_t bytes;
  uint32_t arrivals;
  bool drops;          /* the arrivals are not expected again */
};
/* The signal has arrived. */
void exec_signal_arrives(const struct exec_signal *s);

/* Whether an instruction is an mbarrier.try_wait that would find the phase incomplete in every lane. */
struct exec_warp;
bool exec_mbarrier_holds(const struct exec_warp *w, const struct exec_inst *in);
/* Whether an instruction may complete a phase when it executes. */
bool exec_mbarrier_changes(const struct exec_inst *in);

/* What a bulk copy, or an arrival at another CTA, leaves for the timed GPU. */
struct exec_line {
  uint64_t line;       /* address of 128 bytes */
  uint8_t sectors;     /* its sectors of 32 bytes, as bits */
};
struct exec_sent {
  uint64_t map;        /* generic address of the tensor map that a copy or a prefetch of one named; 0: none */
  struct exec_line *lines;
  size_t n_lines, line_capacity;
  struct exec_signal *signals;
  size_t n_signals, signal_capacity;
};

/* ---- warps --------------------------------------------------------------------------------------------------- */

enum exec_status { EXEC_RUNNING, EXEC_BLOCKED /* every live path waits at a barrier */, EXEC_DONE, EXEC_FAULTED };

/* One activation of a function. Divergent callers have frames of their own. */
struct exec_frame {
  const struct exec_func *func;
  unsigned char *file[4];
  struct exec_frame *caller;
  uint32_t ret_pc;
  uint32_t lanes;            /* lanes that are in it or will return to it; the frame is recycled when none is left */
  uint32_t local_base;       /* byte offset of this function's .local in each lane's stack */
  uint32_t stack_top;        /* first free byte above it: .local, alloca */
  unsigned char *params;     /* per lane: this activation's parameters, then its results */
  unsigned char *call_params;/* per lane: .param variables this function declares for the calls it makes */
  size_t capacity;           /* bytes behind the struct */
  struct exec_frame *made_before; /* in the warp's list of all frames */
};

/* A set of lanes at one pc. Lanes that diverged wait at their join for the others, but never for ever: see warp.c for the rule of forward
 * progress. */
enum exec_path_state { EXEC_P_FREE, EXEC_P_READY, EXEC_P_BARRIER, EXEC_P_SYNC };
struct exec_path {
  uint32_t mask, pc;
  struct exec_frame *frame;
  int16_t join;              /* innermost, -1 none */
  uint8_t state;
  uint8_t barrier;           /* EXEC_P_BARRIER: which */
  uint32_t sync_mask;        /* EXEC_P_SYNC: lanes it waits for; pc is the instruction itself */
};
struct exec_join {
  struct exec_frame *frame;
  uint32_t pc;
  uint32_t expected, arrived;
  int16_t parent;
  bool used;
};

struct exec_cta;
struct exec_grid;

/* What a warp has read of the clock in runs without timing: move.c. */
struct exec_clock {
  uint64_t read;  /* the warp's instructions when it last read it; 0: never */
  uint64_t since; /* the first value of the present series of reads */
  uint64_t ahead; /* cycles that it has skipped */
};

struct exec_warp {
  unsigned char *file[EXEC_FILES]; /* bases for operands; the first four are those of the current frame */
  uint32_t mask;             /* lanes of the instruction being executed: path and guard */
  uint32_t active;           /* lanes of the current path */
  uint32_t pc;               /* next instruction of the current path */
  uint32_t rpc;              /* join pc of the current path in this frame, EXEC_NO_PC if none */
  const struct exec_inst *insts;
  struct exec_frame *frame;
  int16_t join;
  uint8_t path;              /* index of the current path */
  uint8_t n_paths;           /* not free */
  uint8_t status;            /* enum exec_status */
  uint8_t groups;            /* distinct values that the last match found */
  uint32_t live;             /* lanes that have not exited */
  uint32_t patience;         /* spent by the current path while others wait: see warp.c */
  uint32_t had_turn;         /* lanes that have run since exec_owes_turns began to count */
  uint32_t carry;            /* condition code of add.cc and the like, one bit a lane */
  uint32_t at_cluster;       /* lanes that have arrived at the cluster's barrier, which has not completed since */
  struct exec_cta *cta;
  struct exec_grid *grid;
  uint32_t index;            /* in the CTA */
  uint32_t first_thread;     /* linear thread id of lane 0 */
  unsigned char *local;      /* stacks of the 32 lanes, stack_bytes each */
  uint32_t stack_bytes;
  bool watched;              /* the caller needs to know which stores change nothing */
  struct exec_clock clock;
  uint64_t instructions;     /* warp instructions executed */
  uint64_t thread_instructions; /* lanes whose guard was true, summed */
  struct exec_access access;
  struct exec_sent sent;     /* of the last instruction with access.bulk or access.signals */
  struct exec_path paths[EXEC_LANES];
  struct exec_join *joins;   /* grows with the depth of calls */
  uint32_t n_joins;
  struct exec_frame root;
  struct exec_frame *free_frames, *frames; /* for reuse, linked by caller; all that were made, by made_before */
  void *storage;             /* registers, special rows and stacks: one block, reused by the next CTA in this slot */
  size_t storage_bytes;
};

struct exec_barrier {
  uint32_t arrived;      /* threads that have arrived */
  uint32_t expected;     /* threads expected; 0: all that are alive */
  bool used;
  bool all, any;         /* of bar.red, over the threads that arrived */
  uint32_t count;
};

/* Allocations that recent accesses of the CTA fell into, by instruction: see address.c. */
enum { EXEC_MEMO = 64 };
struct exec_range_memo {
  const struct exec_mem *mem;
  uint64_t version;          /* of the allocation table the ranges were read from */
  struct {
    struct exec_alloc_range range;
    bool writable;
  } at[EXEC_MEMO];
};

/* The launch for which the rows of a CTA slot's warps were laid out and filled. Has no padding, because it is compared as bytes. */
struct exec_prepared {
  uint64_t code; /* 0: none */
  const struct exec_func *kernel;
  const struct exec_device *device;
  uint64_t id, workspace;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t stack_bytes, dynamic_shared, unused;
};

/* CTAs that run together and can access each other's shared memory: cta_cluster.h. A CTA launched without clusters is a cluster of its
 * own. */
enum { EXEC_MAX_CLUSTER = 16 };
struct exec_cluster {
  uint32_t n, arrived;                     /* CTAs; threads that have arrived at its barrier */
  uint32_t live;                           /* CTAs that have not ended */
  struct exec_cta *ctas[EXEC_MAX_CLUSTER]; /* by rank; NULL: it has ended */
};

struct exec_view;
struct exec_cta {
  struct exec_grid *grid;
  uint32_t id[3];
  uint64_t linear_id;
  uint64_t starts;           /* CTAs that the slot has had */
  uint32_t sm;               /* %smid */
  struct exec_cluster *cluster; /* its own `alone`, or one shared by its CTAs */
  struct exec_cluster alone;
  uint32_t rank;             /* in it */
  void (*opened)(struct exec_cta *cta); /* another CTA has completed the cluster's barrier, for which warps of this one waited;
                                              NULL: not needed */
  unsigned char *shared;
  uint32_t shared_bytes;
  size_t shared_capacity;
  struct exec_warp *warps;
  uint32_t n_warps, warp_capacity, live_warps;
  uint32_t threads, live_threads;
  struct exec_barrier barriers[EXEC_GROUP_BARRIER + EXEC_GROUPS]; /* the cluster's own is not used */
  uint32_t barrier_releases; /* counts up whenever blocked warps have become ready */
  bool awaits;               /* some of its threads wait for kernels that it launched */
  struct exec_range_memo memo;
  struct exec_prepared prepared;
  void *observed;            /* the observer's own: see observe.h */
  struct exec_view *view;    /* see view.h; NULL: loads read what memory holds */
};

/* ---- faults -------------------------------------------------------------------------------------------------- */

enum exec_fault_kind {
  EXEC_FAULT_NONE, EXEC_FAULT_ILLEGAL_ADDRESS, EXEC_FAULT_MISALIGNED, EXEC_FAULT_READ_ONLY, EXEC_FAULT_TRAP,
  EXEC_FAULT_ASSERT, EXEC_FAULT_STACK, EXEC_FAULT_ILLEGAL_INSTRUCTION, EXEC_FAULT_DEADLOCK, EXEC_FAULT_ADDRESS_SPACE,
  EXEC_FAULT_STOPPED, /* not the program's fault: exec_limits ended a kernel that it waits for */
};
struct exec_observer;
struct exec_fault {
  enum exec_fault_kind kind;
  const struct exec_inst *in; /* the instruction that faulted */
  uint32_t thread;           /* in its CTA */
  uint8_t space;             /* enum ptx_space of the access, with an observer; PTX_GENERIC: none */
  uint64_t address, bytes;
  uint64_t cta;              /* linear id of the CTA */
  char text[1024];           /* kernel, source line, CTA, thread, address: ready to print */
};
/* Records the grid's fault (of several at once, that of the lowest CTA), with its place. */
void exec_fault(struct exec_warp *w, const struct exec_inst *in, enum exec_fault_kind kind, unsigned lane,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds the place to a description: kernel, source line, thread, CTA. */
void exec_place_text(const struct exec_warp *w, const struct exec_inst *in, unsigned lane, const char *what, char *out, size_t size);

/* "lock.cu:12 (atom.global.cas.b32 at ptx:29)". */
void exec_describe_place(const struct exec_warp *w, const struct exec_inst *in, char *out, size_t size);

/* ---- grids --------------------------------------------------------------------------------------------------- */

/* What the device gives every grid: heap, printf, clocks. Provided by the CUDA layer or by tests. */
/* What the device runtime tells kernels about their device, answered by its owner; `user` is the device's print_user. False: unknown. */
struct exec_told {
  bool (*attribute)(void *user, int which, int32_t *value); /* by the numbers of cudaDeviceAttr */
  bool (*limit)(void *user, int which, uint64_t *value);    /* of cudaLimit */
  uint32_t (*most_threads)(void *user, const struct exec_func *kernel); /* of a CTA */
  uint32_t (*registers)(void *user, const struct exec_func *kernel);    /* of a thread */
  uint32_t (*ctas_per_sm)(void *user, const struct exec_func *kernel, uint32_t threads, uint64_t dynamic_shared);
  /* A thread of the grid launches the executable graph with this handle; returns a cudaError_t. */
  uint32_t (*launch_graph)(void *user, const struct exec_grid *from, uint64_t graph, uint64_t stream);
};

struct exec_device {
  struct exec_mem *mem;
  uint32_t stack_limit;      /* bytes a thread, for recursion and indirect calls */
  uint32_t n_sms, warp_slots; /* %nsmid, %nwarpid */
  uint64_t clock_hz;
  bool check;                /* check every access against the allocation table; false: only that the simulator may touch it */
  bool strict;               /* an access outside every allocation is a fault, also where memory is mapped */
  struct exec_strays *strays; /* where such accesses are recorded otherwise (strays.h); NULL: nowhere */
  const struct exec_observer *observer; /* NULL: none */
  struct exec_heap *heap;    /* device malloc; NULL: malloc returns 0 */
  struct exec_launches *launches; /* launches by kernels (run/device_launch.h); NULL: not possible */
  void (*print)(void *user, const char *text, size_t n); /* device printf; NULL: to stdout */
  void *print_user;
  const struct exec_told *told; /* NULL: there are no answers */
};

/* What stops a run without timing before its grids have ended; kept by the caller from grid to grid. */
struct exec_limits {
  uint64_t max_instructions;   /* of warps, all grids together; 0: none */
  uint64_t executed;           /* so far */
  volatile sig_atomic_t *stop; /* set by a signal handler or another thread; NULL: never */
  void (*progress)(void *user, uint64_t executed); /* called before each grid and from time to time in it; NULL: not needed */
  uint64_t told;               /* `executed` at the last call */
  void *user;
};

/* How L2 treats the lines of a window of global memory that a grid uses; has no effect on values. */
struct exec_l2_window {
  uint64_t base, bytes;   /* 0 bytes: no window */
  float hit_ratio;        /* the part of its lines that has the property `hit`; the others have `miss` */
  uint8_t hit, miss;      /* enum exec_l2_property */
};
enum exec_l2_property { EXEC_L2_NORMAL, EXEC_L2_STREAMING, EXEC_L2_PERSISTING };

struct exec_grid {
  const struct exec_module *module;
  const struct exec_func *kernel;
  struct exec_device *device;
  uint32_t grid[3], block[3];
  uint32_t cluster[3];       /* CTAs of a cluster; 0: launched without */
  uint32_t dynamic_shared;
  unsigned char *params;     /* kernel->ptx->param_bytes long */
  uint64_t id;
  uint32_t place;            /* the timed GPU's own: which of its resident grids this is */
  uint32_t first_pc;         /* likewise: distinguishes instructions of modules that run at the same time */
  bool held;                 /* likewise: griddepcontrol.wait waits, because the grid before it has not ended */
  uint32_t depth;            /* nesting depth of its launch; 0: launched by the host */
  uint32_t awaited;          /* how many of these wait for its end; their CTAs may have to leave before it can run */
  uint32_t waiting, asking;  /* CTAs that wait for kernels they launched; those whose kernels nobody runs yet */
  bool cooperative;
  uint64_t resident;         /* of exec_run_grid: CTAs that are resident at once; 0: all. A cooperative grid is resident as a whole */
  unsigned host_threads;     /* of exec_run_grid: host threads that it may use; 0: one */
  bool timed;                /* it runs with timing: signals and lines of copies are left in exec_warp.sent */
  bool concurrent;           /* several host threads run it: atomic operations on global memory are atomic on the host too */
  struct exec_l2_window window;
  void *of;                  /* its launcher, for the owner of the device; NULL: none */
  uint64_t graph;            /* %current_graph_exec; 0: it is not of a graph that kernels may launch */
  uint64_t workspace;        /* device address of a cooperative grid's barrier, 0 if none */
  uint64_t (*clock)(void *user); /* current cycle; NULL: eight for each instruction so far */
  void *clock_user;
  struct exec_limits *limits; /* of exec_run_grid; NULL: none */
  /* Of exec_run_grid: called after each warp instruction, with the number of lanes that executed it; what they accessed is in w->access. A
   * grid with it uses one host thread. NULL: not needed. */
  void (*stepped)(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned lanes);
  void *stepped_user;
  uint64_t instructions, thread_instructions; /* summed when CTAs end */
  bool stuck;                /* exec_run_grid ended because all threads wait for ever: a deadlock */
  bool may_pause;            /* of exec_run_grid: if all wait, one of them for memory that the host writes, it pauses instead */
  struct exec_paused *paused; /* it has paused, and goes on when exec_run_grid is called again; NULL: it has ended */
  struct exec_fault fault;
};

/* Prepares a CTA slot for CTA `linear` of the grid; storage of the slot's last CTA is reused. */
void exec_cta_start(struct exec_cta *cta, struct exec_grid *grid, uint64_t linear, uint32_t sm);
void exec_cta_release(struct exec_cta *cta); /* frees the slot's storage */
/* Exchanges the CTAs of two slots; neither may be in a cluster of several CTAs. */
void exec_cta_swap(struct exec_cta *a, struct exec_cta *b);

/* The instruction the warp would execute next; only for EXEC_RUNNING warps. */
static inline const struct exec_inst *exec_next(const struct exec_warp *w) { return &w->insts[w->pc]; }

/* Executes that instruction. Returns the warp's status afterwards. A barrier that completes may unblock other warps
 * of the CTA (their status changes to EXEC_RUNNING, cta->barrier_releases counts up). */
enum exec_status exec_step(struct exec_warp *w);

/* For the detection of deadlocks: whether lanes of the warp could run and have had no turn since counting began (with `begin` it begins
 * now). Those lanes run at the next turn of the loop that runs now. */
bool exec_owes_turns(struct exec_warp *w, bool begin);

/* Runs a whole grid without timing (run/run_grid.c says in which order). False and e filled on a fault, when threads wait for
 * each other for ever (grid->stuck), or when a limit was reached (ERR_LIMIT). True with grid->paused: it is to be called again. */
bool exec_run_grid(struct exec_grid *grid, struct err *e);
/* The same for some of its CTAs, by their linear numbers. */
bool exec_run_ctas(struct exec_grid *grid, const uint64_t *ctas, uint64_t n, struct err *e);

/* Bytes of shared memory that a CTA of this kernel needs in all. */
uint32_t exec_shared_bytes(const struct exec_func *kernel, uint32_t dynamic_shared);
/* Bytes of shared memory that answer accesses: an H200 maps a CTA's own bytes, rounded up to a multiple of 128. */
static inline uint32_t exec_shared_mapped(const struct exec_cta *c) { return (c->shared_bytes + 127) & ~UINT32_C(127); }

/* ---- for the instruction families ---------------------------------------------------------------------------- */

/* The row of an operand. */
static inline void *exec_row(const struct exec_warp *w, struct exec_opnd o) { return w->file[o.file] + o.off; }
/* A predicate operand's bits, negation applied; all ones if absent. */
static inline uint32_t exec_pred(const struct exec_warp *w, struct exec_opnd o) {
  if (o.file == EXEC_FNONE) return EXEC_ALL_LANES;
  uint32_t p = *(const uint32_t *)(w->file[o.file] + o.off);
  return o.negate ? ~p : p;
}
/* Writes predicate bits of the active lanes. */
static inline void exec_set_pred(struct exec_warp *w, struct exec_opnd o, uint32_t bits) {
  if (o.file == EXEC_FNONE) return;
  uint32_t *p = (uint32_t *)(w->file[o.file] + o.off);
  *p = (*p & ~w->mask) | (bits & w->mask);
}

#endif
