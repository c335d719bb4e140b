/* The order of an assembler (list scheduling): within a block, loads with the instructions that compute their addresses, and those that
 * compute the condition of the branch at its end, come first. An instruction that would wait for another's result is placed after
 * instructions that need not wait. Otherwise the order of the PTX stays.
 *
 * The order is kept between instructions that write a register and those that use it, between stores, and between a load and a store that
 * may access the same memory (by state space; .const and .nc are never written, textures read what global stores write). In lowered code a
 * load passes a store to other bytes relative to the same register, as in ptxas's code: p[0] += x; p[1] += x; loads both words first.
 * Everything that orders memory, threads or time stays in its place and divides the block into regions: barriers, votes, shuffles, atomics,
 * fences, calls, surfaces, asynchronous copies, volatile accesses, reads of a clock. Matrix instructions need all lanes of a warp, which
 * are present anywhere in a block, and move like arithmetic; so do shuffles in lowered code, as in ptxas's code.
 *
 * Loads go ahead as long as their results fit into 24 registers; after that, one more follows for each result that is used up. In `lowered`
 * code (ptx_lower), for which the machine instructions are known, the bound is that of ptxas 13.0 for sm_90, found by compiling sums of 1
 * to 48 words at a time with varied launch bounds: results may use what other registers leave of those that ptxas aims at
 * (lower_aimed_registers: 32 without launch bounds), or of 8, 16 and so on more if fewer than five would be left, fewer than nine with
 * loads of four words of shared memory. Registers added for one block are available in all: beside a loop with 32, 64 or 128 values 25, 48
 * and 48 of 48 words are outstanding elsewhere, and 18 without it; the function has 40, 72 and 134 registers. In use are values that differ
 * between the lanes of a warp and are needed before the region, and after it or until their last use in it; values that all lanes share are
 * in uniform registers and constant memory, and values that are part of another instruction need no register. A machine has seven
 * predicates: an instruction that sets an eighth waits until one is used up, and so do the loads that it guards. The registers that a
 * function needs (regs_needed) are counted before; a function whose new order would need more than exist keeps its own.
 *
 * In lowered code loads from device memory go before those from shared memory, for which twelve of the registers are reserved: ptxas has
 * eleven words or three quadruples of shared memory outstanding (up to six or seven with launch bounds), and moves a load from device
 * memory ahead of any number of them when a register becomes free.
 *
 * In lowered code divisions and roots that become a branch or a call in machine code also divide a block. If the results of all loads fit,
 * uses are placed after all loads (seen in ptxas's code of sums over rows and columns), not as soon as the nearest cache would have
 * answered.
 *
 * Does not unroll loops (src/ptx/lower/), move anything across a branch, or shorten arithmetic. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_REGISTERS = 255,
  REGION = 512, /* instructions that are ordered at a time: limits the time for long blocks */
  RESULT = 4,    /* instructions that an assembler puts between an instruction and the use of its result */
  LOADED = 32,   /* the same for a load, from the nearest cache */
  FAR = 256,     /* and for a load from device memory, if the results of all loads fit: uses come after all loads */
  ROOM = 24,     /* registers for results of loads */
  NEAR_ROOM = 12, MOST_NEAR = 24, /* those that may hold words of shared memory, without and with launch bounds */
  PREDICATES = 7, /* of a machine */
  NEXT_LIMIT = 8, LEAST_ROOM = 5, LEAST_FOR_FOUR = 9, /* limits for loads if other registers are in use */
  NONE = -1
};

/* ---- what may move --------------------------------------------------------------------------------------------------- */

bool ptx_reads_clock(const struct ptx_inst *in) {
  for (uint32_t i = 0; i < in->n_ops; i++) {
    if (in->ops[i].kind != PTX_O_SREG) continue;
    int32_t s = in->ops[i].reg;
    if (s == PTX_SR_clock || s == PTX_SR_clock_hi || s == PTX_SR_clock64 || s == PTX_SR_globaltimer || s == PTX_SR_globaltimer_lo ||
        s == PTX_SR_globaltimer_hi)
      return true;
  }
  return false;
}

static bool is_ordered(const struct ptx_inst *in) {
  static const enum ptx_mod ordered[] = {PTX_M_volatile, PTX_M_relaxed, PTX_M_acquire, PTX_M_release, PTX_M_mmio};
  for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
    if (ptx_has(in, ordered[i])) return true;
  return false;
}

static bool is_texture(const struct ptx_inst *in) { return in->op == PTX_OP_tex || in->op == PTX_OP_tld4; }

