/* Level 1. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(type, name, letter) ((type *)(uintptr_t)function(name, letter))
static const enum kind four[] = {S, D, C, Z};

typedef int scal_call(void *, int, const void *, void *, int);
typedef int axpy_call(void *, int, const void *, const void *, int, void *, int);
typedef int copy_call(void *, int, const void *, int, void *, int);
typedef int rot_call(void *, int, void *, int, void *, int, const void *, const void *);
typedef int rotm_call(void *, int, void *, int, void *, int, const void *);
typedef int four_call(void *, void *, void *, void *, void *);
typedef int five_call(void *, void *, void *, void *, void *, void *);
typedef int one_call(void *, int, const void *, int, void *);
typedef int two_call(void *, int, const void *, int, const void *, int, void *);

static const int lengths[] = {0, 1, 7, 33, 300, 2500};
static int some_length(void) { return lengths[below(6)]; }

static void elementwise(enum kind t) {
  char type[2] = {letters[t], 0};
  int n = some_length(), r;
  set_pointer_mode(below(2));
  struct stored_vector x = vector(t, n, some_inc()), y = vector(t, n, some_inc());
  num alpha = random_num(t), c = random_num(real_kind(t)), s = random_num(t);
  upload(x.d), upload(y.d);
  r = F(axpy_call, "cublas%axpy_v2", type)(handle, n, scalar(alpha, t), device(x.d), x.inc, device(y.d),
                                           y.inc);
  for (int i = 0; i < n; i++) *at_vector(&y, i) += alpha * *at_vector(&x, i);
  CHECK(r == OK_, "axpy: status %d", r);
  same(y.d, 4, "axpy");
  r = F(rot_call, "cublas%rot_v2", type)(handle, n, device(x.d), x.inc, device(y.d), y.inc,
                                         scalar(c, real_kind(t)), scalar(s, t));
  for (int i = 0; i < n; i++) {
    num u = *at_vector(&x, i), v = *at_vector(&y, i);
    *at_vector(&x, i) = c * u + s * v;
    *at_vector(&y, i) = c * v - conj(s) * u;
  }
  CHECK(r == OK_, "rot: status %d", r);
  same(x.d, 16, "rot, x");
  same(y.d, 16, "rot, y");
  r = F(copy_call, "cublas%swap_v2", type)(handle, n, device(x.d), x.inc, device(y.d), y.inc);
  for (int i = 0; i < n; i++) {
    num v = *at_vector(&x, i);
    *at_vector(&x, i) = *at_vector(&y, i), *at_vector(&y, i) = v;
  }
  CHECK(r == OK_, "swap: status %d", r);
  same(x.d, 16, "swap, x");
  same(y.d, 16, "swap, y");
  r = F(copy_call, "cublas%copy_v2", type)(handle, n, device(x.d), x.inc, device(y.d), y.inc);
  for (int i = 0; i < n; i++) *at_vector(&y, i) = *at_vector(&x, i);
  CHECK(r == OK_, "copy: status %d", r);
  same(y.d, 16, "copy");
  r = F(scal_call, "cublas%scal_v2", type)(handle, n, scalar(alpha, t), device(x.d), abs(x.inc));
  for (int i = 0; i < n; i++) *at_vector(&x, i) *= alpha;
  CHECK(r == OK_, "scal: status %d", r);
  same(x.d, 32, "scal");
  end_case();
}

/* Real scalars and rotations of complex vectors. */
static void real_scalars(enum kind t) {
  const char *type = t == C ? "Cs" : "Zd";
  enum kind real = real_kind(t);
  int n = 50;
  set_pointer_mode(below(2));
  struct stored_vector x = vector(t, n, 2), y = vector(t, n, -1);
  num alpha = random_num(real), s = random_num(real);
  upload(x.d), upload(y.d);
  CHECK(F(scal_call, "cublas%scal_v2", type)(handle, n, scalar(alpha, real), device(x.d), 2) == OK_,
        "%s scal", type);
  for (int i = 0; i < n; i++) *at_vector(&x, i) *= alpha;
  same(x.d, 4, "scal by a real number");
  CHECK(F(rot_call, "cublas%rot_v2", type)(handle, n, device(x.d), 2, device(y.d), -1, scalar(alpha, real),
                                           scalar(s, real)) == OK_,
        "%s rot", type);
  for (int i = 0; i < n; i++) {
    num u = *at_vector(&x, i), v = *at_vector(&y, i);
    *at_vector(&x, i) = alpha * u + s * v;
    *at_vector(&y, i) = alpha * v - s * u;
  }
  same(x.d, 16, "rot by real numbers, x");
  same(y.d, 16, "rot by real numbers, y");
  end_case();
}

