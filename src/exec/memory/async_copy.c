/* Asynchronous copies: cp.async, and cp.async.bulk between global and shared memory, also of other CTAs of the cluster.
 *
 * A copy is done when its instruction executes, so groups are always complete: commit and wait have no effect on values. An mbarrier is
 * signalled at once, or on the timed GPU when the bytes arrive (mbarrier.c). What was read is left in w->access, marked as asynchronous;
 * the lines of bulk copies are in w->sent.
 *
 * Refused by name: byte masks. Tensor copies are in tensor_copy.c. */
#include "exec/run/cta_cluster.h"
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/observe.h"

#include <string.h>

static unsigned first_lane(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

static uint32_t value32(const struct exec_warp *w, struct exec_opnd o, unsigned lane) {
  return ((const uint32_t *)exec_row(w, o))[lane];
}

/* ---- cp.async ----------------------------------------------------------------------------------------- */

struct copy_inst { /* aux */
  struct exec_where to, from;
  struct exec_opnd source_bytes; /* fewer bytes to read, the rest zeros; EXEC_FNONE: all */
  struct exec_opnd ignore;       /* predicate: all zeros; EXEC_FNONE: never */
  uint8_t bytes, cache;
};

static uint32_t bytes_to_read(const struct exec_warp *w, const struct copy_inst *x, unsigned lane) {
  if (x->ignore.file != EXEC_FNONE && exec_pred(w, x->ignore) >> lane & 1) return 0;
  if (x->source_bytes.file == EXEC_FNONE) return x->bytes;
  uint32_t n = value32(w, x->source_bytes, lane);
  return n < x->bytes ? n : x->bytes;
}

static void note_copy(struct exec_warp *w, const struct copy_inst *x, uint32_t lanes) {
  struct exec_reach r = {.lanes = lanes, .space = PTX_GLOBAL};
  exec_note_access(w, EXEC_LOAD, (enum exec_cache_op)x->cache, x->bytes, &r);
  w->access.async = true;
}

/* Lanes that read only a part; the rest of the source need not exist. */
static void copy_parts(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *to) {
  const struct copy_inst *x = in->aux;
  uint32_t lanes = 0;
  exec_form_addresses(w, &x->from, w->access.addr);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = first_lane(m);
    uint32_t n = bytes_to_read(w, x, lane);
    unsigned char *p = exec_host(to, lane);
    if (n) {
      const unsigned char *s = exec_reach_block(w, in, lane, (enum ptx_space)x->from.space, EXEC_LOAD,
                                                w->access.addr[lane], n, x->bytes);
      if (!s) return;
      memcpy(p, s, n);
      lanes |= UINT32_C(1) << lane;
    }
    memset(p + n, 0, x->bytes - n);
  }
  note_copy(w, x, lanes);
}

static bool reads_all(const struct exec_warp *w, const struct copy_inst *x) {
  bool all = true;
  if (x->ignore.file == EXEC_FNONE && x->source_bytes.file == EXEC_FNONE) return true;
  for (uint32_t m = w->mask; m; m &= m - 1) all &= bytes_to_read(w, x, first_lane(m)) == x->bytes;
  return all;
}

/* `bytes` is a compile-time constant. */
static void copy_whole(const struct exec_reach *to, const struct exec_reach *from, unsigned bytes) {
  bool in_a_row = to->pattern == EXEC_CONSECUTIVE && from->pattern == EXEC_CONSECUTIVE && to->lanes == EXEC_ALL_LANES;
  if (in_a_row && from->lanes == EXEC_ALL_LANES) {
    memcpy(exec_host(to, 0), exec_host(from, 0), (size_t)EXEC_LANES * bytes);
    return;
  }
  for (uint32_t m = from->lanes; m; m &= m - 1) {
    unsigned char *p = exec_host(to, first_lane(m));
    const unsigned char *q = exec_host(from, first_lane(m));
    if (bytes == 16) memcpy(p, q, 16);
    else if (bytes == 8) memcpy(p, q, 8);
    else memcpy(p, q, 4);
  }
}

static void run_copy(struct exec_warp *w, const struct exec_inst *in) {
  const struct copy_inst *x = in->aux;
  struct exec_reach to, from;
  uint64_t to_addr[EXEC_LANES];
  if (!exec_reach(w, in, &x->to, EXEC_STORE, x->bytes, to_addr, &to)) return;
  if (!reads_all(w, x)) {
    copy_parts(w, in, &to);
    return;
  }
  if (!exec_reach(w, in, &x->from, EXEC_LOAD, x->bytes, w->access.addr, &from)) return;
  note_copy(w, x, w->mask);
  copy_whole(&to, &from, x->bytes);
}

