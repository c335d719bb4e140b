/* See address.h. Forming, sorting and checking addresses is most of the cost of a memory instruction, so the common shapes are handled for
 * all 32 lanes at once: inactive lanes get the address of the first active lane; one pass over the row finds out whether the addresses are
 * equal, consecutive or neither, and collects their low bits; then the bounds of the space are tested for one, two or all of them.
 *
 * An access to global memory should lie in one allocation. The allocation is remembered for each instruction of a CTA (by pc, in a small
 * direct-mapped table), because one instruction usually accesses one array; the table of allocations is searched only if that guess is
 * wrong. An access outside all allocations continues if memory is mapped there, and is recorded. Without checks the remembered range is all
 * device memory, so that no kernel reaches the simulator's own memory.
 *
 * Simplified: .const is not a window of its own; its variables are allocations that kernels cannot write. */
#include "exec/memory/address.h"

#include "exec/blame.h"
#include "exec/run/cta_cluster.h"
#include "exec/observe.h"
#include "exec/memory/view.h"
#include "exec/warp.h"

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool listed(const int32_t *vars, uint32_t n, int32_t var) {
  for (uint32_t i = 0; i < n; i++)
    if (vars[i] == var) return true;
  return false;
}

static bool has_stacked(const struct exec_decoder *d) {
  for (uint32_t i = 0; i < d->pf->n_params; i++)
    if (d->ptx->vars[d->pf->params[i]].stacked) return true;
  return false;
}

static bool decode_param(struct exec_decoder *d, const struct ptx_opnd *base, struct exec_where *out) {
  const struct ptx_func *f = d->pf;
  if (base->kind != PTX_O_VAR) { /* a register with the address of one of the function's parameters */
    out->area = f->is_entry ? EXEC_AREA_KERNEL : EXEC_AREA_PARAMS;
    if (has_stacked(d)) {
      out->space = PTX_LOCAL;
      out->area = EXEC_AREA_SPACE;
    }
    return true;
  }
  const struct ptx_var *v = &d->ptx->vars[base->sym];
  if (v->stacked) {
    out->base.file = EXEC_FNONE;
    out->space = PTX_LOCAL;
    out->area = EXEC_AREA_LOCAL;
    out->offset += (int64_t)d->ptx->vars[v->stacked - 1].offset;
    return true;
  }
  out->base.file = EXEC_FNONE;
  out->offset += (int64_t)v->offset;
  if (listed(f->params, f->n_params, base->sym)) {
    out->area = f->is_entry ? EXEC_AREA_KERNEL : EXEC_AREA_PARAMS;
  } else if (listed(f->rets, f->n_rets, base->sym)) {
    out->area = EXEC_AREA_PARAMS;
    out->offset += exec_round16(f->param_bytes);
  } else {
    out->area = EXEC_AREA_CALLS;
  }
  return true;
}

static bool decode_local(struct exec_decoder *d, const struct ptx_opnd *base, struct exec_where *out) {
  out->base.file = EXEC_FNONE;
  out->area = EXEC_AREA_LOCAL;
  out->offset += (int64_t)d->ptx->vars[base->sym].offset;
  return true;
}

static bool decode_base(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        struct exec_where *out) {
  const struct ptx_opnd *base = &o->elems[0];
  bool is_register =
      base->kind == PTX_O_REG && ptx_type_bits((enum ptx_type)d->pf->regs[base->reg].type) >= 32;
  if (!is_register && base->kind != PTX_O_VAR && base->kind != PTX_O_INT)
    return exec_refuse(d, pi, "an address is a register of 32 or 64 bits, a variable or a number");
  struct exec_inst scratch = {.a = {.file = EXEC_FNONE}};
  if (!exec_decode_address(d, o, (enum ptx_space)out->space, &scratch)) return false;
  out->base = scratch.a;
  out->narrow = (scratch.sub & 0x80) != 0;
  out->offset = scratch.imm;
  return true;
}

