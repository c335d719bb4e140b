/* LU and QR of small matrices in batches, and what is solved with them: a kernel for the factors, triangular
 * systems by trsm's. */
#include "blas/blas.h"

static struct blas_matrix batch_of(const void *array, int64_t ld) {
  return (struct blas_matrix){.array = array, .ld = ld};
}

static enum blas_status factor(struct blas_handle *h, const struct blas_args *a, const char *name,
                               struct blas_factor_params *p) {
  return blas_launch(h, BLAS_LIB_FACTOR, name, blas_letter[a->type], (int64_t[]){a->batch, 1}, 256, p);
}

/* One triangle of the factors and the right sides in C. */
static enum blas_status solve(struct blas_handle *h, const struct blas_args *args, int uplo, int diag, int op,
                              int64_t columns) {
  struct blas_args a = *args;
  a.side = BLAS_LEFT;
  a.uplo = uplo;
  a.diag = diag;
  a.transa = op;
  a.m = args->n;
  a.n = columns;
  return blas_solve(h, &a, blas_constant(1));
}

static bool good(const struct blas_args *a) {
  return a->n >= 0 && a->batch >= 0 && a->ldc >= blas_max(1, a->n) &&
         (!a->A || a->lda >= blas_max(1, a->n)) && a->pa;
}
static bool nothing(const struct blas_args *a) { return a->n == 0 || a->batch == 0; }

/* ---- LU ---- */

enum blas_status blas_getrf(struct blas_handle *h, const struct blas_args *a) {
  struct blas_factor_params p = {.n = a->n, .a = batch_of(a->C, a->ldc), .pivots = a->param, .info = a->pa};
  if (!good(a)) return BLAS_INVALID_VALUE;
  return nothing(a) ? BLAS_OK : factor(h, a, "getrf", &p);
}

/* The inverse is U^-1 L^-1 P. */
enum blas_status blas_getri(struct blas_handle *h, const struct blas_args *a) {
  struct blas_factor_params p = {
      .n = a->n, .a = batch_of(a->A, a->lda), .c = batch_of(a->C, a->ldc), .pivots = a->param, .info = a->pa};
  if (!good(a)) return BLAS_INVALID_VALUE;
  if (nothing(a)) return BLAS_OK;
  enum blas_status s = factor(h, a, "permutation", &p);
  if (s == BLAS_OK) s = solve(h, a, BLAS_LOWER, BLAS_UNIT, BLAS_OP_N, a->n);
  return s == BLAS_OK ? solve(h, a, BLAS_UPPER, BLAS_NON_UNIT, BLAS_OP_N, a->n) : s;
}

enum blas_status blas_matinv(struct blas_handle *h, const struct blas_args *a) {
  enum { MOST = 32 };
  struct blas_factor_params p = {
      .n = a->n, .a = batch_of(a->A, a->lda), .c = batch_of(a->C, a->ldc), .info = a->pa};
  if (!good(a) || a->n > MOST) return BLAS_INVALID_VALUE;
  return nothing(a) ? BLAS_OK : factor(h, a, "matinv", &p);
}

/* Where a routine says to the host which argument is wrong: minus its place. */
static enum blas_status wrong(const struct blas_args *a, int place) {
  int *info = a->pa;
  *info = -place;
  return place ? BLAS_INVALID_VALUE : BLAS_OK;
}

static enum blas_status swap_rows(struct blas_handle *h, const struct blas_args *a, bool backward) {
  struct blas_factor_params p = {
      .n = a->n, .k = a->k, .c = batch_of(a->C, a->ldc), .pivots = a->param, .backward = backward};
  return a->param ? factor(h, a, "swap_rows", &p) : BLAS_OK;
}

enum blas_status blas_getrs(struct blas_handle *h, const struct blas_args *a) {
  int64_t rows = blas_max(1, a->n);
  bool plain = a->transa == BLAS_OP_N;
  if (!a->pa) return BLAS_INVALID_VALUE;
  int place = !blas_good_op(a->transa) ? 1
              : a->n < 0               ? 2
              : a->k < 0               ? 3
              : a->lda < rows          ? 5
              : a->ldc < rows          ? 8
              : a->batch < 0           ? 10
                                       : 0;
  enum blas_status s = wrong(a, place);
  if (s != BLAS_OK || nothing(a) || a->k == 0) return s;
  if (plain) s = swap_rows(h, a, false);
  if (s == BLAS_OK)
    s = solve(h, a, plain ? BLAS_LOWER : BLAS_UPPER, plain ? BLAS_UNIT : BLAS_NON_UNIT, a->transa, a->k);
  if (s == BLAS_OK)
    s = solve(h, a, plain ? BLAS_UPPER : BLAS_LOWER, plain ? BLAS_NON_UNIT : BLAS_UNIT, a->transa, a->k);
  return s == BLAS_OK && !plain ? swap_rows(h, a, true) : s;
}

/* ---- QR ---- */

enum blas_status blas_geqrf(struct blas_handle *h, const struct blas_args *a) {
  if (!a->pa) return BLAS_INVALID_VALUE;
  enum blas_status s = wrong(a, a->m < 0                     ? 1
                                : a->n < 0                   ? 2
                                : a->ldc < blas_max(1, a->m) ? 4
                                : a->batch < 0               ? 7
                                                             : 0);
  if (s != BLAS_OK || a->m == 0 || nothing(a)) return s;
  struct blas_factor_params p = {.m = a->m, .n = a->n, .a = batch_of(a->C, a->ldc), .tau = a->y};
  return factor(h, a, "geqrf", &p);
}

/* Systems with at least as many rows as columns, not transposed; the places of wrong arguments are those that
 * NVIDIA's library tells. */
enum blas_status blas_gels(struct blas_handle *h, const struct blas_args *a) {
  int64_t rows = blas_max(1, a->m);
  if (!a->pa) return BLAS_INVALID_VALUE;
  enum blas_status s = wrong(a, a->m < 0        ? 1
                                : a->k < 0      ? 2
                                : a->n < 0      ? 3
                                : a->lda < rows ? 5
                                : a->ldc < rows ? 7
                                : a->batch < 0  ? 8
                                                : 0);
  if (s != BLAS_OK) return s;
  if (a->transa != BLAS_OP_N || a->m < a->n) return BLAS_NOT_SUPPORTED;
  if (nothing(a)) return BLAS_OK;
  struct blas_factor_params p = {.m = a->m,
                                 .n = a->n,
                                 .k = a->k,
                                 .a = batch_of(a->A, a->lda),
                                 .c = batch_of(a->C, a->ldc),
                                 .info = a->pb};
  s = factor(h, a, "geqrf", &p);
  return s == BLAS_OK && a->k ? solve(h, a, BLAS_UPPER, BLAS_NON_UNIT, BLAS_OP_N, a->k) : s;
}
