/* Loops are unrolled, as ptxas 13.0 does for sm_90 (found by probes).
 *
 * Which loops: innermost loops with one exit, at their end, that compare a register to which each turn adds a constant with a value that
 * the loop does not change; without .pragma "nounroll", and without slow paths, calls, or exchanges between lanes.
 *
 * A loop with a known number of turns becomes straight code if the savings are worth its length: the square of the number of added
 * instructions is at most WORTH times the number of instructions saved, which are the loop's own and everything that a turn computes from
 * literals and its counters alone (a 64-bit operation counts once; the rule agrees with ptxas within 10 % of the length, except for loops
 * of two turns). Inside another loop it may have at most MOST_NESTED machine instructions, and the loop around it may then become an
 * innermost one. If that is too long, as many turns are placed one after the other as fit MOST_PARTIAL, if these are LEAST_PARTIAL or more.
 *
 * Of loops with an unknown number of turns four are placed one after the other, if a turn has at most SMALL machine instructions,
 * WITH_SHARED if it reads shared memory, or WITH_LOADS if it reads global memory or textures, which count twice:
 *
 *     if fewer than four turns are left, goto two
 *     four: turn turn turn turn; if four more are left, goto four
 *     if none is left, goto end
 *     two: if fewer than two are left, goto one
 *     turn turn; if none is left, goto end
 *     one: the loop as it was
 *     end:
 *
 * The tests are exact for any number and any overflow: they compare in 64 bits if the register has 32, and check for a wrap if it has 64.
 * Within the four, nothing that is known is tested. Registers that live within a turn are different ones in each of the four, so that the
 * order of the block (ptx_order.c) can move loads of all four to the beginning. Additions of a constant that carry a register from turn to
 * turn take an issue slot only in the last turn (a machine adds the constant to the addresses), and the sums for the tests take none (a
 * machine counts turns instead). */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 21, WITH_SHARED = 26, WITH_LOADS = 51, WORTH = 6500, MOST_NESTED = 280, MOST_PARTIAL = 320, LEAST_PARTIAL = 4 };
enum { TURNS = 4, LARGEST = 400 /* most instructions of a turn that is considered */, MOST_TURNS = 1024, NEAR_ZERO = 1 << 30 };

struct loop {
  uint32_t head, latch;      /* the first instruction, and the branch back */
  uint32_t step_at, test_at; /* the addition of the constant, and the comparison */
  int32_t counter;
  int64_t step;
  const struct ptx_opnd *bound;
  enum ptx_mod compare;      /* the condition of another turn: lt, le, gt, ge, ne */
  enum ptx_type type;        /* type of the comparison */
  bool test_needed;          /* the condition is read not only by the branch */
  bool straight;             /* becomes straight code: values computed from literals alone are not computed at run time */
};

struct unroll {
  struct ptx_module *m;
  struct ptx_func *f;
  struct lower_facts facts;
  uint8_t *slots;
  uint64_t **live_in;        /* block -> registers that are read before they are written from there on */
  struct lower_list list;
  int32_t *fresh;            /* register -> its name in the present turn, or LOWER_NONE */
  int32_t position, bound, left; /* registers for the tests */
};

static bool bit(const uint64_t *set, int32_t i) { return set[i / 64] >> i % 64 & 1; }
static void set_bit(uint64_t *set, int32_t i) { set[i / 64] |= UINT64_C(1) << i % 64; }

/* ---- liveness at the beginning of blocks ----------------------------------------------------------------------------------- */

/* Whether a register is only written and read under one guard with one value: its write then counts as unguarded. */
static bool under_one_guard(const struct lower_facts *a, int32_t reg) {
  if (a->writes[reg] != 1) return false;
  uint32_t from = (uint32_t)a->writer[reg], n = lower_n_uses(a, reg);
  const struct ptx_inst *in = &a->f->insts[from];
  if (a->writes[in->guard] != 1 || (uint32_t)a->writer[in->guard] > from) return false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = a->uses[a->use_start[reg] + i];
    const struct ptx_inst *use = &a->f->insts[at];
    if (at <= from || a->f->block_of[at] != a->f->block_of[from]) return false;
    if (!use->guarded || use->guard != in->guard || use->guard_negate != in->guard_negate) return false;
  }
  return a->f->block_of[a->writer[in->guard]] == a->f->block_of[from];
}

