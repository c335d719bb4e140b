/* The only place that knows whether a grid runs functionally or on the timed GPU.
 *
 * Owns: the simulated clock, and the totals that are reported when the program ends. Knows no contexts, streams or memory. An operation
 * that takes time is a task: it begins now and ends when its time is over. Kernels take what the timed GPU says, sharing it with whatever
 * else runs there; a kernel for which the GPU has no place starts when a place becomes free, the higher priority first. Time passes only
 * while a call waits (cuda_engine_pass). A launch costs 2 us before its first CTA starts (gpu.launch_latency, sm.cta_latency and
 * gpu.end_latency are part of them), a copy 1 us plus its bytes at 50 GB/s between host and device or at 4 TB/s within the device, an event
 * 1 us; copies take no bandwidth from kernels. If several programs share the GPU none of these takes time, so that kernels of all of them
 * are there throughout.
 *
 * Functional mode has no cycles, and no tasks except kernels that wait for the host: an operation that has begun has happened. Its clock is
 * derived from counts, so that elapsed times are repeatable and never zero: every SM retires one warp instruction per cycle. */
#ifndef CUDA_ENGINE_H
#define CUDA_ENGINE_H

#include "cuda/chosen.h"
#include "cuda/device_info.h"
#include "cuda/record/failures.h"
#include "cuda/record/operations.h"
#include "cuda/record/ranges.h"
#include "cuda/settings.h"
#include "exec/exec.h"
#include "exec/memory/strays.h"
#include "gpu/gpu.h"

#include <jansson.h>

enum { CUDA_QUERY_NS = 1000 };

struct cuda_engine_kernel { /* one row per kernel name */
  char *name;
  uint64_t launches, warp_instructions, thread_instructions, ns;
  uint64_t threads;          /* of all launches */
  struct {                   /* the launch with the most threads */
    uint64_t threads;
    uint32_t grid[3], block[3], registers, shared_bytes, ctas_per_sm;
  } largest;
};

struct cuda_task { /* owned by the caller; must stay until cuda_engine_pass returns it */
  struct cuda_task *next;
  double at;         /* ns: its end, or when its kernel reaches the GPU */
  double begun;      /* ns */
  double came;       /* ns: when its kernel reached the GPU */
  uint64_t ticket;   /* of a kernel that is on the GPU; 0: it is not there */
  struct gpu_launch launch; /* grid NULL: not a kernel */
  const char *what;  /* a copy or fill: cuda_operation.kind; NULL: not shown */
  uint64_t bytes, stream; /* of it */
  bool default_stream;
  const void *node, *behind; /* its node in a graph; of a dependent, the unfinished one before it; NULL: of no graph */
  bool dependent;    /* a kernel that was begun before the end of the one before it in its stream or graph */
  size_t group;      /* of a kernel, with sampling */
  bool ran;          /* without timing: its end is due */
  bool failed;       /* the kernel failed: err says why, grid->fault has the fault */
  struct err err;
};

