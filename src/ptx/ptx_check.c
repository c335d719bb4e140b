/* The operands of an opcode: how many there are, which are written, and which type a register must have. Reads ptx_operands.def and
 * provides ptx_touches. Modifiers are checked here only if they change these answers. */
#include "ptx/ptx_reader.h"

#include <stdio.h>
#include <string.h>

static const struct {
  uint8_t least;
  const char *words; /* NULL: not modelled */
} operands[PTX_OPS] = {
#define OPERANDS(op, least, words) [PTX_OP_##op] = {least, words},
#include "ptx/ptx_operands.def"
#undef OPERANDS
};

/* ---- registers read and written ------------------------------------------------------------------------ */

static void add_once(int32_t *list, uint32_t *n, int32_t reg) {
  for (uint32_t i = 0; i < *n; i++)
    if (list[i] == reg) return;
  if (reg >= 0 && *n < PTX_MAX_TOUCHED) list[(*n)++] = reg;
}

static void touch(const struct ptx_opnd *o, bool written, struct ptx_touched *out) {
  if (o->kind == PTX_O_MEM) written = false;
  int32_t *list = written ? out->writes : out->reads;
  uint32_t *n = written ? &out->n_writes : &out->n_reads;
  if (o->kind == PTX_O_REG) add_once(list, n, o->reg);
  if (o->second >= 0) add_once(list, n, o->second);
  for (unsigned i = 0; i < o->n_elems; i++) touch(&o->elems[i], written, out);
}

void ptx_touches(const struct ptx_func *f, const struct ptx_inst *in, struct ptx_touched *out) {
  (void)f;
  out->n_reads = out->n_writes = 0;
  const char *words = operands[in->op].words;
  char first = words ? words[0] : '=';
  bool writes = first == '=' || (first == 'R' && ptx_has(in, PTX_M_red));
  if (in->guarded) add_once(out->reads, &out->n_reads, in->guard);
  for (unsigned i = 0; i < in->n_ops; i++) touch(&in->ops[i], i == 0 && writes, out);
  if (first == 'X' && in->n_ops && in->ops[0].kind == PTX_O_VEC) touch(&in->ops[0], true, out);
  if (!words && in->n_ops) touch(&in->ops[0], false, out);
}

/* ---- types of registers -------------------------------------------------------------------------------- */

enum fit { EXACT, AT_LEAST };

static bool is_plain_int(enum ptx_type t) {
  return (t >= PTX_U8 && t <= PTX_U64) || (t >= PTX_S8 && t <= PTX_S64);
}
static bool is_plain_float(enum ptx_type t) { return t == PTX_F16 || t == PTX_F32 || t == PTX_F64; }

/* Bit types are compatible with everything of the same size; integers and floats are not compatible; packed and tensor types are kept in
 * any register of their size. */
static bool fits(enum ptx_type reg, enum ptx_type wanted, enum fit fit) {
  if (reg == PTX_PRED || wanted == PTX_PRED) return reg == wanted;
  unsigned have = ptx_type_bits(reg), need = ptx_type_bits(wanted);
  if (fit == EXACT ? have != need : have < need) return false;
  if (is_plain_int(wanted) && is_plain_float(reg)) return false;
  if (is_plain_float(wanted) && (is_plain_int(reg) || (is_plain_float(reg) && have != need))) return false;
  return true;
}

static enum ptx_type twice(enum ptx_type t) {
  switch (t) {
  case PTX_U16: return PTX_U32;
  case PTX_S16: return PTX_S32;
  case PTX_U32: return PTX_U64;
  case PTX_S32: return PTX_S64;
  default: return PTX_NOTYPE;
  }
}

/* The type a word of the table asks for; NOTYPE: anything. */
static enum ptx_type wanted_type(const struct ptx_inst *in, char word, enum fit *fit) {
  enum ptx_type first = (enum ptx_type)in->types[0], second = (enum ptx_type)in->types[1];
  *fit = word == '<' || word == '>' ? AT_LEAST : EXACT;
  switch (word) {
  case '0': return in->n_types ? first : PTX_NOTYPE;
  case '<': return in->n_types ? first : PTX_NOTYPE;
  case '1':
  case '>': return in->n_types > 1 ? second : PTX_NOTYPE;
  case 'a': return in->n_types ? (enum ptx_type)in->types[in->n_types - 1] : PTX_NOTYPE;
  case 'W': return !in->n_types ? PTX_NOTYPE : ptx_has(in, PTX_M_wide) ? twice(first) : first;
  case 'i': return PTX_B32;
  case 'u': return PTX_U32;
  case 'd': return PTX_B64;
  case 'p': return PTX_PRED;
  default: return PTX_NOTYPE;
  }
}

/* Place of an operand in the text, given that of its instruction's opcode. */
static const char *operand_place(const struct ptx_inst *in, const struct ptx_opnd *o, const char *at) {
  const char *line = at - (in->col - 1);
  for (uint32_t n = in->line; n < o->line; n++) line = strchr(line, '\n') + 1;
  return line + (o->col - 1);
}

