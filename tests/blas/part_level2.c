/* Level 2. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define F(type, name, letter) ((type *)(uintptr_t)function(name, letter))
static const enum kind four[] = {S, D, C, Z};

typedef int gemv_call(void *, int, int, int, const void *, const void *, int, const void *, int, const void *,
                      void *, int);
typedef int gemv_batched_call(void *, int, int, int, const void *, const void *, int, const void *, int,
                              const void *, void *, int, int);
typedef int gemv_strided_call(void *, int, int, int, const void *, const void *, int, long long, const void *,
                              int, long long, const void *, void *, int, long long, int);
typedef int gbmv_call(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,
                      const void *, void *, int);
typedef int symv_call(void *, int, int, const void *, const void *, int, const void *, int, const void *,
                      void *, int);
typedef int sbmv_call(void *, int, int, int, const void *, const void *, int, const void *, int, const void *,
                      void *, int);
typedef int spmv_call(void *, int, int, const void *, const void *, const void *, int, const void *, void *,
                      int);
typedef int trmv_call(void *, int, int, int, int, const void *, int, void *, int);
typedef int tbmv_call(void *, int, int, int, int, int, const void *, int, void *, int);
typedef int tpmv_call(void *, int, int, int, int, const void *, void *, int);
typedef int ger_call(void *, int, int, const void *, const void *, int, const void *, int, void *, int);
typedef int syr_call(void *, int, int, const void *, const void *, int, void *, int);
typedef int syr2_call(void *, int, int, const void *, const void *, int, const void *, int, void *, int);
typedef int spr_call(void *, int, int, const void *, const void *, int, void *);
typedef int spr2_call(void *, int, int, const void *, const void *, int, const void *, int, void *);

static struct stored square(enum kind t, int n, enum shape shape, enum storage storage, int k) {
  struct stored a = matrix(t, n, n);
  a.shape = shape;
  a.storage = storage;
  a.upper = below(2);
  if (storage == PACKED) a.d = fresh(t, n * (n + 1) / 2);
  if (storage == BAND) {
    a.ld = k + 1 + below(3);
    a.kl = a.upper ? 0 : k;
    a.ku = a.upper ? k : 0;
    a.d = fresh(t, a.ld * n);
  }
  return a;
}

/* y = alpha op(A) x + beta y, called by `f` with what all of these routines have in common. */
struct mv {
  struct stored a;
  struct stored_vector x, y;
  num alpha, beta;
  int op;
};

static struct mv make_mv(enum kind t, struct stored a, int op) {
  int rows = op ? a.cols : a.rows, cols = op ? a.rows : a.cols;
  struct mv v = {a,
                 vector(t, cols, some_inc()),
                 vector(t, rows, some_inc()),
                 below(6) ? random_num(t) : 0,
                 below(3) ? random_num(t) : 0,
                 op};
  poison_unread(&v.a);
  if (v.beta == 0)
    for (int i = 0; i < rows; i++) *at_vector(&v.y, i) = no_number(t);
  upload(a.d), upload(v.x.d), upload(v.y.d);
  return v;
}

static void compare_mv(struct mv *v, int r, const char *name) {
  num *a = written_out(&v->a, v->op);
  CHECK(r == OK_, "%s: status %d", name, r);
  for (int i = 0; i < v->y.n; i++) {
    num sum = 0, *y = at_vector(&v->y, i);
    for (int j = 0; j < v->x.n; j++) sum += a[i + j * v->y.n] * *at_vector(&v->x, j);
    *y = (v->alpha == 0 ? 0 : v->alpha * sum) + (v->beta == 0 ? 0 : v->beta * *y);
  }
  same(v->y.d, 16 * (v->x.n + 2), name);
  end_case();
}

static void gemv(enum kind t, const char *type) {
  set_pointer_mode(below(2));
  struct mv v = make_mv(t, matrix(t, between(1, 90), between(1, 90)), below(3));
  int r = F(gemv_call, "cublas%gemv_v2", type)(handle, v.op, v.a.rows, v.a.cols, scalar(v.alpha, t),
                                               device(v.a.d), v.a.ld, device(v.x.d), v.x.inc,
                                               scalar(v.beta, t), device(v.y.d), v.y.inc);
  compare_mv(&v, r, "gemv");
}

static void gbmv(enum kind t, const char *type) {
  set_pointer_mode(below(2));
  struct stored a = matrix(t, between(1, 60), between(1, 60));
  a.storage = BAND;
  a.kl = below(6), a.ku = below(6);
  a.ld = a.kl + a.ku + 1 + below(3);
  a.d = fresh(t, a.ld * a.cols);
  struct mv v = make_mv(t, a, below(3));
  int r = F(gbmv_call, "cublas%gbmv_v2", type)(handle, v.op, a.rows, a.cols, a.kl, a.ku, scalar(v.alpha, t),
                                               device(a.d), a.ld, device(v.x.d), v.x.inc, scalar(v.beta, t),
                                               device(v.y.d), v.y.inc);
  compare_mv(&v, r, "gbmv");
}

