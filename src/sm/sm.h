/* A streaming multiprocessor with timing: CTA slots, warp schedulers, scoreboard, pipelines, load/store unit.
 *
 * Where possible, time is kept in stamps instead of stages. When an instruction issues, the cycle at which its result is ready is known,
 * except for memory instructions. A warp therefore knows the first cycle in which it can issue again, and an SM in which no warp can issue
 * is not visited until one can, or until a reply arrives. A reply that changes no warp is accepted without looking at anything but the
 * load/store unit (sm_stir). Two parts consist of real stages and are visited while they hold something: register banks, operand collectors
 * and units as in GPGPU-Sim (sm.register_banks, pipeline.h), unless all of them wait for a load/store unit that is itself waiting; and
 * instruction buffers (sm.instruction_buffer, sm_buffer.c).
 *
 * The load/store unit works on one warp instruction at a time, in order, with as many L1D accesses per cycle as there are tag ports
 * (l1.tags_per_cycle). A reservation failure stops it until something changes. Accesses may pass through the queues of l1.bypass, or wait
 * for l1.latency behind the unit (l1.tag_queue).
 *
 * Owns: the exec state of its CTAs, its L1D and its read-only caches. Packets leave and arrive through two ports, and through a node of the
 * network between L1Ds if there is one (src/coop). The GPU tells it which slice a line belongs to (slice_of). Between visits the GPU starts
 * and ends CTAs, halts and resumes the SM, and flushes its caches.
 *
 * Simplified: without sm.register_banks, results never collide on the result bus, and operands are read in time, unless sm.collectors
 * limits how many instructions can wait for them (operands.h) or sm.register_ports how many registers a scheduler reads per cycle, from
 * whichever banks. Without sm.instruction_buffer, instruction fetch costs time only at a taken branch (sm.branch_latency) and on an
 * instruction-cache miss. */
#ifndef SM_SM_H
#define SM_SM_H

#include "base/policy.h"
#include "base/stat.h"
#include "base/str.h"
#include "coop/coop.h"
#include "exec/exec.h"
#include "exec/run/waiting.h"
#include "l1/l1.h"
#include "l1/readonly.h"
#include "mem/observer.h"
#include "mem/port.h"
#include "sm/coalesce.h"
#include "sm/operands.h"
#include "sm/pipeline.h"
#include "sm/readiness.h"

enum sm_side { SM_SIDE_NONE, SM_SIDE_PRODUCTS, SM_SIDE_LOGIC }; /* of the pipelines with a fixed latency */
enum { SM_WGMMA_GROUPS = 8 }; /* wgmma groups of a warp that are timed separately */
enum { SM_MAPS = 16 }; /* tensor maps that an SM keeps: sm_bulk.c */
enum { SM_COPY_GROUPS = 16 }; /* groups of asynchronous copies of a warp that are counted separately: sm_copies.c */
enum { SM_MAX_CTAS = 32, SM_MAX_SCHEDULERS = 12, SM_MAX_PIPES = 12, SM_MAX_GRIDS = 152 };

/* Kinds of instructions that cost different energy. */
enum sm_op { SM_OP_OTHER, SM_OP_INT, SM_OP_MULTIPLY, SM_OP_FP32, SM_OP_FP64, SM_OP_SFU, SM_OP_TENSOR, SM_OPS };

enum sm_stat {
  SM_S_CYCLES, SM_S_WARP_INSTRUCTIONS, SM_S_THREAD_INSTRUCTIONS, SM_S_CTAS, SM_S_LOADS, SM_S_STORES, SM_S_LOAD_LATENCY,
  SM_S_SHARED, SM_S_SHARED_CYCLES, SM_S_CONFLICTS, SM_S_SEGMENTS, SM_S_MEMORY_INSTRUCTIONS, SM_S_DUAL, SM_S_SEQUENCE, SM_S_FOLDED,
  SM_S_MISS_REPLIES, SM_S_MISS_LATENCY, SM_S_BULK_COPIES, SM_S_BULK_LINES, SM_S_DSM_BYTES,
  SM_S_WAIT_MEMORY, SM_S_WAIT_SHORT, SM_S_WAIT_RESULT, SM_S_WAIT_BARRIER, SM_S_WAIT_FENCE, SM_S_WAIT_FETCH,
  SM_S_WAIT_QUEUE, SM_S_WAIT_SHARED, SM_S_WAIT_TURN,
  SM_S_STALL_FIRST, SM_S_STALL_LAST = SM_S_STALL_FIRST + SM_STALLS - 1,
  SM_S_OP_FIRST, SM_S_OP_LAST = SM_S_OP_FIRST + SM_OPS - 1, SM_S_REGISTER_READS, SM_S_REGISTER_WRITES,
  SM_STATS
};
extern const struct stat_def sm_stat_defs[SM_STATS];
extern const struct stat_def sm_ro_stat_defs[3][RO_STATS]; /* constant, texture, instruction */
extern const struct cfg_key sm_keys[];