static bool is_load(const struct ptx_inst *in) {
  return in->op == PTX_OP_ld || in->op == PTX_OP_ldu || in->op == PTX_OP_ldmatrix || is_texture(in);
}

static bool is_far(const struct ptx_inst *in) {
  bool near = in->space == PTX_SHARED || in->space == PTX_CONST || in->space == PTX_PARAM;
  return is_load(in) && (is_texture(in) || (in->op != PTX_OP_ldmatrix && !near));
}

static bool is_shuffle(const struct ptx_inst *in) { return in->op == PTX_OP_shfl && ptx_has(in, PTX_M_sync); }

static bool moves(const struct ptx_inst *in, bool lowered) {
  if (lowered && lower_has_slow_path(in)) return false;
  if (lowered && is_shuffle(in)) return !in->guarded;
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_ARITH:
  case PTX_COMPARE:
  case PTX_CONVERT:
  case PTX_MOVE:
  case PTX_VIDEO: return !ptx_reads_clock(in);
  case PTX_TENSOR: return in->op == PTX_OP_mma || in->op == PTX_OP_ldmatrix || in->op == PTX_OP_movmatrix;
  case PTX_TEXTURE: return is_texture(in);
  case PTX_MEMORY: return (is_load(in) || in->op == PTX_OP_st) && !is_ordered(in);
  default: return false;
  }
}

/* The carry flag is a register that no operand names. */
static bool touches_carry(const struct ptx_inst *in) {
  return in->op == PTX_OP_addc || in->op == PTX_OP_subc || in->op == PTX_OP_madc || ptx_has(in, PTX_M_cc);
}

static bool never_written(const struct ptx_inst *load) { return load->space == PTX_CONST || ptx_has(load, PTX_M_nc); }

static bool may_alias(const struct ptx_inst *load, const struct ptx_inst *store) {
  if (never_written(load)) return false;
  if (is_texture(load)) return store->space == PTX_GLOBAL || store->space == PTX_GENERIC;
  return load->space == store->space || load->space == PTX_GENERIC || store->space == PTX_GENERIC;
}

/* ---- one region ------------------------------------------------------------------------------------------------------ */

/* What a load or store of a region accesses: bytes `at` and on, relative to what a register or variable held before the region or, if
 * `writer` is an instruction of the region, to its result. */
struct place {
  bool known;
  uint8_t base;          /* PTX_O_REG or PTX_O_VAR */
  int32_t name, writer;
  int64_t at, bytes;
};

struct region {
  const struct ptx_func *f;
  bool lowered; /* machine registers are known, and instructions with a slow path stay in place */
  const struct ptx_inst *in;
  uint32_t n;
  uint64_t before[REGION][REGION / 64]; /* the instructions that each instruction must follow */
  struct {
    int32_t regs[64];
    uint32_t reads, writes; /* the first ones are read, the others written */
    bool everything;        /* too many to list: keeps its place */
  } touched[REGION];
  struct place places[REGION]; /* in lowered code */
  int32_t condition;    /* register of the branch that follows, or NONE */
  bool wanted[REGION]; /* a load, an instruction that sets the condition, or one that either of these must follow */
  bool done[REGION];
  uint32_t earliest[REGION]; /* first place at which it waits for no result */
  uint32_t held, held_near;  /* registers that hold results of loads; those of shared memory among them */
  uint32_t near_left;        /* registers that unplaced loads of shared memory will need */
  uint32_t limit;            /* registers up to which loads go ahead, anywhere in the function */
  bool is_bound;             /* launch bounds set the limit */
  uint32_t room, near_room;  /* registers available for results; for results of shared memory */
  bool all_fit;              /* the results of all loads fit at once */
  const struct ptx_live *live;  /* of the function; NULL: other registers do not count */
  const uint8_t *weight;        /* register of the function -> machine registers that it takes */
  uint32_t *reads_left;         /* of a register needed up to its last use in the region: its unplaced uses */
  int32_t predicates;        /* free predicates; negative if the function needs more than exist */
  uint32_t *tests_left;      /* of a predicate not needed after the region: its unplaced uses */
  bool *tested;              /* predicates that are in use */
  uint32_t users[REGION];    /* of a placed load: unplaced instructions that use its result */
};

