/* Asynchronous copies and their barriers: cp.async, cp.async.bulk between global and shared memory, and
 * mbarrier.
 *
 * A copy is done when its instruction executes, so groups are always complete and an mbarrier hears of its
 * bytes at once: commit and wait have no effect on values. What was read is left in w->access, marked
 * asynchronous.
 *
 * An mbarrier is the 64-bit number in shared memory that the ISA calls opaque. Here:
 *   bits 0..19 expected arrivals, 20..39 arrivals still pending, 40..60 pending bytes (signed), 61..63 phase.
 * The state that an arrival returns is the number before the arrival. More arrivals than are pending are
 * undefined by the ISA; here they are a fault.
 *
 * Simplified: w->access describes at most 32 lines of 128 bytes of a bulk copy, and those of the first lane
 * only. Refused by name: multicast to a cluster, byte masks. Tensor copies are in tensor_copy.c. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/observe.h"

#include <string.h>

static unsigned first_lane(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

static uint32_t value32(const struct exec_warp *w, struct exec_opnd o, unsigned lane) {
  return ((const uint32_t *)exec_row(w, o))[lane];
}

/* ---- mbarrier objects --------------------------------------------------------------------------------- */

enum { COUNT_BITS = 20, TX_BITS = 21, PHASE_BITS = 3, MAX_COUNT = (1 << COUNT_BITS) - 1 };
enum { PENDING_AT = COUNT_BITS, TX_AT = 2 * COUNT_BITS, PHASE_AT = TX_AT + TX_BITS };

struct mbarrier {
  uint32_t expected, pending, phase;
  int32_t tx;
};

static uint32_t field(uint64_t bits, int at, int n) {
  return (uint32_t)(bits >> at & ((UINT64_C(1) << n) - 1));
}

static struct mbarrier unpack(uint64_t bits) {
  uint32_t tx = field(bits, TX_AT, TX_BITS);
  return (struct mbarrier){.expected = field(bits, 0, COUNT_BITS),
                           .pending = field(bits, PENDING_AT, COUNT_BITS),
                           .phase = field(bits, PHASE_AT, PHASE_BITS),
                           .tx = (int32_t)(tx << (32 - TX_BITS)) >> (32 - TX_BITS)};
}

static uint64_t pack(const struct mbarrier *b) {
  uint64_t tx = (uint32_t)b->tx & ((1u << TX_BITS) - 1), phase = b->phase & ((1u << PHASE_BITS) - 1);
  return b->expected | (uint64_t)b->pending << PENDING_AT | tx << TX_AT | phase << PHASE_AT;
}

/* The phase ends when nobody and nothing is pending any more. */
static void settle(struct mbarrier *b) {
  if (b->pending || b->tx) return;
  b->phase++;
  b->pending = b->expected;
}

static void arrive(struct mbarrier *b, uint32_t count, bool drop) {
  b->pending -= count;
  if (drop) b->expected -= count;
  settle(b);
}

/* ---- mbarrier instructions ---------------------------------------------------------------------------- */

enum mbarrier_op {
  MB_INIT,
  MB_INVAL,
  MB_ARRIVE,
  MB_ARRIVE_DROP,
  MB_EXPECT_TX,
  MB_COMPLETE_TX,
  MB_WAIT,
  MB_WAIT_PARITY,
  MB_COPY_ARRIVE /* cp.async.mbarrier.arrive */,
  MB_COPY_ARRIVE_NOINC
};

struct mbarrier_inst { /* aux */
  struct exec_where where;
  struct exec_opnd count; /* count, bytes, state or parity; EXEC_FNONE: 1 */
  uint8_t op;
  bool expects; /* arrive.expect_tx: count is bytes, and one arrival follows */
};

static bool fault_overrun(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint32_t count,
                          uint32_t pending) {
  exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, lane,
             "%u arrival%s at an mbarrier that has %u pending in this phase", count, count == 1 ? "" : "s",
             pending);
  return false;
}

