/* Neighbouring words of shared and constant memory are loaded together. In shared memory, three or four words of 16 bytes whose address is
 * known to be a multiple of 16 become one load of 128 bits, and both words of 8 bytes one of 64; in constant memory only pairs. The order
 * of the loads in the text and a missing fourth word do not matter. ptxas 13.0 does this for memory whose variables it places itself (every
 * set of up to four words was compiled), and not for global memory. Variables of shared memory that can hold 16 bytes are aligned to 16, as
 * by ptxas; those of constant memory always are.
 *
 * Loads are joined at the place of the first one if nothing in between writes shared memory, orders threads, or touches the registers
 * involved.
 *
 * Does not join stores, which ptxas does if nothing is between them. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ZEROS = 12, VECTOR = 4, WORD = 4 };

struct vectors {
  struct ptx_module *m;
  struct ptx_func *f;
  uint8_t *zeros;        /* register -> number of its low bits that are known to be zero */
  uint8_t *lanes;        /* instruction -> words that it loads after joining; 0: it was joined to another one */
  int32_t (*parts)[VECTOR]; /* of such an instruction: the destination of each word; LOWER_NONE: not used */
};

/* ---- alignment ------------------------------------------------------------------------------------------------------------ */

static unsigned zeros_of_number(int64_t v) { return v ? (unsigned)__builtin_ctzll((uint64_t)v) : MOST_ZEROS; }

static unsigned zeros_of(const struct vectors *s, const struct ptx_opnd *o) {
  switch ((enum ptx_opnd_kind)o->kind) {
  case PTX_O_REG: return s->zeros[o->reg];
  case PTX_O_INT: return zeros_of_number(o->imm);
  case PTX_O_VAR: {
    const struct ptx_var *v = &s->m->vars[o->sym];
    unsigned of_var = v->space == PTX_CONST || (v->space == PTX_SHARED && !v->bytes) ? 4 : 0;
    if (v->space == PTX_SHARED && v->bytes) of_var = zeros_of_number((int64_t)v->align);
    unsigned of_offset = zeros_of_number(o->imm);
    return of_var < of_offset ? of_var : of_offset;
  }
  default: return 0;
  }
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned zeros_of_result(const struct vectors *s, const struct ptx_inst *in) {
  const struct ptx_opnd *o = in->ops;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_mov:
  case PTX_OP_cvta:
  case PTX_OP_cvt: return in->n_types && ptx_type_float((enum ptx_type)in->types[0]) ? 0 : zeros_of(s, &o[1]);
  case PTX_OP_add:
  case PTX_OP_sub:
  case PTX_OP_or:
  case PTX_OP_xor: return least(zeros_of(s, &o[1]), zeros_of(s, &o[2]));
  case PTX_OP_shl: return o[2].kind == PTX_O_INT && o[2].imm >= 0 && o[2].imm < 32 ? zeros_of(s, &o[1]) + (unsigned)o[2].imm : 0;
  case PTX_OP_mul: return ptx_has(in, PTX_M_hi) ? 0 : zeros_of(s, &o[1]) + zeros_of(s, &o[2]);
  case PTX_OP_mad: return ptx_has(in, PTX_M_hi) ? 0 : least(zeros_of(s, &o[1]) + zeros_of(s, &o[2]), zeros_of(s, &o[3]));
  case PTX_OP_and: {
    unsigned a = zeros_of(s, &o[1]), b = zeros_of(s, &o[2]);
    return a > b ? a : b;
  }
  case PTX_OP_selp: return least(zeros_of(s, &o[1]), zeros_of(s, &o[2]));
  default: return 0;
  }
}

static bool is_float_result(const struct ptx_inst *in) { return in->n_types && ptx_type_float((enum ptx_type)in->types[0]); }

