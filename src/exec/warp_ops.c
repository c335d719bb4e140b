/* What the lanes of a warp, and the warps of a CTA, do together: shfl, vote, match, redux, activemask, elect, the barriers, fences,
 * nanosleep and griddepcontrol.
 *
 * The .sync forms first wait until every live lane of their member mask has arrived (exec_wait_for_lanes); the forms without .sync work on
 * the lanes that happen to be together, as before Volta. Lanes with different member masks are groups that execute one after the other. The
 * operands of a barrier must be the same in all lanes; the first lane's are used.
 *
 * Without effect here: membar and fence (memory is always up to date; what they do to L1D is in sm_fence.c), nanosleep, and griddepcontrol
 * (without timing grids run one after the other; on the timed GPU the SM handles it). */
#include "exec/run/cta_cluster.h"
#include "exec/float_bits.h"
#include "exec/lanes/lanes.h"
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/observe.h"
#include "exec/warp.h"

#include <string.h>

struct together {           /* aux of the operations with a member mask */
  struct exec_opnd members; /* EXEC_FNONE: the form without .sync */
  struct exec_opnd second;  /* the predicate of d|p */
  uint8_t mode;             /* enum shuffle_mode, vote_mode, match_mode, reduction */
  bool fixed;               /* shfl whose lanes are known: from and valid are filled */
  bool absolute, nan;       /* redux .abs, .NaN */
  uint32_t from[EXEC_LANES];
  uint32_t valid;
  void (*permute)(uint32_t *to, const uint32_t *from, const uint32_t *lane); /* of exec_lanes */
  exec_fn body;             /* what run_groups does for each group */
};

enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_mode { MATCH_ANY, MATCH_ALL };
enum reduction { RED_ADD, RED_MIN, RED_MAX, RED_AND, RED_OR, RED_XOR };

static unsigned first_lane(uint32_t mask) { return (unsigned)__builtin_ctz(mask); }

static uint32_t value32(const struct exec_warp *w, struct exec_opnd o, unsigned lane) {
  return ((const uint32_t *)exec_row(w, o))[lane];
}

/* Whether a row has this value in all these lanes. */
static bool is_uniform(const uint32_t *row, uint32_t lanes, uint32_t value) {
  uint32_t differ = 0;
  if (lanes == EXEC_ALL_LANES)
    for (unsigned i = 0; i < EXEC_LANES; i++) differ |= row[i] ^ value;
  else
    for (unsigned i = 0; i < EXEC_LANES; i++) differ |= (lanes & exec_lane_bit[i]) ? row[i] ^ value : 0;
  return !differ;
}

/* Lanes with other member masks than the first one's execute this instruction again on their own, unless it names them too. */
static void part_groups(struct exec_warp *w, const struct together *x, uint32_t members) {
  if (x->members.file == EXEC_FCONST) return;
  const uint32_t *row = exec_row(w, x->members);
  if (is_uniform(row, w->mask, members)) return;
  uint32_t same = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) same |= (uint32_t)(row[i] == members) << i;
  if (!(w->mask & ~same) || (w->mask & ~same & members)) return;
  w->mask &= same;
  exec_split(w, w->active & ~w->mask, w->pc - 1, w->pc);
}

/* False: the path was parked, and the instruction will be executed again. Otherwise *lanes are those that take part. */
static bool gather(struct exec_warp *w, const struct exec_inst *in, uint32_t *lanes) {
  const struct together *x = in->aux;
  *lanes = w->mask;
  if (x->members.file == EXEC_FNONE) return true;
  uint32_t members = value32(w, x->members, first_lane(w->mask));
  if (!x->body) part_groups(w, x, members); /* run_groups has done so */
  *lanes = x->members.file == EXEC_FCONST ? w->mask : w->mask & members;
  if (exec_observer(w)) exec_observer(w)->come(exec_observer(w)->user, w, in, exec_row(w, x->members));
  return exec_wait_for_lanes(w, in, members);
}

static void run_shuffle(struct exec_warp *w, const struct exec_inst *in);
static void shuffle_groups(struct exec_warp *w, const struct exec_inst *in);