bool exec_decode_where(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_space space, struct exec_where *out) {
  if (o->kind != PTX_O_MEM || o->n_elems != 1)
    return exec_refuse(d, pi, "an address in brackets is expected");
  const struct ptx_opnd *base = &o->elems[0];
  bool variable = base->kind == PTX_O_VAR;
  if (space == PTX_GENERIC && (ptx_has(pi, PTX_M_shared__cta) || ptx_has(pi, PTX_M_shared__cluster)))
    space = PTX_SHARED;
  if (variable && space == PTX_GENERIC) space = (enum ptx_space)d->ptx->vars[base->sym].space;
  *out = (struct exec_where){.base = {.file = EXEC_FNONE},
                             .space = (uint8_t)space,
                             .lanes = d->lanes};
  if (variable && (space == PTX_PARAM || space == PTX_LOCAL)) {
    out->offset = o->imm + base->imm;
    return space == PTX_PARAM ? decode_param(d, base, out) : decode_local(d, base, out);
  }
  return decode_base(d, pi, o, out) && (space != PTX_PARAM || decode_param(d, base, out));
}

/* ---- one global access -------------------------------------------------------------------------------- */

static uint64_t host_address(const void *p) { return (uint64_t)(uintptr_t)p; }

static bool writes(uint8_t op) { return op == EXEC_STORE || op == EXEC_ATOMIC || op == EXEC_REDUCE; }

/* The range in which an access is permitted; a stray access has none. */
struct permit {
  struct exec_alloc_range range;
  bool writable, stray;
};

/* Without checks: all device memory, mapped or not. */
static bool permit_backed(const struct exec_touch *t, struct permit *p) {
  p->writable = true;
  if (exec_mem_backed(t->w->grid->device->mem, t->addr, &p->range) && t->bytes <= p->range.end - t->addr) return true;
  exec_blame_wild(t);
  return false;
}

/* Outside every allocation: a GPU answers if memory is mapped there. */
static bool permit_stray(const struct exec_touch *t, struct permit *p) {
  const struct exec_device *d = t->w->grid->device;
  p->stray = true;
  if (!d->strict && exec_mem_mapped(d->mem, t->addr, t->bytes)) return true;
  exec_blame_wild(t);
  return false;
}

/* False after a fault. */
static bool permitted(const struct exec_touch *t, struct permit *p) {
  *p = (struct permit){.stray = false};
  if (!t->w->grid->device->check) return permit_backed(t, p);
  const struct exec_alloc *a = exec_mem_find(t->w->grid->device->mem, t->addr, NULL);
  if (!a || t->bytes > a->range.end - t->addr || a->kind == EXEC_ALLOC_ARRAY) return permit_stray(t, p);
  p->range = a->range;
  p->writable = a->kind != EXEC_ALLOC_CONST;
  if (p->writable || !writes(t->op)) return true;
  exec_blame_constant(t, a);
  return false;
}

/* ---- all lanes at once -------------------------------------------------------------------------------- */

/* True if [addr, addr + bytes) of every lane lies in [lo, lo + size). Bounds are below 2^63, so a difference
 * below zero shows in the top bit, also when addr itself is above 2^63. */
static bool inside(const struct exec_reach *r, uint64_t lo, uint64_t size) {
  const uint64_t *addr = r->addr;
  uint64_t last = lo + size - r->bytes, bad = (addr[0] - lo) | (last - addr[0]);
  if (size < r->bytes) return false;
  if (r->pattern == EXEC_CONSECUTIVE) {
    bad |= (addr[EXEC_LANES - 1] - lo) | (last - addr[EXEC_LANES - 1]);
  } else if (r->pattern == EXEC_SCATTERED) {
    return r->host_lanes->within(addr, lo, last);
  }
  return !(bad >> 63);
}

