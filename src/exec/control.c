/* Branches, calls, returns and exits. warp.c decides which lanes run where afterwards. */
#include "exec/builtins.h"
#include "exec/decode.h"
#include "exec/run/device_launch.h"

#include <stdio.h>
#include <string.h>

/* ---- branches --------------------------------------------------------------------------------------------------- */

static void do_bra(struct exec_warp *w, const struct exec_inst *in) {
  if (w->mask == w->active) w->pc = in->target;
  else if (w->mask) exec_diverge(w, w->mask, in->target, in->rpc);
}

/* The lanes of each distinct target leave the path; the last group branches directly. */
static void do_brx(struct exec_warp *w, const struct exec_inst *in) {
  const struct ptx_targets *t = in->aux;
  const uint32_t *index = exec_row(w, in->a);
  uint32_t left = w->mask;
  while (left) {
    unsigned lane = (unsigned)__builtin_ctz(left);
    if (index[lane] >= t->n) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, lane, "branch index %u is beyond the list of %u targets",
                 index[lane], t->n);
      return;
    }
    uint32_t target = t->at[index[lane]], group = 0;
    for (unsigned i = lane; i < EXEC_LANES; i++)
      if (left >> i & 1 && index[i] < t->n && t->at[index[i]] == target) group |= 1u << i;
    left &= ~group;
    if (group == w->active) w->pc = target;
    else exec_diverge(w, group, target, in->rpc);
  }
}

static bool decode_bra(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  uint32_t at = (uint32_t)(pi - d->pf->insts);
  out->unit = EXEC_U_BRANCH;
  out->flags |= EXEC_CONTROL | (ptx_has(pi, PTX_M_uni) ? EXEC_UNIFORM : 0);
  if (d->pf->yields && d->pf->yields[at]) out->flags |= EXEC_YIELD;
  out->rpc = d->pf->reconverge[at] == PTX_NO_RECONVERGE ? EXEC_NO_PC : d->pf->reconverge[at];
  if (pi->op == PTX_OP_bra) {
    if (pi->n_ops != 1 || pi->ops[0].kind != PTX_O_LABEL) return exec_refuse(d, pi, "a label is expected");
    out->target = (uint32_t)pi->ops[0].sym;
    out->fn = do_bra;
    return true;
  }
  if (pi->n_ops != 2 || pi->ops[1].kind != PTX_O_TARGETS) return exec_refuse(d, pi, "a .branchtargets list is expected");
  out->aux = &d->pf->targets[pi->ops[1].sym];
  out->fn = do_brx;
  return exec_decode_source(d, &pi->ops[0], PTX_U32, &out->a);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

/* Addresses of the lanes' copies of a value that a call passes: lane i's is i times `step` behind the first. */
struct copies {
  unsigned char *first;
  size_t step;
};

/* Copies of a formal parameter or result of an activation: in its parameter block, or in the register that a .reg parameter names. */
static struct copies formal_copies(const struct exec_frame *f, const struct ptx_var *v, bool is_result) {
  const struct ptx_func *pf = f->func->ptx;
  if (v->space != PTX_REG) {
    size_t block = is_result ? exec_round16(pf->param_bytes) : 0;
    return (struct copies){f->params + block + v->offset, exec_param_stride(pf)};
  }
  struct exec_opnd row = exec_register_row(pf, v->reg);
  return (struct copies){f->file[row.file] + row.off, row.file == EXEC_F64 ? 8 : 4};
}

/* Copies of a parameter on the callee's stack. */
static struct copies stack_copies(const struct exec_warp *w, const struct exec_frame *f, const struct ptx_var *v) {
  return (struct copies){w->local + f->local_base + v->offset, w->stack_bytes};
}

static struct copies actual_copies(const struct exec_warp *w, const struct exec_frame *caller, const struct exec_call_item *item) {
  unsigned char *first = exec_call_slot(w, caller, item, 0);
  return (struct copies){first, (size_t)(exec_call_slot(w, caller, item, 1) - first)};
}

/* `bytes` is a constant for the compiler, which then needs no call. */
static inline __attribute__((always_inline)) void pass_each(struct copies to, struct copies from, uint32_t lanes, size_t bytes) {
  for (uint32_t m = lanes; m; m &= m - 1) {
    unsigned i = (unsigned)__builtin_ctz(m);
    memcpy(to.first + i * to.step, from.first + i * from.step, bytes);
  }
}

static void pass(struct copies to, struct copies from, uint32_t lanes, uint64_t bytes) {
  switch (bytes) {
  case 4: pass_each(to, from, lanes, 4); break;
  case 8: pass_each(to, from, lanes, 8); break;
  case 16: pass_each(to, from, lanes, 16); break;
  default: pass_each(to, from, lanes, bytes);
  }
}

static void pass_arguments(struct exec_warp *w, const struct exec_call *c, struct exec_frame *to) {
  const struct ptx_func *pf = to->func->ptx;
  const struct ptx_module *m = &to->func->module->ptx;
  for (uint32_t i = 0; i < c->n_args && i < pf->n_params; i++) {
    const struct ptx_var *v = &m->vars[pf->params[i]];
    uint64_t n = c->args[i].bytes < v->bytes ? c->args[i].bytes : v->bytes;
    pass(v->stacked ? stack_copies(w, to, &m->vars[v->stacked - 1]) : formal_copies(to, v, false),
         actual_copies(w, to->caller, &c->args[i]), to->lanes, n);
  }
}

static void call_function(struct exec_warp *w, const struct exec_inst *in, const struct exec_func *callee) {
  struct exec_frame *f = exec_enter(w, in, callee);
  if (f) pass_arguments(w, in->aux, f);
}

static const struct exec_func *function_at(const struct exec_warp *w, uint64_t address) {
  const struct exec_module *m = w->grid->module;
  uint64_t i = (address - m->code_base) / 16;
  if (address < m->code_base || i >= m->ptx.n_funcs || (address - m->code_base) % 16) return NULL;
  return m->ptx.funcs[i].is_extern ? NULL : &m->funcs[i];
}

static void do_call(struct exec_warp *w, const struct exec_inst *in) {
  const struct exec_call *c = in->aux;
  if (c->builtin) {
    c->builtin(w, in, c);
    return;
  }
  if (c->callee) {
    call_function(w, in, c->callee);
    return;
  }
  const uint64_t *address = exec_row(w, in->a);
  unsigned first = (unsigned)__builtin_ctz(w->mask);
  const struct exec_func *callee = function_at(w, address[first]);
  if (!callee) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, first, "call of 0x%llx, which is not a function of this module",
               (unsigned long long)address[first]);
    return;
  }
  uint32_t same = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->mask >> i & 1 && address[i] == address[first]) same |= 1u << i;
  if (same != w->mask) { /* lanes with another target execute this instruction again */
    exec_split(w, w->active & ~same, w->pc - 1, w->pc);
    w->mask = same;
  }
  call_function(w, in, callee);
}

