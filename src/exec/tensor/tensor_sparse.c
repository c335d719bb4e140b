/* Products with a sparse a: of every four elements of a row two are kept (of tf32 one of two, of 4-bit numbers two pairs of four); metadata
 * in the registers of some lanes say which. A kept element is multiplied with the element of b at its place.
 *
 * Metadata are two bits for each kept element, or pair, of a row: its place among the four. The metadata of rows g and g + 8 are in lanes 4
 * g to 4 g + 3: in one of the four, in two, or in all, as many as needed; the selector says which. A lane's lower half belongs to row g,
 * its upper half to row g + 8, and the lanes follow one another along the row. For elements of 8 and 4 bits one lane belongs to row g, and
 * the next one to row g + 8. */
#include "exec/tensor/tensor.h"

#include <string.h>

unsigned exec_tensor_sparse_lanes(enum ptx_type t, unsigned k) {
  unsigned bits = t == PTX_TF32 ? 32 : ptx_type_bits(t), kept = k / 2, each = bits == 4 ? 2 : 1; /* elements a place stands for */
  unsigned of_row = bits == 32 ? kept * 4 : kept / each * 2;
  return 2 * of_row / 32;
}

/* The four bits for group number `four` of a row. */
static unsigned places(const uint32_t *meta, const struct exec_tensor_sparse *s, unsigned row, unsigned four) {
  unsigned lane = row % 8 * 4 + s->selector * s->lanes, half = row / 8;
  if (s->narrow) return meta[lane + half + four / 8 * 2] >> four % 8 * 4 & 15;
  return meta[lane + four / 4] >> (16 * half + four % 4 * 4) & 15;
}

/* The elements of b by which a row's kept elements are multiplied. */
static void choose(const struct exec_tensor_product *p, const struct exec_tensor_sparse *s, const uint32_t *meta, unsigned row,
                   const uint32_t *b, uint32_t *out) {
  unsigned bits = p->a == PTX_TF32 ? 32 : ptx_type_bits((enum ptx_type)p->a), kept = p->shape.k;
  for (unsigned i = 0; i < kept; i++) {
    unsigned each = bits == 4 ? 2 : 1, number = i / each, two = bits == 32 ? 1 : 2, four = number / two;
    unsigned where = places(meta, s, row, four) >> 2 * (number % two) & 3;
    unsigned at = bits == 32 ? 2 * four + where / 2 : (4 * four + where) * each + i % each;
    for (unsigned n = 0; n < p->shape.n; n++) out[n * kept + i] = b[n * 2 * kept + at];
  }
}

void exec_tensor_multiply_sparse(const struct exec_warp *w, const struct exec_tensor_product *p, const struct exec_tensor_sparse *s,
                                 const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  const uint32_t *meta = exec_row(w, s->meta);
  struct exec_tensor_product one = *p;
  uint32_t chosen[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  one.shape.m = 1;
  for (unsigned row = 0; row < p->shape.m; row++) {
    choose(p, s, meta, row, b, chosen);
    exec_tensor_multiply(&one, a + row * p->shape.k, chosen, c + row * p->shape.n, d + row * p->shape.n);
  }
}

bool exec_tensor_decode_sparse(struct exec_decoder *d, const struct ptx_inst *pi, unsigned first, enum ptx_type t, unsigned k,
                               struct exec_tensor_sparse *s) {
  s->lanes = (uint8_t)exec_tensor_sparse_lanes(t, k);
  s->narrow = t != PTX_TF32 && ptx_type_bits(t) <= 8;
  if (pi->n_ops < first + 2u) return exec_refuse(d, pi, "metadata and a selector are missing");
  const struct ptx_opnd *o = &pi->ops[first + 1];
  if (o->kind != PTX_O_INT || o->imm < 0 || o->imm >= 4 / s->lanes) return exec_refuse(d, pi, "there is no such selector for this shape");
  s->selector = (uint8_t)o->imm;
  if (pi->ops[first].kind == PTX_O_REG && ptx_reg_class((enum ptx_type)d->pf->regs[pi->ops[first].reg].type) != PTX_R32)
    return exec_refuse(d, pi, "metadata have 32 bits");
  return exec_decode_source(d, &pi->ops[first], PTX_B32, &s->meta);
}