static bool check_reg(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o, int32_t reg,
                      enum ptx_type wanted, enum fit fit, const char *at) {
  const struct ptx_reg *g = &r->body.regs[reg];
  if (wanted == PTX_NOTYPE || fits((enum ptx_type)g->type, wanted, fit)) return true;
  char name[128];
  ptx_inst_name(in, name, sizeof name);
  return ptx_fail(r, operand_place(in, o, at), "register '%s' has type .%s, but %s takes .%s here%s", g->name,
                  ptx_type_name((enum ptx_type)g->type), name, ptx_type_name(wanted),
                  fit == AT_LEAST ? " or wider" : "");
}

/* mov.b64 {a, b}, c: the parts must fill the whole. */
static bool check_pack(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o,
                       const char *at) {
  unsigned bits = 0, whole = ptx_type_bits((enum ptx_type)in->types[0]);
  for (unsigned i = 0; i < o->n_elems; i++) {
    const struct ptx_opnd *e = &o->elems[i];
    if (e->kind == PTX_O_VAR) return ptx_fail(r, operand_place(in, e, at), "the address of '%s' is not a part", r->vars[e->sym].name);
    if (e->kind != PTX_O_REG) return true;
    bits += ptx_type_bits((enum ptx_type)r->body.regs[e->reg].type);
  }
  if (bits == whole || !in->n_types) return true;
  return ptx_fail(r, operand_place(in, o, at), "the parts have %u bits together, but .%s has %u", bits,
                  ptx_type_name((enum ptx_type)in->types[0]), whole);
}

/* A literal is an integer for integers and a float for floats; as bits, a float must have their number. */
static bool check_literal(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o,
                          enum ptx_type wanted, const char *at) {
  bool is_int = o->kind == PTX_O_INT, is_float = o->kind == PTX_O_F32 || o->kind == PTX_O_F64;
  if (is_int && (wanted == PTX_F32 || wanted == PTX_F64))
    return ptx_fail(r, operand_place(in, o, at), "an integer where .%s is needed; write for instance 1.0",
                    ptx_type_name(wanted));
  if (is_float &&
      (is_plain_int(wanted) || wanted == PTX_B8 || wanted == PTX_B16 || wanted == PTX_PRED ||
       (wanted == PTX_B32 && o->kind != PTX_O_F32) || (wanted == PTX_B64 && o->kind != PTX_O_F64)))
    return ptx_fail(r, operand_place(in, o, at), "a floating-point number where .%s is needed",
                    ptx_type_name(wanted));
  return true;
}

/* A written operand is a register or the sink; a read operand is not the sink. */
static bool check_role(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o,
                       bool written, const char *at) {
  const char *where = operand_place(in, o, at);
  if (o->kind == PTX_O_MEM || o->kind == PTX_O_LIST) return true;
  if (!written && o->kind == PTX_O_SINK) return ptx_fail(r, where, "'_' cannot be read");
  if (o->kind == PTX_O_SINK && o == in->ops && (in->op == PTX_OP_ld || in->op == PTX_OP_ldu))
    return ptx_fail(r, where, "what is loaded cannot be dropped");
  if (o->negative && in->op != PTX_OP_vmad)
    return ptx_fail(r, where, "'-' before a register is for vmad only");
  if (o->kind == PTX_O_VEC) {
    for (unsigned i = 0; i < o->n_elems; i++)
      if (!check_role(r, in, &o->elems[i], written, at)) return false;
    return true;
  }
  if (written && ((o->kind != PTX_O_REG && o->kind != PTX_O_SINK) || o->negate || o->negative))
    return ptx_fail(r, where, "the result must go to a register");
  return true;
}

static bool has_typed_elems(const struct ptx_inst *in) {
  return in->op == PTX_OP_ld || in->op == PTX_OP_st || in->op == PTX_OP_ldu || in->op == PTX_OP_mov;
}

/* The base of an address is a whole number of 32 or 64 bits, or a variable of the state space written. */
static bool check_address(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o,
                          const char *at) {
  const struct ptx_opnd *base = &o->elems[0];
  if (base->kind == PTX_O_VAR && has_typed_elems(in) && in->space != PTX_GENERIC) {
    const struct ptx_var *v = &r->vars[base->sym];
    if (v->space == in->space) return true;
    return ptx_fail(r, operand_place(in, base, at), "'%s' is a .%s variable, not .%s", v->name,
                    ptx_space_name((enum ptx_space)v->space), ptx_space_name((enum ptx_space)in->space));
  }
  if (base->kind == PTX_O_INT && in->space != PTX_LOCAL)
    return ptx_fail(r, operand_place(in, base, at), "only an address of .local can be a number");
  if (base->kind != PTX_O_REG) return true;
  const struct ptx_reg *g = &r->body.regs[base->reg];
  unsigned bits = ptx_type_bits((enum ptx_type)g->type);
  if ((bits == 32 || bits == 64) && !ptx_type_float((enum ptx_type)g->type)) return true;
  return ptx_fail(r, operand_place(in, base, at), "register '%s' of type .%s cannot hold an address", g->name,
                  ptx_type_name((enum ptx_type)g->type));
}

