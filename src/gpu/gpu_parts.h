/* What a GPU consists of, for the files of this room that implement it: assemble.c builds it, instant.c visits its
 * components at one time, run_loop.c goes from time to time, grids.c brings kernels and takes them away, children.c
 * makes CTAs leave that wait for kernels, llc_hooks.c does what a change of the L2 mode needs, gpu.c answers the
 * caller's questions. No other code sees the struct: components know only the ports to their neighbours, and callers
 * include gpu.h. */
#ifndef GPU_GPU_PARTS_H
#define GPU_GPU_PARTS_H

#include "base/rng.h"
#include "exec/observe.h"
#include "gpu/feedback.h"
#include "gpu/gpu.h"
#include "gpu/results/cta_record.h"
#include "gpu/results/intervals.h"
#include "gpu/pace.h"
#include "gpu/packing.h"
#include "gpu/results/profile.h"
#include "gpu/results/trace.h"
#include "gpu/resident.h"
#include "gpu/sample/warm.h"
#include "gpu/stale_lines.h"
#include "llc/llc_control.h"
#include "noc/noc.h"

#include <assert.h>

enum { GPU_CACHE_LINE = 64 };

/* Loops over the elements of a set (bits of words) that are at least `from` and below `to`. */
#define GPU_FOR_SET(i, words, from, to)                                                                                   \
  for (uint32_t w_ = (from) / 64, i; w_ * 64 < (to); w_++)                                                             \
    for (uint64_t left_ = gpu_part_of((words)[w_], w_, (from), (to));                                                  \
         left_ && (i = w_ * 64 + (uint32_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)

/* The elements of word w that are at least `from` and below `to`. */
static inline uint64_t gpu_part_of(uint64_t all, uint32_t w, uint32_t from, uint32_t to) {
  if (w * 64 < from) all &= UINT64_MAX << from % 64;
  if (to - w * 64 < 64) all &= UINT64_MAX >> (64 - to % 64);
  return all;
}

/* The components of one kind as sets of their numbers, 64 in a word: those that may be awake, and those of them that
 * are due at the next instant; and the time at which each is due (mem_wake.copy). */
struct gpu_set {
  uint64_t *words, *due;
  uint32_t n;        /* words */
  uint32_t from, to; /* range of numbers that contains all that are due */
  uint64_t *at;
};

/* A thread's share of the SMs and slices: a range of each, chosen so that all shares have equally many that are due.
 * The ranges move little from instant to instant, so each thread's cache keeps its components. */
struct gpu_member {
  _Alignas(GPU_CACHE_LINE) uint64_t *changed; /* set of SMs with something to commit, in cache lines that no other thread uses */
  bool any_changed;                           /* it is not empty */
  uint32_t sms_to, slices_to;                 /* the first SM and slice of the next member */
};

/* The CTAs of an SM that have ended but still hold their places, with the times until when, the earliest first. */
struct gpu_leaving {
  uint32_t n;
  uint64_t until[SM_MAX_CTAS];
};

struct gpu {
  struct cfg *cfg;
  struct stats *stats;
  struct mem_pool *pool;
  struct mem_map *map;
  struct noc_fabric fabric;
  struct coop *coop; /* NULL: none */
  struct gpu_stale *stale; /* NULL: L1Ds are coherent */
  struct sm_config *sm_config;
  struct sm *sms;
  struct mem_port *sm_in; /* reply ports, one for each SM */
  uint64_t *sm_stamps;    /* sm.stamp of each SM */
  struct llc_slice **slices;
  uint64_t *slice_stamps; /* llc_slice.stamp of each slice */
  uint64_t *slices_checked; /* the stamps when conservation was last checked */
  struct reply_filter *filters; /* one for each slice */
  struct gpu_packing packing;
  struct dram_channel **channels;
  struct llc_control *llc; /* the mode of the slices */
  uint32_t n_sms, n_slices, n_channels;
  uint64_t core, noc, l2, dram; /* periods in ticks */
  uint64_t now;
  struct gpu_team *team;
  struct gpu_pace pace;     /* how many threads of the team are used */
  struct gpu_member *members;
  struct {
    struct gpu_set sms, slices, channels;
  } awake;                  /* components that may be awake: mem_wake_at adds them, and one found asleep is removed */
  uint32_t due_sms, due_slices, due_channels; /* at the next instant */
  struct gpu_feedback feedback;

  uint64_t *cta_stats;      /* counters of the CTA scheduler's own statistics */
  uint32_t clusters;
  uint32_t gpc_sms;         /* SMs of a GPC; 0: all are one */
  uint32_t cluster_grids;   /* grids on the GPU whose CTAs are in clusters */
  uint32_t n_back;          /* CTAs that come back (children.c) */
  struct gpu_residents grids;
  uint64_t *takes_from;     /* by SM: time from which it can be given another CTA */
  struct gpu_leaving *leaving; /* by SM: CTAs that have ended and still hold their places */
  uint8_t *program_of;      /* by SM */
  struct llc_shares *shares; /* L2 accesses of each program; NULL: there is only one */
  struct {
    struct gpu_program sum;
    uint64_t since;         /* when it last went from no grid to one */
    uint32_t grids;         /* on the GPU */
  } programs[GPU_MAX_PROGRAMS];
  uint32_t n_programs;
  uint64_t ctas_done;
  uint64_t dispatch_at;     /* when SMs are next asked whether they have a free CTA slot; MEM_NEVER: none has */
  uint64_t cta_period;      /* ticks between the dispatches of two CTAs (gpu.cta_rate); 0: no limit */
  uint64_t cta_next;        /* time of the next dispatch at the earliest */
  uint64_t end_period;      /* ticks that dealing with the end of a CTA takes (gpu.cta_end_rate); 0: none */
  uint64_t end_next;        /* time at which the next end is dealt with at the earliest */
  bool cta_turns;           /* SMs are asked in turn, beginning after the one that last got a CTA of any grid */
  uint32_t cta_turn;        /* the SM that is asked first */
  uint64_t *used_sms;       /* set of SMs that had a CTA or a warmed L1D since the GPU last had no grid; others are idle and empty */
  uint32_t busy_sm;         /* where to look first for an SM that has something to do */
  uint64_t launch_latency, end_latency; /* ticks */

  struct gpu_limits limits;
  void (*progress)(void *user, uint64_t instructions, uint64_t cycles);
  void *progress_user;
  uint64_t watchdog;
  bool host_acts;           /* gpu_let_host_act */
  uint64_t max_thread_instructions; /* 0: none */
  uint64_t turns;           /* of the loop, all busy periods together */
  uint64_t last_progress, last_instructions, last_packets, last_change;
  uint64_t last_turns;      /* when lanes were last given a turn because nothing had changed */
  uint64_t suspected;       /* since when warps have been suspected to wait for ever (exec/run/waiting.h); 0: they are not */
  bool cold_kernels;        /* a busy period begins with an empty L2 */
  uint64_t before_run;      /* cycles of earlier busy periods */
  uint64_t start;           /* of the present busy period */
  size_t first_kernel;      /* the first launch of the present busy period */

  uint64_t until;           /* the caller's limit */
  uint64_t mark;            /* next time at which an interval or a limit of cycles ends, or a snapshot for l1.bypass is due */
  struct gpu_intervals intervals;
  bool profiling;
  struct gpu_profile profile;
  struct gpu_cta_record ctas;
  struct gpu_trace *trace;  /* NULL: none */
  struct probe_set *probes; /* NULL: none */
  size_t first_sm_stat, end_sm_stats;
  struct rng shuffle;       /* state 0: visits are in order */
  bool check_shadows;       /* compare copies of tags after every instant */
  char *stopped;
  bool left;                /* the run was left in the middle of a grid, which may no longer exist */

  double wave_error;         /* gpu_set_wave_error */
  struct {
    uint64_t warp_instructions, thread_instructions;
  } skipped;                 /* gpu_count_skipped */
  struct {
    struct exec_observer observer;
    struct gpu_followed seen;
    uint32_t *unknown;       /* by SM: number of lines of its L1D that are not known */
  } warm;                    /* kernels that run without timing (warm.h) */
  struct gpu_follow *follow; /* NULL: probes follow what is simulated, not what is run without timing (follow.h) */
  struct gpu_kernel *kernels;
  size_t n_kernels, kernels_cap;
  size_t row_limit;         /* gpu_set_row_limit */
  struct gpu_kernel *folded; /* sums of older launches, one for each kernel name */
  size_t n_folded, folded_cap;
};

/* The only way in which time passes; it never goes back. */
static inline void gpu_pass_to(struct gpu *g, uint64_t t) {
  assert(t >= g->now);
  g->now = t;
}

/* instant.c. The next time at which a component is due; MEM_NEVER: none ever will be. */
uint64_t gpu_earliest(struct gpu *g);
/* Visits all components due at g->now, the time that gpu_earliest returned. */
void gpu_instant(struct gpu *g);
/* Prepares the components for g->pace.used threads. */
void gpu_use_threads(struct gpu *g);

/* children.c. gpu_bring_back: CTAs that gave up their places come back if there is room, or if waiting CTAs give up
 * theirs; false: one of them must go on waiting. gpu_make_room: a grid that others wait for has found no place, so
 * waiting CTAs leave if that helps; false: none did. */
bool gpu_bring_back(struct gpu *g);
bool gpu_make_room(struct gpu *g, const struct gpu_resident *r);

/* llc_hooks.c. */
struct llc_gpu gpu_llc_hooks(struct gpu *g);
/* Whether `is` holds for a function of the grid: its kernel or, if that makes calls, any function of its module that
 * is not a kernel (calls are not followed). */
bool gpu_any_function(const struct exec_grid *g, bool (*is)(const struct exec_func *f));
bool gpu_has_atomics(const struct exec_grid *g); /* of global memory */

/* run_loop.c. Lets time pass until a grid has ended (GPU_DONE), the caller's limit has come (GPU_LATER), or the run cannot go on. */
enum gpu_end gpu_loop(struct gpu *g, struct gpu_resident **ended, struct err *e);
/* Lets what is still in flight (write-backs, prefetches) arrive, which does not count as the kernel's time. */
void gpu_drain(struct gpu *g);
/* Brings counters up to date that otherwise change only when a component is visited. */
void gpu_settle(struct gpu *g);
/* Computes the next mark (g->mark); to be called after anything that it depends on has changed. */
void gpu_set_mark(struct gpu *g);
/* A sentence about the limit of instructions that has been reached; NULL: none has. */
const char *gpu_limit_reached(const struct gpu *g);
/* Fills e for a run that is ended early, and returns its end. */
enum gpu_end gpu_stopped_by(const struct gpu *g, const char *why, struct err *e);
uint64_t gpu_cycles_now(const struct gpu *g); /* of the present busy period */
uint64_t gpu_instructions(const struct gpu *g); /* warp instructions that the SMs have executed */

#endif
