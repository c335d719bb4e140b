/* Constant expressions as the ISA defines them: 64-bit integers, signed unless an operand is unsigned, with
 * the operators of C, casts to .s64 and .u64, WARP_SZ; and doubles with + - * / and comparisons. Nesting is
 * bounded. */
#include "ptx/ptx_reader.h"

#include <string.h>

struct expr {
  struct ptx_reader *r;
  int depth;
};

static bool ternary(struct expr *x, struct ptx_value *out);
static bool unary(struct expr *x, struct ptx_value *out);

static bool enter(struct expr *x) {
  if (++x->depth <= PTX_MAX_EXPR_DEEP) return true;
  return ptx_fail(x->r, x->r->tok.start, "expression nested more than %d deep", PTX_MAX_EXPR_DEEP);
}

static bool literal(struct expr *x, struct ptx_value *out) {
  const struct ptx_tok *t = &x->r->tok;
  if (t->kind == PTX_T_INT) {
    out->i = (int64_t)t->value;
    out->is_unsigned = t->is_unsigned;
  } else if (t->kind == PTX_T_F32) {
    float f;
    out->f32_bits = (uint32_t)t->value;
    memcpy(&f, &out->f32_bits, sizeof f);
    out->f = (double)f;
    out->is_float = out->is_f32_bits = true;
  } else if (t->kind == PTX_T_F64) {
    memcpy(&out->f, &t->value, sizeof out->f);
    out->is_float = true;
  } else {
    return ptx_expected(x->r, "a constant");
  }
  return ptx_next(x->r);
}

static bool cast_or_group(struct expr *x, struct ptx_value *out) {
  struct ptx_reader *r = x->r;
  bool to_signed = ptx_at_word(r, PTX_T_DOT, "s64"), to_unsigned = ptx_at_word(r, PTX_T_DOT, "u64");
  if (!to_signed && !to_unsigned) return ternary(x, out) && ptx_expect(r, ')');
  if (!ptx_next(r) || !ptx_expect(r, ')') || !unary(x, out)) return false;
  if (out->is_float) return ptx_fail(r, r->tok.start, "a cast takes an integer");
  out->is_unsigned = to_unsigned;
  return true;
}

static bool primary(struct expr *x, struct ptx_value *out) {
  struct ptx_reader *r = x->r;
  *out = (struct ptx_value){0};
  if (ptx_at(r, '(')) return ptx_next(r) && cast_or_group(x, out);
  if (ptx_at_word(r, PTX_T_IDENT, "WARP_SZ")) {
    out->i = 32;
    return ptx_next(r);
  }
  return literal(x, out);
}

static bool apply_unary(struct expr *x, int op, const char *at, struct ptx_value *v) {
  v->is_f32_bits = v->is_f32_bits && (op == '-' || op == '+');
  if (v->is_float) {
    if (op == '!')
      *v = (struct ptx_value){.i = v->f == 0};
    else if (op == '-')
      v->f = -v->f, v->f32_bits ^= 0x80000000u;
    else if (op == '~')
      return ptx_fail(x->r, at, "'~' takes an integer");
    return true;
  }
  if (op == '-')
    v->i = (int64_t)(0 - (uint64_t)v->i);
  else if (op == '~')
    v->i = ~v->i;
  else if (op == '!')
    *v = (struct ptx_value){.i = v->i == 0};
  return true;
}

static bool unary(struct expr *x, struct ptx_value *out) {
  struct ptx_reader *r = x->r;
  if (!enter(x)) return false;
  bool ok;
  if (ptx_at(r, '-') || ptx_at(r, '+') || ptx_at(r, '!') || ptx_at(r, '~')) {
    int op = r->tok.punct;
    const char *at = r->tok.start;
    ok = ptx_next(r) && unary(x, out) && apply_unary(x, op, at, out);
  } else {
    ok = primary(x, out);
  }
  x->depth--;
  return ok;
}

/* ---- binary operators ---------------------------------------------------------------------------------- */

static int precedence(const struct ptx_reader *r) {
  static const struct {
    int punct, level;
  } levels[] = {
      {'*', 10},
      {'/', 10},
      {'%', 10},
      {'+', 9},
      {'-', 9},
      {PTX_PUNCT2('<', '<'), 8},
      {PTX_PUNCT2('>', '>'), 8},
      {'<', 7},
      {'>', 7},
      {PTX_PUNCT2('<', '='), 7},
      {PTX_PUNCT2('>', '='), 7},
      {PTX_PUNCT2('=', '='), 6},
      {PTX_PUNCT2('!', '='), 6},
      {'&', 5},
      {'^', 4},
      {'|', 3},
      {PTX_PUNCT2('&', '&'), 2},
      {PTX_PUNCT2('|', '|'), 1},
  };
  for (size_t i = 0; r->tok.kind == PTX_T_PUNCT && i < sizeof levels / sizeof levels[0]; i++)
    if (levels[i].punct == r->tok.punct) return levels[i].level;
  return 0;
}

static struct ptx_value truth(bool b) { return (struct ptx_value){.i = b}; }