/* ---- results ---- */

/* A place for a result, and the result. */
static struct data *place;
static char on_host[16];
static void *result_at(enum kind t) {
  place = fresh(t, 1);
  memset(on_host, 0xff, sizeof on_host);
  place->v[0] = 99;
  upload(place);
  return on_device ? device(place) : (void *)on_host;
}
static num result(enum kind t) {
  num v;
  if (!on_device) cuMemcpyHtoD_v2(place->at, on_host, size_of(t));
  sync_device();
  fetch(place, &v);
  return v;
}
static void expect(num got, num want, enum kind t, double bound, const char *what) {
  CHECK(cabs(got - want) <= epsilon(t) * bound, "%s is %.9g%+.9gi, should be %.9g%+.9gi", what, creal(got),
        cimag(got), creal(want), cimag(want));
}
static double size1(num v) { return fabs(creal(v)) + fabs(cimag(v)); }

static void reductions(enum kind t, const char *mixed, const char *small) {
  char type[2] = {letters[t], 0};
  enum kind real = real_kind(t);
  int n = some_length(), r;
  set_pointer_mode(below(2));
  struct stored_vector x = vector(t, n, between(1, 3)), y = vector(t, n, some_inc());
  upload(x.d), upload(y.d);
  double sum = 0, squares = 0;
  int largest = 0, smallest = 0;
  num dot = 0, conjugated = 0;
  struct stored_vector xs = x;
  for (int i = 0; i < n; i++) {
    num v = *at_vector(&x, i);
    sum += size1(v);
    squares += creal(v * conj(v));
    if (!largest || size1(v) > size1(*at_vector(&x, largest - 1))) largest = i + 1;
    if (!smallest || size1(v) < size1(*at_vector(&x, smallest - 1))) smallest = i + 1;
    dot += *at_vector(&xs, i) * *at_vector(&y, i);
    conjugated += conj(*at_vector(&xs, i)) * *at_vector(&y, i);
  }
  r = F(one_call, "cublas%asum_v2", mixed)(handle, n, device(x.d), x.inc, result_at(real));
  CHECK(r == OK_, "asum: status %d", r);
  expect(result(real), sum, real, 4 * (n + 1), "asum");
  r = F(one_call, "cublas%nrm2_v2", mixed)(handle, n, device(x.d), x.inc, result_at(real));
  CHECK(r == OK_, "nrm2: status %d", r);
  expect(result(real), sqrt(squares), real, 4 * (n + 1), "nrm2");
  r = F(one_call, "cublasI%amax_v2", small)(handle, n, device(x.d), x.inc, result_at(I32));
  CHECK(r == OK_ && creal(result(I32)) == largest, "iamax of %d: %g, should be %d", n, creal(result(I32)),
        largest);
  r = F(one_call, "cublasI%amin_v2", small)(handle, n, device(x.d), x.inc, result_at(I32));
  CHECK(r == OK_ && creal(result(I32)) == smallest, "iamin of %d: %g, should be %d", n, creal(result(I32)),
        smallest);
  const char *name = is_complex(t) ? "cublas%dotu_v2" : "cublas%dot_v2";
  r = F(two_call, name, type)(handle, n, device(x.d), x.inc, device(y.d), y.inc, result_at(t));
  CHECK(r == OK_, "dot: status %d", r);
  expect(result(t), dot, t, 8 * (n + 1), "dot");
  if (is_complex(t)) {
    r = F(two_call, "cublas%dotc_v2", type)(handle, n, device(x.d), x.inc, device(y.d), y.inc, result_at(t));
    expect(result(t), conjugated, t, 8 * (n + 1), "dotc");
  }
  end_case();
}

/* The first of equals; a number before none. */
static void places(void) {
  static const struct {
    double v[3];
    int largest;
  } cases[] = {{{1, NAN, 3}, 3}, {{NAN, 1, 3}, 3}, {{1, 3, NAN}, 2}, {{2, -2, 1}, 1}};
  set_pointer_mode(false);
  for (int c = 0; c < 4; c++) {
    struct data *x = fresh(S, 3);
    int place_of_it = 0;
    for (int i = 0; i < 3; i++) x->v[i] = cases[c].v[i];
    upload(x);
    F(one_call, "cublasI%amax_v2", "s")(handle, 3, device(x), 1, &place_of_it);
    CHECK(place_of_it == cases[c].largest, "iamax, case %d: %d", c, place_of_it);
  }
  end_case();
}

