/* Tiles of wmma as a machine moves them. ptxas 13.0 makes of wmma.load and wmma.store on sm_90 (17 kernels compiled: both layouts, global
 * and shared memory, f16, bf16, 8 bits, sums of f16, f32 and s32)
 *
 * - of 16-bit matrices in shared memory one ldmatrix for four blocks of 8 x 8, .trans where the tile lies the other way;
 * - of everything else a load or store by each lane for each block, 4 bytes, two numbers of a sum of 32 bits, and behind it or before it a
 *   movmatrix where the tile lies the other way, or a load for each number where numbers have 32 bits;
 * - nothing of a tile that nobody reads;
 *
 * and of wmma.mma two mma of 16 x 8 x 16. Lane i has unit i % 4 of line i / 4 in every block: the fragments are those of
 * src/exec/tensor/tensor_layout.c, with which tests/exec/test_lowering.c compares them. What a lane adds to an address is computed once for
 * a stride, where that is written; ptxas moves it out of loops.
 *
 * Does not: 8 bits in shared memory or the other way, tf32, f64 and smaller types, of which the machine code was not looked at, tiles under
 * a guard, loads whose stride is a register of the fragment, products that saturate. */
#include "ptx/lower/lower.h"

#include <assert.h>
#include <stdlib.h>

enum part { PART_A, PART_B, PART_C };

struct tile {
  enum part part;
  bool store, across;          /* across: lines of the fragment do not lie along those of memory */
  bool wide;                   /* more columns than rows: computed with a and b exchanged */
  unsigned lines, length, bits, unit; /* of the fragment, in elements; unit: of a lane in a block */
  bool along_first;            /* the order of blocks: along the line first, or pairs of lines */
  bool by_blocks;              /* ldmatrix */
};

/* A number that only depends on the lane: `what` shifted to the left. */
enum what { LANE_LINE, LANE_UNIT, LANE_16, LANE_HALF, LANE_PAIRED, LANE_ODD, WHATS };
struct lane_number {
  enum what what;
  unsigned shift;
  bool wide;
  int32_t reg;
};

/* What a lane adds to the address of a tile: times * stride + more, computed behind the only instruction that writes the stride, or at the
 * beginning if that is a literal. */
struct offset {
  struct ptx_opnd stride;
  int32_t times, more, reg;
  bool wide;
  int32_t behind;              /* instruction; LOWER_NONE: the beginning */
};

enum { MOST_NUMBERS = 24, MOST_OFFSETS = 64, MOST_REGISTERS = 8, LANES = 32, BLOCK = 8 };

struct tiles {
  struct ptx_module *m;
  struct ptx_func *f;
  struct lower_facts facts;
  struct lower_list list;
  struct lane_number numbers[MOST_NUMBERS];
  struct offset offsets[MOST_OFFSETS];
  unsigned n_numbers, n_offsets;
};

/* ---- what an instruction says ---------------------------------------------------------------------------------------------- */

static bool shape_of(const struct ptx_inst *in, unsigned *m, unsigned *n) {
  static const struct {
    enum ptx_mod mod;
    unsigned m, n;
  } SHAPES[] = {{PTX_M_m16n16k16, 16, 16}, {PTX_M_m32n8k16, 32, 8}, {PTX_M_m8n32k16, 8, 32}};
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
    if (ptx_has(in, SHAPES[i].mod)) {
      *m = SHAPES[i].m;
      *n = SHAPES[i].n;
      return true;
    }
  return false;
}

static bool all_registers(const struct ptx_opnd *o, unsigned least, unsigned most) {
  if (o->kind != PTX_O_VEC || (o->n_elems != least && o->n_elems != most)) return false;
  for (unsigned i = 0; i < o->n_elems; i++)
    if (o->elems[i].kind != PTX_O_REG) return false;
  return true;
}

static bool among(int32_t r, const struct ptx_opnd *regs, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (regs[i].reg == r) return true;
  return false;
}

static unsigned blocks_of(const struct tile *t) { return t->lines / BLOCK * (t->length / (4 * t->unit)); }
static unsigned words_of(const struct tile *t) { return blocks_of(t) * t->unit * t->bits / 32; }