enum { SM_SLOW_DIV, SM_SLOW_RCP, SM_SLOW_SQRT, SM_SLOW };

struct sm_config {
  uint32_t threads, warps, ctas, registers, shared_bytes, shared_reserved, l1_shared, register_unit;
  uint32_t schedulers, warp_limit; /* 0: no limit */
  bool rotate_schedulers, own_pipes; /* see sm_config.c */
  uint32_t register_ports, cross_latency, special_latency, special_interval, literal_latency;
  uint8_t side[EXEC_UNITS]; /* enum sm_side of each unit */
  bool dual_issue;       /* a second instruction of the same warp, to another kind of unit */
  uint32_t pipes[SM_PIPES];
  uint32_t collectors;
  bool segments, store_elements, keep_l1, keep_readonly, by_opcode, shared_params, packed_code; /* see sm_config.c */
  struct sm_pipeline_config pipeline;
  uint8_t pipe[EXEC_UNITS]; /* enum sm_pipe of each unit */
  uint32_t instruction_buffer, reply_latency, exit_latency;
  bool free_at_exit;
  uint32_t atomic_parts, atomic_segment, atomic_loop, atomic_retry;
  bool atomic_passes;    /* see sm_config.c */
  uint32_t fence_latency, fence_touched, fence_far, fence_interval, fence_cta;
  bool alternate_schedulers;
  uint32_t latency[EXEC_UNITS], interval[EXEC_UNITS];
  uint32_t sequence[EXEC_UNITS]; /* issue slots that one takes */
  bool plain[EXEC_UNITS];        /* units whose plain instructions (exec_inst) take the unit's times and do nothing else */
  uint32_t param_latency;
  uint32_t shared_latency, const_latency, tex_latency, atomic_latency, branch_latency, guard_latency, fetch_latency, lsu_queue;
  uint32_t barrier_latency, barrier_interval, return_interval, control_interval, meet_interval;
  uint32_t slow[SM_SLOW], slow_double[SM_SLOW]; /* sm.slow_path.* */
  uint32_t cta_latency, cta_interval, warp_interval, cluster_latency, dsm_latency, dsm_bytes, copy_latency;
  uint32_t copy_interval, map_latency, wait_limit, wgmma_latency;
  uint32_t instruction_bytes;
  bool const_serial, merged_phases, empty_accesses, matrix_sizes; /* see sm_config.c */
  uint64_t preloaded, fetch_ahead;   /* bytes of a function's code that never miss; how far ahead code is prefetched */
  uint32_t fetch_miss, const_interval;
  uint32_t code_rate, code_step, code_jump; /* see sm_config.c */
  uint32_t match_latency, match_interval, barrier_result;
  bool unified_texture;  /* textures use the L1D */
  uint64_t cache_bytes[3]; /* constant, texture, instruction */
  uint32_t const_line;     /* bytes of a line of the constant cache */
  uint32_t reply_rate;   /* packets taken from the network a cycle */
};
bool sm_read_config(struct sm_config *c, const struct cfg *cfg, struct err *e);

/* ---- warp schedulers: one file each, listed in sm_schedulers.c ------------------------------------------------------ */

struct sm_warp_view { /* what a scheduler may read */
  uint64_t age;       /* order in which warps were started */
};
struct sm_now { /* what a scheduler that holds loads back may read in addition */
  uint64_t cycle;
  uint64_t live;      /* warp slots in use */
  uint64_t issued;    /* instructions that the SM has issued */
  const struct sm_warp_view *warps;
};
struct sm_scheduler {
  struct policy policy;
  bool of_sm; /* one state for all schedulers of an SM, instead of one each */
  /* `stats`: its own counters (policy.stats), of the SM; NULL: it has none. */
  void *(*create)(const struct cfg *cfg, unsigned n_warps, uint64_t *stats);
  void (*destroy)(void *s);
  /* One of the warps in `ready` (bit set), which can issue now; called only if ready is not 0. */
  unsigned (*pick)(void *s, uint64_t ready, const struct sm_warp_view *warps);
  /* For schedulers that hold loads back (else all NULL): the warps that may not issue a load now, and until which cycle that is so if
   * nothing happens (UINT64_MAX: for ever); a load of the warp missed L1D; L1D replaced a line that the warp had brought in. They need an
   * L1D organisation that reports its victims. */
  uint64_t (*holds)(void *s, const struct sm_now *now, uint64_t *until);
  void (*missed)(void *s, const struct sm_now *now, unsigned warp, uint64_t line);
  void (*evicted)(void *s, const struct sm_now *now, unsigned warp, uint64_t line);
};
extern const struct policy *const sm_schedulers[]; /* of sm.scheduler */

/* ---- state ------------------------------------------------------------------------------------------------------------ */

