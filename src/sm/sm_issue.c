/* Issue: which warps can go, executing one instruction, and when its results are ready. */
#include "exec/memory/view.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#include <assert.h>

static const uint8_t op_of[EXEC_UNITS] = { /* the rest: SM_OP_OTHER */
    [EXEC_U_ALU] = SM_OP_INT,      [EXEC_U_IMUL] = SM_OP_MULTIPLY, [EXEC_U_IMAD] = SM_OP_MULTIPLY,
    [EXEC_U_IDIV] = SM_OP_SFU,     [EXEC_U_SHIFT] = SM_OP_INT,     [EXEC_U_IMAX] = SM_OP_INT,
    [EXEC_U_LDIV] = SM_OP_SFU,
    [EXEC_U_FADD] = SM_OP_FP32,    [EXEC_U_FMUL] = SM_OP_FP32,     [EXEC_U_FFMA] = SM_OP_FP32,
    [EXEC_U_FDIV] = SM_OP_SFU,     [EXEC_U_FMAX] = SM_OP_FP32,     [EXEC_U_HALF] = SM_OP_FP32,
    [EXEC_U_DADD] = SM_OP_FP64,    [EXEC_U_DMUL] = SM_OP_FP64,     [EXEC_U_DFMA] = SM_OP_FP64,
    [EXEC_U_DDIV] = SM_OP_FP64,    [EXEC_U_DMAX] = SM_OP_FP64,     [EXEC_U_SFU] = SM_OP_SFU,
    [EXEC_U_CVT] = SM_OP_SFU,      [EXEC_U_TENSOR] = SM_OP_TENSOR, [EXEC_U_SHUFFLE] = SM_OP_INT,
    [EXEC_U_XCVT] = SM_OP_SFU,     [EXEC_U_LOGIC] = SM_OP_INT,     [EXEC_U_DRCP] = SM_OP_FP64,
    [EXEC_U_VOTE] = SM_OP_INT,     [EXEC_U_MATCH] = SM_OP_INT,     [EXEC_U_REDUX] = SM_OP_INT,
};

static const struct exec_deps *deps_of(const struct exec_warp *x, const struct exec_inst *in) {
  return &x->frame->func->deps[in->deps];
}

/* Whether nothing but registers, memory and the scoreboard is concerned: none of what only some instructions do need be asked about. */
static bool is_plain(const struct sm *s, const struct exec_inst *in) {
  return s->config->plain[in->unit] & in->plain;
}

static void wait_for_event(struct sm *s, unsigned slot, struct sm_stand *stand, enum sm_stall why) {
  stand->ready = MEM_NEVER;
  stand->why = (uint8_t)why;
  sm_readiness_put(&s->ready, slot);
}

/* When those are there for an instruction that come from the other side. */
static uint64_t crossed_ready(const struct sm *s, const struct sm_warp *w, const struct exec_deps *d, uint8_t side) {
  uint64_t t = 0;
  for (unsigned i = 0; i < d->n_reads; i++)
    if (w->reg_side[d->reads[i]] && w->reg_side[d->reads[i]] != side) t = mem_later(t, w->reg_ready[d->reads[i]]);
  return t && t < SM_UNKNOWN ? sm_after(s, t, s->config->cross_latency) : t;
}

static void note_side(const struct sm *s, struct sm_warp *w, const struct exec_deps *d, uint8_t side) {
  for (unsigned i = 0; s->config->cross_latency && i < d->n_writes; i++) w->reg_side[d->writes[i]] = side;
}

/* When all registers of an instruction are there; MEM_NEVER: a load of one is outstanding. A guard is the first that it reads. */
static uint64_t registers_ready(const struct sm *s, const struct sm_warp *w, const struct exec_inst *in, const struct exec_deps *d) {
  uint64_t t = in->guarded ? w->reg_ready[d->reads[0]] : 0;
  if (in->guarded && t < SM_UNKNOWN) t = sm_after(s, t, s->config->guard_latency);
  for (unsigned i = 0; i < d->n_reads; i++) t = mem_later(t, w->reg_ready[d->reads[i]]);
  for (unsigned i = 0; i < d->n_writes; i++) t = mem_later(t, w->reg_ready[d->writes[i]]);
  if (s->config->cross_latency && s->config->side[in->unit]) t = mem_later(t, crossed_ready(s, w, d, s->config->side[in->unit]));
  return t;
}

/* What energy is spent on. */
static void count_work(struct sm *s, const struct exec_inst *in, const struct exec_deps *d, uint64_t threads) {
  s->stats[SM_S_THREAD_INSTRUCTIONS] += threads;
  s->stats[SM_S_OP_FIRST + op_of[in->unit]] += threads;
  s->stats[SM_S_REGISTER_READS] += threads * d->n_reads;
  s->stats[SM_S_REGISTER_WRITES] += threads * d->n_writes;
}

/* Executes an instruction that is part of another machine instruction: its results are there when what it reads is. False: that is
 * not known yet. */
static bool pass_folded(struct sm *s, struct sm_warp *w) {
  struct exec_warp *x = w->x;
  const struct exec_inst *in = exec_next(x);
  const struct exec_deps *d = deps_of(x, in);
  uint64_t t = registers_ready(s, w, in, d), threads = x->thread_instructions;
  if (t >= SM_UNKNOWN) return false;
  exec_step(x);
  s->stats[SM_S_WARP_INSTRUCTIONS]++;
  s->stats[SM_S_FOLDED]++;
  count_work(s, in, d, x->thread_instructions - threads);
  if (s->observers.n) sm_notify_issue(s, in, &x->access, x->thread_instructions - threads);
  for (unsigned i = 0; i < d->n_writes; i++) w->reg_ready[d->writes[i]] = t;
  note_side(s, w, d, s->config->cross_latency && d->n_reads ? w->reg_side[d->reads[d->n_reads - 1]] : SM_SIDE_NONE);
  return true;
}

/* A fence of a CTA waits for nothing where fences have a latency: L1D is what all its threads see. */
static bool waits_at_fence(const struct sm *s, const struct sm_warp *w, const struct exec_inst *in) {
  if (in->ptx->op == PTX_OP_griddepcontrol) return ptx_has(in->ptx, PTX_M_wait) && s->ctas[w->cta].x.grid->held;
  return !(s->config->fence_latency && ptx_has(in->ptx, PTX_M_cta)) && sm_copies_wait(w, in);
}