static void through_block(const struct lower_facts *a, uint32_t b, uint64_t *live) {
  const struct ptx_func *f = a->f;
  struct ptx_touched t;
  for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
    ptx_touches(f, &f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_writes; k++)
      if (!f->insts[i].guarded || under_one_guard(a, t.writes[k])) live[t.writes[k] / 64] &= ~(UINT64_C(1) << t.writes[k] % 64);
    for (uint32_t k = 0; k < t.n_reads; k++) set_bit(live, t.reads[k]);
  }
}

static void find_live_in(struct unroll *u) {
  const struct ptx_func *f = u->f;
  size_t words = f->n_regs / 64 + 1;
  uint64_t *live = must_alloc(words * sizeof *live);
  u->live_in = must_alloc((f->n_blocks + 1) * sizeof *u->live_in);
  for (uint32_t b = 0; b < f->n_blocks; b++) u->live_in[b] = must_alloc(words * sizeof *live);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = f->n_blocks; b-- > 0;) {
      memset(live, 0, words * sizeof *live);
      for (uint32_t i = 0; i < f->blocks[b].n_succ; i++)
        for (size_t w = 0; w < words; w++) live[w] |= u->live_in[f->blocks[b].succ[i]][w];
      through_block(&u->facts, b, live);
      if (!memcmp(live, u->live_in[b], words * sizeof *live)) continue;
      memcpy(u->live_in[b], live, words * sizeof *live);
      more = true;
    }
  }
  free(live);
}

/* ---- which loops ------------------------------------------------------------------------------------------------------------ */

static bool writes(const struct ptx_func *f, uint32_t i, int32_t reg) {
  struct ptx_touched t;
  ptx_touches(f, &f->insts[i], &t);
  for (uint32_t k = 0; k < t.n_writes; k++)
    if (t.writes[k] == reg) return true;
  return false;
}

static unsigned writers_within(const struct ptx_func *f, const struct loop *p, int32_t reg, uint32_t *at) {
  unsigned n = 0;
  for (uint32_t i = p->head; i <= p->latch; i++)
    if (writes(f, i, reg)) n++, *at = i;
  return n;
}

static bool may_be_repeated(const struct ptx_inst *in) {
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_CONTROL: return in->op == PTX_OP_bra;
  case PTX_WARP: return in->op == PTX_OP_bar || in->op == PTX_OP_barrier;
  case PTX_TENSOR: return in->op == PTX_OP_mma || in->op == PTX_OP_ldmatrix;
  case PTX_MEMORY: return in->op != PTX_OP_cp && in->op != PTX_OP_mbarrier;
  default: return !lower_has_slow_path(in) && !ptx_reads_clock(in);
  }
}

/* One entry, at the head, and one exit, after the latch; no other backward branch. */
static bool is_closed(const struct ptx_func *f, const struct loop *p) {
  for (uint32_t i = 0; i < f->n_insts; i++) {
    const struct ptx_inst *in = &f->insts[i];
    bool inside = i >= p->head && i <= p->latch;
    if (inside && i < p->latch && !may_be_repeated(in)) return false;
    if (in->op == PTX_OP_brx) return false;
    if (in->op != PTX_OP_bra) continue;
    uint32_t to = (uint32_t)in->ops[0].sym;
    bool into = to >= p->head && to <= p->latch;
    if (!inside && into && to != p->head) return false;
    if (inside && i < p->latch && (!into || to <= i)) return false;
  }
  return true;
}

