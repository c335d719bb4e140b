/* Level 3 but for gemm. Everything that is a product is one kernel, told how its operands are stored and
 * which triangle is wanted. */
#include "blas/blas.h"

static bool good_options(const struct blas_args *a) {
  return (a->uplo == BLAS_LOWER || a->uplo == BLAS_UPPER) &&
         (a->side == BLAS_LEFT || a->side == BLAS_RIGHT) &&
         (a->diag == BLAS_NON_UNIT || a->diag == BLAS_UNIT) && blas_good_op(a->transa) &&
         blas_good_op(a->transb) && a->m >= 0 && a->n >= 0 && a->k >= 0 && a->batch >= 0;
}

static enum blas_status product(struct blas_handle *h, const struct blas_args *a,
                                struct blas_gemm_params *p) {
  bool small = p->m <= 32 || p->n <= 32;
  int edge = small ? 16 : 64;
  int64_t grid[] = {blas_blocks(p->m, edge) * blas_blocks(p->n, edge), 1};
  p->batch = 1;
  p->c = blas_general(a->C, a->ldc, BLAS_OP_N, false);
  return blas_launch(h, BLAS_LIB_VIEW, small ? "view_small" : "view_middle", blas_letter[a->type], grid,
                     small ? 64 : 256, p);
}

/* ---- symm, hemm; syrk, herk and their kin ---- */

enum blas_status blas_symm(struct blas_handle *h, const struct blas_args *a) {
  bool left = a->side == BLAS_LEFT;
  if (!good_options(a) || a->lda < blas_max(1, left ? a->m : a->n) || a->ldb < blas_max(1, a->m) ||
      a->ldc < blas_max(1, a->m) || !a->alpha || !a->beta)
    return BLAS_INVALID_VALUE;
  if (a->m == 0 || a->n == 0) return BLAS_OK;
  struct blas_matrix s = blas_shaped(a->variant ? BLAS_HERMITIAN : BLAS_SYMMETRIC, a->A, a->lda, a->uplo);
  struct blas_matrix b = blas_general(a->B, a->ldb, BLAS_OP_N, false);
  struct blas_gemm_params p = {
      .m = a->m, .n = a->n, .k = left ? a->m : a->n, .alpha = blas_alpha(h, a), .beta = blas_beta(h, a)};
  p.a = left ? s : b;
  p.b = left ? b : s;
  return product(h, a, &p);
}

/* C = alpha op(x) op(y)' + beta C in one triangle; variant: y is conjugated, too, and the diagonal real. */
static enum blas_status outer(struct blas_handle *h, const struct blas_args *a, const void *x, int64_t ldx,
                              const void *y, int64_t ldy, struct blas_scalar alpha, struct blas_scalar beta) {
  bool plain = a->transa == BLAS_OP_N, hermitian = a->variant != 0;
  int other = hermitian ? BLAS_OP_C : BLAS_OP_T;
  struct blas_gemm_params p = {.m = a->n, .n = a->n, .k = a->k, .alpha = alpha, .beta = beta};
  p.a = blas_general(x, ldx, plain ? BLAS_OP_N : other, hermitian);
  p.b = blas_general(y, ldy, plain ? other : BLAS_OP_N, hermitian);
  p.triangle = a->uplo == BLAS_LOWER ? 1 : 2;
  p.real_diagonal = hermitian;
  return product(h, a, &p);
}

/* Transposed or conjugate transposed: both mean the one that the product is with, as with NVIDIA's library.
 */
static bool good_product(const struct blas_args *a, bool two) {
  int64_t rows = blas_max(1, a->transa == BLAS_OP_N ? a->n : a->k);
  return good_options(a) && a->lda >= rows && (!two || a->ldb >= rows) && a->ldc >= blas_max(1, a->n) &&
         a->alpha && a->beta;
}