static bool has_known_type(const struct ptx_inst *in, const struct tile *t) {
  switch ((enum ptx_type)in->types[0]) {
  case PTX_F16: return true;
  case PTX_BF16: return t->part != PART_C;
  case PTX_F32:
  case PTX_S32: return t->part == PART_C;
  case PTX_S8:
  case PTX_U8: return t->part != PART_C && !t->across && in->space == PTX_GLOBAL;
  default: return false;
  }
}

static bool find_tile(const struct ptx_inst *in, struct tile *t) {
  unsigned m, n, k = 16;
  *t = (struct tile){.store = ptx_has(in, PTX_M_store)};
  if (in->op != PTX_OP_wmma || (!t->store && !ptx_has(in, PTX_M_load)) || in->guarded || in->n_types != 1) return false;
  if (!shape_of(in, &m, &n) || ptx_has(in, PTX_M_row) == ptx_has(in, PTX_M_col)) return false;
  t->part = ptx_has(in, PTX_M_a) ? PART_A : ptx_has(in, PTX_M_b) ? PART_B : PART_C;
  t->wide = n > m;
  t->lines = t->part == PART_C ? (t->wide ? n : m) : t->part == PART_A ? m : n;
  t->length = t->part == PART_C ? (t->wide ? m : n) : k;
  t->bits = ptx_type_bits((enum ptx_type)in->types[0]);
  t->unit = t->part == PART_C ? 2 : 32 / t->bits;
  t->along_first = (t->part != PART_C && (t->part == PART_B) != t->wide) || t->lines == BLOCK;
  bool row = ptx_has(in, PTX_M_row);
  t->across = t->part == PART_A ? !row : t->part == PART_B ? row : row == t->wide;
  t->by_blocks = in->space == PTX_SHARED && t->part != PART_C;
  if (!has_known_type(in, t) || (in->space != PTX_SHARED && in->space != PTX_GLOBAL && in->space != PTX_GENERIC)) return false;
  const struct ptx_opnd *fragment = &in->ops[t->store ? 1 : 0], *at = &in->ops[t->store ? 0 : 1];
  unsigned words = words_of(t);
  bool copies = t->part != PART_C && in->types[0] == PTX_F16;
  if (!all_registers(fragment, words, copies ? MOST_REGISTERS : words)) return false;
  if (in->n_ops > 2 && in->ops[2].kind != PTX_O_REG && in->ops[2].kind != PTX_O_INT) return false;
  /* Strides are added while the fragment is written. */
  if (!t->store && in->n_ops > 2 && in->ops[2].kind == PTX_O_REG && among(in->ops[2].reg, fragment->elems, fragment->n_elems)) return false;
  return at->kind == PTX_O_MEM && at->n_elems == 1 && at->elems[0].kind == PTX_O_REG;
}

/* ---- new instructions -------------------------------------------------------------------------------------------------------- */

static struct ptx_opnd operand(enum ptx_opnd_kind kind) {
  return (struct ptx_opnd){.kind = (uint8_t)kind, .reg = -1, .second = -1, .sym = -1};
}

static struct ptx_opnd reg(int32_t r) {
  struct ptx_opnd o = operand(PTX_O_REG);
  o.reg = r;
  return o;
}

static struct ptx_opnd number(int64_t v) {
  struct ptx_opnd o = operand(PTX_O_INT);
  o.imm = v;
  return o;
}

static struct ptx_opnd list_of(struct tiles *s, enum ptx_opnd_kind kind, const struct ptx_opnd *elems, unsigned n) {
  struct ptx_opnd o = operand(kind);
  o.n_elems = (uint16_t)n;
  o.elems = arena_copy(&s->m->arena, elems, n * sizeof *elems);
  return o;
}

static struct ptx_opnd memory(struct tiles *s, int32_t base, int64_t offset) {
  struct ptx_opnd at = reg(base), o = list_of(s, PTX_O_MEM, &at, 1);
  o.imm = offset;
  return o;
}