/* What every instruction needs comes first; a warp begins with a cache line of the host. */
struct __attribute__((aligned(MEM_HOST_LINE))) sm_warp {
  struct exec_warp *x;
  uint64_t *reg_ready;   /* by dependence id; MEM_NEVER: a load is outstanding */
  uint64_t not_before;   /* fetch, branch and fence delays */
  uint64_t since;        /* up to when its time has been charged (sm_waits.c) */
  uint64_t fetched;      /* instruction-cache line from which it runs, | 1 */
  uint64_t code_from;    /* when that line arrived or will arrive (sm.code_rate) */
  uint32_t outstanding;  /* outstanding loads, stores and atomics */
  uint32_t sequence;     /* issue slots that its last instruction still needs */
  uint32_t slow;         /* further core cycles that its instruction takes because of its operands (sm.slow_path.*) */
  uint16_t pipe;         /* the pipeline of its last instruction, numbered as by free_pipe */
  uint16_t cta;
  uint8_t buffered;      /* instructions in its buffer (sm.instruction_buffer) */
  bool fetching;
  bool astray;           /* the buffer is being filled with what follows `left`, where the warp has jumped away */
  bool looping;          /* it is in the loop of the atomic operation that it has issued (sm.atomic_loop) */
  bool divided;          /* the branch that it has issued divided it */
  bool fenced;           /* the fence before its next instruction has begun */
  uint8_t sequence_pipe; /* enum sm_pipe of the issue slots in `sequence` */
  struct exec_waiting waiting; /* whether it makes progress or only waits */
  uint32_t left;
  uint32_t life;         /* warps that its slot has had */
  uint64_t collected;    /* when the instruction just issued has its operands */
  uint8_t *reg_side;     /* by dependence id: enum sm_side of the instruction that wrote it; NULL without sm.cross_latency */
  uint32_t n_deps;       /* ids that reg_ready and reg_side have space for */
  uint32_t step;         /* core cycles between the issue slots of `sequence` */
  uint32_t copy_group;   /* groups of asynchronous copies that it has closed; its copies belong to the next */
  uint64_t fence_from;   /* since when it has waited for its accesses at a fence; 0: it does not wait */
  uint16_t copies[SM_COPY_GROUPS]; /* outstanding copies of each group, by the group's number */
  uint32_t bulk;         /* its outstanding bulk copies */
  uint64_t wait_until;   /* when mbarrier.try_wait answers at the latest; 0: it does not wait at one */
  uint32_t n_wgmma_groups;
  uint64_t wgmma_done;   /* when its last wgmma is complete */
  uint64_t wgmma_groups[SM_WGMMA_GROUPS]; /* when those of its closed groups are complete, by the group's number */
};

struct sm_cta {
  struct exec_cta x;
  struct sm *sm;
  uint64_t cluster_opens; /* when its cluster's barrier, which completed last, can be passed */
  bool active;
  uint8_t slots[SM_MAX_WARPS]; /* warp i of the CTA sits in this slot */
  uint64_t all_slots;           /* those slots, as bits */
  uint32_t registers, shared, threads;
  uint32_t seen_releases;
  uint64_t ends;         /* when its slot is free, once its last warp has ended (sm.exit_latency) */
  bool triggered;        /* it has executed griddepcontrol.launch_dependents */
};

/* A CTA that has given its slot to others while it waits for kernels that it launched. */
struct sm_away {
  struct sm_cta cta;
  bool comes_back; /* those kernels have ended */
};

/* A memory instruction from issue to its last byte. */
struct sm_memop {
  const struct exec_deps *deps;
  uint64_t issued;
  uint64_t data_ready;   /* when the data of the accesses that hit are ready */
  uint32_t outstanding;  /* answers still to come */
  uint32_t pc;
  uint8_t warp;
  uint32_t life;         /* which warp of the slot, by its number */
  bool sent;             /* all accesses have been accepted, or are in the queues of l1.bypass */
  bool missed;           /* an access had to wait for data from below */
  bool counts;           /* a load: latency is recorded */
  uint8_t grid;          /* exec_grid.place */
  uint16_t returns;      /* of a load that missed: further cycles of the data banks until all words are in the registers */
  int32_t bulk;          /* index in sm.bulk, of a bulk copy; -1: not one */
  bool copy;             /* asynchronous, of the warp's group with this number */
  uint8_t group;
  int32_t next_free;
};

#define SM_NO_MEMOP UINT32_MAX /* of a queue entry for whose answer nothing waits */
struct sm_lsu_entry {
  uint32_t memop;
  const struct exec_l2_window *window; /* of its grid */
  uint8_t space, kind, cache; /* enum ptx_space, mem_kind, exec_cache_op */
  uint8_t atomic;        /* MEM_ATOMIC_SUM, MEM_ATOMIC_TWICE */
  bool handed;           /* the load/store unit has received it (sm.register_banks); else always true */
  uint64_t from;         /* first time at which it may be worked on */
  uint16_t n, next;      /* segments, and the next to send */
  uint16_t cycles;       /* cycles of the banks of shared memory, or of L1D (l1.tag_stage = banks) */
  uint16_t lookups;      /* cycles of the tag banks */
  uint32_t across;       /* bytes that go to or come from the shared memory of another SM */
  bool literal;          /* a constant at a literal address (sm.literal_latency) */
  bool asked, bypasses;  /* l1.bypass has been asked about the load, and lets it bypass L1D */
  struct sm_segment seg[4 * EXEC_LANES];
};