/* Commits and waits. */
static void run_group(struct exec_warp *w, const struct exec_inst *in) {
  if (exec_observer(w)) exec_observer(w)->order(exec_observer(w)->user, w, in);
}

/* ---- cp.async.bulk ------------------------------------------------------------------------------------ */

struct bulk_inst { /* aux */
  struct exec_where to, from, barrier;
  struct exec_opnd bytes;
  struct exec_opnd ctas; /* mask of the destination CTAs; EXEC_FNONE: the address alone decides */
  bool signals;       /* an mbarrier is signalled */
  uint8_t size;       /* of an element, of reductions */
  exec_rmw_fn reduce; /* NULL: a plain copy */
};

enum { LINE = 128, SECTOR = 32 };

void exec_send_lines(struct exec_warp *w, uint64_t addr, uint64_t bytes) {
  struct exec_sent *sent = &w->sent;
  if (!w->grid->timed || !bytes) return;
  uint64_t end = addr + bytes;
  for (uint64_t line = addr & ~(uint64_t)(LINE - 1); line < end; line += LINE) {
    uint64_t from = line > addr ? line : addr, to = line + LINE < end ? line + LINE : end;
    unsigned first = (unsigned)(from - line) / SECTOR, last = (unsigned)(to - 1 - line) / SECTOR;
    uint8_t sectors = (uint8_t)((2u << last) - (1u << first));
    if (sent->n_lines && sent->lines[sent->n_lines - 1].line == line) {
      sent->lines[sent->n_lines - 1].sectors |= sectors;
      continue;
    }
    GROW(sent->lines, sent->line_capacity, sent->n_lines + 1);
    sent->lines[sent->n_lines++] = (struct exec_line){line, sectors};
  }
}

void exec_note_bulk(struct exec_warp *w, uint64_t addr, enum exec_access_op op) {
  struct exec_reach r = {.lanes = 1, .space = PTX_GLOBAL};
  bool signals = w->grid->timed && w->sent.n_signals;
  w->access.addr[0] = addr;
  exec_note_access(w, op, EXEC_CACHE_GLOBAL, LINE, &r);
  w->access.async = w->access.bulk = true;
  w->access.signals = signals;
}

/* Elements are treated as the lanes of an atomic operation, 32 at a time. */
void exec_reduce_block(const struct exec_warp *w, exec_rmw_fn reduce, uint32_t size, unsigned char *to, const unsigned char *from,
                       uint32_t bytes) {
  uint32_t done = 0, row32[EXEC_LANES];
  uint64_t row64[EXEC_LANES], offsets[EXEC_LANES];
  for (uint32_t i = 0; i < EXEC_LANES; i++) offsets[i] = i * size;
  while (done < bytes) {
    uint32_t left = (bytes - done) / size, n = left < EXEC_LANES ? left : EXEC_LANES;
    struct exec_reach r = {.lanes = n == EXEC_LANES ? EXEC_ALL_LANES : (UINT32_C(1) << n) - 1,
                           .base = (uint64_t)(uintptr_t)(to + done),
                           .concurrent = w->grid->concurrent,
                           .addr = offsets};
    for (uint32_t i = 0; i < n; i++) {
      row64[i] = 0;
      memcpy(&row64[i], from + done + i * size, size);
      row32[i] = (uint32_t)row64[i];
    }
    reduce(&r, 0, NULL, size == 8 ? (void *)row64 : row32, NULL);
    done += n * size;
  }
}

/* A copy within shared memory, of this or another CTA: an access of all lanes to 16 bytes each, repeated as often as necessary. */
static void note_across(struct exec_warp *w, uint64_t to, uint32_t bytes) {
  struct exec_reach r = {.lanes = EXEC_ALL_LANES, .space = PTX_SHARED};
  bool signals = w->grid->timed && w->sent.n_signals;
  uint64_t offset;
  r.remote = exec_cluster_cta(w, to, &offset) == w->cta ? 0 : EXEC_ALL_LANES;
  for (unsigned i = 0; i < EXEC_LANES; i++) w->access.addr[i] = offset + i * 16;
  exec_note_access(w, EXEC_STORE, EXEC_CACHE_ALL, 16, &r);
  w->access.async = true;
  w->access.signals = signals;
  w->access.times = bytes / (16 * EXEC_LANES);
}