struct cuda_engine {
  struct cuda_settings settings;
  struct cuda_device_info info;
  struct gpu_shape shape;
  struct gpu *gpu; /* NULL: functional */
  struct gpu *follower; /* of a functional run with probes, which follow it; NULL: none */
  unsigned host_threads; /* of a functional run */
  struct exec_limits limits; /* of a functional run */
  struct cuda_chosen chosen; /* which launches are simulated */
  const char *stopped;       /* why it ended early; NULL: it did not */
  bool busy_host;  /* launches, copies and events take time */
  unsigned load_flags; /* of modules: gpu_load_flags */
  double launch_ns; /* before a kernel reaches the timed GPU */
  double now;      /* ns: simulated time since the start */
  double busy_since; /* ns: start of the period in which the GPU has had kernels */
  struct cuda_task *tasks; /* in order of their beginning; without timing: kernels that wait for the host */
  bool asks;        /* result of the last attempt: a CTA waits for kernels that it has launched, which must be begun */
  bool waits;       /* result of the last attempt: a kernel waits for memory that the host writes, and nothing else goes on */
  double waits_since; /* host seconds: when a call began to wait for it in vain; 0: none has */
  uint32_t on_gpu; /* of these tasks */
  uint64_t next_grid;
  uint64_t warp_instructions, thread_instructions;
  uint64_t copies, copied_bytes;
  struct cuda_engine_kernel *kernels;
  size_t n_kernels, kernel_capacity;
  struct cuda_failures failures; /* launches */
  struct cuda_operations operations; /* with settings.detail or settings.trace */
  struct cuda_ranges ranges;         /* that the program named */
  double started;   /* host seconds */
  double simulated; /* host seconds spent simulating grids, without the present period */
  double entered;   /* when the present period began */
  double shown;     /* when progress was last shown, or when the engine started */
  bool line;        /* that line is on the terminal */
  struct exec_strays *strays; /* accesses outside every allocation: reported when their kernel ends */
  json_t *(*report_programs)(void); /* the report's part about several programs; NULL: there is only one */
};

/* Reads the settings and chooses the device; programs: how many share it. */
bool cuda_engine_start(struct cuda_engine *g, uint32_t programs, struct err *e);
/* Whether operations take time, and so may overlap. */
static inline bool cuda_engine_timed(const struct cuda_engine *g) { return g->gpu != NULL; }
/* Begins an operation that takes that long, or a kernel. Not in functional mode. */
void cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns);
void cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t);
/* Lets time pass until a task ends, which is returned, or until `limit` (ns), or not at all if nothing goes on: NULL. NULL and g->waits: a
 * kernel that waits for memory the host may write has not ended. NULL and g->asks: a CTA waits for kernels that it has launched;
 * cuda_engine_children_ended lets it go on. */
struct cuda_task *cuda_engine_pass(struct cuda_engine *g, double limit);
void cuda_engine_children_ended(struct cuda_engine *g, const struct exec_grid *grid, uint64_t cta);
/* A call waits for a kernel that waits for the host. If there is no other thread that could write, or none has for half a minute, the next
 * call that lets time pass ends the program and reports who waits for what. */
void cuda_engine_wait_for_host(struct cuda_engine *g);
/* In runs without timing: keeps a kernel that waits for the host until cuda_engine_pass finds that it has ended. */
void cuda_engine_keep(struct cuda_engine *g, struct cuda_task *t);
/* Runs a grid without timing and advances the clock. False on a fault (see grid->fault) or if it cannot run. True and grid->paused: it
 * waits for the host, and its task must be kept. */
bool cuda_engine_run(struct cuda_engine *g, struct exec_grid *grid, struct err *e);
/* Data of device memory has been copied: it may now be in the second-level cache (gpu_copied). */
void cuda_engine_copied(struct cuda_engine *g, enum gpu_copy kind, uint64_t address, uint64_t bytes);
double cuda_engine_event(const struct cuda_engine *g); /* how long one takes, in ns */
/* Counts a copy or fill of that many bytes; how long it takes, in ns. */
enum cuda_traffic { CUDA_TRAFFIC_HOST, CUDA_TRAFFIC_DEVICE };
double cuda_engine_copy(struct cuda_engine *g, uint64_t bytes, enum cuda_traffic traffic);
/* Ends a program started by `heddle run` because its settings describe no valid GPU, and says so in the report; does nothing for other
 * programs. */
void cuda_engine_refuse(const struct cuda_engine *g, const struct err *e);
/* Ends the program because a signal arrived while no kernel was running; does nothing if there is no timed GPU. */
void cuda_engine_stop(struct cuda_engine *g);
/* cuda_engine_finish writes the report, if requested, and frees what the engine holds. */
void cuda_engine_clear_line(struct cuda_engine *g); /* called before something is printed: removes the progress line */
void cuda_engine_finish(struct cuda_engine *g);

#endif
