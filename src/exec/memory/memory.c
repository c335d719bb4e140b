/* Loads, stores and cache hints: ld, ldu, st, prefetch, prefetchu, discard, applypriority, createpolicy.
 *
 * A value is moved when the instruction executes. Caches, orderings (.relaxed, .acquire, .volatile ...) and scopes have no effect on
 * values, only on what is left in w->access, unless a view shows stale bytes (view.h). Elements of up to 32 bits are extended to the
 * register by the instruction's type, as the ISA says: signed types by their sign, all others with zeros.
 *
 * Each element of a vector has a mover, chosen by the sizes of the memory element and of the register. A mover knows three shapes: all
 * lanes at one address, 32 consecutive elements, and anything else. */
#include "exec/memory/memory.h"

#include "exec/memory/address.h"
#include "exec/observe.h"
#include "exec/memory/view.h"

#include <string.h>

/* Moves one element of r's lanes between a row and memory; `at` is the element's offset in the vector. */
typedef void (*move_fn)(void *row, const struct exec_reach *r, uint32_t at);

enum { MAX_ELEMENTS = 8, MAX_BYTES = 32 };

struct element {
  struct exec_opnd row;
  move_fn move;
};
struct moving { /* aux of ld and st */
  struct exec_where where;
  uint8_t n, bytes, cache;
  bool read_only;
  exec_quick_fn quick;
  bool quads; /* four elements of 32 bits in 32-bit registers: moved by load_quads and store_quads */
  struct element e[MAX_ELEMENTS];
};

/* ---- movers ------------------------------------------------------------------------------------------- */

struct bits128 {
  uint64_t lo, hi;
};

/* The next warp, or the same warp of the next CTA, will probably load the data behind: the host prefetches them. */
static inline void fetch_ahead(const unsigned char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

/* The movers' loops. `p` walks with a constant step where the addresses are consecutive. */
#define LOADER(NAME, MEMORY, ROW)                                                                            \
  static inline ROW NAME##_one(const unsigned char *p) {                                                     \
    MEMORY x;                                                                                                \
    memcpy(&x, p, sizeof x);                                                                                 \
    return (ROW)x;                                                                                           \
  }                                                                                                          \
  static void NAME##_all(ROW *restrict d, const struct exec_reach *r, uint32_t at) {                         \
    const unsigned char *p = exec_host(r, 0) + at;                                                           \
    if (r->stride || r->pattern == EXEC_SCATTERED) {                                                         \
      for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = NAME##_one(exec_host(r, i) + at);                     \
    } else if (r->pattern == EXEC_SAME) {                                                                    \
      const ROW x = NAME##_one(p);                                                                           \
      for (unsigned i = 0; i < EXEC_LANES; i++) d[i] = x;                                                    \
    } else if (r->bytes == sizeof(ROW) && sizeof(MEMORY) == sizeof(ROW)) {                                   \
      memcpy(d, p, EXEC_LANES * sizeof(ROW));                                                                \
      fetch_ahead(p + EXEC_LANES * sizeof(ROW), EXEC_LANES * sizeof(ROW));                                   \
    } else {                                                                                                 \
      for (unsigned i = 0; i < EXEC_LANES; i++, p += r->bytes) d[i] = NAME##_one(p);                         \
    }                                                                                                        \
  }                                                                                                          \
  static void NAME(void *row, const struct exec_reach *r, uint32_t at) {                                     \
    ROW *d = row;                                                                                            \
    if (r->lanes == EXEC_ALL_LANES) {                                                                        \
      NAME##_all(d, r, at);                                                                                  \
      return;                                                                                                \
    }                                                                                                        \
    for (uint32_t m = r->lanes; m; m &= m - 1) {                                                             \
      unsigned i = (unsigned)__builtin_ctz(m);                                                               \
      d[i] = NAME##_one(exec_host(r, i) + at);                                                               \
    }                                                                                                        \
  }