/* One lane's copy. */
struct bulk {
  struct exec_warp *w;
  const struct exec_inst *in;
  unsigned lane;
  uint64_t to, from, barrier;
  uint32_t bytes;
};

static bool bulk_block(const struct bulk *b) {
  const struct bulk_inst *x = b->in->aux;
  unsigned char *d = exec_reach_block(b->w, b->in, b->lane, (enum ptx_space)x->to.space, EXEC_STORE, b->to, b->bytes, 16);
  if (!d) return false;
  const unsigned char *s = exec_reach_block(b->w, b->in, b->lane, (enum ptx_space)x->from.space, EXEC_LOAD, b->from, b->bytes, 16);
  if (!s) return false;
  if (x->reduce) exec_reduce_block(b->w, x->reduce, x->size, d, s, b->bytes);
  else memmove(d, s, b->bytes);
  return !x->signals || exec_mbarrier_complete(b->w, b->in, b->lane, b->barrier, b->bytes);
}

/* Copies to the same offset in every CTA of the mask; the mbarrier at the same offset in each is signalled. */
static bool bulk_to_many(struct bulk b, uint32_t mask) {
  uint64_t to = b.to, barrier = b.barrier;
  for (; mask; mask &= mask - 1) {
    b.to = exec_cluster_address(to, first_lane(mask));
    b.barrier = exec_cluster_address(barrier, first_lane(mask));
    if (!bulk_block(&b)) return false;
  }
  return true;
}

static void run_bulk(struct exec_warp *w, const struct exec_inst *in) {
  const struct bulk_inst *x = in->aux;
  uint64_t to[EXEC_LANES], from[EXEC_LANES], barrier[EXEC_LANES] = {0};
  bool load = x->from.space == PTX_GLOBAL;
  exec_form_addresses(w, &x->to, to);
  exec_form_addresses(w, &x->from, from);
  if (x->signals) exec_form_addresses(w, &x->barrier, barrier);
  exec_send_begin(w);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = first_lane(m);
    struct bulk b = {w, in, lane, to[lane], from[lane], barrier[lane], value32(w, x->bytes, lane)};
    if (b.bytes % 16) {
      exec_fault(w, in, EXEC_FAULT_MISALIGNED, lane,
                 "a bulk copy of %u bytes: the size must be a multiple of 16", b.bytes);
      return;
    }
    bool many = x->ctas.file != EXEC_FNONE;
    if (many ? !bulk_to_many(b, value32(w, x->ctas, lane) & 0xffff) : !bulk_block(&b)) return;
    if (load || x->to.space == PTX_GLOBAL) exec_send_lines(w, load ? b.from : b.to, b.bytes);
  }
  unsigned first = first_lane(w->mask);
  enum exec_access_op op = load ? EXEC_LOAD : x->reduce ? EXEC_REDUCE : EXEC_STORE;
  if (load || x->to.space == PTX_GLOBAL) exec_note_bulk(w, load ? from[first] : to[first], op);
  else note_across(w, to[first], value32(w, x->bytes, first));
}