/* Grids that depend on this CTA's may begin as far as it goes. */
static void trigger(struct sm *s, struct sm_cta *cta) {
  if (cta->triggered) return;
  cta->triggered = true;
  s->triggers[s->n_triggers++] = cta->x.grid->place;
}

void sm_release_dependents(struct sm *s, const struct exec_grid *grid, uint64_t now) {
  for (uint32_t k = 0; k < SM_MAX_CTAS; k++) {
    struct sm_cta *cta = &s->ctas[k];
    if (!cta->active || cta->x.grid != grid) continue;
    for (uint32_t i = 0; i < cta->x.n_warps; i++)
      if (cta->x.warps[i].status == EXEC_RUNNING) sm_refresh_warp(s, cta->slots[i], now);
    sm_wake(s, mem_next_edge(&s->wake, now));
  }
}

/* When a warp goes on behind a fence. */
static void pass_fence(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  uint64_t from = w->fence_from ? w->fence_from : now;
  w->fence_from = 0;
  if (in->ptx->op == PTX_OP_griddepcontrol) {
    if (ptx_has(in->ptx, PTX_M_launch_dependents)) trigger(s, &s->ctas[w->cta]);
    return;
  }
  sm_copies_issued(w, in);
  if (ptx_has(in->ptx, PTX_M_tensormap__generic)) s->n_maps = 0;
  if (!s->config->fence_latency) return;
  if (sm_fence_is_wide(in)) w->not_before = mem_later(sm_fence_ends(s, from), now);
  else if (ptx_has(in->ptx, PTX_M_cta)) w->not_before = sm_after(s, now, s->config->fence_cta);
}

/* Whether a warp waits for its own accesses at a fence in front of its next instruction; if not, that has begun. */
static bool held_in_front(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  if (!s->config->fence_latency || w->fenced || !sm_fence_in_front(w, in)) return false;
  uint64_t from = mem_later(w->not_before, w->fence_from ? w->fence_from : now);
  if (w->outstanding) w->fence_from = from;
  else w->not_before = mem_later(sm_fence_ends(s, from), now), w->fence_from = 0, w->fenced = true;
  return w->outstanding;
}

void sm_refresh_warp(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct exec_warp *x = w->x;
  sm_count_wait(s, slot, now);
  struct sm_stand *stand = sm_readiness_take(&s->ready, slot);
  while (!w->sequence && x->status == EXEC_RUNNING && !exec_next(x)->slots && pass_folded(s, w)) {
  }
  if (x->status != EXEC_RUNNING) {
    wait_for_event(s, slot, stand, SM_STALL_BARRIER);
    return;
  }
  if (s->config->instruction_buffer ? !w->buffered : w->fetching || !sm_fetch(s, slot, now)) {
    wait_for_event(s, slot, stand, SM_STALL_FETCH);
    return;
  }
  if (w->sequence) {
    stand->ready = w->not_before;
    stand->pipe = w->sequence_pipe;
    stand->why = SM_STALL_ALU;
    stand->load = false;
    sm_readiness_put(&s->ready, slot);
    return;
  }
  const struct exec_inst *in = exec_next(x);
  const struct exec_deps *d = deps_of(x, in);
  if (held_in_front(s, w, in, now)) {
    wait_for_event(s, slot, stand, SM_STALL_FENCE);
    return;
  }
  uint64_t t = mem_later(w->not_before, registers_ready(s, w, in, d));
  stand->pipe = s->config->pipe[sm_unit_of(s, in)];
  stand->below = in->space == PTX_GLOBAL || in->space == PTX_LOCAL || in->space == PTX_GENERIC;
  stand->load = in->unit == EXEC_U_LDST && d->n_writes && !(in->flags & EXEC_ORDERED) && stand->below;
  uint64_t until = sm_try_wait_until(s, slot, in, now);
  stand->ready = t == SM_UNKNOWN ? MEM_NEVER : mem_later(t, until);
  stand->why = t == MEM_NEVER ? SM_STALL_MEMORY : w->fenced ? SM_STALL_FENCE : t && t == w->code_from ? SM_STALL_FETCH : SM_STALL_ALU;
  if (until > t) stand->why = SM_STALL_BARRIER;
  if (in->unit == EXEC_U_FENCE && waits_at_fence(s, w, in)) {
    if (!w->fence_from) w->fence_from = now;
    wait_for_event(s, slot, stand, SM_STALL_FENCE);
  } else sm_readiness_put(&s->ready, slot);
}

/* A free pipeline of a pool, one of the scheduler's own with sm.own_pipes; -1: none. The first of those for floating-point numbers is
 * taken last, since products of integers have no other. */
static int free_of_pool(const struct sm *s, unsigned pool, unsigned scheduler, uint64_t now) {
  unsigned n = s->config->pipes[pool], first = 0;
  if (s->config->own_pipes) {
    n /= s->config->schedulers;
    first = scheduler * n;
  }
  for (unsigned i = n; i-- > 0;)
    if (s->pipe_free[pool][first + i] <= now) return (int)(pool * SM_MAX_PIPES + first + i);
  return -1;
}

static int first_of_pool(const struct sm *s, unsigned pool, unsigned scheduler, uint64_t now) {
  unsigned first = scheduler * (s->config->pipes[pool] / s->config->schedulers);
  return s->pipe_free[pool][first] <= now ? (int)(pool * SM_MAX_PIPES + first) : -1;
}

static uint64_t stamp_of(const struct sm *s, int pipe) { return s->pipe_free[pipe / SM_MAX_PIPES][pipe % SM_MAX_PIPES]; }

/* A free pipeline, as its pool's number times SM_MAX_PIPES and its own; -1: none. */
static int free_pipe(const struct sm *s, unsigned pipe, unsigned scheduler, uint64_t now) {
  if (pipe < SM_PIPE_LSU) return free_of_pool(s, pipe, scheduler, now);
  int product = first_of_pool(s, SM_PIPE_SP, scheduler, now);
  int logic = pipe == SM_PIPE_SUM ? free_of_pool(s, SM_PIPE_ALU, scheduler, now) : -1;
  if (product < 0 || logic < 0) return product < 0 ? logic : product;
  return stamp_of(s, logic) <= stamp_of(s, product) ? logic : product; /* assemblers use both alike */
}

