/* cp.async.bulk.tensor: boxes of a tensor of one to five dimensions between global and shared memory, by a tensor map.
 *
 * A copy is done when its instruction executes, as in async_copy.c, and an mbarrier hears of all bytes of the box at once. In shared
 * memory the box lies row after row, the first dimension contiguous; with a swizzle each 16 bytes go where the address bits above
 * the seventh, put upon those above the fourth, say. Elements outside the tensor are read as zeros or NaN (all ones but the sign)
 * and not written.
 *
 * Simplified: w->access describes at most 32 lines of 128 bytes, those of the first rows. Refused by name: im2col, gather and
 * scatter, reductions, multicast to a cluster. */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/memory/tensor_map.h"

#include <string.h>

enum { CHUNK = 16, LINE = 128, MOST_ROW = 256 * 8 /* bytes */ };

struct tensor_copy { /* aux */
  struct exec_where map, shared, barrier;
  struct exec_opnd at[EXEC_TENSOR_MAP_DIMS]; /* coordinates */
  uint8_t rank, op;                          /* op: enum exec_access_op of the global side */
};

/* One copy under way. */
struct box {
  struct exec_warp *w;
  const struct exec_inst *in;
  unsigned lane;
  struct exec_tensor_map map;
  int64_t at[EXEC_TENSOR_MAP_DIMS];
  uint64_t shared;
  uint32_t rows, row_bytes;
};

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
  if (b->map.mark != EXEC_TENSOR_MAP_MARK) return bad_map(b, "was not made by cuTensorMapEncodeTiled");
  return b->map.rank == ((const struct tensor_copy *)b->in->aux)->rank || bad_map(b, "has another number of dimensions");
}

