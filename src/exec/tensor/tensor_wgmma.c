/* wgmma: products of matrices by the four warps of a warpgroup, a from registers or shared memory, b from shared memory.
 *
 * Each warp computes its own 16 rows when it issues the instruction. Nothing remains outstanding, so wgmma.fence and commit_group have no
 * effect on values. At wait_group the warps of a warpgroup wait for each other, so that when one of them goes on, all have read the
 * matrices. A program that writes shared memory before it has waited sees no difference here.
 *
 * A descriptor says where a matrix lies: start (bits 0..13), leading (16..29) and stride distance (32..45), all in units of 16 bytes, where
 * a swizzled pattern begins (49..51) and its width (62..63: none, 128, 64, 32 bytes). The matrix consists of rows of 16 bytes; eight of
 * them follow each other at a distance of the pattern's width (16 bytes without a pattern). With k contiguous, the eight are lines, the
 * next eight follow at the stride distance, and the second 16 bytes of a line at the leading distance (inside the pattern if there is one).
 * With lines contiguous (transposed; 16-bit types), the eight are of k; without a pattern the next eight lines follow at the stride and the
 * next eight of k at the leading distance, with a pattern the other way round.
 *
 * With a sparse a, the matrix in a's place is as wide as a dense one, and b is twice as long (tensor_sparse.c). */
#include "exec/memory/address.h"
#include "exec/memory/memory.h"
#include "exec/observe.h"
#include "exec/tensor/tensor.h"
#include "exec/warp.h"

#include <string.h>

enum { BLOCK = 8 /* columns computed at once */, MOST_BLOCKS = 32, CHUNK = 16 /* bytes that lie together */, WARPS = 4 };

struct wgmma { /* aux */
  struct exec_tensor_product product;             /* of 16 rows and BLOCK columns */
  struct exec_tensor_fragment a, d[MOST_BLOCKS];  /* a.layout NULL: by descriptor */
  struct exec_opnd a_at, b_at, accumulate;        /* descriptors; a predicate: d is added */
  bool a_transposed, b_transposed, a_negated, b_negated;
  uint8_t blocks;
  struct exec_tensor_sparse sparse;
};

/* ---- matrices in shared memory -------------------------------------------------------------------------- */

struct place {
  uint32_t start, leading, stride, begin;
  uint32_t width; /* of the swizzled pattern: 128, 64 or 32 bytes, or CHUNK without one */
};

static struct place read_descriptor(uint64_t bits) {
  static const uint32_t widths[] = {CHUNK, 128, 64, 32};
  return (struct place){.start = (uint32_t)(bits & 0x3fff) << 4,
                        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                        .begin = (uint32_t)(bits >> 49 & 7),
                        .width = widths[bits >> 62]};
}

/* Where 16 bytes of a line are, by their number along it, with k contiguous. */
static uint32_t offset_by_k(const struct place *p, uint32_t line, uint32_t chunk) {
  uint32_t along = p->width == CHUNK ? chunk * p->leading : chunk * CHUNK;
  return line / 8 * p->stride + line % 8 * p->width + along;
}

/* The same for eight lines from 8 * `eight` on and one k. */
static uint32_t offset_by_line(const struct place *p, uint32_t eight, uint32_t k) {
  uint32_t row = k % 8 * p->width;
  if (p->width == CHUNK) return eight * p->stride + k / 8 * p->leading + row;
  uint32_t wide = p->width / CHUNK;
  return eight / wide * p->leading + k / 8 * p->stride + row + eight % wide * CHUNK;
}

static uint32_t swizzle(const struct place *p, uint32_t offset) {
  uint32_t at = p->start + offset, mask = p->width / CHUNK - 1;
  return (at ^ (((at >> 7) - p->begin) & mask) << 4) & 0x3ffff;
}

/* 16 bytes, or NULL after a fault. */
static const unsigned char *read_chunk(struct exec_warp *w, const struct exec_inst *in, const struct place *p, uint32_t offset) {
  return exec_reach_block(w, in, (unsigned)__builtin_ctz(w->mask), PTX_SHARED, EXEC_LOAD, swizzle(p, offset), CHUNK, CHUNK);
}

/* Lines from `first` on into a tile with k innermost. False after a fault. */
static bool read_by_k(struct exec_warp *w, const struct exec_inst *in, const struct place *p, unsigned first, unsigned lines,
                      unsigned size, unsigned chunks, uint32_t *tile) {
  for (unsigned i = 0; i < lines; i++)
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
      const unsigned char *from = read_chunk(w, in, p, offset_by_k(p, first + i, chunk));
      if (!from) return false;
      for (unsigned e = 0; e < CHUNK / size; e++, tile++) {
        *tile = 0;
        memcpy(tile, from + e * size, size);
      }
    }
  return true;
}