static struct exec_touch place_of(struct exec_warp *w, const struct exec_inst *in,
                                   const struct exec_reach *r, unsigned lane) {
  return (struct exec_touch){.w = w,
                              .in = in,
                              .lane = lane,
                              .op = r->op,
                              .space = r->space,
                              .addr = r->addr[lane],
                              .bytes = r->bytes};
}

static bool check_bounds(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r,
                         uint64_t size, const char *what) {
  if (inside(r, 0, size)) return true;
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    struct exec_touch p = place_of(w, in, r, (unsigned)__builtin_ctz(m));
    if (p.addr <= size && p.bytes <= size - p.addr) continue;
    exec_blame_outside(&p, what, size);
    break;
  }
  return false;
}

/* The slow way, for lanes that may access several allocations, or none. */
static bool check_each(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r) {
  struct permit to = {.stray = true}, next;
  struct exec_touch first_stray = {.w = NULL};
  unsigned strays = 0;
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    struct exec_touch t = place_of(w, in, r, (unsigned)__builtin_ctz(m));
    if (t.addr >= to.range.base && t.addr < to.range.end && t.bytes <= to.range.end - t.addr) continue;
    if (!permitted(&t, &next)) return false;
    if (!next.stray) to = next;
    else if (!strays++) first_stray = t;
  }
  if (!to.stray) {
    w->cta->memo.at[w->pc % EXEC_MEMO].range = to.range;
    w->cta->memo.at[w->pc % EXEC_MEMO].writable = to.writable;
  }
  if (strays) exec_note_stray(&first_stray, strays);
  return true;
}

static bool check_reached(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r) {
  const struct exec_mem *mem = w->grid->device->mem;
  struct exec_range_memo *memo = &w->cta->memo;
  uint64_t version = exec_mem_version(mem);
  if (memo->mem != mem || memo->version != version)
    *memo = (struct exec_range_memo){.mem = mem, .version = version};
  struct exec_alloc_range guess = memo->at[w->pc % EXEC_MEMO].range;
  bool may = memo->at[w->pc % EXEC_MEMO].writable || !writes(r->op);
  return (may && inside(r, guess.base, guess.end - guess.base)) || check_each(w, in, r);
}

static struct exec_shape form(const struct exec_warp *w, const struct exec_where *x, uint64_t bytes,
                         uint64_t *addr) {
  if (x->base.file == EXEC_FNONE) {
    uint64_t same = exec_where_offset(w, x);
    for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] = same;
    return (struct exec_shape){.bits = same};
  }
  const void *row = exec_row(w, x->base);
  return (x->narrow ? x->lanes->form_narrow : x->lanes->form_wide)(row, (uint64_t)x->offset, bytes, w->mask, addr);
}

static uint8_t pattern_of(const struct exec_shape *s) {
  return !s->differ ? EXEC_SAME : !s->gaps ? EXEC_CONSECUTIVE : EXEC_SCATTERED;
}

static bool aligned(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r,
                    uint64_t low) {
  if (!(low & (r->bytes - 1))) return true;
  uint32_t m = r->lanes;
  while (!(r->addr[__builtin_ctz(m)] & (r->bytes - 1))) m &= m - 1;
  struct exec_touch p = place_of(w, in, r, (unsigned)__builtin_ctz(m));
  exec_blame_misaligned(&p, r->bytes);
  return false;
}

/* ---- spaces ------------------------------------------------------------------------------------------- */

/* Space of a generic address; shared memory of any CTA of the cluster is PTX_SHARED. */
static uint8_t space_of(uint64_t addr) {
  if (addr - EXEC_SHARED_WINDOW < EXEC_CLUSTER_WINDOW_BYTES) return PTX_SHARED;
  if (addr - EXEC_LOCAL_WINDOW < EXEC_LOCAL_WINDOW_BYTES) return PTX_LOCAL;
  if (addr - EXEC_PARAM_WINDOW < EXEC_PARAM_WINDOW_BYTES) return PTX_PARAM;
  return PTX_GLOBAL;
}

