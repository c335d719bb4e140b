/* Level 3 but for gemm. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>

#define F(type, name, letter) ((type *)(uintptr_t)function(name, letter))
static const enum kind four[] = {S, D, C, Z};

/* A complex or real scalar as a routine wants it. */
static num some_scalar(enum kind t, bool real) { return below(8) ? random_num(real ? real_kind(t) : t) : 0; }
static num some_beta(enum kind t, bool real) { return below(3) ? random_num(real ? real_kind(t) : t) : 0; }

/* What is overwritten without being read. */
static void spoil(const struct stored *c) {
  for (int j = 0; j < c->cols; j++)
    for (int i = 0; i < c->rows; i++)
      if (place_of(c, i, j) >= 0) c->d->v[place_of(c, i, j)] = no_number(c->d->t);
}

/* sum of a(i, l) b(l, j), both written out. */
static num cell(const num *a, const num *b, int i, int j, int m, int k) {
  num sum = 0;
  for (int l = 0; l < k; l++) sum += a[i + l * m] * b[l + j * k];
  return sum;
}

static void put_cell(const struct stored *c, int i, int j, num product, num beta, bool real) {
  num *at = &c->d->v[place_of(c, i, j)];
  num old = real && i == j ? creal(*at) : *at;
  *at = product + (beta == 0 ? 0 : beta * old);
  if (real && i == j) *at = creal(*at);
}

/* ---- symm, hemm ---- */

typedef int symm_call(void *, int, int, int, int, const void *, const void *, int, const void *, int,
                      const void *, void *, int);

static void symm(const char *name, enum kind t, bool hermitian, int most) {
  char type[2] = {letters[t], 0};
  int m = between(1, most), n = between(1, most), right = below(2);
  set_pointer_mode(below(2));
  struct stored a = matrix(t, right ? n : m, right ? n : m), b = matrix(t, m, n), c = matrix(t, m, n);
  a.shape = hermitian ? HERMITIAN : SYMMETRIC;
  a.upper = below(2);
  poison_unread(&a);
  num alpha = some_scalar(t, false), beta = some_beta(t, false);
  if (beta == 0) spoil(&c);
  upload(a.d), upload(b.d), upload(c.d);
  int r = F(symm_call, name, type)(handle, right, a.upper, m, n, scalar(alpha, t), device(a.d), a.ld,
                                   device(b.d), b.ld, scalar(beta, t), device(c.d), c.ld);
  CHECK(r == OK_, "%s of %s: status %d", name, type, r);
  num *wa = written_out(&a, 0), *wb = written_out(&b, 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      put_cell(&c, i, j,
               alpha == 0 ? 0 : alpha * (right ? cell(wb, wa, i, j, m, n) : cell(wa, wb, i, j, m, m)), beta,
               false);
  same(c.d, 16 * (m + n), name);
  end_case();
}

/* ---- syrk and its kin ---- */

typedef int syrk_call(void *, int, int, int, int, const void *, const void *, int, const void *, void *, int);
typedef int syr2k_call(void *, int, int, int, int, const void *, const void *, int, const void *, int,
                       const void *, void *, int);
enum family { SYRK, SYR2K, SYRKX };

static void syrk(const char *name, enum kind t, enum family family, bool hermitian, int most) {
  char type[2] = {letters[t], 0};
  int n = between(1, most), k = between(1, most), trans = below(3);
  bool real_alpha = hermitian && family == SYRK;
  set_pointer_mode(below(2));
  struct stored a = matrix(t, trans ? k : n, trans ? n : k), b = matrix(t, trans ? k : n, trans ? n : k),
                c = matrix(t, n, n);
  c.shape = hermitian ? HERMITIAN : SYMMETRIC;
  c.upper = below(2);
  num alpha = some_scalar(t, real_alpha), beta = some_beta(t, hermitian);
  if (family == SYRKX) b = a; /* so that the product is symmetric, as it has to be */
  if (beta == 0) spoil(&c);
  upload(a.d), upload(b.d), upload(c.d);
  if (hermitian && family == SYRKX) alpha = creal(alpha);
  void *pa = scalar(alpha, real_alpha ? real_kind(t) : t), *pb = scalar(beta, hermitian ? real_kind(t) : t);
  int r = family == SYRK ? F(syrk_call, name, type)(handle, c.upper, trans, n, k, pa, device(a.d), a.ld, pb,
                                                    device(c.d), c.ld)
                         : F(syr2k_call, name, type)(handle, c.upper, trans, n, k, pa, device(a.d), a.ld,
                                                     device(b.d), b.ld, pb, device(c.d), c.ld);
  CHECK(r == OK_, "%s of %s: status %d", name, type, r);
  int other = hermitian ? 2 : 1; /* either kind of transposed is the one that the product has */
  if (trans) trans = other;
  num *wa = written_out(&a, trans), *wb = written_out(&b, trans), *ta = written_out(&a, trans ? 0 : other),
      *tb = written_out(&b, trans ? 0 : other);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      if (place_of(&c, i, j) < 0) continue;
      num sum = alpha == 0 ? 0 : alpha * cell(wa, family == SYRK ? ta : tb, i, j, n, k);
      if (family == SYR2K && alpha != 0) sum += (hermitian ? conj(alpha) : alpha) * cell(wb, ta, i, j, n, k);
      put_cell(&c, i, j, sum, beta, hermitian);
    }
  same(c.d, 24 * (k + 4), name);
  end_case();
}