/* Lanes that store to one address do so in lane order: the highest lane's value stays. */
#define STORER(NAME, MEMORY, ROW)                                                                            \
  static inline void NAME##_one(unsigned char *p, ROW x) {                                                   \
    MEMORY y = (MEMORY)x;                                                                                    \
    memcpy(p, &y, sizeof y);                                                                                 \
  }                                                                                                          \
  static void NAME##_all(const ROW *s, const struct exec_reach *r, uint32_t at) {                            \
    unsigned char *p = exec_host(r, 0) + at;                                                                 \
    if (r->stride || r->pattern != EXEC_CONSECUTIVE) {                                                       \
      for (unsigned i = 0; i < EXEC_LANES; i++) NAME##_one(exec_host(r, i) + at, s[i]);                      \
    } else if (r->bytes == sizeof(ROW) && sizeof(MEMORY) == sizeof(ROW)) {                                   \
      memcpy(p, s, EXEC_LANES * sizeof(ROW));                                                                \
    } else {                                                                                                 \
      for (unsigned i = 0; i < EXEC_LANES; i++, p += r->bytes) NAME##_one(p, s[i]);                          \
    }                                                                                                        \
  }                                                                                                          \
  static void NAME(void *row, const struct exec_reach *r, uint32_t at) {                                     \
    const ROW *s = row;                                                                                      \
    if (r->lanes == EXEC_ALL_LANES) {                                                                        \
      NAME##_all(s, r, at);                                                                                  \
      return;                                                                                                \
    }                                                                                                        \
    for (uint32_t m = r->lanes; m; m &= m - 1) {                                                             \
      unsigned i = (unsigned)__builtin_ctz(m);                                                               \
      NAME##_one(exec_host(r, i) + at, s[i]);                                                                \
    }                                                                                                        \
  }

LOADER(load_u8_32, uint8_t, uint32_t)
LOADER(load_u16_32, uint16_t, uint32_t)
LOADER(load_32, uint32_t, uint32_t)
LOADER(load_s8_32, int8_t, uint32_t)
LOADER(load_s16_32, int16_t, uint32_t)
LOADER(load_u8_64, uint8_t, uint64_t)
LOADER(load_u16_64, uint16_t, uint64_t)
LOADER(load_u32_64, uint32_t, uint64_t)
LOADER(load_s8_64, int8_t, uint64_t)
LOADER(load_s16_64, int16_t, uint64_t)
LOADER(load_s32_64, int32_t, uint64_t)
LOADER(load_64, uint64_t, uint64_t)
LOADER(load_128, struct bits128, struct bits128)
STORER(store_8_32, uint8_t, uint32_t)
STORER(store_16_32, uint16_t, uint32_t)
STORER(store_32, uint32_t, uint32_t)
STORER(store_8_64, uint8_t, uint64_t)
STORER(store_16_64, uint16_t, uint64_t)
STORER(store_32_64, uint32_t, uint64_t)
STORER(store_64, uint64_t, uint64_t)
STORER(store_128, struct bits128, struct bits128)

/* The most common vector, four words per lane: four lanes are a square of words, which is transposed. */
typedef uint32_t quad __attribute__((vector_size(16), aligned(1), may_alias));

struct square {
  quad a, b, c, d;
};

static inline struct square turned_over(quad a, quad b, quad c, quad d) {
  quad ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  quad cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return (struct square){
      __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5), __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7),
      __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5), __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
}

static inline quad *quad_at(void *p) { return p; }

static void load_quads(const struct exec_warp *w, const struct moving *x, const struct exec_reach *r) {
  uint32_t *a = exec_row(w, x->e[0].row), *b = exec_row(w, x->e[1].row);
  uint32_t *c = exec_row(w, x->e[2].row), *d = exec_row(w, x->e[3].row);
  for (unsigned i = 0; i < EXEC_LANES; i += 4) {
    struct square q = turned_over(*quad_at(exec_host(r, i)), *quad_at(exec_host(r, i + 1)),
                                  *quad_at(exec_host(r, i + 2)), *quad_at(exec_host(r, i + 3)));
    *quad_at(a + i) = q.a;
    *quad_at(b + i) = q.b;
    *quad_at(c + i) = q.c;
    *quad_at(d + i) = q.d;
  }
}

static void store_quads(const struct exec_warp *w, const struct moving *x, const struct exec_reach *r) {
  uint32_t *a = exec_row(w, x->e[0].row), *b = exec_row(w, x->e[1].row);
  uint32_t *c = exec_row(w, x->e[2].row), *d = exec_row(w, x->e[3].row);
  for (unsigned i = 0; i < EXEC_LANES; i += 4) {
    struct square q = turned_over(*quad_at(a + i), *quad_at(b + i), *quad_at(c + i), *quad_at(d + i));
    *quad_at(exec_host(r, i)) = q.a;
    *quad_at(exec_host(r, i + 1)) = q.b;
    *quad_at(exec_host(r, i + 2)) = q.c;
    *quad_at(exec_host(r, i + 3)) = q.d;
  }
}

