/* Operands, dependences and the loop over a function's instructions. What an opcode means is decided by its family (decode.h). */
#include "exec/decode.h"
#include "exec/forms.h"
#include "exec/run/stretch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const exec_family_fn families[] = {
    [PTX_ARITH] = exec_decode_arith,     [PTX_COMPARE] = exec_decode_compare, [PTX_CONVERT] = exec_decode_convert,
    [PTX_MOVE] = exec_decode_move,       [PTX_VIDEO] = exec_decode_video,     [PTX_MEMORY] = exec_decode_memory,
    [PTX_WARP] = exec_decode_warp,       [PTX_CONTROL] = exec_decode_control, [PTX_TENSOR] = exec_decode_tensor,
    [PTX_TEXTURE] = exec_decode_texture, [PTX_REFUSED] = NULL,
};

bool exec_refuse(struct exec_decoder *d, const struct ptx_inst *pi, const char *why) {
  char name[160];
  ptx_inst_name(pi, name, sizeof name);
  return err_set(d->e, ERR_UNSUPPORTED, "%s:%u:%u: instruction '%s' in '%s' is not supported: %s",
                 d->ptx->source_name, pi->line, pi->col, name, d->pf->name, why);
}

static bool bad_operand(struct exec_decoder *d, const char *why) {
  return err_set(d->e, ERR_UNSUPPORTED, "%s", why);
}

/* ---- constants ------------------------------------------------------------------------------------------------- */

/* A constant row holding `value` in every lane; bits 32 or 64. */
static struct exec_opnd constant_row(struct exec_decoder *d, uint64_t value, unsigned bits) {
  unsigned char key[9];
  key[0] = (unsigned char)bits;
  memcpy(key + 1, &value, 8);
  uint32_t off;
  if (!strmap_get(&d->constant_index, (const char *)key, sizeof key, &off)) {
    size_t row = EXEC_LANES * (bits / 8);
    off = (uint32_t)d->n_constant;
    GROW(d->constants, d->constant_cap, d->n_constant + row);
    for (unsigned i = 0; i < EXEC_LANES; i++) memcpy(d->constants + off + i * (bits / 8), &value, bits / 8);
    d->n_constant += row;
    strmap_put(&d->constant_index, arena_copy(d->arena, key, sizeof key), sizeof key, off);
  }
  return (struct exec_opnd){.off = off, .file = EXEC_FCONST};
}

static unsigned row_bits(enum ptx_type t) { return ptx_type_bits(t) > 32 ? 64 : 32; }

static bool float_constant(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t, struct exec_opnd *out) {
  uint64_t bits = (uint64_t)o->imm;
  double value;
  float single;
  if (o->kind == PTX_O_F32) {
    uint32_t b = (uint32_t)bits;
    memcpy(&single, &b, 4);
    value = (double)single;
  } else {
    memcpy(&value, &bits, 8);
    single = (float)value;
  }
  if (t == PTX_F64 || (ptx_type_bits(t) == 64 && o->kind == PTX_O_F64)) memcpy(&bits, &value, 8);
  else if (t == PTX_F32 || ptx_type_bits(t) == 32) {
    uint32_t b;
    memcpy(&b, &single, 4);
    bits = o->kind == PTX_O_F32 ? (uint32_t)o->imm : b;
  } else return bad_operand(d, "a floating-point literal cannot be an operand of this type");
  *out = constant_row(d, bits, row_bits(t));
  return true;
}

static bool int_constant(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t, struct exec_opnd *out) {
  uint64_t v = (uint64_t)o->imm;
  if (t == PTX_PRED) v = v ? EXEC_ALL_LANES : 0;
  unsigned bits = row_bits(t);
  if (t != PTX_PRED && ptx_type_bits(t) < 32 && ptx_type_bits(t) > 0) v &= (UINT64_C(1) << ptx_type_bits(t)) - 1;
  if (bits == 32) v = (uint32_t)v;
  *out = constant_row(d, v, bits);
  return true;
}

/* ---- symbols and registers -------------------------------------------------------------------------------------- */

struct exec_opnd exec_register_row(const struct ptx_func *f, int32_t reg) {
  static const uint32_t stride[] = {[PTX_R32] = 128, [PTX_R64] = 256, [PTX_R128] = 512, [PTX_RPRED] = 4};
  static const uint8_t file[] = {
      [PTX_R32] = EXEC_F32, [PTX_R64] = EXEC_F64, [PTX_R128] = EXEC_F128, [PTX_RPRED] = EXEC_FPRED};
  const struct ptx_reg *r = &f->regs[reg];
  enum ptx_class c = ptx_reg_class((enum ptx_type)r->type);
  return (struct exec_opnd){.off = stride[c] * (uint32_t)(r->slot < 0 ? 0 : r->slot), .file = file[c]};
}