static void symv(enum kind t, const char *type, bool hermitian, enum storage storage) {
  static const char *const names[2][3] = {{"cublas%symv_v2", "cublas%spmv_v2", "cublas%sbmv_v2"},
                                          {"cublas%hemv_v2", "cublas%hpmv_v2", "cublas%hbmv_v2"}};
  const char *name = names[hermitian][storage];
  int n = between(1, 70), k = below(8), r;
  set_pointer_mode(below(2));
  struct mv v = make_mv(t, square(t, n, hermitian ? HERMITIAN : SYMMETRIC, storage, k), 0);
  void *alpha = scalar(v.alpha, t), *beta = scalar(v.beta, t), *a = device(v.a.d), *x = device(v.x.d),
       *y = device(v.y.d);
  if (storage == FULL)
    r = F(symv_call, name, type)(handle, v.a.upper, n, alpha, a, v.a.ld, x, v.x.inc, beta, y, v.y.inc);
  else if (storage == BAND)
    r = F(sbmv_call, name, type)(handle, v.a.upper, n, k, alpha, a, v.a.ld, x, v.x.inc, beta, y, v.y.inc);
  else
    r = F(spmv_call, name, type)(handle, v.a.upper, n, alpha, a, x, v.x.inc, beta, y, v.y.inc);
  compare_mv(&v, r, name);
}

/* y may be of another type than A and x. */
static void gemv_batches(enum kind t, enum kind ty, enum kind scale, const char *type) {
  enum { BATCH = 3 };
  int m = between(1, 40), n = between(1, 40), op = below(3), ld = m + 1;
  set_pointer_mode(below(2));
  for (int strided = 0; strided < 2; strided++) {
    int rows = op ? n : m, cols = op ? m : n, apart_a = ld * n + 2, apart_x = cols + 3, apart_y = rows + 1;
    struct data *a = fresh(t, apart_a * BATCH), *x = fresh(t, apart_x * BATCH),
                *y = fresh(ty, apart_y * BATCH);
    struct data pa[BATCH], px[BATCH], py[BATCH], *la[BATCH], *lx[BATCH], *ly[BATCH];
    num alpha = random_num(scale), beta = random_num(scale);
    upload(a), upload(x), upload(y);
    for (int i = 0; i < BATCH; i++) {
      pa[i] = *a, px[i] = *x, py[i] = *y;
      pa[i].at += (size_t)(i * apart_a) * size_of(t), px[i].at += (size_t)(i * apart_x) * size_of(t),
          py[i].at += (size_t)(i * apart_y) * size_of(ty);
      la[i] = &pa[i], lx[i] = &px[i], ly[i] = &py[i];
    }
    int r = strided ? F(gemv_strided_call, "cublas%gemvStridedBatched",
                        type)(handle, op, m, n, scalar(alpha, scale), device(a), ld, apart_a, device(x), 1,
                              apart_x, scalar(beta, scale), device(y), 1, apart_y, BATCH)
                    : F(gemv_batched_call, "cublas%gemvBatched",
                        type)(handle, op, m, n, scalar(alpha, scale), pointers(la, BATCH), ld,
                              pointers(lx, BATCH), 1, scalar(beta, scale), pointers(ly, BATCH), 1, BATCH);
    CHECK(r == OK_, "gemv in batches: status %d", r);
    for (int b = 0; b < BATCH; b++) {
      struct stored one = {.d = a, .rows = m, .cols = n, .ld = ld, .first = b * apart_a};
      num *w = written_out(&one, op);
      for (int i = 0; i < rows; i++) {
        num sum = 0;
        for (int j = 0; j < cols; j++) sum += w[i + j * rows] * x->v[b * apart_x + j];
        y->v[b * apart_y + i] = alpha * sum + beta * y->v[b * apart_y + i];
      }
    }
    same(y, ty == H || ty == B ? 1 : 16 * (cols + 2), strided ? "gemvStridedBatched" : "gemvBatched");
  }
  end_case();
}

/* ---- triangular ---- */

