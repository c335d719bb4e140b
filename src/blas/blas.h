/* libcublas: what its files share. A call of cuBLAS, of whichever type, generation and width of integers, is
 * a struct blas_args and one of the routines below; src/blas/blas_entries.awk makes the functions that a
 * program calls from blas_calls.tsv. */
#ifndef HEDDLE_BLAS_H
#define HEDDLE_BLAS_H

#include "blas/kernels/blas_params.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

enum blas_status {
  BLAS_OK = 0,
  BLAS_NOT_INITIALIZED = 1,
  BLAS_ALLOC_FAILED = 3,
  BLAS_INVALID_VALUE = 7,
  BLAS_ARCH_MISMATCH = 8,
  BLAS_MAPPING_ERROR = 11,
  BLAS_EXECUTION_FAILED = 13,
  BLAS_INTERNAL_ERROR = 14,
  BLAS_NOT_SUPPORTED = 15,
  BLAS_LICENSE_ERROR = 16,
};

/* As cuBLAS numbers them. */
enum { BLAS_OP_N = 0, BLAS_OP_T = 1, BLAS_OP_C = 2 };
enum { BLAS_LOWER = 0, BLAS_UPPER = 1 };
enum { BLAS_LEFT = 0, BLAS_RIGHT = 1 };
enum { BLAS_NON_UNIT = 0, BLAS_UNIT = 1 };
enum { BLAS_HOST = 0, BLAS_DEVICE = 1 }; /* where scalars are */

/* The letter of a routine's name; B: bf16, X: types are arguments. */
enum blas_type { BLAS_S, BLAS_D, BLAS_C, BLAS_Z, BLAS_H, BLAS_B, BLAS_X };

/* Everything that any routine takes. For rotations alpha and beta are c and s. */
struct blas_args {
  enum blas_type type;
  bool wide;                  /* integers, and places that are results, are of 64 bits */
  bool alpha_real, beta_real; /* scalars of a complex routine that are real */
  bool array;                 /* A, B, C, x, y are arrays of pointers in device memory */
  int variant;                /* what distinguishes routines of one function: see the table */
  int transa, transb, uplo, side, diag;
  int64_t m, n, k, kl, ku, lda, ldb, ldc, incx, incy, batch;
  int64_t stride_a, stride_b, stride_c;
  const void *alpha, *beta, *A, *B;
  void *C;
  const void *x;
  void *y;
  void *result, *param;    /* of rotm and rotmg; rotmg: d1, d2, x1, y1 are pa to pd */
  void *pa, *pb, *pc, *pd; /* rotg: a, b, c, s */
  int a_type, b_type, c_type, compute, algo;
};

/* Parts of reductions and results for the host; one a stream, so that calls in different streams do not share
 * it. */
struct blas_room {
  struct blas_room *next;
  CUstream stream;
  CUdeviceptr at;
};
enum { BLAS_PARTS = 1024, BLAS_RESULT_AT = BLAS_PARTS * 24, BLAS_ROOM_BYTES = BLAS_RESULT_AT + 256 };

struct blas_handle {
  uint32_t magic;
  CUcontext context;
  CUstream stream;
  struct blas_room *rooms;
  int pointer_mode, math_mode, atomics_mode, sm_target;
};

typedef enum blas_status blas_routine(struct blas_handle *h, const struct blas_args *a);

/* What the functions of the table call: checks the handle and calls the routine. */
enum blas_status blas_call(void *handle, blas_routine *routine, const struct blas_args *a);
/* The same for the older interface (cublas.h), which has one handle and keeps the last error. */
void blas_call_legacy(blas_routine *routine, const struct blas_args *a);
int blas_legacy_op(char c);
int blas_legacy_uplo(char c);
int blas_legacy_side(char c);
int blas_legacy_diag(char c);
/* A function that exists by its name only. */
enum blas_status blas_refuse(const char *name, char *said);

/* ---- handles ---- */
struct blas_handle *blas_handle_of(void *handle); /* NULL: not one */
enum blas_status blas_create(struct blas_handle **out);
enum blas_status blas_destroy(struct blas_handle *h);
enum blas_status blas_enter(struct blas_handle *h); /* a context is current from here on */
enum blas_status blas_status_of(CUresult r);
enum blas_status blas_room_of(struct blas_handle *h, CUdeviceptr *at);

/* ---- launches ---- */
enum blas_library {
  BLAS_LIB_GEMM,
  BLAS_LIB_MIXED,
  BLAS_LIB_VIEW,
  BLAS_LIB_LEVEL1,
  BLAS_LIB_LEVEL2,
  BLAS_LIB_LEVEL3,
  BLAS_LIB_FACTOR,
  BLAS_LIBRARIES
};
/* Kernel `name`_`suffix` with one struct as its parameter. */
enum blas_status blas_launch(struct blas_handle *h, enum blas_library library, const char *name,
                             const char *suffix, const int64_t grid[2], unsigned threads, void *params);

/* ---- what routines build of their arguments ---- */
extern const char *const blas_letter[]; /* "s", "d", "c", "z" */
enum blas_number blas_number_of(enum blas_type t);
enum blas_number blas_real_number_of(enum blas_type t);
size_t blas_size_of(enum blas_number n);
bool blas_is_complex(enum blas_type t);
struct blas_scalar blas_scalar_from(const struct blas_handle *h, const void *at, enum blas_number n);
struct blas_scalar blas_alpha(const struct blas_handle *h, const struct blas_args *a);
struct blas_scalar blas_beta(const struct blas_handle *h, const struct blas_args *a);
struct blas_scalar blas_constant(double value);
struct blas_matrix blas_general(const void *at, int64_t ld, int op, bool is_complex);
struct blas_matrix blas_shaped(enum blas_shape shape, const void *at, int64_t ld, int uplo);
bool blas_good_op(int op);
static inline int64_t blas_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t blas_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t blas_blocks(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* ---- the routines of blas_calls.tsv ---- */
blas_routine blas_gemm, blas_gemm_ex, blas_symm, blas_syrk, blas_syr2k, blas_syrkx, blas_trmm, blas_trsm,
    blas_geam, blas_dgmm, blas_triangle;
blas_routine blas_axpy, blas_copy, blas_scal, blas_swap, blas_rot, blas_rotm, blas_rotg, blas_rotmg,
    blas_asum, blas_dot, blas_nrm2, blas_iamax;
blas_routine blas_gemv, blas_gbmv, blas_symv, blas_sbmv, blas_spmv, blas_trmv, blas_tbmv, blas_tpmv, blas_ger,
    blas_syr, blas_spr;

blas_routine blas_axpy_ex, blas_scal_ex, blas_dot_ex, blas_nrm2_ex;
blas_routine blas_getrf, blas_getri, blas_getrs, blas_matinv, blas_geqrf, blas_gels;
/* A X = alpha B, in place: what trsm does with arguments that have been looked at. */
enum blas_status blas_solve(struct blas_handle *h, const struct blas_args *a, struct blas_scalar alpha);

#define BLAS_EXPORT __attribute__((visibility("default")))
/* A function that is not made from the table, with its declaration. */
#define BLAS_API(name, ...)                                                                                  \
  BLAS_EXPORT enum blas_status name(__VA_ARGS__);                                                            \
  BLAS_EXPORT enum blas_status name(__VA_ARGS__)

#endif
