/* One instruction: its dotted words and its operands in all their forms. Names are resolved at once, except labels, which are recorded and
 * resolved at the end of the function. */
#include "ptx/ptx_reader.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OPND_DEEP = 4 };

static bool parse_operand(struct ptx_reader *r, const struct ptx_inst *in, int depth, struct ptx_opnd *o);

/* ---- dotted words -------------------------------------------------------------------------------------- */

static bool unknown_word(struct ptx_reader *r, const struct ptx_tok *t, const char *op) {
  char hint[100];
  ptx_hint(hint, sizeof hint, t->s, t->len, ptx_type_names + 1, PTX_TEXREF - 1);
  if (!hint[0]) ptx_hint(hint, sizeof hint, t->s, t->len, ptx_space_names + PTX_REG, PTX_TEX);
  if (!hint[0]) ptx_hint(hint, sizeof hint, t->s, t->len, ptx_mod_names + 1, PTX_MODS - 1);
  return ptx_fail(r, t->start, "unknown modifier or type '.%.*s' of '%s'%s", (int)t->len, t->s, op, hint);
}

/* .shared::cta is the state space .shared with the modifier shared::cta; likewise .param::entry. */
static void note_qualified_space(struct ptx_inst *in, uint32_t mod) {
  uint8_t space = mod == PTX_M_shared__cta || mod == PTX_M_shared__cluster ? PTX_SHARED
                  : mod == PTX_M_param__entry || mod == PTX_M_param__func  ? PTX_PARAM
                                                                           : PTX_GENERIC;
  if (space == PTX_GENERIC) return;
  if (in->space == PTX_GENERIC)
    in->space = space;
  else
    in->space2 = space;
}

static bool add_word(struct ptx_reader *r, struct ptx_inst *in, enum ptx_word_kind kind, uint32_t value) {
  const char *at = r->tok.start;
  switch (kind) {
  case PTX_W_TYPE:
    if (in->n_types == PTX_MAX_TYPES) return ptx_fail(r, at, "more than %d types", PTX_MAX_TYPES);
    in->types[in->n_types++] = (uint8_t)value;
    return true;
  case PTX_W_SPACE:
    if (in->space == PTX_GENERIC)
      in->space = (uint8_t)value;
    else if (in->space2 == PTX_GENERIC)
      in->space2 = (uint8_t)value;
    else
      return ptx_fail(r, at, "more than two state spaces");
    return true;
  case PTX_W_VECTOR: in->vec = (uint8_t)value; return true;
  default:
    note_qualified_space(in, value);
    if (in->n_mods == PTX_MAX_MODS) return ptx_fail(r, at, "more than %d modifiers", PTX_MAX_MODS);
    in->mods[in->n_mods++] = (uint16_t)value;
    return true;
  }
}

static bool parse_words(struct ptx_reader *r, struct ptx_inst *in) {
  bool modelled = ptx_op_family((enum ptx_op)in->op) != PTX_REFUSED, ok = true;
  struct str words = {0};
  for (; ok && r->tok.kind == PTX_T_DOT; ptx_next(r)) {
    enum ptx_word_kind kind;
    uint32_t value;
    bool known = ptx_find_word(r, &r->tok, &kind, &value);
    if (known) ok = add_word(r, in, kind, value);
    else if (modelled) ok = unknown_word(r, &r->tok, ptx_op_name((enum ptx_op)in->op));
    if (!modelled) str_add(&words, ".%.*s", (int)r->tok.len, r->tok.s);
  }
  if (words.n) in->written = arena_strndup(&r->m->arena, words.s, words.n);
  str_free(&words);
  return ok && r->e->kind == ERR_NONE;
}

/* ---- lists of operands --------------------------------------------------------------------------------- */

static void start_operand(const struct ptx_reader *r, struct ptx_opnd *o) {
  *o = (struct ptx_opnd){.reg = -1,
                         .second = -1,
                         .sym = -1,
                         .col = (uint32_t)(r->tok.start - r->tok_line_start) + 1,
                         .line = r->tok_line};
}

static bool push_elem(struct ptx_reader *r, const struct ptx_opnd *o) {
  if (++r->elems_in_inst > PTX_MAX_ELEMS)
    return ptx_fail(r, r->tok.start, "more than %d elements in one instruction", PTX_MAX_ELEMS);
  GROW(r->elems, r->cap_elems, r->n_elems + 1);
  r->elems[r->n_elems++] = *o;
  return true;
}