static uint64_t window_of(uint8_t space) {
  switch (space) {
  case PTX_SHARED: return EXEC_SHARED_WINDOW;
  case PTX_LOCAL: return EXEC_LOCAL_WINDOW;
  case PTX_PARAM: return EXEC_PARAM_WINDOW;
  default: return 0;
  }
}

static bool reach_kernel_params(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  if (writes(r->op)) {
    struct exec_touch p = place_of(w, in, r, (unsigned)__builtin_ctz(r->lanes));
    exec_blame_read_only(&p, "a kernel's parameters cannot be written");
    return false;
  }
  r->base = host_address(w->grid->params);
  return check_bounds(w, in, r, w->grid->kernel->ptx->param_bytes, "the parameters take");
}

static bool reach_param(struct exec_warp *w, const struct exec_inst *in, uint8_t area, struct exec_reach *r) {
  const struct exec_frame *f = w->frame;
  if (area != EXEC_AREA_PARAMS && area != EXEC_AREA_CALLS) return reach_kernel_params(w, in, r);
  bool calls = area == EXEC_AREA_CALLS;
  r->base = host_address(calls ? f->call_params : f->params);
  r->stride = calls ? exec_call_param_stride(f->func->ptx) : exec_param_stride(f->func->ptx);
  return check_bounds(w, in, r, r->stride, "the parameters take");
}

static bool reach_local(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  r->base = host_address(w->local);
  r->stride = w->stack_bytes;
  return check_bounds(w, in, r, w->stack_bytes, "the thread's stack has");
}

/* Within the CTA's shared memory, or behind it where a GPU answers: then it is a stray access and is recorded. False after a fault. */
static bool permit_shared(const struct exec_touch *t, const struct exec_cta *cta, bool *stray) {
  bool strict = t->w->grid->device->strict;
  uint64_t size = cta->shared_bytes, end = strict ? size : exec_shared_mapped(cta);
  *stray = t->addr > size || t->bytes > size - t->addr;
  if (t->addr <= end && t->bytes <= end - t->addr) return true;
  exec_blame_outside_shared(t);
  return false;
}

/* The slow way, for lanes that may be outside. */
static bool check_shared(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r) {
  struct exec_touch first_stray = {.w = NULL};
  unsigned strays = 0;
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    struct exec_touch t = place_of(w, in, r, (unsigned)__builtin_ctz(m));
    bool stray;
    if (!permit_shared(&t, r->cta, &stray)) return false;
    if (stray && !strays++) first_stray = t;
  }
  if (strays) exec_note_stray(&first_stray, strays);
  return true;
}

static bool reach_shared(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  if (!r->cta) {
    struct exec_touch p = place_of(w, in, r, (unsigned)__builtin_ctz(r->lanes));
    exec_blame_space(&p, "there is no such CTA in the cluster, or it has ended");
    return false;
  }
  r->base = host_address(r->cta->shared);
  return inside(r, 0, r->cta->shared_bytes) || check_shared(w, in, r);
}

static void show(const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t) {
  const struct exec_observer *o = exec_observer(w);
  if ((t->space == PTX_GLOBAL || t->space == PTX_SHARED) && t->op != EXEC_PREFETCH) o->touch(o->user, w, in, t);
}

static void show_reach(const struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r) {
  struct exec_shown t = {r->space, r->op,    r->pattern == EXEC_SAME, r->pattern == EXEC_CONSECUTIVE && r->lanes == EXEC_ALL_LANES,
                         r->lanes, r->bytes, r->addr, r->cta};
  show(w, in, &t);
}