static void return_results(struct exec_warp *w, uint32_t lanes) {
  const struct exec_frame *f = w->frame, *caller = f->caller;
  const struct exec_inst *in = &caller->func->insts[f->ret_pc - 1];
  const struct exec_call *c = in->aux;
  const struct ptx_func *pf = f->func->ptx;
  for (uint32_t i = 0; i < c->n_rets && i < pf->n_rets; i++) {
    const struct ptx_var *v = &f->func->module->ptx.vars[pf->rets[i]];
    const struct exec_call_item *r = &c->rets[i];
    uint64_t n = r->bytes < v->bytes ? r->bytes : v->bytes;
    pass(actual_copies(w, caller, r), formal_copies(f, v, true), lanes, n);
  }
}

static void do_ret(struct exec_warp *w, const struct exec_inst *in) {
  (void)in;
  if (!w->mask) return;
  if (w->frame->caller) return_results(w, w->mask);
  exec_leave(w, w->mask);
}

static bool decode_item(struct exec_decoder *d, const struct ptx_opnd *o, bool is_result, struct exec_call_item *out) {
  out->row.file = EXEC_FNONE;
  if (o->kind == PTX_O_VAR) {
    const struct ptx_var *v = &d->ptx->vars[o->sym];
    out->offset = (uint32_t)v->offset;
    out->bytes = (uint32_t)v->bytes;
    return v->space == PTX_PARAM || err_set(d->e, ERR_INPUT, "call arguments must be .param variables or registers");
  }
  enum ptx_type t = o->kind == PTX_O_REG ? (enum ptx_type)d->pf->regs[o->reg].type : PTX_U32;
  out->bytes = ptx_type_bits(t) > 32 ? 8 : 4;
  return is_result ? exec_decode_dest(d, o, &out->row) : exec_decode_source(d, o, t, &out->row);
}

static bool decode_items(struct exec_decoder *d, const struct ptx_opnd *list, bool results, struct exec_call_item **out,
                         uint32_t *n) {
  *n = list->n_elems;
  *out = ARENA_ARRAY(d->arena, struct exec_call_item, list->n_elems + 1u);
  for (uint32_t i = 0; i < list->n_elems; i++)
    if (!decode_item(d, &list->elems[i], results, &(*out)[i])) return false;
  return true;
}

static bool decode_target(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                          struct exec_call *c, struct exec_inst *out) {
  if (o->kind != PTX_O_FUNC) return exec_decode_source(d, o, PTX_U64, &out->a);
  const struct ptx_func *f = &d->ptx->funcs[o->sym];
  if (!f->is_extern) {
    c->callee = &d->module->funcs[o->sym];
    return true;
  }
  c->builtin = exec_find_builtin(f->name);
  if (c->builtin) return true;
  if (!d->module->unresolved && !exec_is_launch_name(f->name)) d->module->unresolved = f->name;
  char why[256];
  snprintf(why, sizeof why, "function '%s' has no body in this module and is not one the device library provides",
           f->name);
  return exec_refuse(d, pi, why);
}

