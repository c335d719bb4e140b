/* mma.sync and wmma.mma: which combinations of shape, types and layouts exist, and their execution.
 *
 * Both work only on fragments in registers. Lanes that have exited contribute the bits left in their registers. mma.sp is a product of the
 * kept elements (tensor_sparse.c). Refused: block-scaled types. */
#include "exec/tensor/tensor.h"

struct mma { /* aux */
  struct exec_tensor_product product;
  struct exec_tensor_fragment a, b, c, d;
  struct exec_tensor_sparse sparse;
};

static void run_mma(struct exec_warp *w, const struct exec_inst *in) {
  const struct mma *x = in->aux;
  uint32_t a[EXEC_TENSOR_TILE] EXEC_ALIGNED, b[EXEC_TENSOR_TILE] EXEC_ALIGNED, c[EXEC_TENSOR_TILE] EXEC_ALIGNED,
      d[EXEC_TENSOR_TILE] EXEC_ALIGNED;
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES)) return;
  exec_tensor_gather(w, &x->a, a);
  exec_tensor_gather(w, &x->b, b);
  exec_tensor_gather(w, &x->c, c);
  if (x->sparse.lanes) exec_tensor_multiply_sparse(w, &x->product, &x->sparse, a, b, c, d);
  else exec_tensor_multiply(&x->product, a, b, c, d);
  exec_tensor_scatter(w, &x->d, d);
}

/* The product 8 by 8 by 4 with all lanes active, without tiles. */
static bool multiplied_registers(const struct exec_warp *w, const struct mma *x) {
  const struct exec_tensor_product *p = &x->product;
  if (p->shape.m != 8 || p->shape.k != 4 || w->mask != EXEC_ALL_LANES) return false;
  if (x->d.regs[0].file == EXEC_FNONE || x->d.regs[1].file == EXEC_FNONE) return false;
  const uint64_t *c[2] = {exec_row(w, x->c.regs[0]), exec_row(w, x->c.regs[1])};
  uint64_t *d[2] = {exec_row(w, x->d.regs[0]), exec_row(w, x->d.regs[1])};
  unsigned old = exec_round_enter((enum exec_round)p->round);
  bool done = p->lanes->tensor->small_doubles(exec_row(w, x->a.regs[0]), exec_row(w, x->b.regs[0]), c, d);
  exec_round_leave(old);
  return done;
}

static void run_mma_wide(struct exec_warp *w, const struct exec_inst *in) {
  const struct mma *x = in->aux;
  uint64_t a[EXEC_TENSOR_WIDE_TILE], b[EXEC_TENSOR_WIDE_TILE], c[EXEC_TENSOR_WIDE_TILE], d[EXEC_TENSOR_WIDE_TILE];
  if (!exec_wait_for_lanes(w, in, EXEC_ALL_LANES) || multiplied_registers(w, x)) return;
  exec_tensor_gather_wide(w, &x->a, a);
  exec_tensor_gather_wide(w, &x->b, b);
  exec_tensor_gather_wide(w, &x->c, c);
  exec_tensor_multiply_wide(&x->product, a, b, c, d);
  exec_tensor_scatter_wide(w, &x->d, d);
}

/* ---- what there is ------------------------------------------------------------------------------------ */

enum kind { KIND_NONE, KIND_F16, KIND_BF16, KIND_TF32, KIND_F64, KIND_INT8, KIND_INT4, KIND_BITS, KIND_FP8 };

static enum kind kind_of(uint8_t t) {
  switch (t) {
  case PTX_F16: return KIND_F16;
  case PTX_BF16: return KIND_BF16;
  case PTX_TF32: return KIND_TF32;
  case PTX_F64: return KIND_F64;
  case PTX_U8:
  case PTX_S8: return KIND_INT8;
  case PTX_U4:
  case PTX_S4: return KIND_INT4;
  case PTX_B1: return KIND_BITS;
  case PTX_E4M3:
  case PTX_E5M2: return KIND_FP8;
  default: return KIND_NONE;
  }
}

struct combination {
  uint8_t kind;
  struct exec_tensor_shape shape;
};