static void occupy(struct sm *s, unsigned pipe, unsigned slot, uint32_t cycles, uint64_t now) {
  int found = free_pipe(s, pipe, slot % s->config->schedulers, now);
  assert(found >= 0);
  s->warps[slot].pipe = (uint16_t)found;
  s->pipe_free[found / SM_MAX_PIPES][found % SM_MAX_PIPES] = sm_after(s, now, cycles);
}

/* Which collectors of sm.register_banks instructions for a pipeline use. */
static unsigned set_of(unsigned pipe) { return pipe <= SM_PIPE_ALU ? SM_SET_SP : pipe == SM_PIPE_LSU ? SM_SET_MEM : SM_SET_SFU; }

static bool pipe_open(const struct sm *s, unsigned pipe, unsigned scheduler, uint64_t now) {
  if (s->config->pipeline.banks) return sm_pipeline_accepts(&s->pipeline, set_of(pipe));
  return free_pipe(s, pipe, scheduler, now) >= 0 && (pipe != SM_PIPE_SP || sm_operands_accept(&s->operands, now));
}

/* Registers are read a cycle after issue at the latest, or the next instruction is kept back. */
static bool ports_open(const struct sm *s, unsigned scheduler, uint64_t now) { return s->ports_free[scheduler] <= sm_after(s, now, 1); }

static void read_registers(struct sm *s, unsigned slot, unsigned registers, uint64_t now) {
  uint64_t *free = &s->ports_free[slot % s->config->schedulers];
  if (s->config->register_ports) *free = mem_later(*free, now) + registers * s->wake.period / s->config->register_ports;
}

bool sm_lsu_open(const struct sm *s) {
  return !sm_lsu_full(s) && (!s->config->pipeline.banks || sm_pipeline_accepts(&s->pipeline, SM_SET_MEM));
}

/* Warps that a barrier held go on when it opens, whichever scheduler is asked first. */
void sm_refresh_cta(struct sm *s, struct sm_cta *cta, uint64_t opens, uint64_t now) {
  cta->seen_releases = cta->x.barrier_releases;
  for (uint32_t i = 0; i < cta->x.n_warps; i++) {
    unsigned slot = cta->slots[i];
    struct sm_warp *w = &s->warps[slot];
    if (!(s->live >> slot & 1) || w->x->status != EXEC_RUNNING) continue;
    const struct sm_stand *at = &s->ready.warp[slot];
    if (at->ready == MEM_NEVER && at->why == SM_STALL_BARRIER) w->not_before = mem_later(w->not_before, opens);
    sm_refresh_warp(s, slot, now);
  }
}

static void finish_cta(struct sm *s, struct sm_cta *cta) {
  sm_leave_cta(s, cta);
  s->stats[SM_S_CTAS]++;
  uint32_t k = s->n_done++;
  s->done[k].grid = cta->x.grid->place;
  s->done[k].slot = (uint32_t)(cta - s->ctas);
  s->done[k].warp_instructions = s->done[k].thread_instructions = 0;
  for (uint32_t i = 0; i < cta->x.n_warps; i++) {
    s->done[k].warp_instructions += cta->x.warps[i].instructions;
    s->done[k].thread_instructions += cta->x.warps[i].thread_instructions;
  }
}

/* A warp's part of wgmma, 16 rows, keeps a tensor core busy for 4 cycles for each 8 columns, of every type: 512 products of f16 a
 * cycle, the peak rate of NVIDIA's H100 whitepaper; but the matrices in shared memory are read at 128 bytes a cycle: 2 KB of a if it is
 * there, 32 bytes of b for each column, or 64 if a is sparse (measured on an H200: tests/h200/hopper.tsv). Sums stay in the core, so
 * that the next one on the same registers follows at once; wait_group waits sm.wgmma_latency longer. */
enum { WGMMA_CYCLES = 4, WGMMA_A = 2048, WGMMA_B = 8 * 32, SHARED_BYTES = 128, WGMMA_LEAST = 16 /* cycles, a from registers */ };

static bool is_wgmma(const struct exec_inst *in) { return in->unit == EXEC_U_TENSOR && in->ptx->op == PTX_OP_wgmma; }

static uint32_t wgmma_cycles(const struct exec_inst *in) {
  bool registers = in->ptx->ops[1].kind == PTX_O_VEC;
  uint32_t bytes = (registers ? 0 : WGMMA_A) + WGMMA_B * in->vec * (ptx_has(in->ptx, PTX_M_sp) ? 2u : 1u);
  uint32_t products = WGMMA_CYCLES * in->vec, reads = bytes / SHARED_BYTES;
  if (registers && reads < WGMMA_LEAST) reads = WGMMA_LEAST;
  return products > reads ? products : reads;
}

/* With sm.matrix_sizes, core cycles of mma by its blocks of 8 x 8 products of 16 bytes: from one to the next that adds to its result, and
 * from one to the next of a tensor core (measured on an H200: tests/h200/matrix.tsv). A machine instruction has at most four blocks; what
 * wmma has more comes behind it. */
enum {
  MMA_BASE = 22, MMA_BLOCK = 7, MMA_BLOCKS = 4, /* latency, in halves of cycles: 14.5, 18 and 25 for one, two and four blocks */
  MMA_LEAST = 4, MMA_TENTHS = 16,               /* interval: 4, 4 and 6.4 */
  MMA_SPARSE = 2,                               /* more of both, to choose the products */
  MMA_WIDE = 18, MMA_WIDE_BLOCK = 4, MMA_WIDE_LEAST = 16 /* of f64: 26, 34, 50 and 82; 16, 16, 32 and 64 */
};

static bool is_sized_matrix(const struct sm *s, const struct exec_inst *in) {
  return s->config->matrix_sizes && in->unit == EXEC_U_TENSOR && !is_wgmma(in) && in->vec;
}

static bool is_wide_matrix(const struct exec_inst *in) { return in->ptx->types[0] == PTX_F64; }