static struct ptx_inst *put(struct tiles *s, const struct ptx_inst *like, enum ptx_op op, enum ptx_type type, const struct ptx_opnd *ops,
                            unsigned n) {
  struct ptx_inst in = *like;
  in.op = (uint16_t)op;
  in.n_ops = (uint8_t)n;
  in.n_types = 1;
  in.types[0] = (uint8_t)type;
  in.n_mods = 0;
  in.vec = 1;
  in.space = in.space2 = PTX_GENERIC;
  in.guarded = false;
  in.ops = arena_copy(&s->m->arena, ops, n * sizeof *ops);
  return lower_put(&s->list, &in);
}

static void put_mods(struct ptx_inst *in, const enum ptx_mod *mods, unsigned n) {
  for (unsigned i = 0; i < n; i++) in->mods[in->n_mods++] = (uint16_t)mods[i];
}

/* a * b + rest, of 64 bits if `wide`, or of 32. */
static int32_t put_sum(struct tiles *s, const struct ptx_inst *like, bool wide, int32_t to, struct ptx_opnd a, struct ptx_opnd b,
                       int32_t rest) {
  const enum ptx_mod mods[] = {wide ? PTX_M_wide : PTX_M_lo};
  if (to == LOWER_NONE) to = lower_new_reg(s->m, s->f, wide ? PTX_B64 : PTX_B32);
  put_mods(put(s, like, PTX_OP_mad, PTX_U32, (struct ptx_opnd[]){reg(to), a, b, reg(rest)}, 4), mods, 1);
  return to;
}

/* ---- numbers of lanes and what they add to addresses -------------------------------------------------------------------------- */

static int32_t lane_number(struct tiles *s, enum what what, unsigned shift, bool wide) {
  for (unsigned i = 0; i < s->n_numbers; i++)
    if (s->numbers[i].what == what && s->numbers[i].shift == shift && s->numbers[i].wide == wide) return s->numbers[i].reg;
  assert(s->n_numbers < MOST_NUMBERS); /* there are 14 */
  int32_t r = lower_new_reg(s->m, s->f, wide ? PTX_B64 : PTX_B32);
  s->numbers[s->n_numbers++] = (struct lane_number){what, shift, wide, r};
  return r;
}

static int32_t put_shifted(struct tiles *s, const struct ptx_inst *like, enum ptx_op op, int32_t from, int64_t by) {
  int32_t to = lower_new_reg(s->m, s->f, PTX_B32);
  put(s, like, op, op == PTX_OP_shr ? PTX_U32 : PTX_B32, (struct ptx_opnd[]){reg(to), reg(from), number(by)}, 3);
  return to;
}

static void put_lane_numbers(struct tiles *s, const struct ptx_inst *like) {
  int32_t lane = lower_new_reg(s->m, s->f, PTX_B32), plain[WHATS];
  struct ptx_opnd id = operand(PTX_O_SREG);
  id.reg = PTX_SR_laneid;
  put(s, like, PTX_OP_mov, PTX_U32, (struct ptx_opnd[]){reg(lane), id}, 2);
  for (unsigned w = 0; w < WHATS; w++) plain[w] = LOWER_NONE;
  for (unsigned i = 0; i < s->n_numbers; i++) {
    const struct lane_number *n = &s->numbers[i];
    int32_t *p = &plain[n->what];
    if (*p == LOWER_NONE) switch (n->what) {
      case LANE_LINE: *p = put_shifted(s, like, PTX_OP_shr, lane, 2); break;
      case LANE_UNIT: *p = put_shifted(s, like, PTX_OP_and, lane, 3); break;
      case LANE_16: *p = put_shifted(s, like, PTX_OP_and, lane, 15); break;
      case LANE_HALF: *p = put_shifted(s, like, PTX_OP_shr, lane, 4); break;
      case LANE_ODD: *p = put_shifted(s, like, PTX_OP_and, put_shifted(s, like, PTX_OP_shr, lane, 3), 1); break;
      default: { /* LANE_PAIRED: lane % 8 + lane / 16 * 8 */
        int32_t upper = put_shifted(s, like, PTX_OP_and, put_shifted(s, like, PTX_OP_shr, lane, 1), 8);
        int32_t lower = put_shifted(s, like, PTX_OP_and, lane, 7);
        *p = lower_new_reg(s->m, s->f, PTX_B32);
        put(s, like, PTX_OP_or, PTX_B32, (struct ptx_opnd[]){reg(*p), reg(upper), reg(lower)}, 3);
      }
      }
    int32_t shifted = n->shift ? put_shifted(s, like, PTX_OP_shl, *p, n->shift) : *p;
    if (n->wide) {
      struct ptx_inst *in = put(s, like, PTX_OP_cvt, PTX_U64, (struct ptx_opnd[]){reg(n->reg), reg(shifted)}, 2);
      in->n_types = 2;
      in->types[1] = PTX_U32;
    } else put(s, like, PTX_OP_mov, PTX_B32, (struct ptx_opnd[]){reg(n->reg), reg(shifted)}, 2);
  }
}

