/* Functions: the header with its parameters and performance directives, and the statements of a body. When a body is complete, its arrays
 * move to the arena, labels are resolved, and the graph and the registers are computed. */
#include "ptx/ptx_reader.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- small directives ---------------------------------------------------------------------------------- */

/* The enclosing functions of an inlined one were located just before it. */
static void note_use(struct ptx_body *b, struct ptx_loc *l, const uint64_t *at) {
  l->use_file = (uint32_t)at[0];
  l->use_line = (uint32_t)at[1];
  for (uint32_t i = 1; i <= PTX_LOCS && i <= b->n_locs; i++) {
    const struct ptx_loc *o = &b->locs[(b->n_locs - i) % PTX_LOCS];
    if (o->file != at[0] || o->line != at[1] || o->column != at[2]) continue;
    l->use_file = o->use_file;
    l->use_line = o->use_line;
    return;
  }
}

/* .loc file line column [, function_name label [+ offset] , inlined_at file line column] */
bool ptx_parse_loc(struct ptx_reader *r) {
  uint64_t file, line, column, ignored, at[3];
  if (!ptx_next(r) || !ptx_count(r, "a file number", UINT32_MAX, &file) ||
      !ptx_count(r, "a line number", UINT32_MAX, &line) || !ptx_count(r, "a column", UINT32_MAX, &column))
    return false;
  r->body.loc_file = (uint32_t)file;
  r->body.loc_line = (uint32_t)line;
  struct ptx_loc l = {(uint32_t)file, (uint32_t)line, (uint32_t)column, (uint32_t)file, (uint32_t)line};
  while (ptx_accept(r, ',')) {
    struct ptx_tok word;
    if (!ptx_take_name(r, "function_name or inlined_at", &word)) return false;
    if (word.len == 13 && memcmp(word.s, "function_name", 13) == 0) {
      if (!ptx_take_name(r, "a label", &word)) return false;
      if (ptx_accept(r, '+') && !ptx_count(r, "an offset", UINT32_MAX, &ignored)) return false;
    } else {
      for (int i = 0; i < 3; i++)
        if (!ptx_count(r, "a number", UINT32_MAX, &at[i])) return false;
      note_use(&r->body, &l, at);
    }
  }
  r->body.locs[r->body.n_locs++ % PTX_LOCS] = l;
  return r->e->kind == ERR_NONE;
}

bool ptx_parse_pragma(struct ptx_reader *r) {
  do {
    if (!ptx_next(r)) return false;
    if (r->tok.kind != PTX_T_STRING) return ptx_expected(r, "a string");
    if (r->tok.len == strlen("nounroll") && !memcmp(r->tok.s, "nounroll", r->tok.len)) r->body.nounroll = true;
    if (!ptx_next(r)) return false;
  } while (ptx_at(r, ','));
  return ptx_expect(r, ';');
}

/* Performance directives of a function: up to `most` numbers into uint32_t fields, or a flag. */
static const struct {
  const char *name;
  uint8_t least, most;
  bool is_flag;
  size_t field; /* 0: accepted and not used */
} func_directives[] = {
    {"maxntid", 1, 3, false, offsetof(struct ptx_func, maxntid)},
    {"reqntid", 1, 3, false, offsetof(struct ptx_func, reqntid)},
    {"minnctapersm", 1, 1, false, offsetof(struct ptx_func, minnctapersm)},
    {"maxnctapersm", 1, 1, false, offsetof(struct ptx_func, maxnctapersm)},
    {"maxnreg", 1, 1, false, offsetof(struct ptx_func, maxnreg)},
    {"reqnctapercluster", 1, 3, false, offsetof(struct ptx_func, reqnctapercluster)},
    {"maxclusterrank", 1, 1, false, offsetof(struct ptx_func, maxclusterrank)},
    {"abi_preserve", 1, 1, false, 0},
    {"abi_preserve_control", 1, 1, false, 0},
    {"noreturn", 0, 0, true, offsetof(struct ptx_func, noreturn)},
    {"explicitcluster", 0, 0, true, offsetof(struct ptx_func, explicit_cluster)},
    {"blocksareclusters", 0, 0, true, offsetof(struct ptx_func, blocks_are_clusters)},
    {"unified", 0, 0, true, 0},
};
enum { FUNC_DIRECTIVES = sizeof func_directives / sizeof func_directives[0] };