static const struct combination MMA[] = {
    {KIND_F16, {8, 8, 4}},    {KIND_F16, {16, 8, 8}},   {KIND_F16, {16, 8, 16}},   {KIND_BF16, {16, 8, 8}},
    {KIND_BF16, {16, 8, 16}}, {KIND_TF32, {16, 8, 4}},  {KIND_TF32, {16, 8, 8}},   {KIND_F64, {8, 8, 4}},
    {KIND_F64, {16, 8, 4}},   {KIND_F64, {16, 8, 8}},   {KIND_F64, {16, 8, 16}},   {KIND_INT8, {8, 8, 16}},
    {KIND_INT8, {16, 8, 16}}, {KIND_INT8, {16, 8, 32}}, {KIND_INT4, {8, 8, 32}},   {KIND_INT4, {16, 8, 32}},
    {KIND_INT4, {16, 8, 64}}, {KIND_BITS, {8, 8, 128}}, {KIND_BITS, {16, 8, 128}}, {KIND_BITS, {16, 8, 256}},
    {KIND_FP8, {16, 8, 16}},  {KIND_FP8, {16, 8, 32}}};
static const struct combination SPARSE[] = {
    {KIND_F16, {16, 8, 16}},  {KIND_F16, {16, 8, 32}},  {KIND_BF16, {16, 8, 16}}, {KIND_BF16, {16, 8, 32}}, {KIND_TF32, {16, 8, 8}},
    {KIND_TF32, {16, 8, 16}}, {KIND_INT8, {16, 8, 32}}, {KIND_INT8, {16, 8, 64}}, {KIND_INT4, {16, 8, 64}}, {KIND_INT4, {16, 8, 128}},
    {KIND_FP8, {16, 8, 64}}};
static const struct combination WMMA[] = {
    {KIND_F16, {16, 16, 16}},  {KIND_F16, {8, 32, 16}},  {KIND_F16, {32, 8, 16}},  {KIND_BF16, {16, 16, 16}},
    {KIND_BF16, {8, 32, 16}},  {KIND_BF16, {32, 8, 16}}, {KIND_TF32, {16, 16, 8}}, {KIND_F64, {8, 8, 4}},
    {KIND_INT8, {16, 16, 16}}, {KIND_INT8, {8, 32, 16}}, {KIND_INT8, {32, 8, 16}}, {KIND_INT4, {8, 8, 32}},
    {KIND_BITS, {8, 8, 128}}};

static bool listed(const struct combination *c, size_t n, enum kind kind, struct exec_tensor_shape s) {
  for (size_t i = 0; i < n; i++)
    if (c[i].kind == kind && c[i].shape.m == s.m && c[i].shape.n == s.n && c[i].shape.k == s.k) return true;
  return false;
}

static bool accumulates(enum kind kind, uint8_t t) {
  switch (kind) {
  case KIND_F16:
  case KIND_FP8: return t == PTX_F16 || t == PTX_F32;
  case KIND_BF16:
  case KIND_TF32: return t == PTX_F32;
  case KIND_F64: return t == PTX_F64;
  default: return t == PTX_S32;
  }
}

bool exec_tensor_shape_of(const struct ptx_inst *pi, struct exec_tensor_shape *s) {
  static const struct {
    uint16_t mod;
    struct exec_tensor_shape shape;
  } TABLE[] = {
      {PTX_M_m16n16k16, {16, 16, 16}}, {PTX_M_m8n32k16, {8, 32, 16}},   {PTX_M_m32n8k16, {32, 8, 16}},
      {PTX_M_m16n16k8, {16, 16, 8}},   {PTX_M_m8n8k4, {8, 8, 4}},       {PTX_M_m8n8k16, {8, 8, 16}},
      {PTX_M_m8n8k32, {8, 8, 32}},     {PTX_M_m8n8k128, {8, 8, 128}},   {PTX_M_m16n8k4, {16, 8, 4}},
      {PTX_M_m16n8k8, {16, 8, 8}},     {PTX_M_m16n8k16, {16, 8, 16}},   {PTX_M_m16n8k32, {16, 8, 32}},
      {PTX_M_m16n8k64, {16, 8, 64}},   {PTX_M_m16n8k128, {16, 8, 128}}, {PTX_M_m16n8k256, {16, 8, 256}}};
  for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
    if (ptx_has(pi, (enum ptx_mod)TABLE[i].mod)) {
      *s = TABLE[i].shape;
      return true;
    }
  return false;
}