static void run_bulk_prefetch(struct exec_warp *w, const struct exec_inst *in) {
  const struct bulk_inst *x = in->aux;
  uint64_t from[EXEC_LANES];
  uint32_t lanes = exec_reach_hint(w, &x->from, from);
  exec_send_begin(w);
  for (uint32_t m = lanes; m; m &= m - 1) exec_send_lines(w, from[first_lane(m)], value32(w, x->bytes, first_lane(m)));
  if (lanes) exec_note_bulk(w, from[first_lane(lanes)], EXEC_PREFETCH);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

/* The optional operand of cp.async: bytes to read, or the predicate that says to read nothing. */
static bool decode_partial(struct exec_decoder *d, const struct ptx_inst *pi, struct copy_inst *x) {
  unsigned n = pi->n_ops - (ptx_has(pi, PTX_M_L2__cache_hint) ? 1u : 0u);
  x->ignore.file = x->source_bytes.file = EXEC_FNONE;
  if (n <= 3) return true;
  const struct ptx_opnd *o = &pi->ops[3];
  if (o->kind == PTX_O_REG && d->pf->regs[o->reg].type == PTX_PRED)
    return exec_decode_value(d, pi, o, PTX_PRED, &x->ignore);
  return exec_decode_value(d, pi, o, PTX_U32, &x->source_bytes);
}

static bool decode_copy(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct copy_inst *x = ARENA_NEW(d->arena, struct copy_inst);
  bool all = ptx_has(pi, PTX_M_ca);
  if (pi->n_ops < 3 || pi->ops[2].kind != PTX_O_INT)
    return exec_refuse(d, pi, "the copy size must be a number");
  int64_t bytes = pi->ops[2].imm;
  if (bytes != 16 && !(all && (bytes == 4 || bytes == 8)))
    return exec_refuse(d, pi, all ? "the copy size must be 4, 8 or 16" : "the copy size must be 16");
  x->bytes = (uint8_t)bytes;
  x->cache = all ? EXEC_CACHE_ALL : EXEC_CACHE_GLOBAL;
  if (!exec_decode_where(d, pi, &pi->ops[0], PTX_SHARED, &x->to) ||
      !exec_decode_where(d, pi, &pi->ops[1], PTX_GLOBAL, &x->from) || !decode_partial(d, pi, x))
    return false;
  exec_fill_memory(out, run_copy, x, x->bytes, PTX_GLOBAL);
  return true;
}

static bool decode_bulk_prefetch(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct bulk_inst *x = ARENA_NEW(d->arena, struct bulk_inst);
  if (pi->n_ops < 2) return exec_refuse(d, pi, "operands are missing");
  exec_fill_memory(out, run_bulk_prefetch, x, 16, PTX_GLOBAL);
  return exec_decode_where(d, pi, &pi->ops[0], PTX_GLOBAL, &x->from) &&
         exec_decode_value(d, pi, &pi->ops[1], PTX_U32, &x->bytes);
}

static bool decode_bulk(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct bulk_inst *x = ARENA_NEW(d->arena, struct bulk_inst);
  enum ptx_space to = (enum ptx_space)pi->space, from = (enum ptx_space)pi->space2;
  bool many = ptx_has(pi, PTX_M_multicast__cluster);
  x->ctas.file = EXEC_FNONE;
  if (ptx_has(pi, PTX_M_cp_mask)) return exec_refuse(d, pi, "byte masks are not modelled");
  x->signals = ptx_has(pi, PTX_M_mbarrier__complete_tx__bytes);
  bool known = x->signals ? to == PTX_SHARED && (from == PTX_GLOBAL || from == PTX_SHARED)
                          : to == PTX_GLOBAL && from == PTX_SHARED && ptx_has(pi, PTX_M_bulk_group);
  if (!known) return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops < 3u + x->signals + many) return exec_refuse(d, pi, "operands are missing");
  if (!exec_decode_where(d, pi, &pi->ops[0], to, &x->to) ||
      !exec_decode_where(d, pi, &pi->ops[1], from, &x->from) ||
      !exec_decode_value(d, pi, &pi->ops[2], PTX_U32, &x->bytes))
    return false;
  if (x->signals && !exec_decode_where(d, pi, &pi->ops[3], PTX_SHARED, &x->barrier)) return false;
  if (many && !exec_decode_value(d, pi, &pi->ops[4], PTX_U16, &x->ctas)) return false;
  if (ptx_has(pi, PTX_M_reduce)) {
    x->reduce = exec_bulk_reduction(pi, to == PTX_SHARED);
    if (!x->reduce) return exec_refuse(d, pi, "there is no such reduction for this type");
    x->size = (uint8_t)(ptx_type_bits((enum ptx_type)pi->types[0]) / 8);
  }
  exec_fill_memory(out, run_bulk, x, 16, PTX_GLOBAL);
  return true;
}

static bool decode_cp(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_tensor)) return exec_decode_tensor_copy(d, pi, out);
  if (ptx_has(pi, PTX_M_commit_group) || ptx_has(pi, PTX_M_wait_group) || ptx_has(pi, PTX_M_wait_all)) {
    out->fn = run_group;
    out->unit = EXEC_U_FENCE;
    return true;
  }
  if (ptx_has(pi, PTX_M_mbarrier)) return exec_decode_copy_arrive(d, pi, out);
  if (!ptx_has(pi, PTX_M_bulk)) return decode_copy(d, pi, out);
  return ptx_has(pi, PTX_M_prefetch) ? decode_bulk_prefetch(d, pi, out) : decode_bulk(d, pi, out);
}

bool exec_decode_async(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->op == PTX_OP_mbarrier) return exec_decode_mbarrier(d, pi, out);
  if (pi->op == PTX_OP_cp) return decode_cp(d, pi, out);
  if (pi->op == PTX_OP_tensormap) return exec_decode_tensor_map(d, pi, out);
  return exec_refuse(d, pi, "it is not modelled");
}