static bool parse_func_numbers(struct ptx_reader *r, size_t which, struct ptx_func *f) {
  uint32_t values[3] = {0};
  for (unsigned i = 0; i < func_directives[which].most; i++) {
    uint64_t v;
    if (i >= func_directives[which].least && !ptx_accept(r, ',')) {
      values[i] = 1; /* a missing dimension */
      continue;
    }
    if (!ptx_count(r, "this number", UINT32_MAX, &v)) return false;
    values[i] = (uint32_t)v;
  }
  if (func_directives[which].field)
    memcpy((char *)f + func_directives[which].field, values, func_directives[which].most * sizeof values[0]);
  return r->e->kind == ERR_NONE;
}

/* Its index in the table, or FUNC_DIRECTIVES. */
static size_t find_func_directive(const struct ptx_reader *r) {
  size_t i = 0;
  while (i < FUNC_DIRECTIVES && !ptx_at_word(r, PTX_T_DOT, func_directives[i].name)) i++;
  return i;
}

static bool parse_func_directive(struct ptx_reader *r, struct ptx_func *f) {
  struct ptx_decl ignored = {0};
  if (ptx_at_word(r, PTX_T_DOT, "pragma")) return ptx_parse_pragma(r);
  if (ptx_at_word(r, PTX_T_DOT, "attribute")) return ptx_next(r) && ptx_parse_attribute(r, &ignored);
  size_t i = find_func_directive(r);
  if (i == FUNC_DIRECTIVES)
    return ptx_fail(r, r->tok.start, "unknown directive '.%.*s' of a function", (int)r->tok.len, r->tok.s);
  if (!ptx_next(r)) return false;
  if (!func_directives[i].is_flag) return parse_func_numbers(r, i, f);
  if (func_directives[i].field) *((bool *)f + func_directives[i].field) = true;
  return true;
}

/* ptxas accepts the prototype of a .func without ';' if the next declaration or the end follows. */
static bool at_next_item(const struct ptx_reader *r, const struct ptx_func *f) {
  if (f->is_entry) return false;
  if (r->tok.kind == PTX_T_END) return true;
  return r->tok.kind == PTX_T_DOT && !ptx_at_word(r, PTX_T_DOT, "pragma") && !ptx_at_word(r, PTX_T_DOT, "attribute") &&
         find_func_directive(r) == FUNC_DIRECTIVES;
}

/* ---- statements ---------------------------------------------------------------------------------------- */

/* name: .branchtargets a, b; */
static bool parse_branch_targets(struct ptx_reader *r, const struct ptx_tok *label, bool calls) {
  struct ptx_body *b = &r->body;
  struct ptx_targets t = {.calls = calls};
  uint32_t *list = NULL;
  size_t cap = 0;
  bool ok = true;
  do {
    struct ptx_tok name;
    ok = ptx_next(r) && ptx_take_name(r, calls ? "a function" : "a label", &name);
    if (!ok) break;
    GROW(list, cap, t.n + 1);
    if (calls) {
      const struct ptx_sym *s = ptx_lookup(r, name.s, name.len);
      ok = s && s->kind == PTX_SYM_FUNC;
      if (ok)
        list[t.n++] = s->index;
      else
        ptx_fail(r, name.start, "function '%.*s' is not declared", (int)name.len, name.s);
    } else {
      GROW(b->refs, b->cap_refs, b->n_refs + 1);
      b->refs[b->n_refs] = (struct ptx_name_ref){name.s, name.len, b->open[b->depth - 1]};
      list[t.n++] = (uint32_t)b->n_refs++;
    }
  } while (ok && ptx_at(r, ','));
  t.at = arena_copy(&r->m->arena, list, t.n * sizeof *list);
  free(list);
  if (!ok || !ptx_expect(r, ';')) return false;
  GROW(b->targets, b->cap_targets, b->n_targets + 1);
  b->targets[b->n_targets] = t;
  return ptx_declare_label(r, label, PTX_LABEL_TARGETS, (uint32_t)b->n_targets++);
}

static bool parse_call_prototype(struct ptx_reader *r, const struct ptx_tok *label) {
  struct ptx_body *b = &r->body;
  GROW(b->protos, b->cap_protos, b->n_protos + 1);
  struct ptx_proto p;
  if (!ptx_next(r) || !ptx_parse_proto(r, &p) || !ptx_expect(r, ';')) return false;
  b->protos[b->n_protos] = p;
  return ptx_declare_label(r, label, PTX_LABEL_PROTO, (uint32_t)b->n_protos++);
}