/* One lane's operation. `value` is its operand; *result receives what goes to the destination. */
static bool apply(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint64_t *object,
                  uint64_t value, uint64_t *result) {
  const struct mbarrier_inst *x = in->aux;
  struct mbarrier b = unpack(*object);
  uint32_t n = (uint32_t)value, count = x->expects ? 1 : n;
  *result = *object;
  switch (x->op) {
  case MB_INIT:
    if (!n || n > MAX_COUNT) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, lane,
                 "an mbarrier for %u arrivals: 1 to %d are possible", n, MAX_COUNT);
      return false;
    }
    b = (struct mbarrier){.expected = n, .pending = n};
    break;
  case MB_INVAL: b = (struct mbarrier){0}; break;
  case MB_ARRIVE:
  case MB_ARRIVE_DROP:
    if (x->expects) b.tx += (int32_t)n;
    if (count > b.pending) return fault_overrun(w, in, lane, count, b.pending);
    arrive(&b, count, x->op == MB_ARRIVE_DROP);
    break;
  case MB_EXPECT_TX: b.tx += (int32_t)n; break;
  case MB_COMPLETE_TX:
    b.tx -= (int32_t)n;
    settle(&b);
    break;
  case MB_WAIT: *result = b.phase != unpack(value).phase; return true;
  case MB_WAIT_PARITY: *result = (b.phase & 1) != (n & 1); return true;
  case MB_COPY_ARRIVE: return true; /* one arrival more is pending, and has come */
  default:
    if (!b.pending) return fault_overrun(w, in, lane, 1, 0);
    arrive(&b, 1, false);
  }
  *object = pack(&b);
  return true;
}

static uint64_t operand_value(const struct exec_warp *w, const struct mbarrier_inst *x, unsigned lane) {
  if (x->count.file == EXEC_FNONE) return 1;
  if (x->op == MB_WAIT) return ((const uint64_t *)exec_row(w, x->count))[lane];
  return value32(w, x->count, lane);
}

static void give_result(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint64_t result) {
  if (in->d.file == EXEC_F64) ((uint64_t *)exec_row(w, in->d))[lane] = result;
  if (in->d.file != EXEC_FPRED) return;
  uint32_t *p = exec_row(w, in->d), bit = UINT32_C(1) << lane;
  *p = result ? *p | bit : *p & ~bit;
}

static void run_mbarrier(struct exec_warp *w, const struct exec_inst *in) {
  const struct mbarrier_inst *x = in->aux;
  enum exec_access_op op = x->op == MB_WAIT || x->op == MB_WAIT_PARITY ? EXEC_LOAD : EXEC_ATOMIC;
  struct exec_reach r;
  if (!exec_reach(w, in, &x->where, op, 8, w->access.addr, &r)) return;
  exec_note_access(w, op, EXEC_CACHE_ALL, 8, &r);
  if (r.space != PTX_SHARED || r.rest) {
    exec_fault(w, in, EXEC_FAULT_ADDRESS_SPACE, first_lane(w->mask), "an mbarrier must be in shared memory");
    return;
  }
  for (uint32_t m = r.lanes; m; m &= m - 1) {
    unsigned lane = first_lane(m);
    uint64_t object, result;
    memcpy(&object, exec_host(&r, lane), sizeof object);
    if (!apply(w, in, lane, &object, operand_value(w, x, lane), &result)) return;
    memcpy(exec_host(&r, lane), &object, sizeof object);
    give_result(w, in, lane, result);
  }
}

