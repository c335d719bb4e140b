/* The GPU put together from a configuration: SMs, networks, L2 slices, DRAM channels, clock domains, and the loop that
 * visits whoever has something to do.
 *
 * Owns: all components and time. Does not: have a latency of its own, or know CUDA. Several grids may be there at once
 * (resident.h); a grid has ended when its last store has been acknowledged. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/cfg.h"
#include "base/err.h"
#include "base/stat.h"
#include "exec/exec.h"

#include <signal.h>

/* ---- configuration ---------------------------------------------------------------------------------------------------- */

/* Every key of every room. */
struct cfg *gpu_cfg_new(void);
/* Applies a preset by name ("gtx480"), or a file if the name contains a slash or ends in .toml. An unknown name is an
 * error that offers the nearest. */
bool gpu_cfg_preset(struct cfg *c, const char *name, struct err *e);
const char *const *gpu_preset_names(size_t *n);
/* First comment line of the preset: what it is. */
const char *gpu_preset_summary(const char *name);
/* How modules are to be loaded for this GPU: enum exec_load_flags. */
unsigned gpu_load_flags(const struct cfg *c);

/* ---- running ------------------------------------------------------------------------------------------------------------ */

struct gpu;
struct gpu *gpu_new(const struct cfg *cfg, struct err *e);
void gpu_delete(struct gpu *g);
/* Threads of the host that it has: fewer than gpu.threads asks for where there are fewer CPUs; and how many it used, in the
 * mean over the time of its runs. */
unsigned gpu_threads(const struct gpu *g);
double gpu_threads_used(const struct gpu *g);

struct gpu_limits {
  uint64_t max_instructions, max_cycles; /* of the whole run; 0: none */
  volatile sig_atomic_t *stop;           /* set by a signal handler or another thread: end as if a limit was reached */
};
void gpu_set_limits(struct gpu *g, const struct gpu_limits *l);
/* Called now and then while a grid runs, with totals so far; for a progress line. */
void gpu_set_progress(struct gpu *g, void (*fn)(void *user, uint64_t instructions, uint64_t cycles), void *user);

/* What else to record; set before the first grid. Costs nothing where it is not asked for. */
enum { GPU_STABLE_INTERVALS = 5, GPU_STABLE_CYCLES = 10000 /* interval where none is given */ };
enum { GPU_DETAIL_CYCLES = 128 /* interval to begin with */, GPU_DETAIL_ROWS = 200 };
struct gpu_watch {
  uint64_t interval;     /* core cycles a row of gpu_interval_at; 0: none */
  double stable_percent; /* stop when the IPC of a kernel's last GPU_STABLE_INTERVALS varies by less; 0: no */
  bool profile;          /* rows of gpu_line_at and gpu_listing_at */
  bool detail;           /* what each SM, slice and channel counts in an interval, and gpu_cta_at; without an interval, one that
                            leaves GPU_DETAIL_ROWS to twice as many rows of a run of one kernel */
  uint64_t trace_bytes;  /* size of the file that gpu_write_trace is to fill at most; 0: there is none */
};
void gpu_set_watch(struct gpu *g, const struct gpu_watch *w);
/* Lets CTAs of long kernels be executed without timing where the 95 % interval of the kernel's cycles stays narrower than
 * +-error of them (waves.h); 0: all are simulated. Before the first grid. */
void gpu_set_wave_error(struct gpu *g, double error);
/* Instructions of warps, and of their threads, were executed without timing: limits of instructions count them too. */
void gpu_count_skipped(struct gpu *g, uint64_t warp_instructions, uint64_t thread_instructions);
/* Writes what has been recorded for a trace (results/trace.h): processes from `pid` on, one an SM. The clock says which picosecond
 * it is so many cycles after a busy period, the first of which is 0, has begun. Nothing may be on the GPU. */
