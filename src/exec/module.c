/* Loading of a module: variables are placed (device memory, shared offsets), initialisers are written, functions are decoded, and stack
 * needs are computed over the call graph.
 *
 * Shared memory: a .shared variable that only entries use is laid out per entry, so that a kernel needs only what it uses. A variable that
 * a .func uses must have the same place in every kernel: these come first, and an entry includes them if it calls any function. */
#include "exec/decode.h"
#include "exec/run/stretch.h"
#include "ptx/ptx_calm.h"

#include <stdlib.h>
#include <string.h>

static uint64_t align_up(uint64_t x, uint64_t a) { return a > 1 ? (x + a - 1) / a * a : x; }

/* ---- which functions use which shared variables ----------------------------------------------------------------- */

static void visit_operand(const struct ptx_opnd *o, void (*see)(void *, const struct ptx_opnd *), void *user) {
  see(user, o);
  for (uint32_t i = 0; i < o->n_elems; i++) visit_operand(&o->elems[i], see, user);
}

static void visit_func(const struct ptx_func *f, void (*see)(void *, const struct ptx_opnd *), void *user) {
  for (uint32_t i = 0; i < f->n_insts; i++)
    for (uint32_t k = 0; k < f->insts[i].n_ops; k++) visit_operand(&f->insts[i].ops[k], see, user);
}

struct shared_layout {
  const struct ptx_module *ptx;
  uint64_t *address;
  uint64_t top;
  bool *placed;
  bool uses_placed; /* see_placed has seen one */
};

static void place_shared(void *user, const struct ptx_opnd *o) {
  struct shared_layout *l = user;
  if (o->kind != PTX_O_VAR) return;
  const struct ptx_var *v = &l->ptx->vars[o->sym];
  if (v->space != PTX_SHARED || v->bytes == 0 || l->placed[o->sym]) return;
  l->top = align_up(l->top, v->align);
  l->address[o->sym] = l->top;
  l->top += v->bytes;
  l->placed[o->sym] = true;
}

static void see_placed(void *user, const struct ptx_opnd *o) {
  struct shared_layout *l = user;
  l->uses_placed |= o->kind == PTX_O_VAR && l->placed[o->sym];
}

/* Entry-only variables are placed per entry while it is decoded, so an address is valid for one entry at a time. */
static void layout_shared(struct exec_module *m) {
  struct shared_layout l = {.ptx = &m->ptx, .address = m->var_address};
  l.placed = must_alloc(m->ptx.n_vars + 1);
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++)
    if (!m->ptx.funcs[i].is_entry) visit_func(&m->ptx.funcs[i], place_shared, &l);
  m->func_shared_bytes = (uint32_t)l.top;
  free(l.placed);
}

void exec_layout_entry(struct exec_module *m, struct exec_func *f) {
  struct shared_layout l = {.ptx = &m->ptx, .address = m->var_address};
  l.placed = must_alloc(m->ptx.n_vars + 1);
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) /* keep what .func bodies fixed */
    if (!m->ptx.funcs[i].is_entry) visit_func(&m->ptx.funcs[i], place_shared, &l);
  visit_func(f->ptx, see_placed, &l); /* the body of such a function may have been inlined */
  l.top = f->makes_calls || l.uses_placed ? m->func_shared_bytes : 0;
  visit_func(f->ptx, place_shared, &l);
  f->shared_bytes = (uint32_t)l.top;
  free(l.placed);
}

/* ---- device memory ---------------------------------------------------------------------------------------------- */

static bool place_variable(struct exec_module *m, uint32_t i, struct err *e) {
  const struct ptx_var *v = &m->ptx.vars[i];
  if (v->space != PTX_GLOBAL && v->space != PTX_CONST) return true;
  if (v->is_extern)
    return err_set(e, ERR_INPUT, "%s:%u: unresolved extern variable '%s'", m->ptx.source_name, v->line, v->name);
  enum exec_alloc_kind kind = v->space == PTX_CONST ? EXEC_ALLOC_CONST
                              : v->is_managed       ? EXEC_ALLOC_MANAGED
                                                    : EXEC_ALLOC_MODULE;
  m->var_address[i] = exec_mem_alloc(m->mem, v->bytes, v->align < 16 ? 16 : v->align, kind, v->name);
  if (!m->var_address[i])
    return err_set(e, ERR_LIMIT, "variable '%s' of %llu bytes does not fit into device memory", v->name,
                   (unsigned long long)v->bytes);
  if (v->init) memcpy(exec_mem_ptr(m->var_address[i]), v->init, v->bytes);
  return true;
}