static void run_pending_count(struct exec_warp *w, const struct exec_inst *in) {
  if (in->d.file == EXEC_FNONE) return;
  uint32_t *d = exec_row(w, in->d);
  const uint64_t *state = exec_row(w, in->a);
  for (uint32_t m = w->mask; m; m &= m - 1) d[first_lane(m)] = unpack(state[first_lane(m)]).pending;
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

/* Lanes that read less than the whole: what is not read need not be there. */
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

static void run_copy(struct exec_warp *w, const struct exec_inst *in) {
  const struct copy_inst *x = in->aux;
  struct exec_reach to, from;
  uint64_t to_addr[EXEC_LANES];
  bool whole = true;
  if (!exec_reach(w, in, &x->to, EXEC_STORE, x->bytes, to_addr, &to)) return;
  for (uint32_t m = w->mask; m; m &= m - 1) whole &= bytes_to_read(w, x, first_lane(m)) == x->bytes;
  if (!whole) {
    copy_parts(w, in, &to);
    return;
  }
  if (!exec_reach(w, in, &x->from, EXEC_LOAD, x->bytes, w->access.addr, &from)) return;
  note_copy(w, x, w->mask);
  for (uint32_t m = w->mask; m; m &= m - 1)
    memcpy(exec_host(&to, first_lane(m)), exec_host(&from, first_lane(m)), x->bytes);
}

/* Commits and waits. */
static void run_group(struct exec_warp *w, const struct exec_inst *in) {
  if (exec_observer(w)) exec_observer(w)->order(exec_observer(w)->user, w, in);
}

/* ---- cp.async.bulk ------------------------------------------------------------------------------------ */

struct bulk_inst { /* aux */
  struct exec_where to, from, barrier;
  struct exec_opnd bytes;
  bool signals;       /* an mbarrier hears of the bytes */
  uint8_t size;       /* of an element, of reductions */
  exec_rmw_fn reduce; /* NULL: a plain copy */
};

enum { LINE = 128 };

/* The lines of the global side, as far as they fit. */
static void note_bulk(struct exec_warp *w, uint64_t addr, uint32_t bytes, enum exec_access_op op) {
  struct exec_access *a = &w->access;
  uint64_t first = addr & ~(uint64_t)(LINE - 1), end = addr + bytes;
  unsigned n = 0;
  for (uint64_t at = first; at < end && n < EXEC_LANES; at += LINE) a->addr[n++] = at;
  struct exec_reach r = {.lanes = n == EXEC_LANES ? EXEC_ALL_LANES : (UINT32_C(1) << n) - 1,
                         .space = PTX_GLOBAL};
  exec_note_access(w, op, EXEC_CACHE_GLOBAL, LINE, &r);
  a->async = true;
}

bool exec_mbarrier_complete(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint64_t addr, uint32_t bytes) {
  unsigned char *p = exec_reach_block(w, in, lane, PTX_SHARED, EXEC_ATOMIC, addr, 8, 8);
  if (!p) return false;
  uint64_t object;
  memcpy(&object, p, sizeof object);
  struct mbarrier b = unpack(object);
  b.tx -= (int32_t)bytes;
  settle(&b);
  object = pack(&b);
  memcpy(p, &object, sizeof object);
  return true;
}

/* Elements are treated as the lanes of an atomic operation, 32 at a time. */
static void reduce_block(const struct exec_warp *w, const struct bulk_inst *x, unsigned char *to,
                         const unsigned char *from, uint32_t bytes) {
  static const uint64_t offsets[EXEC_LANES];
  uint32_t done = 0, row32[EXEC_LANES];
  uint64_t row64[EXEC_LANES];
  while (done < bytes) {
    uint32_t left = (bytes - done) / x->size, n = left < EXEC_LANES ? left : EXEC_LANES;
    struct exec_reach r = {.lanes = n == EXEC_LANES ? EXEC_ALL_LANES : (UINT32_C(1) << n) - 1,
                           .base = (uint64_t)(uintptr_t)(to + done),
                           .stride = x->size,
                           .concurrent = w->grid->concurrent,
                           .addr = offsets};
    for (uint32_t i = 0; i < n; i++) {
      row64[i] = 0;
      memcpy(&row64[i], from + done + i * x->size, x->size);
      row32[i] = (uint32_t)row64[i];
    }
    x->reduce(&r, 0, NULL, x->size == 8 ? (void *)row64 : row32, NULL);
    done += n * x->size;
  }
}

static void run_bulk(struct exec_warp *w, const struct exec_inst *in) {
  const struct bulk_inst *x = in->aux;
  uint64_t to[EXEC_LANES], from[EXEC_LANES], barrier[EXEC_LANES];
  exec_form_addresses(w, &x->to, to);
  exec_form_addresses(w, &x->from, from);
  if (x->signals) exec_form_addresses(w, &x->barrier, barrier);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = first_lane(m);
    uint32_t bytes = value32(w, x->bytes, lane);
    if (bytes % 16) {
      exec_fault(w, in, EXEC_FAULT_MISALIGNED, lane,
                 "a bulk copy of %u bytes: the size must be a multiple of 16", bytes);
      return;
    }
    unsigned char *d =
        exec_reach_block(w, in, lane, (enum ptx_space)x->to.space, EXEC_STORE, to[lane], bytes, 16);
    if (!d) return;
    const unsigned char *s =
        exec_reach_block(w, in, lane, (enum ptx_space)x->from.space, EXEC_LOAD, from[lane], bytes, 16);
    if (!s) return;
    if (x->reduce)
      reduce_block(w, x, d, s, bytes);
    else
      memmove(d, s, bytes);
    if (x->signals && !exec_mbarrier_complete(w, in, lane, barrier[lane], bytes)) return;
  }
  unsigned first = first_lane(w->mask);
  bool load = x->from.space == PTX_GLOBAL;
  if (load || x->to.space == PTX_GLOBAL)
    note_bulk(w, load ? from[first] : to[first], value32(w, x->bytes, first), load ? EXEC_LOAD : EXEC_STORE);
}