enum blas_status blas_syrk(struct blas_handle *h, const struct blas_args *a) {
  if (!good_product(a, false)) return BLAS_INVALID_VALUE;
  return a->n == 0 ? BLAS_OK : outer(h, a, a->A, a->lda, a->A, a->lda, blas_alpha(h, a), blas_beta(h, a));
}

enum blas_status blas_syrkx(struct blas_handle *h, const struct blas_args *a) {
  if (!good_product(a, true)) return BLAS_INVALID_VALUE;
  return a->n == 0 ? BLAS_OK : outer(h, a, a->A, a->lda, a->B, a->ldb, blas_alpha(h, a), blas_beta(h, a));
}

/* Two products, of which the second adds to what the first has left. */
enum blas_status blas_syr2k(struct blas_handle *h, const struct blas_args *a) {
  if (!good_product(a, true)) return BLAS_INVALID_VALUE;
  if (a->n == 0) return BLAS_OK;
  struct blas_scalar alpha = blas_alpha(h, a);
  enum blas_status status = outer(h, a, a->A, a->lda, a->B, a->ldb, alpha, blas_beta(h, a));
  if (status != BLAS_OK) return status;
  alpha.conjugate = a->variant != 0;
  return outer(h, a, a->B, a->ldb, a->A, a->lda, alpha, blas_constant(1));
}

/* ---- trmm, trsm ---- */

static struct blas_matrix triangle_of(const struct blas_args *a) {
  struct blas_matrix t = blas_shaped(BLAS_TRIANGULAR, a->A, a->lda, a->uplo);
  t.unit = a->diag == BLAS_UNIT;
  t.transposed = a->transa != BLAS_OP_N;
  t.conjugate = a->transa == BLAS_OP_C && blas_is_complex(a->type);
  return t;
}

static bool good_triangle(const struct blas_args *a) {
  return good_options(a) && a->lda >= blas_max(1, a->side == BLAS_LEFT ? a->m : a->n) &&
         a->ldc >= blas_max(1, a->m) && a->alpha;
}

/* In place. From the right it is the same with everything transposed. */
static enum blas_status strip(struct blas_handle *h, const struct blas_args *a, struct blas_scalar alpha,
                              bool solve) {
  void *b = a->C;
  enum { EDGE = 32 };
  bool left = a->side == BLAS_LEFT;
  struct blas_strip_params p = {
      .n = left ? a->m : a->n, .m = left ? a->n : a->m, .batch = a->batch, .alpha = alpha, .solve = solve};
  p.a = triangle_of(a);
  p.b = blas_general(b, a->ldc, left ? BLAS_OP_N : BLAS_OP_T, false);
  if (!left) p.a.transposed = !p.a.transposed;
  if (a->array) p.a.array = a->A, p.b.array = b;
  int64_t grid[] = {blas_blocks(p.m, EDGE), p.batch};
  return blas_launch(h, BLAS_LIB_LEVEL3, "strip", blas_letter[a->type], grid, 256, &p);
}

enum blas_status blas_solve(struct blas_handle *h, const struct blas_args *a, struct blas_scalar alpha) {
  return a->m == 0 || a->n == 0 || a->batch == 0 ? BLAS_OK : strip(h, a, alpha, true);
}

enum blas_status blas_trsm(struct blas_handle *h, const struct blas_args *a) {
  if (!good_triangle(a)) return BLAS_INVALID_VALUE;
  return blas_solve(h, a, blas_alpha(h, a));
}