static bool read_test(const struct ptx_inst *test, bool negated, struct loop *p) {
  static const struct {
    enum ptx_mod is, not_;
  } compares[] = {{PTX_M_lt, PTX_M_ge}, {PTX_M_le, PTX_M_gt}, {PTX_M_gt, PTX_M_le}, {PTX_M_ge, PTX_M_lt}, {PTX_M_ne, PTX_M_eq}};
  if (test->op != PTX_OP_setp || test->guarded || test->n_mods != 1 || test->n_ops != 3 || test->ops[0].second >= 0) return false;
  p->type = (enum ptx_type)test->types[0];
  for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
    if (test->mods[0] == (negated ? compares[i].not_ : compares[i].is)) {
      p->compare = compares[i].is;
      return true;
    }
  return false;
}

/* Whether the counter's steps lead it to the value that ends the loop, or past it. */
static bool goes_towards(const struct loop *p) {
  if (p->compare == PTX_M_lt || p->compare == PTX_M_le) return p->step > 0;
  if (p->compare == PTX_M_gt || p->compare == PTX_M_ge) return p->step < 0;
  return p->step != 0;
}

static bool read_counter(const struct unroll *u, struct loop *p) {
  const struct ptx_inst *latch = &u->f->insts[p->latch];
  if (!latch->guarded || writers_within(u->f, p, latch->guard, &p->test_at) != 1) return false;
  const struct ptx_inst *test = &u->f->insts[p->test_at];
  if (!read_test(test, latch->guard_negate, p) || test->ops[1].kind != PTX_O_REG) return false;
  p->counter = test->ops[1].reg;
  p->bound = &test->ops[2];
  uint32_t other;
  if (p->bound->kind == PTX_O_REG ? writers_within(u->f, p, p->bound->reg, &other) : p->bound->kind != PTX_O_INT) return false;
  if (writers_within(u->f, p, p->counter, &p->step_at) != 1 || p->step_at > p->test_at) return false;
  const struct ptx_inst *add = &u->f->insts[p->step_at];
  bool adds = add->op == PTX_OP_add && !add->guarded && add->ops[1].kind == PTX_O_REG && add->ops[1].reg == p->counter &&
              add->ops[2].kind == PTX_O_INT && !ptx_has(add, PTX_M_sat) && !ptx_has(add, PTX_M_cc);
  unsigned bits = ptx_type_bits(p->type);
  if (!adds || (bits != 32 && bits != 64) || ptx_type_float(p->type) || ptx_type_bits((enum ptx_type)add->types[0]) != bits) return false;
  p->step = bits == 32 ? (int32_t)add->ops[2].imm : add->ops[2].imm;
  uint32_t last = u->f->blocks[u->f->block_of[p->latch]].first; /* both are executed in every turn */
  return p->step_at >= last && p->step > -(1 << 20) && p->step < 1 << 20 && goes_towards(p);
}

static bool condition_is_read(const struct unroll *u, const struct loop *p) {
  int32_t reg = u->f->insts[p->latch].guard;
  for (uint32_t i = 0; i < lower_n_uses(&u->facts, reg); i++)
    if (u->facts.uses[u->facts.use_start[reg] + i] != p->latch) return true;
  return false;
}

static bool find_loop(const struct unroll *u, uint32_t latch, struct loop *p) {
  const struct ptx_inst *in = &u->f->insts[latch];
  if (in->op != PTX_OP_bra || (uint32_t)in->ops[0].sym > latch) return false;
  *p = (struct loop){.head = (uint32_t)in->ops[0].sym, .latch = latch};
  if (u->f->insts[p->head].nounroll || p->latch - p->head > LARGEST || !is_closed(u->f, p) || !read_counter(u, p)) return false;
  p->test_needed = condition_is_read(u, p);
  return true;
}

/* ---- how far ------------------------------------------------------------------------------------------------------------------ */

static bool is_far_load(const struct ptx_inst *in) {
  return (in->op == PTX_OP_ld && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC)) || in->op == PTX_OP_tex;
}