/* A bulk copy from issue to its last byte: sm_bulk.c. */
struct sm_bulk {
  bool used;
  uint8_t kind;          /* enum mem_kind */
  uint32_t memop, n, next; /* lines, and the next one to request */
  uint64_t from;         /* when the first one can be requested */
  struct exec_line *lines;
  struct exec_signal *signals;
  uint32_t n_signals;
  const struct exec_l2_window *window; /* of its grid */
};
struct sm_signal {
  uint64_t at;
  struct exec_signal signal;
};

struct sm_tag_access { /* in l1.tag_queue */
  struct l1_request r;
  uint64_t ready;
};

/* What every visit reads comes first, then warps and stages. What all SMs have in common is in `config`. */
struct sm {
  struct mem_wake wake;
  uint64_t due;                       /* next cycle in which more than the load/store unit has work, unless it is woken before (sm_stir) */
  uint64_t differs;                   /* from then on slots are lost for another reason, which is counted from the next visit on */
  const struct sm_config *config;     /* of all SMs; its creator's */
  uint64_t *stamp;                    /* changes whenever a counter of it or of its caches may change (stats_watch) */
  uint64_t counted;                   /* time of the first cycle that is not yet in the cycle and stall counters */
  uint64_t lsu_counted;               /* the same for the refused accesses of the load/store unit */
  uint64_t live;                      /* warp slots in use */
  struct mem_port *to_net, *from_net; /* owned by the network */
  struct coop_node *coop;             /* NULL: no cooperation between L1Ds; owned by the GPU */
  const struct sm_scheduler *sched_ops;
  struct sm_profile *profile;         /* NULL: off */
  uint64_t lsu_busy;                  /* until when it is busy, with bank cycles for instance */
  uint64_t out_free;                  /* when the next packet can leave for L2 (l1.store_bytes) */
  uint64_t write_free;                /* when the next reply can be written to the registers (sm.reply_latency) */
  uint64_t owed;                      /* warp slots whose warp has ended and whose last store, or fetch, has not been answered */
  struct sm_loops *loops;             /* of floating-point additions in shared memory; NULL without sm.atomic_loop */
  struct sm_code *code;               /* when lines of code arrive; NULL without sm.code_rate */
  uint64_t fetch_retry;               /* warps whose instruction fetch found no miss resources */
  uint64_t fetch[3];                  /* warps that ask for their buffer to be filled now, in one cycle, in two (sm.instruction_buffer) */
  uint32_t last_fetched;
  uint32_t handed;                    /* instructions that the load/store unit has received from `pipeline` */
  struct sm_lsu_entry *lsu;           /* ring */
  struct sm_memop *memops;
  uint32_t lsu_head, lsu_count;
  int32_t free_memop;
  uint32_t memops_out, n_memops;
  uint32_t tag_queue_head, n_tag_queue;
  uint32_t n_ctas;
  struct sm_tag_access *tag_queue;    /* ring of l1.latency (l1.tag_queue) */
  size_t n_bulk_queue, n_signals;     /* of bulk_queue and signals */
  uint32_t n_ordered, lsu_reserved;   /* number of `ordered`; entries of the load/store queue that they will take */
  uint32_t n_done, n_triggers;        /* of `done` and `triggers` */
  uint32_t ending;                    /* CTAs whose warps have ended and that still hold their slot */
  unsigned turn;                      /* the scheduler that is asked first */
  uint8_t stalled[SM_MAX_SCHEDULERS]; /* enum sm_stall, since the last visit */
  bool lsu_stalled, l1_stalled;       /* the oldest instruction was refused; the head of l1.bypass's queues or of l1.tag_queue was */
  bool halted;                        /* issues nothing; instructions that have issued go on */
  bool slot_freed;                    /* an ended warp's last store was answered, so its slot is free; or a CTA may leave */
  bool signals_due;                   /* one of `signals` has arrived */
  uint64_t progress;                  /* counts instructions that did more than wait for another thread: exec_note_progress */
  struct mem_observers observers;     /* of its instructions and loads; L1D has its own observers */
  struct l1 l1;
  struct exec_view *view;             /* stale lines that its CTAs see; NULL: its L1D is coherent */
  uint64_t stats[SM_STATS];
  struct sm_readiness ready;
  void *sched[SM_MAX_SCHEDULERS];
  uint64_t sched_warps[SM_MAX_SCHEDULERS];
  struct sm_warp_view views[SM_MAX_WARPS];
  struct sm_warp warps[SM_MAX_WARPS];
  struct sm_pipeline pipeline;        /* in place of operands and pipe_free, with sm.register_banks */

