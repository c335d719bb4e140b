/* Atomic operations: atom and red, on global, shared and generic addresses.
 *
 * Lanes are executed in lane order, so colliding lanes give the same result in every run. The macro RMW() makes the read-modify-write of
 * every operation and type, with an atomic operation of the host if several host threads execute CTAs. Orderings and scopes have no further
 * effect on values.
 *
 * A generic address may be in local memory, where no other thread can interfere: an H200 executes the operation as a load and a store of
 * the thread's own stack. The memory system sees only the load, or for red only the store.
 *
 * Subnormals: the ISA says that atom.add.f32 on global memory flushes subnormal inputs and results to a zero of the same sign, and that it
 * does not on shared memory. Generic addresses follow the memory that they point to. The ISA says nothing about local memory, which is
 * treated like shared memory here. f64 never flushes, and f16 and bf16 are .noftz by definition. Sums are rounded to nearest even. A NaN
 * result of an f64 sum is that of the operand, or else that in memory: on global memory bit for bit, on shared memory as add.f64 gives it,
 * as on an H200.
 *
 * Packed and vector forms are atomic for each element, in element order. */
#include "exec/memory/memory.h"

#include "exec/memory/address.h"
#include "exec/float_bits.h"

#include <stdatomic.h>
#include <string.h>

enum { MAX_ELEMENTS = 8 };

struct atomic { /* aux */
  struct exec_where where;
  uint8_t n, size, bytes, op;
  exec_rmw_fn rmw, rmw_shared; /* differ for sums of f32 and f64 */
  struct exec_opnd d[MAX_ELEMENTS], b[MAX_ELEMENTS], c;
};

/* ---- read, modify, write ------------------------------------------------------------------------------ */

struct bits128 {
  uint64_t lo, hi;
};

/* Writes `new` if `old` is still there; otherwise reads the present value into `old`. */
#define REPLACE(T)                                                                                           \
  static bool replace_##T(void *p, T *old, T new) {                                                          \
    return __atomic_compare_exchange_n((T *)p, old, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);         \
  }
REPLACE(uint16_t)
REPLACE(uint32_t)
REPLACE(uint64_t)

/* Not every host CPU has such an operation, so one thread at a time does it. */
typedef struct bits128 bits128_t;
static bool replace_bits128_t(void *p, bits128_t *old, bits128_t new) {
  static atomic_flag busy = ATOMIC_FLAG_INIT;
  bits128_t now;
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {}
  memcpy(&now, p, sizeof now);
  bool same = !memcmp(&now, old, sizeof now);
  if (same) memcpy(p, &new, sizeof new);
  *old = now;
  atomic_flag_clear_explicit(&busy, memory_order_release);
  return same;
}

/* T is the type in memory, ROW that of the registers. NEW is the expression to write, of old, b and c. Lanes at one address pass the value
 * on without memory in between, unless other host threads may access it too. */
#define RMW_OPERANDS(T, ROW)                                                                                 \
  const unsigned i = (unsigned)__builtin_ctz(m);                                                             \
  const T b = (T)((const ROW *)b_row)[i], c = c_row ? (T)((const ROW *)c_row)[i] : b;                        \
  (void)c