static bool float_binary(struct expr *x, int op, const char *at, struct ptx_value *a,
                         const struct ptx_value *b) {
  double l = a->is_float ? a->f : a->is_unsigned ? (double)(uint64_t)a->i : (double)a->i;
  double r = b->is_float ? b->f : b->is_unsigned ? (double)(uint64_t)b->i : (double)b->i;
  *a = (struct ptx_value){.is_float = true};
  switch (op) {
  case '+': a->f = l + r; return true;
  case '-': a->f = l - r; return true;
  case '*': a->f = l * r; return true;
  case '/': a->f = l / r; return true;
  case '<': *a = truth(l < r); return true;
  case '>': *a = truth(l > r); return true;
  case PTX_PUNCT2('<', '='): *a = truth(l <= r); return true;
  case PTX_PUNCT2('>', '='): *a = truth(l >= r); return true;
  case PTX_PUNCT2('=', '='): *a = truth(l == r); return true;
  case PTX_PUNCT2('!', '='): *a = truth(l != r); return true;
  default: return ptx_fail(x->r, at, "this operator takes integers");
  }
}

static int64_t shift_right(int64_t v, uint64_t by, bool is_unsigned) {
  if (is_unsigned) return by > 63 ? 0 : (int64_t)((uint64_t)v >> by);
  return v >> (by > 63 ? 63 : by);
}

static bool divide(struct expr *x, int op, const char *at, struct ptx_value *a, int64_t b) {
  if (b == 0) return ptx_fail(x->r, at, "division by zero in a constant expression");
  uint64_t ul = (uint64_t)a->i, ur = (uint64_t)b;
  if (a->is_unsigned)
    a->i = (int64_t)(op == '/' ? ul / ur : ul % ur);
  else if (b == -1)
    a->i = op == '/' ? (int64_t)(0 - ul) : 0;
  else
    a->i = op == '/' ? a->i / b : a->i % b;
  return true;
}

static bool compare(int op, bool is_unsigned, int64_t l, int64_t r) {
  bool less = is_unsigned ? (uint64_t)l < (uint64_t)r : l < r;
  switch (op) {
  case '<': return less;
  case '>': return !less && l != r;
  case PTX_PUNCT2('<', '='): return less || l == r;
  case PTX_PUNCT2('>', '='): return !less;
  case PTX_PUNCT2('=', '='): return l == r;
  default: return l != r;
  }
}

static bool binary(struct expr *x, int op, const char *at, struct ptx_value *a, const struct ptx_value *b) {
  if (a->is_float || b->is_float) return float_binary(x, op, at, a, b);
  bool is_unsigned = a->is_unsigned || b->is_unsigned;
  uint64_t l = (uint64_t)a->i, r = (uint64_t)b->i;
  if (op != PTX_PUNCT2('<', '<') && op != PTX_PUNCT2('>', '>')) a->is_unsigned = is_unsigned;
  switch (op) {
  case '+': a->i = (int64_t)(l + r); return true;
  case '-': a->i = (int64_t)(l - r); return true;
  case '*': a->i = (int64_t)(l * r); return true;
  case '/':
  case '%': return divide(x, op, at, a, b->i);
  case '&': a->i = (int64_t)(l & r); return true;
  case '^': a->i = (int64_t)(l ^ r); return true;
  case '|': a->i = (int64_t)(l | r); return true;
  case PTX_PUNCT2('<', '<'): a->i = r > 63 ? 0 : (int64_t)(l << r); return true;
  case PTX_PUNCT2('>', '>'): a->i = shift_right(a->i, r, a->is_unsigned); return true;
  case PTX_PUNCT2('&', '&'): *a = truth(l && r); return true;
  case PTX_PUNCT2('|', '|'): *a = truth(l || r); return true;
  default: *a = truth(compare(op, is_unsigned, a->i, b->i)); return true;
  }
}

static bool climb(struct expr *x, int lowest, struct ptx_value *out) {
  struct ptx_reader *r = x->r;
  if (!enter(x) || !unary(x, out)) return false;
  for (int level = precedence(r); level >= lowest; level = precedence(r)) {
    int op = r->tok.punct;
    const char *at = r->tok.start;
    struct ptx_value right;
    if (!ptx_next(r) || !climb(x, level + 1, &right) || !binary(x, op, at, out, &right)) return false;
  }
  x->depth--;
  return true;
}

static bool ternary(struct expr *x, struct ptx_value *out) {
  struct ptx_reader *r = x->r;
  if (!enter(x) || !climb(x, 1, out)) return false;
  if (ptx_at(r, '?')) {
    struct ptx_value yes, no;
    bool chosen = out->is_float ? out->f != 0 : out->i != 0;
    if (!ptx_next(r) || !ternary(x, &yes) || !ptx_expect(r, ':') || !ternary(x, &no)) return false;
    *out = chosen ? yes : no;
  }
  x->depth--;
  return true;
}

bool ptx_expr(struct ptx_reader *r, struct ptx_value *out) {
  struct expr x = {.r = r};
  return ternary(&x, out);
}

bool ptx_int_expr(struct ptx_reader *r, int64_t *out) {
  const char *at = r->tok.start;
  struct ptx_value v;
  if (!ptx_expr(r, &v)) return false;
  if (v.is_float) return ptx_fail(r, at, "expected an integer constant");
  *out = v.i;
  return true;
}

bool ptx_count(struct ptx_reader *r, const char *what, uint64_t max, uint64_t *out) {
  const char *at = r->tok.start;
  int64_t v = 0;
  if (!ptx_int_expr(r, &v)) return false;
  if (v < 0 || (uint64_t)v > max)
    return ptx_fail(r, at, "%s must be between 0 and %llu", what, (unsigned long long)max);
  *out = (uint64_t)v;
  return true;
}