static void triangular(enum kind t, const char *type, bool solve, enum storage storage) {
  static const char *const names[2][3] = {{"cublas%trmv_v2", "cublas%tpmv_v2", "cublas%tbmv_v2"},
                                          {"cublas%trsv_v2", "cublas%tpsv_v2", "cublas%tbsv_v2"}};
  const char *name = names[solve][storage];
  int n = between(1, 100), k = below(10), op = below(3), r;
  struct stored a = square(t, n, TRIANGULAR, storage, k);
  a.unit = below(2);
  for (int i = 0; i < a.d->n; i++) a.d->v[i] /= 64;
  for (int i = 0; i < n; i++) a.d->v[place_of(&a, i, i)] += 1.5;
  poison_unread(&a);
  struct stored_vector x = vector(t, n, some_inc());
  upload(a.d), upload(x.d);
  void *pa = device(a.d), *px = device(x.d);
  if (storage == FULL)
    r = F(trmv_call, name, type)(handle, a.upper, op, a.unit, n, pa, a.ld, px, x.inc);
  else if (storage == BAND)
    r = F(tbmv_call, name, type)(handle, a.upper, op, a.unit, n, k, pa, a.ld, px, x.inc);
  else
    r = F(tpmv_call, name, type)(handle, a.upper, op, a.unit, n, pa, px, x.inc);
  CHECK(r == OK_, "%s: status %d", name, r);
  num *w = written_out(&a, op),
      *product = written_out(&(struct stored){.d = x.d, .rows = x.d->n, .cols = 1, .ld = x.d->n}, 0);
  struct data image = *x.d;
  struct stored_vector got = {&image, n, x.inc};
  if (solve) { /* what came out times A is what went in */
    image.v = written_out(&(struct stored){.d = x.d, .rows = x.d->n, .cols = 1, .ld = x.d->n}, 0);
    sync_device();
    fetch(x.d, image.v);
  } else
    image.v = product;
  double worst = 0;
  for (int i = 0; i < n; i++) {
    num sum = 0;
    for (int j = 0; j < n; j++) sum += w[i + j * n] * *at_vector(solve ? &got : &x, j);
    if (!solve)
      *at_vector(&got, i) = sum;
    else if (cabs(sum - *at_vector(&x, i)) > worst || isnan(cabs(sum)))
      worst = isnan(cabs(sum)) ? 1 : cabs(sum - *at_vector(&x, i));
  }
  if (solve)
    CHECK(worst <= epsilon(t) * 32 * (n + 4), "%s of %s: off by %g", name, type, worst);
  else
    same(&image, 16 * (n + 4), name);
  end_case();
}

/* ---- rank 1 and 2 ---- */

static void update(struct stored *a, const struct stored_vector *x, const struct stored_vector *y, num alpha,
                   bool two, bool conjugate) {
  bool hermitian = a->shape == HERMITIAN;
  for (int j = 0; j < a->cols; j++)
    for (int i = 0; i < a->rows; i++) {
      int at = place_of(a, i, j);
      if (at < 0 || alpha == 0) continue;
      num xj = *at_vector(two ? x : y, j), yj = *at_vector(y, j),
          v = alpha * *at_vector(x, i) * (conjugate ? conj(yj) : yj);
      if (two) v += (conjugate ? conj(alpha) : alpha) * *at_vector(y, i) * (conjugate ? conj(xj) : xj);
      a->d->v[at] += v;
      if (hermitian && i == j) a->d->v[at] = creal(a->d->v[at]);
    }
}

static void ger(const char *name, enum kind t, const char *type, bool conjugate) {
  set_pointer_mode(below(2));
  struct stored a = matrix(t, between(1, 70), between(1, 70));
  struct stored_vector x = vector(t, a.rows, some_inc()), y = vector(t, a.cols, some_inc());
  num alpha = below(5) ? random_num(t) : 0;
  upload(a.d), upload(x.d), upload(y.d);
  int r = F(ger_call, name, type)(handle, a.rows, a.cols, scalar(alpha, t), device(x.d), x.inc, device(y.d),
                                  y.inc, device(a.d), a.ld);
  CHECK(r == OK_, "%s: status %d", name, r);
  update(&a, &x, &y, alpha, false, conjugate);
  same(a.d, 16, name);
  end_case();
}