/* For member masks in registers that differ between lanes. When all lanes that any mask names have arrived, lanes with equal masks execute
 * group by group, whichever others they name. A lane that does not name itself is at fault, as on an H200. */
static void run_groups(struct exec_warp *w, const struct exec_inst *in) {
  const struct together *x = in->aux;
  const uint32_t *row = exec_row(w, x->members), all = w->mask;
  uint32_t named = 0, without = 0;
  if (is_uniform(row, all, row[first_lane(all)])) {
    x->body(w, in);
    return;
  }
  for (uint32_t m = all; m; m &= m - 1) {
    named |= row[first_lane(m)];
    without |= ~row[first_lane(m)] & m & -m;
  }
  if (without && !exec_observer(w)) { /* which reports it */
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, first_lane(without), "the lane is not in its own member mask 0x%08x",
               row[first_lane(without)]);
    return;
  }
  if (exec_observer(w) || named & w->live & ~w->active) {
    part_groups(w, x, row[first_lane(all)]);
    x->body(w, in);
    return;
  }
  if (x->body == run_shuffle) {
    shuffle_groups(w, in);
    return;
  }
  for (uint32_t left = all; left; left &= ~w->mask) {
    uint32_t members = row[first_lane(left)], same = 0;
    for (uint32_t m = left; m; m &= m - 1) same |= row[first_lane(m)] == members ? m & -m : 0;
    w->mask = same;
    x->body(w, in);
  }
  w->mask = all;
}

static void set_all_lanes(struct exec_warp *w, struct exec_opnd o, uint32_t x) {
  if (o.file == EXEC_FNONE) return;
  uint32_t *d = exec_row(w, o);
  if (w->mask == EXEC_ALL_LANES)
    for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = x;
  else
    for (uint32_t m = w->mask; m; m &= m - 1) d[__builtin_ctz(m)] = x;
}

/* ---- shfl --------------------------------------------------------------------------------------------- */

/* The lane that `lane` reads from; *valid as the ISA's predicate. */
static inline __attribute__((always_inline)) unsigned source_lane(uint8_t mode, unsigned lane, uint32_t b, uint32_t c, bool *valid) {
  const int segment = (int)(c >> 8 & 31), at = (int)lane, offset = (int)(b & 31);
  const int low = at & segment, limit = low | ((int)(c & 31) & ~segment);
  const int j = mode == SHUFFLE_UP     ? at - offset
                : mode == SHUFFLE_DOWN ? at + offset
                : mode == SHUFFLE_BFLY ? at ^ offset
                                       : low | (offset & ~segment);
  *valid = mode == SHUFFLE_UP ? j >= limit : j <= limit;
  return (unsigned)(*valid ? j : at);
}

/* The lane from which each lane reads; returns the lanes whose predicate is true. As the mode is a compile-time constant, the loop is
 * vectorised. */
static inline __attribute__((always_inline)) uint32_t find_sources(uint8_t mode, const uint32_t *b, const uint32_t *c, uint32_t *lane) {
  uint32_t valid = 0;
  for (unsigned i = 0; i < EXEC_LANES; i++) {
    bool ok;
    lane[i] = source_lane(mode, i, b[i], c[i], &ok) & 31;
    valid |= ok ? exec_lane_bit[i] : 0;
  }
  return valid;
}

/* The same for source lanes that are known only at run time. */
static uint32_t find_sources_now(const struct exec_warp *w, const struct exec_inst *in, uint32_t *lane) {
  const uint32_t *b = exec_row(w, in->b), *c = exec_row(w, in->c);
  switch (((const struct together *)in->aux)->mode) {
  case SHUFFLE_UP: return find_sources(SHUFFLE_UP, b, c, lane);
  case SHUFFLE_DOWN: return find_sources(SHUFFLE_DOWN, b, c, lane);
  case SHUFFLE_BFLY: return find_sources(SHUFFLE_BFLY, b, c, lane);
  default: return find_sources(SHUFFLE_IDX, b, c, lane);
  }
}