static unsigned log2_of(unsigned n) { return (unsigned)__builtin_ctz(n); }

/* By log2 of the element's bytes, for rows of 4, 8 and 16 bytes a lane. */
static move_fn pick_load(unsigned size, bool is_signed, unsigned row) {
  static const move_fn zeros[3][5] = {
      {load_u8_32, load_u16_32, load_32}, {load_u8_64, load_u16_64, load_u32_64, load_64}, {[4] = load_128}};
  static const move_fn signs[3][5] = {{load_s8_32, load_s16_32, load_32},
                                      {load_s8_64, load_s16_64, load_s32_64, load_64}};
  return (is_signed ? signs : zeros)[log2_of(row) - 2][log2_of(size)];
}

static move_fn pick_store(unsigned size, unsigned row) {
  static const move_fn table[3][5] = {{store_8_32, store_16_32, store_32},
                                      {store_8_64, store_16_64, store_32_64, store_64},
                                      {[4] = store_128}};
  return table[log2_of(row) - 2][log2_of(size)];
}

/* ---- execution ---------------------------------------------------------------------------------------- */

static void run_load(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  struct exec_reach r;
  if (!exec_reach(w, in, &x->where, EXEC_LOAD, x->bytes, w->access.addr, &r)) return;
  exec_note_access(w, EXEC_LOAD, (enum exec_cache_op)x->cache, x->bytes, &r);
  w->access.read_only = x->read_only;
  struct exec_view *view = w->cta->view;
  if (view && view->stale && r.space == PTX_GLOBAL && exec_looks_into_l1((enum exec_cache_op)x->cache)) view->read(view, &r);
  if (x->quads && r.lanes == EXEC_ALL_LANES && r.pattern != EXEC_SAME) {
    load_quads(w, x, &r);
    return;
  }
  do {
    for (unsigned i = 0; i < x->n; i++)
      if (x->e[i].row.file != EXEC_FNONE) x->e[i].move(exec_row(w, x->e[i].row), &r, i * in->size);
  } while (exec_reach_more(w, in, &r));
}

static const uint64_t nowhere[EXEC_LANES] __attribute__((aligned(64))); /* addresses for data at a reach's base in every lane */

/* A kernel's own parameter, known to lie inside the parameters: without timing its address is not needed. */
static void run_load_param(struct exec_warp *w, const struct exec_inst *in) {
  if (w->grid->timed) {
    run_load(w, in);
    return;
  }
  const struct moving *x = in->aux;
  struct exec_reach r;
  r.lanes = w->mask;
  r.pattern = EXEC_SAME;
  r.bytes = x->bytes;
  r.base = (uint64_t)(uintptr_t)w->grid->params + (uint64_t)x->where.offset;
  r.stride = 0;
  r.addr = nowhere;
  for (unsigned i = 0; i < x->n; i++)
    if (x->e[i].row.file != EXEC_FNONE) x->e[i].move(exec_row(w, x->e[i].row), &r, i * in->size);
}

/* Copies the lanes' bytes, MAX_BYTES apart. */
static void copy_lanes(const struct exec_reach *r, unsigned char *out) {
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    if (r->bytes == 4) memcpy(out + lane * MAX_BYTES, exec_host(r, lane), 4);
    else memcpy(out + lane * MAX_BYTES, exec_host(r, lane), r->bytes);
  }
}

static bool lanes_equal(const struct exec_reach *r, const unsigned char *as) {
  for (uint32_t m = r->lanes; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    const unsigned char *is = exec_host(r, lane), *was = as + lane * MAX_BYTES;
    if (r->bytes == 4 ? memcmp(is, was, 4) : memcmp(is, was, r->bytes)) return false;
  }
  return true;
}

static void store_watched(struct exec_warp *w, const struct exec_inst *in, struct exec_reach *r) {
  const struct moving *x = in->aux;
  unsigned char before[EXEC_LANES * MAX_BYTES];
  bool same = true;
  do {
    copy_lanes(r, before);
    for (unsigned i = 0; i < x->n; i++) x->e[i].move(exec_row(w, x->e[i].row), r, i * in->size);
    same &= lanes_equal(r, before);
  } while (exec_reach_more(w, in, r));
  w->access.same = same;
}