/* What an H200 answers. */
static void rotmg_values(void) {
  static const struct {
    float in[4], out[4], h[5];
  } cases[] = {
      {{0.5F, 0.75F, 1.5F, 0.25F}, {0.48F, 0.72F, 1.5625F, 0.25F}, {0, 7, -0.16666667F, 0.25F, 7}},
      {{-1, 0.5F, 1, 1}, {0, 0, 0, 1}, {-1, 0, 0, 0, 0}},
      {{0x1p26F, 0x1p-26F, 1, 0.5F}, {4, 0.25F, 4096, 0.5F}, {-1, 4096, -0x1p-13F, 0x1p-41F, 0x1p-12F}},
      {{1, -4, 1, 1}, {0, 0, 0, 1}, {-1, 0, 0, 0, 0}}};
  set_pointer_mode(false);
  for (int c = 0; c < 4; c++) {
    float v[4], h[5] = {7, 7, 7, 7, 7};
    memcpy(v, cases[c].in, sizeof v);
    F(five_call, "cublas%rotmg_v2", "S")(handle, &v[0], &v[1], &v[2], &v[3], h);
    for (int i = 0; i < 4; i++)
      CHECK(fabsf(v[i] - cases[c].out[i]) < 1e-6F, "rotmg, case %d: %g", c, (double)v[i]);
    for (int i = 0; i < 5; i++)
      CHECK(fabsf(h[i] - cases[c].h[i]) <= 1e-6F * fabsf(cases[c].h[i]), "rotmg, case %d: h %g", c,
            (double)h[i]);
  }
}

/* Squares that would overflow or vanish. */
static void extremes(void) {
  set_pointer_mode(false);
  for (int small = 0; small < 2; small++) {
    struct stored_vector x = vector(D, 100, 1);
    double got = 0, unit = small ? 1e-200 : 1e200;
    for (int i = 0; i < 100; i++) x.d->v[i] = unit;
    upload(x.d);
    F(one_call, "cublas%nrm2_v2", "D")(handle, 100, device(x.d), 1, &got);
    CHECK(fabs(got / unit - 10) < 1e-12, "the norm of large and small numbers: %g", got);
  }
  end_case();
}

/* ---- rotations of scalars ---- */

static void *scalars(const double *v, int n, enum kind t) {
  struct data *d = fresh(t, n);
  for (int i = 0; i < n; i++) d->v[i] = v[i];
  upload(d);
  return device(d);
}
static double read_back(void *at, bool device_side, enum kind t, int i) {
  double d = 0;
  float f = 0;
  void *to = t == D ? (void *)&d : (void *)&f;
  char *from = (char *)at + (size_t)i * size_of(t);
  sync_device();
  if (device_side)
    cuMemcpyDtoH_v2(to, (CUdeviceptr)from, size_of(t));
  else
    memcpy(to, from, size_of(t));
  return t == D ? d : (double)f;
}

/* c a + s b = r and -conj(s) a + c b = 0, whatever the numbers. */
static void rotg(enum kind t, bool in_device) {
  char type[2] = {letters[t], 0};
  enum kind real = real_kind(t);
  int parts = is_complex(t) ? 2 : 1;
  double va[2] = {0.75, parts == 2 ? -0.5 : 0}, vb[2] = {-1.25, parts == 2 ? 0.375 : 0};
  void *p[4];
  char memory[4][16] = {{0}};
  set_pointer_mode(in_device);
  for (int i = 0; i < 4; i++) p[i] = in_device ? scalars(i == 0 ? va : vb, parts, real) : memory[i];
  if (!in_device)
    for (int i = 0; i < parts; i++)
      for (int q = 0; q < 2; q++) {
        double v = q ? vb[i] : va[i];
        if (real == D)
          ((double *)(void *)memory[q])[i] = v;
        else
          ((float *)(void *)memory[q])[i] = (float)v;
      }
  CHECK(F(four_call, "cublas%rotg_v2", type)(handle, p[0], p[1], p[2], p[3]) == OK_, "rotg of %s", type);
  num a = va[0] + I * va[1], b = vb[0] + I * vb[1], r = read_back(p[0], in_device, real, 0),
      s = read_back(p[3], in_device, real, 0);
  if (parts == 2) r += I * read_back(p[0], in_device, real, 1), s += I * read_back(p[3], in_device, real, 1);
  double c = read_back(p[2], in_device, real, 0);
  expect(c * a + s * b, r, real, 16, "rotg: r");
  expect(c * b - conj(s) * a, 0, real, 16, "rotg: 0");
  expect(c * c + s * conj(s), 1, real, 16, "rotg: 1");
  if (parts == 1) expect(read_back(p[1], in_device, real, 0), 1 / c, real, 16, "rotg: z");
  end_case();
}

