/* gemm of every type, single and in batches: arguments, which kernel, which tile. */
#include "blas/blas.h"

#include <string.h>

/* As CUDA numbers types of data and of computing. */
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, C_32F = 4, C_64F = 5, C_8I = 7, R_32I = 10, R_16BF = 14 };
enum {
  COMPUTE_16F = 64,
  COMPUTE_32F = 68,
  COMPUTE_64F = 70,
  COMPUTE_32I = 72,
  COMPUTE_FAST_16F = 74,
  COMPUTE_FAST_16BF = 75,
  COMPUTE_FAST_TF32 = 77,
  COMPUTE_EMULATED = 78
};

/* The combinations that cuBLAS documents: A and B, C, how it is computed, its kernel, and what alpha and
 * beta are. */
static const struct combination {
  int ab, c, compute;
  enum blas_library library;
  const char *suffix;
  enum blas_number scalar;
} combinations[] = {
    {R_16F, R_16F, COMPUTE_16F, BLAS_LIB_MIXED, "hh", BLAS_F16},
    {R_8I, R_32I, COMPUTE_32I, BLAS_LIB_MIXED, "ii", BLAS_I32},
    {R_16BF, R_16BF, COMPUTE_32F, BLAS_LIB_MIXED, "bb", BLAS_F32},
    {R_16F, R_16F, COMPUTE_32F, BLAS_LIB_MIXED, "hh", BLAS_F32},
    {R_8I, R_32F, COMPUTE_32F, BLAS_LIB_MIXED, "is", BLAS_F32},
    {R_16BF, R_32F, COMPUTE_32F, BLAS_LIB_MIXED, "bs", BLAS_F32},
    {R_16F, R_32F, COMPUTE_32F, BLAS_LIB_MIXED, "hs", BLAS_F32},
    {C_8I, C_32F, COMPUTE_32F, BLAS_LIB_MIXED, "kc", BLAS_C32},
    {R_32F, R_32F, COMPUTE_32F, BLAS_LIB_GEMM, "s", BLAS_F32},
    {C_32F, C_32F, COMPUTE_32F, BLAS_LIB_GEMM, "c", BLAS_C32},
    {R_64F, R_64F, COMPUTE_64F, BLAS_LIB_GEMM, "d", BLAS_F64},
    {C_64F, C_64F, COMPUTE_64F, BLAS_LIB_GEMM, "z", BLAS_C64},
};

/* The pedantic form; and those that may compute f32 with less precision, or emulate it, if that is quicker:
 * we do not. */
static int plain_compute(int compute) {
  if (compute == COMPUTE_FAST_16F || compute == COMPUTE_FAST_16BF || compute == COMPUTE_FAST_TF32 ||
      compute == COMPUTE_EMULATED)
    return COMPUTE_32F;
  return compute & ~1;
}

static const struct combination *find(int a, int b, int c, int compute) {
  for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
    const struct combination *t = &combinations[i];
    if (t->ab == a && a == b && t->c == c && t->compute == plain_compute(compute)) return t;
  }
  return NULL;
}

/* As documented: bytes are multiplied four at a time. */
static bool good_bytes(const struct blas_args *a) {
  return a->lda % 4 == 0 && a->ldb % 4 == 0 &&
         (a->array || ((uintptr_t)a->A % 4 == 0 && (uintptr_t)a->B % 4 == 0));
}

static enum blas_status check(const struct blas_args *a) {
  if (!blas_good_op(a->transa) || !blas_good_op(a->transb) || a->m < 0 || a->n < 0 || a->k < 0 ||
      a->batch < 0)
    return BLAS_INVALID_VALUE;
  if (a->lda < blas_max(1, a->transa == BLAS_OP_N ? a->m : a->k) ||
      a->ldb < blas_max(1, a->transb == BLAS_OP_N ? a->k : a->n) || a->ldc < blas_max(1, a->m))
    return BLAS_INVALID_VALUE;
  return a->alpha && a->beta ? BLAS_OK : BLAS_INVALID_VALUE;
}