static void show_sources(const struct exec_warp *w, const struct exec_inst *in, uint32_t lanes) {
  const struct together *x = in->aux;
  const uint32_t *b = exec_row(w, in->b), *c = exec_row(w, in->c);
  uint32_t sources = 0;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    bool ok;
    sources |= UINT32_C(1) << source_lane(x->mode, first_lane(m), b[first_lane(m)], c[first_lane(m)], &ok);
  }
  exec_observer(w)->shuffle(exec_observer(w)->user, w, in, lanes, sources);
}

/* A source lane that does not take part, because it is elsewhere or has exited, gives 0, as on an H200; the ISA leaves it undefined. */
static void run_shuffle(struct exec_warp *w, const struct exec_inst *in) {
  const struct together *x = in->aux;
  uint32_t lanes, copy[EXEC_LANES], other[EXEC_LANES], result[EXEC_LANES], valid = x->valid;
  const uint32_t *from = x->from;
  if (!gather(w, in, &lanes)) return;
  if (exec_observer(w)) show_sources(w, in, lanes);
  memcpy(copy, exec_row(w, in->a), sizeof copy);
  if (!x->fixed) {
    valid = find_sources_now(w, in, other);
    from = other;
  }
  uint32_t *d = in->d.file == EXEC_FNONE ? result : exec_row(w, in->d);
  if (w->mask == EXEC_ALL_LANES) {
    x->permute(d, copy, from);
  } else {
    for (unsigned i = 0; i < EXEC_LANES; i++) copy[i] = w->mask >> i & 1 ? copy[i] : 0;
    x->permute(result, copy, from);
    for (uint32_t m = w->mask; m; m &= m - 1) d[first_lane(m)] = result[first_lane(m)];
  }
  exec_set_pred(w, x->second, valid);
}

/* All groups at once: a lane of another group does not take part either. */
static void shuffle_groups(struct exec_warp *w, const struct exec_inst *in) {
  const struct together *x = in->aux;
  uint32_t value[EXEC_LANES], members[EXEC_LANES], other[EXEC_LANES], nowhere[EXEC_LANES], valid = x->valid;
  const uint32_t *from = x->from;
  memcpy(value, exec_row(w, in->a), sizeof value);
  memcpy(members, exec_row(w, x->members), sizeof members);
  if (!x->fixed) {
    valid = find_sources_now(w, in, other);
    from = other;
  }
  uint32_t *d = in->d.file == EXEC_FNONE ? nowhere : exec_row(w, in->d);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    const unsigned lane = first_lane(m), source = from[lane];
    d[lane] = w->mask >> source & 1 && members[source] == members[lane] ? value[source] : 0;
  }
  exec_set_pred(w, x->second, valid);
}

/* ---- vote, match, redux, activemask, elect ------------------------------------------------------------ */

static void give_vote(struct exec_warp *w, const struct exec_inst *in, uint32_t lanes, uint32_t yes) {
  switch (((const struct together *)in->aux)->mode) {
  case VOTE_ALL: exec_set_pred(w, in->d, yes == lanes ? EXEC_ALL_LANES : 0); break;
  case VOTE_ANY: exec_set_pred(w, in->d, yes ? EXEC_ALL_LANES : 0); break;
  case VOTE_UNI: exec_set_pred(w, in->d, yes == lanes || !yes ? EXEC_ALL_LANES : 0); break;
  default: set_all_lanes(w, in->d, yes);
  }
}

static void run_vote(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes;
  if (gather(w, in, &lanes)) give_vote(w, in, lanes, exec_pred(w, in->a) & lanes);
}

/* Lanes of a row that have the same value as `lane`. Two loops that compilers vectorise. */
static uint32_t lanes_with(const void *values, unsigned size, unsigned lane) {
  uint32_t same = 0;
  if (size == 8) {
    const uint64_t *row = values, v = row[lane];
    for (unsigned i = 0; i < EXEC_LANES; i++) same |= row[i] == v ? exec_lane_bit[i] : 0;
  } else {
    const uint32_t *row = values, v = row[lane];
    for (unsigned i = 0; i < EXEC_LANES; i++) same |= row[i] == v ? exec_lane_bit[i] : 0;
  }
  return same;
}