/* r->addr, lanes, space and pattern are set: checks them and says where they are on the host. */
static bool find_space(struct exec_warp *w, const struct exec_inst *in, uint8_t area, uint64_t low,
                       struct exec_reach *r) {
  r->base = 0;
  r->stride = 0;
  if (!aligned(w, in, r, low)) return false;
  switch (r->space) {
  case PTX_SHARED: return reach_shared(w, in, r);
  case PTX_LOCAL: return reach_local(w, in, r);
  case PTX_PARAM: return reach_param(w, in, area, r);
  default: return check_reached(w, in, r);
  }
}

static void note_write(const struct exec_warp *w, const struct exec_reach *r) {
  struct exec_view *v = w->cta->view;
  if (r->pattern == EXEC_CONSECUTIVE && r->lanes == EXEC_ALL_LANES) {
    v->write(v, r->addr[0], (uint64_t)EXEC_LANES * r->bytes);
    return;
  }
  for (uint32_t m = r->lanes; m; m &= m - 1) v->write(v, r->addr[__builtin_ctz(m)], r->bytes);
}

static bool reach_space(struct exec_warp *w, const struct exec_inst *in, uint8_t area, uint64_t low,
                        struct exec_reach *r) {
  if (!find_space(w, in, area, low, r)) return false;
  if (exec_observer(w)) show_reach(w, in, r);
  if (w->cta->view && r->space == PTX_GLOBAL && writes(r->op)) note_write(w, r);
  return true;
}

/* Keeps, of the lanes in shared memory, those in the same CTA as the first. Returns where that CTA's addresses begin. */
static uint64_t keep_one_cta(const struct exec_warp *w, struct exec_reach *r) {
  uint64_t offset, first = r->all[__builtin_ctz(r->lanes)] - EXEC_SHARED_WINDOW, block = first >> EXEC_RANK_SHIFT;
  for (uint32_t m = r->lanes; m; m &= m - 1)
    if ((r->all[__builtin_ctz(m)] - EXEC_SHARED_WINDOW) >> EXEC_RANK_SHIFT != block) r->lanes &= ~(m & -m);
  r->cta = exec_cluster_cta(w, first, &offset);
  if (r->cta != w->cta) r->remote |= r->lanes;
  return EXEC_SHARED_WINDOW + (block << EXEC_RANK_SHIFT);
}

/* Lanes in several spaces: takes the lanes of one space, global memory first, and leaves the others in r->rest. */
bool exec_reach_rest(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  static const uint8_t order[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM};
  uint32_t todo = r->rest;
  r->lanes = 0;
  for (unsigned k = 0; !r->lanes; k++) {
    r->space = order[k];
    for (uint32_t m = todo; m; m &= m - 1)
      if (space_of(r->all[__builtin_ctz(m)]) == r->space) r->lanes |= m & -m;
  }
  uint64_t window = r->space == PTX_SHARED ? keep_one_cta(w, r) : window_of(r->space);
  r->rest = todo & ~r->lanes;
  unsigned first = (unsigned)__builtin_ctz(r->lanes);
  for (unsigned i = 0; i < EXEC_LANES; i++) r->part[i] = r->all[r->lanes >> i & 1 ? i : first] - window;
  for (uint32_t m = r->lanes; m; m &= m - 1) r->all[__builtin_ctz(m)] -= window;
  r->addr = r->part;
  struct exec_shape s = r->host_lanes->form_wide(r->part, 0, r->bytes, EXEC_ALL_LANES, r->part);
  r->pattern = pattern_of(&s);
  return reach_space(w, in, EXEC_AREA_SPACE, s.bits, r);
}

/* If all lanes of a generic access are in one 16 MiB block, they are in one space, and in one CTA's memory if that is shared memory. Then
 * returns true, and addr is translated. */
