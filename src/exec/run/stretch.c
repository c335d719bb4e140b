/* See stretch.h.
 *
 * A stretch ends before anything that may change which lanes run, that others may wait for or see, or where paths reconverge. A second
 * length continues past plain stores to global memory, for warps whose turns need not end before them. Instructions that the lanes of a
 * warp execute together are part of it as long as all lanes are together. The remaining bookkeeping of single instructions is done once for
 * the whole stretch: counts, the mask, and whether a path gives way (which happens only at branches). */
#include "exec/run/stretch.h"

#include "exec/decode.h"

#include <stdlib.h>

/* ---- constants -------------------------------------------------------------------------------------------------------- */

/* Special registers that are the same in every CTA of a launch, for the same warp slot. */
static bool same_in_every_cta(enum ptx_sreg s) {
  switch (s) {
  case PTX_SR_tid_x: case PTX_SR_tid_y: case PTX_SR_tid_z: case PTX_SR_ntid_x: case PTX_SR_ntid_y: case PTX_SR_ntid_z:
  case PTX_SR_nctaid_x: case PTX_SR_nctaid_y: case PTX_SR_nctaid_z: case PTX_SR_laneid:
  case PTX_SR_lanemask_eq: case PTX_SR_lanemask_le: case PTX_SR_lanemask_lt: case PTX_SR_lanemask_ge: case PTX_SR_lanemask_gt:
    return true;
  default: return false;
  }
}

struct search {
  const struct ptx_module *m;
  struct ptx_func *f;
  uint32_t *writes; /* register -> instructions that write it */
  bool *known;      /* register -> constant */
  uint32_t *order;  /* constants that were found, each after those it depends on */
  uint32_t n;
};

static bool is_constant(const struct search *s, const struct ptx_opnd *o) {
  switch ((enum ptx_opnd_kind)o->kind) {
  case PTX_O_REG: return s->known[o->reg];
  case PTX_O_SREG: return same_in_every_cta((enum ptx_sreg)o->reg);
  case PTX_O_INT: case PTX_O_F32: case PTX_O_F64: return true;
  case PTX_O_VAR: return s->m->vars[o->sym].space != PTX_LOCAL;
  case PTX_O_VEC:
    for (unsigned i = 0; i < o->n_elems; i++)
      if (!is_constant(s, &o->elems[i])) return false;
    return true;
  default: return false;
  }
}

/* Whether it loads a kernel parameter as a whole. */
static bool loads_param(const struct search *s, const struct ptx_inst *in) {
  if (in->op != PTX_OP_ld || in->space != PTX_PARAM || in->n_mods || in->n_ops != 2) return false;
  if (in->ops[1].kind != PTX_O_MEM || in->ops[1].n_elems != 1) return false;
  const struct ptx_opnd *base = &in->ops[1].elems[0];
  if (base->kind != PTX_O_VAR || s->m->vars[base->sym].space != PTX_PARAM) return false;
  uint64_t at = s->m->vars[base->sym].offset + (uint64_t)(in->ops[1].imm + base->imm);
  uint64_t bytes = (uint64_t)in->vec * ptx_type_bits((enum ptx_type)in->types[0]) / 8;
  bool own = false;
  for (uint32_t i = 0; i < s->f->n_params; i++) own |= s->f->params[i] == base->sym;
  return own && bytes && at % bytes == 0 && at <= s->f->param_bytes && bytes <= s->f->param_bytes - at;
}

static bool computes(const struct ptx_inst *in) {
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_ARITH: return in->op != PTX_OP_addc && in->op != PTX_OP_subc && in->op != PTX_OP_madc && !ptx_has(in, PTX_M_cc);
  case PTX_COMPARE: case PTX_CONVERT: return true;
  case PTX_MOVE: return in->op == PTX_OP_mov || in->op == PTX_OP_cvta;
  default: return false;
  }
}

/* Whether it reads only constants and is the only instruction that writes its result. */
static bool finds_constant(const struct search *s, const struct ptx_inst *in, const struct ptx_touched *t) {
  if (in->guarded || !t->n_writes) return false;
  for (uint32_t i = 0; i < t->n_writes; i++)
    if (s->writes[t->writes[i]] != 1 || s->known[t->writes[i]] || s->f->regs[t->writes[i]].pinned) return false;
  if (loads_param(s, in)) return true;
  if (!computes(in)) return false;
  for (unsigned i = 1; i < in->n_ops; i++)
    if (!is_constant(s, &in->ops[i])) return false;
  return true;
}