static bool decode_call(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct exec_call *c = ARENA_NEW(d->arena, struct exec_call);
  unsigned k = 0;
  if (pi->n_ops == 0) return exec_refuse(d, pi, "a function is expected");
  if (pi->ops[0].kind == PTX_O_LIST) {
    if (!decode_items(d, &pi->ops[0], true, &c->rets, &c->n_rets)) return false;
    k++;
  }
  if (k >= pi->n_ops || !decode_target(d, pi, &pi->ops[k], c, out)) return false;
  k++;
  if (k < pi->n_ops && pi->ops[k].kind == PTX_O_LIST &&
      !decode_items(d, &pi->ops[k], false, &c->args, &c->n_args))
    return false;
  out->aux = c;
  out->fn = do_call;
  out->unit = EXEC_U_BRANCH;
  return true;
}

/* ---- ends and the stack ----------------------------------------------------------------------------------------- */

static void do_exit(struct exec_warp *w, const struct exec_inst *in) {
  (void)in;
  if (w->mask) exec_exit_lanes(w, w->mask);
}

static void do_trap(struct exec_warp *w, const struct exec_inst *in) {
  exec_fault(w, in, EXEC_FAULT_TRAP, (unsigned)__builtin_ctz(w->mask), "the kernel executed '%s'",
             ptx_op_name((enum ptx_op)in->ptx->op));
}

static void do_nothing(struct exec_warp *w, const struct exec_inst *in) {
  (void)w;
  (void)in;
}

/* All lanes of a path share one stack depth, so each gets as much as the largest request of the active lanes. */
static void do_alloca(struct exec_warp *w, const struct exec_inst *in) {
  const uint64_t *size = exec_row(w, in->a);
  uint64_t most = 0, align = (uint64_t)in->imm;
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->mask >> i & 1 && size[i] > most) most = size[i];
  uint64_t at = (w->frame->stack_top + align - 1) / align * align;
  if (most > w->stack_bytes || at + most > w->stack_bytes) {
    exec_fault(w, in, EXEC_FAULT_STACK, (unsigned)__builtin_ctz(w->mask),
               "alloca of %llu bytes does not fit into the thread's stack of %u bytes", (unsigned long long)most,
               w->stack_bytes);
    return;
  }
  w->frame->stack_top = (uint32_t)(at + most);
  uint64_t *d = exec_row(w, in->d);
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->mask >> i & 1) d[i] = at;
}

static void do_stacksave(struct exec_warp *w, const struct exec_inst *in) {
  uint64_t *d = exec_row(w, in->d);
  for (unsigned i = 0; i < EXEC_LANES; i++)
    if (w->mask >> i & 1) d[i] = w->frame->stack_top;
}

static void do_stackrestore(struct exec_warp *w, const struct exec_inst *in) {
  const uint64_t *a = exec_row(w, in->a);
  w->frame->stack_top = (uint32_t)a[__builtin_ctz(w->mask)];
}

static bool decode_stack(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_types != 1 || ptx_type_bits((enum ptx_type)pi->types[0]) != 64)
    return exec_refuse(d, pi, "only 64-bit stack operations are modelled");
  out->unit = EXEC_U_ALU;
  if (pi->op == PTX_OP_stackrestore) {
    out->fn = do_stackrestore;
    return exec_decode_source(d, &pi->ops[0], PTX_U64, &out->a);
  }
  if (!exec_decode_dest(d, &pi->ops[0], &out->d)) return false;
  out->fn = pi->op == PTX_OP_alloca ? do_alloca : do_stacksave;
  if (pi->op == PTX_OP_stacksave) return true;
  out->imm = pi->n_ops > 2 ? pi->ops[2].imm : 8;
  return exec_decode_source(d, &pi->ops[1], PTX_U64, &out->a);
}

bool exec_decode_control(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch ((enum ptx_op)pi->op) {
  case PTX_OP_bra:
  case PTX_OP_brx: return decode_bra(d, pi, out);
  case PTX_OP_call: return decode_call(d, pi, out);
  case PTX_OP_alloca:
  case PTX_OP_stacksave:
  case PTX_OP_stackrestore: return decode_stack(d, pi, out);
  case PTX_OP_ret:
  case PTX_OP_exit:
    out->fn = pi->op == PTX_OP_ret ? do_ret : do_exit;
    out->unit = EXEC_U_EXIT;
    out->flags |= EXEC_CONTROL;
    return true;
  case PTX_OP_pmevent: out->fn = do_nothing; return true;
  default: out->fn = do_trap; return true;
  }
}