static unsigned size_of_turn(const struct unroll *u, const struct loop *p, unsigned *most) {
  unsigned n = 0;
  *most = SMALL;
  for (uint32_t i = p->head; i <= p->latch; i++) {
    const struct ptx_inst *in = &u->f->insts[i];
    bool far = is_far_load(in), near = in->op == PTX_OP_ld && in->space == PTX_SHARED;
    n += u->slots[i] + (far ? 1u : 0u);
    if (far) *most = WITH_LOADS;
    else if (near && *most < WITH_SHARED) *most = WITH_SHARED;
  }
  return n;
}

/* Whether every path into the loop passes the instruction at `from`, each time. */
static bool always_after(const struct ptx_func *f, const struct loop *p, uint32_t from) {
  if (from >= p->head) return false;
  for (uint32_t i = 0; i < f->n_insts; i++) {
    const struct ptx_inst *in = &f->insts[i];
    if (in->op != PTX_OP_bra || (i >= p->head && i <= p->latch)) continue;
    uint32_t to = (uint32_t)in->ops[0].sym;
    if (to > from && to <= p->head && (i < from || i >= p->head)) return false;
  }
  return true;
}

/* The value of one of the loop's counters when the loop is entered, if it is a literal. */
static bool register_starts_at(const struct unroll *u, const struct loop *p, int32_t reg, uint32_t step_at, int64_t *value) {
  if (u->facts.writes[reg] != 2 || !p->head) return false;
  for (uint32_t i = 0; i < u->f->n_insts; i++) {
    const struct ptx_inst *in = &u->f->insts[i];
    if (i == step_at || !writes(u->f, i, reg)) continue;
    *value = in->ops[1].imm;
    return in->op == PTX_OP_mov && !in->guarded && in->ops[1].kind == PTX_O_INT && always_after(u->f, p, i);
  }
  return false;
}

static bool starts_at(const struct unroll *u, const struct loop *p, int64_t *value) {
  return p->bound->kind == PTX_O_INT && register_starts_at(u, p, p->counter, p->step_at, value);
}

static int64_t as_compared(const struct loop *p, int64_t v) { return ptx_type_bits(p->type) == 32 ? (int32_t)v : v; }

static bool goes_on(const struct loop *p, int64_t at) {
  int64_t bound = as_compared(p, p->bound->imm);
  switch ((int)p->compare) {
  case PTX_M_lt: return at < bound;
  case PTX_M_le: return at <= bound;
  case PTX_M_gt: return at > bound;
  case PTX_M_ge: return at >= bound;
  default: return at != bound;
  }
}

/* Number of turns of a loop whose counter starts at a literal and is compared with one; 0: not known, or many. So near to zero nothing
 * wraps within the number of turns considered, except below zero in unsigned comparisons. */
static unsigned known_turns(const struct unroll *u, const struct loop *p) {
  int64_t at, bound = as_compared(p, p->bound->imm);
  if (!starts_at(u, p, &at)) return 0;
  at = as_compared(p, at);
  int64_t least = p->compare == PTX_M_ne || ptx_type_signed(p->type) ? -NEAR_ZERO : 0;
  if (at < least || at >= NEAR_ZERO || bound < least || bound >= NEAR_ZERO) return 0;
  for (unsigned turns = 1; turns <= MOST_TURNS; turns++) {
    at += p->step;
    if (at < 0 && !least) return 0;
    if (!goes_on(p, at)) return turns;
  }
  return 0;
}

/* ---- what is known in each turn ----------------------------------------------------------------------------------------------- */

static bool carries(const struct unroll *u, const struct loop *p, uint32_t i);

static bool is_literal(const struct unroll *u, int32_t reg) {
  int32_t writer = u->facts.writes[reg] == 1 ? u->facts.writer[reg] : LOWER_NONE;
  const struct ptx_inst *in = writer == LOWER_NONE ? NULL : &u->f->insts[writer];
  return in && in->op == PTX_OP_mov && !in->guarded && in->ops[1].kind == PTX_O_INT;
}