  uint32_t id;
  struct mem_pool *pool;
  struct ro_cache constant, texture, instruction;
  uint8_t by_age[SM_MAX_WARPS];       /* live warp slots, the oldest warp first */
  uint32_t n_by_age;
  struct sm_cta ctas[SM_MAX_CTAS];
  uint32_t used_threads, used_registers, used_shared;
  struct sm_away **away;              /* CTAs that have left, in that order */
  size_t n_away, away_capacity;
  uint32_t n_back;                    /* how many of them come back as soon as there is room */
  uint64_t next_age;
  uint64_t *sched_stats;              /* counters of the scheduler's own */
  uint64_t pipe_free[SM_PIPES][SM_MAX_PIPES];
  uint64_t ports_free[SM_MAX_SCHEDULERS]; /* when a scheduler has read the registers of what it issued (sm.register_ports) */
  struct sm_operands operands;        /* operand collectors of SM_PIPE_SP */
  struct sm_bulk *bulk;               /* copies under way, in any order */
  size_t n_bulk, bulk_capacity;
  uint32_t *bulk_queue;               /* those that still have lines to request, the oldest first */
  size_t bulk_queue_capacity;
  struct {
    uint64_t map, at;                 /* generic address, and when it has arrived */
  } maps[SM_MAPS];                    /* tensor maps that were fetched (sm.map_latency) */
  uint32_t n_maps;                    /* fetched so far */
  struct sm_signal *signals;          /* under way to mbarriers */
  size_t signal_capacity;
  uint64_t dsm_free;                  /* when the next access to the shared memory of other SMs can begin */
  uint32_t opened;                    /* CTAs whose cluster barrier another SM has completed */
  uint64_t return_free[SM_MAX_SCHEDULERS]; /* when a scheduler's registers can take the next data (sm.return_interval) */
  uint64_t special_free;              /* when the next special register can be read (sm.special_interval) */
  uint64_t barrier_free;              /* when the next warp can arrive at a barrier */
  struct {
    uint64_t ends;                    /* when the last fence ends */
    uint64_t sent;                    /* when the messages of all fences so far have been sent (sm.fence_interval) */
    uint64_t touched_ends;            /* when the last fence ends before which memory was accessed */
    bool touched;                     /* memory was accessed since the last fence began */
  } fences;                           /* fences with a scope beyond the CTA: sm_fence.c */
  uint64_t params_there;              /* when the parameters that were requested last arrive (sm.param_latency) */
  uint8_t ordered[SM_MAX_SCHEDULERS]; /* warps whose instruction is executed by sm_commit */
  struct {
    uint32_t grid;                    /* exec_grid.place */
    uint32_t slot;
    uint64_t warp_instructions, thread_instructions;
  } done[SM_MAX_CTAS];                /* CTAs that have ended since the GPU last looked */
  uint32_t triggers[SM_MAX_CTAS];     /* exec_grid.place of CTAs that have let dependent grids begin since the GPU last looked */
  uint32_t grid_memops[SM_MAX_GRIDS]; /* outstanding memory instructions, by exec_grid.place */
  uint64_t own_stamp;                 /* where `stamp` points, unless the creator keeps the stamps of all SMs in one array */
  uint64_t (*slice_of)(const void *user, uint64_t line); /* to which slice a line belongs */
  const void *slice_user;
};

/* `config` was read from cfg (sm_read_config) and outlives the SM. */
bool sm_init(struct sm *s, uint32_t id, const struct sm_config *config, const struct cfg *cfg, struct mem_pool *pool, uint64_t period,
             struct err *e);
void sm_free(struct sm *s);

/* Whether a CTA of this grid fits now in addition to `leaving` more like it, which have ended and still hold their slots; the cycles from
 * the start of one CTA to the next beyond those of the dispatch; and starting a CTA. */
bool sm_fits(const struct sm *s, const struct exec_grid *g, uint32_t leaving);
uint64_t sm_start_interval(const struct sm *s, const struct exec_grid *g);
uint32_t sm_start_cta(struct sm *s, struct exec_grid *g, uint64_t linear, uint64_t now); /* returns the CTA slot */
/* CTAs of which all warps wait for kernels that they launched give up their slots if others need the room. Returns the slot of the first
 * one that does, if that makes room for a CTA of this grid (together with further ones that can leave); -1: it does not. */
int sm_who_leaves(const struct sm *s, const struct exec_grid *g, uint32_t leaving);
void sm_send_away(struct sm *s, uint32_t slot, uint64_t now);
/* The kernels that this CTA launched have ended: it goes on, or comes back to do so. False: it is not here. */
bool sm_children_ended(struct sm *s, const struct exec_grid *g, uint64_t linear, uint64_t now);
const struct exec_grid *sm_first_back(const struct sm *s); /* the grid of the CTA that comes back next; NULL: there is none */
uint32_t sm_bring_back(struct sm *s, uint64_t now);        /* starts that CTA again, for which there is room; returns its slot */
/* CTAs of this grid that an empty SM can hold. 0: never, and e says which resource is short. */
uint32_t sm_occupancy(const struct sm_config *c, const struct exec_grid *g, struct err *e);
/* Floating-point additions in shared memory, which are loops: sm_loops.c. Begins the loop of a warp (the CTA's number distinguishes words
 * of different CTAs); issues a slot of a turn and returns when it is done; whether the turn is known to be in vain by then; whether the
 * loop has another turn. */
