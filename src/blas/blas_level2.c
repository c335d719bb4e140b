/* Level 2: a matrix of whatever shape and storage times a vector, in place if it is triangular, and updates
 * of rank 1 and 2. */
#include "blas/blas.h"

static bool good(const struct blas_args *a) {
  return (a->uplo == BLAS_LOWER || a->uplo == BLAS_UPPER) &&
         (a->diag == BLAS_NON_UNIT || a->diag == BLAS_UNIT) && blas_good_op(a->transa) && a->m >= 0 &&
         a->n >= 0 && a->k >= 0 && a->kl >= 0 && a->ku >= 0 && a->batch >= 0;
}

static struct blas_vector vector(const struct blas_args *a, const void *at, int64_t inc, int64_t stride) {
  union {
    const void *in;
    void *out;
  } v = {at};
  struct blas_vector x = {.at = v.out, .inc = inc, .stride = stride};
  if (a->array) x.array = v.out, x.at = NULL;
  return x;
}

/* ---- matrix times vector ---- */

/* Of 16 bits, with y of 16 bits or (variant) of 32. */
static const char *suffix_of(const struct blas_args *a) {
  if (a->type == BLAS_H) return a->variant ? "hs" : "hh";
  if (a->type == BLAS_B) return a->variant ? "bs" : "bb";
  return blas_letter[a->type];
}

/* rows x cols is op(m). */
static enum blas_status multiply(struct blas_handle *h, const struct blas_args *a, struct blas_matrix m,
                                 int64_t rows, int64_t cols) {
  enum { ROWS = 32 };
  if (a->incx == 0 || a->incy == 0 || !a->alpha || !a->beta) return BLAS_INVALID_VALUE;
  if (rows == 0 || cols == 0 || a->batch == 0) return BLAS_OK;
  struct blas_mv_params p = {
      .m = rows, .n = cols, .batch = a->batch, .alpha = blas_alpha(h, a), .beta = blas_beta(h, a), .a = m};
  if (a->array) p.a.array = m.at;
  p.a.stride = a->stride_a;
  p.x = vector(a, a->x, a->incx, a->stride_b);
  p.y = vector(a, a->y, a->incy, a->stride_c);
  int64_t grid[] = {blas_blocks(rows, ROWS), a->batch};
  return blas_launch(h, BLAS_LIB_LEVEL2, "mv", suffix_of(a), grid, 256, &p);
}

enum blas_status blas_gemv(struct blas_handle *h, const struct blas_args *a) {
  bool plain = a->transa == BLAS_OP_N;
  if (!good(a) || a->lda < blas_max(1, a->m)) return BLAS_INVALID_VALUE;
  return multiply(h, a, blas_general(a->A, a->lda, a->transa, blas_is_complex(a->type)), plain ? a->m : a->n,
                  plain ? a->n : a->m);
}

enum blas_status blas_gbmv(struct blas_handle *h, const struct blas_args *a) {
  bool plain = a->transa == BLAS_OP_N;
  if (!good(a) || a->lda < a->kl + a->ku + 1) return BLAS_INVALID_VALUE;
  struct blas_matrix m = blas_general(a->A, a->lda, a->transa, blas_is_complex(a->type));
  m.storage = BLAS_BAND;
  m.kl = a->kl;
  m.ku = a->ku;
  return multiply(h, a, m, plain ? a->m : a->n, plain ? a->n : a->m);
}

/* variant: Hermitian. */
static enum blas_status symmetric(struct blas_handle *h, const struct blas_args *a,
                                  enum blas_storage storage) {
  struct blas_matrix m = blas_shaped(a->variant ? BLAS_HERMITIAN : BLAS_SYMMETRIC, a->A, a->lda, a->uplo);
  m.storage = (int32_t)storage;
  m.rows = a->n;
  m.kl = m.upper ? 0 : a->k;
  m.ku = m.upper ? a->k : 0;
  return multiply(h, a, m, a->n, a->n);
}