static struct ptx_opnd stride_of(const struct ptx_inst *in, const struct tile *t) {
  if (in->n_ops > 2) return in->ops[2];
  return number(t->across ? t->lines : t->length);
}

/* Where an offset with this stride can be computed once for all; false: nowhere but at its use. */
static bool find_place(const struct tiles *s, const struct ptx_opnd *stride, int32_t *behind) {
  *behind = LOWER_NONE;
  if (stride->kind == PTX_O_INT) return true;
  *behind = s->facts.writer[stride->reg];
  return *behind != LOWER_NONE && !s->f->insts[*behind].guarded && !s->f->regs[stride->reg].pinned;
}

/* The register of an offset that was computed before, or LOWER_NONE; `add`: from now on it is. */
static int32_t offset_before(struct tiles *s, const struct ptx_opnd *stride, int32_t times, int32_t more, bool wide, bool add) {
  int32_t behind;
  if (!find_place(s, stride, &behind)) return LOWER_NONE;
  for (unsigned i = 0; i < s->n_offsets; i++) {
    const struct offset *o = &s->offsets[i];
    bool same = stride->kind == o->stride.kind && (stride->kind == PTX_O_INT ? stride->imm == o->stride.imm : stride->reg == o->stride.reg);
    if (same && o->times == times && o->more == more && o->wide == wide) return o->reg;
  }
  if (!add || s->n_offsets == MOST_OFFSETS) return LOWER_NONE;
  int32_t r = lower_new_reg(s->m, s->f, wide ? PTX_B64 : PTX_B32);
  s->offsets[s->n_offsets++] = (struct offset){*stride, times, more, r, wide, behind};
  return r;
}

static void put_offsets(struct tiles *s, const struct ptx_inst *like, int32_t behind) {
  for (unsigned i = 0; i < s->n_offsets; i++) {
    const struct offset *o = &s->offsets[i];
    if (o->behind == behind) put_sum(s, like, o->wide, o->reg, o->stride, reg(o->times), o->more);
  }
}

/* The two numbers of a lane from which its place in a tile follows. */
static void place_in(struct tiles *s, const struct tile *t, bool wide, int32_t *times, int32_t *more) {
  unsigned element = (unsigned)__builtin_ctz(t->bits / 8), unit = (unsigned)__builtin_ctz(t->unit * t->bits / 8);
  if (t->by_blocks) {
    bool odd = t->along_first != t->across;
    *times = lane_number(s, odd ? LANE_PAIRED : LANE_16, element, false);
    *more = lane_number(s, odd ? LANE_ODD : LANE_HALF, 4, wide);
  } else if (t->across && t->bits == 32) {
    *times = lane_number(s, LANE_UNIT, unit, false);
    *more = lane_number(s, LANE_LINE, element, wide);
  } else {
    *times = lane_number(s, LANE_LINE, element, false);
    *more = lane_number(s, LANE_UNIT, unit, wide);
  }
}

/* ---- tiles ------------------------------------------------------------------------------------------------------------------------ */

/* The lane's address in a tile, and others some strides on. */
struct places {
  const struct ptx_inst *in;
  struct ptx_opnd stride;
  int32_t base;
  int64_t offset;
  bool wide;
  unsigned element; /* bytes */
  int32_t on[LANES + 1]; /* strides on -> register; LOWER_NONE: not yet */
};