static uint32_t matrix_interval(const struct exec_inst *in) {
  uint32_t least = is_wide_matrix(in) ? MMA_WIDE_LEAST : MMA_LEAST;
  uint32_t cycles = is_wide_matrix(in) ? MMA_WIDE_BLOCK * in->vec : MMA_TENTHS * in->vec / 10;
  bool sparse = ptx_has(in->ptx, PTX_M_sp) || ptx_has(in->ptx, PTX_M_sp__ordered_metadata);
  return (cycles > least ? cycles : least) + (sparse ? MMA_SPARSE : 0);
}

static uint32_t matrix_latency(const struct exec_inst *in) {
  if (is_wide_matrix(in)) return MMA_WIDE + MMA_WIDE_BLOCK * in->vec;
  uint32_t last = in->vec < MMA_BLOCKS ? in->vec : MMA_BLOCKS, before = in->vec - last;
  return (MMA_BASE + MMA_BLOCK * last) / 2 + MMA_TENTHS * before / 10;
}

/* Groups of wgmma: commit_group closes one, wait_group N waits for all but the last N. */
static void order_wgmma(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  if (is_wgmma(in)) {
    w->wgmma_done = mem_later(w->wgmma_done, sm_after(s, now, WGMMA_CYCLES * in->vec + s->config->wgmma_latency));
  } else if (ptx_has(in->ptx, PTX_M_commit_group)) {
    w->wgmma_groups[w->n_wgmma_groups++ % SM_WGMMA_GROUPS] = w->wgmma_done;
  } else if (ptx_has(in->ptx, PTX_M_wait_group)) {
    uint32_t left = (uint32_t)in->ptx->ops[0].imm;
    if (left < w->n_wgmma_groups && left < SM_WGMMA_GROUPS)
      w->not_before = mem_later(w->not_before, w->wgmma_groups[(w->n_wgmma_groups - 1 - left) % SM_WGMMA_GROUPS]);
  }
}

/* The upper half of a product takes two passes (IMAD.HI on an H200), and its result five cycles more. */
enum { UPPER = 5 };

static bool is_upper_product(const struct sm *s, const struct exec_inst *in) {
  return s->config->own_pipes && s->config->pipe[in->unit] == SM_PIPE_PRODUCT && ptx_has(in->ptx, PTX_M_hi);
}

static bool is_wide_product(const struct sm *s, const struct exec_inst *in) {
  return s->config->own_pipes && s->config->pipe[in->unit] == SM_PIPE_PRODUCT && in->slots > 2;
}

/* Approximations of two halves are two (MUFU.EX2.F16). */
static bool is_pair_of_approximations(const struct sm *s, const struct exec_inst *in) {
  bool pair = in->ptx->n_types && (in->ptx->types[0] == PTX_F16X2 || in->ptx->types[0] == PTX_BF16X2);
  return s->config->own_pipes && in->unit == EXEC_U_SFU && pair;
}

static uint32_t interval_of(const struct sm *s, const struct exec_inst *in) {
  if (is_sized_matrix(s, in)) return matrix_interval(in);
  bool twice = is_upper_product(s, in) || is_pair_of_approximations(s, in);
  return is_wgmma(in) ? wgmma_cycles(in) : s->config->interval[sm_unit_of(s, in)] << twice;
}

/* Halves of 64 bits that do not need each other. */
static bool halves_apart(const struct exec_inst *in) {
  switch ((enum ptx_op)in->ptx->op) {
  case PTX_OP_and:
  case PTX_OP_or:
  case PTX_OP_xor:
  case PTX_OP_not:
  case PTX_OP_shl:
  case PTX_OP_shr:
  case PTX_OP_selp: return true;
  default: return false;
  }
}

/* What the further machine instructions of one with several slots (sm.lower) add to the time of its result. On an H200 a sum of 64 bits,
 * a bit field or a product of 24 take 5 cycles for each, a product of 64 bits 12.7 in all and its upper half 35; an approximation whose
 * operand is scaled 20 to 22 in all, one of an angle 6 (tests/h200/instructions.tsv). */
enum { SCALING = 7, MOST_SCALING = 20, WITH_SIGNS = 5 /* of a division whose reciprocal is there; they overlap */ };

static uint32_t added_latency(const struct sm *s, const struct exec_inst *in) {
  uint32_t usual = s->config->sequence[in->unit] > 1 ? s->config->sequence[in->unit] : 1; /* in the unit's latency */
  uint32_t further = in->slots > usual && !halves_apart(in) ? in->slots - usual : 0;
  uint32_t literals = further ? 2 * ptx_wide_literals(in->ptx) : 0;
  further -= literals < further ? literals : further; /* literals are there before the other operands */
  if (in->unit == EXEC_U_IDIV) return further > WITH_SIGNS ? (further - WITH_SIGNS) * SCALING : 0;
  if (is_wide_product(s, in) && !ptx_has(in->ptx, PTX_M_hi) && further) further--; /* two of its products do not need each other */
  if (in->unit != EXEC_U_SFU) return further * s->config->latency[EXEC_U_ALU] + (is_upper_product(s, in) ? UPPER : 0);
  return further * SCALING < MOST_SCALING ? further * SCALING : MOST_SCALING;
}

static uint32_t latency_of(const struct sm *s, const struct exec_inst *in) {
  if (is_sized_matrix(s, in)) return matrix_latency(in);
  return is_wgmma(in) ? wgmma_cycles(in) : s->config->latency[sm_unit_of(s, in)] + added_latency(s, in);
}

/* What a match of several different values takes besides, once it has been executed: each is compared by itself, 64 bits in two steps. */
static uint32_t match_cycles(struct sm *s, const struct sm_warp *w, const struct exec_inst *in) {
  uint32_t further = in->unit == EXEC_U_MATCH && w->x->groups > 1 ? w->x->groups - 1u : 0;
  if (!further || !s->config->match_interval) return 0;
  uint64_t *free = &s->pipe_free[w->pipe / SM_MAX_PIPES][w->pipe % SM_MAX_PIPES];
  *free = sm_after(s, *free, further * s->config->match_interval << (in->size == 8));
  return further * s->config->match_latency;
}