struct trace_file;
struct gpu_trace_clock {
  uint64_t (*at)(void *user, size_t period, double cycles);
  void *user;
  unsigned pid;
};
struct gpu_trace_kept {
  size_t ctas, requests;   /* that are in it */
  uint64_t cta_step, request_step; /* one in so many is */
  uint64_t look_cycles;    /* between looks at warps */
};
struct gpu_trace_kept gpu_write_trace(struct gpu *g, const struct gpu_trace_clock *clock, struct trace_file *to);
/* Switches probes on, by a comma-separated list of names or "all" (`heddle list probes`); before the first grid. What
 * they saw is in gpu_report. */
bool gpu_set_probes(struct gpu *g, const char *names, struct err *e);
/* For tests: visits components and phases of an instant in random order, which must not change any result. */
void gpu_shuffle_visits(struct gpu *g, uint64_t seed);
/* For tests: after every instant the shadow tags of a cooperative network must be the L1Ds' tags, or the run is broken. */
void gpu_check_shadow_tags(struct gpu *g);

enum gpu_end {
  GPU_DONE, GPU_FAULT, GPU_STOPPED /* a limit or a signal */, GPU_DEADLOCK, GPU_REFUSED, GPU_BROKEN,
  GPU_LATER, /* the time asked for was reached */
  GPU_WAITS, /* gpu_let_host_act: for the host */
  GPU_ASKS   /* a CTA waits for kernels that it has launched: exec_grid.asking of its grid is not 0 */
};
/* The exit status of a process that was ended because its GPU could not go on. */
enum {
  GPU_REFUSED_STATUS = 2, /* its keys do not go together */
  GPU_DEADLOCK_STATUS = 4,
  GPU_BROKEN_STATUS = 5,  /* counters do not add up: a mistake of ours */
};
/* Runs a grid to its end on a GPU on which there is no other. e is filled for every end but GPU_DONE; after
 * GPU_STOPPED, GPU_DEADLOCK and GPU_BROKEN every later grid is refused. */
enum gpu_end gpu_run(struct gpu *g, struct exec_grid *grid, struct err *e);

/* Several grids at once. A busy period is the time from when a grid comes to an empty GPU until no grid is left; its
 * cycles are counted from 0. Between busy periods no time passes. */
enum { GPU_MOST_CONCURRENT = 128 /* gpu.concurrent_kernels */, GPU_MAX_GRIDS = GPU_MOST_CONCURRENT + EXEC_LAUNCH_LEVELS };
struct gpu_launch {
  struct exec_grid *grid; /* the caller's, until its end has been reported */
  uint32_t program;       /* see gpu_set_programs */
  int priority;           /* of CUDA: the lower comes first */
  uint64_t after;         /* ticket of a grid that it was launched to follow before that has ended (griddepcontrol); 0: none */
};
struct gpu_finished {
  uint64_t ticket;
  uint64_t cycle;         /* of the busy period, at which it ended; after a fault: at which what it had sent was answered */
  uint64_t cycles;        /* it took */
  uint64_t more;          /* it would have taken more, had all its CTAs been simulated */
};
/* Divides the SMs among n programs, before the first grid: half of each cluster's to each of two, and so on; where a
 * cluster has fewer SMs than there are programs, whole clusters in turn. A program's grids use its SMs only. */
enum { GPU_MAX_PROGRAMS = 8 };
bool gpu_set_programs(struct gpu *g, uint32_t n, struct err *e);
/* Whether this grid may come (gpu.concurrent_kernels; one that others wait for finds a slot more for each of them, so that they do not keep
 * it from running). */
bool gpu_has_slot(const struct gpu *g, const struct exec_grid *grid);
/* A grid comes now; GPU_DONE or GPU_REFUSED. */
enum gpu_end gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e);
/* Lets time pass until a grid ends (GPU_DONE, GPU_FAULT: f says which) or that cycle of the busy period comes (GPU_LATER);
 * it must not be over. On any other end all grids are lost, as after gpu_run. Where no grid is on the GPU: GPU_LATER.
 * GPU_WAITS (f says at which cycle): nothing is lost; all wait, and one of them looks at memory that the host writes.
 * GPU_ASKS (f says at which cycle): nothing is lost; what the CTA has launched is to be run (exec/run/device_wait.h). */