/* ---- trmm, trsm ---- */

typedef int trmm_call(void *, int, int, int, int, int, int, const void *, const void *, int, const void *,
                      int, void *, int);
typedef int trsm_call(void *, int, int, int, int, int, int, const void *, const void *, int, void *, int);
typedef int trsm_batched_call(void *, int, int, int, int, int, int, const void *, const void *, int, void *,
                              int, int);

/* Diagonals large enough that solutions stay small. */
static struct stored triangle(enum kind t, int n) {
  struct stored a = matrix(t, n, n);
  a.shape = TRIANGULAR;
  a.upper = below(2);
  a.unit = below(2);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) a.d->v[i + j * a.ld] = a.d->v[i + j * a.ld] / 64;
    a.d->v[i + i * a.ld] += 1.5;
  }
  poison_unread(&a);
  return a;
}

static void trmm(enum kind t, bool in_place, int most) {
  char type[2] = {letters[t], 0};
  int m = between(1, most), n = between(1, most), right = below(2), op = below(3), k = right ? n : m;
  set_pointer_mode(below(2));
  struct stored a = triangle(t, k), b = matrix(t, m, n), c = in_place ? b : matrix(t, m, n);
  if (!in_place) spoil(&c);
  upload(a.d), upload(b.d), upload(c.d);
  num alpha = some_scalar(t, false);
  int r = F(trmm_call, "cublas%trmm_v2", type)(handle, right, a.upper, op, a.unit, m, n, scalar(alpha, t),
                                               device(a.d), a.ld, device(b.d), b.ld, device(c.d), c.ld);
  CHECK(r == OK_, "trmm of %s: status %d", type, r);
  num *wa = written_out(&a, op), *wb = written_out(&b, 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      c.d->v[place_of(&c, i, j)] =
          alpha == 0 ? 0 : alpha * (right ? cell(wb, wa, i, j, m, n) : cell(wa, wb, i, j, m, m));
  same(c.d, 16 * (k + 4), in_place ? "trmm in place" : "trmm");
  end_case();
}

/* The solution times A is alpha B. */
static void residual(const struct stored *a, const struct stored *b, int op, bool right, num alpha,
                     const char *what) {
  struct stored x = *b;
  struct data got = *b->d;
  int m = b->rows, n = b->cols;
  num *values = written_out(b, 0),
      *image = written_out(&(struct stored){.d = b->d, .rows = b->d->n, .cols = 1, .ld = b->d->n}, 0);
  got.v = image;
  fetch(b->d, got.v);
  x.d = &got;
  num *wa = written_out(a, op), *wx = written_out(&x, 0);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      num v = right ? cell(wx, wa, i, j, m, n) : cell(wa, wx, i, j, m, m);
      if (cabs(v - alpha * values[i + j * m]) > epsilon(b->d->t) * 64 * (m + n) || isnan(cabs(v))) {
        CHECK(false, "%s: row %d, column %d: %g and %g", what, i, j, cabs(v),
              cabs(alpha * values[i + j * m]));
        return;
      }
    }
  for (int i = 0; i < b->d->n; i++) {
    int col = (i - b->first) / b->ld, row = (i - b->first) % b->ld;
    if ((i < b->first || col >= n || row >= m) && image[i] != b->d->v[i])
      CHECK(false, "%s wrote beside the matrix", what);
  }
  CHECK(true, "%s", what);
}

