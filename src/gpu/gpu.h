/* The GPU built from a configuration: SMs, networks, L2 slices, DRAM channels, clock domains, and the loop that
 * visits the components that have something to do.
 *
 * Owns: all components and time. Does not: have a latency of its own, or know CUDA. Several grids may be on the GPU
 * at once (resident.h); a grid has ended when its last store has been acknowledged. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"
#include "exec/exec.h"

#include <signal.h>

/* ---- configuration ---------------------------------------------------------------------------------------------------- */

/* A configuration with the keys of all rooms at their defaults. */
struct cfg *gpu_cfg_new(void);
/* Applies a preset by name ("gtx480"), or a file if the name contains a slash or ends in .toml. For an unknown name
 * the error suggests the nearest one. */
bool gpu_cfg_preset(struct cfg *c, const char *name, struct err *e);
const char *const *gpu_preset_names(size_t *n);
/* What a preset is: the first comment line of its file. */
const char *gpu_preset_summary(const char *name);
/* How modules must be loaded for this GPU, as enum exec_load_flags. */
unsigned gpu_load_flags(const struct cfg *c);

/* ---- running ------------------------------------------------------------------------------------------------------------ */

struct gpu;
struct gpu *gpu_new(const struct cfg *cfg, struct err *e);
void gpu_delete(struct gpu *g);
/* gpu_threads: the host threads that it has, which are fewer than gpu.threads if there are fewer CPUs.
 * gpu_threads_used: how many it used, averaged over the time of its runs. */
unsigned gpu_threads(const struct gpu *g);
double gpu_threads_used(const struct gpu *g);

struct gpu_limits {
  uint64_t max_instructions, max_cycles; /* of the whole run; 0: none */
  volatile sig_atomic_t *stop;           /* set by a signal handler or another thread: end the run as if a limit were reached */
};
void gpu_set_limits(struct gpu *g, const struct gpu_limits *l);
/* Sets a function that is called from time to time while a grid runs, with the totals so far, for a progress line. */
void gpu_set_progress(struct gpu *g, void (*fn)(void *user, uint64_t instructions, uint64_t cycles), void *user);

/* What else to record; set before the first grid. What is not asked for costs nothing. */
enum { GPU_STABLE_INTERVALS = 5, GPU_STABLE_CYCLES = 10000 /* interval where none is given */ };
enum { GPU_DETAIL_CYCLES = 128 /* interval to begin with */, GPU_DETAIL_ROWS = 200 };
struct gpu_watch {
  uint64_t interval;     /* core cycles of a row of gpu_interval_at; 0: no rows */
  double stable_percent; /* stop when the IPC of a kernel's last GPU_STABLE_INTERVALS varies by less; 0: no */
  bool profile;          /* rows of gpu_line_at and gpu_listing_at */
  bool detail;           /* gpu_cta_at, and the counts of each SM, slice and channel by interval; if `interval` is 0, one is
                            chosen that gives a run of one kernel GPU_DETAIL_ROWS to twice as many rows */
  uint64_t trace_bytes;  /* largest size of the file that gpu_write_trace will write; 0: there is no trace */
};
void gpu_set_watch(struct gpu *g, const struct gpu_watch *w);
/* Lets CTAs of long kernels be executed without timing as long as the 95 % interval of the kernel's cycles stays
 * within +-error of them (waves.h); 0: all are simulated. To be called before the first grid. */
void gpu_set_wave_error(struct gpu *g, double error);
/* Counts instructions, of warps and of threads, that were executed without timing, since limits of instructions include them. */
void gpu_count_skipped(struct gpu *g, uint64_t warp_instructions, uint64_t thread_instructions);
/* Writes what has been recorded for a trace (results/trace.h), with one process for each SM, numbered from `pid` on.
 * The clock converts cycles since the begin of a busy period (`period`; the first is 0) into picoseconds. Nothing may
 * be on the GPU. */
struct trace_file;
struct gpu_trace_clock {
  uint64_t (*at)(void *user, size_t period, double cycles);
  void *user;
  unsigned pid;
};
struct gpu_trace_kept {
  size_t ctas, requests;   /* how many are in the trace */
  uint64_t cta_step, request_step; /* one in this many is */
  uint64_t look_cycles;    /* core cycles between two looks at the warps */
};
struct gpu_trace_kept gpu_write_trace(struct gpu *g, const struct gpu_trace_clock *clock, struct trace_file *to);
/* Switches probes on, by a comma-separated list of names (`heddle list probes`) or "all"; before the first grid.
 * Their results are in gpu_report. */