/* H makes the second element 0, and rotm applies the same H. */
static void rotmg(enum kind t, bool in_device, double d1, double d2, double x1, double y1) {
  char type[2] = {letters[t], 0};
  double in[] = {d1, d2, x1, y1};
  char memory[5][48] = {{0}};
  void *p[5];
  set_pointer_mode(in_device);
  for (int i = 0; i < 4; i++) {
    p[i] = in_device ? scalars(&in[i], 1, t) : memory[i];
    if (!in_device && t == D)
      *(double *)p[i] = in[i];
    else if (!in_device)
      *(float *)p[i] = (float)in[i];
  }
  p[4] = in_device ? scalars((double[5]){0}, 5, t) : memory[4];
  CHECK(F(five_call, "cublas%rotmg_v2", type)(handle, p[0], p[1], p[2], p[3], p[4]) == OK_, "rotmg of %s",
        type);
  double h[5], x = read_back(p[2], in_device, t, 0);
  for (int i = 0; i < 5; i++) h[i] = read_back(p[4], in_device, t, i);
  struct stored_vector vx = vector(t, 5, 2), vy = vector(t, 5, -1);
  for (int i = 0; i < 5; i++) *at_vector(&vx, i) = x1, *at_vector(&vy, i) = y1;
  upload(vx.d), upload(vy.d);
  CHECK(F(rotm_call, "cublas%rotm_v2", type)(handle, 5, device(vx.d), 2, device(vy.d), -1, p[4]) == OK_,
        "rotm of %s", type);
  bool none = h[0] == -2, lost = h[0] == -1 && h[1] == 0 && h[2] == 0;
  for (int i = 0; i < 5; i++)
    *at_vector(&vx, i) = none ? x1 : lost ? 0 : x, *at_vector(&vy, i) = none ? y1 : 0;
  same(vx.d, 64 * (1 + fabs(x)), "rotm, x");
  same(vy.d, 64 * (1 + fabs(y1)), "rotm, y");
  double new1 = read_back(p[0], in_device, t, 0), new2 = read_back(p[1], in_device, t, 0),
         before = d1 * x1 * x1 + d2 * y1 * y1;
  (void)new2;
  if (!none && !lost) expect(new1 * x * x, before, t, 64 * (1 + fabs(before)), "rotmg keeps the length");
  end_case();
}

/* ---- types as arguments ---- */

typedef int axpy_ex_call(void *, int, const void *, int, const void *, int, int, void *, int, int, int);
typedef int scal_ex_call(void *, int, const void *, int, void *, int, int, int);
typedef int dot_ex_call(void *, int, const void *, int, int, const void *, int, int, void *, int, int);
typedef int nrm2_ex_call(void *, int, const void *, int, int, void *, int, int);