static struct ptx_opnd at(struct tiles *s, struct places *p, unsigned strides, int64_t bytes) {
  if (p->stride.kind == PTX_O_INT) return memory(s, p->base, p->offset + bytes + p->stride.imm * strides * p->element);
  if (!strides) return memory(s, p->base, p->offset + bytes);
  if (p->on[strides] == LOWER_NONE)
    p->on[strides] = put_sum(s, p->in, p->wide, LOWER_NONE, p->stride, number(strides * p->element), p->base);
  return memory(s, p->on[strides], p->offset + bytes);
}

static void find_places(struct tiles *s, const struct ptx_inst *in, const struct tile *t, struct places *p) {
  const struct ptx_opnd *where = &in->ops[t->store ? 0 : 1];
  int32_t base = where->elems[0].reg, times, more;
  bool wide = ptx_reg_class((enum ptx_type)s->f->regs[base].type) == PTX_R64;
  *p = (struct places){.in = in, .stride = stride_of(in, t), .offset = where->imm, .wide = wide, .element = t->bits / 8};
  for (unsigned i = 0; i <= LANES; i++) p->on[i] = LOWER_NONE;
  place_in(s, t, wide, &times, &more);
  int32_t offset = offset_before(s, &p->stride, times, more, wide, false);
  if (offset == LOWER_NONE) offset = put_sum(s, in, wide, LOWER_NONE, p->stride, reg(times), more);
  p->base = lower_new_reg(s->m, s->f, wide ? PTX_B64 : PTX_B32);
  put(s, in, PTX_OP_add, wide ? PTX_S64 : PTX_S32, (struct ptx_opnd[]){reg(p->base), reg(base), reg(offset)}, 3);
}

static void block_at(const struct tile *t, unsigned b, unsigned *line, unsigned *along) {
  unsigned n = t->length / (4 * t->unit);
  *line = t->along_first ? b / n : b % 2 + b / (2 * n) * 2;
  *along = t->along_first ? b % n : b / 2 % n;
}

static void put_access(struct tiles *s, const struct places *p, bool store, const struct ptx_opnd *value, unsigned n,
                       struct ptx_opnd where) {
  struct ptx_opnd v = n > 1 ? list_of(s, PTX_O_VEC, value, n) : *value;
  struct ptx_inst *in = store ? put(s, p->in, PTX_OP_st, PTX_B32, (struct ptx_opnd[]){where, v}, 2)
                              : put(s, p->in, PTX_OP_ld, PTX_B32, (struct ptx_opnd[]){v, where}, 2);
  in->space = p->in->space;
  in->vec = (uint8_t)n;
}

static int32_t put_transposed(struct tiles *s, const struct ptx_inst *like, int32_t to, int32_t from) {
  static const enum ptx_mod MODS[] = {PTX_M_sync, PTX_M_aligned, PTX_M_m8n8, PTX_M_trans};
  if (to == LOWER_NONE) to = lower_new_reg(s->m, s->f, PTX_B32);
  put_mods(put(s, like, PTX_OP_movmatrix, PTX_B16, (struct ptx_opnd[]){reg(to), reg(from)}, 2), MODS, 4);
  return to;
}

/* A block of words that each lane moves by itself. */
static void put_words(struct tiles *s, const struct tile *t, struct places *p, const struct ptx_opnd *regs, unsigned b) {
  unsigned line, along, unit = t->unit * t->bits / 8;
  block_at(t, b, &line, &along);
  if (!t->across) {
    struct ptx_opnd where = at(s, p, line * BLOCK, along * 4 * unit);
    put_access(s, p, t->store, &regs[b * unit / 4], unit / 4, where);
  } else if (t->bits == 32) {
    for (unsigned e = 0; e < t->unit; e++) {
      struct ptx_opnd where = at(s, p, along * BLOCK + e, line * BLOCK * 4);
      put_access(s, p, t->store, &regs[b * t->unit + e], 1, where);
    }
  } else {
    struct ptx_opnd where = at(s, p, along * BLOCK, line * BLOCK * 2);
    struct ptx_opnd word = reg(t->store ? put_transposed(s, p->in, LOWER_NONE, regs[b].reg) : lower_new_reg(s->m, s->f, PTX_B32));
    put_access(s, p, t->store, &word, 1, where);
    if (!t->store) put_transposed(s, p->in, regs[b].reg, word.reg);
  }
}