/* After "name:". */
static bool parse_label(struct ptx_reader *r, const struct ptx_tok *name) {
  if (ptx_at_word(r, PTX_T_DOT, "branchtargets")) return parse_branch_targets(r, name, false);
  if (ptx_at_word(r, PTX_T_DOT, "calltargets")) return parse_branch_targets(r, name, true);
  if (ptx_at_word(r, PTX_T_DOT, "callprototype")) return parse_call_prototype(r, name);
  return ptx_declare_label(r, name, PTX_LABEL_CODE, (uint32_t)r->body.n_insts);
}

static bool parse_body_directive(struct ptx_reader *r) {
  struct ptx_decl d = {0};
  if (ptx_at_word(r, PTX_T_DOT, "loc")) return ptx_parse_loc(r);
  if (ptx_at_word(r, PTX_T_DOT, "pragma")) return ptx_parse_pragma(r);
  return ptx_parse_linkage(r, &d) && ptx_parse_vars(r, &d);
}

/* @p or @!p */
static bool parse_guard(struct ptx_reader *r, struct ptx_inst *in) {
  if (!ptx_accept(r, '@')) return r->e->kind == ERR_NONE;
  in->guarded = true;
  in->guard_negate = ptx_accept(r, '!');
  struct ptx_tok name;
  if (!ptx_take_name(r, "a predicate", &name)) return false;
  const struct ptx_sym *s = ptx_lookup(r, name.s, name.len);
  if (!s) return ptx_fail(r, name.start, "register '%.*s' is not declared", (int)name.len, name.s);
  if (s->kind != PTX_SYM_REG || r->body.regs[s->index].type != PTX_PRED)
    return ptx_fail(r, name.start, "'%.*s' is not a predicate", (int)name.len, name.s);
  in->guard = (int32_t)s->index;
  return true;
}

static bool parse_code(struct ptx_reader *r) {
  struct ptx_inst in = {.guard = -1, .loc_file = r->body.loc_file, .loc_line = r->body.loc_line};
  if (in.loc_file && r->body.n_locs) {
    const struct ptx_loc *l = &r->body.locs[(r->body.n_locs - 1) % PTX_LOCS];
    in.use_file = l->use_file;
    in.use_line = l->use_line;
  }
  struct ptx_tok word;
  if (!parse_guard(r, &in)) return false;
  in.line = r->tok_line;
  in.col = (uint32_t)(r->tok.start - r->tok_line_start) + 1;
  if (!ptx_take_name(r, "an instruction", &word)) return false;
  if (!in.guarded && ptx_at(r, ':')) return ptx_next(r) && parse_label(r, &word);
  in.nounroll = r->body.nounroll;
  r->body.nounroll = false;
  return ptx_parse_inst(r, &word, &in);
}

/* Everything between the braces of a body; scopes within it are a depth, not a recursion. */
static bool parse_statements(struct ptx_reader *r) {
  uint32_t outer = r->body.depth;
  while (r->body.depth >= outer) {
    bool ok;
    if (ptx_at(r, '}')) {
      ptx_close_scope(r);
      ok = ptx_next(r);
    } else if (ptx_at(r, '{')) {
      ok = ptx_open_scope(r) && ptx_next(r);
    } else if (r->tok.kind == PTX_T_DOT) {
      ok = parse_body_directive(r);
    } else {
      ok = r->tok.kind == PTX_T_END ? ptx_expected(r, "'}'") : parse_code(r);
    }
    if (!ok) return false;
  }
  return true;
}

/* ---- a whole function ---------------------------------------------------------------------------------- */

static void start_body(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  b->n_insts = b->n_regs = b->n_scopes = b->n_labels = b->n_refs = b->n_ref_insts = b->n_targets =
      b->n_protos = 0;
  b->n_made = 0;
  b->depth = 0;
  b->param_top = 0;
  b->loc_file = b->loc_line = b->n_locs = 0;
  b->nounroll = false;
  b->func = -1;
  strmap_free(&b->label_map);
}

static bool is_own_param(const struct ptx_func *f, int32_t var) {
  for (uint32_t i = 0; i < f->n_params; i++)
    if (f->params[i] == var) return true;
  return false;
}

/* The local variable that holds a parameter of the function. */
static int32_t stack_param(struct ptx_reader *r, struct ptx_func *f, int32_t param) {
  if (r->vars[param].stacked) return (int32_t)r->vars[param].stacked - 1;
  struct ptx_var v = r->vars[param];
  v.space = PTX_LOCAL;
  v.func = r->body.func;
  v.offset = ptx_align_up(f->local_bytes, v.align);
  f->local_bytes = v.offset + v.bytes;
  GROW(r->vars, r->cap_vars, r->n_vars + 1);
  r->vars[r->n_vars++] = v;
  r->vars[param].stacked = (uint32_t)r->n_vars;
  return (int32_t)r->n_vars - 1;
}