static void measure(struct box *b) {
  b->row_bytes = b->map.box[0] * (uint32_t)b->map.strides[0];
  b->rows = 1;
  for (unsigned i = 1; i < b->map.rank; i++) b->rows *= b->map.box[i];
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* The part of a row that is in the tensor: its address, and the bytes of the row before and in it. */
struct part {
  uint64_t addr;
  uint32_t before, bytes;
};

static struct part part_of(const struct box *b, uint32_t row) {
  const struct exec_tensor_map *m = &b->map;
  struct part p = {.addr = m->address};
  for (unsigned i = 1; i < m->rank; row /= m->box[i], i++) {
    int64_t at = b->at[i] + (int64_t)(row % m->box[i]) * m->steps[i];
    if (at < 0 || at > m->last[i]) return p;
    p.addr += (uint64_t)at * m->strides[i];
  }
  int64_t first = b->at[0] < 0 ? -b->at[0] : 0, end = (int64_t)m->last[0] + 1 - b->at[0];
  if (end > m->box[0]) end = m->box[0];
  if (first >= end) return p;
  p.addr += (uint64_t)(b->at[0] + first) * m->strides[0];
  p.before = (uint32_t)first * (uint32_t)m->strides[0];
  p.bytes = (uint32_t)(end - first) * (uint32_t)m->strides[0];
  return p;
}

/* Moves a row between `bytes` and shared memory. False after a fault. */
static bool move_shared(const struct box *b, uint32_t row, unsigned char *bytes, enum exec_access_op op) {
  uint64_t at = b->shared + (uint64_t)row * b->row_bytes;
  for (uint32_t i = 0; i < b->row_bytes; i += CHUNK) {
    uint64_t place = (at + i) ^ ((at + i) >> 7 & b->map.swizzle) << 4;
    unsigned char *p = exec_reach_block(b->w, b->in, b->lane, PTX_SHARED, op, place, CHUNK, CHUNK);
    if (!p) return false;
    if (op == EXEC_STORE) memcpy(p, bytes + i, CHUNK);
    else memcpy(bytes + i, p, CHUNK);
  }
  return true;
}

/* What is outside the tensor. */
static void fill_row(const struct box *b, unsigned char *bytes) {
  memset(bytes, b->map.nan_fill ? 0xff : 0, b->row_bytes);
  for (uint32_t i = 0; b->map.nan_fill && i < b->row_bytes; i += (uint32_t)b->map.strides[0])
    bytes[i + b->map.strides[0] - 1] = 0x7f;
}

static bool load_row(const struct box *b, uint32_t row, const struct part *p) {
  unsigned char bytes[MOST_ROW];
  fill_row(b, bytes);
  if (p->bytes) {
    uint32_t align = (uint32_t)b->map.strides[0];
    const unsigned char *from = exec_reach_block(b->w, b->in, b->lane, PTX_GLOBAL, EXEC_LOAD, p->addr, p->bytes, align);
    if (!from) return false;
    memcpy(bytes + p->before, from, p->bytes);
  }
  return move_shared(b, row, bytes, EXEC_STORE);
}

static bool store_row(const struct box *b, uint32_t row, const struct part *p) {
  unsigned char bytes[MOST_ROW];
  if (!p->bytes) return true;
  if (!move_shared(b, row, bytes, EXEC_LOAD)) return false;
  unsigned char *to = exec_reach_block(b->w, b->in, b->lane, PTX_GLOBAL, EXEC_STORE, p->addr, p->bytes, (uint32_t)b->map.strides[0]);
  if (to) memcpy(to, bytes + p->before, p->bytes);
  return to != NULL;
}

/* Adds the lines of a row to those that the timed model gets; returns how many there are. */
static unsigned note_lines(struct exec_access *a, unsigned n, const struct part *p) {
  for (uint64_t line = p->addr & ~(uint64_t)(LINE - 1); line < p->addr + p->bytes && n < EXEC_LANES; line += LINE)
    if (!n || a->addr[n - 1] != line) a->addr[n++] = line;
  return n;
}

static bool copy_box(const struct box *b, enum exec_access_op op, unsigned *lines) {
  for (uint32_t row = 0; row < b->rows; row++) {
    struct part p = part_of(b, row);
    if (op == EXEC_LOAD && !load_row(b, row, &p)) return false;
    if (op == EXEC_STORE && !store_row(b, row, &p)) return false;
    *lines = note_lines(&b->w->access, *lines, &p);
  }
  return true;
}

/* ---- execution -------------------------------------------------------------------------------------------- */

static bool aligned(const struct box *b) {
  if (!(b->shared % LINE)) return true;
  exec_fault(b->w, b->in, EXEC_FAULT_MISALIGNED, b->lane, "a tensor copy at 0x%llx of shared memory: the address must be a multiple of %d",
             (unsigned long long)b->shared, LINE);
  return false;
}

static void run_tensor_copy(struct exec_warp *w, const struct exec_inst *in) {
  const struct tensor_copy *x = in->aux;
  uint64_t map[EXEC_LANES], shared[EXEC_LANES] = {0}, barrier[EXEC_LANES];
  unsigned lines = 0;
  exec_form_addresses(w, &x->map, map);
  if (x->op != EXEC_PREFETCH) exec_form_addresses(w, &x->shared, shared);
  if (x->op == EXEC_LOAD) exec_form_addresses(w, &x->barrier, barrier);
  for (uint32_t m = w->mask; m; m &= m - 1) {
    struct box b = {.w = w, .in = in, .lane = (unsigned)__builtin_ctz(m)};
    b.shared = shared[b.lane];
    for (unsigned i = 0; i < x->rank; i++) b.at[i] = ((const int32_t *)exec_row(w, x->at[i]))[b.lane];
    if (!aligned(&b) || !read_map(&b, map[b.lane])) return;
    measure(&b);
    if (!copy_box(&b, (enum exec_access_op)x->op, &lines)) return;
    if (x->op == EXEC_LOAD && !exec_mbarrier_complete(w, in, b.lane, barrier[b.lane], b.rows * b.row_bytes)) return;
  }
  struct exec_reach r = {.lanes = lines == EXEC_LANES ? EXEC_ALL_LANES : (UINT32_C(1) << lines) - 1, .space = PTX_GLOBAL};
  exec_note_access(w, (enum exec_access_op)x->op, EXEC_CACHE_GLOBAL, LINE, &r);
  w->access.async = true;
}

/* ---- decoding --------------------------------------------------------------------------------------------- */

static unsigned rank_of(const struct ptx_inst *pi) {
  static const uint16_t ranks[] = {PTX_M_1d, PTX_M_2d, PTX_M_3d, PTX_M_4d, PTX_M_5d};
  for (unsigned i = 0; i < EXEC_TENSOR_MAP_DIMS; i++)
    if (ptx_has(pi, (enum ptx_mod)ranks[i])) return i + 1;
  return 0;
}

static const char *not_modelled(const struct ptx_inst *pi) {
  static const uint16_t others[] = {PTX_M_im2col,         PTX_M_im2col__w,      PTX_M_im2col__w__128, PTX_M_im2col_no_offs,
                                    PTX_M_tile__gather4, PTX_M_tile__scatter4, PTX_M_cta_group__1,   PTX_M_cta_group__2};
  if (ptx_has(pi, PTX_M_reduce)) return "reductions into a tensor are not modelled";
  if (ptx_has(pi, PTX_M_multicast__cluster)) return "clusters of CTAs are not modelled";
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    if (ptx_has(pi, (enum ptx_mod)others[i])) return "only tiles are modelled";
  return NULL;
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
  x->op = prefetch ? EXEC_PREFETCH : load ? EXEC_LOAD : EXEC_STORE;
  if (!x->rank || load + prefetch + store != 1 || (load && (pi->space != PTX_SHARED || pi->space2 != PTX_GLOBAL)))
    return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops < (load ? 3u : store ? 2u : 1u)) return exec_refuse(d, pi, "operands are missing");
  out->fn = run_tensor_copy;
  out->aux = x;
  out->unit = EXEC_U_LDST;
  out->flags |= EXEC_MEMORY;
  out->size = CHUNK;
  out->space = PTX_GLOBAL;
  if (!decode_box(d, pi, &pi->ops[load ? 1 : 0], x)) return false;
  if (load && !exec_decode_where(d, pi, &pi->ops[2], PTX_SHARED, &x->barrier)) return false;
  return prefetch || exec_decode_where(d, pi, &pi->ops[load ? 0 : 1], PTX_SHARED, &x->shared);
}