#define RMW(NAME, T, ROW, NEW)                                                                               \
  static bool NAME##_concurrent(const struct exec_reach *r, uint32_t at, ROW *d, const void *b_row,          \
                                const void *c_row) {                                                         \
    bool changed = false;                                                                                    \
    for (uint32_t m = r->lanes; m; m &= m - 1) {                                                             \
      RMW_OPERANDS(T, ROW);                                                                                  \
      unsigned char *p = exec_host(r, i) + at;                                                               \
      T old, new;                                                                                            \
      memcpy(&old, p, sizeof old);                                                                           \
      do new = (T)(NEW);                                                                                     \
      while (!replace_##T(p, &old, new));                                                                    \
      changed |= memcmp(&old, &new, sizeof new) != 0;                                                        \
      if (d) d[i] = (ROW)old;                                                                                \
    }                                                                                                        \
    return changed;                                                                                          \
  }                                                                                                          \
  static bool NAME##_at_one(unsigned char *p, uint32_t lanes, ROW *d, const void *b_row, const void *c_row) { \
    bool changed = false;                                                                                    \
    T old, new;                                                                                              \
    memcpy(&old, p, sizeof old);                                                                             \
    for (uint32_t m = lanes; m; m &= m - 1) {                                                                \
      RMW_OPERANDS(T, ROW);                                                                                  \
      new = (T)(NEW);                                                                                        \
      changed |= memcmp(&old, &new, sizeof new) != 0;                                                        \
      if (d) d[i] = (ROW)old;                                                                                \
      old = new;                                                                                             \
    }                                                                                                        \
    memcpy(p, &old, sizeof old);                                                                             \
    return changed;                                                                                          \
  }                                                                                                          \
  static bool NAME(const struct exec_reach *r, uint32_t at, void *old_row, const void *b_row,                \
                   const void *c_row) {                                                                      \
    ROW *const d = old_row;                                                                                  \
    const uint64_t base = r->base + at, *const addr = r->addr;                                               \
    bool changed = false;                                                                                    \
    if (r->concurrent || r->stride) return NAME##_concurrent(r, at, d, b_row, c_row);                        \
    if (r->pattern == EXEC_SAME)                                                                             \
      return NAME##_at_one(exec_mem_ptr(base + addr[__builtin_ctz(r->lanes)]), r->lanes, d, b_row, c_row);   \
    for (uint32_t m = r->lanes; m; m &= m - 1) {                                                             \
      RMW_OPERANDS(T, ROW);                                                                                  \
      unsigned char *p = exec_mem_ptr(base + addr[i]);                                                       \
      T old, new;                                                                                            \
      memcpy(&old, p, sizeof old);                                                                           \
      new = (T)(NEW);                                                                                        \
      memcpy(p, &new, sizeof new);                                                                           \
      changed |= memcmp(&old, &new, sizeof new) != 0;                                                        \
      if (d) d[i] = (ROW)old;                                                                                \
    }                                                                                                        \
    return changed;                                                                                          \
  }
#define RMW16(NAME, NEW)  RMW(NAME, uint16_t, uint32_t, NEW)
#define RMW32(NAME, NEW)  RMW(NAME, uint32_t, uint32_t, NEW)
#define RMW64(NAME, NEW)  RMW(NAME, uint64_t, uint64_t, NEW)
#define RMW128(NAME, NEW) RMW(NAME, bits128_t, bits128_t, NEW)
#define LESS(S, x, y)     ((S)(x) < (S)(y))

RMW16(cas16, old == b ? c : old)
RMW32(cas32, old == b ? c : old)
RMW64(cas64, old == b ? c : old)
RMW128(cas128, old.lo == b.lo && old.hi == b.hi ? c : old)
RMW32(exch32, b)
RMW64(exch64, b)
RMW128(exch128, b)
RMW32(and32, (old & b))
RMW64(and64, (old & b))
RMW32(or32, old | b)
RMW64(or64, old | b)
RMW32(xor32, old ^ b)
RMW64(xor64, old ^ b)
RMW32(add32, old + b)
RMW64(add64, old + b)
RMW32(inc32, old >= b ? 0 : old + 1)
RMW32(dec32, old == 0 || old > b ? b : old - 1)
RMW32(min_u32, old < b ? old : b)
RMW32(max_u32, old < b ? b : old)
RMW32(min_s32, LESS(int32_t, old, b) ? old : b)
RMW32(max_s32, LESS(int32_t, old, b) ? b : old)
RMW64(min_u64, old < b ? old : b)
RMW64(max_u64, old < b ? b : old)
RMW64(min_s64, LESS(int64_t, old, b) ? old : b)
RMW64(max_s64, LESS(int64_t, old, b) ? b : old)