/* ---- decoding ----------------------------------------------------------------------------------------- */

/* wmma with f16 operands names only the types of d and c. */
static bool decode_types(const struct ptx_inst *pi, struct exec_tensor_product *p) {
  bool brief = pi->op == PTX_OP_wmma && pi->n_types == 2;
  if (!brief && pi->n_types != 4) return false;
  p->d = pi->types[0];
  p->a = brief ? PTX_F16 : pi->types[1];
  p->b = brief ? PTX_F16 : pi->types[2];
  p->c = pi->types[brief ? 1 : 3];
  enum kind kind = kind_of(p->a);
  bool same = kind == KIND_F64 || kind == KIND_BITS || p->a != PTX_F16;
  return kind && kind == kind_of(p->b) && accumulates(kind, p->c) && accumulates(kind, p->d) &&
         (!same || p->c == p->d);
}

/* The two layout words. False if there are not two. */
static bool decode_orders(const struct ptx_inst *pi, bool row_major[2]) {
  unsigned n = 0;
  for (unsigned i = 0; i < pi->n_mods; i++)
    if (pi->mods[i] == PTX_M_row || pi->mods[i] == PTX_M_col) {
      if (n == 2) return false;
      row_major[n++] = pi->mods[i] == PTX_M_row;
    }
  return n == 2;
}

static bool is_sparse(const struct ptx_inst *pi) { return ptx_has(pi, PTX_M_sp) || ptx_has(pi, PTX_M_sp__ordered_metadata); }

static bool check_product(struct exec_decoder *d, const struct ptx_inst *pi,
                          const struct exec_tensor_product *p) {
  bool wmma = pi->op == PTX_OP_wmma, sparse = is_sparse(pi);
  enum kind kind = kind_of(p->a);
  const struct combination *table = wmma ? WMMA : sparse ? SPARSE : MMA;
  size_t n = wmma ? sizeof WMMA / sizeof *WMMA : sparse ? sizeof SPARSE / sizeof *SPARSE : sizeof MMA / sizeof *MMA;
  if (!listed(table, n, kind, p->shape)) return exec_refuse(d, pi, "there is no such shape for these types");
  if (p->saturate && kind != KIND_INT8 && kind != KIND_INT4 && !(wmma && kind == KIND_F16))
    return exec_refuse(d, pi, ".satfinite is for whole numbers");
  if (sparse && kind == KIND_FP8 && p->d == PTX_F16) return exec_refuse(d, pi, "sums in f16 are for a dense matrix here");
  if (kind == KIND_BITS && (!ptx_has(pi, PTX_M_popc) || ptx_has(pi, PTX_M_and) == ptx_has(pi, PTX_M_xor)))
    return exec_refuse(d, pi, "single bits need .xor.popc or .and.popc");
  return true;
}

static bool is_quad(const struct exec_tensor_product *p) { return p->a == PTX_F16 && p->shape.k == 4; }

/* The product uses only the elements that a keeps, half of them. */
static bool decode_sparse(struct exec_decoder *d, const struct ptx_inst *pi, struct mma *x) {
  if (!is_sparse(pi)) return true;
  struct exec_tensor_product *p = &x->product;
  if (!exec_tensor_decode_sparse(d, pi, 4, (enum ptx_type)p->a, p->shape.k, &x->sparse)) return false;
  p->shape.k /= 2;
  return true;
}

static void choose_layouts(const struct ptx_inst *pi, const bool row_major[2], struct mma *x) {
  const struct exec_tensor_product *p = &x->product;
  enum ptx_type a = (enum ptx_type)p->a, b = (enum ptx_type)p->b, c = (enum ptx_type)p->c,
                d = (enum ptx_type)p->d;
  if (is_quad(p)) {
    x->a.layout = exec_tensor_layout_quad(EXEC_TENSOR_A, a, row_major[0]);
    x->b.layout = exec_tensor_layout_quad(EXEC_TENSOR_B, b, row_major[1]);
    x->c.layout = exec_tensor_layout_quad(EXEC_TENSOR_C, c, true);
    x->d.layout = exec_tensor_layout_quad(EXEC_TENSOR_C, d, true);
    return;
  }
  const struct exec_tensor_layout *(*layout)(struct exec_tensor_shape, enum exec_tensor_part, enum ptx_type) =
      pi->op == PTX_OP_wmma ? exec_tensor_layout_wmma : exec_tensor_layout_mma;
  struct exec_tensor_shape kept = p->shape; /* of a */
  if (is_sparse(pi)) kept.k /= 2;
  x->a.layout = layout(kept, EXEC_TENSOR_A, a);
  x->b.layout = layout(p->shape, EXEC_TENSOR_B, b);
  x->c.layout = layout(p->shape, EXEC_TENSOR_C, c);
  x->d.layout = layout(p->shape, EXEC_TENSOR_C, d);
}