bool exec_is_clock(enum ptx_sreg s) {
  return s == PTX_SR_clock || s == PTX_SR_clock_hi || s == PTX_SR_clock64 || s == PTX_SR_globaltimer ||
         s == PTX_SR_globaltimer_lo || s == PTX_SR_globaltimer_hi;
}

static bool sreg_row(struct exec_decoder *d, enum ptx_sreg s, struct exec_opnd *out) {
  struct exec_module *m = d->module;
  if (exec_is_clock(s)) return bad_operand(d, "a clock can only be read by mov");
  if (m->sreg_offset[s] == EXEC_NO_PC) {
    m->sreg_offset[s] = m->sreg_bytes;
    m->sreg_bytes += ptx_sreg_bits(s) > 32 ? 256 : 128;
  }
  *out = (struct exec_opnd){.off = m->sreg_offset[s], .file = EXEC_FSREG};
  return true;
}

static bool dynamic_shared_row(struct exec_decoder *d, struct exec_opnd *out) {
  struct exec_module *m = d->module;
  if (m->dynamic_shared_row == EXEC_NO_PC) {
    m->dynamic_shared_row = m->sreg_bytes;
    m->sreg_bytes += 256;
  }
  *out = (struct exec_opnd){.off = m->dynamic_shared_row, .file = EXEC_FSREG};
  return true;
}

static bool var_row(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t, struct exec_opnd *out) {
  const struct ptx_var *v = &d->ptx->vars[o->sym];
  uint64_t at = (uint64_t)o->imm;
  if (v->space == PTX_GLOBAL || v->space == PTX_CONST || v->space == PTX_SHARED) {
    bool dynamic = v->space == PTX_SHARED && v->is_extern && v->bytes == 0;
    if (dynamic && !d->pf->is_entry && !o->imm) return dynamic_shared_row(d, out);
    at += dynamic ? exec_round16(d->func->shared_bytes) : d->module->var_address[o->sym];
  } else at += v->offset; /* .param, .local: relative to the activation's block */
  *out = constant_row(d, at, row_bits(t));
  return true;
}

bool exec_decode_source(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t, struct exec_opnd *out) {
  switch ((enum ptx_opnd_kind)o->kind) {
  case PTX_O_REG:
    if (o->negative) return bad_operand(d, "a minus sign before a register is not allowed here");
    *out = exec_register_row(d->pf, o->reg);
    out->negate = o->negate;
    return true;
  case PTX_O_INT: return int_constant(d, o, t, out);
  case PTX_O_F32:
  case PTX_O_F64: return float_constant(d, o, t, out);
  case PTX_O_SREG: return sreg_row(d, (enum ptx_sreg)o->reg, out);
  case PTX_O_VAR: return var_row(d, o, t, out);
  case PTX_O_FUNC:
    *out = constant_row(d, d->module->code_base + 16 * (uint64_t)o->sym, row_bits(t));
    return true;
  case PTX_O_SINK: *out = (struct exec_opnd){.file = EXEC_FNONE}; return true;
  default: return bad_operand(d, "this kind of operand is not allowed here");
  }
}

bool exec_decode_dest(struct exec_decoder *d, const struct ptx_opnd *o, struct exec_opnd *out) {
  if (o->kind == PTX_O_SINK) {
    *out = (struct exec_opnd){.file = EXEC_FNONE};
    return true;
  }
  if (o->kind != PTX_O_REG) return bad_operand(d, "the destination must be a register");
  *out = exec_register_row(d->pf, o->reg);
  return true;
}

bool exec_decode_plain(struct exec_decoder *d, const struct ptx_inst *pi, enum ptx_type t, unsigned n_sources,
                       struct exec_inst *out) {
  struct exec_opnd *const to[] = {&out->a, &out->b, &out->c};
  if (pi->n_ops != n_sources + 1) return exec_refuse(d, pi, "wrong number of operands");
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  if (out->d.file == EXEC_FNONE) return exec_refuse(d, pi, "the destination cannot be '_'");
  for (unsigned i = 0; i < n_sources; i++)
    if (!exec_decode_source(d, &pi->ops[i + 1], t, to[i])) return false;
  return true;
}