/* A pipeline and a collector are taken when the instruction is chosen: its execution may be left for sm_commit. */
static void take_pipe(struct sm *s, unsigned slot, const struct exec_inst *in, uint64_t now) {
  if (s->config->pipeline.banks) return;
  unsigned pipe = s->config->pipe[sm_unit_of(s, in)];
  struct sm_warp *w = &s->warps[slot];
  w->collected = now;
  if (pipe == SM_PIPE_LSU) return;
  occupy(s, pipe, slot, interval_of(s, in), now);
  read_registers(s, slot, in->reads, now);
  if (pipe == SM_PIPE_SP) w->collected = sm_operands_take(&s->operands, deps_of(w->x, in)->n_reads, now, s->wake.period);
}

/* It goes through the stages of sm.register_banks; when its results are ready is known when it enters its unit. */
static void fly(struct sm *s, unsigned slot, const struct exec_inst *in, uint32_t pc, const struct exec_deps *d, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  unsigned unit = sm_unit_of(s, in);
  bool memory = in->flags & EXEC_MEMORY && w->x->access.mask, plain = is_plain(s, in);
  struct sm_flight *f = sm_pipeline_issue(&s->pipeline, set_of(s->config->pipe[unit]));
  f->deps = d;
  f->entry = -1;
  f->warp = (uint8_t)slot;
  f->latency = (uint16_t)(plain ? s->config->latency[unit] : latency_of(s, in));
  f->interval = (uint16_t)(plain ? s->config->interval[unit] : interval_of(s, in));
  if (memory && w->x->access.bulk) {
    sm_bulk_accept(s, slot, pc, d, now);
    memory = false;
  }
  if (memory) f->entry = (int32_t)sm_lsu_accept(s, slot, in, pc, d, now);
  else
    for (unsigned i = 0; i < d->n_writes; i++) w->reg_ready[d->writes[i]] = SM_UNKNOWN;
  if (memory && f->set != SM_SET_MEM) s->lsu[f->entry].handed = true; /* what is no load or store and makes an access all the same */
}

/* An instruction has entered its unit, or the load/store unit has it. */
static void entered(void *user, const struct sm_flight *f, uint64_t cycle) {
  struct sm *s = user;
  struct sm_warp *w = &s->warps[f->warp];
  uint64_t ready = cycle * s->wake.period;
  if (f->entry >= 0 && f->set == SM_SET_MEM) {
    s->lsu[f->entry].handed = true;
    s->lsu[f->entry].from = ready;
    s->handed++;
    return;
  }
  if (f->entry >= 0) return;
  for (unsigned i = 0; i < f->deps->n_writes; i++)
    if (w->reg_ready[f->deps->writes[i]] == SM_UNKNOWN) w->reg_ready[f->deps->writes[i]] = ready;
  if (s->live >> f->warp & 1 && s->ready.warp[f->warp].ready == MEM_NEVER) sm_refresh_warp(s, f->warp, s->pipeline.now * s->wake.period);
}

void sm_collect(struct sm *s, uint64_t now) {
  if (s->handed && sm_pipeline_waits(&s->pipeline)) return;
  sm_pipeline_cycle(&s->pipeline, now / s->wake.period, !s->handed, entered, s);
}

/* What a machine fetches from outside a warp's registers (S2R on an H200); dimensions are constants there, and clocks are at hand. */
static bool reads_special(const struct exec_inst *in) {
  if (in->ptx->op != PTX_OP_mov || in->ptx->n_ops < 2 || in->ptx->ops[1].kind != PTX_O_SREG) return false;
  switch ((enum ptx_sreg)in->ptx->ops[1].reg) {
  case PTX_SR_ctaid_x:
  case PTX_SR_ctaid_y:
  case PTX_SR_ctaid_z:
  case PTX_SR_warpid:
  case PTX_SR_smid: return true;
  default: return ptx_differs_by_lane(in->ptx->ops[1].reg);
  }
}

static uint64_t special_ready(struct sm *s, uint64_t now) {
  uint64_t at = mem_later(s->special_free, now);
  s->special_free = sm_after(s, at, s->config->special_interval);
  return sm_after(s, at, s->config->special_latency);
}

/* Loads and stores of everything but constants, which another unit reads. */
static bool reaches_memory(const struct exec_inst *in) {
  return in->flags & EXEC_MEMORY && in->unit == EXEC_U_LDST && in->space != PTX_CONST && in->space != PTX_PARAM;
}

static void charge(struct sm *s, unsigned slot, const struct exec_inst *in, uint32_t pc, const struct exec_deps *d,
                   uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  note_side(s, w, d, s->config->side[in->unit]);
  if (s->config->pipeline.banks) {
    fly(s, slot, in, pc, d, now);
    return;
  }
  if (in->flags & EXEC_MEMORY && w->x->access.mask) {
    if (w->x->access.bulk) sm_bulk_accept(s, slot, pc, d, now);
    else sm_lsu_accept(s, slot, in, pc, d, now);
    return;
  }
  if (s->config->empty_accesses && reaches_memory(in)) sm_lsu_accept_empty(s);
  bool special = s->config->special_latency && reads_special(in);
  uint64_t done = special ? special_ready(s, now) : sm_after(s, w->collected, latency_of(s, in) + w->slow + match_cycles(s, w, in));
  for (unsigned i = 0; i < d->n_writes; i++) w->reg_ready[d->writes[i]] = done;
}

void sm_end_warp(struct sm *s, unsigned slot) {
  uint32_t i = 0;
  s->live &= ~(UINT64_C(1) << slot);
  if (sm_owes(s, slot)) s->owed |= UINT64_C(1) << slot;
  sm_buffer_end(s, slot);
  sm_readiness_drop(&s->ready, slot);
  while (s->by_age[i] != slot) i++;
  for (s->n_by_age--; i < s->n_by_age; i++) s->by_age[i] = s->by_age[i + 1];
}

static bool is_cluster_barrier(const struct exec_inst *in) { return in->unit == EXEC_U_BARRIER && ptx_has(in->ptx, PTX_M_cluster); }

void sm_open_clusters(struct sm *s, uint64_t now) {
  ++*s->stamp;
  for (uint32_t left = s->opened; left; left &= left - 1) {
    struct sm_cta *cta = &s->ctas[__builtin_ctz(left)];
    if (!cta->active) continue;
    cta->cluster_opens = sm_after(s, now, s->config->cluster_latency);
    sm_settle(s, now);
    sm_refresh_cta(s, cta, cta->cluster_opens, now);
  }
  s->opened = 0;
  sm_wake(s, sm_after(s, now, 1));
}