static bool is_pure(const struct ptx_inst *in) {
  enum ptx_family family = ptx_op_family((enum ptx_op)in->op);
  bool computes = family == PTX_ARITH || family == PTX_COMPARE || family == PTX_CONVERT || family == PTX_MOVE;
  if (in->guarded || in->n_ops < 2 || !computes) return false;
  for (uint32_t k = 1; k < in->n_ops; k++)
    if (in->ops[k].kind != PTX_O_REG && in->ops[k].kind != PTX_O_INT) return false;
  return !ptx_has(in, PTX_M_cc) && in->op != PTX_OP_addc && in->op != PTX_OP_subc && in->op != PTX_OP_madc;
}

/* Marks the instructions of a turn, from the head on, whose results are literals in straight code: sums of a counter that starts at a
 * literal, and what is computed from these and from literals. */
static void find_known(const struct unroll *u, const struct loop *p, bool *known) {
  struct ptx_touched t;
  bool *reg_known = must_alloc(u->f->n_regs + 1);
  int64_t value;
  for (uint32_t i = p->head; i < p->latch; i++) {
    known[i - p->head] = carries(u, p, i) && register_starts_at(u, p, u->f->insts[i].ops[0].reg, i, &value);
    if (known[i - p->head]) reg_known[u->f->insts[i].ops[0].reg] = true;
  }
  for (uint32_t i = p->head; i < p->latch; i++) {
    if (known[i - p->head] || !is_pure(&u->f->insts[i])) continue;
    ptx_touches(u->f, &u->f->insts[i], &t);
    bool all = t.n_writes == 1 && u->facts.writes[t.writes[0]] == 1;
    for (uint32_t k = 0; all && k < t.n_reads; k++) all = reg_known[t.reads[k]] || is_literal(u, t.reads[k]);
    known[i - p->head] = all;
    if (all) reg_known[t.writes[0]] = true;
  }
  free(reg_known);
}

/* Whether so many turns are worth their length as straight code. */
static bool is_worth_it(const struct unroll *u, const struct loop *p, unsigned turns) {
  bool known[LARGEST + 2] = {false};
  uint64_t saved = 2, left = 0; /* the comparison and the branch */
  find_known(u, p, known);
  for (uint32_t i = p->head; i < p->latch; i++) {
    if (i == p->test_at || !u->slots[i]) continue;
    if (known[i - p->head]) saved++;
    else left += is_far_load(&u->f->insts[i]) ? 2 : 1;
  }
  uint64_t added = left * (turns - 1);
  return added * added <= WORTH * saved * turns;
}

/* ---- turns -------------------------------------------------------------------------------------------------------------------- */

/* New names for registers that live within a turn: not read at its beginning before they are written, nor after the loop. */
static void name_turn(struct unroll *u, const struct loop *p) {
  struct ptx_touched t;
  const uint64_t *at_head = u->live_in[u->f->block_of[p->head]];
  const uint64_t *after = p->latch + 1 < u->f->n_insts ? u->live_in[u->f->block_of[p->latch + 1]] : NULL;
  for (uint32_t i = p->head; i <= p->latch; i++) {
    ptx_touches(u->f, &u->f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_writes; k++) {
      int32_t r = t.writes[k];
      if (bit(at_head, r) || (after && bit(after, r)) || u->f->regs[r].pinned) continue;
      u->fresh[r] = lower_new_reg(u->m, u->f, (enum ptx_type)u->f->regs[r].type);
    }
  }
}

static void forget_names(struct unroll *u, const struct loop *p) {
  struct ptx_touched t;
  for (uint32_t i = p->head; i <= p->latch; i++) {
    ptx_touches(u->f, &u->f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_writes; k++) u->fresh[t.writes[k]] = LOWER_NONE;
  }
}