static void run_store(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  struct exec_reach r;
  if (!exec_reach(w, in, &x->where, EXEC_STORE, x->bytes, w->access.addr, &r)) return;
  exec_note_access(w, EXEC_STORE, (enum exec_cache_op)x->cache, x->bytes, &r);
  w->access.element = in->size;
  if (w->watched) {
    store_watched(w, in, &r);
    return;
  }
  if (x->quads && r.lanes == EXEC_ALL_LANES) {
    store_quads(w, x, &r);
    return;
  }
  do {
    for (unsigned i = 0; i < x->n; i++) x->e[i].move(exec_row(w, x->e[i].row), &r, i * in->size);
  } while (exec_reach_more(w, in, &r));
}

/* The most common loads and stores, of lanes inside known memory: see exec_known_window. */
static bool moved_row_quickly(struct exec_warp *w, const struct moving *x, void *data, bool writes) {
  struct exec_window at;
  if (exec_observer(w) || !exec_known_window(w, &x->where, writes, &at)) return false;
  const void *row = x->where.base.file == EXEC_FNONE ? nowhere : exec_row(w, x->where.base);
  return x->quick(data, row, exec_where_offset(w, &x->where), w->mask, &at);
}

static bool moved_quickly(struct exec_warp *w, const struct moving *x, bool writes) {
  return moved_row_quickly(w, x, exec_row(w, x->e[0].row), writes);
}

static void load_quickly(struct exec_warp *w, const struct exec_inst *in) {
  if (!moved_quickly(w, in->aux, false)) run_load(w, in);
}

/* Leaves of the access what a runner needs: that it is a store, and the first lane's address. */
static void note_quick_store(struct exec_warp *w, const struct moving *x) {
  unsigned first = (unsigned)__builtin_ctz(w->mask);
  w->access.op = EXEC_STORE;
  w->access.mask = w->mask;
  w->access.addr[first] = x->where.base.file == EXEC_FNONE ? (uint64_t)x->where.offset : exec_lane_address(w, &x->where, first);
}

static void store_quickly(struct exec_warp *w, const struct exec_inst *in) {
  if (w->watched || !moved_quickly(w, in->aux, true)) run_store(w, in);
  else note_quick_store(w, in->aux);
}

/* ---- vectors, moved as one wide element that is put together or taken apart ---------------------------- */

union vectors {
  uint32_t of_32[EXEC_LANES][4]; /* 16 bytes a lane */
  uint64_t halves[EXEC_LANES][2];
} __attribute__((aligned(64)));

/* Moves the lanes of the mask; for all lanes the loop is vectorised. */
#define EACH_OF_MASK(mask, ...)                                                                              \
  do {                                                                                                       \
    if ((mask) == EXEC_ALL_LANES) {                                                                          \
      for (unsigned i = 0; i < EXEC_LANES; i++) __VA_ARGS__;                                                 \
      break;                                                                                                 \
    }                                                                                                        \
    for (uint32_t m_ = (mask); m_; m_ &= m_ - 1) {                                                           \
      const unsigned i = (unsigned)__builtin_ctz(m_);                                                        \
      __VA_ARGS__;                                                                                           \
    }                                                                                                        \
  } while (0)

/* Several elements of 8, 16 or 32 bits, treated as parts of a number of at most 64 bits. */
static void load_parts_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  if (!moved_row_quickly(w, x, &v, false)) {
    run_load(w, in);
    return;
  }
  uint32_t *rows[MAX_ELEMENTS];
  for (unsigned e = 0; e < x->n; e++) rows[e] = exec_row(w, x->e[e].row);
  x->where.lanes->unpack(&v, rows, x->n, 8u * in->size, w->mask);
}

static void store_parts_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  const uint32_t *rows[MAX_ELEMENTS];
  for (unsigned e = 0; e < x->n; e++) rows[e] = exec_row(w, x->e[e].row);
  x->where.lanes->pack(rows, x->n, 8u * in->size, &v, EXEC_ALL_LANES);
  if (w->watched || !moved_row_quickly(w, x, &v, true)) run_store(w, in);
  else note_quick_store(w, x);
}