/* Moves the elements pushed since `mark` into the operand. */
static void take_elems(struct ptx_reader *r, size_t mark, struct ptx_opnd *o) {
  o->n_elems = (uint16_t)(r->n_elems - mark);
  o->elems = o->n_elems ? arena_copy(&r->m->arena, r->elems + mark, o->n_elems * sizeof *o) : NULL;
  r->n_elems = mark;
}

/* Comma-separated operands up to `close`; at least one unless it is a list of a call. */
static bool parse_elems(struct ptx_reader *r, const struct ptx_inst *in, int depth, int close,
                        struct ptx_opnd *o) {
  size_t mark = r->n_elems;
  while (!ptx_at(r, close)) {
    struct ptx_opnd e;
    if (!parse_operand(r, in, depth + 1, &e) || !push_elem(r, &e)) return false;
    if (!ptx_accept(r, ',')) break;
  }
  if (!ptx_expect(r, close)) return false;
  take_elems(r, mark, o);
  return true;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool add_label_ref(struct ptx_reader *r, const struct ptx_tok *name, uint32_t *ref) {
  struct ptx_body *b = &r->body;
  GROW(b->refs, b->cap_refs, b->n_refs + 1);
  b->refs[b->n_refs] = (struct ptx_name_ref){name->s, name->len, b->open[b->depth - 1]};
  *ref = (uint32_t)b->n_refs++;
  return true;
}

static bool undeclared(struct ptx_reader *r, const struct ptx_tok *name, int depth) {
  const char *what = name->s[0] == '%' ? "register" : depth ? "variable" : "name";
  return ptx_fail(r, name->start, "%s '%.*s' is not declared", what, (int)name->len, name->s);
}

static int component(const struct ptx_tok *t) {
  static const char names[] = "xyzwrgba";
  const char *at = t->len == 1 ? memchr(names, t->s[0], 8) : NULL;
  return at ? (int)(at - names) & 3 : -1;
}

/* %tid.x, %laneid; or %tid alone, which is a vector of four with 0 as its last. */
static bool special_register(struct ptx_reader *r, const struct ptx_tok *name, int depth,
                             struct ptx_opnd *o) {
  char key[64];
  uint32_t sreg;
  bool dotted = r->tok.kind == PTX_T_DOT;
  if (name->len + r->tok.len + 2 >= sizeof key) return undeclared(r, name, depth);
  o->kind = PTX_O_SREG;
  if (!dotted && strmap_get(&r->sregs, name->s, name->len, &sreg)) {
    o->reg = (int32_t)sreg;
    return true;
  }
  snprintf(key, sizeof key, "%.*s.%.*s", (int)name->len, name->s, dotted ? (int)r->tok.len : 1,
           dotted ? r->tok.s : "x");
  if (dotted && strcmp(key + name->len, ".w") == 0) {
    key[name->len + 1] = 'x';
    o->kind = PTX_O_INT;
  }
  if (!strmap_get(&r->sregs, key, strlen(key), &sreg)) return undeclared(r, name, depth);
  if (o->kind == PTX_O_SREG) o->reg = (int32_t)sreg;
  if (dotted) return ptx_next(r);
  size_t mark = r->n_elems;
  for (int32_t i = 0; i < 4; i++) {
    struct ptx_opnd e = *o;
    e.kind = i < 3 ? PTX_O_SREG : PTX_O_INT;
    e.reg = i < 3 ? (int32_t)sreg + i : -1;
    if (!push_elem(r, &e)) return false;
  }
  o->kind = PTX_O_VEC;
  o->reg = -1;
  take_elems(r, mark, o);
  return true;
}

/* r.b0, r.h1, r.b3210: which part of a register a video instruction takes. */
static bool parse_select(struct ptx_reader *r, struct ptx_opnd *o) {
  const struct ptx_tok *t = &r->tok;
  bool ok = t->len >= 2 && t->len <= 5 && (t->s[0] == 'b' || t->s[0] == 'h');
  for (uint32_t i = 1; ok && i < t->len; i++) ok = t->s[i] >= '0' && t->s[i] <= (t->s[0] == 'b' ? '7' : '3');
  if (!ok) return ptx_fail(r, t->start, "unknown part '.%.*s' of a register", (int)t->len, t->s);
  o->select = ptx_keep(r, t);
  return ptx_next(r);
}

static bool vector_register(struct ptx_reader *r, const struct ptx_sym *s, struct ptx_opnd *o) {
  uint32_t first = s->index, n = s->n;
  if (r->tok.kind == PTX_T_DOT) {
    int i = component(&r->tok);
    if (i < 0 || (uint32_t)i >= n)
      return ptx_fail(r, r->tok.start, "the vector has no element '.%.*s'", (int)r->tok.len, r->tok.s);
    o->kind = PTX_O_REG;
    o->reg = (int32_t)first + i;
    return ptx_next(r);
  }
  size_t mark = r->n_elems;
  for (uint32_t i = 0; i < n; i++) {
    struct ptx_opnd e = *o;
    e.kind = PTX_O_REG;
    e.reg = (int32_t)(first + i);
    if (!push_elem(r, &e)) return false;
  }
  o->kind = PTX_O_VEC;
  take_elems(r, mark, o);
  return true;
}

/* +4, +-4; ptxas does not accept -4. */
static bool parse_offset(struct ptx_reader *r, int64_t *imm) {
  return !ptx_at(r, '+') || (ptx_next(r) && ptx_int_expr(r, imm));
}

/* name[3]: the address of an element; as an operand of anything but mov, the value there. */
static bool parse_index(struct ptx_reader *r, const struct ptx_inst *in, int depth, struct ptx_opnd *o) {
  const struct ptx_var *v = &r->vars[o->sym];
  uint64_t index;
  if (!ptx_next(r) || !ptx_count(r, "an index", PTX_MAX_VAR_BYTES, &index) || !ptx_expect(r, ']'))
    return false;
  o->imm = (int64_t)(index * (ptx_type_bits((enum ptx_type)v->type) / 8 * v->vec));
  if (depth || in->op == PTX_OP_mov || in->op == PTX_OP_cvta) return true;
  struct ptx_opnd whole = *o;
  o->imm = 0;
  whole.kind = PTX_O_MEM;
  whole.sym = -1;
  size_t mark = r->n_elems;
  if (!push_elem(r, o)) return false;
  take_elems(r, mark, &whole);
  *o = whole;
  return true;
}

static bool unbound_name(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_tok *name,
                         int depth, struct ptx_opnd *o) {
  bool may_be_label = depth == 0 && (in->op == PTX_OP_brx || in->op == PTX_OP_call || in->op == PTX_OP_bra);
  if (name->s[0] == '%' && in->op != PTX_OP_bra) return special_register(r, name, depth, o);
  if (!may_be_label) return undeclared(r, name, depth);
  uint32_t ref;
  o->kind = PTX_O_LABEL;
  add_label_ref(r, name, &ref);
  o->sym = (int32_t)ref;
  return true;
}

static bool parse_name(struct ptx_reader *r, const struct ptx_inst *in, int depth, struct ptx_opnd *o) {
  struct ptx_tok name = r->tok;
  if (!ptx_next(r)) return false;
  bool is_label = depth == 0 && in->op == PTX_OP_bra;
  const struct ptx_sym *s = ptx_lookup(r, name.s, name.len);
  if (is_label && s && s->kind == PTX_SYM_REG) return ptx_fail(r, name.start, "'%.*s' is a register, not a label", (int)name.len, name.s);
  if (is_label) s = NULL;
  if (!s) return unbound_name(r, in, &name, depth, o);
  o->sym = (int32_t)s->index;
  switch (s->kind) {
  case PTX_SYM_REG:
    o->kind = PTX_O_REG;
    o->sym = -1;
    o->reg = (int32_t)s->index;
    return r->tok.kind != PTX_T_DOT || parse_select(r, o);
  case PTX_SYM_VECTOR: o->sym = -1; return vector_register(r, s, o);
  case PTX_SYM_VAR:
    o->kind = PTX_O_VAR;
    if (r->vars[s->index].func < 0 && r->vars[s->index].space == PTX_LOCAL && !r->funcs[r->body.func].is_entry)
      return ptx_fail(r, name.start, "local variable '%.*s' of the module in a function that is called is not supported",
                      (int)name.len, name.s);
    return ptx_at(r, '[') ? parse_index(r, in, depth, o) : parse_offset(r, &o->imm);
  default: o->kind = PTX_O_FUNC; return true;
  }
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static bool parse_constant(struct ptx_reader *r, struct ptx_opnd *o) {
  struct ptx_value v;
  if (r->tok.kind == PTX_T_END || (r->tok.kind == PTX_T_PUNCT && !strchr("(-+~!", r->tok.punct)))
    return ptx_expected(r, "an operand");
  if (!ptx_expr(r, &v)) return false;
  o->kind = !v.is_float ? PTX_O_INT : v.is_f32_bits ? PTX_O_F32 : PTX_O_F64;
  if (o->kind == PTX_O_INT)
    o->imm = v.i;
  else if (o->kind == PTX_O_F32)
    o->imm = v.f32_bits;
  else
    memcpy(&o->imm, &v.f, sizeof v.f);
  return true;
}

/* [base], [base+4], [texture, {x, y}] */
static bool parse_memory(struct ptx_reader *r, const struct ptx_inst *in, int depth, struct ptx_opnd *o) {
  size_t mark = r->n_elems;
  o->kind = PTX_O_MEM;
  do {
    struct ptx_opnd e;
    bool first = r->n_elems == mark;
    if (!ptx_next(r) || !parse_operand(r, in, depth + 1, &e)) return false;
    if (first && e.kind == PTX_O_REG && !parse_offset(r, &o->imm)) return false;
    if (first && e.kind == PTX_O_VAR) {
      o->imm = e.imm;
      e.imm = 0;
    }
    if (first && e.kind != PTX_O_REG && e.kind != PTX_O_VAR && e.kind != PTX_O_INT)
      return ptx_fail(r, r->tok.start, "an address is a register, a variable or a number, with an offset");
    if (!push_elem(r, &e)) return false;
  } while (ptx_at(r, ','));
  if (!ptx_expect(r, ']')) return false;
  take_elems(r, mark, o);
  return true;
}

/* Whether a name other than WARP_SZ follows the sign that is the current token. */
static bool name_follows(const struct ptx_reader *r) {
  const char *s = r->cur;
  while (s < r->end && (*s == ' ' || *s == '\t')) s++;
  if (s + 7 <= r->end && memcmp(s, "WARP_SZ", 7) == 0) return false;
  return s < r->end && (*s == '%' || *s == '_' || *s == '$' || ((*s | 32) >= 'a' && (*s | 32) <= 'z'));
}

static bool parse_signed_name(struct ptx_reader *r, const struct ptx_inst *in, int depth,
                              struct ptx_opnd *o) {
  const char *at = r->tok.start;
  bool negate = ptx_at(r, '!');
  if (!ptx_next(r) || !parse_name(r, in, depth, o)) return false;
  if (o->kind != PTX_O_REG) return ptx_fail(r, at, "'%c' must stand before a register", negate ? '!' : '-');
  if (negate && r->body.regs[o->reg].type != PTX_PRED)
    return ptx_fail(r, at, "'!' takes a predicate, and '%s' is not one", r->body.regs[o->reg].name);
  o->negate = negate;
  o->negative = !negate;
  return true;
}

/* p|q, {a, b}|p, _|p: a second register written by the instruction. */
static bool parse_second(struct ptx_reader *r, const struct ptx_inst *in, struct ptx_opnd *o) {
  struct ptx_opnd second;
  if (!ptx_accept(r, '|')) return r->e->kind == ERR_NONE;
  const char *at = r->tok.start;
  if (!parse_operand(r, in, 1, &second)) return false;
  if (second.kind == PTX_O_SINK) return true;
  if (second.kind != PTX_O_REG) return ptx_fail(r, at, "expected a register after '|'");
  o->second = second.reg;
  return true;
}

static bool parse_operand(struct ptx_reader *r, const struct ptx_inst *in, int depth, struct ptx_opnd *o) {
  start_operand(r, o);
  if (depth > MAX_OPND_DEEP) return ptx_fail(r, r->tok.start, "operands nested too deep");
  if (ptx_at(r, '[')) return parse_memory(r, in, depth, o);
  if (ptx_at(r, '{')) {
    o->kind = PTX_O_VEC;
    return ptx_next(r) && parse_elems(r, in, depth, '}', o) && (depth || parse_second(r, in, o));
  }
  if (ptx_at(r, '(') && in->op == PTX_OP_call) {
    o->kind = PTX_O_LIST;
    return ptx_next(r) && parse_elems(r, in, depth, ')', o);
  }
  if (ptx_at_word(r, PTX_T_IDENT, "_")) {
    o->kind = PTX_O_SINK;
    return ptx_next(r) && (depth || parse_second(r, in, o));
  }
  if ((ptx_at(r, '!') || ptx_at(r, '-')) && name_follows(r)) return parse_signed_name(r, in, depth, o);
  if (r->tok.kind != PTX_T_IDENT || ptx_at_word(r, PTX_T_IDENT, "WARP_SZ")) return parse_constant(r, o);
  return parse_name(r, in, depth, o) && (depth || parse_second(r, in, o));
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* A vector of registers in a list is passed as its elements. */
static bool flatten(struct ptx_reader *r, struct ptx_opnd *list) {
  size_t mark = r->n_elems;
  for (unsigned i = 0; i < list->n_elems; i++) {
    const struct ptx_opnd *o = &list->elems[i];
    bool vector = o->kind == PTX_O_VEC;
    for (unsigned k = 0; k < (vector ? o->n_elems : 1u); k++)
      if (!push_elem(r, vector ? &o->elems[k] : o)) return false;
  }
  take_elems(r, mark, list);
  return true;
}

/* Converts call [(results),] target [, (arguments) [, prototype]] to the four operands that ptx.h describes. */
static bool normalise_call(struct ptx_reader *r, struct ptx_inst *in, struct ptx_opnd *ops, const char *at) {
  struct ptx_opnd out[4];
  unsigned next = 0, n = 0;
  for (unsigned i = 0; i < 4; i++) out[i] = (struct ptx_opnd){.reg = -1, .second = -1, .sym = -1};
  out[0].kind = out[2].kind = PTX_O_LIST;
  if (next < in->n_ops && ops[next].kind == PTX_O_LIST) out[0] = ops[next++];
  if (next == in->n_ops || ops[next].kind == PTX_O_LIST)
    return ptx_fail(r, at, "a call needs a function to call");
  out[1] = ops[next++];
  if (next < in->n_ops && ops[next].kind == PTX_O_LIST) out[2] = ops[next++];
  n = 3;
  if (next < in->n_ops) out[n++] = ops[next++];
  if (next < in->n_ops)
    return ptx_fail(r, at, "a call has at most results, function, arguments and prototype");
  if (!flatten(r, &out[0]) || !flatten(r, &out[2])) return false;
  for (unsigned i = 0; i < n; i++)
    if (out[i].line == 0) out[i].line = in->line, out[i].col = in->col;
  memcpy(ops, out, n * sizeof out[0]);
  in->n_ops = (uint8_t)n;
  return true;
}

/* ---- the instruction ----------------------------------------------------------------------------------- */

static bool find_opcode(struct ptx_reader *r, const struct ptx_tok *t, struct ptx_inst *in) {
  uint32_t op;
  char hint[100];
  if (!strmap_get(&r->ops, t->s, t->len, &op)) {
    ptx_hint(hint, sizeof hint, t->s, t->len, ptx_op_names, PTX_OPS);
    return ptx_fail(r, t->start, "unknown opcode '%.*s'%s", (int)t->len, t->s, hint);
  }
  in->op = (uint16_t)op;
  in->vec = 1;
  return true;
}

/* An integer of as many bits as the register, or NOTYPE. */
static uint8_t sum_type(const struct ptx_reg *g) {
  unsigned bits = ptx_type_bits((enum ptx_type)g->type);
  if (ptx_type_float((enum ptx_type)g->type)) return PTX_NOTYPE;
  return bits == 16 ? PTX_U16 : bits == 32 ? PTX_U32 : bits == 64 ? PTX_U64 : PTX_NOTYPE;
}

/* r + 4 as a source operand: adds an add before the instruction, into a register of its own. */
static bool parse_sum(struct ptx_reader *r, const struct ptx_inst *in, struct ptx_opnd *o) {
  struct ptx_body *b = &r->body;
  const char *at = r->tok.start;
  int64_t imm;
  if (o->kind != PTX_O_REG || !ptx_at(r, '+') || in->n_ops == 0) return true;
  uint8_t type = sum_type(&b->regs[o->reg]), reg_type = b->regs[o->reg].type;
  if (!type || o->negate || o->negative || o->select || o->second >= 0)
    return ptx_fail(r, at, "a number can only be added to a register of 16, 32 or 64 bits that holds an integer");
  if (!parse_offset(r, &imm)) return false;
  struct ptx_opnd sum = *o, number = *o;
  sum.reg = (int32_t)ptx_add_reg(r, "sum", reg_type);
  number.kind = PTX_O_INT;
  number.reg = -1;
  number.imm = imm;
  struct ptx_inst add = {.op = PTX_OP_add,
                         .vec = 1,
                         .n_types = 1,
                         .types = {type},
                         .n_ops = 3,
                         .guard = -1,
                         .line = in->line,
                         .col = in->col,
                         .loc_file = in->loc_file,
                         .loc_line = in->loc_line};
  add.ops = arena_copy(&r->m->arena, (struct ptx_opnd[]){sum, *o, number}, 3 * sizeof sum);
  GROW(b->insts, b->cap_insts, b->n_insts + 1);
  b->insts[b->n_insts++] = add;
  *o = sum;
  return true;
}

static bool parse_operands(struct ptx_reader *r, struct ptx_inst *in, struct ptx_opnd *ops) {
  r->elems_in_inst = 0;
  while (!ptx_at(r, ';')) {
    if (in->n_ops == PTX_MAX_OPS) return ptx_fail(r, r->tok.start, "more than %d operands", PTX_MAX_OPS);
    if (!parse_operand(r, in, 0, &ops[in->n_ops]) || !parse_sum(r, in, &ops[in->n_ops])) return false;
    in->n_ops++;
    if (!ptx_at(r, ',')) break;
    if (!ptx_next(r)) return false;
    if (ptx_at(r, ';')) return ptx_expected(r, "an operand");
  }
  if (!ptx_at(r, ';')) return ptx_expected(r, in->n_ops ? "',' or ';'" : "an operand or ';'");
  return true;
}

bool ptx_parse_inst(struct ptx_reader *r, const struct ptx_tok *opcode, struct ptx_inst *in) {
  struct ptx_body *b = &r->body;
  struct ptx_opnd ops[PTX_MAX_OPS];
  size_t refs = b->n_refs;
  if (!find_opcode(r, opcode, in) || !parse_words(r, in) || !parse_operands(r, in, ops)) return false;
  if (in->op == PTX_OP_call && !normalise_call(r, in, ops, opcode->start)) return false;
  in->ops = arena_copy(&r->m->arena, ops, in->n_ops * sizeof ops[0]);
  if (!ptx_check_inst(r, in, opcode->start)) return false;
  GROW(b->insts, b->cap_insts, b->n_insts + 1);
  if (b->n_refs > refs) {
    GROW(b->ref_insts, b->cap_ref_insts, b->n_ref_insts + 1);
    b->ref_insts[b->n_ref_insts++] = (uint32_t)b->n_insts;
  }
  b->insts[b->n_insts++] = *in;
  return ptx_next(r);
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static bool resolve_label(struct ptx_reader *r, const struct ptx_inst *in, struct ptx_opnd *o) {
  const struct ptx_name_ref *ref = &r->body.refs[o->sym];
  const struct ptx_label *l = ptx_find_label(r, ref);
  bool is_call = in->op == PTX_OP_call;
  int len = (int)ref->len;
  if (!l) {
    if (is_call) return ptx_fail(r, ref->s, "function '%.*s' is not declared", len, ref->s);
    return ptx_fail(r, ref->s, "label '%.*s' is not declared in this function", len, ref->s);
  }
  bool of_calls = l->kind == PTX_LABEL_TARGETS && r->body.targets[l->value].calls;
  if (in->op == PTX_OP_bra && l->kind != PTX_LABEL_CODE)
    return ptx_fail(r, ref->s, "'%.*s' is not a label of code", len, ref->s);
  if (in->op == PTX_OP_brx && (l->kind != PTX_LABEL_TARGETS || of_calls))
    return ptx_fail(r, ref->s, "'%.*s' is not a list of .branchtargets", len, ref->s);
  if (is_call && l->kind != PTX_LABEL_PROTO && !of_calls)
    return ptx_fail(r, ref->s, "'%.*s' is neither a function nor a prototype", len, ref->s);
  o->kind = l->kind == PTX_LABEL_CODE    ? PTX_O_LABEL
            : l->kind == PTX_LABEL_PROTO ? PTX_O_PROTO
                                         : PTX_O_TARGETS;
  o->sym = (int32_t)l->value;
  return true;
}

/* Checks that there are as many arguments (or results) as the function has, each of the right size. */
static bool check_list(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *list,
                       uint32_t n, const int32_t *vars, const uint64_t *bytes, const char *what) {
  bool open_ended = n && (vars ? r->vars[vars[n - 1]].bytes : bytes[n - 1]) == 0;
  if (list->n_elems != n && !(open_ended && list->n_elems >= n - 1))
    return ptx_fail(r, ptx_place(r, in->line, in->col), "the call has %u %s%s, the function %u",
                    list->n_elems, what, list->n_elems == 1 ? "" : "s", n);
  for (uint32_t i = 0; i < n && i < list->n_elems; i++) {
    const struct ptx_opnd *o = &list->elems[i];
    uint64_t wanted = vars ? r->vars[vars[i]].bytes : bytes[i];
    if (o->kind != PTX_O_VAR || wanted == 0 || r->vars[o->sym].bytes == wanted) continue;
    return ptx_fail(r, ptx_place(r, o->line, o->col),
                    "'%s' has %llu bytes, but the function's %s %u has %llu", r->vars[o->sym].name,
                    (unsigned long long)r->vars[o->sym].bytes, what, i, (unsigned long long)wanted);
  }
  return true;
}

static bool check_call(struct ptx_reader *r, const struct ptx_inst *in) {
  if (in->ops[1].kind == PTX_O_FUNC) {
    const struct ptx_func *f = &r->funcs[in->ops[1].sym];
    return check_list(r, in, &in->ops[0], f->n_rets, f->rets, NULL, "result") &&
           check_list(r, in, &in->ops[2], f->n_params, f->params, NULL, "argument");
  }
  if (in->n_ops < 4 || in->ops[3].kind != PTX_O_PROTO) return true;
  const struct ptx_proto *p = &r->body.protos[in->ops[3].sym];
  return check_list(r, in, &in->ops[0], p->n_rets, NULL, p->ret_bytes, "result") &&
         check_list(r, in, &in->ops[2], p->n_params, NULL, p->param_bytes, "argument");
}

/* Checks a call's target and prototype, and a branch's operands. */
static bool check_control(struct ptx_reader *r, const struct ptx_inst *in) {
  uint8_t first = in->n_ops ? in->ops[0].kind : PTX_O_NONE;
  uint8_t second = in->n_ops > 1 ? in->ops[1].kind : PTX_O_NONE;
  const char *wrong = NULL;
  if (in->op == PTX_OP_bra && first != PTX_O_LABEL) wrong = "bra takes a label";
  if (in->op == PTX_OP_brx && second != PTX_O_TARGETS)
    wrong = "brx.idx takes an index and a list of .branchtargets";
  if (in->op == PTX_OP_call && second != PTX_O_FUNC && second != PTX_O_REG) wrong = "this cannot be called";
  if (in->op == PTX_OP_call && in->n_ops == 4 && in->ops[3].kind != PTX_O_PROTO &&
      in->ops[3].kind != PTX_O_TARGETS)
    wrong = "the last operand of a call is a .callprototype or .calltargets";
  if (wrong) return ptx_fail(r, ptx_place(r, in->line, in->col), "%s", wrong);
  return in->op != PTX_OP_call || check_call(r, in);
}

static bool resolve_targets(struct ptx_reader *r, struct ptx_targets *t) {
  for (uint32_t i = 0; i < t->n && !t->calls; i++) {
    const struct ptx_name_ref *ref = &r->body.refs[t->at[i]];
    const struct ptx_label *l = ptx_find_label(r, ref);
    if (!l || l->kind != PTX_LABEL_CODE)
      return ptx_fail(r, ref->s, "label '%.*s' is not declared in this function", (int)ref->len, ref->s);
    t->at[i] = l->value;
  }
  return true;
}

bool ptx_resolve_labels(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  for (size_t i = 0; i < b->n_ref_insts; i++) {
    const struct ptx_inst *in = &b->insts[b->ref_insts[i]];
    for (unsigned k = 0; k < in->n_ops; k++)
      if (in->ops[k].kind == PTX_O_LABEL && !resolve_label(r, in, &in->ops[k])) return false;
  }
  for (size_t i = 0; i < b->n_targets; i++)
    if (!resolve_targets(r, &b->targets[i])) return false;
  for (size_t i = 0; i < b->n_insts; i++) {
    enum ptx_op op = (enum ptx_op)b->insts[i].op;
    if ((op == PTX_OP_bra || op == PTX_OP_brx || op == PTX_OP_call) && !check_control(r, &b->insts[i]))
      return false;
  }
  return true;
}