bool gpu_set_probes(struct gpu *g, const char *names, struct err *e);
/* For tests: visits the components and phases of an instant in random order, which must not change any result. */
void gpu_shuffle_visits(struct gpu *g, uint64_t seed);
/* For tests: checks after every instant that the shadow tags of a cooperation network agree with the L1Ds' tags, and
 * ends the run with GPU_BROKEN if not. */
void gpu_check_shadow_tags(struct gpu *g);

enum gpu_end {
  GPU_DONE, GPU_FAULT, GPU_STOPPED /* a limit or a signal */, GPU_DEADLOCK, GPU_REFUSED, GPU_BROKEN,
  GPU_LATER, /* the cycle that the caller gave was reached */
  GPU_WAITS, /* it waits for the host (gpu_let_host_act) */
  GPU_ASKS   /* a CTA waits for kernels that it has launched: exec_grid.asking of its grid is not 0 */
};
/* The exit status of a process that ends because its GPU cannot go on. */
enum {
  GPU_REFUSED_STATUS = 2, /* its keys contradict each other */
  GPU_DEADLOCK_STATUS = 4,
  GPU_BROKEN_STATUS = 5,  /* counters do not add up: a bug of the simulator */
};
/* Runs a grid to its end on a GPU that has no other grid. e is filled for every end except GPU_DONE; after
 * GPU_STOPPED, GPU_DEADLOCK and GPU_BROKEN every later grid is refused. */
enum gpu_end gpu_run(struct gpu *g, struct exec_grid *grid, struct err *e);

/* Several grids at once. A busy period lasts from the time when a grid comes to an empty GPU until no grid is left.
 * Its cycles are counted from 0; between busy periods no time passes. */
enum { GPU_MOST_CONCURRENT = 128 /* gpu.concurrent_kernels */, GPU_MAX_GRIDS = GPU_MOST_CONCURRENT + EXEC_LAUNCH_LEVELS };
struct gpu_launch {
  struct exec_grid *grid; /* owned by the caller; must live until its end has been reported */
  uint32_t program;       /* see gpu_set_programs */
  int priority;           /* as in CUDA: lower numbers come first */
  uint64_t after;         /* ticket of the grid on which it depends and which may not have ended yet (griddepcontrol); 0: none */
};
struct gpu_finished {
  uint64_t ticket;
  uint64_t cycle;         /* cycle of the busy period at which it ended or, after a fault, at which all that it had sent was answered */
  uint64_t cycles;        /* how long it took */
  uint64_t more;          /* how much longer it would have taken, had all its CTAs been simulated */
};
/* Divides the SMs among n programs, before the first grid: with two programs each gets half of every cluster's SMs,
 * and so on; if a cluster has fewer SMs than there are programs, they get whole clusters in turn. The grids of a
 * program use only its SMs. */
enum { GPU_MAX_PROGRAMS = 8 };
bool gpu_set_programs(struct gpu *g, uint32_t n, struct err *e);
/* Whether there is a slot for this grid (gpu.concurrent_kernels). For a grid that others wait for there is one more
 * slot for each of these, so that they do not keep it from running. */
bool gpu_has_slot(const struct gpu *g, const struct exec_grid *grid);
/* Puts a grid on the GPU now; GPU_DONE or GPU_REFUSED. */
enum gpu_end gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e);
/* Lets time pass until a grid ends (GPU_DONE or GPU_FAULT; f says which grid) or the cycle `until` of the busy period
 * comes (GPU_LATER), which must not be in the past. Without a grid on the GPU it returns GPU_LATER. GPU_WAITS (f says
 * at which cycle): all warps wait, and one of them looks at memory that the host writes. GPU_ASKS (f says at which
 * cycle): the kernels that a CTA has launched must be run (exec/run/device_wait.h). After any other end all grids are
 * lost, as after gpu_run. */
enum gpu_end gpu_advance(struct gpu *g, uint64_t until, struct gpu_finished *f, struct err *e);

/* The kernels that this CTA has launched have ended, so it goes on. Nothing happens if the CTA is gone. */
void gpu_children_ended(struct gpu *g, const struct exec_grid *grid, uint64_t cta);