/* Two elements of 64 bits. */
static void load_halves_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  if (!moved_row_quickly(w, x, &v, false)) {
    run_load(w, in);
    return;
  }
  uint64_t *a = exec_row(w, x->e[0].row), *b = exec_row(w, x->e[1].row);
  EACH_OF_MASK(w->mask, (a[i] = v.halves[i][0], b[i] = v.halves[i][1]));
}

static void store_halves_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  const uint64_t *a = exec_row(w, x->e[0].row), *b = exec_row(w, x->e[1].row);
  EACH_OF_MASK(w->mask, (v.halves[i][0] = a[i], v.halves[i][1] = b[i]));
  if (w->watched || !moved_row_quickly(w, x, &v, true)) run_store(w, in);
  else note_quick_store(w, x);
}

/* Four elements of 32 bits. */
static void load_quads_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  if (!moved_row_quickly(w, x, &v, false)) {
    run_load(w, in);
    return;
  }
  uint32_t *rows[4];
  for (unsigned e = 0; e < 4; e++) rows[e] = exec_row(w, x->e[e].row);
  if (w->mask == EXEC_ALL_LANES) x->where.lanes->take_quads(&v, rows);
  else
    for (unsigned e = 0; e < 4; e++) EACH_OF_MASK(w->mask, rows[e][i] = v.of_32[i][e]);
}

static void store_quads_quickly(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  union vectors v;
  const uint32_t *rows[4];
  for (unsigned e = 0; e < 4; e++) rows[e] = exec_row(w, x->e[e].row);
  x->where.lanes->give_quads(&v, rows);
  if (w->watched || !moved_row_quickly(w, x, &v, true)) run_store(w, in);
  else note_quick_store(w, x);
}

unsigned exec_stored_value(const struct exec_warp *w, const struct exec_inst *in, unsigned lane,
                           unsigned char out[EXEC_STORED_BYTES]) {
  if (in->fn != run_store) return 0;
  const struct moving *x = in->aux;
  struct exec_reach r = {.lanes = UINT32_C(1) << lane, .base = (uint64_t)(uintptr_t)out, .addr = nowhere};
  for (unsigned i = 0; i < x->n; i++) x->e[i].move(exec_row(w, x->e[i].row), &r, i * in->size);
  return x->bytes;
}

static void run_prefetch(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  struct exec_access *a = &w->access;
  uint32_t lanes = exec_reach_hint(w, &x->where, a->addr);
  if (w->mask) w->sent.map = a->addr[__builtin_ctz(w->mask)];
  if (!lanes) return;
  struct exec_reach r = {.lanes = lanes, .space = PTX_GLOBAL};
  exec_note_access(w, EXEC_PREFETCH, (enum exec_cache_op)x->cache, x->bytes, &r);
}

/* discard, applypriority: the address must be valid; values do not change. */
static void run_line_hint(struct exec_warp *w, const struct exec_inst *in) {
  const struct moving *x = in->aux;
  struct exec_reach r;
  uint64_t addr[EXEC_LANES];
  if (!exec_reach(w, in, &x->where, EXEC_PREFETCH, 128, addr, &r)) return;
  while (exec_reach_more(w, in, &r)) {}
}