bool exec_decode_address(struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_space space,
                         struct exec_inst *out) {
  (void)space;
  if (o->kind != PTX_O_MEM || o->n_elems < 1) return bad_operand(d, "an address in brackets is expected");
  out->imm = o->imm;
  if (!exec_decode_source(d, &o->elems[0], PTX_U64, &out->a)) return false;
  if (out->a.file == EXEC_F32) out->sub |= 0x80;
  else if (out->a.file != EXEC_F64 && out->a.file != EXEC_FCONST && out->a.file != EXEC_FSREG)
    return bad_operand(d, "an address register must have 32 or 64 bits");
  return true;
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

static uint16_t dep_id(const struct ptx_func *f, int32_t reg) {
  const struct ptx_reg *r = &f->regs[reg];
  uint32_t id = (uint32_t)(r->slot < 0 ? 0 : r->slot);
  for (int c = 0; c < (int)ptx_reg_class((enum ptx_type)r->type); c++) id += f->slots[c];
  return (uint16_t)id;
}

/* At most as many as GPGPU-Sim's collectors hold. */
enum { MAX_OPERANDS = 8 };

static unsigned add_operands(const struct ptx_opnd *o, uint16_t *out, unsigned n) {
  if (o->kind == PTX_O_REG && o->reg >= 0 && n < MAX_OPERANDS) out[n++] = (uint16_t)o->reg;
  for (unsigned i = 0; i < o->n_elems; i++) n = add_operands(&o->elems[i], out, n);
  return n;
}

/* All operands except the destination. */
static unsigned list_operands(const struct ptx_inst *pi, const struct ptx_touched *t, uint16_t *out) {
  unsigned n = 0;
  for (unsigned i = 0; i < pi->n_ops; i++)
    if (i || !t->n_writes || pi->ops[0].kind == PTX_O_MEM) n = add_operands(&pi->ops[i], out, n);
  return n;
}

/* Removes results that nothing reads; a machine instruction does not write them. */
static void drop_unread(const struct ptx_func *f, struct ptx_touched *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_writes; i++)
    if (!f->regs[t->writes[i]].unread) t->writes[n++] = t->writes[i];
  t->n_writes = n;
}

static void decode_deps(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_deps *out) {
  struct ptx_touched t;
  ptx_touches(d->pf, pi, &t);
  uint16_t *ids = ARENA_ARRAY(d->arena, uint16_t, t.n_reads + 2 * t.n_writes + MAX_OPERANDS);
  if (d->pf->issue) drop_unread(d->pf, &t);
  for (uint32_t i = 0; i < t.n_reads; i++) ids[i] = dep_id(d->pf, t.reads[i]);
  for (uint32_t i = 0; i < t.n_writes; i++) ids[t.n_reads + i] = dep_id(d->pf, t.writes[i]);
  uint16_t *results = ids + t.n_reads + t.n_writes, *operands = results + t.n_writes;
  for (uint32_t i = 0; i < t.n_writes; i++) results[i] = (uint16_t)t.writes[i];
  *out = (struct exec_deps){ids, ids + t.n_reads, operands, results, (uint8_t)t.n_reads, (uint8_t)t.n_writes, 0, (uint8_t)t.n_writes};
  out->n_operands = (uint8_t)list_operands(pi, &t, operands);
}

static uint8_t pick_unit(const struct ptx_inst *pi, enum exec_unit integer, enum exec_unit single, enum exec_unit twice) {
  enum ptx_type t = pi->n_types ? (enum ptx_type)pi->types[0] : PTX_U32;
  if (!ptx_type_float(t)) return (uint8_t)integer;
  return (uint8_t)(ptx_type_bits(t) == 64 ? twice : ptx_type_bits(t) == 32 ? single : EXEC_U_HALF);
}

static uint8_t unit_by_opcode(const struct ptx_inst *pi, uint8_t unit) {
  switch (pi->op) {
  case PTX_OP_add:
  case PTX_OP_addc:
  case PTX_OP_sub:
  case PTX_OP_subc: return pick_unit(pi, EXEC_U_ALU, EXEC_U_FADD, EXEC_U_DADD);
  case PTX_OP_min:
  case PTX_OP_max: return pick_unit(pi, EXEC_U_IMAX, EXEC_U_FMAX, EXEC_U_DMAX);
  case PTX_OP_mul: return pick_unit(pi, EXEC_U_IMUL, EXEC_U_FMUL, EXEC_U_DMUL);
  case PTX_OP_mad:
  case PTX_OP_madc:
  case PTX_OP_fma: return pick_unit(pi, EXEC_U_IMAD, EXEC_U_FFMA, EXEC_U_DFMA);
  case PTX_OP_div: return pick_unit(pi, EXEC_U_IDIV, EXEC_U_FDIV, EXEC_U_DDIV);
  case PTX_OP_sqrt:
  case PTX_OP_sin:
  case PTX_OP_cos:
  case PTX_OP_ex2:
  case PTX_OP_lg2:
  case PTX_OP_rsqrt:
  case PTX_OP_rcp: return EXEC_U_SFU;
  case PTX_OP_shfl: return EXEC_U_SHUFFLE;
  default: return unit >= EXEC_U_LDST || unit == EXEC_U_TENSOR ? unit : EXEC_U_OTHER;
  }
}