static void give_match(struct exec_warp *w, const struct exec_inst *in, uint32_t lanes, const void *values) {
  const struct together *x = in->aux;
  uint32_t result[EXEC_LANES] = {0};
  if (x->mode == MATCH_ALL) {
    w->groups = 1;
    bool equal = lanes && !(lanes & ~lanes_with(values, in->size, first_lane(lanes)));
    set_all_lanes(w, in->d, equal ? lanes : 0);
    exec_set_pred(w, x->second, equal ? EXEC_ALL_LANES : 0);
    return;
  }
  w->groups = 0;
  for (uint32_t todo = lanes; todo; w->groups++) { /* one group of equal values after the other */
    uint32_t group = lanes_with(values, in->size, first_lane(todo)) & lanes;
    for (uint32_t m = group; m; m &= m - 1) result[first_lane(m)] = group;
    todo &= ~group;
  }
  if (in->d.file == EXEC_FNONE) return;
  uint32_t *d = exec_row(w, in->d);
  for (uint32_t m = w->mask; m; m &= m - 1) d[first_lane(m)] = result[first_lane(m)];
}

static void run_match(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes;
  if (gather(w, in, &lanes)) give_match(w, in, lanes, exec_row(w, in->a));
}

static uint32_t reduce_pair(uint8_t op, bool is_signed, uint32_t x, uint32_t y) {
  bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
  switch (op) {
  case RED_ADD: return x + y;
  case RED_MIN: return less ? x : y;
  case RED_MAX: return less ? y : x;
  case RED_AND: return x & y;
  case RED_OR: return x | y;
  default: return x ^ y;
  }
}

/* Numbers win against NaN, unless .NaN was written; -0 is below +0. */
static uint32_t reduce_float(const struct together *x, uint32_t a, uint32_t b) {
  bool a_nan = (a & 0x7fffffffu) > 0x7f800000u, b_nan = (b & 0x7fffffffu) > 0x7f800000u;
  if (a_nan || b_nan) return x->nan || (a_nan && b_nan) ? EXEC_NAN32_BITS : a_nan ? b : a;
  int32_t i = (int32_t)(a & 0x80000000u ? ~a | 0x80000000u : a);
  int32_t j = (int32_t)(b & 0x80000000u ? ~b | 0x80000000u : b);
  return (i < j) == (x->mode == RED_MIN) ? a : b;
}

static void give_reduction(struct exec_warp *w, const struct exec_inst *in, uint32_t lanes, const uint32_t *values) {
  const struct together *x = in->aux;
  if (!lanes) return;
  enum ptx_type t = (enum ptx_type)in->ptx->types[0];
  uint32_t keep = x->absolute ? 0x7fffffffu : EXEC_ALL_LANES, r = values[first_lane(lanes)] & keep;
  if (t == PTX_F32) r = reduce_float(x, r, r);
  for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
    uint32_t v = values[first_lane(m)] & keep;
    r = t == PTX_F32 ? reduce_float(x, r, v) : reduce_pair(x->mode, t == PTX_S32, r, v);
  }
  set_all_lanes(w, in->d, r);
}

static void run_redux(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes;
  if (gather(w, in, &lanes)) give_reduction(w, in, lanes, exec_row(w, in->a));
}

static void run_activemask(struct exec_warp *w, const struct exec_inst *in) {
  set_all_lanes(w, in->d, w->mask);
}

/* The lowest lane leads. */
static void give_leader(struct exec_warp *w, const struct exec_inst *in, uint32_t lanes) {
  const struct together *x = in->aux;
  set_all_lanes(w, in->d, first_lane(lanes));
  exec_set_pred(w, x->second, lanes & -lanes);
}

static void run_elect(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes;
  if (gather(w, in, &lanes) && lanes) give_leader(w, in, lanes);
}

/* ---- at different places ------------------------------------------------------------------------------ */

