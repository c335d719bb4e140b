/* wmma.load and wmma.store: a whole tile between memory and a fragment.
 *
 * The address and the stride must be the same in all lanes; the first lane's are used. A tile is `lines` rows (or columns) of contiguous
 * bytes, a stride apart.
 *
 * The timed model receives the tile's bytes in the order of memory, divided into 32 equal pieces, one per lane (4 to 32 bytes). It thus
 * sees each byte once, in as few segments as the tile has, whichever lanes hold it afterwards. */
#include "exec/memory/address.h"
#include "exec/observe.h"
#include "exec/tensor/tensor.h"

#include <string.h>

struct tile_move { /* aux */
  struct exec_tensor_fragment fragment;
  struct exec_where where;
  struct exec_opnd stride; /* 32-bit row; EXEC_FNONE: lines follow one another */
  uint16_t lines, line_bytes;
  uint8_t element_bits; /* in memory, as the stride counts them */
  bool along;           /* the tile's rows lie along the lines */
};

enum { TILE_BYTES = 32 * EXEC_LANES };

static uint32_t element_align(const struct tile_move *x) {
  return x->element_bits < 8 ? 4 : x->element_bits / 8u;
}

/* ---- memory ------------------------------------------------------------------------------------------- */

/* Where the tile lies: device address, or offset in shared memory. */
struct tile_place {
  uint64_t first, step; /* of the lines */
  uint8_t space;
  unsigned lane; /* for fault messages */
};

static bool find_place(struct exec_warp *w, const struct exec_inst *in, struct tile_place *p) {
  const struct tile_move *x = in->aux;
  uint64_t addr[EXEC_LANES];
  exec_form_addresses(w, &x->where, addr);
  p->lane = (unsigned)__builtin_ctz(w->mask);
  p->first = addr[p->lane];
  p->space = x->where.space;
  p->step = x->line_bytes;
  if (x->stride.file != EXEC_FNONE)
    p->step = (uint64_t)((const uint32_t *)exec_row(w, x->stride))[p->lane] * x->element_bits / 8;
  if (p->space != PTX_GENERIC) return true;
  p->space = PTX_GLOBAL;
  if (p->first - EXEC_SHARED_WINDOW < EXEC_SHARED_WINDOW_BYTES) {
    p->space = PTX_SHARED;
    p->first -= EXEC_SHARED_WINDOW;
  } else if (p->first - EXEC_LOCAL_WINDOW < EXEC_LOCAL_WINDOW_BYTES) {
    exec_fault(w, in, EXEC_FAULT_ADDRESS_SPACE, p->lane, "a matrix cannot lie in local memory");
    return false;
  }
  return true;
}

static void note(struct exec_warp *w, const struct tile_move *x, enum exec_access_op op,
                 const struct tile_place *p) {
  struct exec_access *a = &w->access;
  unsigned piece = (unsigned)x->lines * x->line_bytes / EXEC_LANES, each = x->line_bytes / piece;
  *a = (struct exec_access){
      .op = (uint8_t)op, .space = p->space, .bytes = (uint8_t)piece, .mask = EXEC_ALL_LANES};
  for (unsigned i = 0; i < EXEC_LANES; i++) a->addr[i] = p->first + i / each * p->step + i % each * piece;
}

/* Whether all lines lie in one allocation in which the access is permitted, so that no line needs a check of its own. */
static bool in_one_piece(const struct exec_warp *w, const struct tile_move *x, enum exec_access_op op,
                         const struct tile_place *p) {
  uint64_t bytes = (uint64_t)(x->lines - 1u) * p->step + x->line_bytes;
  if (exec_observer(w) || (p->first | p->step) & (element_align(x) - 1)) return false;
  if (p->space == PTX_SHARED) return p->first < w->cta->shared_bytes && bytes <= w->cta->shared_bytes - p->first;
  const struct exec_alloc *a = exec_mem_find(w->grid->device->mem, p->first, NULL);
  return a && bytes <= a->range.end - p->first && a->kind != EXEC_ALLOC_ARRAY &&
         (op == EXEC_LOAD || a->kind != EXEC_ALLOC_CONST);
}

/* Copies the lines to or from `bytes`, which holds them without gaps. False after a fault. */
static bool move_lines(struct exec_warp *w, const struct exec_inst *in, enum exec_access_op op,
                       const struct tile_place *p, unsigned char *bytes) {
  const struct tile_move *x = in->aux;
  bool checked = in_one_piece(w, x, op, p);
  for (unsigned i = 0; i < x->lines; i++, bytes += x->line_bytes) {
    uint64_t line = p->first + i * p->step;
    unsigned char *at = checked ? (p->space == PTX_SHARED ? w->cta->shared + line : exec_mem_ptr(line))
                                : exec_reach_block(w, in, p->lane, (enum ptx_space)p->space, op, line,
                                                   x->line_bytes, element_align(x));
    if (!at) return false;
    if (op == EXEC_LOAD)
      memcpy(bytes, at, x->line_bytes);
    else
      memcpy(at, bytes, x->line_bytes);
  }
  return true;
}

