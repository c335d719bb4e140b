/* Initialisers: numbers, strings, nested braces, and addresses of symbols, which become relocations. The
 * bytes are collected in the reader's buffer and copied to the arena when the variable is complete. */
#include "ptx/ptx_reader.h"

#include <string.h>

struct init {
  struct ptx_reader *r;
  uint32_t var;
  uint8_t type;
  uint32_t element;                  /* bytes of one scalar */
  uint64_t stride[PTX_MAX_DIMS + 2]; /* bytes between the items of a level of braces */
  uint64_t limit[PTX_MAX_DIMS + 2];  /* bytes a level may hold */
  unsigned levels;
};

static bool store(struct init *x, uint64_t at, const void *bytes, size_t n) {
  struct ptx_reader *r = x->r;
  if (at + n > PTX_MAX_INIT_BYTES - r->init_bytes)
    return ptx_fail(r, r->tok.start, "more than 1 GiB of initialised variables");
  size_t needed = (size_t)at + n;
  if (needed > r->n_init) {
    GROW(r->init, r->cap_init, needed);
    memset(r->init + r->n_init, 0, needed - r->n_init);
    r->n_init = needed;
  }
  memcpy(r->init + at, bytes, n);
  return true;
}

/* ---- scalars ------------------------------------------------------------------------------------------- */

static bool store_value(struct init *x, uint64_t at, const struct ptx_value *v, const char *where) {
  uint64_t bits[2] = {(uint64_t)v->i, v->i < 0 ? ~(uint64_t)0 : 0};
  bool is_float = ptx_type_float((enum ptx_type)x->type);
  double d = v->is_float ? v->f : 0.0;
  float f = (float)d;
  if ((x->type == PTX_F64 || x->type == PTX_F32) && !v->is_float)
    return ptx_fail(x->r, where, "a variable of type .%s takes floating-point numbers", ptx_type_name((enum ptx_type)x->type));
  if (x->type == PTX_F64 || (v->is_float && !v->is_f32_bits && x->type == PTX_B64)) {
    memcpy(bits, &d, sizeof d);
  } else if (x->type == PTX_F32 || (v->is_f32_bits && x->type == PTX_B32)) {
    memcpy(bits, &f, sizeof f);
    if (v->is_f32_bits) memcpy(bits, &v->f32_bits, sizeof v->f32_bits);
  } else if (v->is_float) {
    return ptx_fail(x->r, where,
                    is_float ? "write values of type .%s as integers holding their bits"
                             : "a variable of type .%s takes integers",
                    ptx_type_name((enum ptx_type)x->type));
  }
  return store(x, at, bits, x->element);
}

static bool take_addend(struct ptx_reader *r, int64_t *addend) {
  int64_t v;
  if (!ptx_at(r, '+')) return true;
  if (!ptx_next(r) || !ptx_int_expr(r, &v)) return false;
  *addend = (int64_t)((uint64_t)*addend + (uint64_t)v);
  return true;
}

/* name, name+4, generic(name), generic(name)+4 */
static bool symbol(struct init *x, struct ptx_reloc *reloc, struct ptx_name_ref *name) {
  struct ptx_reader *r = x->r;
  struct ptx_tok t;
  if (!ptx_take_name(r, "the name of a variable or function", &t)) return false;
  if (ptx_at(r, '(') && t.len == 7 && memcmp(t.s, "generic", 7) == 0) {
    reloc->generic = true;
    if (!ptx_next(r) || !ptx_take_name(r, "the name of a variable", &t) || !take_addend(r, &reloc->addend) ||
        !ptx_expect(r, ')'))
      return false;
  }
  *name = (struct ptx_name_ref){.s = t.s, .len = t.len};
  return take_addend(r, &reloc->addend);
}