bool exec_is_same_operation(const struct exec_inst *a, const struct exec_inst *b) {
  const enum ptx_op op = a->ptx->op;
  if (op != b->ptx->op) return false;
  if (op == PTX_OP_elect) return true;
  if (op != PTX_OP_shfl && op != PTX_OP_vote && op != PTX_OP_match && op != PTX_OP_redux) return false;
  const struct together *x = a->aux, *y = b->aux;
  return x->mode == y->mode && a->ptx->types[0] == b->ptx->types[0] && x->absolute == y->absolute && x->nan == y->nan;
}

static void give_shuffle(struct exec_warp *w, const struct exec_inst *in, uint32_t lanes, const uint32_t *values) {
  const struct together *x = in->aux;
  uint32_t *d = in->d.file == EXEC_FNONE ? NULL : exec_row(w, in->d), valid = 0;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    const unsigned lane = first_lane(m);
    bool ok;
    unsigned source = source_lane(x->mode, lane, value32(w, in->b, lane), value32(w, in->c, lane), &ok);
    valid |= ok ? m & -m : 0;
    if (d) d[lane] = lanes >> source & 1 ? values[source] : 0;
  }
  exec_set_pred(w, x->second, valid);
}

void exec_do_apart(struct exec_warp *w, const struct exec_party *parties, unsigned n) {
  uint64_t wide[EXEC_LANES] = {0};
  uint32_t value[EXEC_LANES] = {0}, lanes = 0, yes = 0;
  const enum ptx_op op = parties->in->ptx->op;
  for (unsigned k = 0; k < n; k++) { /* reads all inputs before writing any result */
    const struct exec_inst *in = parties[k].in;
    exec_use_frame(w, parties[k].frame);
    lanes |= parties[k].lanes;
    if (op == PTX_OP_vote) yes |= exec_pred(w, in->a) & parties[k].lanes;
    for (uint32_t m = op == PTX_OP_vote || op == PTX_OP_elect ? 0 : parties[k].lanes; m; m &= m - 1)
      if (in->size == 8) wide[first_lane(m)] = ((const uint64_t *)exec_row(w, in->a))[first_lane(m)];
      else value[first_lane(m)] = value32(w, in->a, first_lane(m));
  }
  for (unsigned k = 0; k < n; k++) {
    const struct exec_inst *in = parties[k].in;
    exec_use_frame(w, parties[k].frame);
    w->mask = parties[k].lanes;
    switch (op) {
    case PTX_OP_elect: give_leader(w, in, lanes); break;
    case PTX_OP_shfl: give_shuffle(w, in, lanes, value); break;
    case PTX_OP_vote: give_vote(w, in, lanes, yes); break;
    case PTX_OP_match: give_match(w, in, lanes, in->size == 8 ? (const void *)wide : value); break;
    default: give_reduction(w, in, lanes, value);
    }
  }
}

/* ---- barriers and the rest ---------------------------------------------------------------------------- */

struct barrier {                /* aux */
  struct exec_opnd id, threads; /* threads EXEC_FNONE: all of the CTA */
  bool waits;
};

/* The barrier's number and count, checked. */
static bool barrier_numbers(struct exec_warp *w, const struct exec_inst *in, uint32_t *id,
                            uint32_t *threads) {
  const struct barrier *x = in->aux;
  unsigned lane = first_lane(w->mask);
  *id = value32(w, x->id, lane);
  *threads = x->threads.file == EXEC_FNONE ? 0 : value32(w, x->threads, lane);
  if (*id >= EXEC_BARRIERS) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, lane, "barrier %u does not exist: a CTA has %d", *id,
               EXEC_BARRIERS);
    return false;
  }
  if (x->threads.file != EXEC_FNONE && (*threads == 0 || *threads % EXEC_LANES)) {
    exec_fault(w, in, EXEC_FAULT_ILLEGAL_INSTRUCTION, lane,
               "barrier %u for %u threads: the count must be a multiple of %d, above zero", *id, *threads,
               EXEC_LANES);
    return false;
  }
  return true;
}