/* Whether gpu_advance returns GPU_WAITS from now on; otherwise, and at first, such a wait is a deadlock. */
void gpu_let_host_act(struct gpu *g, bool yes);

/* For tests: lines in L2 with bytes that DRAM does not have. */
uint64_t gpu_dirty_lines(const struct gpu *g);
/* Ends the run where it is: grids on the GPU are counted as far as they have come, and no further grid is accepted. */
void gpu_abandon(struct gpu *g);
/* The same, with `why` as the reason for which the run was stopped; e is filled with a sentence. */
void gpu_stop(struct gpu *g, const char *why, struct err *e);

/* gpu_set_aside: sets aside this many sixteenths of L2 for persisting lines (l2.set_aside at most). gpu_unkeep_lines:
 * makes all persisting lines normal ones. */
void gpu_set_aside(struct gpu *g, uint32_t sixteenths);
void gpu_unkeep_lines(struct gpu *g);

/* Lets copied data pass through L2 (keys l2.fill_on_copy, l2.copies). The address is in device memory: the
 * destination, or the source of a copy to the host. */
enum gpu_copy { GPU_COPY_IN, GPU_COPY_OUT, GPU_COPY_WITHIN }; /* from the host, to the host, within device memory */
void gpu_copied(struct gpu *g, enum gpu_copy kind, uint64_t address, uint64_t bytes);

/* ---- results ------------------------------------------------------------------------------------------------------------- */

struct gpu_kernel { /* one launch; or the sum of several with one name, see gpu_set_row_limit */
  uint64_t launches;
  char *name;              /* owned: a module may be unloaded before its launches are reported */
  uint64_t ticket;
  uint64_t start;          /* gpu_cycles when it came */
  uint64_t cycles;         /* core cycles from first CTA to last acknowledgement */
  uint64_t *counters;      /* stats_count() differences, which include whatever ran at the same time */
  uint64_t skipped_ctas;   /* CTAs executed without timing (waves.h); if there are any, cycles and counters are estimates */
  double *doubt;           /* half widths of the 95 % intervals of cycles and of each counter; NULL: they are exact */
  bool beside;             /* other grids ran at the same time */
  uint32_t program;
  uint64_t warp_instructions, thread_instructions;
  uint32_t grid[3], block[3];
  uint32_t registers, shared; /* of a thread, and bytes of a CTA */
  uint32_t ctas_per_sm;    /* CTAs that an SM can hold */
};
struct gpu_program {
  uint64_t cycles;         /* cycles in which one of its grids was on the GPU */
  uint64_t warp_instructions, thread_instructions; /* of its grids that ended */
  uint32_t sms, kernels;
};
uint32_t gpu_programs(const struct gpu *g);
const struct gpu_program *gpu_program_at(const struct gpu *g, uint32_t i);
uint32_t gpu_program_of(const struct gpu *g, uint32_t sm);
struct llc_share;
struct llc_share gpu_program_l2(const struct gpu *g, uint32_t i); /* its accesses to all slices; see llc/llc_share.h */
const struct stats *gpu_stats(const struct gpu *g);
/* The statistics first <= i < end have one instance for each SM. */
void gpu_sm_stats(const struct gpu *g, size_t *first, size_t *end);
/* Why the run was stopped before its end, NULL if it was not. */
const char *gpu_stopped(const struct gpu *g);

struct gpu_interval {
  size_t kernel;           /* gpu_kernel_at */
  uint64_t first_cycle, cycles; /* of that kernel */
  double ipc;
  uint64_t *counters;      /* stats_count() differences */
  double *input_utilisation; /* 0 to 1, of each L2 slice's input buffer */
  uint64_t *each;          /* differences of gpu_each_stats, instance after instance; NULL: not asked for */
};
size_t gpu_intervals(const struct gpu *g);
const struct gpu_interval *gpu_interval_at(const struct gpu *g, size_t i);
uint32_t gpu_slices(const struct gpu *g);
/* The statistics that intervals have for each SM, L2 slice or DRAM channel, and the number of instances of each. */
enum { GPU_EACH = 4 };
extern const char *const gpu_each_stats[GPU_EACH];
size_t gpu_each_instances(const struct stats *s, unsigned k);