static struct blas_matrix operand(const struct blas_args *a, const void *at, int64_t ld, int64_t stride,
                                  int op, bool is_complex) {
  struct blas_matrix m = blas_general(at, ld, op, is_complex);
  m.stride = stride;
  if (a->array) m.array = at, m.at = NULL;
  return m;
}

/* Large tiles where every SM gets one and has the registers for it, small ones where a side is short. */
static bool large_fits(const struct combination *t, const struct blas_gemm_params *p) {
  int sms = 0, registers = 0;
  if (strcmp(t->suffix, "s") != 0) return false;
  cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  cuDeviceGetAttribute(&registers, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 0);
  return registers >= 65536 && blas_blocks(p->m, 128) * blas_blocks(p->n, 128) * p->batch >= sms;
}

static enum blas_status launch(struct blas_handle *h, const struct combination *t,
                               struct blas_gemm_params *p) {
  static const struct {
    const char *name;
    int edge;
    unsigned threads;
  } tiles[] = {{"gemm_small", 16, 64}, {"gemm_middle", 64, 256}, {"gemm_large", 128, 256}};
  size_t i = p->m <= 32 || p->n <= 32 ? 0 : large_fits(t, p) ? 2 : 1;
  int64_t grid[] = {blas_blocks(p->m, tiles[i].edge) * blas_blocks(p->n, tiles[i].edge), p->batch};
  return blas_launch(h, t->library, tiles[i].name, t->suffix, grid, tiles[i].threads, p);
}

static enum blas_status gemm(struct blas_handle *h, const struct blas_args *a, const struct combination *t) {
  enum blas_status status = check(a);
  if (status != BLAS_OK || a->m == 0 || a->n == 0 || a->batch == 0) return status;
  bool is_complex = t->scalar == BLAS_C32 || t->scalar == BLAS_C64;
  struct blas_gemm_params p = {
      .m = a->m,
      .n = a->n,
      .k = a->k,
      .batch = a->batch,
      .alpha = blas_scalar_from(h, a->alpha, t->scalar),
      .beta = blas_scalar_from(h, a->beta, t->scalar),
      .a = operand(a, a->A, a->lda, a->stride_a, a->transa, is_complex),
      .b = operand(a, a->B, a->ldb, a->stride_b, a->transb, is_complex),
      .c = operand(a, a->C, a->ldc, a->stride_c, BLAS_OP_N, false),
  };
  return launch(h, t, &p);
}

enum blas_status blas_gemm(struct blas_handle *h, const struct blas_args *a) {
  static const int data[] = {
      [BLAS_S] = R_32F, [BLAS_D] = R_64F, [BLAS_C] = C_32F, [BLAS_Z] = C_64F, [BLAS_H] = R_16F};
  static const int compute[] = {COMPUTE_32F, COMPUTE_64F, COMPUTE_32F, COMPUTE_64F, COMPUTE_16F};
  int d = data[a->type];
  return gemm(h, a, find(d, d, d, compute[a->type]));
}

/* SgemmEx and CgemmEx have no type of computing. */
enum blas_status blas_gemm_ex(struct blas_handle *h, const struct blas_args *a) {
  const struct combination *t =
      find(a->a_type, a->b_type, a->c_type, a->type == BLAS_X ? a->compute : COMPUTE_32F);
  enum blas_status status = check(a);
  if (status != BLAS_OK) return status;
  if (!t || (a->type == BLAS_S && t->scalar != BLAS_F32) || (a->type == BLAS_C && t->scalar != BLAS_C32))
    return BLAS_NOT_SUPPORTED;
  if (t->scalar == BLAS_I32 && !good_bytes(a)) return BLAS_NOT_SUPPORTED;
  return gemm(h, a, t);
}