static void run_barrier(struct exec_warp *w, const struct exec_inst *in) {
  const struct barrier *x = in->aux;
  uint32_t id, threads;
  if (!w->mask || !barrier_numbers(w, in, &id, &threads)) return;
  if (in->sub == EXEC_BAR_PLAIN)
    exec_barrier_arrive(w, in, id, threads, x->waits);
  else
    exec_barrier_reduce(w, in, id, threads, exec_pred(w, in->c));
}

static void run_bar_warp(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t lanes;
  gather(w, in, &lanes);
}

static void run_nothing(struct exec_warp *w, const struct exec_inst *in) { (void)w, (void)in; }

static void run_fence(struct exec_warp *w, const struct exec_inst *in) {
  if (exec_observer(w)) exec_observer(w)->order(exec_observer(w)->user, w, in);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static struct together *new_together(struct exec_decoder *d, struct exec_inst *out, exec_fn fn, enum exec_unit unit) {
  struct together *x = ARENA_NEW(d->arena, struct together);
  x->members.file = x->second.file = EXEC_FNONE;
  out->aux = x;
  out->fn = fn;
  out->unit = (uint8_t)unit;
  return x;
}

/* The last operand is the member mask, if the form has .sync. */
static bool decode_members(struct exec_decoder *d, const struct ptx_inst *pi, unsigned index,
                           struct together *x) {
  if (!ptx_has(pi, PTX_M_sync))
    return pi->n_ops == index || exec_refuse(d, pi, "without .sync there is no member mask");
  if (pi->n_ops != index + 1) return exec_refuse(d, pi, "the member mask is missing");
  return exec_decode_value(d, pi, &pi->ops[index], PTX_B32, &x->members);
}

/* The same for operations that are executed group by group if the mask is in a register. */
static bool decode_groups(struct exec_decoder *d, const struct ptx_inst *pi, unsigned index, struct together *x, struct exec_inst *out) {
  if (!decode_members(d, pi, index, x)) return false;
  if (x->members.file == EXEC_FNONE || x->members.file == EXEC_FCONST) return true;
  x->body = out->fn;
  out->fn = run_groups;
  return true;
}

/* d, or the d of d|p. */
static bool decode_results(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_opnd *dest,
                           struct exec_opnd *second) {
  const struct ptx_opnd *o = &pi->ops[0];
  if (!exec_decode_result(d, pi, o, PTX_B32, dest)) return false;
  if (o->second < 0) return true;
  struct ptx_opnd p = {.kind = PTX_O_REG, .reg = o->second, .second = -1};
  return exec_decode_result(d, pi, &p, PTX_PRED, second);
}

static int find_mod(const struct ptx_inst *pi, const uint16_t *mods, int n) {
  for (int i = 0; i < n; i++)
    if (ptx_has(pi, (enum ptx_mod)mods[i])) return i;
  return -1;
}
#define MODE_OF(pi, ...)                                                                                     \
  find_mod((pi), (const uint16_t[]){__VA_ARGS__},                                                            \
           (int)(sizeof(const uint16_t[]){__VA_ARGS__} / sizeof(uint16_t)))

static uint32_t constant32(const struct exec_decoder *d, struct exec_opnd o) {
  uint32_t x;
  memcpy(&x, d->constants + o.off, sizeof x);
  return x;
}

static bool decode_shuffle(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_shuffle, EXEC_U_SHUFFLE);
  int mode = MODE_OF(pi, PTX_M_up, PTX_M_down, PTX_M_bfly, PTX_M_idx);
  if (mode < 0 || pi->n_ops < 4) return exec_refuse(d, pi, "the form is not known");
  x->mode = (uint8_t)mode;
  if (!decode_results(d, pi, &out->d, &x->second) ||
      !exec_decode_value(d, pi, &pi->ops[1], PTX_B32, &out->a) ||
      !exec_decode_value(d, pi, &pi->ops[2], PTX_U32, &out->b) ||
      !exec_decode_value(d, pi, &pi->ops[3], PTX_U32, &out->c) || !decode_groups(d, pi, 4, x, out))
    return false;
  x->permute = d->lanes->permute;
  x->fixed = out->b.file == EXEC_FCONST && out->c.file == EXEC_FCONST;
  for (unsigned i = 0; x->fixed && i < EXEC_LANES; i++) {
    bool ok;
    x->from[i] = source_lane(x->mode, i, constant32(d, out->b), constant32(d, out->c), &ok);
    x->valid |= (uint32_t)ok << i;
  }
  return true;
}