static void syr(enum kind t, const char *type, bool hermitian, bool two, enum storage storage) {
  static const char *const names[2][2][2] = {
      {{"cublas%syr_v2", "cublas%spr_v2"}, {"cublas%her_v2", "cublas%hpr_v2"}},
      {{"cublas%syr2_v2", "cublas%spr2_v2"}, {"cublas%her2_v2", "cublas%hpr2_v2"}}};
  const char *name = names[two][hermitian][storage];
  bool real = hermitian && !two;
  int n = between(1, 70), r;
  set_pointer_mode(below(2));
  struct stored a = square(t, n, hermitian ? HERMITIAN : SYMMETRIC, storage, 0);
  struct stored_vector x = vector(t, n, some_inc()), y = vector(t, n, some_inc());
  num alpha = random_num(real ? real_kind(t) : t);
  if (alpha == 0) alpha = 1;
  for (int i = 0; hermitian && i < n; i++) a.d->v[place_of(&a, i, i)] = creal(a.d->v[place_of(&a, i, i)]);
  upload(a.d), upload(x.d), upload(y.d);
  void *p = scalar(alpha, real ? real_kind(t) : t), *pa = device(a.d), *px = device(x.d), *py = device(y.d);
  if (!two && storage == FULL)
    r = F(syr_call, name, type)(handle, a.upper, n, p, px, x.inc, pa, a.ld);
  else if (!two)
    r = F(spr_call, name, type)(handle, a.upper, n, p, px, x.inc, pa);
  else if (storage == FULL)
    r = F(syr2_call, name, type)(handle, a.upper, n, p, px, x.inc, py, y.inc, pa, a.ld);
  else
    r = F(spr2_call, name, type)(handle, a.upper, n, p, px, x.inc, py, y.inc, pa);
  CHECK(r == OK_, "%s: status %d", name, r);
  update(&a, &x, two ? &y : &x, alpha, two, hermitian);
  same(a.d, 32, name);
  end_case();
}

static void arguments(void) {
  set_pointer_mode(false);
  struct stored a = matrix(S, 4, 4);
  upload(a.d);
  void *d = device(a.d), *one = scalar(1, S);
  gemv_call *f = F(gemv_call, "cublas%gemv_v2", "S");
  CHECK(f(handle, 0, 4, 4, one, d, a.ld, d, 0, one, d, 1) == INVALID, "gemv: incx = 0");
  CHECK(f(handle, 0, 4, 4, one, d, a.ld, d, 1, one, d, 0) == INVALID, "gemv: incy = 0");
  CHECK(f(handle, 0, 4, 4, one, d, 3, d, 1, one, d, 1) == INVALID, "gemv: lda");
  CHECK(f(handle, 5, 4, 4, one, d, a.ld, d, 1, one, d, 1) == INVALID,
        "gemv: an operation that does not exist");
  CHECK(f(handle, 0, 0, 4, one, d, a.ld, d, 1, one, d, 1) == OK_, "gemv: m = 0");
  CHECK(F(gbmv_call, "cublas%gbmv_v2", "S")(handle, 0, 4, 4, 2, 2, one, d, 4, d, 1, one, d, 1) == INVALID,
        "gbmv: lda");
  CHECK(F(sbmv_call, "cublas%sbmv_v2", "S")(handle, 0, 4, 4, one, d, 4, d, 1, one, d, 1) == INVALID,
        "sbmv: lda");
  CHECK(F(trmv_call, "cublas%trsv_v2", "S")(handle, 0, 0, 0, 4, d, a.ld, d, 0) == INVALID, "trsv: incx = 0");
  CHECK(F(trmv_call, "cublas%trmv_v2", "S")(handle, 3, 0, 0, 4, d, a.ld, d, 1) == INVALID, "trmv: uplo");
  CHECK(F(ger_call, "cublas%ger_v2", "S")(handle, 4, 4, one, d, 1, d, 1, d, 3) == INVALID, "ger: lda");
  CHECK(F(syr_call, "cublas%syr_v2", "S")(handle, 0, 4, one, d, 0, d, 4) == INVALID, "syr: incx = 0");
  same(a.d, 0, "what is refused changes nothing");
  end_case();
}

void test_level2(void) {
  for (int i = 0; i < 4; i++)
    for (int rep = 0; rep < 4; rep++) {
      enum kind t = four[i];
      char type[2] = {letters[t], 0};
      bool z = is_complex(t);
      gemv(t, type);
      gbmv(t, type);
      gemv_batches(t, t, t, type);
      symv(t, type, false, FULL);
      for (int s = FULL; s <= BAND; s++) symv(t, type, z, (enum storage)s);
      for (int s = FULL; s <= BAND; s++)
        triangular(t, type, false, (enum storage)s), triangular(t, type, true, (enum storage)s);
      ger(z ? "cublas%geru_v2" : "cublas%ger_v2", t, type, false);
      if (z) ger("cublas%gerc_v2", t, type, true);
      for (int two = 0; two < 2; two++) {
        syr(t, type, false, two, FULL);
        if (z) syr(t, type, true, two, FULL);
        syr(t, type, z, two, PACKED);
      }
    }
  for (int rep = 0; rep < 2; rep++) {
    gemv_batches(H, H, S, "HSH");
    gemv_batches(H, S, S, "HSS");
    gemv_batches(B, B, S, "TST");
    gemv_batches(B, S, S, "TSS");
  }
  arguments();
}