static uint64_t symbol_value(const struct exec_module *m, const struct ptx_reloc *r) {
  if (r->is_func) return m->code_base + 16 * (uint64_t)r->sym + (uint64_t)r->addend;
  uint64_t at = m->var_address[r->sym] + (uint64_t)r->addend;
  if (r->generic && m->ptx.vars[r->sym].space == PTX_SHARED) at += EXEC_SHARED_WINDOW;
  return at;
}

static void relocate(struct exec_module *m, uint32_t i) {
  const struct ptx_var *v = &m->ptx.vars[i];
  for (size_t k = 0; k < v->n_relocs && m->var_address[i]; k++) {
    const struct ptx_reloc *r = &v->relocs[k];
    uint64_t value = symbol_value(m, r);
    unsigned width = ptx_type_bits((enum ptx_type)v->type) / 8;
    if (r->mask != UINT64_MAX && r->mask) { /* one byte of the address, as 0xff00(sym) */
      value = (value & r->mask) >> __builtin_ctzll(r->mask);
      width = 1;
    }
    memcpy((unsigned char *)exec_mem_ptr(m->var_address[i]) + r->offset, &value, width > 8 ? 8 : width);
  }
}

static bool place_variables(struct exec_module *m, struct err *e) {
  layout_shared(m);
  for (uint32_t i = 0; i < m->ptx.n_vars; i++)
    if (!place_variable(m, i, e)) return false;
  for (uint32_t i = 0; i < m->ptx.n_vars; i++) relocate(m, i);
  return true;
}

/* ---- the call graph --------------------------------------------------------------------------------------------- */

enum { ON_PATH = 1, DONE = 2 };

/* Deepest stack below function i; returns false if it is unbounded (recursion, or a call through a pointer). */
static bool stack_need(struct exec_module *m, uint32_t i, unsigned char *mark, unsigned depth) {
  struct exec_func *f = &m->funcs[i];
  const struct ptx_func *pf = &m->ptx.funcs[i];
  if (mark[i] == ON_PATH || depth > 512) return false;
  if (mark[i] == DONE) return f->stack_bytes != UINT32_MAX;
  mark[i] = ON_PATH;
  uint64_t deepest = 0;
  bool bounded = true;
  for (uint32_t k = 0; k < pf->n_insts; k++) {
    const struct ptx_inst *in = &pf->insts[k];
    if (in->op == PTX_OP_alloca) bounded = false;
    if (in->op != PTX_OP_call) continue;
    const struct ptx_opnd *target = &in->ops[in->ops[0].kind == PTX_O_LIST && in->n_ops > 1 ? 1 : 0];
    if (target->kind != PTX_O_FUNC || !stack_need(m, (uint32_t)target->sym, mark, depth + 1)) bounded = false;
    else if (m->funcs[target->sym].stack_bytes > deepest) deepest = m->funcs[target->sym].stack_bytes;
  }
  mark[i] = DONE;
  f->stack_bytes = bounded ? exec_round16(pf->local_bytes) + (uint32_t)deepest : UINT32_MAX;
  return bounded;
}

static void summarise_funcs(struct exec_module *m) {
  unsigned char *mark = must_alloc(m->ptx.n_funcs + 1);
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
    struct exec_func *f = &m->funcs[i];
    f->ptx = &m->ptx.funcs[i];
    f->module = m;
    f->local_bytes = exec_round16(f->ptx->local_bytes);
    for (uint32_t k = 0; k < f->ptx->n_insts; k++) f->makes_calls |= f->ptx->insts[k].op == PTX_OP_call;
  }
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
    stack_need(m, i, mark, 0);
    m->funcs[i].uses_stack = m->funcs[i].stack_bytes != 0;
  }
  free(mark);
}