static bool computes(const struct ptx_inst *in) {
  enum ptx_family family = ptx_op_family((enum ptx_op)in->op);
  return family == PTX_ARITH || family == PTX_COMPARE || family == PTX_VIDEO || family == PTX_WARP || in->op == PTX_OP_st ||
         in->op == PTX_OP_atom || in->op == PTX_OP_red || in->op == PTX_OP_bar || in->op == PTX_OP_barrier;
}

/* Addresses of variables are taken by mov and cvta, special registers are read by mov and cvt; other instructions need them in a register.
 * Modules for architectures before sm_20 are older than this rule. */
static bool check_source(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o, enum ptx_type wanted, const char *at) {
  const char *where = operand_place(in, o, at);
  if ((o->kind != PTX_O_VAR && o->kind != PTX_O_SREG) || r->m->target < 20) return true;
  const char *name = o->kind == PTX_O_VAR ? r->vars[o->sym].name : ptx_sreg_name((enum ptx_sreg)o->reg);
  bool variable = o->kind == PTX_O_VAR, to = variable && in->op == PTX_OP_cvta && ptx_has(in, PTX_M_to);
  if (computes(in) || to || (variable && in->op == PTX_OP_cvt)) return ptx_fail(r, where, "'%s' must be in a register here", name);
  if (in->op != PTX_OP_mov || wanted == PTX_NOTYPE) return true;
  if (ptx_type_float(wanted) || (variable && wanted == PTX_PRED))
    return ptx_fail(r, where, "'%s' is not a number of type .%s", name, ptx_type_name(wanted));
  unsigned bits = variable || o->reg == PTX_SR_gridid ? 0 : ptx_sreg_bits((enum ptx_sreg)o->reg); /* gridid had 32 bits once */
  if (bits >= 32 && (bits == 64) != (ptx_type_bits(wanted) == 64))
    return ptx_fail(r, where, "'%s' has %u bits", name, bits);
  return true;
}

static bool check_operand(struct ptx_reader *r, const struct ptx_inst *in, const struct ptx_opnd *o,
                          char word, const char *at) {
  enum fit fit;
  enum ptx_type wanted = wanted_type(in, word, &fit);
  if (word == 'm' && o->kind != PTX_O_MEM)
    return ptx_fail(r, operand_place(in, o, at), "expected an address in brackets");
  if (o->kind == PTX_O_MEM) return check_address(r, in, o, at);
  if (!check_literal(r, in, o, wanted, at)) return false;
  if (!check_source(r, in, o, wanted, at)) return false;
  if (o->kind == PTX_O_REG) return check_reg(r, in, o, o->reg, wanted, fit, at);
  if (o->kind != PTX_O_VEC || !has_typed_elems(in) || word == '*') return true;
  if (in->op == PTX_OP_mov && in->vec == 1) return check_pack(r, in, o, at);
  bool any = false;
  for (unsigned i = 0; i < o->n_elems; i++) {
    if (!check_operand(r, in, &o->elems[i], word, at)) return false;
    any |= o->elems[i].kind != PTX_O_SINK;
  }
  if (!any) return ptx_fail(r, operand_place(in, o, at), "what is loaded cannot be dropped");
  if (o->n_elems != in->vec)
    return ptx_fail(r, operand_place(in, o, at), "%u elements where the instruction has %u", o->n_elems,
                    in->vec);
  return true;
}

static unsigned count_words(const char *words) {
  unsigned n = words[0] != 0;
  for (const char *s = words; *s; s++) n += *s == ' ';
  return n;
}

static bool check_count(struct ptx_reader *r, const struct ptx_inst *in, const char *at, const char *words) {
  unsigned least = operands[in->op].least, most = count_words(words);
  if (in->n_ops >= least && in->n_ops <= most) return true;
  char range[32];
  if (least == most)
    snprintf(range, sizeof range, "%u", least);
  else
    snprintf(range, sizeof range, "%u to %u", least, most);
  return ptx_fail(r, at, "'%s' takes %s operand%s, found %u", ptx_op_name((enum ptx_op)in->op), range,
                  most == 1 ? "" : "s", in->n_ops);
}

bool ptx_check_inst(struct ptx_reader *r, const struct ptx_inst *in, const char *at) {
  const char *words = operands[in->op].words;
  if (!words) return true;
  if (!check_count(r, in, at, words)) return false;
  for (unsigned i = 0; i < in->n_ops; i++) {
    bool written = *words == '=' || (*words == 'R' && ptx_has(in, PTX_M_red));
    if (*words == '=') words++;
    if (!check_role(r, in, &in->ops[i], written, at) || !check_operand(r, in, &in->ops[i], *words, at))
      return false;
    words += words[1] ? 2 : 1;
  }
  return true;
}