/* A cache policy is an opaque number; none of them changes a value. */
static void run_policy(struct exec_warp *w, const struct exec_inst *in) {
  if (in->d.file == EXEC_FNONE) return;
  uint64_t *d = exec_row(w, in->d);
  for (uint32_t m = w->mask; m; m &= m - 1) d[__builtin_ctz(m)] = 0;
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

unsigned exec_row_bytes(const struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t) {
  static const uint8_t of_class[PTX_CLASSES] = {[PTX_R32] = 4, [PTX_R64] = 8, [PTX_R128] = 16};
  if (o->kind == PTX_O_REG) return of_class[ptx_reg_class((enum ptx_type)d->pf->regs[o->reg].type)];
  if (o->kind == PTX_O_SREG) return ptx_sreg_bits((enum ptx_sreg)o->reg) > 32 ? 8 : 4;
  unsigned bits = ptx_type_bits(t);
  return bits > 64 ? 16 : bits > 32 ? 8 : 4;
}

/* Whether the operand can become a row here: only mov and cvta know addresses in the stack, and constants have 64 bits at most. */
static bool has_row(const struct exec_decoder *d, const struct ptx_opnd *o, enum ptx_type t) {
  if (o->kind == PTX_O_VAR) {
    uint8_t space = d->ptx->vars[o->sym].space;
    return space != PTX_LOCAL && space != PTX_PARAM;
  }
  return o->kind != PTX_O_SINK && (o->kind == PTX_O_REG || ptx_type_bits(t) <= 64);
}

static bool is_predicate(const struct exec_decoder *d, const struct ptx_opnd *o) {
  return o->kind == PTX_O_REG && d->pf->regs[o->reg].type == PTX_PRED;
}

static unsigned wanted_row(enum ptx_type t) {
  return ptx_type_bits(t) > 64 ? 16 : ptx_type_bits(t) > 32 ? 8 : 4;
}

bool exec_decode_value(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                       enum ptx_type t, struct exec_opnd *out) {
  bool fits = t == PTX_PRED ? is_predicate(d, o) || o->kind == PTX_O_INT
                            : has_row(d, o, t) && exec_row_bytes(d, o, t) == wanted_row(t);
  return fits ? exec_decode_source(d, o, t, out)
              : exec_refuse(d, pi, "an operand does not fit the instruction");
}

bool exec_decode_result(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o,
                        enum ptx_type t, struct exec_opnd *out) {
  bool fits = o->kind == PTX_O_SINK ||
              (t == PTX_PRED ? is_predicate(d, o) : exec_row_bytes(d, o, t) == wanted_row(t));
  return fits ? exec_decode_dest(d, o, out)
              : exec_refuse(d, pi, "the destination does not fit the instruction");
}

const struct ptx_opnd *exec_elements(const struct ptx_opnd *o, unsigned *n) {
  *n = o->kind == PTX_O_VEC ? o->n_elems : 1;
  return o->kind == PTX_O_VEC ? o->elems : o;
}

/* How a load or store treats the caches. Orderings that other CTAs can see bypass the first level. */
static enum exec_cache_op cache_of(const struct ptx_inst *pi) {
  static const struct {
    uint16_t mod;
    uint8_t cache;
  } table[] = {{PTX_M_volatile, EXEC_CACHE_VOLATILE}, {PTX_M_mmio, EXEC_CACHE_VOLATILE},
               {PTX_M_cv, EXEC_CACHE_VOLATILE},       {PTX_M_wt, EXEC_CACHE_VOLATILE},
               {PTX_M_cg, EXEC_CACHE_GLOBAL},         {PTX_M_L1__no_allocate, EXEC_CACHE_GLOBAL},
               {PTX_M_cs, EXEC_CACHE_STREAM},         {PTX_M_L1__evict_first, EXEC_CACHE_STREAM},
               {PTX_M_lu, EXEC_CACHE_LAST_USE},       {PTX_M_gpu, EXEC_CACHE_GLOBAL},
               {PTX_M_sys, EXEC_CACHE_GLOBAL},        {PTX_M_cluster, EXEC_CACHE_GLOBAL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (ptx_has(pi, (enum ptx_mod)table[i].mod)) return (enum exec_cache_op)table[i].cache;
  return EXEC_CACHE_ALL;
}

static bool all_moved_by(const struct moving *x, move_fn move) {
  for (unsigned i = 0; i < x->n; i++)
    if (x->e[i].move != move) return false;
  return true;
}

static void fill_inst(struct exec_inst *out, struct moving *x, exec_fn fn, unsigned size) {
  x->quads = x->n == 4 && (all_moved_by(x, load_32) || all_moved_by(x, store_32));
  out->fn = fn;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = (uint8_t)size;
  out->vec = x->n;
  out->space = x->where.space;
  out->aux = x;
}

static bool refuse_async_forms(struct exec_decoder *d, const struct ptx_inst *pi) {
  if (ptx_has(pi, PTX_M_bulk)) return exec_refuse(d, pi, "bulk stores are not modelled");
  return true;
}

/* The type and shape that loads and stores share. */
static bool begin(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *address,
                  const struct ptx_opnd *value, struct moving **moving) {
  struct moving *x = *moving = ARENA_NEW(d->arena, struct moving);
  unsigned bits = pi->n_types ? ptx_type_bits((enum ptx_type)pi->types[0]) : 0, n;
  if (!refuse_async_forms(d, pi)) return false;
  if (bits < 8) return exec_refuse(d, pi, "it needs a type of 8 to 128 bits");
  exec_elements(value, &n);
  if (n != pi->vec) return exec_refuse(d, pi, "the number of registers does not fit the vector");
  if (n > MAX_ELEMENTS || n * bits / 8 > MAX_BYTES) return exec_refuse(d, pi, "the vector is too long");
  x->n = (uint8_t)n;
  x->bytes = (uint8_t)(n * bits / 8);
  x->cache = (uint8_t)cache_of(pi);
  x->read_only = ptx_has(pi, PTX_M_nc) || pi->op == PTX_OP_ldu;
  return exec_decode_where(d, pi, address, (enum ptx_space)pi->space, &x->where);
}

/* Whether the operand is a parameter of the kernel at a known place. */
static bool is_own_param(const struct exec_decoder *d, const struct moving *x) {
  uint64_t offset = (uint64_t)x->where.offset, all = d->pf->param_bytes;
  return x->where.area == EXEC_AREA_KERNEL && x->where.base.file == EXEC_FNONE && offset % x->bytes == 0 && offset <= all &&
         x->bytes <= all - offset;
}

/* How the value is moved quickly: one element by one of these movers, or several as one wider element. EXEC_QUICK_KINDS: not possible. */
static enum exec_quick quick_kind(const struct moving *x, const move_fn movers[EXEC_QUICK_KINDS]) {
  enum exec_quick kind = EXEC_QUICK_32;
  if (x->where.area == EXEC_AREA_KERNEL || (x->where.space == PTX_PARAM && x->where.area == EXEC_AREA_SPACE)) return EXEC_QUICK_KINDS;
  while (kind < EXEC_QUICK_KINDS && (!movers[kind] || x->e[0].move != movers[kind])) kind++;
  if (x->n == 1) return kind;
  for (unsigned i = 1; i < x->n; i++)
    if (x->e[i].move != x->e[0].move) return EXEC_QUICK_KINDS;
  if ((kind == EXEC_QUICK_32 && x->n == 4) || (kind == EXEC_QUICK_64 && x->n == 2)) return EXEC_QUICK_128;
  bool parts = kind == EXEC_QUICK_8 || kind == EXEC_QUICK_16 || kind == EXEC_QUICK_32;
  return !parts ? EXEC_QUICK_KINDS : x->bytes == 4 ? EXEC_QUICK_32 : x->bytes == 8 ? EXEC_QUICK_64 : EXEC_QUICK_KINDS;
}

/* By the number of elements and their size. */
static exec_fn quick_fn(const struct exec_inst *in, const exec_fn one, const exec_fn parts, const exec_fn halves, const exec_fn quads) {
  return in->vec == 1 ? one : in->size == 8 ? halves : in->size * in->vec == 16 ? quads : parts;
}

static bool decode_load(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct moving *x;
  unsigned n;
  if (pi->n_ops < 2) return exec_refuse(d, pi, "it needs a destination and an address");
  if (!begin(d, pi, &pi->ops[1], &pi->ops[0], &x)) return false;
  enum ptx_type t = (enum ptx_type)pi->types[0];
  unsigned size = ptx_type_bits(t) / 8;
  const struct ptx_opnd *to = exec_elements(&pi->ops[0], &n);
  for (unsigned i = 0; i < n; i++) {
    unsigned row = exec_row_bytes(d, &to[i], t);
    if (!exec_decode_dest(d, &to[i], &x->e[i].row)) return false;
    if (x->e[i].row.file == EXEC_FNONE) continue;
    x->e[i].move = row >= size ? pick_load(size, ptx_type_signed(t), row) : NULL;
    if (!x->e[i].move) return exec_refuse(d, pi, "a destination register does not fit the type");
  }
  fill_inst(out, x, is_own_param(d, x) ? run_load_param : run_load, size);
  static const move_fn movers[EXEC_QUICK_KINDS] = {[EXEC_QUICK_32] = load_32,      [EXEC_QUICK_64] = load_64,
                                                   [EXEC_QUICK_8] = load_u8_32,    [EXEC_QUICK_16] = load_u16_32,
                                                   [EXEC_QUICK_S8] = load_s8_32,   [EXEC_QUICK_S16] = load_s16_32};
  enum exec_quick kind = quick_kind(x, movers);
  if (kind < EXEC_QUICK_KINDS) {
    x->quick = d->lanes->load[!x->where.narrow][kind];
    out->quick = quick_fn(out, load_quickly, load_parts_quickly, load_halves_quickly, load_quads_quickly);
  }
  return true;
}

static bool decode_store(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct moving *x;
  unsigned n;
  if (pi->n_ops < 2) return exec_refuse(d, pi, "it needs an address and a value");
  if (!begin(d, pi, &pi->ops[0], &pi->ops[1], &x)) return false;
  if (x->where.space == PTX_CONST) return exec_refuse(d, pi, "constant memory cannot be written");
  if (x->where.area == EXEC_AREA_KERNEL) return exec_refuse(d, pi, "a kernel's parameters cannot be written");
  enum ptx_type t = (enum ptx_type)pi->types[0];
  unsigned size = ptx_type_bits(t) / 8;
  const struct ptx_opnd *from = exec_elements(&pi->ops[1], &n);
  for (unsigned i = 0; i < n; i++) {
    unsigned row = has_row(d, &from[i], t) ? exec_row_bytes(d, &from[i], t) : 0;
    if (!row) return exec_refuse(d, pi, "an operand does not fit the instruction");
    if (!exec_decode_source(d, &from[i], t, &x->e[i].row)) return false;
    x->e[i].move = row >= size ? pick_store(size, row) : NULL;
    if (!x->e[i].move) return exec_refuse(d, pi, "a source register does not fit the type");
  }
  fill_inst(out, x, run_store, size);
  static const move_fn movers[EXEC_QUICK_KINDS] = {
      [EXEC_QUICK_32] = store_32, [EXEC_QUICK_64] = store_64, [EXEC_QUICK_8] = store_8_32, [EXEC_QUICK_16] = store_16_32};
  enum exec_quick kind = quick_kind(x, movers);
  if (kind < EXEC_QUICK_KINDS) {
    x->quick = d->lanes->store[!x->where.narrow][kind];
    out->quick = quick_fn(out, store_quickly, store_parts_quickly, store_halves_quickly, store_quads_quickly);
  }
  return true;
}

static bool decode_hint(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  bool prefetch = pi->op == PTX_OP_prefetch || pi->op == PTX_OP_prefetchu;
  struct moving *x = ARENA_NEW(d->arena, struct moving);
  if (pi->n_ops < 1) return exec_refuse(d, pi, "it needs an address");
  if (!exec_decode_where(d, pi, &pi->ops[0], (enum ptx_space)pi->space, &x->where)) return false;
  x->n = 1;
  x->bytes = 1;
  x->cache = ptx_has(pi, PTX_M_L1) ? EXEC_CACHE_ALL : EXEC_CACHE_GLOBAL;
  if (prefetch && x->where.space != PTX_GLOBAL && x->where.space != PTX_GENERIC)
    x->where.base.file = EXEC_FNONE, x->where.offset = 0; /* local and constant data: nothing to prefetch */
  fill_inst(out, x, prefetch ? run_prefetch : run_line_hint, 1);
  return true;
}

static bool decode_policy(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (pi->n_ops < 1) return exec_refuse(d, pi, "the destination is missing");
  if (!exec_decode_result(d, pi, &pi->ops[0], PTX_B64, &out->d)) return false;
  out->fn = run_policy;
  out->unit = EXEC_U_ALU;
  return true;
}

bool exec_decode_memory(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  switch (pi->op) {
  case PTX_OP_ld:
  case PTX_OP_ldu: return decode_load(d, pi, out);
  case PTX_OP_st: return ptx_has(pi, PTX_M_async) ? exec_decode_async_store(d, pi, out) : decode_store(d, pi, out);
  case PTX_OP_prefetch:
  case PTX_OP_prefetchu:
  case PTX_OP_discard:
  case PTX_OP_applypriority: return decode_hint(d, pi, out);
  case PTX_OP_createpolicy: return decode_policy(d, pi, out);
  case PTX_OP_atom: return exec_decode_atomic(d, pi, out);
  case PTX_OP_red: return ptx_has(pi, PTX_M_async) ? exec_decode_async_store(d, pi, out) : exec_decode_atomic(d, pi, out);
  default: return exec_decode_async(d, pi, out);
  }
}