static bool is_barrier(const struct exec_inst *in) { return in->unit == EXEC_U_BARRIER && in->flags & EXEC_CONTROL; }

/* A warp comes to a barrier of its CTA. Returns when the barrier opens if this was the last one. */
static uint64_t arrive(struct sm *s, const struct exec_inst *in, uint64_t now) {
  uint64_t at = mem_later(s->barrier_free, now);
  bool result = s->config->barrier_result && ptx_has(in->ptx, PTX_M_red); /* which each warp fetches */
  s->barrier_free = sm_after(s, at, s->config->barrier_interval);
  return sm_after(s, at, s->config->barrier_latency + (result ? s->config->barrier_result : 0));
}

/* An instruction that the machine has no single one for (sm.sequence.*, sm.lower): the further ones of its sequence need each other's
 * results, so that they come a step apart, and each takes an issue slot. The warp goes on when the last has issued. So does a loop around
 * a compare-and-swap: load, add, swap, compare, branch. */
enum {
  LOOP_SLOTS = 5,
  SLOTS_TO_SWAP = 2,
  SLOW_STEP = 5 /* core cycles an instruction of a slow path: 50 of a division in 235 on an H200 */
};

static uint32_t slow_cycles(const struct sm *s, const struct exec_warp *x, const struct exec_inst *in) {
  const struct sm_config *c = s->config;
  bool wide = in->unit == EXEC_U_DDIV || in->unit == EXEC_U_DRCP;
  if ((in->unit != EXEC_U_FDIV && !wide) || ptx_has(in->ptx, PTX_M_approx)) return 0;
  const uint32_t *of = wide ? c->slow_double : c->slow;
  uint32_t most = of[in->ptx->op == PTX_OP_div ? SM_SLOW_DIV : in->ptx->op == PTX_OP_rcp ? SM_SLOW_RCP : SM_SLOW_SQRT];
  return most && sm_takes_slow_path(x, in) ? most : 0;
}

/* Which pipelines the further instructions of a sequence use: logic and shifts of 64 bits the same, upper halves of sums those for
 * products (IMAD.X beside IADD3 in what ptxas writes), other integers any. */
static uint8_t pipe_of_sequence(const struct sm *s, const struct exec_inst *in) {
  enum sm_op op = op_of[in->unit];
  if (!s->config->own_pipes) return SM_PIPE_SP;
  if (in->ptx->op == PTX_OP_bfi || in->unit == EXEC_U_ALU || is_wide_product(s, in)) return SM_PIPE_PRODUCT;
  if (s->config->pipe[in->unit] == SM_PIPE_ALU) return SM_PIPE_ALU;
  return op == SM_OP_INT || op == SM_OP_MULTIPLY || op == SM_OP_OTHER ? SM_PIPE_SUM : SM_PIPE_SP;
}

static void begin_sequence(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
  if (w->looping) {
    w->sequence = LOOP_SLOTS;
    w->step = s->config->atomic_loop / LOOP_SLOTS;
    w->sequence_pipe = SM_PIPE_SP;
    w->not_before = sm_after(s, now, w->step);
    return;
  }
  bool branch = in->unit == EXEC_U_BRANCH;
  w->sequence = (s->config->sequence[in->unit] > in->slots ? s->config->sequence[in->unit] : in->slots) - 1 + w->slow / SLOW_STEP;
  if (!w->sequence) return;
  if (branch && w->divided) w->sequence++; /* each side comes to the place where they meet */
  bool few = s->config->own_pipes && s->config->sequence[in->unit] <= 1; /* others stand between them */
  w->step = branch ? s->config->meet_interval : few ? 1 : (s->config->latency[in->unit] + w->slow) / (w->sequence + 1);
  if (!w->step) w->step = 1;
  if (!branch) w->not_before = sm_after(s, now, w->step);
  w->sequence_pipe = pipe_of_sequence(s, in);
}

static bool wrote_global(const struct exec_inst *in, const struct exec_access *a) {
  return in->flags & EXEC_MEMORY && a->mask && a->space == PTX_GLOBAL && a->op != EXEC_LOAD && a->op != EXEC_PREFETCH && !a->bulk;
}

/* What an instruction that is not plain does besides: to its warp, which goes on at w->not_before at the earliest, and to its CTA. */
static void follow_up(struct sm *s, unsigned slot, const struct exec_inst *in, enum exec_status status, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  if (in->unit == EXEC_U_FENCE) pass_fence(s, w, in, now);
  if (s->config->wait_limit && exec_mbarrier_changes(in)) sm_try_wait_again(s, &s->ctas[w->cta], now);
  if (in->ptx->op == PTX_OP_prefetch && ptx_has(in->ptx, PTX_M_tensormap)) sm_map_comes(s, w, now);
  if (in->flags & EXEC_MEMORY && w->x->access.bulk && w->x->access.mask)
    w->not_before = mem_later(w->not_before, sm_after(s, sm_map_comes(s, w, now), s->config->copy_interval));
  if (s->config->fence_latency) sm_fence_behind(s, w, in), w->fenced = false;
  begin_sequence(s, w, in, now);
  struct sm_cta *cta = &s->ctas[w->cta];
  bool opened = cta->x.barrier_releases != cta->seen_releases;
  uint64_t opens = is_barrier(in) ? arrive(s, in, now) : sm_after(s, now, 1);
  if (opened && is_cluster_barrier(in)) opens = cta->cluster_opens = sm_after(s, now, s->config->cluster_latency);
  if (is_cluster_barrier(in) && ptx_has(in->ptx, PTX_M_wait)) w->not_before = mem_later(w->not_before, cta->cluster_opens);
  if (in->ptx->op == PTX_OP_wgmma) order_wgmma(s, w, in, now);
  if (opened && !ptx_has(in->ptx, PTX_M_arrive)) w->not_before = mem_later(w->not_before, opens);
  if (status == EXEC_DONE) sm_end_warp(s, slot);
  else sm_refresh_warp(s, slot, now);
  if (opened) sm_refresh_cta(s, cta, opens, now);
  if (cta->x.awaits) s->slot_freed |= status != EXEC_RUNNING;
  if (cta->x.live_warps) return;
  if (!s->config->exit_latency) finish_cta(s, cta);
  else cta->ends = sm_after(s, now, s->config->exit_latency), s->ending |= UINT32_C(1) << w->cta;
}