static bool read_by_line(struct exec_warp *w, const struct exec_inst *in, const struct place *p, unsigned first, unsigned lines,
                         unsigned length, uint32_t *tile) {
  for (unsigned i = 0; i < lines; i += 8)
    for (unsigned k = 0; k < length; k++) {
      const unsigned char *from = read_chunk(w, in, p, offset_by_line(p, (first + i) / 8, k));
      if (!from) return false;
      for (unsigned e = 0; e < 8; e++) tile[(i + e) * length + k] = (uint32_t)(from[2 * e] | from[2 * e + 1] << 8);
    }
  return true;
}

static void negate(uint32_t *tile, unsigned n, uint8_t type) {
  uint32_t sign = UINT32_C(1) << (type == PTX_TF32 ? 31 : ptx_type_bits((enum ptx_type)type) - 1);
  for (unsigned i = 0; i < n; i++) tile[i] ^= sign;
}

struct side { /* a or b of one instruction */
  struct place place;
  uint8_t type;
  bool transposed, negated;
  uint8_t chunks; /* of 16 bytes along k */
};

static unsigned element_bytes(uint8_t type) { return type == PTX_B1 || type == PTX_TF32 ? 4 : ptx_type_bits((enum ptx_type)type) / 8; }

static bool read_tile(struct exec_warp *w, const struct exec_inst *in, const struct side *s, unsigned first, unsigned lines,
                      uint32_t *tile) {
  unsigned size = element_bytes(s->type);
  bool ok = s->transposed ? read_by_line(w, in, &s->place, first, lines, s->chunks * CHUNK / size, tile)
                          : read_by_k(w, in, &s->place, first, lines, size, s->chunks, tile);
  if (ok && s->negated) negate(tile, lines * s->chunks * CHUNK / size, s->type);
  return ok;
}

/* ---- execution -------------------------------------------------------------------------------------------- */

static uint64_t first_value(const struct exec_warp *w, struct exec_opnd o) {
  return ((const uint64_t *)exec_row(w, o))[__builtin_ctz(w->mask)];
}

static bool take_a(struct exec_warp *w, const struct exec_inst *in, uint32_t *tile) {
  const struct wgmma *x = in->aux;
  const struct exec_tensor_product *p = &x->product;
  if (!x->a.layout) {
    struct side s = {read_descriptor(first_value(w, x->a_at)), p->a, x->a_transposed, x->a_negated, 2};
    return read_tile(w, in, &s, w->index % WARPS * p->shape.m, p->shape.m, tile);
  }
  exec_tensor_gather(w, &x->a, tile);
  if (x->a_negated) negate(tile, (unsigned)x->a.layout->rows * x->a.layout->cols, p->a);
  return true;
}

static void run_wgmma(struct exec_warp *w, const struct exec_inst *in) {
  const struct wgmma *x = in->aux;
  uint32_t a[EXEC_TENSOR_TILE] EXEC_ALIGNED, b[EXEC_TENSOR_TILE] EXEC_ALIGNED,
      c[EXEC_TENSOR_TILE] EXEC_ALIGNED = {0}, d[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES) || !w->mask || !take_a(w, in, a)) return;
  struct side s = {read_descriptor(first_value(w, x->b_at)), x->product.b, x->b_transposed, x->b_negated, x->sparse.lanes ? 4 : 2};
  bool accumulate = exec_pred(w, x->accumulate) >> __builtin_ctz(w->mask) & 1;
  for (unsigned i = 0; i < x->blocks; i++) {
    if (!read_tile(w, in, &s, i * BLOCK, BLOCK, b)) return;
    if (accumulate) exec_tensor_gather(w, &x->d[i], c);
    if (x->sparse.lanes) exec_tensor_multiply_sparse(w, &x->product, &x->sparse, a, b, c, d);
    else exec_tensor_multiply(&x->product, a, b, c, d);
    exec_tensor_scatter(w, &x->d[i], d);
  }
}

/* wgmma.fence, commit_group. */
static void run_order(struct exec_warp *w, const struct exec_inst *in) {
  if (exec_observer(w)) exec_observer(w)->order(exec_observer(w)->user, w, in);
}