static void keep(struct search *s, uint32_t at, const struct ptx_touched *t) {
  s->order[s->n++] = at;
  for (uint32_t i = 0; i < t->n_writes; i++) {
    struct ptx_reg *r = &s->f->regs[t->writes[i]];
    s->known[t->writes[i]] = true;
    if (r->slot >= 0) r->slot = (int32_t)s->f->slots[ptx_reg_class((enum ptx_type)r->type)]++;
  }
}

static void keep_in(struct ptx_module *m, struct ptx_func *f) {
  struct search s = {.m = m, .f = f};
  struct ptx_touched t;
  s.writes = must_alloc((f->n_regs + 1) * sizeof *s.writes);
  s.known = must_alloc((f->n_regs + 1) * sizeof *s.known);
  f->constants = s.order = ARENA_ARRAY(&m->arena, uint32_t, f->n_insts + 1);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    ptx_touches(f, &f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_writes; k++) s.writes[t.writes[k]]++;
  }
  for (uint32_t before = UINT32_MAX; s.n != before;) {
    before = s.n;
    for (uint32_t i = 0; i < f->n_insts; i++) {
      ptx_touches(f, &f->insts[i], &t);
      if (finds_constant(&s, &f->insts[i], &t)) keep(&s, i, &t);
    }
  }
  f->n_constants = s.n;
  free(s.writes);
  free(s.known);
}

void exec_keep_constants(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (m->funcs[i].is_entry && !m->funcs[i].is_extern) keep_in(m, &m->funcs[i]);
}

void exec_prepare_constants(struct exec_warp *w) {
  const struct exec_stretches *s = w->frame->func->stretches;
  w->mask = EXEC_ALL_LANES;
  for (uint32_t i = 0; i < s->n_constants; i++) s->constants[i]->fn(w, s->constants[i]);
}

/* ---- finding stretches --------------------------------------------------------------------------------------------------- */

static bool reads_clock(const struct ptx_inst *in) {
  for (unsigned i = 0; i < in->n_ops; i++)
    if (in->ops[i].kind == PTX_O_SREG && exec_is_clock((enum ptx_sreg)in->ops[i].reg)) return true;
  return false;
}

/* Instructions that lanes execute together and that need no waiting if all live lanes are in the path and all are members. */
static bool is_together(const struct exec_inst *in) {
  const struct ptx_inst *p = in->ptx;
  if (in->flags & ~(EXEC_MEMORY | EXEC_FETCH) || in->guarded) return false;
  switch ((enum ptx_op)p->op) {
  case PTX_OP_shfl: case PTX_OP_vote: case PTX_OP_match: case PTX_OP_redux:
    return ptx_has(p, PTX_M_sync) && p->ops[p->n_ops - 1].kind == PTX_O_INT;
  case PTX_OP_mma: case PTX_OP_wmma: case PTX_OP_ldmatrix: case PTX_OP_movmatrix: return true;
  default: return false;
  }
}

static bool may_be_in_one(const struct exec_inst *in) {
  if (in->flags & ~(EXEC_MEMORY | EXEC_FETCH)) return false;
  switch (ptx_op_family((enum ptx_op)in->ptx->op)) {
  case PTX_ARITH: case PTX_COMPARE: case PTX_CONVERT: case PTX_VIDEO: return true;
  case PTX_MOVE: return !reads_clock(in->ptx);
  case PTX_MEMORY:
    return in->ptx->op == PTX_OP_ld || in->ptx->op == PTX_OP_ldu || in->ptx->op == PTX_OP_st || in->ptx->op == PTX_OP_atom ||
           in->ptx->op == PTX_OP_red;
  case PTX_TEXTURE: return in->ptx->op == PTX_OP_tex || in->ptx->op == PTX_OP_tld4;
  default: return false;
  }
}

static bool is_store(const struct exec_inst *in) {
  return in->ptx->op == PTX_OP_st && in->flags == (EXEC_MEMORY | EXEC_ORDERED) && in->space != PTX_SHARED;
}