/* Whether it adds a constant to a register that is carried from turn to turn. */
static bool carries(const struct unroll *u, const struct loop *p, uint32_t i) {
  const struct ptx_inst *in = &u->f->insts[i];
  return in->op == PTX_OP_add && !in->guarded && in->n_ops == 3 && in->ops[0].kind == PTX_O_REG && in->ops[1].kind == PTX_O_REG &&
         in->ops[0].reg == in->ops[1].reg && in->ops[2].kind == PTX_O_INT && bit(u->live_in[u->f->block_of[p->head]], in->ops[0].reg);
}

/* Puts one turn without the branch at its end. With `last`, the comparison is included and the counter's sums take their slots. */
static void put_turn(struct unroll *u, const struct loop *p, bool renamed, bool last) {
  uint32_t place[LARGEST + 2], from = (uint32_t)u->list.n;
  bool known[LARGEST + 2] = {false};
  if (p->straight) find_known(u, p, known);
  for (uint32_t i = p->head; i < p->latch; i++) {
    place[i - p->head] = (uint32_t)u->list.n;
    if (i == p->test_at && !last && !p->test_needed) continue;
    struct ptx_inst *in = lower_put(&u->list, &u->f->insts[i]);
    in->folded = in->folded || (!last && carries(u, p, i)) || (p->straight && known[i - p->head]);
    in->nounroll = false;
    if (renamed) lower_rename(u->m, in, u->fresh);
  }
  place[p->latch - p->head] = (uint32_t)u->list.n;
  for (uint32_t i = from; i < u->list.n; i++) {
    struct ptx_inst *in = &u->list.insts[i];
    if (in->op == PTX_OP_bra) lower_aim(&u->list, i, place[(uint32_t)in->ops[0].sym - p->head]);
  }
}

static void put_turns(struct unroll *u, const struct loop *p, unsigned turns) {
  for (unsigned k = 0; k < turns; k++) {
    bool last = k + 1 == turns;
    if (!last) name_turn(u, p);
    put_turn(u, p, !last, last);
    if (!last) forget_names(u, p);
  }
}

/* ---- tests -------------------------------------------------------------------------------------------------------------------- */

static struct ptx_opnd reg_operand(int32_t reg) { return (struct ptx_opnd){.kind = PTX_O_REG, .reg = reg, .second = -1, .sym = -1}; }
static struct ptx_opnd int_operand(int64_t v) { return (struct ptx_opnd){.kind = PTX_O_INT, .imm = v, .reg = -1, .second = -1, .sym = -1}; }

static struct ptx_inst *put_new(struct unroll *u, const struct loop *p, enum ptx_op op, const struct ptx_opnd *ops, unsigned n) {
  struct ptx_inst in = u->f->insts[p->latch];
  in.op = (uint16_t)op;
  in.guarded = in.guard_negate = in.nounroll = false;
  in.guard = -1;
  in.n_mods = 0;
  in.n_ops = (uint8_t)n;
  in.ops = arena_copy(&u->m->arena, ops, n * sizeof *ops);
  in.n_types = 1;
  in.types[0] = PTX_S64;
  in.folded = true;
  return lower_put(&u->list, &in);
}

static bool is_unsigned(const struct loop *p) { return !ptx_type_signed(p->type); }

static void put_widened(struct unroll *u, const struct loop *p, int32_t to, const struct ptx_opnd *from) {
  struct ptx_opnd ops[] = {reg_operand(to), *from};
  if (from->kind == PTX_O_INT) {
    ops[1] = int_operand(ptx_type_bits(p->type) == 64 ? from->imm : is_unsigned(p) ? (int64_t)(uint32_t)from->imm : (int32_t)from->imm);
    put_new(u, p, PTX_OP_mov, ops, 2)->types[0] = PTX_B64;
    return;
  }
  if (ptx_type_bits(p->type) == 64) {
    put_new(u, p, PTX_OP_mov, ops, 2)->types[0] = PTX_B64;
    return;
  }
  struct ptx_inst *in = put_new(u, p, PTX_OP_cvt, ops, 2);
  in->n_types = 2;
  in->types[0] = is_unsigned(p) ? PTX_U64 : PTX_S64;
  in->types[1] = is_unsigned(p) ? PTX_U32 : PTX_S32;
}