/* Executes the warp's next instruction and charges it. */
static void perform(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  struct exec_warp *x = w->x;
  const struct exec_inst *in = exec_next(x);
  const struct exec_deps *d = deps_of(x, in);
  const struct sm_cta *cta = &s->ctas[w->cta];
  uint32_t straight = x->pc + 1, pc = sm_pc_of(x);
  uint64_t threads = x->thread_instructions;
  unsigned lane = (unsigned)__builtin_ctz(x->active);
  uint32_t lanes = x->active;
  bool plain = is_plain(s, in);
  sm_count_wait(s, slot, now);
  w->since = sm_after(s, now, 1);
  w->slow = plain ? 0 : slow_cycles(s, x, in);
  enum exec_status status = exec_step(x);
  if (s->view && s->view->stale && wrote_global(in, &x->access)) s->view->written(s->view, &x->access);
  w->divided = in->unit == EXEC_U_BRANCH && x->active != lanes;
  s->stats[SM_S_WARP_INSTRUCTIONS]++;
  count_work(s, in, d, x->thread_instructions - threads);
  s->progress += exec_note_progress(&w->waiting, x, in, lane);
  if (s->profile) sm_profile_issue(s, slot, pc, x->thread_instructions - threads);
  if (s->observers.n) sm_notify_issue(s, in, &x->access, x->thread_instructions - threads);
  charge(s, slot, in, pc, d, now);
  bool jumped = status == EXEC_RUNNING && x->pc != straight;
  uint32_t next = jumped && !s->config->instruction_buffer ? 1 + s->config->branch_latency : 1;
  if (!jumped && in->unit == EXEC_U_BRANCH) next = s->config->control_interval;
  w->not_before = sm_after(s, now, next);
  if (s->config->instruction_buffer) sm_buffer_issued(s, slot, straight, jumped);
  bool opened = cta->x.barrier_releases != cta->seen_releases; /* by another warp, if it is plain */
  if (plain && status == EXEC_RUNNING && !opened) sm_refresh_warp(s, slot, now);
  else follow_up(s, slot, in, status, now);
}

/* A CTA keeps its slot until its last instructions are through the pipeline and its stores are answered. */
void sm_end_ctas(struct sm *s, uint64_t now) {
  for (uint32_t left = s->ending; left; left &= left - 1) {
    unsigned k = (unsigned)__builtin_ctz(left);
    struct sm_cta *cta = &s->ctas[k];
    if (cta->ends > now || cta->all_slots & s->owed) continue;
    s->ending &= ~(UINT32_C(1) << k);
    finish_cta(s, cta);
  }
}

/* Cycles a slot behind the swap of a turn in vain, of which those up to it took `each`: a cycle at least. */
static uint32_t step_in_vain(uint32_t turn, uint32_t each) {
  uint32_t gone = SLOTS_TO_SWAP * each, left = LOOP_SLOTS - SLOTS_TO_SWAP;
  return turn > gone + left ? (turn - gone) / left : 1;
}

/* A turn in vain takes all lanes back: it is shorter than one in which the warp divides. */
static uint64_t slot_of_loop(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  unsigned at = LOOP_SLOTS - w->sequence;
  uint64_t from = sm_loops_slot(s->loops, slot, at, s->wake.period, now);
  uint32_t each = s->config->atomic_loop / LOOP_SLOTS;
  bool vain = s->config->atomic_retry && sm_loops_in_vain(s->loops, slot, at);
  w->step = vain ? step_in_vain(s->config->atomic_retry, each) : each;
  return from;
}

static void take_another_turn(struct sm *s, unsigned slot, uint64_t from) {
  struct sm_warp *w = &s->warps[slot];
  w->looping = sm_loops_again(s->loops, slot);
  if (!w->looping) return;
  w->sequence = LOOP_SLOTS;
  w->not_before = sm_after(s, from, w->step);
}

static void issue_of_sequence(struct sm *s, unsigned slot, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  s->stats[SM_S_SEQUENCE]++;
  sm_count_wait(s, slot, now);
  w->since = sm_after(s, now, 1);
  if (!s->config->pipeline.banks) occupy(s, w->sequence_pipe, slot, s->config->interval[EXEC_U_FFMA], now);
  uint64_t from = w->looping ? slot_of_loop(s, slot, now) : now;
  w->not_before = sm_after(s, from, --w->sequence ? w->step : 1);
  if (!w->sequence && w->looping) take_another_turn(s, slot, from);
  sm_refresh_warp(s, slot, now);
}

static void issue_warp(struct sm *s, unsigned slot, uint64_t now) {
  const struct exec_inst *in = exec_next(s->warps[slot].x);
  take_pipe(s, slot, in, now);
  if (!(in->flags & EXEC_ORDERED)) {
    perform(s, slot, now);
    return;
  }
  s->ordered[s->n_ordered++] = (uint8_t)slot;
  if (s->config->pipeline.banks) s->pipeline.reserved[set_of(s->config->pipe[sm_unit_of(s, in)])]++;
  s->lsu_reserved += s->config->pipe[sm_unit_of(s, in)] == SM_PIPE_LSU;
}

void sm_commit(struct sm *s, uint64_t now) {
  ++*s->stamp;
  s->lsu_reserved = 0;
  for (unsigned k = 0; k < SM_SETS; k++) s->pipeline.reserved[k] = 0;
  for (uint32_t i = 0; i < s->n_ordered; i++) perform(s, s->ordered[i], now);
  s->n_ordered = 0;
  if (s->signals_due) sm_signals_arrive(s, now);
  sm_wake(s, sm_after(s, now, 1));
}

/* A warp that waits for others of its CTA, or for its own writes, gives its turn to the next one: the others may be
 * beyond the limit. */
static uint64_t beyond_limit(const struct sm *s) {
  uint64_t beyond = 0;
  uint32_t places = s->config->warp_limit;
  for (uint32_t i = 0; i < s->n_by_age; i++) {
    const struct sm_stand *w = &s->ready.warp[s->by_age[i]];
    if (w->ready == MEM_NEVER && (w->why == SM_STALL_BARRIER || w->why == SM_STALL_FENCE)) continue;
    if (places) places--;
    else beyond |= UINT64_C(1) << s->by_age[i];
  }
  return beyond;
}