/* A parameter of a function (not of a kernel) whose address is taken is on the thread's stack, as the ISA says for mov: the address is one
 * of local memory. */
static void stack_params(struct ptx_reader *r, struct ptx_func *f) {
  for (size_t i = 0; !f->is_entry && i < r->body.n_insts; i++) {
    struct ptx_inst *in = &r->body.insts[i];
    if ((in->op != PTX_OP_mov && in->op != PTX_OP_cvta) || in->n_ops != 2 || in->ops[1].kind != PTX_O_VAR) continue;
    int32_t var = in->ops[1].sym;
    if (r->vars[var].space == PTX_PARAM && is_own_param(f, var)) in->ops[1].sym = stack_param(r, f, var);
  }
}

static bool keep_body(struct ptx_reader *r) {
  struct ptx_body *b = &r->body;
  struct ptx_func *f = &r->funcs[b->func];
  struct arena *a = &r->m->arena;
  if (!ptx_resolve_labels(r)) return false;
  stack_params(r, f);
  f->insts = arena_copy(a, b->insts, b->n_insts * sizeof *b->insts);
  f->n_insts = (uint32_t)b->n_insts;
  f->regs = arena_copy(a, b->regs, b->n_regs * sizeof *b->regs);
  f->n_regs = (uint32_t)b->n_regs;
  f->targets = arena_copy(a, b->targets, b->n_targets * sizeof *b->targets);
  f->n_targets = (uint32_t)b->n_targets;
  f->protos = arena_copy(a, b->protos, b->n_protos * sizeof *b->protos);
  f->n_protos = (uint32_t)b->n_protos;
  ptx_note_module_regs(r);
  ptx_build_cfg(r->m, f);
  ptx_allocate_slots(f);
  return true;
}

static bool same_signature(const struct ptx_reader *r, const struct ptx_func *a, const struct ptx_func *b) {
  if (a->is_entry != b->is_entry || a->n_params != b->n_params || a->n_rets != b->n_rets) return false;
  for (uint32_t i = 0; i < a->n_params; i++)
    if (r->vars[a->params[i]].bytes != r->vars[b->params[i]].bytes) return false;
  for (uint32_t i = 0; i < a->n_rets; i++)
    if (r->vars[a->rets[i]].bytes != r->vars[b->rets[i]].bytes) return false;
  return true;
}

static void own_params(struct ptx_reader *r, const struct ptx_func *f, int32_t index) {
  for (uint32_t i = 0; i < f->n_params; i++) r->vars[f->params[i]].func = index;
  for (uint32_t i = 0; i < f->n_rets; i++) r->vars[f->rets[i]].func = index;
}

/* Finds or creates the function's entry. A definition replaces an earlier declaration. */
static bool enter_func(struct ptx_reader *r, const struct ptx_tok *name, struct ptx_func *f, bool defines) {
  const struct ptx_sym *s = ptx_lookup(r, name->s, name->len);
  f->is_extern = f->is_extern || !defines;
  if (!s || s->depth > 0) {
    GROW(r->funcs, r->cap_funcs, r->n_funcs + 1);
    r->body.func = (int32_t)r->n_funcs;
    r->funcs[r->n_funcs++] = *f;
    ptx_declare_func(r, name, (uint32_t)r->body.func);
    return true;
  }
  if (s->kind != PTX_SYM_FUNC) return ptx_fail(r, name->start, "'%s' is already a variable", f->name);
  struct ptx_func *old = &r->funcs[s->index];
  r->body.func = (int32_t)s->index;
  if (defines && !old->is_extern && (!old->is_weak || f->is_weak))
    return ptx_fail(r, name->start, "function '%s' is defined twice, first in line %u", f->name, old->line);
  if (!same_signature(r, old, f))
    return ptx_fail(r, name->start, "'%s' was declared with other parameters in line %u", f->name, old->line);
  f->is_visible = f->is_visible || old->is_visible;
  f->is_weak = f->is_weak || old->is_weak;
  f->noreturn = f->noreturn || old->noreturn;
  if (defines) *old = *f;
  return true;
}

/* Files that were compiled separately have the same templates and inline functions, .weak in each: the first body counts, as in a
 * linker. */
static bool repeats_weak(struct ptx_reader *r, const struct ptx_tok *name, const struct ptx_func *f) {
  const struct ptx_sym *s = f->is_weak ? ptx_lookup(r, name->s, name->len) : NULL;
  if (!s || s->depth > 0 || s->kind != PTX_SYM_FUNC) return false;
  const struct ptx_func *old = &r->funcs[s->index];
  return !old->is_extern && old->alias_of < 0 && same_signature(r, old, f);
}