static bool waits_for_others(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_cas) || ptx_has(pi, PTX_M_exch) || ptx_has(pi, PTX_M_volatile) ||
         ptx_has(pi, PTX_M_acquire) || ptx_has(pi, PTX_M_relaxed) || ptx_has(pi, PTX_M_test_wait) ||
         ptx_has(pi, PTX_M_try_wait) || pi->op == PTX_OP_nanosleep;
}

static bool looks_at_others(const struct ptx_func *f, const struct ptx_inst *pi) {
  if (pi->op != PTX_OP_ld) return false;
  return ptx_has(pi, PTX_M_cg) || ptx_has(pi, PTX_M_cv) || ptx_has(pi, PTX_M_mmio) || (f->looks && f->looks[pi - f->insts]);
}

/* Whether an instruction affects what others see: global memory, shared memory of a cluster, or the device library. Loads of global memory
 * do not: within one instant they see what was there when it began. */
static bool seen_by_others(const struct exec_inst *in) {
  if (ptx_has(in->ptx, PTX_M_shared__cluster) && in->flags & EXEC_MEMORY) return true;
  switch ((enum ptx_op)in->ptx->op) {
  case PTX_OP_st:
  case PTX_OP_atom:
  case PTX_OP_red:
  case PTX_OP_cp:
  case PTX_OP_sust:
  case PTX_OP_sured:
  case PTX_OP_wmma: return in->ptx->space != PTX_SHARED && in->ptx->space != PTX_LOCAL && in->ptx->space != PTX_PARAM;
  case PTX_OP_call: return true;
  default: return false;
  }
}

static bool comes_late(const struct ptx_func *f, const struct ptx_inst *pi) {
  return (pi->op == PTX_OP_st || pi->op == PTX_OP_ld) && f->late && f->late[pi - f->insts];
}

static bool fetches(const struct exec_inst *in) {
  enum ptx_op op = (enum ptx_op)in->ptx->op;
  return (op == PTX_OP_ld || op == PTX_OP_ldu) && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC);
}

static bool decode_inst(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  exec_family_fn family = families[ptx_op_family((enum ptx_op)pi->op)];
  *out = (struct exec_inst){.ptx = pi, .vec = 1, .target = EXEC_NO_PC, .rpc = EXEC_NO_PC};
  out->d.file = out->a.file = out->b.file = out->c.file = EXEC_FNONE;
  if (pi->guarded) {
    out->guarded = 1;
    out->guard_negate = pi->guard_negate;
    out->guard = exec_register_row(d->pf, pi->guard).off;
  }
  if (waits_for_others(pi)) out->flags |= EXEC_SPIN;
  if (looks_at_others(d->pf, pi)) out->flags |= EXEC_LOOK;
  if (!family) return exec_refuse(d, pi, "it is not modelled");
  const char *fault = exec_form_fault(pi, d->ptx);
  if (fault) return exec_refuse(d, pi, fault);
  if (family(d, pi, out)) {
    if (seen_by_others(out) || comes_late(d->pf, pi)) out->flags |= EXEC_ORDERED;
    if (fetches(out)) out->flags |= EXEC_FETCH;
    return true;
  }
  /* Operand helpers do not know the instruction, so its place is added here. */
  if (!strstr(d->e->text, "is not supported:")) {
    struct err inner = *d->e;
    err_clear(d->e);
    exec_refuse(d, pi, inner.kind ? inner.text : "this form is not modelled");
  }
  return false;
}

static const struct ptx_inst implicit_ret = {.op = PTX_OP_ret};

