/* Where launches meet the machine: the one place that knows whether a grid runs functionally or on the timed
 * GPU.
 *
 * Owns: the simulated clock and the totals that are reported when the program ends. Does not: know contexts,
 * streams or memory. An operation that takes time is a task: it begins now and ends when its time is over; kernels
 * take what the timed GPU says, with whatever runs beside them; one for which the GPU has no place comes when a place is
 * freed, the higher priority first. Time passes only while somebody waits (cuda_engine_pass). A launch costs 2 us before
 * its first CTA starts (gpu.launch_latency, sm.cta_latency and gpu.end_latency are part of them), a copy 1 us plus its bytes at
 * 50 GB/s between host and device or at 4 TB/s within the device, an event 1 us; copies do not take bandwidth from kernels.
 * Where several programs share the GPU none of these takes time, so that kernels of all of them are there throughout.
 * Functional mode has no cycles and no tasks, but kernels that wait for the host: what is begun has happened, and its clock is derived
 * from counts, so that elapsed times are repeatable and never zero: every SM retires one warp instruction a cycle.
 */
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

struct cuda_engine_kernel { /* one row a kernel name */
  char *name;
  uint64_t launches, warp_instructions, thread_instructions, ns;
  uint64_t threads;          /* of all launches */
  struct {                   /* the launch with the most threads */
    uint64_t threads;
    uint32_t grid[3], block[3], registers, shared_bytes, ctas_per_sm;
  } largest;
};

struct cuda_task { /* the caller's, until cuda_engine_pass returns it */
  struct cuda_task *next;
  double at;         /* ns: its end, or when its kernel comes to the GPU */
  double begun;      /* ns */
  double came;       /* ns: when a kernel came to the GPU */
  uint64_t ticket;   /* of a kernel that is on the GPU, 0: it is not */
  struct gpu_launch launch; /* grid NULL: not a kernel */
  const char *what;  /* a copy or fill: cuda_operation.kind; NULL: nothing that is shown */
  uint64_t bytes, stream; /* of it */
  bool default_stream;
  const void *node, *behind; /* the graph's node that it is; and, of a dependent, the one that is not over; NULL: of no graph */
  bool dependent;    /* a kernel that was begun while the one before it in its stream or graph was not over */
  size_t group;      /* of a kernel, where launches are sampled */
  bool ran;          /* without timing: its end is due */
  bool failed;       /* the kernel did not end as it should: err says why, grid->fault which fault it was */
  struct err err;
};

struct cuda_engine {
  struct cuda_settings settings;
  struct cuda_device_info info;
  struct gpu_shape shape;
  struct gpu *gpu; /* NULL: functional */
  struct gpu *follower; /* of a functional run: its probes follow it; NULL: there are none */
  unsigned host_threads; /* of a functional run */
  struct exec_limits limits; /* of a functional run */
  struct cuda_chosen chosen; /* which launches are simulated */
  const char *stopped;       /* why it ended early; NULL: it did not */
  bool busy_host;  /* launches, copies and events take time */
  unsigned load_flags; /* of modules: gpu_load_flags */
  double launch_ns; /* before a kernel comes to the timed GPU */
  double now;      /* ns: simulated time since the start */
  double busy_since; /* ns: when the GPU last came to have kernels */
  struct cuda_task *tasks; /* in the order in which they were begun; without timing: kernels that wait for the host */
  bool asks;        /* the last that was tried: a CTA waits for kernels that it has launched, and somebody must begin them */
  bool waits;       /* the last that was tried: a kernel waits for memory that the host writes, and nothing else goes on */
  double waits_since; /* host seconds: when somebody began to wait for it in vain; 0: nobody has */
  uint32_t on_gpu; /* of them */
  uint64_t next_grid;
  uint64_t warp_instructions, thread_instructions;
  uint64_t copies, copied_bytes;
  struct cuda_engine_kernel *kernels;
  size_t n_kernels, kernel_capacity;
  struct cuda_failures failures; /* launches */
  struct cuda_operations operations; /* with settings.detail or settings.trace */
  struct cuda_ranges ranges;         /* that the program named */
  double started;   /* host seconds */
  double simulated; /* of them, those in which grids were simulated, but for the present period */
  double entered;   /* when that began */
  double shown;     /* when progress was last shown, or when the engine started */
  bool line;        /* that line is on the terminal */
  struct exec_strays *strays; /* accesses outside every allocation: reported when their kernel ends */
  json_t *(*report_programs)(void); /* what the report says of several programs; NULL: there is one */
};

/* Reads the settings and chooses the device; programs: how many share it. */
bool cuda_engine_start(struct cuda_engine *g, uint32_t programs, struct err *e);
/* Whether operations take time, and so may overlap. */
static inline bool cuda_engine_timed(const struct cuda_engine *g) { return g->gpu != NULL; }
/* Begins an operation that takes that long, or a kernel. Not in functional mode. */
void cuda_engine_begin(struct cuda_engine *g, struct cuda_task *t, double ns);
void cuda_engine_begin_kernel(struct cuda_engine *g, struct cuda_task *t);
/* Lets time pass until a task ends, which it returns, or until `limit` (ns) or for nothing, if nothing goes on: NULL.
 * NULL and g->waits: a kernel waits for what code of the host may write, and has not ended. NULL and g->asks: one has a CTA that waits for
 * kernels that it has launched, which cuda_engine_children_ended lets go on. */
struct cuda_task *cuda_engine_pass(struct cuda_engine *g, double limit);
void cuda_engine_children_ended(struct cuda_engine *g, const struct exec_grid *grid, uint64_t cta);
/* Somebody waits for a kernel that waits for the host. If there is no other thread that could write, or none has for half a minute, the
 * next that lets time pass ends the program, and says who waits for what. */
void cuda_engine_wait_for_host(struct cuda_engine *g);
/* Without timing: keeps a kernel that waits for the host, until cuda_engine_pass finds that it has gone on to its end. */
void cuda_engine_keep(struct cuda_engine *g, struct cuda_task *t);
/* Runs a grid without timing and moves the clock. False on a fault (grid->fault says which) or if it cannot run. True and grid->paused:
 * it waits for the host, and its task is to be kept. */
bool cuda_engine_run(struct cuda_engine *g, struct exec_grid *grid, struct err *e);
/* Data of device memory has been copied: it may now be in the second-level cache (gpu_copied). */
void cuda_engine_copied(struct cuda_engine *g, enum gpu_copy kind, uint64_t address, uint64_t bytes);
double cuda_engine_event(const struct cuda_engine *g); /* how long one takes, in ns */
/* Counts a copy or fill of that many bytes; how long it takes, in ns. */
enum cuda_traffic { CUDA_TRAFFIC_HOST, CUDA_TRAFFIC_DEVICE };
double cuda_engine_copy(struct cuda_engine *g, uint64_t bytes, enum cuda_traffic traffic);
/* Ends a program that `heddle run` has started because its settings make no GPU, and says so in the report; does nothing if
 * that is not so. */
void cuda_engine_refuse(const struct cuda_engine *g, const struct err *e);
/* Ends the program because a signal came while no kernel was running; does nothing if there is no timed GPU. */
void cuda_engine_stop(struct cuda_engine *g);
/* Writes the report, if one was asked for, and gives back what the engine holds. */
void cuda_engine_clear_line(struct cuda_engine *g); /* before something is printed: the terminal's line is the printer's alone */
void cuda_engine_finish(struct cuda_engine *g);

#endif