struct sm_loops *sm_loops_new(void);
void sm_loops_begin(struct sm_loops *l, unsigned slot, unsigned cta, const struct exec_access *a);
uint64_t sm_loops_slot(struct sm_loops *l, unsigned slot, unsigned of_turn, uint64_t period, uint64_t now);
bool sm_loops_in_vain(const struct sm_loops *l, unsigned slot, unsigned of_turn);
bool sm_loops_again(const struct sm_loops *l, unsigned slot);

/* Whether an operand of the warp's next instruction, a division, reciprocal or root, makes it take the slow path: slow_path.c. */
bool sm_takes_slow_path(const struct exec_warp *w, const struct exec_inst *in);
/* Charges the time since the last call to what the warp has waited for: sm_waits.c. */
void sm_charge_wait(struct sm *s, unsigned slot, uint64_t now);
static inline void sm_count_wait(struct sm *s, unsigned slot, uint64_t now) {
  if (now > s->warps[slot].since) sm_charge_wait(s, slot, now);
}
/* Bytes of shared memory that the driver configures for a kernel (sm.l1_shared). */
uint32_t sm_carveout(const struct sm_config *c, const struct exec_grid *g);

/* One core cycle; returns when the next one is needed. Touches nothing that another SM touches, so SMs may be ticked in any order or at
 * once. Instructions whose effect other SMs can see (EXEC_ORDERED) are left for sm_commit. */
uint64_t sm_tick(struct sm *s, uint64_t now);
/* Executes those instructions and lets signals arrive; called for one SM after the other in a fixed order when all have been ticked. */
void sm_commit(struct sm *s, uint64_t now);
/* When all SMs have done so: warps that waited for a cluster barrier that another SM has completed go on. */
void sm_open_clusters(struct sm *s, uint64_t now);
/* Something that l1.bypass decides by has changed: a refused access is tried again. */
void sm_reconsider(struct sm *s, uint64_t now);
/* Holds back all further instructions until sm_resume. sm_quiet is true when everything issued before has been answered. */
void sm_halt(struct sm *s, uint64_t now);
void sm_resume(struct sm *s, uint64_t now);
bool sm_quiet(const struct sm *s);
/* No CTA is running and nothing is in flight. */
bool sm_idle(const struct sm *s);
/* Ends a grid's CTAs at once; what they have sent is still answered. Called between visits. */
void sm_cancel(struct sm *s, const struct exec_grid *g, uint64_t now);
/* Adds what the unfinished CTAs of a grid have executed so far. */
void sm_unfinished(const struct sm *s, const struct exec_grid *g, uint64_t *warp_instructions,
                   uint64_t *thread_instructions);
void sm_flush_caches(struct sm *s);
void sm_forget_code(struct sm *s); /* between kernels */
/* Brings the cycle and stall counters up to date, to the cycle before `now`, as if the SM had been visited. Called before they are read. */
void sm_settle(struct sm *s, uint64_t now);
/* For the watchdog; see sm_progress.c. Whether a warp has lanes that could run and have not had a turn since counting began (with `begin`
 * it begins now). Those lanes get the next turn. */
bool sm_owes_turns(struct sm *s, bool begin);
/* Switches on or off that the registers of waiting warps are compared; whether one of these warps only counts (exec/run/waiting.h). */
void sm_suspect(struct sm *s, bool on);
bool sm_counts(const struct sm *s);
/* Whether one of its warps polls memory that the host writes. */
bool sm_waits_for_host(const struct sm *s);
/* Describes what the SM waits for. */
void sm_explain(const struct sm *s, uint64_t now, struct str *out);

/* ---- profile: per instruction, off unless started; see sm_profile.c ------------------------------------------------- */

struct sm_profile_row { /* of one instruction */
  uint64_t executions, lanes;             /* warp instructions, and lanes whose guard was true */
  uint64_t accesses, transactions, hits;  /* of global and local memory: instructions, their lines, and lines that hit in L1D */
  uint64_t sectors;                       /* of those lines: sectors that a thread accessed */
  uint64_t loads, latency;                /* completed, and their cycles from issue to the last byte */
  uint64_t stalls[SM_STALLS];             /* issue slots lost while a warp waited to issue this instruction */
};
struct sm_profile {
  struct sm_profile_row *rows; /* by sm_pc_of, those of the running grids' modules */
  uint32_t n;
  uint32_t last[SM_MAX_WARPS];           /* row of the instruction that a warp issued last */
  uint32_t blamed[SM_MAX_SCHEDULERS];    /* row to which the present stall is charged; n: none */
};
/* Starts a profile of n instructions, with all counts at zero; 0 ends it. */
void sm_profile_start(struct sm *s, uint32_t n);
void sm_profile_grow(struct sm *s, uint32_t n); /* extends it to n instructions, which are not fewer */
void sm_profile_issue(struct sm *s, unsigned slot, uint32_t pc, uint64_t lanes);
/* A scheduler loses its issue slots for this reason from `now` on: finds the instruction to charge them to. */
void sm_profile_blame(struct sm *s, unsigned scheduler, enum sm_stall why, uint64_t now);