struct sm_hold sm_find_held(const struct sm *s, uint64_t now) {
  struct sm_hold h = {.until = MEM_NEVER};
  if (s->config->warp_limit && s->n_by_age > s->config->warp_limit) h.all = beyond_limit(s);
  if (!s->sched_ops->holds) return h;
  struct sm_now view = {now / s->wake.period, s->live, s->stats[SM_S_WARP_INSTRUCTIONS], s->views};
  uint64_t cycle;
  h.loads = s->sched_ops->holds(s->sched[0], &view, &cycle);
  if (cycle != UINT64_MAX) h.until = cycle * s->wake.period;
  return h;
}

enum sm_stall sm_reason(const struct sm *s, const struct sm_hold *h, unsigned slot, uint64_t now) {
  const struct sm_stand *w = &s->ready.warp[slot];
  if (sm_held_warps(s, h) >> slot & 1) return SM_STALL_HELD; /* whatever else it waits for */
  if (w->ready > now) return (enum sm_stall)w->why;
  return w->pipe == SM_PIPE_LSU ? SM_STALL_LSU : SM_STALL_PIPE;
}

/* Of the scheduler's warps, none of which issues: the reason nearest to issuing. */
static enum sm_stall nearest_reason(const struct sm *s, unsigned k, const struct sm_hold *h, uint64_t due) {
  if (s->halted) return SM_STALL_IDLE;
  const struct sm_readiness *r = &s->ready;
  uint64_t mine = s->sched_warps[k] & s->live, held = mine & sm_held_warps(s, h), free = mine & ~held;
  if (free & due) return free & due & r->pipe[SM_PIPE_LSU] ? SM_STALL_LSU : SM_STALL_PIPE;
  for (unsigned why = SM_STALL_ALU; why > SM_STALL_HELD; why--)
    if (free & r->why[why]) return (enum sm_stall)why;
  return held ? SM_STALL_HELD : SM_STALL_IDLE;
}

/* Which of the scheduler's warps can issue. */
static uint64_t find_ready(const struct sm *s, unsigned k, const struct sm_hold *h, uint64_t due, uint64_t now) {
  due &= s->sched_warps[k] & s->live & ~sm_held_warps(s, h);
  if (!due || s->halted || !ports_open(s, k, now)) return 0;
  uint64_t ready = 0;
  for (unsigned p = 0; p < SM_PIPE_LSU; p++) {
    uint64_t want = due & s->ready.pipe[p];
    if (want && pipe_open(s, p, k, now)) ready |= want;
  }
  for (unsigned p = SM_PIPE_LSU + 1; s->config->own_pipes && p < SM_PIPES; p++) {
    uint64_t want = due & s->ready.pipe[p];
    if (want && free_pipe(s, p, k, now) >= 0) ready |= want;
  }
  uint64_t want = due & s->ready.pipe[SM_PIPE_LSU];
  return want && sm_lsu_open(s) ? ready | want : ready;
}

enum sm_stall sm_why(struct sm *s, unsigned scheduler, uint64_t now) {
  struct sm_hold h = sm_held(s, now);
  return nearest_reason(s, scheduler, &h, sm_readiness_look(&s->ready, now));
}

/* Whether the warp, which has just executed `first`, can issue its next instruction in the same cycle: neither steers the
 * warp, the first is one machine instruction, the next goes to another kind of unit, and needs nothing that is not there yet, the result
 * of the first included. */
static bool can_pair(const struct sm *s, unsigned slot, const struct exec_inst *first, const struct sm_hold *h, uint64_t now) {
  const struct sm_warp *w = &s->warps[slot];
  const struct sm_stand *at = &s->ready.warp[slot];
  if (first->flags & (EXEC_CONTROL | EXEC_ORDERED) || w->x->status != EXEC_RUNNING || at->ready == MEM_NEVER) return false;
  if (w->sequence) return false;
  if (w->not_before != sm_after(s, now, 1) || at->pipe == s->config->pipe[sm_unit_of(s, first)]) return false;
  if (sm_held_warps(s, h) >> slot & 1) return false;
  const struct exec_inst *in = exec_next(w->x);
  if (in->flags & EXEC_CONTROL || registers_ready(s, w, in, deps_of(w->x, in)) > now) return false;
  if (at->pipe == SM_PIPE_LSU) return sm_lsu_open(s);
  return pipe_open(s, at->pipe, slot % s->config->schedulers, now);
}

static void issue_slot(struct sm *s, unsigned slot, const struct sm_hold *h, uint64_t now) {
  if (s->warps[slot].sequence) {
    issue_of_sequence(s, slot, now);
    return;
  }
  const struct exec_inst *first = exec_next(s->warps[slot].x);
  issue_warp(s, slot, now);
  if (!s->config->dual_issue || !(s->live >> slot & 1) || !can_pair(s, slot, first, h, now)) return;
  s->stats[SM_S_DUAL]++;
  issue_warp(s, slot, now);
}

void sm_issue(struct sm *s, uint64_t now) {
  struct sm_hold hold = sm_held(s, now);
  unsigned n = s->config->schedulers, first = s->config->alternate_schedulers ? (unsigned)(s->stats[SM_S_CYCLES] % n) : s->turn;
  for (unsigned i = 0; i < n; i++) {
    unsigned k = first + i < n ? first + i : first + i - n;
    uint64_t due = sm_readiness_look(&s->ready, now), ready = find_ready(s, k, &hold, due, now);
    enum sm_stall why = ready ? SM_STALL_NONE : nearest_reason(s, k, &hold, due);
    if (ready) {
      unsigned slot = s->sched_ops->pick(s->sched[k], ready, s->views);
      if (s->config->rotate_schedulers && s->ready.warp[slot].pipe == SM_PIPE_LSU) s->turn = k + 1 < n ? k + 1 : 0;
      issue_slot(s, slot, &hold, now);
    }
    s->stats[SM_S_STALL_FIRST + (int)why]++;
    s->stalled[k] = (uint8_t)why;
    if (!s->profile) continue;
    sm_profile_blame(s, k, why, now);
    s->profile->rows[s->profile->blamed[k]].stalls[why]++;
  }
}
