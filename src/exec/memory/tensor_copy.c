/* cp.async.bulk.tensor: copies boxes of a tensor of one to five dimensions between global and shared memory, by a tensor map; cp.reduce of
 * them into global memory.
 *
 * A copy is done when its instruction executes, as in async_copy.c, and an mbarrier of each destination CTA is signalled with all bytes of
 * the box. In shared memory the box is stored row by row, the first dimension contiguous. With a swizzle, a row takes as many bytes as the
 * swizzle's pattern is wide, and the place of each 16 bytes is given by XORing the address bits from bit 7 on into those from bit 4 on.
 * Elements outside the tensor are read as zeros or NaN and not written, except that a store continues to the end of 16 bytes that begin
 * inside. All this is as on an H200.
 *
 * In an interleaved tensor the first dimension counts slices of 16 or 32 bytes, each a row here, and the last but one counts channels by
 * slices, of which a box has one whatever its size there; with im2col a pixel is one slice, whatever channels are requested (recorded on an
 * H200: boxes and pixels of three to five dimensions with all swizzles).
 *
 * Refused by name: gather and scatter, im2col of width. */
#include "exec/run/cta_cluster.h"
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/memory/tensor_map.h"

#include <string.h>

enum { CHUNK = 16, LINE = 128, MOST_ROW = 256 * 32 /* bytes */, PIXEL_DIMS = EXEC_TENSOR_MAP_DIMS - 2 };

struct tensor_copy { /* aux */
  struct exec_where map, shared, barrier;
  struct exec_opnd at[EXEC_TENSOR_MAP_DIMS]; /* coordinates */
  struct exec_opnd offset[PIXEL_DIMS];       /* of im2col; EXEC_FNONE: none */
  struct exec_opnd ctas;                     /* mask of the destination CTAs; EXEC_FNONE: its own */
  uint8_t rank, op;                          /* op: enum exec_access_op of the global side */
  bool im2col;
  const struct ptx_inst *reduces;            /* NULL: it does not */
};

/* One copy under way. */
struct box {
  struct exec_warp *w;
  const struct exec_inst *in;
  unsigned lane;
  struct exec_tensor_map map;
  int64_t at[EXEC_TENSOR_MAP_DIMS], offset[PIXEL_DIMS];
  uint64_t shared, barrier;
  uint32_t rows, row_bytes, pitch;
  uint32_t ctas;      /* 0: its own */
  exec_rmw_fn reduce; /* NULL: a plain copy */
};

/* Bytes between neighbours in the first dimension. */
static uint32_t unit_of(const struct exec_tensor_map *m) { return m->interleave ? m->interleave : (uint32_t)m->strides[0]; }

/* Places of a dimension of a tile. */
static uint32_t box_of(const struct exec_tensor_map *m, unsigned i) { return m->interleave && i + 2 == m->rank ? 1 : m->box[i]; }

/* ---- maps ------------------------------------------------------------------------------------------------- */

static bool bad_map(const struct box *b, const char *why) {
  exec_fault(b->w, b->in, EXEC_FAULT_ILLEGAL_INSTRUCTION, b->lane, "a tensor copy by a map that %s", why);
  return false;
}

static bool read_map(struct box *b, uint64_t addr) {
  const struct exec_grid *g = b->w->grid;
  uint64_t in_params = addr - EXEC_PARAM_WINDOW, size = g->kernel->ptx->param_bytes;
  const unsigned char *from;
  if (in_params < EXEC_PARAM_WINDOW_BYTES) {
    if (in_params > size || EXEC_TENSOR_MAP_BYTES > size - in_params) return bad_map(b, "reaches past the kernel's parameters");
    from = g->params + in_params;
  } else {
    from = exec_reach_block(b->w, b->in, b->lane, PTX_GLOBAL, EXEC_LOAD, addr, EXEC_TENSOR_MAP_BYTES, 64);
  }
  if (!from) return false;
  memcpy(&b->map, from, sizeof b->map);
  const struct tensor_copy *x = b->in->aux;
  if (b->map.mark != EXEC_TENSOR_MAP_MARK) return bad_map(b, "was not made by cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col");
  if (b->map.im2col != x->im2col) return bad_map(b, b->map.im2col ? "is for im2col" : "is for tiles");
  if (b->map.rank != x->rank) return bad_map(b, "has another number of dimensions");
  if (b->at[0] * (int64_t)unit_of(&b->map) % CHUNK)
    return bad_map(b, "is asked for a place that is not a multiple of 16 bytes in the first dimension");
  return true;
}

