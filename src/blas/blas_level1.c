/* Level 1. A result for the host makes a call wait for it; one for the device does not. */
#include "blas/blas.h"

#include "blas/kernels/blas_rotate.h"

#include <string.h>

enum { THREADS = 256 };

static struct blas_vector vector(const void *at, int64_t inc) {
  union {
    const void *in;
    void *out;
  } v = {at};
  return (struct blas_vector){.at = v.out, .inc = inc};
}

static int64_t blocks_for(int64_t n) { return blas_min(blas_blocks(n, THREADS), 4096); }

static enum blas_status elementwise(struct blas_handle *h, const struct blas_args *a, const char *name,
                                    struct blas_vector_params *p) {
  if (a->n <= 0) return BLAS_OK;
  p->n = a->n;
  return blas_launch(h, BLAS_LIB_LEVEL1, name, blas_letter[a->type], (int64_t[]){blocks_for(a->n), 1},
                     THREADS, p);
}

enum blas_status blas_axpy(struct blas_handle *h, const struct blas_args *a) {
  if (!a->alpha) return BLAS_INVALID_VALUE;
  struct blas_vector_params p = {
      .alpha = blas_alpha(h, a), .x = vector(a->x, a->incx), .y = vector(a->y, a->incy)};
  return elementwise(h, a, "axpy", &p);
}

enum blas_status blas_copy(struct blas_handle *h, const struct blas_args *a) {
  struct blas_vector_params p = {.x = vector(a->x, a->incx), .y = vector(a->y, a->incy)};
  return elementwise(h, a, "copy", &p);
}

enum blas_status blas_scal(struct blas_handle *h, const struct blas_args *a) {
  if (!a->alpha) return BLAS_INVALID_VALUE;
  if (a->incy <= 0) return BLAS_OK;
  struct blas_vector_params p = {.alpha = blas_alpha(h, a), .x = vector(a->y, a->incy)};
  return elementwise(h, a, "scal", &p);
}

enum blas_status blas_swap(struct blas_handle *h, const struct blas_args *a) {
  struct blas_vector_params p = {.x = vector(a->C, a->ldc), .y = vector(a->y, a->incy)};
  return elementwise(h, a, "swap", &p);
}

enum blas_status blas_rot(struct blas_handle *h, const struct blas_args *a) {
  if (!a->alpha || !a->beta) return BLAS_INVALID_VALUE;
  struct blas_vector_params p = {.alpha = blas_alpha(h, a),
                                 .beta = blas_beta(h, a),
                                 .x = vector(a->C, a->ldc),
                                 .y = vector(a->y, a->incy)};
  return elementwise(h, a, "rot", &p);
}

static bool is_small(enum blas_type t) { return t == BLAS_H || t == BLAS_B; }

/* ---- sums and searches ---- */