static bool one_space(const struct exec_warp *w, struct exec_reach *r, uint64_t *restrict addr, uint64_t differ) {
  _Static_assert(EXEC_SHARED_WINDOW_BYTES == 1 << 24 && EXEC_LOCAL_WINDOW_BYTES == 1 << 24 &&
                     EXEC_PARAM_WINDOW_BYTES == 1 << 24,
                 "the block's size");
  r->space = space_of(addr[0]);
  if (differ >> 24) { /* arrays of global memory cross blocks: is any lane in a window? */
    for (unsigned i = 0; i < EXEC_LANES; i++)
      if (space_of(addr[i]) != r->space) return false;
    if (r->space == PTX_SHARED) return false;
  }
  if (r->space == PTX_GLOBAL) return true;
  uint64_t window = r->space == PTX_SHARED ? keep_one_cta(w, r) : window_of(r->space);
  for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] -= window;
  return true;
}

bool exec_reach(struct exec_warp *w, const struct exec_inst *in, const struct exec_where *where,
                enum exec_access_op op, uint32_t bytes, uint64_t addr[EXEC_LANES], struct exec_reach *r) {
  struct exec_shape s = form(w, where, bytes, addr);
  r->host_lanes = where->lanes;
  r->lanes = w->mask;
  r->rest = 0;
  r->space = where->space;
  r->op = (uint8_t)op;
  r->bytes = bytes;
  r->addr = r->all = addr;
  r->pattern = pattern_of(&s);
  r->remote = 0;
  r->cta = w->cta;
  if (where->space == PTX_GENERIC && !one_space(w, r, addr, s.differ)) {
    r->rest = w->mask;
    return exec_reach_rest(w, in, r);
  }
  if (where->space == PTX_SHARED && s.bits >> EXEC_RANK_SHIFT && s.bits < EXEC_CLUSTER_WINDOW_BYTES) {
    for (unsigned i = 0; i < EXEC_LANES; i++) addr[i] += EXEC_SHARED_WINDOW;
    r->rest = w->mask;
    return exec_reach_rest(w, in, r);
  }
  return reach_space(w, in, where->area, s.bits, r);
}

static bool holds(const struct exec_alloc_range *r, uint64_t addr) { return addr - r->base < r->end - r->base; }

static struct exec_window own_param_window(const struct exec_frame *f, bool calls) {
  uint32_t bytes = calls ? exec_call_param_stride(f->func->ptx) : exec_param_stride(f->func->ptx);
  return (struct exec_window){host_address(calls ? f->call_params : f->params), 0, bytes, bytes};
}

/* The window of a generic address that is not global: the CTA's own shared memory or the threads' stacks. */
static bool window_of_generic(const struct exec_warp *w, uint64_t first, struct exec_window *at) {
  if (first - EXEC_SHARED_WINDOW < EXEC_SHARED_WINDOW_BYTES)
    *at = (struct exec_window){host_address(w->cta->shared) - EXEC_SHARED_WINDOW, EXEC_SHARED_WINDOW, w->cta->shared_bytes, 0};
  else if (first - EXEC_LOCAL_WINDOW < EXEC_LOCAL_WINDOW_BYTES)
    *at = (struct exec_window){host_address(w->local) - EXEC_LOCAL_WINDOW, EXEC_LOCAL_WINDOW, w->stack_bytes, w->stack_bytes};
  else return false;
  return true;
}

static bool global_window(const struct exec_warp *w, uint64_t first, bool writes, struct exec_window *at) {
  struct exec_range_memo *memo = &w->cta->memo;
  unsigned own = w->pc % EXEC_MEMO, place = own;
  if (!holds(&memo->at[own].range, first)) { /* another instruction's */
    for (place = 0; place < EXEC_MEMO && !holds(&memo->at[place].range, first);) place++;
    if (place == EXEC_MEMO) return false;
    memo->at[own] = memo->at[place];
  }
  if (memo->mem != w->grid->device->mem || memo->version != exec_mem_version(memo->mem)) return false;
  *at = (struct exec_window){0, memo->at[own].range.base, memo->at[own].range.end - memo->at[own].range.base, 0};
  return !writes || memo->at[own].writable;
}