static bool store_symbol(struct init *x, uint64_t at, uint64_t mask, bool masked) {
  struct ptx_reader *r = x->r;
  const char *where = r->tok.start;
  struct ptx_pending_reloc p = {0};
  struct ptx_reloc reloc = {.offset = (uint32_t)at, .bytes = (uint8_t)x->element, .mask = mask, .sym = -1};
  if (!symbol(x, &reloc, &p.name)) return false;
  if (!masked && x->element < 4)
    return ptx_fail(r, where,
                    "an address does not fit in a variable of type .%s; use a mask such as 0xff(name)",
                    ptx_type_name((enum ptx_type)x->type));
  GROW(r->relocs, r->cap_relocs, r->n_relocs + 1);
  r->relocs[r->n_relocs++] = reloc;
  GROW(r->pending, r->cap_pending, r->n_pending + 1);
  r->pending[r->n_pending++] = p;
  return store(x, at, (const char[16]){0}, x->element);
}

static bool scalar(struct init *x, uint64_t at) {
  struct ptx_reader *r = x->r;
  const char *where = r->tok.start;
  struct ptx_value v;
  if (r->tok.kind == PTX_T_IDENT && !ptx_at_word(r, PTX_T_IDENT, "WARP_SZ"))
    return store_symbol(x, at, ~(uint64_t)0, false);
  if (!ptx_expr(r, &v)) return false;
  if (!ptx_at(r, '(')) return store_value(x, at, &v, where);
  if (v.is_float || v.i == 0) return ptx_fail(r, where, "a mask must be an integer other than 0");
  return ptx_next(r) && store_symbol(x, at, (uint64_t)v.i, true) && ptx_expect(r, ')');
}

/* ---- strings ------------------------------------------------------------------------------------------- */

static unsigned char escaped(const char **s, const char *end) {
  static const char from[] = "abfnrtv0", to[] = "\a\b\f\n\r\t\v";
  char c = *(*s)++;
  if (c != '\\' || *s == end) return (unsigned char)c;
  c = *(*s)++;
  const char *known = strchr(from, c);
  return c && known ? (unsigned char)to[known - from] : (unsigned char)c;
}

static bool string(struct init *x, uint64_t at, uint64_t limit, uint64_t *stored) {
  struct ptx_reader *r = x->r;
  const char *s = r->tok.s, *end = s + r->tok.len;
  if (x->element != 1) return ptx_fail(r, r->tok.start, "a string initialises an array of 8-bit elements");
  uint64_t n = 0;
  for (; s < end; n++) {
    unsigned char c = escaped(&s, end);
    if (n >= limit) return ptx_fail(r, r->tok.start, "the string is longer than the array");
    if (!store(x, at + n, &c, 1)) return false;
  }
  if (n < limit) {
    if (!store(x, at + n, "", 1)) return false;
    n++;
  }
  *stored = n;
  return ptx_next(r);
}

/* ---- braces -------------------------------------------------------------------------------------------- */

static bool braces(struct init *x, unsigned level, uint64_t base) {
  struct ptx_reader *r = x->r;
  const struct ptx_var *v = &r->vars[x->var];
  if (!ptx_expect(r, '{')) return false;
  uint64_t pos = 0;
  while (!ptx_at(r, '}')) {
    const char *at = r->tok.start;
    bool nested = ptx_at(r, '{');
    if (nested) pos = ptx_align_up(pos, x->stride[level]);
    if (nested && level + 1 >= x->levels)
      return ptx_fail(r, at, "more braces than the variable has dimensions");
    uint64_t size = nested ? x->stride[level] : x->element;
    if (pos + size > x->limit[level]) return ptx_fail(r, at, "more values than the variable holds");
    if (r->tok.kind == PTX_T_STRING) {
      if (!string(x, base + pos, x->limit[level] - pos, &size)) return false;
    } else if (!(nested ? braces(x, level + 1, base + pos) : scalar(x, base + pos))) {
      return false;
    }
    pos += size;
    if (!ptx_accept(r, ',')) break;
  }
  if (v->vec > 1 && level + 1 == x->levels && pos != x->limit[level])
    return ptx_fail(r, r->tok.start, "the vector has %u elements", v->vec);
  return ptx_expect(r, '}');
}

/* Levels of braces: one a dimension, one more for the elements of a vector, and at least one. */
static void set_levels(struct init *x, const struct ptx_var *v, const uint64_t *dims, unsigned n_dims) {
  uint64_t stride = x->element;
  x->levels = n_dims + (v->vec > 1) > 0 ? n_dims + (v->vec > 1) : 1;
  for (unsigned i = x->levels; i-- > 0;) {
    uint64_t count = i < n_dims ? dims[i] : v->vec;
    x->stride[i] = stride;
    x->limit[i] = stride * count;
    stride *= count;
  }
  if (n_dims && dims[0] == 0) x->limit[0] = PTX_MAX_VAR_BYTES;
}