static uint32_t sum_f32(uint32_t x, uint32_t y) {
  return exec_bits32(exec_nan32(exec_float(x) + exec_float(y)));
}
static uint32_t sum_f32_ftz(uint32_t x, uint32_t y) {
  float r = exec_nan32(exec_ftz32(exec_float(x)) + exec_ftz32(exec_float(y)));
  return exec_bits32(exec_ftz32(r));
}
static uint64_t sum_f64_shared(uint64_t x, uint64_t y) {
  double a = exec_double(x), b = exec_double(y);
  return exec_bits64(exec_nan64_2(a + b, a, b));
}
static uint64_t sum_f64_global(uint64_t x, uint64_t y) {
  double a = exec_double(x), b = exec_double(y), r = a + b;
  return b != b ? y : a != a ? x : r != r ? EXEC_NAN64_BITS : exec_bits64(r);
}
/* f32 has enough bits for the sum of two 16-bit numbers to be rounded twice without harm. */
static uint32_t sum_f16(uint32_t x, uint32_t y) {
  return exec_f16_from_float(exec_f16_to_float(x) + exec_f16_to_float(y));
}
static uint32_t sum_bf16(uint32_t x, uint32_t y) {
  return exec_bf16_from_float(exec_bf16_to_float(x) + exec_bf16_to_float(y));
}

/* Both 16-bit formats order like sign and magnitude. A NaN loses against a number; -0 is below +0. */
static int32_t order16(uint32_t x) {
  return x & 0x8000u ? -(int32_t)(x & 0x7fffu) - 1 : (int32_t)(x & 0x7fffu);
}
static uint32_t pick16(uint32_t x, uint32_t y, uint32_t infinity, bool larger) {
  bool x_nan = (x & 0x7fffu) > infinity, y_nan = (y & 0x7fffu) > infinity;
  if (x_nan || y_nan) return x_nan && y_nan ? EXEC_NAN16_BITS : x_nan ? y : x;
  return (order16(x) < order16(y)) == larger ? y : x;
}
static uint32_t min_of_f16(uint32_t x, uint32_t y) { return pick16(x, y, 0x7c00u, false); }
static uint32_t max_of_f16(uint32_t x, uint32_t y) { return pick16(x, y, 0x7c00u, true); }
static uint32_t min_of_bf16(uint32_t x, uint32_t y) { return pick16(x, y, 0x7f80u, false); }
static uint32_t max_of_bf16(uint32_t x, uint32_t y) { return pick16(x, y, 0x7f80u, true); }

#define BOTH(F, x, y) ((F((x)&0xffffu, (y)&0xffffu)) | (F((x) >> 16, (y) >> 16)) << 16)

RMW32(add_f32, sum_f32(old, b))
RMW32(add_f32_ftz, sum_f32_ftz(old, b))
RMW64(add_f64_shared, sum_f64_shared(old, b))
RMW64(add_f64_global, sum_f64_global(old, b))
RMW16(add_f16, sum_f16(old, b))
RMW16(min_f16, min_of_f16(old, b))
RMW16(max_f16, max_of_f16(old, b))
RMW16(add_bf16, sum_bf16(old, b))
RMW16(min_bf16, min_of_bf16(old, b))
RMW16(max_bf16, max_of_bf16(old, b))
RMW32(add_f16x2, BOTH(sum_f16, old, b))
RMW32(min_f16x2, BOTH(min_of_f16, old, b))
RMW32(max_f16x2, BOTH(max_of_f16, old, b))
RMW32(add_bf16x2, BOTH(sum_bf16, old, b))
RMW32(min_bf16x2, BOTH(min_of_bf16, old, b))
RMW32(max_bf16x2, BOTH(max_of_bf16, old, b))

/* ---- execution ---------------------------------------------------------------------------------------- */

static void *row_or_null(const struct exec_warp *w, struct exec_opnd o) {
  return o.file == EXEC_FNONE ? NULL : exec_row(w, o);
}

/* A register may receive the old values of one element and hold the operands of another, so operands are copied first. */
static bool run_vector(const struct exec_warp *w, const struct atomic *x, const struct exec_reach *r,
                       exec_rmw_fn rmw) {
  uint32_t b[MAX_ELEMENTS][EXEC_LANES];
  for (unsigned i = 0; i < x->n; i++) memcpy(b[i], exec_row(w, x->b[i]), sizeof b[i]);
  bool changed = false;
  for (unsigned i = 0; i < x->n; i++) changed |= rmw(r, i * x->size, row_or_null(w, x->d[i]), b[i], NULL);
  return changed;
}

static bool run_part(const struct exec_warp *w, const struct atomic *x, const struct exec_reach *r) {
  exec_rmw_fn rmw = r->space == PTX_GLOBAL ? x->rmw : x->rmw_shared;
  if (x->n > 1) return run_vector(w, x, r, rmw);
  return rmw(r, 0, row_or_null(w, x->d[0]), exec_row(w, x->b[0]), row_or_null(w, x->c));
}