static bool decode_vote(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_vote, EXEC_U_VOTE);
  int mode = MODE_OF(pi, PTX_M_all, PTX_M_any, PTX_M_uni, PTX_M_ballot);
  if (mode < 0 || pi->n_ops < 2) return exec_refuse(d, pi, "the form is not known");
  x->mode = (uint8_t)mode;
  return exec_decode_result(d, pi, &pi->ops[0], mode == VOTE_BALLOT ? PTX_B32 : PTX_PRED, &out->d) &&
         exec_decode_value(d, pi, &pi->ops[1], PTX_PRED, &out->a) && decode_groups(d, pi, 2, x, out);
}

static bool decode_match(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_match, EXEC_U_MATCH);
  x->mode = ptx_has(pi, PTX_M_all) ? MATCH_ALL : MATCH_ANY;
  if (pi->n_ops < 3 || !pi->n_types) return exec_refuse(d, pi, "operands are missing");
  enum ptx_type t = (enum ptx_type)pi->types[0];
  out->size = (uint8_t)(ptx_type_bits(t) / 8);
  if (out->size != 4 && out->size != 8) return exec_refuse(d, pi, "the value must have 32 or 64 bits");
  return decode_results(d, pi, &out->d, &x->second) && exec_decode_value(d, pi, &pi->ops[1], t, &out->a) &&
         decode_groups(d, pi, 2, x, out);
}

static bool decode_redux(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_redux, EXEC_U_REDUX);
  int mode = MODE_OF(pi, PTX_M_add, PTX_M_min, PTX_M_max, PTX_M_and, PTX_M_or, PTX_M_xor);
  enum ptx_type t = pi->n_types ? (enum ptx_type)pi->types[0] : PTX_NOTYPE;
  bool min_max = mode == RED_MIN || mode == RED_MAX;
  bool known = t == PTX_F32   ? min_max
               : t == PTX_B32 ? mode >= RED_AND
                              : (t == PTX_U32 || t == PTX_S32) && mode >= 0;
  if (!known || pi->n_ops < 3) return exec_refuse(d, pi, "there is no such reduction for this type");
  x->mode = (uint8_t)mode;
  x->absolute = ptx_has(pi, PTX_M_abs);
  x->nan = ptx_has(pi, PTX_M_NaN);
  return exec_decode_result(d, pi, &pi->ops[0], t, &out->d) &&
         exec_decode_value(d, pi, &pi->ops[1], t, &out->a) && decode_groups(d, pi, 2, x, out);
}

static bool decode_activemask(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  new_together(d, out, run_activemask, EXEC_U_VOTE);
  if (pi->n_ops != 1) return exec_refuse(d, pi, "one operand is expected");
  return exec_decode_result(d, pi, &pi->ops[0], PTX_B32, &out->d);
}

static bool decode_elect(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_elect, EXEC_U_VOTE);
  return decode_results(d, pi, &out->d, &x->second) && decode_members(d, pi, 1, x);
}

static bool decode_bar_warp(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct together *x = new_together(d, out, run_bar_warp, EXEC_U_SHUFFLE);
  out->unit = EXEC_U_BARRIER;
  return decode_members(d, pi, 0, x);
}

/* bar.red: d, a{, b}, {!}c. */
static bool decode_bar_red(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out,
                           unsigned *first, unsigned *n) {
  int mode = MODE_OF(pi, PTX_M_popc, PTX_M_and, PTX_M_or);
  if (mode < 0 || pi->n_ops < 3) return exec_refuse(d, pi, "the form is not known");
  out->sub = (uint8_t)(EXEC_BAR_POPC + mode);
  enum ptx_type t = out->sub == EXEC_BAR_POPC ? PTX_U32 : PTX_PRED;
  if (!exec_decode_result(d, pi, &pi->ops[0], t, &out->d) ||
      !exec_decode_value(d, pi, &pi->ops[pi->n_ops - 1], PTX_PRED, &out->c))
    return false;
  *first = 1;
  *n = pi->n_ops - 2u;
  return true;
}