/* ---- observers: called only where there are some; see sm_notify.c ---------------------------------------------------- */

void sm_notify_access(struct sm *s, const struct sm_lsu_entry *e, enum l1_result r); /* reports segment e->next */
void sm_notify_memory(struct sm *s, const struct sm_lsu_entry *e, const struct exec_access *a);
/* Reports an instruction that was executed without timing to observers of `issue` and `memory` (with the lines of global memory and
 * textures). */
void sm_show_untimed(struct sm *s, const struct exec_warp *x, const struct exec_inst *in, unsigned lanes);
/* How many segments (sm.segments) an instruction executed without timing would have accessed in global memory. */
unsigned sm_untimed_segments(const struct sm *s, const struct exec_inst *in, const struct exec_access *a);
void sm_notify_issue(struct sm *s, const struct exec_inst *in, const struct exec_access *a, uint64_t lanes);

/* ---- between the files of this room ------------------------------------------------------------------------------- */

static inline uint64_t sm_after(const struct sm *s, uint64_t now, uint64_t cycles) { return now + cycles * s->wake.period; }
/* Something that issue depends on is about to change, so the cycle at `now` differs from those before. */
static inline void sm_stir(struct sm *s, uint64_t now) {
  if (now >= s->counted) sm_settle(s, now);
  if (now < s->due) s->due = now;
}
/* The same from outside a visit, for the cycle at t. */
static inline void sm_wake(struct sm *s, uint64_t t) {
  if (t < s->due) s->due = t;
  mem_wake_at(&s->wake, t);
}
void sm_leave_cta(struct sm *s, struct sm_cta *cta); /* frees its slot */
void sm_end_warp(struct sm *s, unsigned slot);
void sm_issue(struct sm *s, uint64_t now);
enum sm_stall sm_why(struct sm *s, unsigned scheduler, uint64_t now); /* it issues nothing at `now` */
/* Warps that may not issue, or may not issue loads, although they are ready: those beyond sm.warp_limit, and those that the scheduler holds
 * back. */
struct sm_hold {
  uint64_t all, loads;
  uint64_t until; /* when `loads` may change even if nothing happens */
};
struct sm_hold sm_find_held(const struct sm *s, uint64_t now);
static inline struct sm_hold sm_held(const struct sm *s, uint64_t now) {
  return s->config->warp_limit || s->sched_ops->holds ? sm_find_held(s, now) : (struct sm_hold){.until = MEM_NEVER};
}
static inline uint64_t sm_held_warps(const struct sm *s, const struct sm_hold *h) { return h->all | (h->loads & s->ready.loads); }
/* Why the warp does not issue at `now`; called only if it does not. */
enum sm_stall sm_reason(const struct sm *s, const struct sm_hold *h, unsigned slot, uint64_t now);
/* The number of an instruction in packets and profiles: its index in its module, behind those of other modules that run at the same
 * time. */
static inline uint32_t sm_pc_of(const struct exec_warp *x) {
  return x->grid->first_pc + x->frame->func->first_pc + x->pc;
}
/* The result's time is not known yet, because the instruction has not entered its unit. */
#define SM_UNKNOWN (MEM_NEVER - 1)
static inline unsigned sm_unit_of(const struct sm *s, const struct exec_inst *in) {
  return s->config->by_opcode ? in->by_opcode : in->unit;
}
/* What an instruction takes by itself: see sm_latency.c. The kind of its operations (enum sm_op) by unit; core cycles to its result, and
 * those for which it keeps its pipeline; cycles of a slow path that its operands take; pipelines of the further instructions of its
 * sequence. */
extern const uint8_t sm_op_of[EXEC_UNITS];
uint32_t sm_latency_of(const struct sm *s, const struct exec_inst *in);
uint32_t sm_interval_of(const struct sm *s, const struct exec_inst *in);
uint32_t sm_slow_cycles(const struct sm *s, const struct exec_warp *x, const struct exec_inst *in);
uint8_t sm_pipe_of_sequence(const struct sm *s, const struct exec_inst *in);
/* The warp has issued an instruction of the wgmma family: a product, or one that closes a group or waits for groups. */
void sm_order_wgmma(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now);
void sm_buffer_start(struct sm *s, unsigned slot);
void sm_buffer_end(struct sm *s, unsigned slot);
/* The warp has issued the instruction before `straight`; `jumped`: another one is its next. */
void sm_buffer_issued(struct sm *s, unsigned slot, uint32_t straight, bool jumped);
/* One cycle, after issue: fills a buffer. */
void sm_buffer_cycle(struct sm *s, uint64_t now);
void sm_buffer_answered(struct sm *s, unsigned slot);
static inline bool sm_buffers_busy(const struct sm *s) { return s->fetch[0] | s->fetch[1] | s->fetch[2]; }
/* Fences, and where a CTA waits for other grids or lets them begin: see sm_fence.c. What an issued instruction does to L1D; whether a warp
 * waits at a fence that is its next instruction, and what the fence does once it is issued; whether a warp waits for its own accesses at a
 * fence before its next instruction: if not, that fence begins. */