enum gpu_end gpu_advance(struct gpu *g, uint64_t until, struct gpu_finished *f, struct err *e);

/* What this CTA has launched has ended: it goes on. Nothing happens if it is gone. */
void gpu_children_ended(struct gpu *g, const struct exec_grid *grid, uint64_t cta);

/* Whether gpu_advance answers GPU_WAITS from now on; otherwise, and at first, such a wait is a deadlock. */
void gpu_let_host_act(struct gpu *g, bool yes);

/* For tests: lines in L2 with bytes that DRAM does not have. */
uint64_t gpu_dirty_lines(const struct gpu *g);
/* Ends the run where it stands: grids that are on the GPU are counted as far as they have come, and none comes after. */
void gpu_abandon(struct gpu *g);
/* The same, and the run is called stopped; e is filled with the words. */
void gpu_stop(struct gpu *g, const char *why, struct err *e);

/* So many sixteenths of L2 are set aside for lines that persist (l2.set_aside at most); and makes those there are lines like others. */
void gpu_set_aside(struct gpu *g, uint32_t sixteenths);
void gpu_unkeep_lines(struct gpu *g);

/* Data that is copied passes through L2 (keys l2.fill_on_copy, l2.copies); the address is in device memory, of what was written unless
 * the copy was to the host. */
enum gpu_copy { GPU_COPY_IN, GPU_COPY_OUT, GPU_COPY_WITHIN }; /* from the host, to the host, within device memory */
void gpu_copied(struct gpu *g, enum gpu_copy kind, uint64_t address, uint64_t bytes);

/* ---- results ------------------------------------------------------------------------------------------------------------- */

struct gpu_kernel { /* one launch; or several of one name, see gpu_set_row_limit */
  uint64_t launches;
  char *name;              /* owned: a module may be unloaded before its launches are reported */
  uint64_t ticket;
  uint64_t start;          /* gpu_cycles when it came */
  uint64_t cycles;         /* core cycles from first CTA to last acknowledgement */
  uint64_t *counters;      /* stats_count() differences; of all that ran meanwhile */
  uint64_t skipped_ctas;   /* executed without timing (waves.h): cycles and counters are estimates then */
  double *doubt;           /* NULL: none; half widths of the 95 % intervals of cycles and of each counter */
  bool beside;             /* other grids did */
  uint32_t program;
  uint64_t warp_instructions, thread_instructions;
  uint32_t grid[3], block[3];
  uint32_t registers, shared; /* of a thread, and bytes of a CTA */
  uint32_t ctas_per_sm;    /* that an SM can hold */
};
struct gpu_program {
  uint64_t cycles;         /* in which a grid of it was on the GPU */
  uint64_t warp_instructions, thread_instructions; /* of its grids that ended */
  uint32_t sms, kernels;
};
uint32_t gpu_programs(const struct gpu *g);
const struct gpu_program *gpu_program_at(const struct gpu *g, uint32_t i);
uint32_t gpu_program_of(const struct gpu *g, uint32_t sm);
struct llc_share;
struct llc_share gpu_program_l2(const struct gpu *g, uint32_t i); /* its accesses, of all slices; see llc/llc_share.h */
const struct stats *gpu_stats(const struct gpu *g);
/* Statistics first <= i < end have one instance an SM. */
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
/* Statistics that intervals have of each SM, L2 slice or DRAM channel, and how many of these there are. */
enum { GPU_EACH = 4 };
extern const char *const gpu_each_stats[GPU_EACH];
size_t gpu_each_instances(const struct stats *s, unsigned k);