/* { width = 1, filter_mode = nearest }: of texture and sampler references. */
static bool settings(struct ptx_reader *r, uint32_t var) {
  struct ptx_setting list[32];
  size_t n = 0;
  if (!ptx_expect(r, '{')) return false;
  while (!ptx_at(r, '}')) {
    struct ptx_tok key;
    if (n == 32) return ptx_fail(r, r->tok.start, "too many settings");
    if (!ptx_take_name(r, "the name of a setting", &key) || !ptx_expect(r, '=')) return false;
    list[n] = (struct ptx_setting){.key = ptx_keep(r, &key)};
    if (r->tok.kind == PTX_T_IDENT) {
      list[n].word = ptx_keep(r, &r->tok);
      if (!ptx_next(r)) return false;
    } else if (!ptx_int_expr(r, &list[n].number)) {
      return false;
    }
    n++;
    if (!ptx_accept(r, ',')) break;
  }
  r->vars[var].settings = arena_copy(&r->m->arena, list, n * sizeof list[0]);
  r->vars[var].n_settings = n;
  return ptx_expect(r, '}');
}

static bool keep(struct init *x, bool sized) {
  struct ptx_reader *r = x->r;
  struct ptx_var *v = &r->vars[x->var];
  if (!sized) v->bytes = ptx_align_up(r->n_init, x->stride[0]);
  if (v->bytes > PTX_MAX_INIT_BYTES - r->init_bytes)
    return ptx_fail(r, r->tok.start, "more than 1 GiB of initialised variables");
  r->init_bytes += v->bytes;
  unsigned char *bytes = arena_alloc(&r->m->arena, (size_t)v->bytes);
  memcpy(bytes, r->init, r->n_init);
  v->init = bytes;
  v->relocs = arena_copy(&r->m->arena, r->relocs, r->n_relocs * sizeof *r->relocs);
  v->n_relocs = r->n_relocs;
  for (size_t i = 0; i < v->n_relocs; i++) r->pending[r->n_pending - v->n_relocs + i].reloc = &v->relocs[i];
  return true;
}

bool ptx_parse_init(struct ptx_reader *r, uint32_t var, const uint64_t *dims, unsigned n_dims) {
  const struct ptx_var *v = &r->vars[var];
  struct init x = {.r = r, .var = var, .type = v->type, .element = ptx_type_bits((enum ptx_type)v->type) / 8};
  uint64_t ignored;
  if (v->type == PTX_TEXREF || v->type == PTX_SAMPLERREF || v->type == PTX_SURFREF) return settings(r, var);
  if (ptx_at(r, '{') && !v->is_array && v->vec == 1) return ptx_fail(r, r->tok.start, "braces are for arrays and vectors");
  set_levels(&x, v, dims, n_dims);
  GROW(r->init, r->cap_init, 1);
  GROW(r->relocs, r->cap_relocs, 1);
  r->n_init = r->n_relocs = 0;
  bool ok = ptx_at(r, '{')                ? braces(&x, 0, 0)
            : r->tok.kind == PTX_T_STRING ? string(&x, 0, x.limit[0], &ignored)
            : v->is_array                 ? ptx_expected(r, "'{'")
                                          : scalar(&x, 0);
  return ok && keep(&x, !(n_dims && dims[0] == 0));
}

bool ptx_resolve_relocs(struct ptx_reader *r) {
  for (size_t i = 0; i < r->n_pending; i++) {
    const struct ptx_pending_reloc *p = &r->pending[i];
    const struct ptx_sym *s = ptx_lookup(r, p->name.s, p->name.len);
    if (!s) return ptx_fail(r, p->name.s, "'%.*s' is not declared", (int)p->name.len, p->name.s);
    p->reloc->sym = (int32_t)s->index;
    p->reloc->is_func = s->kind == PTX_SYM_FUNC;
  }
  return true;
}