/* None of the warpgroup's warps goes on before all have computed their rows. */
static void run_wait(struct exec_warp *w, const struct exec_inst *in) {
  uint32_t group = w->index / EXEC_GROUP_WARPS, warps = w->cta->n_warps - group * EXEC_GROUP_WARPS;
  if (!w->mask) return;
  run_order(w, in);
  if (warps > EXEC_GROUP_WARPS) warps = EXEC_GROUP_WARPS;
  if (warps > 1) exec_barrier_arrive(w, in, EXEC_GROUP_BARRIER + group, warps * EXEC_LANES, true);
}

/* ---- decoding --------------------------------------------------------------------------------------------- */

/* m64n8k8 to m64n256k8, then those of k16, k32, k64 and k256: as ptx_modifiers.def has them. */
static bool shape_of(const struct ptx_inst *pi, unsigned *n, unsigned *k) {
  static const uint16_t depth[] = {8, 16, 32, 64, 256};
  for (unsigned i = 0; i < pi->n_mods; i++) {
    unsigned at = pi->mods[i] - (unsigned)PTX_M_m64n8k8;
    if (pi->mods[i] < PTX_M_m64n8k8 || at >= 5 * MOST_BLOCKS) continue;
    *n = (at % MOST_BLOCKS + 1) * BLOCK;
    *k = depth[at / MOST_BLOCKS];
    return true;
  }
  return false;
}

static bool is_byte_float(uint8_t t) { return t == PTX_E4M3 || t == PTX_E5M2; }
static bool is_byte_whole(uint8_t t) { return t == PTX_U8 || t == PTX_S8; }
static bool is_half(uint8_t t) { return t == PTX_F16 || t == PTX_BF16; }

/* Which types go together, and how much of k an instruction takes. */
static bool known_types(const struct exec_tensor_product *p, unsigned n, unsigned k) {
  if (p->a == PTX_B1) return p->b == PTX_B1 && p->d == PTX_S32 && k == 256;
  if (is_byte_whole(p->a)) return is_byte_whole(p->b) && p->d == PTX_S32 && k == 32 && (n <= 32 || n % 16 == 0);
  if (is_byte_float(p->a)) return is_byte_float(p->b) && (p->d == PTX_F32 || p->d == PTX_F16) && k == 32;
  if (p->a != p->b) return false;
  if (p->a == PTX_TF32) return p->d == PTX_F32 && k == 8;
  return is_half(p->a) && k == 16 && (p->d == PTX_F32 || (p->d == PTX_F16 && p->a == PTX_F16));
}

static bool decode_product(struct exec_decoder *d, const struct ptx_inst *pi, struct wgmma *x) {
  struct exec_tensor_product *p = &x->product;
  unsigned n, k;
  if (pi->n_types != 3 || !shape_of(pi, &n, &k)) return exec_refuse(d, pi, "it needs a shape and three types");
  p->d = p->c = pi->types[0];
  p->a = pi->types[1];
  p->b = pi->types[2];
  bool sparse = ptx_has(pi, PTX_M_sp);
  if (sparse && (p->a == PTX_B1 || !exec_tensor_decode_sparse(d, pi, 3, (enum ptx_type)p->a, k, &x->sparse)))
    return p->a != PTX_B1 ? false : exec_refuse(d, pi, "single bits are never sparse");
  if (sparse) k /= 2;
  if (!known_types(p, n, k)) return exec_refuse(d, pi, "there is no such shape for these types");
  if (p->a == PTX_B1 && (!ptx_has(pi, PTX_M_and) || !ptx_has(pi, PTX_M_popc))) return exec_refuse(d, pi, "single bits need .and.popc");
  p->shape = (struct exec_tensor_shape){16, BLOCK, (uint16_t)k};
  p->saturate = ptx_has(pi, PTX_M_satfinite);
  if (p->saturate && !is_byte_whole(p->a)) return exec_refuse(d, pi, ".satfinite is for whole numbers");
  p->both = true;
  p->tiles = 1;
  p->native = is_byte_float(p->a);
  p->group = (uint8_t)(p->native ? 32 : p->a == PTX_TF32 ? 8 : 16);
  p->lanes = d->lanes;
  x->blocks = (uint8_t)(n / BLOCK);
  return true;
}

static bool decode_sums(struct exec_decoder *d, const struct ptx_inst *pi, struct wgmma *x) {
  const struct exec_tensor_product *p = &x->product;
  const struct exec_tensor_layout *l = exec_tensor_layout_mma(p->shape, EXEC_TENSOR_C, (enum ptx_type)p->d);
  const struct ptx_opnd *o = &pi->ops[0];
  if (o->kind != PTX_O_VEC || o->n_elems != x->blocks * l->regs)
    return exec_refuse(d, pi, "the result has the wrong number of registers");
  for (unsigned i = 0; i < x->blocks; i++) {
    struct ptx_opnd part = *o;
    part.elems += i * l->regs;
    part.n_elems = l->regs;
    x->d[i].layout = l;
    if (!exec_tensor_decode_fragment(d, pi, &part, (enum ptx_type)p->d, true, &x->d[i])) return false;
  }
  return true;
}