static void list_registers(struct region *s) {
  struct ptx_touched t;
  for (uint32_t i = 0; i < s->n; i++) {
    ptx_touches(s->f, &s->in[i], &t);
    s->touched[i].everything = t.n_reads + t.n_writes > 64;
    if (s->touched[i].everything) continue;
    s->touched[i].reads = t.n_reads;
    s->touched[i].writes = t.n_writes;
    memcpy(s->touched[i].regs, t.reads, t.n_reads * sizeof *t.reads);
    memcpy(s->touched[i].regs + t.n_reads, t.writes, t.n_writes * sizeof *t.writes);
  }
}

static bool share_register(const struct region *s, uint32_t a, uint32_t b) {
  if (s->touched[a].everything || s->touched[b].everything) return true;
  uint32_t n_a = s->touched[a].reads + s->touched[a].writes, n_b = s->touched[b].reads + s->touched[b].writes;
  for (uint32_t i = 0; i < n_a; i++)
    for (uint32_t k = i < s->touched[a].reads ? s->touched[b].reads : 0; k < n_b; k++)
      if (s->touched[a].regs[i] == s->touched[b].regs[k]) return true;
  return false;
}

static int32_t last_writer(const struct region *s, int32_t reg, int32_t before) {
  for (int32_t i = before; i-- > 0;) {
    if (s->touched[i].everything) return i;
    for (uint32_t k = 0; k < s->touched[i].writes; k++)
      if (s->touched[i].regs[s->touched[i].reads + k] == reg) return i;
  }
  return NONE;
}

/* r = other register + literal, for all lanes. */
static bool adds_literal(const struct ptx_inst *in) {
  return in->op == PTX_OP_add && !in->guarded && in->n_ops == 3 && in->ops[0].kind == PTX_O_REG && in->ops[1].kind == PTX_O_REG &&
         !in->ops[1].negative && in->ops[2].kind == PTX_O_INT;
}

static struct place place_of(const struct region *s, uint32_t i) {
  const struct ptx_inst *in = &s->in[i];
  struct place p = {.writer = NONE};
  if ((in->op != PTX_OP_ld && in->op != PTX_OP_st) || in->n_types < 1) return p;
  const struct ptx_opnd *to = &in->ops[in->op == PTX_OP_ld];
  if (in->n_ops < 2 || to->kind != PTX_O_MEM || !to->n_elems) return p;
  const struct ptx_opnd *base = &to->elems[0];
  p.known = base->kind == PTX_O_REG || base->kind == PTX_O_VAR;
  p.base = base->kind;
  p.name = base->kind == PTX_O_REG ? base->reg : base->sym;
  p.at = to->imm + (base->kind == PTX_O_VAR ? base->imm : 0);
  p.bytes = ptx_type_bits((enum ptx_type)in->types[0]) / 8 * in->vec;
  if (base->kind != PTX_O_REG) return p;
  for (int32_t before = (int32_t)i;; before = p.writer) {
    p.writer = last_writer(s, p.name, before);
    if (p.writer == NONE || !adds_literal(&s->in[p.writer])) return p;
    p.at += s->in[p.writer].ops[2].imm;
    p.name = s->in[p.writer].ops[1].reg;
  }
}

/* Whether two accesses of one state space, relative to the same base, do not overlap. */
static bool are_apart(const struct region *s, uint32_t a, uint32_t b) {
  const struct place *p = &s->places[a], *q = &s->places[b];
  if (!s->lowered || !p->known || !q->known || s->in[a].space != s->in[b].space) return false;
  if (p->base != q->base || p->name != q->name || p->writer != q->writer) return false;
  return p->at + p->bytes <= q->at || q->at + q->bytes <= p->at;
}

static bool must_follow(const struct region *s, uint32_t later, uint32_t earlier) {
  const struct ptx_inst *a = &s->in[earlier], *b = &s->in[later];
  bool a_stores = a->op == PTX_OP_st, b_stores = b->op == PTX_OP_st;
  if (a_stores && b_stores) return true;
  if (a_stores && is_load(b) && may_alias(b, a) && !are_apart(s, earlier, later)) return true;
  if (b_stores && is_load(a) && may_alias(a, b) && !are_apart(s, earlier, later)) return true;
  if (touches_carry(a) && touches_carry(b)) return true;
  return share_register(s, earlier, later);
}

static bool sets_condition(const struct region *s, uint32_t i) {
  if (s->condition == NONE || s->touched[i].everything) return false;
  for (uint32_t k = 0; k < s->touched[i].writes; k++)
    if (s->touched[i].regs[s->touched[i].reads + k] == s->condition) return true;
  return false;
}