/* Every register begins with the maximum, which is reduced by each instruction that writes it. */
static void find_zeros(struct vectors *s) {
  struct ptx_touched t;
  memset(s->zeros, MOST_ZEROS, s->f->n_regs);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < s->f->n_insts; i++) {
      const struct ptx_inst *in = &s->f->insts[i];
      ptx_touches(s->f, in, &t);
      unsigned n = t.n_writes == 1 && !is_float_result(in) && lower_result(in) != LOWER_NONE ? zeros_of_result(s, in) : 0;
      for (uint32_t k = 0; k < t.n_writes; k++)
        if (n < s->zeros[t.writes[k]]) s->zeros[t.writes[k]] = (uint8_t)n, more = true;
    }
  }
  for (uint32_t r = 0; r < s->f->n_regs; r++)
    if (s->f->regs[r].pinned) s->zeros[r] = 0;
}

/* ---- loads ------------------------------------------------------------------------------------------------------------------ */

static bool is_word(const struct vectors *s, uint32_t i) {
  const struct ptx_inst *in = &s->f->insts[i];
  if (in->op != PTX_OP_ld || (in->space != PTX_SHARED && in->space != PTX_CONST)) return false;
  if (in->vec > 1 || in->n_mods || in->guarded || s->lanes[i] != 1 || ptx_type_bits((enum ptx_type)in->types[0]) != 8 * WORD) return false;
  const struct ptx_opnd *at = &in->ops[1];
  bool known = at->kind == PTX_O_MEM && at->n_elems == 1 && (at->elems[0].kind == PTX_O_REG || at->elems[0].kind == PTX_O_VAR);
  return known && in->ops[0].kind == PTX_O_REG;
}

static int32_t base_register(const struct ptx_opnd *at) { return at->elems[0].kind == PTX_O_REG ? at->elems[0].reg : LOWER_NONE; }

static bool same_base(const struct ptx_opnd *a, const struct ptx_opnd *b) {
  const struct ptx_opnd *p = &a->elems[0], *q = &b->elems[0];
  return p->kind == q->kind && (p->kind == PTX_O_REG ? p->reg == q->reg : p->sym == q->sym);
}

static bool may_stand_between(const struct ptx_inst *in) {
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_ARITH:
  case PTX_COMPARE:
  case PTX_CONVERT:
  case PTX_MOVE: return !ptx_reads_clock(in);
  case PTX_MEMORY: return in->op == PTX_OP_ld || (in->op == PTX_OP_st && in->space == PTX_GLOBAL);
  default: return false;
  }
}

static bool touches(const struct ptx_func *f, uint32_t i, int32_t reg, bool only_writes) {
  struct ptx_touched t;
  ptx_touches(f, &f->insts[i], &t);
  for (uint32_t k = 0; k < t.n_writes; k++)
    if (t.writes[k] == reg) return true;
  for (uint32_t k = 0; k < t.n_reads && !only_writes; k++)
    if (t.reads[k] == reg) return true;
  return false;
}

/* The load of the word at an offset that could be moved to `first`, up to `end`; LOWER_NONE: there is none. */
static int32_t find_word(const struct vectors *s, uint32_t first, uint32_t end, int64_t offset) {
  const struct ptx_inst *a = &s->f->insts[first];
  int32_t base = base_register(&a->ops[1]);
  if (a->ops[1].imm == offset) return (int32_t)first;
  for (uint32_t i = first; i < end && (i == first || may_stand_between(&s->f->insts[i])); i++) {
    const struct ptx_inst *b = &s->f->insts[i];
    if (i > first && is_word(s, i) && same_base(&b->ops[1], &a->ops[1]) && b->ops[1].imm == offset && b->types[0] == a->types[0] &&
        b->space == a->space) {
      for (uint32_t k = first; k < i; k++)
        if (touches(s->f, k, b->ops[0].reg, false)) return LOWER_NONE;
      return b->ops[0].reg == base ? LOWER_NONE : (int32_t)i;
    }
    if (base != LOWER_NONE && touches(s->f, i, base, true)) return LOWER_NONE;
  }
  return LOWER_NONE;
}

/* Whether a variable contains all the words from an offset on: words that are read but not used must exist too. */
static bool has_words(const struct vectors *s, const struct ptx_opnd *at, int64_t offset, unsigned words) {
  if (at->elems[0].kind != PTX_O_VAR) return true;
  const struct ptx_var *v = &s->m->vars[at->elems[0].sym];
  return !v->bytes || offset + WORD * (int64_t)words <= (int64_t)v->bytes;
}