static void measure(struct exec_func *f, struct exec_stretches *s, bool stores) {
  uint32_t *length = s->length[stores], *apart = s->apart[stores];
  for (uint32_t i = 0; i < f->n_insts; i++) /* a stretch begins where paths reconverge: marked by 1 for now */
    if (f->insts[i].rpc < f->n_insts) length[f->insts[i].rpc] = 1;
  bool meets = true; /* after the last instruction */
  for (uint32_t i = f->n_insts; i-- > 0;) {
    const struct exec_inst *in = &f->insts[i];
    bool begins = length[i], alone = may_be_in_one(in) || (stores && is_store(in)), any = alone || is_together(in);
    apart[i] = !alone ? 0 : meets ? 1 : 1 + apart[i + 1];
    length[i] = !any ? 0 : meets ? 1 : 1 + length[i + 1];
    meets = begins;
  }
}

void exec_find_stretches(struct exec_func *f, struct arena *a) {
  struct exec_stretches *s = f->stretches = ARENA_NEW(a, struct exec_stretches);
  uint32_t n = 0;
  s->steps = ARENA_ARRAY(a, struct exec_step, f->n_insts);
  s->first = ARENA_ARRAY(a, uint32_t, f->n_insts + 1);
  for (unsigned i = 0; i < 2; i++) {
    s->length[i] = ARENA_ARRAY(a, uint32_t, f->n_insts);
    s->apart[i] = ARENA_ARRAY(a, uint32_t, f->n_insts);
    measure(f, s, i);
  }
  s->n_constants = f->ptx->n_constants;
  s->constants = ARENA_ARRAY(a, const struct exec_inst *, s->n_constants + 1);
  bool *constant = must_alloc(f->n_insts * sizeof *constant);
  for (uint32_t i = 0; i < s->n_constants; i++) {
    s->constants[i] = &f->insts[f->ptx->constants[i]];
    constant[f->ptx->constants[i]] = true;
  }
  for (uint32_t i = 0; i < f->n_insts; i++) {
    s->first[i] = n;
    const struct exec_inst *in = &f->insts[i];
    if (s->length[1][i] && !constant[i]) s->steps[n++] = (struct exec_step){in->quick ? in->quick : in->fn, in};
  }
  s->first[f->n_insts] = n;
  free(constant);
}

/* ---- executing one --------------------------------------------------------------------------------------------------------- */

static inline bool do_guarded(struct exec_warp *w, const struct exec_step *s) {
  uint32_t p = *(const uint32_t *)(w->file[EXEC_FPRED] + s->in->guard);
  w->mask = w->active & (s->in->guard_negate ? ~p : p);
  w->thread_instructions -= exec_count_lanes(w->active) - exec_count_lanes(w->mask);
  if (w->mask) s->fn(w, s->in);
  w->mask = w->active;
  return w->status == EXEC_RUNNING;
}

/* Whatever is not plain arithmetic. False after a fault. */
static bool do_other(struct exec_warp *w, const struct exec_step *s) {
  w->pc = (uint32_t)(s->in - w->insts) + 1;
  if (s->in->guarded) return do_guarded(w, s);
  s->fn(w, s->in);
  return w->status == EXEC_RUNNING;
}

unsigned exec_do_stretch(struct exec_warp *w, uint32_t length) {
  const struct exec_stretches *s = w->frame->func->stretches;
  const struct exec_before before = {w->insts, w->pc + length - 1, w->path};
  const struct exec_step *step = s->steps + s->first[w->pc], *end = s->steps + s->first[w->pc + length];
  unsigned flags = 0, lanes = exec_count_lanes(w->active);
  w->mask = w->active;
  w->instructions += length;
  w->thread_instructions += (uint64_t)length * lanes;
  for (; step < end; step++) {
    if (!(step->in->flags | step->in->guarded)) {
      step->fn(w, step->in);
      continue;
    }
    flags |= step->in->flags;
    if (do_other(w, step)) continue;
    uint64_t left = before.pc + 1 - w->pc; /* after the fault */
    w->instructions -= left;
    w->thread_instructions -= left * lanes;
    return flags;
  }
  w->pc = before.pc + 1;
  if (w->active != w->live) w->patience += length - 1;
  if (w->pc == w->rpc || w->active != w->live) exec_after(w, &w->insts[before.pc], &before);
  return flags;
}