/* Up to four blocks of shared memory at once, which are two lines of blocks. */
static void put_blocks(struct tiles *s, const struct tile *t, struct places *p, const struct ptx_opnd *regs, unsigned b) {
  unsigned n = blocks_of(t) < 4 ? 2 : 4, line = b / 4 * 2;
  const enum ptx_mod mods[] = {PTX_M_sync, PTX_M_aligned, PTX_M_m8n8, n == 4 ? PTX_M_x4 : PTX_M_x2, PTX_M_trans};
  struct ptx_opnd where = t->across ? at(s, p, 0, line * BLOCK * 2) : at(s, p, line * BLOCK, 0);
  struct ptx_inst *in = put(s, p->in, PTX_OP_ldmatrix, PTX_B16, (struct ptx_opnd[]){list_of(s, PTX_O_VEC, &regs[b], n), where}, 2);
  put_mods(in, mods, t->across ? 5 : 4);
  in->space = PTX_SHARED;
}

static bool is_read(const struct tiles *s, const struct ptx_opnd *fragment) {
  for (unsigned i = 0; i < fragment->n_elems; i++)
    if (lower_n_uses(&s->facts, fragment->elems[i].reg) || s->f->regs[fragment->elems[i].reg].pinned) return true;
  return false;
}

static void put_tile(struct tiles *s, const struct ptx_inst *in, const struct tile *t) {
  const struct ptx_opnd *fragment = &in->ops[t->store ? 1 : 0];
  unsigned words = words_of(t), copies = fragment->n_elems - words;
  const struct ptx_opnd *regs = fragment->elems + copies; /* of several copies the last counts */
  struct places p;
  if (!t->store && !is_read(s, fragment)) return;
  find_places(s, in, t, &p);
  for (unsigned b = 0; b < blocks_of(t); b += t->by_blocks ? 4 : 1)
    if (t->by_blocks) put_blocks(s, t, &p, regs, b);
    else put_words(s, t, &p, regs, b);
  for (unsigned i = 0; i < copies; i++)
    if (lower_n_uses(&s->facts, fragment->elems[i].reg))
      put(s, in, PTX_OP_mov, PTX_B32, (struct ptx_opnd[]){fragment->elems[i], regs[i % words]}, 2);
}

/* ---- products ------------------------------------------------------------------------------------------------------------------ */

struct product {
  unsigned first, sums;    /* registers of the matrix of which there are two, and of the sum */
  const struct ptx_opnd *d, *a, *b, *c; /* a has 16 lines in four registers, b 8 in two */
  bool two_of_a;
};

static bool find_product(const struct ptx_inst *in, struct product *x) {
  unsigned m, n;
  if (in->op != PTX_OP_wmma || !ptx_has(in, PTX_M_mma) || in->guarded || in->n_ops != 4 || ptx_has(in, PTX_M_satfinite)) return false;
  if (!shape_of(in, &m, &n) || (in->n_types != 2 && in->n_types != 4) || (in->types[0] != PTX_F16 && in->types[0] != PTX_F32)) return false;
  enum ptx_type of = in->n_types == 2 ? PTX_F16 : (enum ptx_type)in->types[1];
  if ((of != PTX_F16 && of != PTX_BF16) || in->types[0] != in->types[in->n_types - 1]) return false;
  unsigned sums = in->types[0] == PTX_F32 ? 8 : 4, words = of == PTX_F16 ? MOST_REGISTERS : 0;
  unsigned of_a = words ? words : m * 16 / 64, of_b = words ? words : n * 16 / 64;
  if (!all_registers(&in->ops[0], sums, sums) || !all_registers(&in->ops[3], sums, sums)) return false;
  if (!all_registers(&in->ops[1], of_a, of_a) || !all_registers(&in->ops[2], of_b, of_b)) return false;
  const struct ptx_opnd *a = in->ops[1].elems + of_a - m * 16 / 64, *b = in->ops[2].elems + of_b - n * 16 / 64;
  *x = (struct product){.sums = sums / 2, .d = in->ops[0].elems, .c = in->ops[3].elems, .two_of_a = m != n};
  x->a = n > m ? b : a;
  x->b = n > m ? a : b;
  return true;
}