/* Joins the load at `first` with the others of its `words` words, of which one may be missing if there are four. */
static bool take_words(struct vectors *s, uint32_t first, uint32_t end, unsigned words) {
  const struct ptx_opnd *at = &s->f->insts[first].ops[1];
  int64_t from = at->imm & -(int64_t)(words * WORD);
  unsigned found = 0;
  int32_t parts[VECTOR];
  if (1u << zeros_of(s, &at->elems[0]) < words * WORD) return false;
  for (unsigned k = 0; k < words; k++) {
    parts[k] = find_word(s, first, end, from + WORD * (int64_t)k);
    found += parts[k] != LOWER_NONE;
  }
  if (found < (words == VECTOR ? VECTOR - 1 : words) || !has_words(s, at, from, words)) return false;
  for (unsigned k = 0; k < words; k++)
    if (parts[k] != LOWER_NONE) s->lanes[parts[k]] = 0;
  memcpy(s->parts[first], parts, sizeof parts);
  s->lanes[first] = (uint8_t)words;
  return true;
}

static bool find_vectors(struct vectors *s) {
  bool any = false;
  for (uint32_t b = 0; b < s->f->n_blocks; b++)
    for (uint32_t i = s->f->blocks[b].first; i < s->f->blocks[b].end; i++) {
      if (!is_word(s, i)) continue;
      uint32_t end = s->f->blocks[b].end;
      bool shared = s->f->insts[i].space == PTX_SHARED;
      any |= (shared && take_words(s, i, end, VECTOR)) || take_words(s, i, end, VECTOR / 2);
    }
  return any;
}

/* ---- the new instructions ---------------------------------------------------------------------------------------------------- */

static void put_vector(struct vectors *s, struct lower_list *l, uint32_t i) {
  struct ptx_inst *in = lower_put(l, &s->f->insts[i]);
  unsigned words = s->lanes[i];
  if (words == 1) return;
  struct ptx_opnd *ops = arena_copy(&s->m->arena, in->ops, in->n_ops * sizeof *ops);
  struct ptx_opnd *elems = ARENA_ARRAY(&s->m->arena, struct ptx_opnd, words);
  const struct ptx_opnd none = {.kind = PTX_O_NONE, .reg = -1, .second = -1, .sym = -1, .col = ops[0].col, .line = ops[0].line};
  for (unsigned k = 0; k < words; k++) {
    elems[k] = none;
    elems[k].kind = PTX_O_SINK;
    if (s->parts[i][k] != LOWER_NONE) elems[k] = s->f->insts[s->parts[i][k]].ops[0];
  }
  ops[0] = none;
  ops[0].kind = PTX_O_VEC;
  ops[0].n_elems = (uint16_t)words;
  ops[0].elems = elems;
  ops[1].imm &= -(int64_t)(words * WORD);
  in->ops = ops;
  in->vec = (uint8_t)words;
}

void lower_align_shared(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_vars; i++) {
    struct ptx_var *v = &m->vars[i];
    if (v->space == PTX_SHARED && v->bytes >= VECTOR * WORD && v->align < VECTOR * WORD) v->align = VECTOR * WORD;
  }
}

void lower_vectors(struct ptx_module *m, struct ptx_func *f) {
  struct vectors s = {.m = m, .f = f};
  uint32_t n = f->n_insts;
  s.zeros = must_alloc(f->n_regs + 1);
  s.lanes = must_alloc(n + 1);
  s.parts = must_alloc((n + 1) * sizeof *s.parts);
  memset(s.lanes, 1, n);
  find_zeros(&s);
  if (find_vectors(&s)) {
    struct lower_list l;
    lower_begin(&l, m, f);
    for (uint32_t i = 0; i < n; i++) {
      lower_here(&l, i);
      if (s.lanes[i]) put_vector(&s, &l, i);
    }
    lower_end(&l);
  }
  free(s.zeros);
  free(s.lanes);
  free(s.parts);
}