/* ---- straight between memory and registers ------------------------------------------------------------ */

#define INLINE inline __attribute__((always_inline))

/* Where the four units of a line of a block are in memory, and in the rows of one or two registers. */
struct straight {
  unsigned char *memory;
  unsigned char *rows[2];
};

typedef uint32_t four_words __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t four_wide __attribute__((vector_size(32), aligned(8), may_alias));

/* Eight elements in memory, the even ones in the first register and the odd ones in the second. */
#define LINE_OF_PAIRS(T, s, load)                                                                            \
  do {                                                                                                       \
    T *const at_ = (T *)(void *)(s)->memory, *const even_ = (T *)(void *)(s)->rows[0], *const odd_ = (T *)(void *)(s)->rows[1]; \
    if (load) {                                                                                              \
      const T a_ = at_[0], b_ = at_[1];                                                                      \
      *even_ = __builtin_shufflevector(a_, b_, 0, 2, 4, 6);                                                  \
      *odd_ = __builtin_shufflevector(a_, b_, 1, 3, 5, 7);                                                   \
    } else {                                                                                                 \
      const T a_ = *even_, b_ = *odd_;                                                                       \
      at_[0] = __builtin_shufflevector(a_, b_, 0, 4, 1, 5);                                                  \
      at_[1] = __builtin_shufflevector(a_, b_, 2, 6, 3, 7);                                                  \
    }                                                                                                        \
  } while (0)

/* A unit of one register is `bytes` of the line, four of them consecutive in both places; a unit of two registers has one element in
 * each. */
static INLINE void move_units(const struct straight *s, unsigned bytes, unsigned span, bool load) {
  if (span == 2 && bytes == 8) LINE_OF_PAIRS(four_wide, s, load);
  else if (span == 2) LINE_OF_PAIRS(four_words, s, load);
  else if (load) memcpy(s->rows[0], s->memory, 4 * bytes);
  else memcpy(s->memory, s->rows[0], 4 * bytes);
}

static INLINE void move_blocks(const struct exec_warp *w, const struct tile_move *x, unsigned char *first, uint64_t step, unsigned bytes,
                               unsigned span, bool load) {
  const struct exec_tensor_layout *l = x->fragment.layout;
  for (unsigned r = load ? 0 : l->last_copy; r < l->regs; r += span) {
    unsigned at = l->block[r / span];
    unsigned char *memory = first + at / l->cols * step + at % l->cols * l->bits / 8;
    struct straight s = {memory, {exec_row(w, x->fragment.regs[r]), exec_row(w, x->fragment.regs[r + span - 1])}};
    for (unsigned line = 0; line < 8; line++, s.memory += step) {
      move_units(&s, bytes, span, load);
      for (unsigned e = 0; e < 2; e++) s.rows[e] += 4 * bytes;
    }
  }
}

static bool has_all_registers(const struct tile_move *x) {
  for (unsigned r = 0; r < x->fragment.layout->regs; r++)
    if (x->fragment.regs[r].file == EXEC_FNONE) return false;
  return true;
}

/* For tiles whose rows lie along the lines, in one allocation, with registers made of blocks (tensor.h). Returns whether it was done. */
static bool moved_straight(const struct exec_warp *w, const struct tile_move *x, enum exec_access_op op, const struct tile_place *p) {
  const struct exec_tensor_layout *l = x->fragment.layout;
  bool load = op == EXEC_LOAD;
  if (!x->along || !l->span || l->bits != x->element_bits || w->mask != EXEC_ALL_LANES) return false;
  if (!has_all_registers(x) || !in_one_piece(w, x, op, p)) return false;
  unsigned char *first = p->space == PTX_SHARED ? w->cta->shared + p->first : exec_mem_ptr(p->first);
  if (l->reg_bits == 64 && l->span == 2) move_blocks(w, x, first, p->step, 8, 2, load);
  else if (l->reg_bits == 64) move_blocks(w, x, first, p->step, 8, 1, load);
  else if (l->span == 2) move_blocks(w, x, first, p->step, 4, 2, load);
  else move_blocks(w, x, first, p->step, 4, 1, load);
  return true;
}

/* ---- tiles -------------------------------------------------------------------------------------------- */

