/* What a GPU is made of, for the files of this room that are one GPU's code: assemble.c puts it together, instant.c visits its
 * components at one time, run_loop.c goes from time to time, grids.c brings kernels and takes them away, children.c has CTAs make room
 * that wait for kernels, llc_hooks.c does what a change of the L2's mode asks, gpu.c answers the caller's questions. Nobody else sees
 * the struct: components know their neighbours' ports only, and callers have gpu.h. */
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

/* Each number of a set of words, from `from` on and below `to`. */
#define GPU_FOR_SET(i, words, from, to)                                                                                   \
  for (uint32_t w_ = (from) / 64, i; w_ * 64 < (to); w_++)                                                             \
    for (uint64_t left_ = gpu_part_of((words)[w_], w_, (from), (to));                                                  \
         left_ && (i = w_ * 64 + (uint32_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)

/* Those of word w that are from `from` on and below `to`. */
static inline uint64_t gpu_part_of(uint64_t all, uint32_t w, uint32_t from, uint32_t to) {
  if (w * 64 < from) all &= UINT64_MAX << from % 64;
  if (to - w * 64 < 64) all &= UINT64_MAX >> (64 - to % 64);
  return all;
}

/* Components of one kind by number, 64 a word: those that may not be asleep, those of them that are due at the next instant, and when
 * each is (mem_wake.copy). */
struct gpu_set {
  uint64_t *words, *due;
  uint32_t n;        /* words */
  uint32_t from, to; /* components between which all are that are due */
  uint64_t *at;
};

/* A thread's share of the SMs and slices: a range of each with as many that are due as every other share has, so that it
 * moves little from instant to instant and the thread's cache keeps its components. */
struct gpu_member {
  _Alignas(GPU_CACHE_LINE) uint64_t *changed; /* set of SMs with something to commit, in cache lines of its own */
  bool any_changed;                           /* it is not empty */
  uint32_t sms_to, slices_to;                 /* first that are the next member's */
};

/* CTAs of an SM that have ended and still hold their places, and until when, the earliest first. */
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
  struct mem_port *sm_in; /* reply ports, one an SM */
  uint64_t *sm_stamps;    /* sm.stamp, one an SM */
  struct llc_slice **slices;
  uint64_t *slice_stamps; /* llc_slice.stamp, one a slice */
  uint64_t *slices_checked; /* stamps at which conservation was last found to hold */
  struct reply_filter *filters; /* one a slice */
  struct gpu_packing packing;
  struct dram_channel **channels;
  struct llc_control *llc; /* the mode of the slices */
  uint32_t n_sms, n_slices, n_channels;
  uint64_t core, noc, l2, dram; /* periods in ticks */
  uint64_t now;
  struct gpu_team *team;
  struct gpu_pace pace;     /* how many of it are used */
  struct gpu_member *members;
  struct {
    struct gpu_set sms, slices, channels;
  } awake;                  /* those that may be due some time: mem_wake_at puts in, who is found asleep is taken out */
  uint32_t due_sms, due_slices, due_channels; /* at the next instant */
  struct gpu_feedback feedback;

  uint64_t *cta_stats;      /* what only the CTA scheduler counts */
  uint32_t clusters;
  uint32_t gpc_sms;         /* SMs of a GPC; 0: all are one */
  uint32_t cluster_grids;   /* on the GPU, whose CTAs are in clusters */
  uint32_t n_back;          /* CTAs that come back (children.c) */
  struct gpu_residents grids;
  uint64_t *takes_from;     /* by SM: when it can be given another CTA */
  struct gpu_leaving *leaving; /* by SM: CTAs that have ended and still hold their places */
  uint8_t *program_of;      /* by SM */
  struct llc_shares *shares; /* of L2 accesses; NULL: one program */
  struct {
    struct gpu_program sum;
    uint64_t since;         /* when it last came to have grids */
    uint32_t grids;         /* on the GPU */
  } programs[GPU_MAX_PROGRAMS];
  uint32_t n_programs;
  uint64_t ctas_done;
  uint64_t dispatch_at;     /* next look for SMs with a free CTA slot, MEM_NEVER: none has */
  uint64_t cta_period;      /* ticks from the dispatch of a CTA to the next (gpu.cta_rate); 0: as many a cycle as SMs take */
  uint64_t cta_next;        /* when the next may be */
  uint64_t end_period;      /* ticks from dealing with the end of a CTA to the next (gpu.cta_end_rate); 0: it takes no time */
  uint64_t end_next;        /* when the next may be dealt with */
  bool cta_turns;           /* SMs are asked from the one after the last that got a CTA, of any grid */
  uint32_t cta_turn;        /* that one */
  uint64_t *used_sms;       /* those with a CTA or a warmed L1D since the GPU was last without grids, as bits; others are idle and empty */
  uint32_t busy_sm;         /* where to look first for one that has something to do */
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
  uint64_t suspected;       /* since when warps are held to wait for ever (exec/run/waiting.h); 0: they are not */
  bool cold_kernels;        /* a busy period begins with an empty L2 */
  uint64_t before_run;      /* cycles of earlier busy periods */
  uint64_t start;           /* of the present busy period */
  size_t first_kernel;      /* of it */

  uint64_t until;           /* the caller's limit */
  uint64_t mark;            /* next time at which an interval, the limit of cycles or the caller's ends, or l1.bypass takes a look */
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
  bool left;                /* in the middle of a grid, which may be gone */

  double wave_error;         /* gpu_set_wave_error */
  struct {
    uint64_t warp_instructions, thread_instructions;
  } skipped;                 /* gpu_count_skipped */
  struct {
    struct exec_observer observer;
    struct gpu_followed seen;
    uint32_t *unknown;       /* by SM: lines of its L1D that are not known */
  } warm;                    /* kernels that run without timing (warm.h) */
  struct gpu_follow *follow; /* NULL: probes follow what is simulated, not what is run without timing (follow.h) */
  struct gpu_kernel *kernels;
  size_t n_kernels, kernels_cap;
  size_t row_limit;         /* gpu_set_row_limit */
  struct gpu_kernel *folded; /* launches summed, one a name */
  size_t n_folded, folded_cap;
};

/* The one way in which time passes: never back. */
static inline void gpu_pass_to(struct gpu *g, uint64_t t) {
  assert(t >= g->now);
  g->now = t;
}

/* instant.c. The next time at which anybody is due, MEM_NEVER: nobody ever will be. */
uint64_t gpu_earliest(struct gpu *g);
/* Visits everybody due at g->now, which gpu_earliest has answered. */
void gpu_instant(struct gpu *g);
/* Prepares the components for g->pace.used threads. */
void gpu_use_threads(struct gpu *g);

/* children.c. CTAs that gave their places away come back, as far as there is room, or others that wait give theirs; false: one of them has
 * to wait. A grid that others wait for has found no place: CTAs that wait leave, if that helps; false: nobody did. */
bool gpu_bring_back(struct gpu *g);
bool gpu_make_room(struct gpu *g, const struct gpu_resident *r);

/* llc_hooks.c. */
struct llc_gpu gpu_llc_hooks(struct gpu *g);
/* Whether a function of the grid's is so: its kernel, or, where that calls any, one of its module's that is no kernel (calls are not
 * followed). */
bool gpu_any_function(const struct exec_grid *g, bool (*is)(const struct exec_func *f));
bool gpu_has_atomics(const struct exec_grid *g); /* of global memory */

/* run_loop.c. Lets time pass until a grid has ended (GPU_DONE), the caller's time has come (GPU_LATER), or the run cannot go on. */
enum gpu_end gpu_loop(struct gpu *g, struct gpu_resident **ended, struct err *e);
/* What is still in flight (write-backs, prefetches) arrives; not part of the kernel's time. */
void gpu_drain(struct gpu *g);
/* Brings up to now the counters that are kept up only when somebody is visited. */
void gpu_settle(struct gpu *g);
/* Finds the next mark, after anything it depends on has changed. */
void gpu_set_mark(struct gpu *g);
/* The limit of instructions that has been reached, for people; NULL: none. */
const char *gpu_limit_reached(const struct gpu *g);
/* The words for a run that is ended before its time. */
enum gpu_end gpu_stopped_by(const struct gpu *g, const char *why, struct err *e);
uint64_t gpu_cycles_now(const struct gpu *g); /* of the present busy period */
uint64_t gpu_instructions(const struct gpu *g); /* warp instructions that the SMs have executed */

#endif