enum blas_status blas_symv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) || a->lda < blas_max(1, a->n) ? BLAS_INVALID_VALUE : symmetric(h, a, BLAS_FULL);
}
enum blas_status blas_sbmv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) || a->lda < a->k + 1 ? BLAS_INVALID_VALUE : symmetric(h, a, BLAS_BAND);
}
enum blas_status blas_spmv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) ? BLAS_INVALID_VALUE : symmetric(h, a, BLAS_PACKED);
}

/* ---- triangular, in place; variant: solve ---- */

static enum blas_status triangular(struct blas_handle *h, const struct blas_args *a,
                                   enum blas_storage storage) {
  if (a->incy == 0) return BLAS_INVALID_VALUE;
  if (a->n == 0) return BLAS_OK;
  struct blas_mv_params p = {.n = a->n, .solve = a->variant, .x = vector(a, a->y, a->incy, 0)};
  p.a = blas_shaped(BLAS_TRIANGULAR, a->A, a->lda, a->uplo);
  p.a.storage = (int32_t)storage;
  p.a.rows = a->n;
  p.a.kl = p.a.upper ? 0 : a->k;
  p.a.ku = p.a.upper ? a->k : 0;
  p.a.unit = a->diag == BLAS_UNIT;
  p.a.transposed = a->transa != BLAS_OP_N;
  p.a.conjugate = a->transa == BLAS_OP_C && blas_is_complex(a->type);
  return blas_launch(h, BLAS_LIB_LEVEL2, "tri", blas_letter[a->type], (int64_t[]){1, 1}, 256, &p);
}

enum blas_status blas_trmv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) || a->lda < blas_max(1, a->n) ? BLAS_INVALID_VALUE : triangular(h, a, BLAS_FULL);
}
enum blas_status blas_tbmv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) || a->lda < a->k + 1 ? BLAS_INVALID_VALUE : triangular(h, a, BLAS_BAND);
}
enum blas_status blas_tpmv(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) ? BLAS_INVALID_VALUE : triangular(h, a, BLAS_PACKED);
}

/* ---- rank 1 and 2 ---- */

static enum blas_status update(struct blas_handle *h, const struct blas_args *a, struct blas_rank_params *p) {
  if (a->incx == 0 || a->incy == 0 || !a->alpha) return BLAS_INVALID_VALUE;
  if (p->m == 0 || p->n == 0) return BLAS_OK;
  p->alpha = blas_alpha(h, a);
  p->x = vector(a, a->x, a->incx, 0);
  p->y = vector(a, a->y, a->incy, 0);
  int64_t grid[] = {blas_blocks(p->m, 32) * blas_blocks(p->n, 32), 1};
  return blas_launch(h, BLAS_LIB_LEVEL2, "rank", blas_letter[a->type], grid, 256, p);
}

enum blas_status blas_ger(struct blas_handle *h, const struct blas_args *a) {
  if (!good(a) || a->ldc < blas_max(1, a->m)) return BLAS_INVALID_VALUE;
  struct blas_rank_params p = {
      .m = a->m, .n = a->n, .conjugate = a->variant, .a = blas_general(a->C, a->ldc, BLAS_OP_N, false)};
  return update(h, a, &p);
}

/* Bit 0 of the variant: Hermitian; bit 1: of rank 2. */
static enum blas_status one_triangle(struct blas_handle *h, const struct blas_args *args,
                                     enum blas_storage storage) {
  struct blas_args own = *args, *a = &own;
  union {
    const void *in;
    void *out;
  } x = {args->x};
  if (!(a->variant & 2)) a->y = x.out, a->incy = a->incx;
  struct blas_rank_params p = {.m = a->n, .n = a->n, .two = a->variant & 2, .conjugate = a->variant & 1};
  p.a = blas_shaped(a->variant & 1 ? BLAS_HERMITIAN : BLAS_SYMMETRIC, a->C, a->ldc, a->uplo);
  p.a.storage = (int32_t)storage;
  p.a.rows = a->n;
  return update(h, a, &p);
}

enum blas_status blas_syr(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) || a->ldc < blas_max(1, a->n) ? BLAS_INVALID_VALUE : one_triangle(h, a, BLAS_FULL);
}
enum blas_status blas_spr(struct blas_handle *h, const struct blas_args *a) {
  return !good(a) ? BLAS_INVALID_VALUE : one_triangle(h, a, BLAS_PACKED);
}
