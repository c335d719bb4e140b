/* Declarations: what precedes a name (linkage, state space, alignment, type), the names with their array bounds, parameter lists, and the
 * place of each variable of a function in its area. */
#include "ptx/ptx_reader.h"

#include <stdio.h>
#include <string.h>

uint64_t ptx_align_up(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

/* ---- what stands before a name ------------------------------------------------------------------------- */

bool ptx_parse_linkage(struct ptx_reader *r, struct ptx_decl *d) {
  for (bool first = true;; first = false) {
    bool *which = ptx_at_word(r, PTX_T_DOT, "extern")    ? &d->is_extern
                  : ptx_at_word(r, PTX_T_DOT, "visible") ? &d->is_visible
                  : ptx_at_word(r, PTX_T_DOT, "weak")    ? &d->is_weak
                  : ptx_at_word(r, PTX_T_DOT, "common")  ? &d->is_common
                                                         : NULL;
    if (!which) return r->e->kind == ERR_NONE;
    if (!first) return ptx_fail(r, r->tok.start, "a declaration has one linkage, not .%.*s too", (int)r->tok.len, r->tok.s);
    *which = true;
    if (!ptx_next(r)) return false;
  }
}

/* .attribute(.managed), .attribute(.unified(1, 2)): after the word. */
bool ptx_parse_attribute(struct ptx_reader *r, struct ptx_decl *d) {
  if (!ptx_expect(r, '(')) return false;
  for (int depth = 1; depth > 0;) {
    if (r->tok.kind == PTX_T_END) return ptx_expected(r, "')'");
    if (ptx_at_word(r, PTX_T_DOT, "managed")) d->is_managed = true;
    else if (r->tok.kind == PTX_T_DOT && !ptx_at_word(r, PTX_T_DOT, "unified"))
      return ptx_fail(r, r->tok.start, "unknown attribute '.%.*s'; .managed and .unified are", (int)r->tok.len, r->tok.s);
    depth += ptx_at(r, '(') ? 1 : ptx_at(r, ')') ? -1 : 0;
    if (!ptx_next(r)) return false;
  }
  return true;
}

/* A single number, not an expression, as ptxas reads it in declarations. */
static bool one_number(struct ptx_reader *r, const char *what, uint64_t most, uint64_t *out) {
  bool warp_size = ptx_at_word(r, PTX_T_IDENT, "WARP_SZ");
  if (!warp_size && r->tok.kind != PTX_T_INT) return ptx_fail(r, r->tok.start, "%s is a number, without a sign or an operator", what);
  *out = warp_size ? 32 : r->tok.value;
  if (*out > most) return ptx_fail(r, r->tok.start, "%s must be between 0 and %llu", what, (unsigned long long)most);
  return ptx_next(r);
}

static bool parse_align(struct ptx_reader *r, uint64_t *align) {
  const char *at = r->tok.start;
  if (!one_number(r, "an alignment", 1 << 20, align)) return false;
  if (*align == 0 || (*align & (*align - 1)) != 0)
    return ptx_fail(r, at, "an alignment must be a power of two");
  return true;
}

/* .ptr .global .align 16: describes what a pointer parameter points to. */
static bool parse_ptr(struct ptx_reader *r, struct ptx_decl *d) {
  enum ptx_word_kind kind;
  uint32_t value;
  uint64_t align;
  d->is_ptr = true;
  if (!ptx_next(r)) return false;
  if (r->tok.kind == PTX_T_DOT && ptx_find_word(r, &r->tok, &kind, &value) && kind == PTX_W_SPACE) {
    d->ptr_space = (uint8_t)value;
    if (!ptx_next(r)) return false;
  }
  if (ptx_at_word(r, PTX_T_DOT, "align")) return ptx_next(r) && parse_align(r, &align);
  return true;
}

static uint8_t reference_type(const struct ptx_reader *r) {
  return ptx_at_word(r, PTX_T_DOT, "texref")       ? PTX_TEXREF
         : ptx_at_word(r, PTX_T_DOT, "samplerref") ? PTX_SAMPLERREF
         : ptx_at_word(r, PTX_T_DOT, "surfref")    ? PTX_SURFREF
                                                   : PTX_NOTYPE;
}

/* A state space, vector width or type. */
static bool parse_decl_word(struct ptx_reader *r, struct ptx_decl *d) {
  enum ptx_word_kind kind;
  uint32_t value;
  uint8_t reference = reference_type(r);
  if (reference) {
    d->type = reference;
  } else if (!ptx_find_word(r, &r->tok, &kind, &value) || kind == PTX_W_MOD) {
    char hint[80];
    ptx_hint(hint, sizeof hint, r->tok.s, r->tok.len, ptx_type_names + 1, PTX_TEXREF - 1);
    return ptx_fail(r, r->tok.start, "unknown type or directive '.%.*s'%s", (int)r->tok.len, r->tok.s, hint);
  } else if (kind == PTX_W_SPACE) {
    if (d->space != PTX_GENERIC) return ptx_fail(r, r->tok.start, "a declaration has one state space");
    d->space = (uint8_t)value;
  } else if (kind == PTX_W_VECTOR) {
    d->vec = value;
  } else {
    if (d->type != PTX_NOTYPE) return ptx_fail(r, r->tok.start, "a declaration has one type");
    d->type = (uint8_t)value;
  }
  return ptx_next(r);
}

/* Types of instructions that variables cannot have: formats that are kept in registers of bits. */
static bool is_instruction_type(uint8_t t) {
  return ptx_type_float((enum ptx_type)t) && t != PTX_F16 && t != PTX_F16X2 && t != PTX_F32 && t != PTX_F64;
}

/* Textures and surfaces are in .global or are parameters; a separate sampler needs .target texmode_independent. */
static bool check_reference(struct ptx_reader *r, const struct ptx_decl *d) {
  if (d->type != PTX_TEXREF && d->type != PTX_SAMPLERREF && d->type != PTX_SURFREF) return true;
  if (d->space == PTX_SHARED || d->space == PTX_CONST || d->space == PTX_LOCAL)
    return ptx_fail(r, d->at, "textures, samplers and surfaces are .global");
  if (d->type == PTX_SAMPLERREF && !r->texmode_independent)
    return ptx_fail(r, d->at, "a .samplerref needs texmode_independent in .target");
  return true;
}

static bool check_decl(struct ptx_reader *r, const struct ptx_decl *d) {
  unsigned bits = ptx_type_bits((enum ptx_type)d->type);
  if (d->space == PTX_GENERIC)
    return ptx_fail(r, d->at, "a declaration needs a state space, for instance .global");
  if (d->type == PTX_NOTYPE) return ptx_expected(r, "a type, for instance .u32");
  if (d->space == PTX_REG && d->type == PTX_PRED && d->vec == 1) return true;
  if (d->is_common && d->space != PTX_GLOBAL) return ptx_fail(r, d->at, "a .common variable is .global");
  if (bits < 8 || bits % 8 != 0 || is_instruction_type(d->type))
    return ptx_fail(r, d->at, "a variable cannot have type .%s", ptx_type_name((enum ptx_type)d->type));
  if (d->vec * bits > 128 && d->space != PTX_REG) return ptx_fail(r, d->at, "a vector has at most 128 bits");
  if (d->vec > 4) return ptx_fail(r, d->at, "a declared vector has 2 or 4 elements");
  return check_reference(r, d);
}

static bool parse_decl_head(struct ptx_reader *r, struct ptx_decl *d) {
  d->vec = 1;
  d->at = r->tok.start;
  while (r->tok.kind == PTX_T_DOT) {
    bool ok;
    if (ptx_at_word(r, PTX_T_DOT, "align"))
      ok = ptx_next(r) && parse_align(r, &d->align);
    else if (ptx_at_word(r, PTX_T_DOT, "attribute"))
      ok = ptx_next(r) && ptx_parse_attribute(r, d);
    else if (ptx_at_word(r, PTX_T_DOT, "ptr"))
      ok = parse_ptr(r, d);
    else
      ok = parse_decl_word(r, d);
    if (!ok) return false;
  }
  if (!check_decl(r, d)) return false;
  if (d->space == PTX_TEX && r->m->version >= 15) return ptx_fail(r, d->at, ".tex variables are of PTX before 1.5; now .global .texref");
  if (d->space == PTX_TEX) { /* the old way to write .global .texref */
    d->space = PTX_GLOBAL;
    d->type = PTX_TEXREF;
  }
  return true;
}

/* ---- names and bounds ---------------------------------------------------------------------------------- */

static bool parse_dims(struct ptx_reader *r, uint64_t *dims, unsigned *n) {
  for (*n = 0; ptx_at(r, '['); (*n)++) {
    if (*n == PTX_MAX_DIMS)
      return ptx_fail(r, r->tok.start, "an array has at most %d dimensions", PTX_MAX_DIMS);
    if (!ptx_next(r)) return false;
    dims[*n] = 0;
    if (!ptx_at(r, ']')) {
      const char *at = r->tok.start;
      if (!one_number(r, "an array bound", PTX_MAX_VAR_BYTES, &dims[*n])) return false;
      if (dims[*n] == 0 && *n > 0) return ptx_fail(r, at, "an inner array bound cannot be 0");
    } else if (*n > 0) {
      return ptx_fail(r, r->tok.start, "only the first array bound may be left out");
    }
    if (!ptx_expect(r, ']')) return false;
  }
  return true;
}

static bool array_bytes(struct ptx_reader *r, const char *at, uint64_t element, const uint64_t *dims,
                        unsigned n, uint64_t *bytes) {
  *bytes = element;
  for (unsigned i = 0; i < n; i++)
    if (__builtin_mul_overflow(*bytes, dims[i] ? dims[i] : 1, bytes) || *bytes > PTX_MAX_VAR_BYTES)
      return ptx_fail(r, at, "a variable of more than 1 TiB");
  if (n && dims[0] == 0) *bytes = 0;
  return true;
}

static uint64_t *area_of(struct ptx_reader *r, uint8_t space) {
  if (!r->body.depth) return space == PTX_LOCAL ? &r->module_local_bytes : NULL;
  struct ptx_func *f = &r->funcs[r->body.func];
  return space == PTX_SHARED  ? &f->shared_bytes
         : space == PTX_LOCAL ? &f->local_bytes
         : space == PTX_PARAM ? &r->body.param_top
                              : NULL;
}

/* Gives a variable of a function body, or a local one of the module, its place. .param variables of scopes that are not
 * open together share it. */
static bool place(struct ptx_reader *r, struct ptx_var *v, const char *at) {
  uint64_t *area = area_of(r, v->space);
  if (!area && !r->body.depth) return true;
  if (!area) { /* .global and .const variables live as long as the module */
    v->func = -1;
    v->is_hidden = true;
    return true;
  }
  if (v->is_extern) return true;
  v->offset = ptx_align_up(*area, v->align);
  *area = v->offset + v->bytes;
  if (*area > PTX_MAX_VAR_BYTES)
    return ptx_fail(r, at, "the variables of this function need more than 1 TiB");
  if (v->space != PTX_PARAM) return true;
  uint64_t *most = &r->funcs[r->body.func].call_param_bytes;
  if (*area > *most) *most = *area;
  return true;
}

static struct ptx_var make_var(struct ptx_reader *r, const struct ptx_decl *d, const struct ptx_tok *name) {
  uint64_t element = ptx_type_bits((enum ptx_type)d->type) / 8 * d->vec;
  return (struct ptx_var){.name = ptx_keep(r, name),
                          .type = d->type,
                          .space = d->space,
                          .vec = d->vec,
                          .align = d->align  ? d->align
                                   : element ? element
                                             : 1,
                          .bytes = element,
                          .is_extern = d->is_extern,
                          .is_visible = d->is_visible,
                          .is_weak = d->is_weak,
                          .is_common = d->is_common,
                          .is_managed = d->is_managed,
                          .is_ptr = d->is_ptr,
                          .ptr_space = d->ptr_space,
                          .func = r->body.depth ? r->body.func : -1,
                          .reg = -1,
                          .line = r->tok_line};
}

static bool append_var(struct ptx_reader *r, const struct ptx_var *v, const char *at, uint32_t *index) {
  if (r->n_vars >= PTX_MAX_VARS) return ptx_fail(r, at, "more than %d variables", PTX_MAX_VARS);
  GROW(r->vars, r->cap_vars, r->n_vars + 1);
  *index = (uint32_t)r->n_vars;
  r->vars[r->n_vars++] = *v;
  return true;
}

static bool is_bits(uint8_t type) { return type == PTX_B8 || type == PTX_B16 || type == PTX_B32 || type == PTX_B64 || type == PTX_B128; }

/* A bit type of any width may stand for another type: nvcc declares a table of functions as .b8 or .b64 and defines it, with its addresses,
 * as .u64. ptxas sees the two only in different modules; here they may be parts of one text. */
static bool same_type(const struct ptx_var *a, const struct ptx_var *b) {
  if (a->space != b->space) return false;
  if (a->type == b->type) return true;
  return (is_bits(a->type) || is_bits(b->type)) && (a->bytes == b->bytes || !a->bytes || !b->bytes);
}

/* A variable may be declared again at module scope if one of the two is only a declaration, or both are weak;
 * the one with an initialiser counts. */
static bool redeclare(struct ptx_reader *r, const struct ptx_var *v, const struct ptx_tok *name, bool *done,
                      uint32_t *index) {
  const struct ptx_sym *old = r->body.depth ? NULL : ptx_lookup(r, name->s, name->len);
  *done = false;
  if (!old || old->kind != PTX_SYM_VAR) return true;
  struct ptx_var *was = &r->vars[old->index];
  bool both_soft = (was->is_weak || was->is_common) && (v->is_weak || v->is_common);
  if (!was->is_extern && !v->is_extern && !both_soft) return true;
  if (!same_type(was, v))
    return ptx_fail(r, name->start, "'%s' was declared as .%s .%s in line %u", was->name,
                    ptx_space_name((enum ptx_space)was->space), ptx_type_name((enum ptx_type)was->type),
                    was->line);
  if (was->is_extern || (both_soft && ptx_at(r, '='))) *was = *v;
  *index = old->index;
  *done = true;
  return true;
}

static bool add_var(struct ptx_reader *r, const struct ptx_var *v, const struct ptx_tok *name,
                    uint32_t *index) {
  bool done;
  if (!redeclare(r, v, name, &done, index)) return false;
  if (done) return true;
  if (!append_var(r, v, name->start, index)) return false;
  return ptx_declare(r, name, (struct ptx_sym){.kind = PTX_SYM_VAR, .index = *index});
}

/* One name of a variable declaration, with its bounds and initialiser. */
static bool parse_var(struct ptx_reader *r, const struct ptx_decl *d, const struct ptx_tok *name) {
  struct ptx_var v = make_var(r, d, name);
  uint64_t dims[PTX_MAX_DIMS];
  unsigned n_dims;
  uint32_t index;
  if (!parse_dims(r, dims, &n_dims) || !array_bytes(r, name->start, v.bytes, dims, n_dims, &v.bytes))
    return false;
  v.is_array = n_dims > 0;
  bool has_init = ptx_at(r, '=');
  if (v.is_array && dims[0] == 0 && !has_init && !v.is_extern && v.space != PTX_PARAM)
    return ptx_fail(r, name->start, "the size of '%s' is missing", v.name);
  if (!add_var(r, &v, name, &index)) return false;
  if (has_init) {
    if (v.is_extern || (v.space != PTX_GLOBAL && v.space != PTX_CONST))
      return ptx_fail(r, r->tok.start, "only a defined .global or .const variable may be initialised");
    if (!ptx_next(r) || !ptx_parse_init(r, index, dims, n_dims)) return false;
  }
  return place(r, &r->vars[index], name->start);
}

/* name<count>: of registers a range, of variables that many. */
static bool parse_counted(struct ptx_reader *r, const struct ptx_decl *d, const struct ptx_tok *name) {
  uint64_t count;
  if (!ptx_next(r) || r->tok.kind != PTX_T_INT) return ptx_expected(r, "a number of names");
  count = r->tok.value;
  if (count > UINT32_MAX / 2) return ptx_fail(r, r->tok.start, "too many names");
  if (!ptx_next(r) || !ptx_expect(r, '>')) return false;
  if (d->space == PTX_REG) return ptx_declare_regs(r, name, d->type, d->vec, (int64_t)count);
  for (uint64_t i = 0; i < count; i++) {
    char *text = arena_alloc(&r->m->arena, name->len + 12);
    int n = snprintf(text, name->len + 12, "%.*s%llu", (int)name->len, name->s, (unsigned long long)i);
    struct ptx_tok one = {.kind = PTX_T_IDENT, .s = text, .len = (uint32_t)n, .start = name->start};
    struct ptx_var v = make_var(r, d, &one);
    uint32_t index;
    if (!add_var(r, &v, &one, &index)) return false;
    if (!place(r, &r->vars[index], name->start)) return false;
  }
  return true;
}

/* ptxas accepts registers and local variables of a module up to PTX 2.3, from before there was a calling convention. */
static bool check_module_space(struct ptx_reader *r, const struct ptx_decl *d) {
  if (d->space != PTX_PARAM && r->m->version < 30) return true;
  if (d->space != PTX_REG && d->space != PTX_LOCAL && d->space != PTX_PARAM) return true;
  return ptx_fail(r, d->at, ".%s variables belong inside a function", ptx_space_name((enum ptx_space)d->space));
}

bool ptx_parse_vars(struct ptx_reader *r, struct ptx_decl *d) {
  if (!parse_decl_head(r, d)) return false;
  if (!r->body.depth && !check_module_space(r, d)) return false;
  if (ptx_at(r, ';')) return ptx_next(r); /* ptxas accepts an empty declaration */
  do {
    struct ptx_tok name;
    bool ok;
    if (!ptx_take_name(r, "a name", &name)) return false;
    if (ptx_at(r, '<'))
      ok = parse_counted(r, d, &name);
    else if (d->space == PTX_REG)
      ok = ptx_declare_regs(r, &name, d->type, d->vec, -1);
    else
      ok = parse_var(r, d, &name);
    if (!ok) return false;
  } while (ptx_accept(r, ','));
  return ptx_expect(r, ';');
}

/* ---- parameter lists ----------------------------------------------------------------------------------- */

/* A parameter in registers: one for each element of a vector, as calls pass them. */
static bool declare_in_regs(struct ptx_reader *r, const struct ptx_tok *name, const struct ptx_decl *d, struct ptx_var v,
                            uint32_t *index) {
  uint32_t first = (uint32_t)r->body.n_regs;
  if (!ptx_declare_regs(r, name, d->type, d->vec, -1)) return false;
  v.bytes /= d->vec;
  v.align = v.align < v.bytes ? v.align : v.bytes;
  v.vec = 1;
  for (uint32_t i = 0; i < d->vec; i++, v.offset += v.bytes) {
    v.reg = (int32_t)(first + i);
    r->body.regs[v.reg].pinned = true;
    if (!append_var(r, &v, name->start, index)) return false;
  }
  return true;
}

/* One parameter; its offset follows *bytes. `_` stands for a parameter without a name. */
static bool parse_param(struct ptx_reader *r, uint64_t *bytes, uint32_t *index) {
  struct ptx_decl d = {0};
  struct ptx_tok name;
  uint64_t dims[PTX_MAX_DIMS];
  unsigned n_dims;
  if (!parse_decl_head(r, &d)) return false;
  if (d.space != PTX_PARAM && d.space != PTX_REG) return ptx_fail(r, d.at, "a parameter is .param or .reg");
  if (!ptx_take_name(r, "the parameter's name", &name)) return false;
  struct ptx_var v = make_var(r, &d, &name);
  if (d.type == PTX_PRED) v.bytes = v.align = 1;
  if (!parse_dims(r, dims, &n_dims) || !array_bytes(r, name.start, v.bytes, dims, n_dims, &v.bytes))
    return false;
  v.is_array = n_dims > 0;
  v.offset = ptx_align_up(*bytes, v.align);
  *bytes = v.offset + v.bytes;
  if (*bytes > PTX_MAX_VAR_BYTES) return ptx_fail(r, name.start, "parameters of more than 1 TiB");
  bool unnamed = name.len == 1 && name.s[0] == '_';
  if (d.space == PTX_REG && !unnamed) return declare_in_regs(r, &name, &d, v, index);
  if (!append_var(r, &v, name.start, index)) return false;
  return unnamed || ptx_declare(r, &name, (struct ptx_sym){.kind = PTX_SYM_VAR, .index = *index});
}

bool ptx_parse_params(struct ptx_reader *r, int32_t **out, uint32_t *n, uint64_t *bytes) {
  size_t first = r->n_vars;
  *bytes = 0;
  if (!ptx_expect(r, '(')) return false;
  while (!ptx_at(r, ')')) {
    uint32_t index;
    if (!parse_param(r, bytes, &index)) return false;
    if (!ptx_accept(r, ',')) break;
  }
  if (!ptx_expect(r, ')')) return false;
  *n = (uint32_t)(r->n_vars - first);
  *out = ARENA_ARRAY(&r->m->arena, int32_t, *n);
  for (uint32_t i = 0; i < *n; i++) (*out)[i] = (int32_t)(first + i);
  return true;
}

bool ptx_parse_proto(struct ptx_reader *r, struct ptx_proto *out) {
  int32_t *ids;
  uint64_t bytes;
  size_t first = r->n_vars, n_regs = r->body.n_regs;
  struct ptx_tok name;
  *out = (struct ptx_proto){0};
  if (!ptx_open_scope(r)) return false;
  if (ptx_at(r, '(') && !ptx_parse_params(r, &ids, &out->n_rets, &bytes)) return false;
  if (!ptx_take_name(r, "'_' for the function", &name)) return false;
  if (ptx_at(r, '(') && !ptx_parse_params(r, &ids, &out->n_params, &bytes)) return false;
  ptx_close_scope(r);
  struct arena *a = &r->m->arena;
  uint64_t *all = ARENA_ARRAY(a, uint64_t, 2 * (out->n_rets + out->n_params) + 1);
  out->ret_bytes = all;
  out->ret_align = all + out->n_rets;
  out->param_bytes = out->ret_align + out->n_rets;
  out->param_align = out->param_bytes + out->n_params;
  for (uint32_t i = 0; i < out->n_rets + out->n_params; i++) {
    const struct ptx_var *v = &r->vars[first + i];
    bool is_ret = i < out->n_rets;
    (is_ret ? out->ret_bytes : out->param_bytes)[is_ret ? i : i - out->n_rets] = v->bytes;
    (is_ret ? out->ret_align : out->param_align)[is_ret ? i : i - out->n_rets] = v->align;
  }
  r->n_vars = first; /* a prototype declares no variables */
  r->body.n_regs = n_regs;
  while (r->tok.kind == PTX_T_DOT)
    if (!ptx_next(r) || (r->tok.kind == PTX_T_INT && !ptx_next(r))) return false;
  return true;
}