static void trsm(enum kind t, int most) {
  char type[2] = {letters[t], 0};
  int m = between(1, most), n = between(1, most), right = below(2), op = below(3);
  set_pointer_mode(below(2));
  struct stored a = triangle(t, right ? n : m), b = matrix(t, m, n);
  upload(a.d), upload(b.d);
  num alpha = some_scalar(t, false);
  int r = F(trsm_call, "cublas%trsm_v2", type)(handle, right, a.upper, op, a.unit, m, n, scalar(alpha, t),
                                               device(a.d), a.ld, device(b.d), b.ld);
  CHECK(r == OK_, "trsm of %s: status %d", type, r);
  sync_device();
  residual(&a, &b, op, right, alpha, "trsm");
  end_case();
}

static void trsm_batched(enum kind t) {
  enum { BATCH = 3 };
  char type[2] = {letters[t], 0};
  int m = between(1, 40), n = between(1, 40), right = below(2), op = below(3), k = right ? n : m;
  set_pointer_mode(below(2));
  struct stored a[BATCH], b[BATCH];
  struct data *da[BATCH], *db[BATCH];
  for (int i = 0; i < BATCH; i++) {
    do a[i] = triangle(t, k);
    while (i && (a[i].ld != a[0].ld || a[i].upper != a[0].upper || a[i].unit != a[0].unit));
    do b[i] = matrix(t, m, n);
    while (i && b[i].ld != b[0].ld);
    upload(a[i].d), upload(b[i].d);
    da[i] = a[i].d, db[i] = b[i].d;
  }
  num alpha = random_num(t);
  int r = F(trsm_batched_call, "cublas%trsmBatched", type)(handle, right, a[0].upper, op, a[0].unit, m, n,
                                                           scalar(alpha, t), pointers(da, BATCH), a[0].ld,
                                                           pointers(db, BATCH), b[0].ld, BATCH);
  CHECK(r == OK_, "trsmBatched of %s: status %d", type, r);
  sync_device();
  for (int i = 0; i < BATCH; i++) residual(&a[i], &b[i], op, right, alpha, "trsmBatched");
  end_case();
}

/* ---- geam, dgmm, packed triangles ---- */

typedef int geam_call(void *, int, int, int, int, const void *, const void *, int, const void *, const void *,
                      int, void *, int);
typedef int dgmm_call(void *, int, int, int, const void *, int, const void *, int, void *, int);
typedef int trttp_call(void *, int, int, const void *, int, void *);
typedef int tpttr_call(void *, int, int, const void *, void *, int);

static void geam(enum kind t, bool in_place) {
  char type[2] = {letters[t], 0};
  int m = between(1, 70), n = between(1, 70), ta = in_place ? 0 : below(3), tb = below(3);
  set_pointer_mode(below(2));
  struct stored a = matrix(t, ta ? n : m, ta ? m : n), b = matrix(t, tb ? n : m, tb ? m : n),
                c = in_place ? a : matrix(t, m, n);
  num alpha = some_scalar(t, false), beta = some_beta(t, false);
  if (beta == 0) spoil(&b);
  upload(a.d), upload(b.d), upload(c.d);
  int r = F(geam_call, "cublas%geam", type)(handle, ta, tb, m, n, scalar(alpha, t), device(a.d), a.ld,
                                            scalar(beta, t), device(b.d), b.ld, device(c.d), c.ld);
  CHECK(r == OK_, "geam of %s: status %d", type, r);
  num *wa = written_out(&a, ta), *wb = written_out(&b, tb);
  for (int i = 0; i < m * n; i++)
    c.d->v[place_of(&c, i % m, i / m)] = (alpha == 0 ? 0 : alpha * wa[i]) + (beta == 0 ? 0 : beta * wb[i]);
  same(c.d, 4, "geam");
  end_case();
}

static void dgmm(enum kind t) {
  char type[2] = {letters[t], 0};
  int m = between(1, 70), n = between(1, 70), right = below(2);
  struct stored a = matrix(t, m, n), c = matrix(t, m, n);
  struct stored_vector x = vector(t, right ? n : m, some_inc());
  upload(a.d), upload(c.d), upload(x.d);
  int r = F(dgmm_call, "cublas%dgmm", type)(handle, right, m, n, device(a.d), a.ld, device(x.d), x.inc,
                                            device(c.d), c.ld);
  CHECK(r == OK_, "dgmm of %s: status %d", type, r);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      c.d->v[place_of(&c, i, j)] = a.d->v[place_of(&a, i, j)] * *at_vector(&x, right ? j : i);
  same(c.d, 4, "dgmm");
  end_case();
}

