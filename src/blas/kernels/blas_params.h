/* What the host gives to the kernels of src/blas/kernels: read by the C compiler and by nvcc, so plain
 * structs only. Strides and sizes are in elements. A batch has either an array of pointers in device memory
 * or a stride. */
#ifndef BLAS_PARAMS_H
#define BLAS_PARAMS_H

#include <stdint.h>

/* The kinds of a number in memory. */
enum blas_number { BLAS_F32, BLAS_F64, BLAS_C32, BLAS_C64, BLAS_F16, BLAS_BF16, BLAS_I8, BLAS_I32, BLAS_CI8 };

/* A scalar: known to the host, or in device memory, where it is read when the kernel runs. */
struct blas_scalar {
  double re, im;
  const void *at; /* NULL: re and im */
  int32_t number; /* what it is in memory */
  int32_t conjugate;
};

enum blas_shape { BLAS_GENERAL, BLAS_SYMMETRIC, BLAS_HERMITIAN, BLAS_TRIANGULAR };
enum blas_storage { BLAS_FULL, BLAS_PACKED, BLAS_BAND };

/* A matrix as a routine sees it: what is stored, and op() of it. */
struct blas_matrix {
  const void *at;
  const void *const *array; /* of a batch; NULL: at + batch * stride */
  int64_t stride, ld;
  int64_t rows;   /* of what is stored, for packed and banded storage */
  int64_t kl, ku; /* diagonals of a band */
  int32_t shape, storage, upper, unit, transposed, conjugate;
};

struct blas_vector {
  void *at;
  void *const *array;
  int64_t stride, inc;
};

/* C = alpha A B + beta C, or only a triangle of it. */
struct blas_gemm_params {
  int64_t m, n, k, batch;
  struct blas_scalar alpha, beta;
  struct blas_matrix a, b, c;
  int32_t triangle; /* 0: all, 1: the lower one, 2: the upper one */
  int32_t real_diagonal;
};

/* B = alpha A B, or A X = alpha B, in place; A is triangular and n x n, B has m columns and may be
 * transposed. */
struct blas_strip_params {
  int64_t n, m, batch;
  struct blas_scalar alpha;
  struct blas_matrix a, b;
  int32_t solve;
};

/* geam: C = alpha A + beta B; dgmm: C = A diag(x) or diag(x) A; copies of triangles. */
struct blas_elements_params {
  int64_t m, n;
  struct blas_scalar alpha, beta;
  struct blas_matrix a, b, c;
  struct blas_vector x;
  int32_t left;
};

/* y = alpha A x + beta y; and, in place, x = A x or A x = b. */
struct blas_mv_params {
  int64_t m, n, batch;
  struct blas_scalar alpha, beta;
  struct blas_matrix a;
  struct blas_vector x, y;
  int32_t solve;
};

/* A += alpha x y', or alpha x y' + alpha' y x'. */
struct blas_rank_params {
  int64_t m, n;
  struct blas_scalar alpha;
  struct blas_matrix a;
  struct blas_vector x, y;
  int32_t two, conjugate;
};

/* Level 1. Reductions leave one part a block in parts, or the result if there is one block. */
struct blas_vector_params {
  int64_t n;
  struct blas_scalar alpha, beta; /* c and s of a rotation */
  struct blas_vector x, y;
  void *parts, *result;
  const void *param; /* rotm */
  double flags[5];
  int32_t n_parts, wide; /* wide: an index is of 64 bits */
};

/* Factorisations in batches. */
struct blas_factor_params {
  int64_t m, n, k; /* k: columns of C */
  struct blas_matrix a, c;
  int32_t *pivots, *info; /* n of them a matrix, counted from 1; one a matrix */
  void *const *tau;
  int32_t backward;
};

/* rotg, rotmg: in and out, in device memory. */
struct blas_rotation_params {
  void *a, *b, *c, *s, *param;
};

#endif