static void run_bulk_prefetch(struct exec_warp *w, const struct exec_inst *in) {
  const struct bulk_inst *x = in->aux;
  uint64_t from[EXEC_LANES];
  uint32_t lanes = exec_reach_hint(w, &x->from, from);
  if (lanes) note_bulk(w, from[first_lane(lanes)], value32(w, x->bytes, first_lane(lanes)), EXEC_PREFETCH);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static void fill_inst(struct exec_inst *out, exec_fn fn, void *aux, unsigned size, enum ptx_space space) {
  out->fn = fn;
  out->aux = aux;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = (uint8_t)size;
  out->space = (uint8_t)space;
}

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
  fill_inst(out, run_copy, x, x->bytes, PTX_GLOBAL);
  return true;
}

static bool decode_bulk_prefetch(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct bulk_inst *x = ARENA_NEW(d->arena, struct bulk_inst);
  if (pi->n_ops < 2) return exec_refuse(d, pi, "operands are missing");
  fill_inst(out, run_bulk_prefetch, x, 16, PTX_GLOBAL);
  return exec_decode_where(d, pi, &pi->ops[0], PTX_GLOBAL, &x->from) &&
         exec_decode_value(d, pi, &pi->ops[1], PTX_U32, &x->bytes);
}

static bool decode_bulk(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct bulk_inst *x = ARENA_NEW(d->arena, struct bulk_inst);
  enum ptx_space to = (enum ptx_space)pi->space, from = (enum ptx_space)pi->space2;
  if (ptx_has(pi, PTX_M_multicast__cluster)) return exec_refuse(d, pi, "clusters of CTAs are not modelled");
  if (ptx_has(pi, PTX_M_cp_mask)) return exec_refuse(d, pi, "byte masks are not modelled");
  x->signals = ptx_has(pi, PTX_M_mbarrier__complete_tx__bytes);
  bool known = x->signals ? to == PTX_SHARED && (from == PTX_GLOBAL || from == PTX_SHARED)
                          : to == PTX_GLOBAL && from == PTX_SHARED && ptx_has(pi, PTX_M_bulk_group);
  if (!known) return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops < 3u + x->signals) return exec_refuse(d, pi, "operands are missing");
  if (!exec_decode_where(d, pi, &pi->ops[0], to, &x->to) ||
      !exec_decode_where(d, pi, &pi->ops[1], from, &x->from) ||
      !exec_decode_value(d, pi, &pi->ops[2], PTX_U32, &x->bytes))
    return false;
  if (x->signals && !exec_decode_where(d, pi, &pi->ops[3], PTX_SHARED, &x->barrier)) return false;
  if (ptx_has(pi, PTX_M_reduce)) {
    x->reduce = exec_bulk_reduction(pi, to == PTX_SHARED);
    if (!x->reduce) return exec_refuse(d, pi, "there is no such reduction for this type");
    x->size = (uint8_t)(ptx_type_bits((enum ptx_type)pi->types[0]) / 8);
  }
  fill_inst(out, run_bulk, x, 16, PTX_GLOBAL);
  return true;
}

static struct mbarrier_inst *new_mbarrier(struct exec_decoder *d, enum mbarrier_op op) {
  struct mbarrier_inst *x = ARENA_NEW(d->arena, struct mbarrier_inst);
  x->op = (uint8_t)op;
  x->count.file = EXEC_FNONE;
  return x;
}