static void prepare(struct exec_module *m) {
  m->funcs = ARENA_ARRAY(&m->arena, struct exec_func, m->ptx.n_funcs + 1);
  m->var_address = ARENA_ARRAY(&m->arena, uint64_t, m->ptx.n_vars + 1);
  for (int i = 0; i < PTX_SREGS; i++) m->sreg_offset[i] = EXEC_NO_PC;
  m->dynamic_shared_row = EXEC_NO_PC;
  summarise_funcs(m);
}

/* ---- refused kernels ---------------------------------------------------------------------------------------------- */

static const char *refused_callee(const struct exec_module *m, const struct ptx_inst *call) {
  const struct ptx_opnd *target = &call->ops[call->ops[0].kind == PTX_O_LIST && call->n_ops > 1 ? 1 : 0];
  if (target->kind == PTX_O_FUNC) return m->funcs[target->sym].refused;
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) /* through a pointer: to any of them */
    if (!m->ptx.funcs[i].is_entry && m->funcs[i].refused) return m->funcs[i].refused;
  return NULL;
}

/* A function that may call a refused function cannot run either. */
static void spread_refusals(struct exec_module *m) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
      struct exec_func *f = &m->funcs[i];
      if (f->refused || !f->makes_calls) continue;
      for (uint32_t k = 0; k < f->ptx->n_insts && !f->refused; k++)
        if (f->ptx->insts[k].op == PTX_OP_call) f->refused = refused_callee(m, &f->ptx->insts[k]);
      changed |= f->refused != NULL;
    }
  }
}

/* Whether something in the module is still usable. */
static bool keep_rest(struct exec_module *m, unsigned flags, struct err *e) {
  const char *first = NULL;
  bool any = flags & EXEC_KEEP_REFUSED;
  spread_refusals(m);
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
    if (!first) first = m->funcs[i].refused;
    any |= m->ptx.funcs[i].is_entry && !m->ptx.funcs[i].is_extern && !m->funcs[i].refused;
  }
  return any || err_set(e, ERR_UNSUPPORTED, "%s", first);
}

bool exec_module_load(struct exec_module *m, struct exec_mem *mem, unsigned flags, const char *name, const char *text, size_t bytes,
                      struct err *e) {
  *m = (struct exec_module){.mem = mem};
  bool ok = ptx_read(&m->ptx, name, text, bytes, e);
  if (ok) {
    if (flags & EXEC_LOWER) ptx_lower(&m->ptx);
    if (flags & EXEC_ORDER_BLOCKS) ptx_order_blocks(&m->ptx, flags & EXEC_LOWER);
    if (flags & EXEC_LOWER) ptx_count_slots(&m->ptx);
    if (flags & EXEC_YIELD_LOOPS) ptx_mark_yields(&m->ptx);
    ptx_mark_looks(&m->ptx);
    if (flags & EXEC_UNTIMED) ptx_calm_volatiles(&m->ptx);
    if (flags & EXEC_UNTIMED) ptx_mark_late(&m->ptx);
    if (flags & EXEC_UNTIMED) exec_keep_constants(&m->ptx);
    prepare(m);
    if (flags & EXEC_KEEP_TEXT) m->text = arena_strndup(&m->arena, text, bytes);
    m->code_base = exec_mem_code(mem, m->ptx.n_funcs);
    ok = place_variables(m, e) && (!exec_decode_module(m, NULL, NULL) || keep_rest(m, flags, e));
  }
  if (!ok) exec_module_unload(m);
  return ok;
}

void exec_module_unload(struct exec_module *m) {
  for (uint32_t i = 0; m->var_address && i < m->ptx.n_vars; i++)
    if (m->ptx.vars[i].space == PTX_GLOBAL || m->ptx.vars[i].space == PTX_CONST)
      if (m->var_address[i]) exec_mem_free(m->mem, m->var_address[i]);
  ptx_free(&m->ptx);
  arena_free(&m->arena);
  *m = (struct exec_module){0};
}

unsigned exec_check_support(const struct ptx_module *ptx, exec_report_fn report, void *user) {
  struct exec_module m = {.ptx = *ptx};
  prepare(&m);
  unsigned refused = exec_decode_module(&m, report, user);
  arena_free(&m.arena);
  return refused;
}
