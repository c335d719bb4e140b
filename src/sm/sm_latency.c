/* What an instruction takes by itself: the latency of its result, how long it keeps its pipeline, and the further machine instructions of
 * its sequence (sm.lower, sm.sequence.*).
 *
 * Owns: the figures of single instructions that are not keys, each with its measurement, and the groups of wgmma. Does not: know what else
 * is in flight; sm_issue.c decides when an instruction can issue and records when its registers are ready. */
#include "mem/mem_stall.h"
#include "sm/sm.h"

const uint8_t sm_op_of[EXEC_UNITS] = { /* all others: SM_OP_OTHER */
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

/* A warp's part of wgmma, 16 rows, keeps a tensor core busy for 4 cycles for each 8 columns, whatever the type: 512 products of f16 per
 * cycle, the peak rate of NVIDIA's H100 whitepaper. The matrices in shared memory are read at 128 bytes per cycle, which may take longer: 2
 * KB of a if it is there, 32 bytes of b for each column, or 64 if a is sparse (measured on an H200: tests/h200/hopper.tsv). Sums stay in
 * the core, so the next wgmma on the same registers follows at once; wait_group waits sm.wgmma_latency longer. */
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
 * from one to the next of a tensor core (measured on an H200: tests/h200/matrix.tsv). A machine instruction has at most four blocks, and
 * further blocks of a wmma follow it. */
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
  if (is_wide_matrix(in)) return MMA_WIDE + MMA_WIDE_BLOCK * (uint32_t)in->vec;
  uint32_t last = in->vec < MMA_BLOCKS ? in->vec : MMA_BLOCKS, before = in->vec - last;
  return (MMA_BASE + MMA_BLOCK * last) / 2 + MMA_TENTHS * before / 10;
}

/* Groups of wgmma: commit_group closes one, wait_group N waits for all except the last N. */
void sm_order_wgmma(struct sm *s, struct sm_warp *w, const struct exec_inst *in, uint64_t now) {
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

/* The upper half of a product takes two passes (IMAD.HI on an H200), and its result takes five cycles more. */
enum { UPPER = 5 };

static bool is_upper_product(const struct sm *s, const struct exec_inst *in) {
  return s->config->own_pipes && s->config->pipe[in->unit] == SM_PIPE_PRODUCT && ptx_has(in->ptx, PTX_M_hi);
}

static bool is_wide_product(const struct sm *s, const struct exec_inst *in) {
  return s->config->own_pipes && s->config->pipe[in->unit] == SM_PIPE_PRODUCT && in->slots > 2;
}

/* Approximations of two halves are two instructions (MUFU.EX2.F16). */
static bool is_pair_of_approximations(const struct sm *s, const struct exec_inst *in) {
  bool pair = in->ptx->n_types && (in->ptx->types[0] == PTX_F16X2 || in->ptx->types[0] == PTX_BF16X2);
  return s->config->own_pipes && in->unit == EXEC_U_SFU && pair;
}

uint32_t sm_interval_of(const struct sm *s, const struct exec_inst *in) {
  if (is_sized_matrix(s, in)) return matrix_interval(in);
  bool twice = is_upper_product(s, in) || is_pair_of_approximations(s, in);
  return is_wgmma(in) ? wgmma_cycles(in) : s->config->interval[sm_unit_of(s, in)] << twice;
}

/* Whether the halves of a 64-bit instruction are independent. */
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

/* What the further machine instructions of an instruction with several slots (sm.lower) add to the time of its result. On an H200, a sum of
 * 64 bits, a bit field or a product of 24 bits take 5 cycles for each; a product of 64 bits 12.7 in all, and its upper half 35; an
 * approximation with a scaled operand 20 to 22 in all, one of an angle 6 (tests/h200/instructions.tsv). */
enum { SCALING = 7, MOST_SCALING = 20, WITH_SIGNS = 5 /* of a division whose reciprocal is known; they overlap */ };

static uint32_t added_latency(const struct sm *s, const struct exec_inst *in) {
  uint32_t usual = s->config->sequence[in->unit] > 1 ? s->config->sequence[in->unit] : 1; /* already in the unit's latency */
  uint32_t further = in->slots > usual && !halves_apart(in) ? in->slots - usual : 0;
  uint32_t literals = further ? 2 * ptx_wide_literals(in->ptx) : 0;
  further -= literals < further ? literals : further; /* literals are ready before the other operands */
  if (in->unit == EXEC_U_IDIV) return further > WITH_SIGNS ? (further - WITH_SIGNS) * SCALING : 0;
  if (is_wide_product(s, in) && !ptx_has(in->ptx, PTX_M_hi) && further) further--; /* two of its products are independent */
  if (in->unit != EXEC_U_SFU) return further * s->config->latency[EXEC_U_ALU] + (is_upper_product(s, in) ? UPPER : 0);
  return further * SCALING < MOST_SCALING ? further * SCALING : MOST_SCALING;
}

uint32_t sm_latency_of(const struct sm *s, const struct exec_inst *in) {
  if (is_sized_matrix(s, in)) return matrix_latency(in);
  return is_wgmma(in) ? wgmma_cycles(in) : s->config->latency[sm_unit_of(s, in)] + added_latency(s, in);
}

uint32_t sm_slow_cycles(const struct sm *s, const struct exec_warp *x, const struct exec_inst *in) {
  const struct sm_config *c = s->config;
  bool wide = in->unit == EXEC_U_DDIV || in->unit == EXEC_U_DRCP;
  if ((in->unit != EXEC_U_FDIV && !wide) || ptx_has(in->ptx, PTX_M_approx)) return 0;
  const uint32_t *of = wide ? c->slow_double : c->slow;
  uint32_t most = of[in->ptx->op == PTX_OP_div ? SM_SLOW_DIV : in->ptx->op == PTX_OP_rcp ? SM_SLOW_RCP : SM_SLOW_SQRT];
  return most && sm_takes_slow_path(x, in) ? most : 0;
}

/* Which pipelines the further instructions of a sequence use: logic and shifts of 64 bits the same pipelines, upper halves of sums those
 * for products (ptxas writes IMAD.X beside IADD3), other integer instructions any. */
uint8_t sm_pipe_of_sequence(const struct sm *s, const struct exec_inst *in) {
  enum sm_op op = sm_op_of[in->unit];
  if (!s->config->own_pipes) return SM_PIPE_SP;
  if (in->ptx->op == PTX_OP_bfi || in->unit == EXEC_U_ALU || is_wide_product(s, in)) return SM_PIPE_PRODUCT;
  if (s->config->pipe[in->unit] == SM_PIPE_ALU) return SM_PIPE_ALU;
  return op == SM_OP_INT || op == SM_OP_MULTIPLY || op == SM_OP_OTHER ? SM_PIPE_SUM : SM_PIPE_SP;
}