/* Places of the first dimension that a row has. */
static uint32_t width_of(const struct exec_tensor_map *m) { return m->interleave ? 1 : m->box[0]; }

/* The first dimension of a tile that distinguishes rows. */
static unsigned rows_from(const struct exec_tensor_map *m) { return m->interleave ? 0 : 1; }

static void measure(struct box *b) {
  const struct exec_tensor_map *m = &b->map;
  uint32_t pattern = m->swizzle && !m->interleave ? (m->swizzle + 1u) * CHUNK : 0;
  b->row_bytes = width_of(m) * unit_of(m);
  b->pitch = b->row_bytes > pattern ? b->row_bytes : pattern;
  b->rows = m->im2col ? m->box[1] : 1;
  for (unsigned i = rows_from(m); i < m->rank && !m->im2col; i++) b->rows *= box_of(m, i);
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* The part of a row that is inside the tensor: its address, the bytes of the row before it, and its bytes. */
struct part {
  uint64_t addr;
  uint32_t before, bytes;
};

/* Coordinates of a row of a tile. */
static void tile_row(const struct box *b, uint32_t row, int64_t at[EXEC_TENSOR_MAP_DIMS]) {
  at[0] = b->at[0];
  for (unsigned i = rows_from(&b->map); i < b->map.rank; row /= box_of(&b->map, i), i++)
    at[i] = b->at[i] + (int64_t)(row % box_of(&b->map, i)) * b->map.steps[i];
}

/* Coordinates of a pixel of im2col, so many steps along the bounding box. Channels are the first dimension, or the last but one. */
static void pixel_row(const struct box *b, uint32_t row, int64_t at[EXEC_TENSOR_MAP_DIMS]) {
  const struct exec_tensor_map *m = &b->map;
  uint64_t carry = row;
  unsigned channels = m->interleave ? m->rank - 2u : 0;
  at[channels] = b->at[channels];
  for (unsigned d = 0; d + 2 < m->rank; d++) {
    unsigned i = m->interleave ? d : d + 1;
    int64_t first = m->lower[d], last = (int64_t)m->last[i] + m->upper[d], steps = (last - first) / m->steps[i] + 1;
    int64_t from = (b->at[i] - first) / m->steps[i], place = from + (int64_t)carry;
    at[i] = carry ? first + place % steps * m->steps[i] : b->at[i];
    if (carry && place < steps) at[i] = b->at[i] + (int64_t)carry * m->steps[i];
    carry = (uint64_t)(place / steps);
    at[i] += b->offset[d];
  }
  at[m->rank - 1] = b->at[m->rank - 1] + (int64_t)carry * m->steps[m->rank - 1];
}

static struct part part_of(const struct box *b, uint32_t row) {
  const struct exec_tensor_map *m = &b->map;
  struct part p = {.addr = m->address};
  int64_t at[EXEC_TENSOR_MAP_DIMS];
  if (m->im2col) pixel_row(b, row, at);
  else tile_row(b, row, at);
  for (unsigned i = 1; i < m->rank; i++) {
    if (at[i] < 0 || at[i] > m->last[i]) return p;
    p.addr += (uint64_t)at[i] * m->strides[i];
  }
  int64_t first = at[0] < 0 ? -at[0] : 0, end = (int64_t)m->last[0] + 1 - at[0];
  if (end > width_of(m)) end = width_of(m);
  if (first >= end) return p;
  p.addr += (uint64_t)(at[0] + first) * unit_of(m);
  p.before = (uint32_t)first * unit_of(m);
  p.bytes = (uint32_t)(end - first) * unit_of(m);
  return p;
}

/* Moves a row between `bytes` and the shared memory of the CTA at `shared`. False after a fault. */
static bool move_shared(const struct box *b, uint64_t shared, uint32_t row, unsigned char *bytes, enum exec_access_op op) {
  uint64_t at = shared + (uint64_t)row * b->pitch;
  for (uint32_t i = 0; i < b->row_bytes; i += CHUNK) {
    uint64_t place = (at + i) ^ ((at + i) >> 7 & b->map.swizzle) << 4;
    unsigned char *p = exec_reach_block(b->w, b->in, b->lane, PTX_SHARED, op, place, CHUNK, CHUNK);
    if (!p) return false;
    if (op == EXEC_STORE) memcpy(p, bytes + i, CHUNK);
    else memcpy(bytes + i, p, CHUNK);
  }
  return true;
}

/* The value of elements outside the tensor. */
static void fill_row(const struct box *b, unsigned char *bytes) {
  static const unsigned char nan[2] = {0xf7, 0x7f};
  memset(bytes, 0, b->row_bytes);
  for (uint32_t i = 0; b->map.nan_fill && i < b->row_bytes; i++) bytes[i] = nan[i & 1];
}

/* Rounded to the 10 bits of a tf32's mantissa, half to even. */
static uint32_t to_tf32(uint32_t v) {
  if ((v & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  return (v + 0xfff + (v >> 13 & 1)) & 0xffffe000;
}

/* Converts loaded floats to the map's type. */
static void convert(const struct box *b, unsigned char *bytes, uint32_t n) {
  uint8_t t = b->map.type;
  for (uint32_t i = 0; t >= EXEC_TENSOR_TF32 && i < n; i += 4) {
    uint32_t v;
    memcpy(&v, bytes + i, sizeof v);
    v = to_tf32(v);
    memcpy(bytes + i, &v, sizeof v);
  }
}

static bool load_row(const struct box *b, uint32_t row, const struct part *p) {
  unsigned char bytes[MOST_ROW];
  fill_row(b, bytes);
  if (p->bytes) {
    uint32_t align = (uint32_t)b->map.strides[0];
    const unsigned char *from = exec_reach_block(b->w, b->in, b->lane, PTX_GLOBAL, EXEC_LOAD, p->addr, p->bytes, align);
    if (!from) return false;
    memcpy(bytes + p->before, from, p->bytes);
    convert(b, bytes + p->before, p->bytes);
  }
  if (!b->ctas) return move_shared(b, b->shared, row, bytes, EXEC_STORE);
  for (uint32_t m = b->ctas; m; m &= m - 1)
    if (!move_shared(b, exec_cluster_address(b->shared, (unsigned)__builtin_ctz(m)), row, bytes, EXEC_STORE)) return false;
  return true;
}

static bool store_row(const struct box *b, uint32_t row, const struct part *p) {
  unsigned char bytes[MOST_ROW];
  uint32_t n = (p->bytes + CHUNK - 1) / CHUNK * CHUNK;
  if (!p->bytes) return true;
  if (!move_shared(b, b->shared, row, bytes, EXEC_LOAD)) return false;
  unsigned char *to = exec_reach_block(b->w, b->in, b->lane, PTX_GLOBAL, EXEC_STORE, p->addr, n, (uint32_t)b->map.strides[0]);
  if (!to) return false;
  if (b->reduce) exec_reduce_block(b->w, b->reduce, (uint32_t)b->map.strides[0], to, bytes + p->before, n);
  else memcpy(to, bytes + p->before, n);
  return true;
}

static bool copy_box(const struct box *b, enum exec_access_op op, uint64_t *first) {
  for (uint32_t row = 0; row < b->rows; row++) {
    struct part p = part_of(b, row);
    if (op == EXEC_LOAD && !load_row(b, row, &p)) return false;
    if (op == EXEC_STORE && !store_row(b, row, &p)) return false;
    exec_send_lines(b->w, p.addr, p.bytes);
    if (p.bytes && !*first) *first = p.addr;
  }
  return true;
}

static bool tell_barriers(const struct box *b) {
  uint32_t bytes = b->rows * b->row_bytes;
  if (!b->ctas) return exec_mbarrier_complete(b->w, b->in, b->lane, b->barrier, bytes);
  for (uint32_t m = b->ctas; m; m &= m - 1)
    if (!exec_mbarrier_complete(b->w, b->in, b->lane, exec_cluster_address(b->barrier, (unsigned)__builtin_ctz(m)), bytes)) return false;
  return true;
}

/* ---- execution -------------------------------------------------------------------------------------------- */

static bool aligned(const struct box *b) {
  if (!(b->shared % LINE)) return true;
  exec_fault(b->w, b->in, EXEC_FAULT_MISALIGNED, b->lane, "a tensor copy at 0x%llx of shared memory: the address must be a multiple of %d",
             (unsigned long long)b->shared, LINE);
  return false;
}

static bool find_reduction(struct box *b) {
  static const uint8_t types[] = {[EXEC_TENSOR_U32] = PTX_U32, [EXEC_TENSOR_S32] = PTX_S32, [EXEC_TENSOR_U64] = PTX_U64,
                                  [EXEC_TENSOR_S64] = PTX_S64, [EXEC_TENSOR_F16] = PTX_F16, [EXEC_TENSOR_F32] = PTX_F32,
                                  [EXEC_TENSOR_F64] = PTX_F64, [EXEC_TENSOR_BF16] = PTX_BF16, [EXEC_TENSOR_F32_FTZ] = PTX_F32};
  const struct tensor_copy *x = b->in->aux;
  if (!x->reduces) return true;
  uint8_t t = b->map.type;
  if (t < sizeof types && types[t]) b->reduce = exec_reduction_of(x->reduces, (enum ptx_type)types[t], t == EXEC_TENSOR_F32_FTZ);
  return b->reduce || bad_map(b, "has a type without such a reduction");
}

/* Coordinates are words, offsets of im2col half words. */
static void read_place(struct box *b) {
  const struct tensor_copy *x = b->in->aux;
  for (unsigned i = 0; i < x->rank; i++) b->at[i] = ((const int32_t *)exec_row(b->w, x->at[i]))[b->lane];
  for (unsigned i = 0; i < PIXEL_DIMS; i++)
    if (x->offset[i].file != EXEC_FNONE) b->offset[i] = ((const uint32_t *)exec_row(b->w, x->offset[i]))[b->lane] & 0xffff;
  if (x->ctas.file != EXEC_FNONE) b->ctas = ((const uint32_t *)exec_row(b->w, x->ctas))[b->lane] & 0xffff;
}

static void run_tensor_copy(struct exec_warp *w, const struct exec_inst *in) {
  const struct tensor_copy *x = in->aux;
  uint64_t map[EXEC_LANES], shared[EXEC_LANES] = {0}, barrier[EXEC_LANES] = {0}, first = 0;
  exec_form_addresses(w, &x->map, map);
  if (x->op != EXEC_PREFETCH) exec_form_addresses(w, &x->shared, shared);
  if (x->op == EXEC_LOAD) exec_form_addresses(w, &x->barrier, barrier);
  exec_send_begin(w);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    struct box b = {.w = w, .in = in, .lane = lane, .shared = shared[lane], .barrier = barrier[lane]};
    read_place(&b);
    if (!aligned(&b) || !read_map(&b, map[lane]) || !find_reduction(&b)) return;
    measure(&b);
    if (!copy_box(&b, (enum exec_access_op)x->op, &first)) return;
    if (x->op == EXEC_LOAD && !tell_barriers(&b)) return;
    w->sent.map = map[lane];
  }
  exec_note_bulk(w, first, x->reduces ? EXEC_REDUCE : (enum exec_access_op)x->op);
}

/* ---- decoding --------------------------------------------------------------------------------------------- */

static unsigned rank_of(const struct ptx_inst *pi) {
  static const uint16_t ranks[] = {PTX_M_1d, PTX_M_2d, PTX_M_3d, PTX_M_4d, PTX_M_5d};
  for (unsigned i = 0; i < EXEC_TENSOR_MAP_DIMS; i++)
    if (ptx_has(pi, (enum ptx_mod)ranks[i])) return i + 1;
  return 0;
}

static const char *not_modelled(const struct ptx_inst *pi) {
  static const uint16_t others[] = {PTX_M_im2col__w,      PTX_M_im2col__w__128, PTX_M_tile__gather4,
                                    PTX_M_tile__scatter4, PTX_M_cta_group__1,   PTX_M_cta_group__2};
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    if (ptx_has(pi, (enum ptx_mod)others[i])) return "only tiles and im2col are modelled";
  return NULL;
}

/* {, {offsets}} {, mask of CTAs}, from operand n on. */
static bool decode_rest(struct exec_decoder *d, const struct ptx_inst *pi, unsigned n, struct tensor_copy *x) {
  bool many = ptx_has(pi, PTX_M_multicast__cluster), offsets = x->im2col && x->op != EXEC_STORE;
  for (unsigned i = 0; i < PIXEL_DIMS; i++) x->offset[i].file = EXEC_FNONE;
  x->ctas.file = EXEC_FNONE;
  if (pi->n_ops < n + offsets + many) return exec_refuse(d, pi, "operands are missing");
  if (offsets) {
    unsigned have;
    const struct ptx_opnd *e = exec_elements(&pi->ops[n++], &have);
    if (x->rank < 3 || have != x->rank - 2u) return exec_refuse(d, pi, "one offset for each dimension of a pixel is expected");
    for (unsigned i = 0; i < have; i++)
      if (!exec_decode_value(d, pi, &e[i], PTX_U16, &x->offset[i])) return false;
  }
  return !many || exec_decode_value(d, pi, &pi->ops[n], PTX_U16, &x->ctas);
}

/* [map, {c0, c1, ..}] */
static bool decode_box(struct exec_decoder *d, const struct ptx_inst *pi, const struct ptx_opnd *o, struct tensor_copy *x) {
  unsigned n = 0;
  const struct ptx_opnd *at = o->kind == PTX_O_MEM && o->n_elems == 2 ? exec_elements(&o->elems[1], &n) : NULL;
  if (!at || n != x->rank) return exec_refuse(d, pi, "a tensor map and one coordinate for each dimension are expected");
  struct ptx_opnd map = *o;
  map.n_elems = 1;
  if (!exec_decode_where(d, pi, &map, PTX_GENERIC, &x->map)) return false;
  x->map.space = PTX_GENERIC;
  for (unsigned i = 0; i < n; i++)
    if (!exec_decode_value(d, pi, &at[i], PTX_S32, &x->at[i])) return false;
  return true;
}

bool exec_decode_tensor_copy(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct tensor_copy *x = ARENA_NEW(d->arena, struct tensor_copy);
  const char *why = not_modelled(pi);
  bool load = ptx_has(pi, PTX_M_mbarrier__complete_tx__bytes), prefetch = ptx_has(pi, PTX_M_prefetch);
  bool store = ptx_has(pi, PTX_M_bulk_group) && pi->space == PTX_GLOBAL && pi->space2 == PTX_SHARED;
  if (why) return exec_refuse(d, pi, why);
  x->rank = (uint8_t)rank_of(pi);
  x->im2col = ptx_has(pi, PTX_M_im2col) || ptx_has(pi, PTX_M_im2col_no_offs);
  x->reduces = ptx_has(pi, PTX_M_reduce) ? pi : NULL;
  x->op = prefetch ? EXEC_PREFETCH : load ? EXEC_LOAD : EXEC_STORE;
  if (!x->rank || load + prefetch + store != 1 || (load && (pi->space != PTX_SHARED || pi->space2 != PTX_GLOBAL)))
    return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops < (load ? 3u : store ? 2u : 1u)) return exec_refuse(d, pi, "operands are missing");
  exec_fill_memory(out, run_tensor_copy, x, CHUNK, PTX_GLOBAL);
  if (!decode_box(d, pi, &pi->ops[load ? 1 : 0], x) || !decode_rest(d, pi, load ? 3 : store ? 2 : 1, x)) return false;
  if (load && !exec_decode_where(d, pi, &pi->ops[2], PTX_SHARED, &x->barrier)) return false;
  return prefetch || exec_decode_where(d, pi, &pi->ops[load ? 0 : 1], PTX_SHARED, &x->shared);
}