/* How many products the H200 adds at once. wmma has no tf32 unit of its own and uses the shorter shape. */
static uint8_t group_of(const struct ptx_inst *pi, const struct exec_tensor_product *p) {
  unsigned most = p->a == PTX_TF32 ? (pi->op == PTX_OP_wmma ? 4 : 8) : 16;
  if (kind_of(p->a) == KIND_FP8) most = p->shape.k / 2u;
  return (uint8_t)(p->shape.k < most ? p->shape.k : most);
}

static enum exec_round round_of(const struct ptx_inst *pi) {
  return ptx_has(pi, PTX_M_rz)   ? EXEC_RZ
         : ptx_has(pi, PTX_M_rm) ? EXEC_RM
         : ptx_has(pi, PTX_M_rp) ? EXEC_RP
                                 : EXEC_RN;
}

/* Blocks of 8 rows, 8 columns and 16 bytes along k that are multiplied, of a sparse matrix those that are kept: the timed model charges by
 * them. */
static uint8_t blocks_of(const struct exec_tensor_product *p) {
  unsigned bits = p->a == PTX_TF32 ? 32 : ptx_type_bits((enum ptx_type)p->a);
  unsigned blocks = (unsigned)p->shape.m * p->shape.n * p->shape.k * bits * p->tiles / (8 * 8 * 128);
  return (uint8_t)(blocks ? blocks : 1);
}

bool exec_tensor_decode_mma(struct exec_decoder *d, const struct ptx_inst *pi, struct exec_inst *out) {
  struct mma *x = ARENA_NEW(d->arena, struct mma);
  struct exec_tensor_product *p = &x->product;
  bool row_major[2];
  if (ptx_has(pi, PTX_M_block_scale)) return exec_refuse(d, pi, "block-scaled products are not modelled");
  if (pi->n_ops != (is_sparse(pi) ? 6 : 4)) return exec_refuse(d, pi, "it needs four matrices, and metadata if one is sparse");
  if (!exec_tensor_shape_of(pi, &p->shape) || !decode_orders(pi, row_major))
    return exec_refuse(d, pi, "it needs a shape and two layouts");
  if (!decode_types(pi, p)) return exec_refuse(d, pi, "this combination of types is not modelled");
  p->round = (uint8_t)round_of(pi);
  p->saturate = ptx_has(pi, PTX_M_satfinite);
  p->both = ptx_has(pi, PTX_M_and);
  p->tiles = is_quad(p) ? 4 : 1;
  p->lanes = d->lanes;
  if (!check_product(d, pi, p)) return false;
  bool one_order = pi->op == PTX_OP_mma ? !is_quad(p) : ptx_type_bits((enum ptx_type)p->a) < 8;
  if (one_order && (!row_major[0] || row_major[1]))
    return exec_refuse(d, pi, "the layouts must be .row.col here");
  choose_layouts(pi, row_major, x);
  if (!decode_sparse(d, pi, x)) return false;
  p->group = group_of(pi, p);
  out->fn = p->a == PTX_F64 ? run_mma_wide : run_mma;
  out->unit = EXEC_U_TENSOR;
  out->vec = blocks_of(p);
  out->aux = x;
  return exec_tensor_decode_fragment(d, pi, &pi->ops[0], (enum ptx_type)p->d, true, &x->d) &&
         exec_tensor_decode_fragment(d, pi, &pi->ops[1], (enum ptx_type)p->a, false, &x->a) &&
         exec_tensor_decode_fragment(d, pi, &pi->ops[2], (enum ptx_type)p->b, false, &x->b) &&
         exec_tensor_decode_fragment(d, pi, &pi->ops[3], (enum ptx_type)p->c, false, &x->c);
}