static void ex(enum kind t) {
  static const int data_type[] = {[S] = 0, [D] = 1, [C] = 4, [Z] = 5, [H] = 2, [B] = 14};
  enum kind compute = t == H || t == B ? S : t, real = real_kind(t);
  int n = between(1, 60), ti = data_type[t], tc = data_type[compute], r;
  double bound = compute == t ? 16 * (n + 1) : 1;
  set_pointer_mode(below(2));
  struct stored_vector x = vector(t, n, 2), y = vector(t, n, -1);
  num alpha = random_num(compute), dot = 0, conjugated = 0;
  double squares = 0;
  upload(x.d), upload(y.d);
  for (int i = 0; i < n; i++) {
    num u = *at_vector(&x, i), v = *at_vector(&y, i);
    dot += u * v, conjugated += conj(u) * v, squares += creal(u * conj(u));
  }
  r = F(dot_ex_call, "cublasDotEx", "")(handle, n, device(x.d), ti, 2, device(y.d), ti, -1, result_at(t), ti,
                                        tc);
  CHECK(r == OK_, "DotEx: status %d", r);
  expect(result(t), dot, t, bound + cabs(dot), "DotEx");
  r = F(dot_ex_call, "cublasDotcEx", "")(handle, n, device(x.d), ti, 2, device(y.d), ti, -1, result_at(t), ti,
                                         tc);
  CHECK(r == OK_, "DotcEx: status %d", r);
  expect(result(t), conjugated, t, bound + cabs(dot), "DotcEx");
  r = F(nrm2_ex_call, "cublasNrm2Ex", "")(handle, n, device(x.d), ti, 2, result_at(real), data_type[real],
                                          data_type[real_kind(compute)]);
  CHECK(r == OK_, "Nrm2Ex: status %d", r);
  expect(result(real), sqrt(squares), real, bound + sqrt(squares), "Nrm2Ex");
  r = F(axpy_ex_call, "cublasAxpyEx", "")(handle, n, scalar(alpha, compute), tc, device(x.d), ti, 2,
                                          device(y.d), ti, -1, tc);
  CHECK(r == OK_, "AxpyEx: status %d", r);
  for (int i = 0; i < n; i++) *at_vector(&y, i) += alpha * *at_vector(&x, i);
  same(y.d, 2, "AxpyEx");
  r = F(scal_ex_call, "cublasScalEx", "")(handle, n, scalar(alpha, compute), tc, device(x.d), ti, 2, tc);
  CHECK(r == OK_, "ScalEx: status %d", r);
  for (int i = 0; i < n; i++) *at_vector(&x, i) *= alpha;
  same(x.d, 2, "ScalEx");
  r = F(scal_ex_call, "cublasScalEx", "")(handle, n, scalar(alpha, compute), tc, device(x.d), 8, 2, tc);
  CHECK(r == NOT_SUPPORTED, "ScalEx of a type that it does not have: status %d", r);
  end_case();
}

static void arguments(void) {
  struct stored_vector x = vector(S, 4, 1);
  float one = 1, got = 5;
  upload(x.d);
  set_pointer_mode(false);
  CHECK(F(one_call, "cublas%asum_v2", "S")(NULL, 4, device(x.d), 1, &got) == NOT_INITIALIZED,
        "asum without a handle");
  CHECK(F(one_call, "cublas%asum_v2", "S")(handle, -1, device(x.d), 1, &got) == OK_ && got == 0,
        "asum of -1 elements is 0");
  got = 5;
  CHECK(F(one_call, "cublas%nrm2_v2", "S")(handle, 4, device(x.d), 0, &got) == OK_ && got == 0,
        "nrm2 with an increment of 0 is 0");
  CHECK(F(scal_call, "cublas%scal_v2", "S")(handle, 0, &one, device(x.d), 1) == OK_, "scal of nothing");
  CHECK(F(axpy_call, "cublas%axpy_v2", "S")(handle, -3, &one, device(x.d), 1, device(x.d), 1) == OK_,
        "axpy of -3 elements");
  same(x.d, 0, "nothing is changed");
  end_case();
}

void test_level1(void) {
  static const char *const mixed[] = {"S", "D", "Sc", "Dz"}, *const small[] = {"s", "d", "c", "z"};
  for (int i = 0; i < 4; i++) {
    for (int rep = 0; rep < 5; rep++) elementwise(four[i]);
    for (int rep = 0; rep < 6; rep++) reductions(four[i], mixed[i], small[i]);
    rotg(four[i], false);
    rotg(four[i], true);
  }
  for (int t = S; t <= B; t++) ex((enum kind)t), ex((enum kind)t);
  real_scalars(C);
  real_scalars(Z);
  extremes();
  places();
  rotmg_values();
  for (int i = 0; i < 4; i++) {
    enum kind t = i & 1 ? D : S;
    bool in_device = i & 2;
    rotmg(t, in_device, 0.5, 0.75, 1.5, 0.25);
    rotmg(t, in_device, 0.25, 0.5, 0.5, 2);
    rotmg(t, in_device, 0.5, 0.75, 1.5, 0);
    rotmg(t, in_device, -1, 0.5, 1, 1);
    rotmg(t, in_device, 0x1p26, 0x1p-26, 1, 0.5);
  }
  arguments();
}