enum { GPU_LINE_STALLS = 10 };
struct gpu_line {          /* of source */
  const char *file, *function, *instruction; /* the last two: of its first instruction seen */
  uint32_t line;
  uint32_t ptx_line;                       /* in a listing: its own number, while file and line are where it comes from */
  uint64_t executions, lanes;              /* warp instructions, and lanes whose guard was true, summed */
  uint64_t accesses, transactions, hits;   /* global and local memory instructions, their lines, found in L1D */
  uint64_t sectors;                        /* of 32 bytes in those lines that threads asked for */
  uint64_t loads, latency;                 /* completed loads, and their core cycles */
  uint64_t stalls[GPU_LINE_STALLS];        /* by gpu_stall_name */
};
struct gpu_cta {           /* one that has ended, or left because it waits for kernels (children.c); then the rest is another */
  uint64_t ticket;         /* of its grid: gpu_kernel.ticket */
  uint64_t start, cycles;  /* gpu_cycles when it was dispatched; until its slot was free */
  uint16_t sm, slot;       /* CTA slot of the SM */
};
/* In the order of their ends. Of many, one of gpu_cta_step() is kept. */
enum { GPU_MOST_CTAS = 40000 };
bool gpu_detailed(const struct gpu *g); /* gpu_watch.detail */
size_t gpu_ctas(const struct gpu *g);
const struct gpu_cta *gpu_cta_at(const struct gpu *g, size_t i);
uint64_t gpu_cta_step(const struct gpu *g);

size_t gpu_lines(const struct gpu *g);
const struct gpu_line *gpu_line_at(const struct gpu *g, size_t i);
struct gpu_listing {       /* the PTX of a function that ran, with the cost of its lines */
  const char *function, *text; /* its part of the module's text; NULL: modules did not keep theirs (EXEC_KEEP_TEXT) */
  uint32_t first;          /* number of its first line in the module */
  struct gpu_line *lines;  /* those that were executed or waited at, in their order */
  size_t n, room;
};
size_t gpu_listings(const struct gpu *g);
const struct gpu_listing *gpu_listing_at(const struct gpu *g, size_t i);
struct probe_set;
struct probe_set *gpu_probes(const struct gpu *g); /* NULL: none */
const char *gpu_stall_name(size_t i); /* "memory"; NULL: not a stall (the slot was used) */

/* After that many launches have a gpu_kernel each, older ones beyond them are summed into one a kernel's name (gpu_folded_at): memory does
 * not grow with launches. The newest launch is always gpu_kernels() - 1. 0, as at the beginning: each has its own. */
enum { GPU_MOST_ROWS = 5000 /* what reports have */ };
void gpu_set_row_limit(struct gpu *g, size_t launches);
size_t gpu_folded(const struct gpu *g);
const struct gpu_kernel *gpu_folded_at(const struct gpu *g, size_t i);
size_t gpu_kernels(const struct gpu *g);
const struct gpu_kernel *gpu_kernel_at(const struct gpu *g, size_t i);
uint64_t gpu_cycles(const struct gpu *g); /* in which there was a grid, to the end of the last busy period */
uint64_t gpu_core_hz(const struct gpu *g);
const struct cfg *gpu_config(const struct gpu *g);

/* Device properties that follow from the configuration. */
struct gpu_shape {
  uint32_t sms, threads, warps, ctas, registers, register_unit, shared_bytes, shared_reserved;
  uint64_t core_hz, memory_hz, l2_bytes;
};
struct gpu_shape gpu_shape(const struct cfg *c);
/* Threads of the host that a run uses: gpu.threads, or as many as there are CPUs. */
unsigned gpu_host_threads(const struct cfg *c);
/* Whether an SM of such a GPU can hold a CTA of the grid; false says what it has too little of. */
bool gpu_cta_fits(const struct gpu_shape *s, const struct exec_grid *g, struct err *e);
/* CTAs of the grid that such a GPU holds at once. */
uint64_t gpu_ctas_at_once(const struct gpu_shape *s, const struct exec_grid *g);
/* The same where there is no time: registers count only if the kernel itself says how many it has (.maxnreg). The reader's number is
 * not ptxas's, and CTAs of which a program knows that they fit wait for each other. */
uint64_t gpu_ctas_untimed(const struct gpu_shape *s, const struct exec_grid *g);

#endif
