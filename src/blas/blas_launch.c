/* Kernels: their PTX, which is part of the library, loaded when it is first needed; launches; and what is
 * built of a routine's arguments. */
#include "blas/blas.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define KERNELS(name)                                                                                        \
  __asm__(".section .rodata\nblas_ptx_" #name ":\n.incbin \"src/blas/kernels/blas_" #name                    \
          ".ptx\"\n.byte 0\n.previous\n")
KERNELS(gemm);
KERNELS(mixed);
KERNELS(view);
KERNELS(level1);
KERNELS(level2);
KERNELS(level3);
KERNELS(factor);
extern const char blas_ptx_gemm[], blas_ptx_mixed[], blas_ptx_view[], blas_ptx_level1[], blas_ptx_level2[],
    blas_ptx_level3[], blas_ptx_factor[];

static const char *const texts[BLAS_LIBRARIES] = {
    [BLAS_LIB_GEMM] = blas_ptx_gemm,     [BLAS_LIB_MIXED] = blas_ptx_mixed,
    [BLAS_LIB_VIEW] = blas_ptx_view,     [BLAS_LIB_LEVEL1] = blas_ptx_level1,
    [BLAS_LIB_LEVEL2] = blas_ptx_level2, [BLAS_LIB_LEVEL3] = blas_ptx_level3,
    [BLAS_LIB_FACTOR] = blas_ptx_factor,
};
static CUlibrary libraries[BLAS_LIBRARIES]; /* of the process: the driver brings them into each context */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult library_of(enum blas_library which, CUlibrary *out) {
  pthread_mutex_lock(&lock);
  CUresult r = libraries[which]
                   ? CUDA_SUCCESS
                   : cuLibraryLoadData(&libraries[which], texts[which], NULL, NULL, 0, NULL, NULL, 0);
  *out = libraries[which];
  pthread_mutex_unlock(&lock);
  return r;
}

enum blas_status blas_launch(struct blas_handle *h, enum blas_library library, const char *name,
                             const char *suffix, const int64_t grid[2], unsigned threads, void *params) {
  char full[64];
  CUlibrary l;
  CUkernel k = NULL;
  if (grid[0] > INT32_MAX) return BLAS_NOT_SUPPORTED;
  snprintf(full, sizeof full, "%s_%s", name, suffix);
  CUresult r = library_of(library, &l);
  if (r == CUDA_SUCCESS) r = cuLibraryGetKernel(&k, l, full);
  void *arguments[] = {params};
  if (r == CUDA_SUCCESS)
    r = cuLaunchKernel((CUfunction)k, (unsigned)grid[0], (unsigned)blas_min(grid[1], 65535), 1, threads, 1, 1,
                       0, h->stream, arguments, NULL);
  return blas_status_of(r);
}

/* ---- types ---- */

const char *const blas_letter[] = {
    [BLAS_S] = "s", [BLAS_D] = "d", [BLAS_C] = "c", [BLAS_Z] = "z", [BLAS_H] = "h", [BLAS_B] = "b"};

enum blas_number blas_number_of(enum blas_type t) {
  static const enum blas_number of[] = {[BLAS_S] = BLAS_F32, [BLAS_D] = BLAS_F64, [BLAS_C] = BLAS_C32,
                                        [BLAS_Z] = BLAS_C64, [BLAS_H] = BLAS_F16, [BLAS_B] = BLAS_BF16};
  return of[t];
}

/* What is computed with in 16 bits has scalars of 32. */
enum blas_number blas_real_number_of(enum blas_type t) {
  return t == BLAS_D || t == BLAS_Z ? BLAS_F64 : BLAS_F32;
}

size_t blas_size_of(enum blas_number n) {
  static const size_t of[] = {
      [BLAS_F32] = 4,  [BLAS_F64] = 8, [BLAS_C32] = 8, [BLAS_C64] = 16, [BLAS_F16] = 2,
      [BLAS_BF16] = 2, [BLAS_I8] = 1,  [BLAS_I32] = 4, [BLAS_CI8] = 2};
  return of[n];
}

bool blas_is_complex(enum blas_type t) { return t == BLAS_C || t == BLAS_Z; }

bool blas_good_op(int op) { return op >= BLAS_OP_N && op <= BLAS_OP_C; }

/* ---- scalars and matrices ---- */

static double from_half(const void *at) {
  uint16_t v;
  memcpy(&v, at, sizeof v);
  int exponent = v >> 10 & 31, fraction = v & 1023;
  double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent     ? ldexp(1024 + fraction, exponent - 25)
                               : ldexp(fraction, -24);
  return v >> 15 ? -size : size;
}

struct blas_scalar blas_scalar_from(const struct blas_handle *h, const void *at, enum blas_number n) {
  struct blas_scalar s = {.number = (int32_t)n};
  if (h->pointer_mode == BLAS_DEVICE) {
    s.at = at;
    return s;
  }
  float f[2];
  double d[2];
  int32_t i;
  if (n == BLAS_F32 || n == BLAS_C32) {
    memcpy(f, at, blas_size_of(n));
    s.re = f[0];
    if (n == BLAS_C32) s.im = f[1];
  } else if (n == BLAS_F64 || n == BLAS_C64) {
    memcpy(d, at, blas_size_of(n));
    s.re = d[0];
    if (n == BLAS_C64) s.im = d[1];
  } else if (n == BLAS_I32) {
    memcpy(&i, at, sizeof i);
    s.re = i;
  } else
    s.re = from_half(at);
  return s;
}

struct blas_scalar blas_alpha(const struct blas_handle *h, const struct blas_args *a) {
  return blas_scalar_from(h, a->alpha,
                          a->alpha_real ? blas_real_number_of(a->type) : blas_number_of(a->type));
}

struct blas_scalar blas_beta(const struct blas_handle *h, const struct blas_args *a) {
  return blas_scalar_from(h, a->beta, a->beta_real ? blas_real_number_of(a->type) : blas_number_of(a->type));
}

struct blas_scalar blas_constant(double value) {
  return (struct blas_scalar){.re = value};
}

struct blas_matrix blas_general(const void *at, int64_t ld, int op, bool is_complex) {
  return (struct blas_matrix){
      .at = at, .ld = ld, .transposed = op != BLAS_OP_N, .conjugate = op == BLAS_OP_C && is_complex};
}

struct blas_matrix blas_shaped(enum blas_shape shape, const void *at, int64_t ld, int uplo) {
  return (struct blas_matrix){.at = at, .ld = ld, .shape = (int32_t)shape, .upper = uplo == BLAS_UPPER};
}