static void put_compare(struct unroll *u, const struct loop *p, enum ptx_mod compare, const struct ptx_opnd *a, const struct ptx_opnd *b,
                        enum ptx_type type) {
  struct ptx_opnd ops[] = {reg_operand(u->left), *a, *b};
  struct ptx_inst *in = put_new(u, p, PTX_OP_setp, ops, 3);
  in->n_mods = 1;
  in->mods[0] = (uint16_t)compare;
  in->types[0] = (uint8_t)type;
}

/* The comparison that is true as long as the counter, some turns further on, has not reached the end. */
static enum ptx_mod compare_for(const struct loop *p) {
  if (p->compare != PTX_M_ne) return p->compare;
  return p->step > 0 ? PTX_M_lt : PTX_M_gt;
}

/* Puts a branch to a place that is taken if so many turns are left (with `negate`, if not): the counter of the last but one of them is
 * still within the bound. With 64 bits, it must not have wrapped either. Returns the branch. */
static uint32_t put_test(struct unroll *u, const struct loop *p, unsigned turns, bool negate, uint32_t to) {
  struct ptx_opnd position = reg_operand(u->position), bound = reg_operand(u->bound), counter = reg_operand(p->counter);
  struct ptx_opnd sum[] = {position, position, int_operand((int64_t)(turns - 1) * p->step)};
  bool wide = ptx_type_bits(p->type) == 64;
  enum ptx_type type = wide && is_unsigned(p) ? PTX_U64 : PTX_S64;
  put_widened(u, p, u->position, &counter);
  put_widened(u, p, u->bound, p->bound);
  put_new(u, p, PTX_OP_add, sum, 3);
  put_compare(u, p, compare_for(p), &position, &bound, type);
  u->list.insts[u->list.n - 1].folded = false;
  if (wide) { /* left = left and not wrapped */
    struct ptx_inst *in = &u->list.insts[u->list.n - 1];
    struct ptx_inst joined = *in;
    in->mods[0] = (uint16_t)(p->step > 0 ? PTX_M_gt : PTX_M_lt);
    in->ops[2] = counter;
    in->folded = true;
    joined.ops = ARENA_ARRAY(&u->m->arena, struct ptx_opnd, 4);
    memcpy(joined.ops, in->ops, 3 * sizeof *in->ops);
    joined.ops[2] = bound;
    joined.ops[3] = reg_operand(u->left);
    joined.n_ops = 4;
    joined.n_mods = 2;
    joined.mods[1] = PTX_M_and;
    lower_put(&u->list, &joined);
  }
  return lower_put_branch(&u->list, &u->f->insts[p->latch], u->left, negate, to);
}

/* ---- loops ---------------------------------------------------------------------------------------------------------------------- */

/* Puts a branch out of the loop, taken if the condition of its last turn says so; its target is set later. */
static uint32_t put_exit(struct unroll *u, const struct loop *p) {
  const struct ptx_inst *latch = &u->f->insts[p->latch];
  return lower_put_branch(&u->list, latch, latch->guard, !latch->guard_negate, 0);
}

static void put_unrolled(struct unroll *u, const struct loop *p) {
  uint32_t to_two = put_test(u, p, TURNS, true, 0), four = (uint32_t)u->list.n;
  put_turns(u, p, TURNS);
  put_test(u, p, TURNS, false, four);
  uint32_t out_of_four = put_exit(u, p);
  lower_aim(&u->list, to_two, (uint32_t)u->list.n);
  uint32_t to_one = put_test(u, p, 2, true, 0);
  put_turns(u, p, 2);
  uint32_t out_of_two = put_exit(u, p);
  lower_aim(&u->list, to_one, (uint32_t)u->list.n);
  uint32_t one = (uint32_t)u->list.n;
  put_turn(u, p, false, true);
  u->list.insts[one].nounroll = true;
  const struct ptx_inst *latch = &u->f->insts[p->latch];
  lower_put_branch(&u->list, latch, latch->guard, latch->guard_negate, one);
  lower_aim(&u->list, out_of_four, (uint32_t)u->list.n);
  lower_aim(&u->list, out_of_two, (uint32_t)u->list.n);
}