/* Whether the first half writes what the second still reads. */
static bool is_in_the_way(const struct product *x) {
  for (unsigned i = 0; i < x->sums; i++) {
    int32_t r = x->d[i].reg;
    if (among(r, x->a, x->two_of_a ? 8 : 4) || among(r, x->b, x->two_of_a ? 2 : 4) || among(r, x->c + x->sums, x->sums)) return true;
  }
  return false;
}

static bool put_product(struct tiles *s, const struct ptx_inst *like) {
  static const enum ptx_mod MODS[] = {PTX_M_sync, PTX_M_aligned, PTX_M_m16n8k16, PTX_M_row, PTX_M_col};
  struct product x;
  if (!find_product(like, &x) || is_in_the_way(&x)) return false;
  enum ptx_type sum = (enum ptx_type)like->types[0], of = like->n_types == 2 ? PTX_F16 : (enum ptx_type)like->types[1];
  for (unsigned half = 0; half < 2; half++) {
    const struct ptx_opnd ops[] = {list_of(s, PTX_O_VEC, x.d + half * x.sums, x.sums),
                                   list_of(s, PTX_O_VEC, x.a + (x.two_of_a ? half * 4 : 0), 4),
                                   list_of(s, PTX_O_VEC, x.b + (x.two_of_a ? 0 : half * 2), 2),
                                   list_of(s, PTX_O_VEC, x.c + half * x.sums, x.sums)};
    struct ptx_inst *in = put(s, like, PTX_OP_mma, sum, ops, 4);
    put_mods(in, MODS, 5);
    in->n_types = 4;
    in->types[1] = in->types[2] = (uint8_t)of;
    in->types[3] = (uint8_t)sum;
  }
  return true;
}

/* ---- a function ------------------------------------------------------------------------------------------------------------------ */

/* Lists the numbers and offsets that its tiles need; false: it has neither tiles nor products. */
static bool find_tiles(struct tiles *s) {
  bool any = false;
  for (uint32_t i = 0; i < s->f->n_insts; i++) {
    const struct ptx_inst *in = &s->f->insts[i];
    struct tile t;
    struct product x;
    any |= find_product(in, &x);
    if (!find_tile(in, &t)) continue;
    int32_t times, more;
    bool wide = ptx_reg_class((enum ptx_type)s->f->regs[in->ops[t.store ? 0 : 1].elems[0].reg].type) == PTX_R64;
    struct ptx_opnd stride = stride_of(in, &t);
    place_in(s, &t, wide, &times, &more);
    if (t.store || is_read(s, &in->ops[0])) offset_before(s, &stride, times, more, wide, true);
    any = true;
  }
  return any;
}

void lower_tiles(struct ptx_module *m, struct ptx_func *f) {
  struct tiles s = {.m = m, .f = f};
  bool has = false;
  for (uint32_t i = 0; i < f->n_insts; i++) has |= f->insts[i].op == PTX_OP_wmma;
  if (!has) return;
  lower_find_facts(&s.facts, f);
  if (find_tiles(&s)) {
    const struct ptx_inst *insts = f->insts;
    uint32_t n = f->n_insts;
    lower_begin(&s.list, m, f);
    if (s.n_numbers) put_lane_numbers(&s, &insts[0]);
    put_offsets(&s, &insts[0], LOWER_NONE);
    for (uint32_t i = 0; i < n; i++) {
      struct tile t;
      lower_here(&s.list, i);
      if (find_tile(&insts[i], &t)) put_tile(&s, &insts[i], &t);
      else if (!put_product(&s, &insts[i])) lower_put(&s.list, &insts[i]);
      put_offsets(&s, &insts[i], (int32_t)i);
    }
    lower_end(&s.list);
  }
  lower_free_facts(&s.facts);
}