void sm_fence_behind(struct sm *s, const struct sm_warp *w, const struct exec_inst *in);
bool sm_waits_at_fence(const struct sm *s, const struct sm_warp *w, const struct exec_inst *in);
void sm_pass_fence(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now);
bool sm_held_in_front(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now);

/* How L2 should treat a line (enum mem_keep) according to the access-policy window of its grid. */
uint8_t sm_window_keep(const struct exec_l2_window *x, uint64_t line);
void sm_copy_begins(struct sm_warp *w, struct sm_memop *m);
void sm_copy_ends(struct sm_warp *w, const struct sm_memop *m);
/* Bulk copies and signals: see sm_bulk.c. Accepts the bulk copy that the warp executed last. */
void sm_bulk_accept(struct sm *s, unsigned slot, uint32_t pc, const struct exec_deps *deps, uint64_t now);
void sm_bulk_cycle(struct sm *s, uint64_t now);
/* Until when the warp's next instruction is held back because it is an mbarrier.try_wait (sm_bulk.c); 0: it is not. */
uint64_t sm_try_wait_until(struct sm *s, unsigned slot, const struct exec_inst *in, uint64_t now);
/* A phase of an mbarrier of the CTA may have completed. */
void sm_try_wait_again(struct sm *s, const struct sm_cta *cta, uint64_t now);
/* When the tensor map that the warp's last executed instruction names has arrived; requests it if necessary. */
uint64_t sm_map_comes(struct sm *s, const struct sm_warp *w, uint64_t now);
void sm_bulk_done(struct sm *s, struct sm_memop *m, uint64_t at);
void sm_bulk_free(struct sm *s);
void sm_send_signals(struct sm *s, const struct exec_signal *signals, size_t n, uint64_t at);
void sm_signals_arrive(struct sm *s, uint64_t now);
uint64_t sm_bulk_next(const struct sm *s, uint64_t now);
uint32_t sm_new_memop(struct sm *s, unsigned slot, uint32_t pc, const struct exec_deps *d, uint64_t now);
void sm_maybe_complete(struct sm *s, struct sm_memop *m, uint64_t now);
bool sm_copies_wait(const struct sm_warp *w, const struct exec_inst *in);
void sm_copies_issued(struct sm_warp *w, const struct exec_inst *in);
/* The grid no longer waits for the grid before it: its warps that wait for that (griddepcontrol.wait) go on. */
void sm_release_dependents(struct sm *s, const struct exec_grid *grid, uint64_t now);
void sm_end_ctas(struct sm *s, uint64_t now); /* frees the slots of those that have ended completely */
void sm_refresh_warp(struct sm *s, unsigned slot, uint64_t now); /* determines what it waits for */
void sm_refresh_cta(struct sm *s, struct sm_cta *cta, uint64_t opens, uint64_t now); /* a barrier has opened, passable from `opens` on */
bool sm_lsu_full(const struct sm *s);
/* Whether a slot whose warp has ended cannot be reused yet. */
static inline bool sm_owes(const struct sm *s, unsigned slot) {
  const struct sm_warp *w = &s->warps[slot];
  return (w->outstanding && !s->config->free_at_exit) || w->fetching || w->bulk;
}
bool sm_lsu_open(const struct sm *s); /* the queue is not full, and with sm.register_banks the issue register is free */
/* A memory instruction that no lane executes (sm.empty_accesses). */
void sm_lsu_accept_empty(struct sm *s);
/* Accepts the memory instruction that the warp executed last; returns its index in the queue. */
uint32_t sm_lsu_accept(struct sm *s, unsigned slot, const struct exec_inst *in, uint32_t pc, const struct exec_deps *deps, uint64_t now);
void sm_lsu_cycle(struct sm *s, uint64_t now);
uint64_t sm_lsu_next(struct sm *s, uint64_t now);
void sm_lsu_settle(struct sm *s, uint64_t now); /* counts a refused access as retried, in vain, in every cycle before `now` */
void sm_lsu_replies(struct sm *s, uint64_t now);
/* Looks up the line of an instruction of the warp's function in the instruction cache. */
enum l1_result sm_fetch_line(struct sm *s, unsigned slot, uint32_t pc, uint64_t now);
void sm_collect(struct sm *s, uint64_t now); /* one cycle of the stages of sm.register_banks */
struct sm_code *sm_code_new(void);
/* Fetches the warp's next instruction; false: it must wait for the instruction cache. */
bool sm_fetch(struct sm *s, unsigned slot, uint64_t now);

#endif