/* Elements of a constant width between the order of memory and that of the tile. */
#define READS(word, element, name)                                                                                     \
  static INLINE void read_##name(const struct tile_move *x, const element *from, word *tile) {                         \
    const struct exec_tensor_layout *l = x->fragment.layout;                                                           \
    const unsigned outer = x->along ? l->rows : l->cols, inner = x->along ? l->cols : l->rows;                         \
    if (x->along)                                                                                                      \
      for (unsigned i = 0; i < outer * inner; i++) tile[i] = from[i];                                                  \
    else                                                                                                               \
      for (unsigned i = 0; i < outer; i++)                                                                             \
        for (unsigned k = 0; k < inner; k++) tile[i + k * outer] = from[i * inner + k];                                \
  }
#define WRITES(word, element, name)                                                                                    \
  static INLINE void write_##name(const struct tile_move *x, element *to, const word *tile) {                          \
    const struct exec_tensor_layout *l = x->fragment.layout;                                                           \
    const unsigned outer = x->along ? l->rows : l->cols, inner = x->along ? l->cols : l->rows;                         \
    if (x->along)                                                                                                      \
      for (unsigned i = 0; i < outer * inner; i++) to[i] = (element)tile[i];                                           \
    else                                                                                                               \
      for (unsigned i = 0; i < outer; i++)                                                                             \
        for (unsigned k = 0; k < inner; k++) to[i * inner + k] = (element)tile[i + k * outer];                         \
  }
READS(uint32_t, uint8_t, 8)
READS(uint32_t, uint16_t, 16)
READS(uint32_t, uint32_t, 32)
READS(uint64_t, uint64_t, 64)
WRITES(uint32_t, uint16_t, 16)
WRITES(uint32_t, uint32_t, 32)
WRITES(uint64_t, uint64_t, 64)

/* The lines of a tile without gaps. */
union tile_bytes {
  unsigned char all[TILE_BYTES];
  uint8_t e8[TILE_BYTES];
  uint16_t e16[TILE_BYTES / 2];
  uint32_t e32[TILE_BYTES / 4];
  uint64_t e64[TILE_BYTES / 8];
};

/* Elements of four bits lie along the lines, two a byte. */
static void read_nibbles(const struct exec_tensor_layout *l, const unsigned char *bytes, uint32_t *tile) {
  for (unsigned i = 0; i < (unsigned)l->rows * l->cols; i++) tile[i] = (uint32_t)(bytes[i / 2] >> i % 2 * 4 & 15);
}

static void fill_registers(struct exec_warp *w, const struct tile_move *x, const union tile_bytes *b) {
  uint32_t tile[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  uint64_t wide[EXEC_TENSOR_WIDE_TILE];
  switch (x->fragment.layout->bits) {
  case 4: read_nibbles(x->fragment.layout, b->all, tile); break;
  case 8: read_8(x, b->e8, tile); break;
  case 16: read_16(x, b->e16, tile); break;
  case 32: read_32(x, b->e32, tile); break;
  default:
    read_64(x, b->e64, wide);
    exec_tensor_scatter_wide(w, &x->fragment, wide);
    return;
  }
  exec_tensor_scatter(w, &x->fragment, tile);
}

/* False: it waits or has faulted. */
static bool load(struct exec_warp *w, const struct exec_inst *in, struct tile_place *p) {
  union tile_bytes bytes;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES)) return false;
  if (!find_place(w, in, p)) return false;
  if (moved_straight(w, in->aux, EXEC_LOAD, p)) return true;
  if (!move_lines(w, in, EXEC_LOAD, p, bytes.all)) return false;
  fill_registers(w, in->aux, &bytes);
  return true;
}

static void run_load(struct exec_warp *w, const struct exec_inst *in) {
  struct tile_place p;
  if (load(w, in, &p)) note(w, in->aux, EXEC_LOAD, &p);
}

static void run_load_unnoted(struct exec_warp *w, const struct exec_inst *in) {
  struct tile_place p;
  load(w, in, &p);
}

static void read_registers(const struct exec_warp *w, const struct tile_move *x, union tile_bytes *b) {
  uint32_t tile[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  uint64_t wide[EXEC_TENSOR_WIDE_TILE];
  if (x->fragment.layout->bits == 64) {
    exec_tensor_gather_wide(w, &x->fragment, wide);
    write_64(x, b->e64, wide);
    return;
  }
  exec_tensor_gather(w, &x->fragment, tile);
  if (x->fragment.layout->bits == 16) write_16(x, b->e16, tile);
  else write_32(x, b->e32, tile);
}

static void run_store(struct exec_warp *w, const struct exec_inst *in) {
  const struct tile_move *x = in->aux;
  union tile_bytes bytes;
  struct tile_place p;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES) || !find_place(w, in, &p)) return;
  if (moved_straight(w, x, EXEC_STORE, &p)) {
    note(w, x, EXEC_STORE, &p);
    return;
  }
  read_registers(w, x, &bytes);
  if (move_lines(w, in, EXEC_STORE, &p, bytes.all)) note(w, x, EXEC_STORE, &p);
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

