/* gemm of several groups: each is a batch of one shape, with scalars of its own on the host. */
#include "blas/blas.h"

/* What the functions take: one entry a group, but for the matrices, which are counted through all groups. */
struct groups {
  enum blas_type type; /* BLAS_X: types are arguments */
  const int *transa, *transb;
  const void *m, *n, *k, *lda, *ldb, *ldc, *size; /* integers of 32 or (wide) 64 bits */
  const void *alpha, *beta;
  const void *const *A, *const *B;
  void *const *C;
  int64_t count;
  int a_type, b_type, c_type, compute;
  bool wide;
};

static int64_t entry(const struct groups *g, const void *list, int64_t i) {
  return g->wide ? ((const int64_t *)list)[i] : ((const int *)list)[i];
}

/* Only what is computed with in f32 or f64 from the type that it ends in. */
static size_t scalar_size(const struct groups *g) {
  enum { COMPUTE_64F = 70 };
  return g->type == BLAS_D || (g->type == BLAS_X && (g->compute & ~1) == COMPUTE_64F) ? 8 : 4;
}

static struct blas_args group(const struct groups *g, int64_t i, int64_t before) {
  union {
    void *const *in;
    void *out;
  } c = {g->C + before};
  return (struct blas_args){.type = g->type,
                            .array = true,
                            .transa = g->transa[i],
                            .transb = g->transb[i],
                            .m = entry(g, g->m, i),
                            .n = entry(g, g->n, i),
                            .k = entry(g, g->k, i),
                            .lda = entry(g, g->lda, i),
                            .ldb = entry(g, g->ldb, i),
                            .ldc = entry(g, g->ldc, i),
                            .batch = entry(g, g->size, i),
                            .alpha = (const char *)g->alpha + (size_t)i * scalar_size(g),
                            .beta = (const char *)g->beta + (size_t)i * scalar_size(g),
                            .A = g->A + before,
                            .B = g->B + before,
                            .C = c.out,
                            .a_type = g->a_type,
                            .b_type = g->b_type,
                            .c_type = g->c_type,
                            .compute = g->compute};
}

static enum blas_status grouped(void *handle, const struct groups *g) {
  const struct blas_handle *h = blas_handle_of(handle);
  enum blas_status status = BLAS_OK;
  if (!h) return BLAS_NOT_INITIALIZED;
  if (h->pointer_mode == BLAS_DEVICE) return BLAS_NOT_SUPPORTED;
  if (g->type == BLAS_X && g->a_type != g->c_type) return BLAS_NOT_SUPPORTED;
  if (g->count < 0) return BLAS_INVALID_VALUE;
  for (int64_t i = 0, before = 0; i < g->count && status == BLAS_OK; before += entry(g, g->size, i), i++) {
    struct blas_args a = group(g, i, before);
    status = blas_call(handle, g->type == BLAS_X ? blas_gemm_ex : blas_gemm, &a);
  }
  return status;
}

/* Of struct groups, by the names that all calls give their parameters. */
#define SAME_PARAMETERS                                                                                      \
  .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc,            \
  .size = size, .alpha = alpha, .beta = beta, .A = A, .B = B, .C = C, .count = count

#define GROUPED(name, TYPE, I, WIDE)                                                                         \
  BLAS_API(name, void *handle, const int *transa, const int *transb, const I *m, const I *n, const I *k,     \
           const void *alpha, const void *const *A, const I *lda, const void *const *B, const I *ldb,        \
           const void *beta, void *const *C, const I *ldc, I count, const I *size) {                         \
    struct groups g = {.type = TYPE,                                                                         \
                       SAME_PARAMETERS,                                                                      \
                       .wide = WIDE};                                                                        \
    return grouped(handle, &g);                                                                              \
  }
GROUPED(cublasSgemmGroupedBatched, BLAS_S, int, false)
GROUPED(cublasDgemmGroupedBatched, BLAS_D, int, false)
GROUPED(cublasSgemmGroupedBatched_64, BLAS_S, int64_t, true)
GROUPED(cublasDgemmGroupedBatched_64, BLAS_D, int64_t, true)

#define GROUPED_EX(name, I, WIDE)                                                                            \
  BLAS_API(name, void *handle, const int *transa, const int *transb, const I *m, const I *n, const I *k,     \
           const void *alpha, const void *const *A, int a_type, const I *lda, const void *const *B,          \
           int b_type, const I *ldb, const void *beta, void *const *C, int c_type, const I *ldc, I count,    \
           const I *size, int compute) {                                                                     \
    struct groups g = {.type = BLAS_X,                                                                       \
                       SAME_PARAMETERS,                                                                      \
                       .a_type = a_type, .b_type = b_type, .c_type = c_type, .compute = compute,             \
                       .wide = WIDE};                                                                        \
    return grouped(handle, &g);                                                                              \
  }
GROUPED_EX(cublasGemmGroupedBatchedEx, int, false)
GROUPED_EX(cublasGemmGroupedBatchedEx_64, int64_t, true)