static void find_order(struct region *s) {
  for (uint32_t i = 0; i < s->n && s->lowered; i++) s->places[i] = place_of(s, i);
  for (uint32_t i = 0; i < s->n; i++) {
    memset(s->before[i], 0, sizeof s->before[i]);
    for (uint32_t k = 0; k < i; k++)
      if (must_follow(s, i, k)) s->before[i][k / 64] |= UINT64_C(1) << k % 64;
  }
  for (uint32_t i = s->n; i-- > 0;) {
    s->wanted[i] |= is_load(&s->in[i]) || sets_condition(s, i);
    for (uint32_t k = 0; s->wanted[i] && k < i; k++)
      if (s->before[i][k / 64] >> k % 64 & 1) s->wanted[k] = true;
  }
}

static bool ready(const struct region *s, uint32_t i, const uint64_t *placed) {
  for (uint32_t w = 0; w <= i / 64; w++)
    if (s->before[i][w] & ~placed[w]) return false;
  return true;
}

/* 32-bit registers that hold the result of a load; parameters and constants are operands of the instructions that use them. */
static uint32_t registers_of(const struct region *s, uint32_t i) {
  uint32_t n = 0;
  if (!is_load(&s->in[i]) || s->in[i].space == PTX_PARAM || s->in[i].space == PTX_CONST) return 0;
  for (uint32_t k = 0; !s->touched[i].everything && k < s->touched[i].writes; k++)
    n += ptx_type_bits((enum ptx_type)s->f->regs[s->touched[i].regs[s->touched[i].reads + k]].type) > 32 ? 2 : 1;
  return n;
}

static bool is_near(const struct region *s, uint32_t i) { return is_load(&s->in[i]) && !is_far(&s->in[i]); }

static bool loads_fit(const struct region *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) n += registers_of(s, i);
  return s->lowered && n <= s->room;
}

/* Whether there is a register for the result of a load. The first load always has its registers. */
static bool has_room(const struct region *s, uint32_t i) {
  uint32_t needs = registers_of(s, i), wanted_near = s->near_left + s->held_near;
  uint32_t for_near = s->room < s->near_room + 1 ? s->room - 1 : s->near_room;
  if (!needs || !s->held) return true;
  if (!s->lowered) return s->held + needs <= s->room;
  if (is_near(s, i)) return !s->held_near || (s->held_near + needs <= s->near_room && s->held + needs <= s->room);
  return s->held - s->held_near + needs <= s->room - (wanted_near < for_near ? wanted_near : for_near);
}

static bool is_predicate(const struct region *s, int32_t r) { return s->f->regs[r].type == PTX_PRED; }

/* Whether there are enough predicates for those that the instruction sets. */
static bool has_predicates(const struct region *s, uint32_t i) {
  int32_t needs = 0;
  for (uint32_t k = 0; s->live && !s->touched[i].everything && k < s->touched[i].writes; k++) {
    int32_t r = s->touched[i].regs[s->touched[i].reads + k];
    needs += is_predicate(s, r) && s->tests_left[r] && !s->tested[r];
  }
  return !needs || needs <= s->predicates;
}

/* The instruction for the next place: among those that wait for no result the first wanted one, loads from shared memory after the others;
 * if all wait, the one that waits least. A load without a register for its result comes last, and so does an instruction that sets a
 * predicate when none is free. */
static uint32_t next_instruction(const struct region *s, const uint64_t *placed, uint32_t place) {
  int32_t near = NONE, other = NONE, last = NONE;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->done[i] || !ready(s, i, placed)) continue;
    if (!has_room(s, i) || !has_predicates(s, i)) {
      if (last == NONE) last = (int32_t)i;
      continue;
    }
    if (s->wanted[i] && s->earliest[i] <= place) {
      if (!s->lowered || !is_near(s, i)) return i;
      if (near == NONE) near = (int32_t)i;
    }
    if (other == NONE || (s->earliest[other] > place && s->earliest[i] < s->earliest[other])) other = (int32_t)i;
  }
  if (near != NONE) return (uint32_t)near;
  return (uint32_t)(other == NONE ? last : other);
}

static bool uses_result(const struct region *s, uint32_t later, uint32_t earlier) {
  if (s->touched[later].everything || s->touched[earlier].everything) return true;
  const int32_t *written = s->touched[earlier].regs + s->touched[earlier].reads;
  for (uint32_t i = 0; i < s->touched[earlier].writes; i++)
    for (uint32_t k = 0; k < s->touched[later].reads; k++)
      if (s->touched[later].regs[k] == written[i]) return true;
  return false;
}