static void packed(enum kind t) {
  char type[2] = {letters[t], 0};
  int n = between(1, 50);
  struct stored a = matrix(t, n, n), p = {.rows = n, .cols = n, .storage = PACKED, .shape = TRIANGULAR};
  p.d = fresh(t, n * (n + 1) / 2);
  a.shape = TRIANGULAR;
  a.upper = p.upper = below(2);
  upload(a.d), upload(p.d);
  bool unpack = below(2);
  int r = unpack ? F(tpttr_call, "cublas%tpttr", type)(handle, a.upper, n, device(p.d), device(a.d), a.ld)
                 : F(trttp_call, "cublas%trttp", type)(handle, a.upper, n, device(a.d), a.ld, device(p.d));
  CHECK(r == OK_, "packed triangles of %s: status %d", type, r);
  struct stored *to = unpack ? &a : &p, *from = unpack ? &p : &a;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (place_of(to, i, j) >= 0) to->d->v[place_of(to, i, j)] = from->d->v[place_of(from, i, j)];
  same(to->d, 0, unpack ? "tpttr" : "trttp");
  end_case();
}

/* ---- arguments ---- */

static void arguments(void) {
  set_pointer_mode(false);
  struct stored a = matrix(C, 4, 4);
  upload(a.d);
  void *d = device(a.d), *one = scalar(1, C);
  int ld = a.ld;
  CHECK(F(symm_call, "cublas%symm_v2", "C")(handle, 2, 0, 4, 4, one, d, ld, d, ld, one, d, ld) == INVALID,
        "symm: a side that does not exist");
  CHECK(F(symm_call, "cublas%symm_v2", "C")(handle, 0, 3, 4, 4, one, d, ld, d, ld, one, d, ld) == INVALID,
        "symm: uplo");
  CHECK(F(symm_call, "cublas%hemm_v2", "C")(handle, 0, 0, 4, 4, one, d, 3, d, ld, one, d, ld) == INVALID,
        "hemm: lda");
  CHECK(F(syrk_call, "cublas%syrk_v2", "C")(handle, 0, 0, -1, 4, one, d, ld, one, d, ld) == INVALID,
        "syrk: n < 0");
  CHECK(F(syrk_call, "cublas%herk_v2", "C")(handle, 0, 0, 4, 4, scalar(0, S), d, ld, scalar(1, S), d, ld) ==
            OK_,
        "herk: alpha = 0, beta = 1");
  CHECK(F(trsm_call, "cublas%trsm_v2", "C")(handle, 0, 0, 0, 2, 4, 4, one, d, ld, d, ld) == INVALID,
        "trsm: diag");
  CHECK(F(trsm_call, "cublas%trsm_v2", "C")(handle, 0, 0, 0, 0, 0, 4, one, d, ld, d, ld) == OK_,
        "trsm: m = 0");
  CHECK(F(geam_call, "cublas%geam", "C")(handle, 1, 0, 4, 4, one, d, ld, one, d, ld, d, ld) == INVALID,
        "geam: transposed in place");
  CHECK(F(dgmm_call, "cublas%dgmm", "C")(handle, 0, 4, 4, d, 3, d, 1, d, ld) == INVALID, "dgmm: lda");
  same(a.d, 0, "what is refused changes nothing");
  end_case();
}

void test_level3(void) {
  for (int i = 0; i < 4; i++)
    for (int rep = 0; rep < 4; rep++) {
      enum kind t = four[i];
      int most = rep == 3 ? 90 : 40;
      symm("cublas%symm_v2", t, false, most);
      syrk("cublas%syrk_v2", t, SYRK, false, most);
      syrk("cublas%syr2k_v2", t, SYR2K, false, most);
      syrk("cublas%syrkx", t, SYRKX, false, most);
      trmm(t, false, most);
      trmm(t, true, most);
      trsm(t, most);
      trsm_batched(t);
      geam(t, rep == 1);
      dgmm(t);
      packed(t);
      packed(t);
      if (!is_complex(t)) continue;
      symm("cublas%hemm_v2", t, true, most);
      syrk("cublas%herk_v2", t, SYRK, true, most);
      syrk("cublas%her2k_v2", t, SYR2K, true, most);
      syrk("cublas%herkx", t, SYRKX, true, most);
    }
  arguments();
}