static enum exec_access_op noted_op(const struct atomic *x, const struct exec_reach *r) {
  if (r->space == PTX_LOCAL) return x->op == EXEC_REDUCE ? EXEC_STORE : EXEC_LOAD;
  return (enum exec_access_op)x->op;
}

static void run_atomic(struct exec_warp *w, const struct exec_inst *in) {
  const struct atomic *x = in->aux;
  struct exec_reach r;
  if (!exec_reach(w, in, &x->where, (enum exec_access_op)x->op, x->bytes, w->access.addr, &r)) return;
  exec_note_access(w, noted_op(x, &r), EXEC_CACHE_GLOBAL, x->bytes, &r);
  r.concurrent = w->grid->concurrent;
  bool changed = false;
  do changed |= run_part(w, x, &r);
  while (exec_reach_more(w, in, &r));
  w->access.same = !changed;
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

struct variant {
  uint16_t op; /* enum ptx_mod */
  uint8_t type;
  bool only_vector; /* scalars have no such operation */
  exec_rmw_fn rmw, rmw_shared;
};

#define SAME(OP, TYPE, FN)                                                                                   \
  { PTX_M_##OP, PTX_##TYPE, false, FN, FN }
#define VECTOR(OP, TYPE, FN)                                                                                 \
  { PTX_M_##OP, PTX_##TYPE, true, FN, FN }
static const struct variant variants[] = {
    SAME(and, B32, and32),
    SAME(and, B64, and64),
    SAME(or, B32, or32),
    SAME(or, B64, or64),
    SAME(xor, B32, xor32),
    SAME(xor, B64, xor64),
    SAME(cas, B16, cas16),
    SAME(cas, B32, cas32),
    SAME(cas, B64, cas64),
    SAME(cas, B128, cas128),
    SAME(cas, U32, cas32),
    SAME(cas, S32, cas32),
    SAME(cas, U64, cas64),
    SAME(cas, S64, cas64),
    SAME(exch, B32, exch32),
    SAME(exch, B64, exch64),
    SAME(exch, B128, exch128),
    SAME(exch, U32, exch32),
    SAME(exch, S32, exch32),
    SAME(exch, U64, exch64),
    SAME(exch, S64, exch64),
    SAME(exch, F32, exch32),
    SAME(exch, F64, exch64),
    SAME(add, U32, add32),
    SAME(add, S32, add32),
    SAME(add, U64, add64),
    SAME(add, S64, add64),
    SAME(inc, U32, inc32),
    SAME(dec, U32, dec32),
    SAME(min, U32, min_u32),
    SAME(min, S32, min_s32),
    SAME(min, U64, min_u64),
    SAME(min, S64, min_s64),
    SAME(max, U32, max_u32),
    SAME(max, S32, max_s32),
    SAME(max, U64, max_u64),
    SAME(max, S64, max_s64),
    {PTX_M_add, PTX_F32, false, add_f32_ftz, add_f32},
    {PTX_M_add, PTX_F64, false, add_f64_global, add_f64_shared},
    SAME(add, F16, add_f16),
    SAME(add, F16X2, add_f16x2),
    SAME(add, BF16, add_bf16),
    SAME(add, BF16X2, add_bf16x2),
    VECTOR(min, F16, min_f16),
    VECTOR(min, F16X2, min_f16x2),
    VECTOR(min, BF16, min_bf16),
    VECTOR(min, BF16X2, min_bf16x2),
    VECTOR(max, F16, max_f16),
    VECTOR(max, F16X2, max_f16x2),
    VECTOR(max, BF16, max_bf16),
    VECTOR(max, BF16X2, max_bf16x2),
};

static const struct variant *variant_of(const struct ptx_inst *pi, enum ptx_type t, bool scalar) {
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    const struct variant *v = &variants[i];
    if (v->type != t || !ptx_has(pi, (enum ptx_mod)v->op)) continue;
    if (!v->only_vector || !scalar) return v;
  }
  return NULL;
}

static const struct variant *find_variant(const struct ptx_inst *pi, bool scalar) {
  return variant_of(pi, (enum ptx_type)pi->types[0], scalar);
}

/* Copies that reduce never flush subnormals of f32. */
exec_rmw_fn exec_bulk_reduction(const struct ptx_inst *pi, bool shared) {
  const struct variant *v = pi->n_types ? find_variant(pi, false) : NULL;
  if (!v || ptx_has(pi, PTX_M_cas) || ptx_has(pi, PTX_M_exch)) return NULL;
  return shared || v->type == PTX_F32 ? v->rmw_shared : v->rmw;
}

exec_rmw_fn exec_reduction_of(const struct ptx_inst *pi, enum ptx_type t, bool flush) {
  static const enum ptx_type bits[] = {PTX_B32, PTX_B64};
  const struct variant *v = variant_of(pi, t, false);
  bool whole = ptx_type_bits(t) >= 32 && !ptx_type_float(t);
  if (!v && whole) v = variant_of(pi, bits[ptx_type_bits(t) == 64], false); /* and, or, xor */
  if (!v) return NULL;
  return v->type == PTX_F32 && !flush ? v->rmw_shared : v->rmw;
}

/* Vectors are sums of f32, or operations on 16-bit floats, of up to 16 bytes. */
static bool vector_allowed(enum ptx_type t, unsigned n) {
  bool has = t == PTX_F32 || t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
  return has && n * ptx_type_bits(t) <= 128;
}

static bool decode_values(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                          bool dest, struct exec_opnd *out) {
  enum ptx_type t = (enum ptx_type)pi->types[0];
  unsigned n;
  const struct ptx_opnd *e = exec_elements(o, &n);
  if (n != pi->vec) return exec_refuse(d, pi, "the number of registers does not fit the vector");
  for (unsigned i = 0; i < n; i++)
    if (!(dest ? exec_decode_result(d, pi, &e[i], t, &out[i]) : exec_decode_value(d, pi, &e[i], t, &out[i])))
      return false;
  return true;
}

static bool decode_operands(struct exec_decoder *d, const struct ptx_inst *pi, struct atomic *x) {
  bool returns = pi->op == PTX_OP_atom, cas = ptx_has(pi, PTX_M_cas);
  const struct ptx_opnd *o = pi->ops;
  if (pi->n_ops < 2u + returns + cas) return exec_refuse(d, pi, "operands are missing");
  for (unsigned i = 0; i < MAX_ELEMENTS; i++) x->d[i].file = EXEC_FNONE;
  x->c.file = EXEC_FNONE;
  if (returns && !decode_values(d, pi, o++, true, x->d)) return false;
  if (!exec_decode_where(d, pi, o++, (enum ptx_space)pi->space, &x->where)) return false;
  if (!decode_values(d, pi, o++, false, x->b)) return false;
  return !cas || decode_values(d, pi, o, false, &x->c);
}

bool exec_decode_atomic(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct atomic *x = ARENA_NEW(d->arena, struct atomic);
  if (ptx_has(pi, PTX_M_async)) return exec_refuse(d, pi, "asynchronous reductions are not modelled");
  if (!pi->n_types) return exec_refuse(d, pi, "it needs a type");
  if (pi->vec > 1 && !vector_allowed((enum ptx_type)pi->types[0], pi->vec))
    return exec_refuse(d, pi, "there is no such vector operation");
  const struct variant *v = find_variant(pi, pi->vec == 1);
  if (!v) return exec_refuse(d, pi, "there is no such atomic operation for this type");
  x->rmw = v->rmw;
  x->rmw_shared = v->rmw_shared;
  x->n = pi->vec;
  x->size = (uint8_t)(ptx_type_bits((enum ptx_type)v->type) / 8);
  x->bytes = (uint8_t)(x->n * x->size);
  x->op = pi->op == PTX_OP_red ? EXEC_REDUCE : EXEC_ATOMIC;
  if (!decode_operands(d, pi, x)) return false;
  uint8_t s = x->where.space;
  if (s != PTX_GLOBAL && s != PTX_SHARED && s != PTX_GENERIC)
    return exec_refuse(d, pi, "atomic operations work on global and shared memory only");
  out->fn = run_atomic;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = x->size;
  out->vec = x->n;
  out->space = s;
  out->aux = x;
  return true;
}