/* A descriptor, or for a the registers of a fragment. */
static bool decode_matrices(struct exec_decoder *d, const struct ptx_inst *pi, struct wgmma *x) {
  const struct exec_tensor_product *p = &x->product;
  if (pi->ops[1].kind == PTX_O_VEC) {
    x->a.layout = exec_tensor_layout_mma(p->shape, EXEC_TENSOR_A, (enum ptx_type)p->a);
    if (!exec_tensor_decode_fragment(d, pi, &pi->ops[1], (enum ptx_type)p->a, false, &x->a)) return false;
  } else if (!exec_decode_value(d, pi, &pi->ops[1], PTX_B64, &x->a_at)) {
    return false;
  }
  const struct ptx_opnd *add = &pi->ops[x->sparse.lanes ? 5 : 3];
  return exec_decode_value(d, pi, &pi->ops[2], PTX_B64, &x->b_at) && exec_decode_value(d, pi, add, PTX_PRED, &x->accumulate);
}

static bool small_number(const struct ptx_opnd *o, int64_t least, int64_t other) {
  return o->kind == PTX_O_INT && (o->imm == least || o->imm == other);
}

/* After the operands that all forms have, and metadata and selector of a sparse a: signs of a and b (floating point), then whether they are
 * transposed (16-bit types; a only if it is in shared memory). */
static bool decode_flags(struct exec_decoder *d, const struct ptx_inst *pi, struct wgmma *x) {
  const struct exec_tensor_product *p = &x->product;
  unsigned signs = p->d != PTX_S32 ? 2 : 0, turns = is_half(p->a) ? (x->a.layout ? 1 : 2) : 0, first = x->sparse.lanes ? 6 : 4;
  if (pi->n_ops != first + signs + turns) return exec_refuse(d, pi, "it has the wrong number of signs and transpositions");
  const struct ptx_opnd *o = &pi->ops[first];
  for (unsigned i = 0; i < signs; i++)
    if (!small_number(&o[i], -1, 1)) return exec_refuse(d, pi, "a sign must be 1 or -1");
  for (unsigned i = signs; i < signs + turns; i++)
    if (!small_number(&o[i], 0, 1)) return exec_refuse(d, pi, "a transposition must be 0 or 1");
  if (signs) {
    x->a_negated = o[0].imm < 0;
    x->b_negated = o[1].imm < 0;
  }
  x->a_transposed = turns == 2 && o[signs].imm;
  x->b_transposed = turns && o[signs + turns - 1].imm;
  return true;
}

static bool decode_order(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  bool waits = ptx_has(pi, PTX_M_wait_group), known = waits || ptx_has(pi, PTX_M_fence) || ptx_has(pi, PTX_M_commit_group);
  if (!known || !ptx_has(pi, PTX_M_sync)) return exec_refuse(d, pi, "the form is not known");
  if (pi->n_ops != (waits ? 1 : 0) || (waits && pi->ops[0].kind != PTX_O_INT))
    return exec_refuse(d, pi, "wait_group takes a number, the others nothing");
  out->fn = waits ? run_wait : run_order;
  out->unit = EXEC_U_ALU;
  if (waits) out->flags |= EXEC_CONTROL;
  return true;
}

bool exec_tensor_decode_wgmma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  if (!ptx_has(pi, PTX_M_mma_async)) return decode_order(d, pi, out);
  if (!ptx_has(pi, PTX_M_sync) || !ptx_has(pi, PTX_M_aligned)) return exec_refuse(d, pi, "it needs .sync.aligned");
  struct wgmma *x = ARENA_NEW(d->arena, struct wgmma);
  if (pi->n_ops < (ptx_has(pi, PTX_M_sp) ? 6 : 4)) return exec_refuse(d, pi, "operands are missing");
  out->fn = run_wgmma;
  out->unit = EXEC_U_TENSOR;
  out->aux = x;
  if (!decode_product(d, pi, x)) return false;
  out->vec = x->blocks; /* the timed model charges by columns */
  return decode_sums(d, pi, x) && decode_matrices(d, pi, x) && decode_flags(d, pi, x);
}