/* Skips everything between braces. */
static bool skip_body(struct ptx_reader *r) {
  for (unsigned depth = 1; depth;) {
    if (!ptx_next(r)) return false;
    if (r->tok.kind == PTX_T_END) return ptx_expected(r, "'}'");
    if (ptx_at(r, '{')) depth++;
    if (ptx_at(r, '}')) depth--;
  }
  return ptx_next(r);
}

static bool parse_header(struct ptx_reader *r, struct ptx_func *f, struct ptx_tok *name) {
  struct ptx_decl ignored = {0};
  while (ptx_at_word(r, PTX_T_DOT, "attribute"))
    if (!ptx_next(r) || !ptx_parse_attribute(r, &ignored)) return false;
  if (!f->is_entry && ptx_at(r, '(') && !ptx_parse_params(r, &f->rets, &f->n_rets, &f->ret_bytes))
    return false;
  f->line = r->tok_line;
  if (!ptx_take_name(r, "the name of the function", name)) return false;
  f->name = ptx_keep(r, name);
  if (ptx_at(r, '(') && !ptx_parse_params(r, &f->params, &f->n_params, &f->param_bytes)) return false;
  while (r->tok.kind == PTX_T_DOT && !at_next_item(r, f))
    if (!parse_func_directive(r, f)) return false;
  return true;
}

/* Readable headers that ptxas refuses. */
static bool check_header(struct ptx_reader *r, const struct ptx_func *f, const char *at) {
  if (f->reqntid[0] && f->maxntid[0]) return ptx_fail(r, at, "a kernel has .reqntid or .maxntid, not both");
  if (f->maxnctapersm && r->m->version >= 21) return ptx_fail(r, at, ".maxnctapersm is of PTX before 2.1; .minnctapersm stands for it");
  if (f->blocks_are_clusters && r->m->version < 90) return ptx_fail(r, at, ".blocksareclusters is of PTX 9.0 and later");
  if (f->n_rets > 1 && r->vars[f->rets[0]].space == PTX_PARAM) return ptx_fail(r, at, "only registers can be several return values");
  for (uint32_t i = 0; f->is_entry && i < f->n_params; i++)
    if (r->vars[f->params[i]].space != PTX_PARAM) return ptx_fail(r, at, "a kernel's parameters are .param");
  return true;
}

bool ptx_parse_func(struct ptx_reader *r, const struct ptx_decl *linkage, bool is_entry) {
  struct ptx_func f = {.is_entry = is_entry,
                       .local_bytes = is_entry ? r->module_local_bytes : 0,
                       .is_extern = linkage->is_extern,
                       .is_visible = linkage->is_visible,
                       .is_weak = linkage->is_weak,
                       .alias_of = -1};
  struct ptx_tok name;
  size_t n_ranges = r->n_ranges;
  start_body(r);
  if (!ptx_next(r) || !ptx_open_scope(r) || !parse_header(r, &f, &name) || !check_header(r, &f, name.start)) return false;
  bool defines = ptx_at(r, '{'), unended = at_next_item(r, &f);
  if (!defines && !unended && !ptx_at(r, ';')) return ptx_expected(r, "'{' or ';'");
  if (defines && linkage->is_extern) return ptx_fail(r, name.start, "an .extern function cannot have a body");
  if (defines && repeats_weak(r, &name, &f)) {
    ptx_close_scope(r);
    r->n_ranges = n_ranges;
    return skip_body(r);
  }
  if (!enter_func(r, &name, &f, defines) || (!unended && !ptx_next(r))) return false;
  own_params(r, &f, r->body.func);
  if (!defines && !linkage->is_extern) {
    GROW(r->promised, r->cap_promised, r->n_promised + 1);
    r->promised[r->n_promised++] = (struct ptx_promised){name.start, (uint32_t)r->body.func};
  }
  if (defines && !parse_statements(r)) return false;
  if (!defines) ptx_close_scope(r);
  r->n_ranges = n_ranges;
  bool ok = !defines || keep_body(r);
  r->body.func = -1;
  return ok;
}

bool ptx_check_promised(struct ptx_reader *r) {
  for (size_t i = 0; i < r->n_promised; i++) {
    const struct ptx_func *f = &r->funcs[r->promised[i].func];
    if (f->is_extern && f->alias_of < 0)
      return ptx_fail(r, r->promised[i].at, "%s '%s' has no body", f->is_entry ? "kernel" : "function", f->name);
  }
  return true;
}