static enum blas_status to_host(struct blas_handle *h, void *result, CUdeviceptr at, size_t bytes) {
  CUresult r = cuMemcpyDtoHAsync_v2(result, at, bytes, h->stream);
  if (r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
  return blas_status_of(r);
}

static enum blas_status reduce(struct blas_handle *h, const struct blas_args *a, const char *name,
                               size_t bytes, const void *y, int64_t incy) {
  bool host = h->pointer_mode == BLAS_HOST;
  CUdeviceptr room;
  if (!a->result) return BLAS_INVALID_VALUE;
  enum blas_status status = blas_room_of(h, &room);
  if (status != BLAS_OK) return status;
  struct blas_vector_params p = {
      .n = a->n, .x = vector(a->x, a->incx), .y = vector(y, incy), .wide = a->wide};
  union {
    CUdeviceptr at;
    void *pointer;
  } parts = {room}, result = {room + BLAS_RESULT_AT};
  p.parts = parts.pointer;
  p.result = host ? result.pointer : a->result;
  p.n_parts = (int32_t)blas_min(blas_blocks(a->n, 4 * THREADS), BLAS_PARTS);
  status =
      blas_launch(h, BLAS_LIB_LEVEL1, name, blas_letter[a->type], (int64_t[]){p.n_parts, 1}, THREADS, &p);
  if (status == BLAS_OK && p.n_parts > 1) {
    char second[16] = {0};
    memcpy(second, blas_letter[a->type], 1);
    memcpy(second + 1, "_parts", 6);
    status = blas_launch(h, BLAS_LIB_LEVEL1, name, second, (int64_t[]){1, 1}, THREADS, &p);
  }
  return status == BLAS_OK && host ? to_host(h, a->result, result.at, bytes) : status;
}

/* Of no elements: 0. */
static enum blas_status nothing(struct blas_handle *h, const struct blas_args *a, size_t bytes) {
  if (!a->result) return BLAS_INVALID_VALUE;
  if (h->pointer_mode == BLAS_DEVICE)
    return blas_status_of(cuMemsetD8Async((CUdeviceptr)a->result, 0, bytes, h->stream));
  memset(a->result, 0, bytes);
  return BLAS_OK;
}

static enum blas_status of_one(struct blas_handle *h, const struct blas_args *a, const char *name,
                               size_t bytes) {
  return a->n <= 0 || a->incx <= 0 ? nothing(h, a, bytes) : reduce(h, a, name, bytes, a->x, a->incx);
}

enum blas_status blas_asum(struct blas_handle *h, const struct blas_args *a) {
  return of_one(h, a, "asum", blas_size_of(blas_real_number_of(a->type)));
}
enum blas_status blas_nrm2(struct blas_handle *h, const struct blas_args *a) {
  return of_one(h, a, "nrm2", is_small(a->type) ? 2 : blas_size_of(blas_real_number_of(a->type)));
}
enum blas_status blas_iamax(struct blas_handle *h, const struct blas_args *a) {
  return of_one(h, a, a->variant ? "iamin" : "iamax", a->wide ? 8 : 4);
}
enum blas_status blas_dot(struct blas_handle *h, const struct blas_args *a) {
  size_t bytes = blas_size_of(blas_number_of(a->type));
  return a->n <= 0 ? nothing(h, a, bytes) : reduce(h, a, a->variant ? "dotc" : "dotu", bytes, a->y, a->incy);
}

/* ---- rotations: of scalars on the host, where the host has them ---- */

static double read_real(const void *at, bool wide, int i) {
  return wide ? ((const double *)at)[i] : (double)((const float *)at)[i];
}
static void write_real(void *at, bool wide, int i, double v) {
  if (wide)
    ((double *)at)[i] = v;
  else
    ((float *)at)[i] = (float)v;
}
static bool is_double(const struct blas_args *a) { return blas_real_number_of(a->type) == BLAS_F64; }

static enum blas_status on_device(struct blas_handle *h, const struct blas_args *a, const char *name) {
  struct blas_rotation_params p = {a->pa, a->pb, a->pc, a->pd, a->param};
  return blas_launch(h, BLAS_LIB_LEVEL1, name, blas_letter[a->type], (int64_t[]){1, 1}, 1, &p);
}

enum blas_status blas_rotg(struct blas_handle *h, const struct blas_args *a) {
  bool w = is_double(a), z = blas_is_complex(a->type);
  if (!a->pa || !a->pb || !a->pc || !a->pd) return BLAS_INVALID_VALUE;
  if (h->pointer_mode == BLAS_DEVICE) return on_device(h, a, "rotg");
  double va[2] = {read_real(a->pa, w, 0), z ? read_real(a->pa, w, 1) : 0},
         vb[2] = {read_real(a->pb, w, 0), z ? read_real(a->pb, w, 1) : 0};
  double c, s[2] = {0, 0};
  if (z)
    blas_rotg_complex(va, vb, &c, s);
  else
    blas_rotg_real(va, vb, &c, s);
  write_real(a->pc, w, 0, c);
  for (int i = 0; i <= z; i++) write_real(a->pa, w, i, va[i]), write_real(a->pd, w, i, s[i]);
  if (!z) write_real(a->pb, w, 0, vb[0]);
  return BLAS_OK;
}

enum blas_status blas_rotmg(struct blas_handle *h, const struct blas_args *a) {
  bool w = is_double(a);
  if (!a->pa || !a->pb || !a->pc || !a->pd || !a->param) return BLAS_INVALID_VALUE;
  if (h->pointer_mode == BLAS_DEVICE) return on_device(h, a, "rotmg");
  double d1 = read_real(a->pa, w, 0), d2 = read_real(a->pb, w, 0), x1 = read_real(a->pc, w, 0), p[5];
  blas_rotmg_real(&d1, &d2, &x1, read_real(a->pd, w, 0), p);
  write_real(a->pa, w, 0, d1);
  write_real(a->pb, w, 0, d2);
  write_real(a->pc, w, 0, x1);
  for (int i = 0; i < 5; i++)
    if (blas_rotm_has(p[0], i)) write_real(a->param, w, i, p[i]);
  return BLAS_OK;
}

enum blas_status blas_rotm(struct blas_handle *h, const struct blas_args *a) {
  struct blas_vector_params p = {.x = vector(a->C, a->ldc), .y = vector(a->y, a->incy)};
  if (!a->param) return BLAS_INVALID_VALUE;
  if (h->pointer_mode == BLAS_DEVICE)
    p.param = a->param;
  else
    for (int i = 0; i < 5; i++) p.flags[i] = read_real(a->param, is_double(a), i);
  return elementwise(h, a, "rotm", &p);
}

/* ---- types as arguments ---- */

/* Which routine has these types: all the same, and computed with in f32 where they have 16 bits. BLAS_X:
 * none. */
static enum blas_type type_of(int data, int compute) {
  enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };
  if (data == R_16F || data == R_16BF) return compute != R_32F ? BLAS_X : data == R_16F ? BLAS_H : BLAS_B;
  if (data != compute) return BLAS_X;
  return data == R_32F   ? BLAS_S
         : data == R_64F ? BLAS_D
         : data == C_32F ? BLAS_C
         : data == C_64F ? BLAS_Z
                         : BLAS_X;
}