static bool stored_type(enum ptx_type t) {
  return t == PTX_F16 || t == PTX_F32 || t == PTX_S32 || t == PTX_F64;
}

static bool shape_has(struct exec_tensor_shape s, enum exec_tensor_part part, enum ptx_type t) {
  bool wide = s.k == 16;
  switch (t) {
  case PTX_F16:
  case PTX_BF16:
  case PTX_U8:
  case PTX_S8: return wide;
  case PTX_TF32: return s.k == 8;
  case PTX_F64: return s.k == 4;
  case PTX_U4:
  case PTX_S4: return s.k == 32;
  case PTX_B1: return s.k == 128;
  case PTX_F32: return part == EXEC_TENSOR_C && (wide || s.k == 8);
  default: return part == EXEC_TENSOR_C && t == PTX_S32 && s.k != 8 && s.k != 4;
  }
}

static bool decode_part(const struct ptx_inst *pi, enum exec_tensor_part *part) {
  if (ptx_has(pi, PTX_M_store)) {
    *part = EXEC_TENSOR_C;
    return ptx_has(pi, PTX_M_d);
  }
  *part = ptx_has(pi, PTX_M_a) ? EXEC_TENSOR_A : ptx_has(pi, PTX_M_b) ? EXEC_TENSOR_B : EXEC_TENSOR_C;
  return ptx_has(pi, PTX_M_load) && (*part != EXEC_TENSOR_C || ptx_has(pi, PTX_M_c));
}

static void measure(struct tile_move *x, enum exec_tensor_part part, enum ptx_type t, bool row_major) {
  const struct exec_tensor_layout *l = x->fragment.layout;
  x->element_bits = (uint8_t)(t == PTX_TF32 ? 32 : ptx_type_bits(t));
  x->along = row_major == (part != EXEC_TENSOR_B);
  x->lines = x->along ? l->rows : l->cols;
  x->line_bytes = (uint16_t)((x->along ? l->cols : l->rows) * l->bits / 8);
}

static bool decode_stride(struct exec_decoder *d, const struct ptx_inst *pi, struct tile_move *x) {
  x->stride.file = EXEC_FNONE;
  if (pi->n_ops < 3) return true;
  const struct ptx_opnd *o = &pi->ops[2];
  if (o->kind == PTX_O_REG && ptx_reg_class((enum ptx_type)d->pf->regs[o->reg].type) != PTX_R32)
    return exec_refuse(d, pi, "the stride must have 32 bits");
  return exec_decode_source(d, o, PTX_U32, &x->stride);
}

bool exec_tensor_decode_wmma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct tile_move *x = ARENA_NEW(d->arena, struct tile_move);
  struct exec_tensor_shape s;
  enum exec_tensor_part part;
  bool store = ptx_has(pi, PTX_M_store), row_major = ptx_has(pi, PTX_M_row);
  enum ptx_type t = pi->n_types == 1 ? (enum ptx_type)pi->types[0] : PTX_NOTYPE;
  if (!decode_part(pi, &part) || !exec_tensor_shape_of(pi, &s) || s.m * s.n == 128 || pi->n_ops > 3)
    return exec_refuse(d, pi, "it needs a matrix, a shape of wmma, an address and registers");
  if (part == EXEC_TENSOR_C ? !stored_type(t) : t == PTX_F32 || t == PTX_S32)
    return exec_refuse(d, pi, "the matrix cannot have this type");
  if (!shape_has(s, part, t)) return exec_refuse(d, pi, "there is no such shape for this type");
  if (row_major == ptx_has(pi, PTX_M_col)) return exec_refuse(d, pi, "it needs .row or .col");
  if (ptx_type_bits(t) < 8 && row_major != (part == EXEC_TENSOR_A))
    return exec_refuse(d, pi, "the layouts must be .row for a and .col for b here");
  x->fragment.layout = exec_tensor_layout_wmma(s, part, t);
  measure(x, part, t, row_major);
  out->fn = store ? run_store : run_load;
  out->quick = store ? NULL : run_load_unnoted;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = (uint8_t)(x->element_bits < 8 ? 1 : x->element_bits / 8);
  out->aux = x;
  if (!exec_decode_where(d, pi, &pi->ops[store ? 0 : 1], (enum ptx_space)pi->space, &x->where)) return false;
  out->space = x->where.space;
  if (out->space != PTX_GENERIC && out->space != PTX_GLOBAL && out->space != PTX_SHARED)
    return exec_refuse(d, pi, "a matrix lies in global or shared memory");
  return decode_stride(d, pi, x) &&
         exec_tensor_decode_fragment(d, pi, &pi->ops[store ? 1 : 0], t, !store, &x->fragment);
}