enum { GPU_LINE_STALLS = 10 };
struct gpu_line {          /* a source line */
  const char *file, *function, *instruction; /* the last two: of its first instruction seen */
  uint32_t line;
  uint32_t ptx_line;                       /* in a listing: the number of the PTX line itself; file and line say where it comes from */
  uint64_t executions, lanes;              /* warp instructions, and lanes whose guard was true, summed */
  uint64_t accesses, transactions, hits;   /* global and local memory instructions; lines that they touch; those of them found in L1D */
  uint64_t sectors;                        /* 32-byte sectors of these lines that threads asked for */
  uint64_t loads, latency;                 /* completed loads, and their core cycles */
  uint64_t stalls[GPU_LINE_STALLS];        /* by gpu_stall_name */
};
struct gpu_cta {           /* a CTA that has ended, or that left to wait for kernels (children.c); its rest then has another row */
  uint64_t ticket;         /* of its grid: gpu_kernel.ticket */
  uint64_t start, cycles;  /* gpu_cycles when it was dispatched; until its slot was free */
  uint16_t sm, slot;       /* CTA slot of the SM */
};
/* The recorded CTAs, in the order in which they ended. If there are many, one in gpu_cta_step() is kept. */
enum { GPU_MOST_CTAS = 40000 };
bool gpu_detailed(const struct gpu *g); /* gpu_watch.detail */
size_t gpu_ctas(const struct gpu *g);
const struct gpu_cta *gpu_cta_at(const struct gpu *g, size_t i);
uint64_t gpu_cta_step(const struct gpu *g);

size_t gpu_lines(const struct gpu *g);
const struct gpu_line *gpu_line_at(const struct gpu *g, size_t i);
struct gpu_listing {       /* the PTX of a function that ran, with the cost of its lines */
  const char *function, *text; /* its part of the module's text; NULL: modules were loaded without EXEC_KEEP_TEXT */
  uint32_t first;          /* number of its first line in the module */
  struct gpu_line *lines;  /* lines that were executed or at which warps waited, in order */
  size_t n, room;
};
size_t gpu_listings(const struct gpu *g);
const struct gpu_listing *gpu_listing_at(const struct gpu *g, size_t i);
struct probe_set;
struct probe_set *gpu_probes(const struct gpu *g); /* NULL: none */
const char *gpu_stall_name(size_t i); /* "memory"; NULL: not a stall (the slot was used) */

/* Limits the number of launches that have a gpu_kernel of their own; older ones are summed, with one gpu_kernel for
 * each kernel name (gpu_folded_at), so that memory does not grow with the number of launches. The newest launch is
 * always gpu_kernels() - 1. 0, as at first: no limit. */
enum { GPU_MOST_ROWS = 5000 /* what reports have */ };
void gpu_set_row_limit(struct gpu *g, size_t launches);
size_t gpu_folded(const struct gpu *g);
const struct gpu_kernel *gpu_folded_at(const struct gpu *g, size_t i);
size_t gpu_kernels(const struct gpu *g);
const struct gpu_kernel *gpu_kernel_at(const struct gpu *g, size_t i);
uint64_t gpu_cycles(const struct gpu *g); /* cycles in which there was a grid, until the end of the last busy period */
uint64_t gpu_core_hz(const struct gpu *g);
const struct cfg *gpu_config(const struct gpu *g);

/* Device properties that follow from the configuration. */
struct gpu_shape {
  uint32_t sms, threads, warps, ctas, registers, register_unit, shared_bytes, shared_reserved;
  uint64_t core_hz, memory_hz, l2_bytes;
};
struct gpu_shape gpu_shape(const struct cfg *c);
/* Host threads that a run may use: gpu.threads, or the number of CPUs if that is less. */
unsigned gpu_host_threads(const struct cfg *c);
/* Whether an SM of such a GPU can hold a CTA of the grid; if not, e says what it has too little of. */
bool gpu_cta_fits(const struct gpu_shape *s, const struct exec_grid *g, struct err *e);
/* The number of CTAs of the grid that such a GPU can hold at once. */
uint64_t gpu_ctas_at_once(const struct gpu_shape *s, const struct exec_grid *g);
/* The same for a run without timing. Registers then count only if the kernel itself says how many it has (.maxnreg):
 * the number that the PTX reader finds is not that of ptxas, and a program may rely on CTAs being there together that
 * would fit on a real GPU. */
uint64_t gpu_ctas_untimed(const struct gpu_shape *s, const struct exec_grid *g);

#endif