/* Delays the users of the result of an instruction that has been placed. */
static void keep_away(struct region *s, uint32_t i, uint32_t place) {
  uint32_t from = place + (s->all_fit && is_far(&s->in[i]) ? FAR : is_load(&s->in[i]) || is_shuffle(&s->in[i]) ? LOADED : RESULT);
  for (uint32_t k = i + 1; k < s->n; k++)
    if (s->before[k][i / 64] >> i % 64 & 1 && s->earliest[k] < from && uses_result(s, k, i)) s->earliest[k] = from;
}

/* A placed instruction takes registers if it loads, and frees those of which it is the last user. */
static void take_registers(struct region *s, uint32_t i) {
  for (uint32_t k = 0; k < i; k++)
    if (s->users[k] && uses_result(s, i, k) && !--s->users[k]) {
      s->held -= registers_of(s, k);
      if (is_near(s, k)) s->held_near -= registers_of(s, k);
    }
  for (uint32_t k = 0; s->live && !s->touched[i].everything && k < s->touched[i].reads; k++) {
    int32_t r = s->touched[i].regs[k];
    if (s->reads_left[r] && !--s->reads_left[r]) s->room += s->weight[r];
  }
  if (!is_load(&s->in[i])) return;
  s->held += registers_of(s, i);
  if (is_near(s, i)) s->held_near += registers_of(s, i), s->near_left -= registers_of(s, i);
  for (uint32_t k = i + 1; k < s->n; k++) s->users[i] += uses_result(s, k, i);
}

/* The same for predicates; unused ones do not count. */
static void take_predicates(struct region *s, uint32_t i) {
  uint32_t reads = s->touched[i].reads, writes = s->touched[i].writes;
  if (!s->live || s->touched[i].everything) return;
  for (uint32_t k = 0; k < reads; k++) {
    int32_t r = s->touched[i].regs[k];
    if (is_predicate(s, r) && s->tests_left[r] && !--s->tests_left[r] && s->tested[r]) s->tested[r] = false, s->predicates++;
  }
  for (uint32_t k = reads; k < reads + writes; k++) {
    int32_t r = s->touched[i].regs[k];
    if (is_predicate(s, r) && s->tests_left[r] && !s->tested[r]) s->tested[r] = true, s->predicates--;
  }
}

static void order_region(struct region *s, struct ptx_inst *out) {
  uint64_t placed[REGION / 64] = {0};
  uint32_t place = 0;
  memset(s->wanted, 0, sizeof s->wanted);
  memset(s->done, 0, sizeof s->done);
  memset(s->earliest, 0, sizeof s->earliest);
  memset(s->users, 0, sizeof s->users);
  s->held = s->held_near = s->near_left = 0;
  for (uint32_t i = 0; i < s->n; i++) s->near_left += is_near(s, i) ? registers_of(s, i) : 0;
  s->all_fit = loads_fit(s);
  find_order(s);
  for (uint32_t n = 0; n < s->n; n++, place++) {
    uint32_t i = next_instruction(s, placed, place);
    if (s->earliest[i] > place) place = s->earliest[i];
    placed[i / 64] |= UINT64_C(1) << i % 64;
    s->done[i] = true;
    out[n] = s->in[i];
    keep_away(s, i, place);
    take_registers(s, i);
    take_predicates(s, i);
  }
}

/* ---- functions ------------------------------------------------------------------------------------------------------- */

/* Counts how often a register is read in the region, if it is not needed after it; returns whether it is in use at the start of the
 * region. */
static bool in_use_at(struct region *s, uint32_t r, uint32_t first, uint32_t end) {
  s->reads_left[r] = 0;
  if (!s->weight[r] || s->live->first[r] >= 2 * first || s->live->last[r] < 2 * first) return false;
  for (uint32_t i = 0; s->live->last[r] <= 2 * end && i < s->n; i++)
    for (uint32_t k = 0; !s->touched[i].everything && k < s->touched[i].reads; k++) s->reads_left[r] += s->touched[i].regs[k] == (int32_t)r;
  return true;
}

/* Registers available for results of loads in the region that begins at `first`. */
static uint32_t room_at(struct region *s, uint32_t first, uint32_t end) {
  s->near_room = NEAR_ROOM;
  uint32_t used = 0, limit = s->limit, least = LEAST_ROOM;
  if (!s->live) return ROOM;
  for (uint32_t r = 0; r < s->f->n_regs; r++)
    if (in_use_at(s, r, first, end)) used += s->weight[r];
  for (uint32_t i = 0; i < s->n; i++)
    if (is_near(s, i) && registers_of(s, i) >= 4) least = LEAST_FOR_FOUR;
  while (!s->is_bound && limit < used + least) limit += NEXT_LIMIT;
  uint32_t room = limit > used ? limit - used : 1;
  if (s->f->maxntid[0]) s->near_room = room / 2 < NEAR_ROOM ? NEAR_ROOM : room / 2 < MOST_NEAR ? room / 2 : MOST_NEAR;
  return room;
}