static enum blas_status as(struct blas_handle *h, const struct blas_args *a, enum blas_type t, bool good,
                           blas_routine *routine) {
  struct blas_args own = *a;
  own.type = t;
  own.alpha_real = is_small(t);
  return t == BLAS_X || !good ? BLAS_NOT_SUPPORTED : routine(h, &own);
}

/* The scalar has the type that is computed with. */
enum blas_status blas_axpy_ex(struct blas_handle *h, const struct blas_args *a) {
  return as(h, a, type_of(a->b_type, a->compute), a->b_type == a->c_type && a->a_type == a->compute,
            blas_axpy);
}
enum blas_status blas_scal_ex(struct blas_handle *h, const struct blas_args *a) {
  return as(h, a, type_of(a->b_type, a->compute), a->a_type == a->compute, blas_scal);
}
enum blas_status blas_dot_ex(struct blas_handle *h, const struct blas_args *a) {
  enum blas_type t = type_of(a->a_type, a->compute);
  struct blas_args own = *a;
  if (!blas_is_complex(t)) own.variant = 0; /* a real number is its own conjugate */
  return as(h, &own, t, a->a_type == a->b_type && a->a_type == a->c_type, blas_dot);
}
/* The norm of complex numbers is real, and so is what it is computed with. */
enum blas_status blas_nrm2_ex(struct blas_handle *h, const struct blas_args *a) {
  enum blas_type t = type_of(a->a_type, a->a_type);
  if (t == BLAS_C || t == BLAS_Z) {
    int real = t == BLAS_Z;
    return as(h, a, t, a->c_type == real && a->compute == real, blas_nrm2);
  }
  return as(h, a, type_of(a->a_type, a->compute), a->a_type == a->c_type, blas_nrm2);
}