bool exec_known_window(const struct exec_warp *w, const struct exec_where *x, bool writes, struct exec_window *at) {
  switch (x->space) {
  case PTX_SHARED: *at = (struct exec_window){host_address(w->cta->shared), 0, w->cta->shared_bytes, 0}; return true;
  case PTX_LOCAL: *at = (struct exec_window){host_address(w->local), 0, w->stack_bytes, w->stack_bytes}; return true;
  case PTX_PARAM: *at = own_param_window(w->frame, x->area == EXEC_AREA_CALLS); return true;
  default: break;
  }
  uint64_t first = x->base.file == EXEC_FNONE ? (uint64_t)x->offset : exec_lane_address(w, x, (unsigned)__builtin_ctz(w->mask));
  return (x->space == PTX_GENERIC && window_of_generic(w, first, at)) || global_window(w, first, writes, at);
}

/* ---- single blocks and hints -------------------------------------------------------------------------- */

/* The CTA of an access to shared memory; the access's address becomes the offset there. NULL after a fault. */
static struct exec_cta *touched_cta(struct exec_touch *p) {
  uint64_t offset;
  struct exec_cta *cta = exec_cluster_cta(p->w, p->addr, &offset);
  if (!cta) exec_blame_space(p, "there is no such CTA in the cluster, or it has ended");
  p->addr = offset;
  return cta;
}

static unsigned char *find_shared(struct exec_touch *p) {
  const struct exec_cta *cta = touched_cta(p);
  if (!cta) return NULL;
  bool stray;
  if (!permit_shared(p, cta, &stray)) return NULL;
  if (stray) exec_note_stray(p, 1);
  return cta->shared + p->addr;
}

static unsigned char *find_block(struct exec_warp *w, const struct exec_inst *in, unsigned lane, enum ptx_space space,
                                 enum exec_access_op op, uint64_t addr, uint64_t bytes, uint32_t align) {
  struct exec_touch p = {w, in, lane, (uint8_t)op, (uint8_t)space, addr, bytes};
  if (addr & (align - 1)) {
    exec_blame_misaligned(&p, align);
    return NULL;
  }
  if (space == PTX_SHARED) return find_shared(&p);
  struct permit to;
  if (bytes && !permitted(&p, &to)) return NULL;
  if (bytes && to.stray) exec_note_stray(&p, 1);
  return exec_mem_ptr(addr);
}

unsigned char *exec_reach_block(struct exec_warp *w, const struct exec_inst *in, unsigned lane,
                                enum ptx_space space, enum exec_access_op op, uint64_t addr, uint64_t bytes,
                                uint32_t align) {
  unsigned char *at = find_block(w, in, lane, space, op, addr, bytes, align);
  if (at && w->cta->view && space == PTX_GLOBAL && writes((uint8_t)op)) w->cta->view->write(w->cta->view, addr, bytes);
  if (at && bytes && exec_observer(w)) {
    uint64_t all[EXEC_LANES] = {0};
    const struct exec_cta *cta = space == PTX_SHARED ? exec_cluster_cta(w, addr, &all[lane]) : w->cta;
    if (space != PTX_SHARED) all[lane] = addr;
    show(w, in, &(struct exec_shown){(uint8_t)space, (uint8_t)op, true, false, UINT32_C(1) << lane, bytes, all, cta});
  }
  return at;
}

void exec_form_addresses(const struct exec_warp *w, const struct exec_where *where,
                         uint64_t addr[EXEC_LANES]) {
  form(w, where, 1, addr);
}

uint32_t exec_reach_hint(const struct exec_warp *w, const struct exec_where *where,
                         uint64_t addr[EXEC_LANES]) {
  const struct exec_mem *mem = w->grid->device->mem;
  uint32_t good = 0;
  form(w, where, 1, addr);
  for (uint32_t m = w->mask; m; m &= m - 1)
    if (exec_mem_find(mem, addr[__builtin_ctz(m)], NULL)) good |= m & -m;
  return good;
}