/* The older interface has no C: the product is in place. */
enum blas_status blas_trmm(struct blas_handle *h, const struct blas_args *args) {
  struct blas_args own = *args, *a = &own;
  union {
    const void *in;
    void *out;
  } b = {args->B};
  if (!args->C && !args->ldc) a->C = b.out, a->ldc = a->ldb;
  if (!good_triangle(a) || a->ldb < blas_max(1, a->m) || (a->C == b.out && a->ldc != a->ldb))
    return BLAS_INVALID_VALUE;
  if (a->m == 0 || a->n == 0) return BLAS_OK;
  if (a->C == b.out) return strip(h, a, blas_alpha(h, a), false);
  bool left = a->side == BLAS_LEFT;
  struct blas_matrix t = triangle_of(a), g = blas_general(a->B, a->ldb, BLAS_OP_N, false);
  struct blas_gemm_params p = {
      .m = a->m, .n = a->n, .k = left ? a->m : a->n, .alpha = blas_alpha(h, a), .beta = blas_constant(0)};
  p.a = left ? t : g;
  p.b = left ? g : t;
  return product(h, a, &p);
}

/* ---- geam, dgmm, packed triangles ---- */

static enum blas_status elements(struct blas_handle *h, const struct blas_args *a, const char *name,
                                 struct blas_elements_params *p) {
  int64_t grid[] = {blas_blocks(p->m, 32) * blas_blocks(p->n, 32), 1};
  return blas_launch(h, BLAS_LIB_LEVEL3, name, blas_letter[a->type], grid, 256, p);
}

/* In place only where an element depends on its own place. */
enum blas_status blas_geam(struct blas_handle *h, const struct blas_args *a) {
  bool plain_a = a->transa == BLAS_OP_N, plain_b = a->transb == BLAS_OP_N;
  if (!good_options(a) || a->lda < blas_max(1, plain_a ? a->m : a->n) ||
      a->ldb < blas_max(1, plain_b ? a->m : a->n) || a->ldc < blas_max(1, a->m) || !a->alpha || !a->beta)
    return BLAS_INVALID_VALUE;
  if ((a->C == a->A && (!plain_a || a->lda != a->ldc)) || (a->C == a->B && (!plain_b || a->ldb != a->ldc)))
    return BLAS_INVALID_VALUE;
  if (a->m == 0 || a->n == 0) return BLAS_OK;
  bool z = blas_is_complex(a->type);
  struct blas_elements_params p = {.m = a->m, .n = a->n, .alpha = blas_alpha(h, a), .beta = blas_beta(h, a)};
  p.a = blas_general(a->A, a->lda, a->transa, z);
  p.b = blas_general(a->B, a->ldb, a->transb, z);
  p.c = blas_general(a->C, a->ldc, BLAS_OP_N, z);
  return elements(h, a, "geam", &p);
}

enum blas_status blas_dgmm(struct blas_handle *h, const struct blas_args *a) {
  if (!good_options(a) || a->lda < blas_max(1, a->m) || a->ldc < blas_max(1, a->m)) return BLAS_INVALID_VALUE;
  if (a->m == 0 || a->n == 0) return BLAS_OK;
  union {
    const void *in;
    void *out;
  } x = {a->x};
  struct blas_elements_params p = {
      .m = a->m, .n = a->n, .left = a->side == BLAS_LEFT, .x = {.at = x.out, .inc = a->incx}};
  p.a = blas_general(a->A, a->lda, BLAS_OP_N, false);
  p.c = blas_general(a->C, a->ldc, BLAS_OP_N, false);
  return elements(h, a, "dgmm", &p);
}

/* trttp; variant: tpttr. */
enum blas_status blas_triangle(struct blas_handle *h, const struct blas_args *a) {
  if (!good_options(a) || (a->variant ? a->ldc : a->lda) < blas_max(1, a->n)) return BLAS_INVALID_VALUE;
  if (a->n == 0) return BLAS_OK;
  struct blas_elements_params p = {.m = a->n, .n = a->n};
  p.a = blas_shaped(BLAS_TRIANGULAR, a->A, a->lda, a->uplo);
  p.c = blas_shaped(BLAS_TRIANGULAR, a->C, a->ldc, a->uplo);
  p.a.rows = p.c.rows = a->n;
  *(a->variant ? &p.a.storage : &p.c.storage) = BLAS_PACKED;
  return elements(h, a, "triangle", &p);
}