static void begin_func(struct exec_decoder *d, struct exec_module *m, uint32_t index) {
  d->func = &m->funcs[index];
  d->pf = &m->ptx.funcs[index];
  const struct ptx_func *pf = d->pf;
  struct exec_func *f = d->func;
  f->n_insts = pf->n_insts + 1;
  f->first_pc = m->n_insts;
  m->n_insts += f->n_insts;
  f->insts = ARENA_ARRAY(d->arena, struct exec_inst, f->n_insts);
  f->deps = ARENA_ARRAY(d->arena, struct exec_deps, f->n_insts);
  f->file_bytes[EXEC_F32] = 128 * pf->slots[PTX_R32];
  f->file_bytes[EXEC_F64] = 256 * pf->slots[PTX_R64];
  f->file_bytes[EXEC_F128] = 512 * pf->slots[PTX_R128];
  f->file_bytes[EXEC_FPRED] = 4 * pf->slots[PTX_RPRED];
  for (int c = 0; c < PTX_CLASSES; c++) f->n_dep_ids += pf->slots[c];
}

static void end_func(struct exec_decoder *d) {
  size_t bytes = d->n_constant ? d->n_constant : 64;
  unsigned char *p = arena_alloc(d->arena, bytes + 64);
  p = (unsigned char *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
  if (d->n_constant) memcpy(p, d->constants, d->n_constant);
  d->func->constants = p;
  d->func->constant_bytes = (uint32_t)d->n_constant;
  free(d->constants);
  d->constants = NULL;
  d->n_constant = d->constant_cap = 0;
  strmap_free(&d->constant_index);
}

/* With `report`, continues after a refusal and reports it; without, stops at the first. */
static bool decode_func(struct exec_decoder *d, exec_report_fn report, void *user, unsigned *refused) {
  struct exec_func *f = d->func;
  bool ok = true;
  for (uint32_t i = 0; i < f->n_insts && ok; i++) {
    const struct ptx_inst *pi = i < d->pf->n_insts ? &d->pf->insts[i] : &implicit_ret;
    if (pi != &implicit_ret) decode_deps(d, pi, &f->deps[i]);
    ok = decode_inst(d, pi, &f->insts[i]);
    f->insts[i].deps = i;
    f->insts[i].slots = d->pf->issue && i < d->pf->n_insts ? d->pf->issue[i] : 1;
    f->insts[i].plain = f->insts[i].slots == 1 && !(f->insts[i].flags & EXEC_CONTROL) && pi->op != PTX_OP_wgmma;
    f->insts[i].reads = d->pf->reads && i < d->pf->n_insts ? d->pf->reads[i] : 0;
    f->insts[i].by_opcode = unit_by_opcode(pi, f->insts[i].unit);
    if (!ok && report) {
      const char *why = strstr(d->e->text, "is not supported: ");
      report(user, d->pf, pi, why ? why + 18 : d->e->text);
      err_clear(d->e);
      ++*refused;
      ok = true;
    }
  }
  return ok;
}

static bool meets_cluster(const struct ptx_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++)
    if ((f->insts[i].op == PTX_OP_barrier || f->insts[i].op == PTX_OP_bar) && ptx_has(&f->insts[i], PTX_M_cluster)) return true;
  return false;
}

/* If CTAs of a cluster wait for each other, other SMs may wait for the end of a thread. */
static void order_ends(struct exec_module *m) {
  bool meets = false;
  for (uint32_t i = 0; i < m->ptx.n_funcs && !meets; i++) meets = meets_cluster(&m->ptx.funcs[i]);
  for (uint32_t i = 0; i < m->ptx.n_funcs && meets; i++)
    for (uint32_t k = 0; k < m->funcs[i].n_insts; k++) {
      struct exec_inst *in = &m->funcs[i].insts[k];
      if (in->ptx->op == PTX_OP_exit || in->ptx->op == PTX_OP_ret) in->flags |= EXEC_ORDERED;
    }
}

unsigned exec_decode_module(struct exec_module *m, exec_report_fn report, void *user) {
  struct err e = {0};
  struct exec_decoder d = {
      .module = m, .ptx = &m->ptx, .lanes = exec_lanes_best(), .arena = &m->arena, .e = &e};
  unsigned refused = 0;
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++) {
    if (m->ptx.funcs[i].is_extern) continue;
    begin_func(&d, m, i);
    if (d.pf->is_entry) exec_layout_entry(m, d.func);
    if (!decode_func(&d, report, user, &refused)) {
      d.func->refused = arena_strndup(&m->arena, e.text, strlen(e.text));
      err_clear(&e);
      refused++;
    }
    end_func(&d);
  }
  order_ends(m);
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++)
    if (!m->ptx.funcs[i].is_extern && !m->funcs[i].refused && !report) exec_find_stretches(&m->funcs[i], &m->arena);
  return refused;
}
