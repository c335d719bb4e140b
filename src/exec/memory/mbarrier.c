/* mbarrier: objects in shared memory that count arrivals and bytes.
 *
 * An mbarrier is the 64-bit number in shared memory that the ISA calls opaque. Here:
 *
 *   bits 0..19 expected arrivals, 20..39 arrivals still pending, 40..60 pending bytes (signed), 61..63 phase.
 *
 * The state that an arrival returns is the number before the arrival. More arrivals than are pending are undefined by the ISA; here they
 * are a fault.
 *
 * Signals from elsewhere (bytes of a copy, arrivals of other CTAs of the cluster) take effect when their instruction executes. On the timed
 * GPU they are left as exec_signal, and the SM applies them when they arrive. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"

#include "exec/run/cta_cluster.h"

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

/* The phase completes when no arrivals and no bytes are pending. */
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

/* Whether the phase that a wait names is over: `value` is a state, or a parity. */
static bool has_ended(const struct mbarrier_inst *x, uint32_t phase, uint64_t value) {
  return x->op == MB_WAIT ? phase != unpack(value).phase : (phase & 1) != (value & 1);
}

/* One lane's operation. `value` is its operand; *result is what the destination receives. */
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
  case MB_WAIT:
  case MB_WAIT_PARITY: *result = has_ended(x, b.phase, value); return true;
  case MB_COPY_ARRIVE: return true; /* one more arrival is pending and arrives at once */
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

/* An arrival at another CTA's mbarrier takes time and is left as a signal. */
static bool leaves_signal(struct exec_warp *w, const struct mbarrier_inst *x, const struct exec_reach *r, unsigned lane) {
  if (!w->grid->timed || r->cta == w->cta || x->op > MB_COMPLETE_TX || x->op < MB_ARRIVE) return false;
  uint32_t n = (uint32_t)operand_value(w, x, lane);
  bool arrives = x->op == MB_ARRIVE || x->op == MB_ARRIVE_DROP;
  struct exec_signal s = {.cta = r->cta, .start = r->cta->starts, .addr = (uint32_t)r->addr[lane], .drops = x->op == MB_ARRIVE_DROP};
  s.arrivals = !arrives ? 0 : x->expects ? 1 : n;
  s.bytes = x->op == MB_COMPLETE_TX ? -(int32_t)n : x->expects || !arrives ? (int32_t)n : 0;
  exec_leave_signal(w, &s);
  return true;
}

static bool apply_to_lanes(struct exec_warp *w, const struct exec_inst *in, const struct exec_reach *r) {
  const struct mbarrier_inst *x = in->aux;
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    unsigned lane = first_lane(m);
    uint64_t object, result;
    if (leaves_signal(w, x, r, lane)) continue;
    memcpy(&object, exec_host(r, lane), sizeof object);
    if (!apply(w, in, lane, &object, operand_value(w, x, lane), &result)) return false;
    memcpy(exec_host(r, lane), &object, sizeof object);
    give_result(w, in, lane, result);
  }
  return true;
}

static bool waits(const struct mbarrier_inst *x) { return x->op == MB_WAIT || x->op == MB_WAIT_PARITY; }

static void run_mbarrier(struct exec_warp *w, const struct exec_inst *in) {
  const struct mbarrier_inst *x = in->aux;
  enum exec_access_op op = waits(x) ? EXEC_LOAD : EXEC_ATOMIC;
  struct exec_reach r;
  if (!exec_reach(w, in, &x->where, op, 8, w->access.addr, &r)) return;
  exec_note_access(w, op, EXEC_CACHE_ALL, 8, &r);
  exec_send_begin(w);
  do {
    if (r.space != PTX_SHARED) {
      exec_fault(w, in, EXEC_FAULT_ADDRESS_SPACE, first_lane(w->mask), "an mbarrier must be in shared memory");
      return;
    }
    if (!apply_to_lanes(w, in, &r)) return;
  } while (exec_reach_more(w, in, &r));
}

bool exec_mbarrier_changes(const struct exec_inst *in) { return in->fn == run_mbarrier && !waits(in->aux); }

/* For an mbarrier in the warp's own CTA; an address outside it is left to the instruction. */
static bool phase_lasts(const struct exec_warp *w, const struct mbarrier_inst *x, unsigned lane) {
  uint64_t at = (uint64_t)x->where.offset, object;
  if (x->where.base.file == EXEC_FNONE) at = exec_where_offset(w, &x->where);
  else if (x->where.narrow) at = (uint32_t)(at + value32(w, x->where.base, lane));
  else at += ((const uint64_t *)exec_row(w, x->where.base))[lane];
  if (at + sizeof object > w->cta->shared_bytes) return false;
  memcpy(&object, w->cta->shared + at, sizeof object);
  return !has_ended(x, unpack(object).phase, operand_value(w, x, lane));
}