/* The limit of registers up to which loads of the function go ahead: registers in use at the start of its blocks exist anyway. */
static void find_limit(struct region *s) {
  s->limit = lower_aimed_registers(s->f, &s->is_bound) - 1;
  for (uint32_t b = 0; s->live && !s->is_bound && b < s->f->n_blocks; b++) {
    uint32_t used = 0, at = 2 * s->f->blocks[b].first;
    for (uint32_t r = 0; r < s->f->n_regs; r++) used += s->live->first[r] < at && s->live->last[r] >= at ? s->weight[r] : 0;
    while (s->limit < used + LEAST_ROOM) s->limit += NEXT_LIMIT;
  }
}

/* Predicates that are free at the start of the region, and how often each is read in it: one that is needed after it is never free
 * again. */
static void count_predicates(struct region *s, uint32_t first, uint32_t end) {
  s->predicates = PREDICATES;
  for (uint32_t r = 0; s->live && r < s->f->n_regs; r++) {
    if (!is_predicate(s, (int32_t)r)) continue;
    s->tested[r] = s->live->first[r] < 2 * first && s->live->last[r] >= 2 * first;
    s->predicates -= s->tested[r];
    s->tests_left[r] = s->live->last[r] >= 2 * end;
  }
  for (uint32_t i = 0; s->live && i < s->n; i++)
    for (uint32_t k = 0; !s->touched[i].everything && k < s->touched[i].reads; k++)
      if (is_predicate(s, s->touched[i].regs[k])) s->tests_left[s->touched[i].regs[k]]++;
}

static void order_block(struct region *s, const struct ptx_inst *old, struct ptx_inst *new, const struct ptx_block *b) {
  for (uint32_t i = b->first; i < b->end;) {
    uint32_t end = i;
    while (end < b->end && end - i < REGION && moves(&old[end], s->lowered)) end++;
    s->condition = end < b->end && old[end].op == PTX_OP_bra && old[end].guarded ? old[end].guard : NONE;
    if (end - i > 1) {
      s->in = &old[i];
      s->n = end - i;
      list_registers(s);
      s->room = room_at(s, i, end);
      count_predicates(s, i, end);
      order_region(s, &new[i]);
    }
    i = end + (end == i || end < b->end); /* past the instruction that does not move */
  }
}

static void allocate_again(struct ptx_func *f) {
  memset(f->slots, 0, sizeof f->slots);
  ptx_allocate_slots(f);
}

static void order_function(struct region *s, struct ptx_func *f) {
  size_t bytes = f->n_insts * sizeof *f->insts;
  uint32_t needed = f->regs_needed;
  struct ptx_live live;
  uint8_t *weight = s->lowered ? lower_weigh_registers(f, false) : NULL;
  if (weight) ptx_find_live(f, NULL, &live);
  s->live = weight ? &live : NULL;
  s->weight = weight;
  s->reads_left = must_alloc((f->n_regs + 1) * sizeof *s->reads_left);
  s->tests_left = must_alloc((f->n_regs + 1) * sizeof *s->tests_left);
  s->tested = must_alloc((f->n_regs + 1) * sizeof *s->tested);
  struct ptx_inst *old = must_alloc(bytes);
  memcpy(old, f->insts, bytes);
  s->f = f;
  find_limit(s);
  for (uint32_t b = 0; b < f->n_blocks; b++) order_block(s, old, f->insts, &f->blocks[b]);
  allocate_again(f);
  if (f->regs_needed > MOST_REGISTERS && needed <= MOST_REGISTERS) {
    memcpy(f->insts, old, bytes);
    allocate_again(f);
  }
  f->regs_needed = needed;
  free(old);
  free(s->reads_left);
  free(s->tests_left);
  free(s->tested);
  if (weight) ptx_free_live(&live);
  free(weight);
}

void ptx_order_blocks(struct ptx_module *m, bool lowered) {
  struct region *s = must_alloc(sizeof *s);
  s->lowered = lowered;
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (m->funcs[i].n_insts) order_function(s, &m->funcs[i]);
  free(s);
}