static void run_cluster_wait(struct exec_warp *w, const struct exec_inst *in) {
  (void)in;
  exec_cluster_wait(w);
}

/* Other CTAs of the cluster may be on other SMs. */
static bool decode_bar_cluster(struct exec_inst *out, bool waits) {
  out->fn = waits ? run_cluster_wait : exec_cluster_arrive;
  out->unit = EXEC_U_BARRIER;
  out->flags |= EXEC_CONTROL | EXEC_ORDERED;
  return true;
}

static bool decode_bar(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (ptx_has(pi, PTX_M_warp)) return decode_bar_warp(d, pi, out);
  if (ptx_has(pi, PTX_M_cluster)) return decode_bar_cluster(out, ptx_has(pi, PTX_M_wait));
  struct barrier *x = ARENA_NEW(d->arena, struct barrier);
  unsigned first = 0, n = pi->n_ops;
  out->fn = run_barrier;
  out->unit = EXEC_U_BARRIER;
  out->flags |= EXEC_CONTROL;
  out->sub = EXEC_BAR_PLAIN;
  out->aux = x;
  x->waits = !ptx_has(pi, PTX_M_arrive);
  x->threads.file = EXEC_FNONE;
  if (ptx_has(pi, PTX_M_red) && !decode_bar_red(d, pi, out, &first, &n)) return false;
  if (n < 1 || n > 2 || (!x->waits && n != 2)) return exec_refuse(d, pi, "wrong number of operands");
  if (!exec_decode_value(d, pi, &pi->ops[first], PTX_U32, &x->id)) return false;
  return n == 1 || exec_decode_value(d, pi, &pi->ops[first + 1], PTX_U32, &x->threads);
}

static bool decode_quiet(struct exec_inst *out, enum exec_unit unit) {
  out->fn = unit == EXEC_U_FENCE ? run_fence : run_nothing;
  out->unit = (uint8_t)unit;
  return true;
}

/* setmaxnreg moves registers between the warps of a CTA. Here a warp has what it needs from the start, so values and time do not change. */
static bool decode_register_count(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  bool form = ptx_has(pi, PTX_M_inc) != ptx_has(pi, PTX_M_dec) && ptx_has(pi, PTX_M_sync) && ptx_has(pi, PTX_M_aligned);
  if (!form || pi->n_types != 1) return exec_refuse(d, pi, "it needs .inc or .dec, .sync.aligned and a type");
  const struct ptx_opnd *o = &pi->ops[0];
  if (o->kind != PTX_O_INT || o->imm < 24 || o->imm > 256 || o->imm % 8)
    return exec_refuse(d, pi, "the number of registers must be a multiple of 8 between 24 and 256");
  return decode_quiet(out, EXEC_U_ALU);
}

bool exec_decode_warp(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch (pi->op) {
  case PTX_OP_shfl: return decode_shuffle(d, pi, out);
  case PTX_OP_vote: return decode_vote(d, pi, out);
  case PTX_OP_match: return decode_match(d, pi, out);
  case PTX_OP_redux: return decode_redux(d, pi, out);
  case PTX_OP_activemask: return decode_activemask(d, pi, out);
  case PTX_OP_elect: return decode_elect(d, pi, out);
  case PTX_OP_bar:
  case PTX_OP_barrier: return decode_bar(d, pi, out);
  case PTX_OP_membar:
  case PTX_OP_fence: return decode_quiet(out, EXEC_U_FENCE);
  case PTX_OP_nanosleep: /* the timed model reads the operand */
    return exec_decode_value(d, pi, &pi->ops[0], PTX_U32, &out->a) && decode_quiet(out, EXEC_U_ALU);
  case PTX_OP_setmaxnreg: return decode_register_count(d, pi, out);
  case PTX_OP_griddepcontrol: return decode_quiet(out, EXEC_U_FENCE);
  default: return exec_refuse(d, pi, "it is not modelled");
  }
}