bool exec_mbarrier_holds(const struct exec_warp *w, const struct exec_inst *in) {
  const struct mbarrier_inst *x = in->aux;
  if (in->fn != run_mbarrier || !waits(x) || !ptx_has(in->ptx, PTX_M_try_wait) || x->where.space != PTX_SHARED) return false;
  uint32_t lanes = w->active;
  if (in->guarded) {
    uint32_t p = *(const uint32_t *)(w->file[EXEC_FPRED] + in->guard);
    lanes &= in->guard_negate ? ~p : p;
  }
  for (uint32_t m = lanes; m; m &= m - 1)
    if (!phase_lasts(w, x, first_lane(m))) return false;
  return lanes;
}

static void run_pending_count(struct exec_warp *w, const struct exec_inst *in) {
  if (in->d.file == EXEC_FNONE) return;
  uint32_t *d = exec_row(w, in->d);
  const uint64_t *state = exec_row(w, in->a);
  for (uint32_t m = w->mask; m; m &= m - 1) d[first_lane(m)] = unpack(state[first_lane(m)]).pending;
}

/* ---- signals ---------------------------------------------------------------------------------------------- */

void exec_leave_signal(struct exec_warp *w, const struct exec_signal *s) {
  struct exec_sent *sent = &w->sent;
  GROW(sent->signals, sent->signal_capacity, sent->n_signals + 1);
  sent->signals[sent->n_signals++] = *s;
  w->access.signals = true;
}

void exec_signal_arrives(const struct exec_signal *s) {
  uint64_t object;
  if (s->cta->starts != s->start) return;
  unsigned char *p = s->cta->shared + s->addr;
  memcpy(&object, p, sizeof object);
  struct mbarrier b = unpack(object);
  b.tx += s->bytes;
  b.pending -= s->arrivals < b.pending ? s->arrivals : b.pending;
  if (s->drops) b.expected -= s->arrivals;
  settle(&b);
  object = pack(&b);
  memcpy(p, &object, sizeof object);
}

bool exec_mbarrier_complete(struct exec_warp *w, const struct exec_inst *in, unsigned lane, uint64_t addr, uint32_t bytes) {
  uint64_t offset;
  if (!exec_reach_block(w, in, lane, PTX_SHARED, EXEC_ATOMIC, addr, 8, 8)) return false;
  struct exec_cta *cta = exec_cluster_cta(w, addr, &offset);
  struct exec_signal s = {.cta = cta, .start = cta->starts, .addr = (uint32_t)offset, .bytes = -(int32_t)bytes};
  if (w->grid->timed) exec_leave_signal(w, &s);
  else exec_signal_arrives(&s);
  return true;
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static struct mbarrier_inst *new_mbarrier(struct exec_decoder *d, enum mbarrier_op op) {
  struct mbarrier_inst *x = ARENA_NEW(d->arena, struct mbarrier_inst);
  x->op = (uint8_t)op;
  x->count.file = EXEC_FNONE;
  return x;
}

bool exec_decode_copy_arrive(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct mbarrier_inst *x = new_mbarrier(d, ptx_has(pi, PTX_M_noinc) ? MB_COPY_ARRIVE_NOINC : MB_COPY_ARRIVE);
  if (pi->n_ops != 1) return exec_refuse(d, pi, "one operand is expected");
  exec_fill_memory(out, run_mbarrier, x, 8, PTX_SHARED);
  return exec_decode_where(d, pi, &pi->ops[0], (enum ptx_space)pi->space, &x->where);
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
  bool arrives = x->op == MB_ARRIVE || x->op == MB_ARRIVE_DROP;
  bool needs = x->op != MB_INVAL && !(arrives && !x->expects);
  enum ptx_type t = x->op == MB_WAIT ? PTX_B64 : PTX_U32;
  if (o < end && o->kind != PTX_O_MEM) {
    if (arrives && o->kind != PTX_O_SINK && ptx_has(pi, PTX_M_shared__cluster))
      return exec_refuse(d, pi, "an arrival in another CTA has no state, only '_'");
    if (!exec_decode_result(d, pi, o++, waits(x) ? PTX_PRED : PTX_B64, &out->d)) return false;
  }
  if (o >= end) return exec_refuse(d, pi, "the address is missing");
  if (!exec_decode_where(d, pi, o++, (enum ptx_space)pi->space, &x->where)) return false;
  if (o >= end && arrives && ptx_has(pi, PTX_M_noComplete)) return exec_refuse(d, pi, "the count is missing");
  if (o >= end) return !needs || exec_refuse(d, pi, "an operand is missing");
  return exec_decode_value(d, pi, o, t, &x->count);
}

bool exec_decode_mbarrier(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_pending_count)) return decode_pending_count(d, pi, out);
  int op = mbarrier_op(pi);
  if (op < 0) return exec_refuse(d, pi, "the form is not known");
  struct mbarrier_inst *x = new_mbarrier(d, (enum mbarrier_op)op);
  x->expects = (op == MB_ARRIVE || op == MB_ARRIVE_DROP) && ptx_has(pi, PTX_M_expect_tx);
  exec_fill_memory(out, run_mbarrier, x, 8, PTX_SHARED);
  return decode_mbarrier_operands(d, pi, x, out);
}