/* Puts a known number of turns, `at_once` of them one after the other. */
static void put_known(struct unroll *u, const struct loop *p, unsigned turns, unsigned at_once) {
  const struct ptx_inst *latch = &u->f->insts[p->latch];
  uint32_t first = (uint32_t)u->list.n;
  put_turns(u, p, at_once);
  u->list.insts[first].nounroll = true;
  if (at_once < turns) lower_put_branch(&u->list, latch, latch->guard, latch->guard_negate, first);
}

static bool is_nested(const struct ptx_func *f, const struct loop *p) {
  for (uint32_t i = p->latch + 1; i < f->n_insts; i++)
    if (f->insts[i].op == PTX_OP_bra && (uint32_t)f->insts[i].ops[0].sym <= p->head) return true;
  return false;
}

static unsigned turns_at_once(const struct unroll *u, const struct loop *p, unsigned turns, unsigned size) {
  bool nested = is_nested(u->f, p);
  if (nested ? turns * size <= MOST_NESTED : is_worth_it(u, p, turns)) return turns;
  if (nested) return 1;
  unsigned k = MOST_PARTIAL / (size ? size : 1);
  if (k < LEAST_PARTIAL) return 1;
  while (k > 1 && turns % k) k--;
  return k;
}

/* Replaces the loop at `head`, whose latch is known; false: it stays as it was. */
static bool put_loop(struct unroll *u, struct loop *p) {
  unsigned most, size = size_of_turn(u, p, &most), turns = known_turns(u, p);
  unsigned at_once = turns ? turns_at_once(u, p, turns, size) : 0;
  if (turns ? at_once < 2 : size > most) return false;
  p->straight = turns && at_once == turns;
  if (u->left == LOWER_NONE) {
    u->position = lower_new_reg(u->m, u->f, PTX_B64);
    u->bound = lower_new_reg(u->m, u->f, PTX_B64);
    u->left = lower_new_reg(u->m, u->f, PTX_PRED);
  }
  lower_here(&u->list, p->head);
  if (turns) put_known(u, p, turns, at_once);
  else put_unrolled(u, p);
  return true;
}

static bool rewrite(struct unroll *u, struct loop *loop_at) {
  uint32_t n = u->f->n_insts;
  bool any = false;
  lower_begin(&u->list, u->m, u->f);
  for (uint32_t i = 0; i < n;) {
    if (loop_at[i].latch && put_loop(u, &loop_at[i])) {
      i = loop_at[i].latch + 1;
      any = true;
      continue;
    }
    lower_here(&u->list, i);
    lower_put(&u->list, &u->f->insts[i++]);
  }
  lower_end(&u->list);
  return any;
}

bool lower_loops(struct ptx_module *m, struct ptx_func *f) {
  struct unroll u = {.m = m, .f = f, .left = LOWER_NONE};
  uint32_t blocks = f->n_blocks, regs = f->n_regs;
  struct loop *loop_at = must_alloc((f->n_insts + 1) * sizeof *loop_at), p;
  bool any = false;
  lower_find_facts(&u.facts, f);
  u.slots = must_alloc(f->n_insts);
  lower_count_slots(f, u.slots);
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (find_loop(&u, i, &p)) loop_at[p.head] = p, any = true;
  if (any) {
    find_live_in(&u);
    u.fresh = must_alloc((regs + 1) * sizeof *u.fresh);
    for (uint32_t r = 0; r < regs; r++) u.fresh[r] = LOWER_NONE;
    any = rewrite(&u, loop_at);
    for (uint32_t b = 0; b < blocks; b++) free(u.live_in[b]);
    free(u.live_in);
    free(u.fresh);
  }
  lower_free_facts(&u.facts);
  free(u.slots);
  free(loop_at);
  return any;
}