static bool decode_copy_arrive(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct mbarrier_inst *x = new_mbarrier(d, ptx_has(pi, PTX_M_noinc) ? MB_COPY_ARRIVE_NOINC : MB_COPY_ARRIVE);
  if (pi->n_ops != 1) return exec_refuse(d, pi, "one operand is expected");
  fill_inst(out, run_mbarrier, x, 8, PTX_SHARED);
  return exec_decode_where(d, pi, &pi->ops[0], (enum ptx_space)pi->space, &x->where);
}

static bool decode_cp(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_tensor)) return exec_decode_tensor_copy(d, pi, out);
  if (ptx_has(pi, PTX_M_commit_group) || ptx_has(pi, PTX_M_wait_group) || ptx_has(pi, PTX_M_wait_all)) {
    out->fn = run_group;
    out->unit = EXEC_U_FENCE;
    return true;
  }
  if (ptx_has(pi, PTX_M_mbarrier)) return decode_copy_arrive(d, pi, out);
  if (!ptx_has(pi, PTX_M_bulk)) return decode_copy(d, pi, out);
  return ptx_has(pi, PTX_M_prefetch) ? decode_bulk_prefetch(d, pi, out) : decode_bulk(d, pi, out);
}

static int mbarrier_op(const struct ptx_inst *pi) {
  bool parity = ptx_has(pi, PTX_M_parity);
  if (ptx_has(pi, PTX_M_init)) return MB_INIT;
  if (ptx_has(pi, PTX_M_inval)) return MB_INVAL;
  if (ptx_has(pi, PTX_M_arrive)) return MB_ARRIVE;
  if (ptx_has(pi, PTX_M_arrive_drop)) return MB_ARRIVE_DROP;
  if (ptx_has(pi, PTX_M_expect_tx)) return MB_EXPECT_TX;
  if (ptx_has(pi, PTX_M_complete_tx)) return MB_COMPLETE_TX;
  if (ptx_has(pi, PTX_M_test_wait) || ptx_has(pi, PTX_M_try_wait)) return parity ? MB_WAIT_PARITY : MB_WAIT;
  return -1;
}

static bool decode_pending_count(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_ops != 2) return exec_refuse(d, pi, "two operands are expected");
  out->fn = run_pending_count;
  out->unit = EXEC_U_ALU;
  return exec_decode_result(d, pi, &pi->ops[0], PTX_U32, &out->d) &&
         exec_decode_value(d, pi, &pi->ops[1], PTX_B64, &out->a);
}

/* {result,} [address] {, operand {, hint}} */
static bool decode_mbarrier_operands(struct exec_decoder *d, const struct ptx_inst *pi,
                                     struct mbarrier_inst *x, struct exec_inst *out) {
  const struct ptx_opnd *o = pi->ops, *end = pi->ops + pi->n_ops;
  bool waits = x->op == MB_WAIT || x->op == MB_WAIT_PARITY;
  bool needs = x->op != MB_INVAL && !((x->op == MB_ARRIVE || x->op == MB_ARRIVE_DROP) && !x->expects);
  enum ptx_type t = x->op == MB_WAIT ? PTX_B64 : PTX_U32;
  if (o < end && o->kind != PTX_O_MEM) {
    if (!exec_decode_result(d, pi, o++, waits ? PTX_PRED : PTX_B64, &out->d)) return false;
  }
  if (o >= end) return exec_refuse(d, pi, "the address is missing");
  if (!exec_decode_where(d, pi, o++, (enum ptx_space)pi->space, &x->where)) return false;
  if (o >= end) return !needs || exec_refuse(d, pi, "an operand is missing");
  return exec_decode_value(d, pi, o, t, &x->count);
}

static bool decode_mbarrier(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_pending_count)) return decode_pending_count(d, pi, out);
  int op = mbarrier_op(pi);
  if (op < 0) return exec_refuse(d, pi, "the form is not known");
  struct mbarrier_inst *x = new_mbarrier(d, (enum mbarrier_op)op);
  x->expects = (op == MB_ARRIVE || op == MB_ARRIVE_DROP) && ptx_has(pi, PTX_M_expect_tx);
  fill_inst(out, run_mbarrier, x, 8, PTX_SHARED);
  return decode_mbarrier_operands(d, pi, x, out);
}

bool exec_decode_async(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->op == PTX_OP_mbarrier) return decode_mbarrier(d, pi, out);
  if (pi->op == PTX_OP_cp) return decode_cp(d, pi, out);
  return exec_refuse(d, pi, "it is not modelled");
}
