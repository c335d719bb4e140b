/* LU and QR in batches: the factors times each other are what went in, and solutions solve. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(type, name, letter) ((type *)(uintptr_t)function(name, letter))
typedef int getrf_call(void *, int, void *, int, void *, void *, int);
typedef int getri_call(void *, int, const void *, int, const void *, void *, int, void *, int);
typedef int getrs_call(void *, int, int, int, const void *, int, const void *, void *, int, int *, int);
typedef int matinv_call(void *, int, const void *, int, void *, int, void *, int);
typedef int geqrf_call(void *, int, int, void *, int, void *, int *, int);
typedef int gels_call(void *, int, int, int, int, void *, int, void *, int, int *, void *, int);

enum { BATCH = 3, MOST = 45 };

/* A batch of matrices of one shape. */
struct batch {
  struct stored m[BATCH];
  void *array;
};

/* Something is added to a diagonal that begins `shift` rows below the main one, so that the matrix is far
 * from singular. */
static struct batch batch_of(enum kind t, int rows, int cols, double diagonal, int shift) {
  struct batch b;
  struct data *list[BATCH];
  int ld = rows + below(3);
  for (int i = 0; i < BATCH; i++) {
    b.m[i] = (struct stored){.rows = rows, .cols = cols, .ld = ld, .d = fresh(t, ld * cols)};
    for (int j = 0; j < rows && j < cols; j++) b.m[i].d->v[(j + shift) % rows + j * ld] += diagonal;
    upload(b.m[i].d);
    list[i] = b.m[i].d;
  }
  b.array = pointers(list, BATCH);
  return b;
}

static num *got(const struct stored *m) {
  struct data *d = fresh(m->d->t, m->d->n), image = *m->d;
  struct stored s = *m;
  fetch(m->d, d->v);
  image.v = d->v;
  s.d = &image;
  return written_out(&s, 0);
}

static void numbers(const struct data *d, int *out) {
  sync_device();
  cuMemcpyDtoH_v2(out, d->at, (size_t)d->n * sizeof *out);
}

/* op(a) b is c, all written out: a is m x k, b k x n. */
static void product_is(const num *a, const num *b, const num *c, int m, int n, int k, double bound,
                       const char *what) {
  double worst = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      num sum = 0;
      for (int l = 0; l < k; l++) sum += a[i + l * m] * b[l + j * k];
      double off = cabs(sum - c[i + j * m]);
      if (!(off <= worst)) worst = isnan(off) ? INFINITY : off;
    }
  CHECK(worst <= bound, "%s: off by %g, bound %g", what, worst, bound);
}

/* Factors, solutions and inverses of the same matrices. */
static void lu(enum kind t, bool pivots, int op) {
  char type[2] = {letters[t], 0};
  int n = between(1, MOST), nrhs = between(1, 40), info = 9, all[BATCH], order[BATCH * MOST];
  double bound = epsilon(t) * 400 * n;
  struct batch a = batch_of(t, n, n, pivots ? n + 1 : 4 * n, pivots ? 1 : 0), b = batch_of(t, n, nrhs, 0, 0),
               inverse = batch_of(t, n, n, 0, 0);
  struct data *p = fresh(I32, n * BATCH), *infos = fresh(I32, BATCH);
  void *pp = pivots ? device(p) : NULL;
  upload(infos), upload(p);
  int r = F(getrf_call, "cublas%getrfBatched", type)(handle, n, a.array, a.m[0].ld, pp, device(infos), BATCH);
  CHECK(r == OK_, "getrf of %s: status %d", type, r);
  r = F(getrs_call, "cublas%getrsBatched", type)(handle, op, n, nrhs, a.array, a.m[0].ld, pp, b.array,
                                                 b.m[0].ld, &info, BATCH);
  CHECK(r == OK_ && info == 0, "getrs of %s: status %d, %d", type, r, info);
  r = F(getri_call, "cublas%getriBatched", type)(handle, n, a.array, a.m[0].ld, pp, inverse.array,
                                                 inverse.m[0].ld, device(infos), BATCH);
  CHECK(r == OK_, "getri of %s: status %d", type, r);
  numbers(infos, all);
  numbers(p, order);
  for (int i = 0; i < BATCH; i++) {
    CHECK(all[i] == 0, "a matrix that is not singular: %d", all[i]);
    num *f = got(&a.m[i]), *before = written_out(&a.m[i], 0), *low = fresh(Z, n * n)->v,
        *up = fresh(Z, n * n)->v, *one = fresh(Z, n * n)->v;
    for (int e = 0; e < n * n; e++) {
      int row = e % n, col = e / n;
      low[e] = row == col ? 1 : row > col ? f[e] : 0;
      up[e] = row <= col ? f[e] : 0;
      one[e] = row == col;
    }
    product_is(written_out(&a.m[i], op), got(&b.m[i]), written_out(&b.m[i], 0), n, nrhs, n, bound, "getrs");
    product_is(before, got(&inverse.m[i]), one, n, n, n, bound, "getri");
    for (int k = 0; pivots && k < n; k++)
      for (int j = 0, other = order[i * n + k] - 1; j < n; j++) {
        num v = before[k + j * n];
        before[k + j * n] = before[other + j * n], before[other + j * n] = v;
      }
    product_is(low, up, before, n, n, n, bound, "getrf");
    for (int e = 0; pivots && e < n * n; e++)
      if (cabs(low[e]) > 1.5) CHECK(false, "getrf chose a pivot that is not the largest");
  }
  end_case();
}

static void inverse(enum kind t) {
  char type[2] = {letters[t], 0};
  int n = between(1, 32), all[BATCH];
  struct batch a = batch_of(t, n, n, n + 1, n / 2), b = batch_of(t, n, n, 0, 0);
  struct data *infos = fresh(I32, BATCH);
  for (int e = 0; e < n; e++) a.m[1].d->v[e] = 0; /* a column of zeros: singular */
  upload(a.m[1].d);
  int r = F(matinv_call, "cublas%matinvBatched", type)(handle, n, a.array, a.m[0].ld, b.array, b.m[0].ld,
                                                       device(infos), BATCH);
  CHECK(r == OK_, "matinv of %s: status %d", type, r);
  numbers(infos, all);
  CHECK(all[0] == 0 && all[1] == 1 && all[2] == 0, "matinv: which is singular: %d %d %d", all[0], all[1],
        all[2]);
  for (int i = 0; i < BATCH; i += 2) {
    num *one = fresh(Z, n * n)->v;
    for (int e = 0; e < n * n; e++) one[e] = e % n == e / n;
    product_is(written_out(&a.m[i], 0), got(&b.m[i]), one, n, n, n, epsilon(t) * 400 * n, "matinv");
    same(a.m[i].d, 0, "matinv leaves its input alone");
  }
  end_case();
}

/* Q = H(0) H(1) ..., each I - tau v v^H. */
static void qr(enum kind t) {
  char type[2] = {letters[t], 0};
  int m = between(1, MOST), n = between(1, MOST), k = m < n ? m : n, info = 9;
  struct batch a = batch_of(t, m, n, 0, 0), tau = batch_of(t, k, 1, 0, 0);
  int r =
      F(geqrf_call, "cublas%geqrfBatched", type)(handle, m, n, a.array, a.m[0].ld, tau.array, &info, BATCH);
  CHECK(r == OK_ && info == 0, "geqrf of %s: status %d, %d", type, r, info);
  sync_device();
  for (int i = 0; i < BATCH; i++) {
    num *f = got(&a.m[i]), *ts = got(&tau.m[i]), *q = fresh(Z, m * m)->v, *up = fresh(Z, m * n)->v;
    for (int e = 0; e < m * m; e++) q[e] = e % m == e / m;
    for (int e = 0; e < m * n; e++) up[e] = e % m <= e / m ? f[e] : 0;
    for (int h = k - 1; h >= 0; h--) /* q = H q */
      for (int j = 0; j < m; j++) {
        num sum = q[h + j * m];
        for (int l = h + 1; l < m; l++) sum += conj(f[l + h * m]) * q[l + j * m];
        q[h + j * m] -= ts[h] * sum;
        for (int l = h + 1; l < m; l++) q[l + j * m] -= ts[h] * sum * f[l + h * m];
      }
    product_is(q, up, written_out(&a.m[i], 0), m, n, m, epsilon(t) * 100 * (m + n), "geqrf");
  }
  end_case();
}

/* What is left over is perpendicular to every column. */
static void least_squares(enum kind t) {
  char type[2] = {letters[t], 0};
  int n = between(1, 30), m = n + below(12), nrhs = between(1, 5), info = 9, all[BATCH];
  struct batch a = batch_of(t, m, n, 3, 0), c = batch_of(t, m, nrhs, 0, 0);
  struct data *infos = fresh(I32, BATCH);
  int r = F(gels_call, "cublas%gelsBatched", type)(handle, 0, m, n, nrhs, a.array, a.m[0].ld, c.array,
                                                   c.m[0].ld, &info, device(infos), BATCH);
  CHECK(r == OK_ && info == 0, "gels of %s: status %d, %d", type, r, info);
  numbers(infos, all);
  for (int i = 0; i < BATCH; i++) {
    num *x = got(&c.m[i]), *w = written_out(&a.m[i], 0), *b = written_out(&c.m[i], 0);
    double worst = 0;
    for (int j = 0; j < nrhs; j++) {
      for (int row = 0; row < m; row++)
        for (int l = 0; l < n; l++) b[row + j * m] -= w[row + l * m] * x[l + j * m];
      for (int l = 0; l < n; l++) {
        num dot = 0;
        for (int row = 0; row < m; row++) dot += conj(w[row + l * m]) * b[row + j * m];
        if (!(cabs(dot) <= worst)) worst = isnan(cabs(dot)) ? INFINITY : cabs(dot);
      }
    }
    CHECK(all[i] == 0 && worst <= epsilon(t) * 400 * m * n, "gels of %s: off by %g", type, worst);
  }
  end_case();
}

/* What an H200 answers. */
static void arguments(void) {
  struct batch a = batch_of(S, 3, 3, 2, 0), b = batch_of(S, 3, 2, 0, 0);
  struct data *infos = fresh(I32, BATCH), *p = fresh(I32, 3 * BATCH);
  int all[BATCH], info = 9, la = a.m[0].ld, lb = b.m[0].ld;
  getrs_call *getrs = F(getrs_call, "cublas%getrsBatched", "S");
  CHECK(F(getrf_call, "cublas%getrfBatched", "S")(handle, -1, a.array, la, NULL, device(infos), BATCH) ==
            INVALID,
        "getrf: n < 0");
  CHECK(F(getrf_call, "cublas%getrfBatched", "S")(handle, 3, a.array, 2, NULL, device(infos), BATCH) ==
            INVALID,
        "getrf: lda");
  CHECK(getrs(handle, 7, 3, 2, a.array, la, device(p), b.array, lb, &info, BATCH) == INVALID && info == -1,
        "getrs: trans, %d", info);
  CHECK(getrs(handle, 0, -1, 2, a.array, la, device(p), b.array, lb, &info, BATCH) == INVALID && info == -2,
        "getrs: n, %d", info);
  CHECK(getrs(handle, 0, 3, -1, a.array, la, device(p), b.array, lb, &info, BATCH) == INVALID && info == -3,
        "getrs: nrhs, %d", info);
  CHECK(getrs(handle, 0, 3, 2, a.array, 2, device(p), b.array, lb, &info, BATCH) == INVALID && info == -5,
        "getrs: lda, %d", info);
  CHECK(getrs(handle, 0, 3, 2, a.array, la, device(p), b.array, 2, &info, BATCH) == INVALID && info == -8,
        "getrs: ldb, %d", info);
  CHECK(F(matinv_call, "cublas%matinvBatched", "S")(handle, 33, a.array, 33, b.array, 33, device(infos), 1) ==
            INVALID,
        "matinv: n > 32");
  geqrf_call *geqrf = F(geqrf_call, "cublas%geqrfBatched", "S");
  CHECK(geqrf(handle, -1, 2, a.array, la, b.array, &info, BATCH) == INVALID && info == -1, "geqrf: m, %d",
        info);
  CHECK(geqrf(handle, 3, -1, a.array, la, b.array, &info, BATCH) == INVALID && info == -2, "geqrf: n, %d",
        info);
  CHECK(geqrf(handle, 3, 3, a.array, 2, b.array, &info, BATCH) == INVALID && info == -4, "geqrf: lda, %d",
        info);
  gels_call *gels = F(gels_call, "cublas%gelsBatched", "S");
  CHECK(gels(handle, 1, 3, 3, 2, a.array, la, b.array, lb, &info, NULL, BATCH) == NOT_SUPPORTED,
        "gels: transposed");
  CHECK(gels(handle, 0, 2, 3, 2, a.array, la, b.array, lb, &info, NULL, BATCH) == NOT_SUPPORTED,
        "gels: more columns than rows");
  CHECK(gels(handle, 0, 3, 3, 2, a.array, 2, b.array, lb, &info, NULL, BATCH) == INVALID && info == -5,
        "gels: lda, %d", info);
  for (int i = 0; i < 9; i++)
    a.m[0].d->v[i % 3 + i / 3 * la] = i / 3 == 1 ? 0 : i + 1; /* the second column is 0 */
  upload(a.m[0].d);
  CHECK(F(getrf_call, "cublas%getrfBatched", "S")(handle, 3, a.array, la, device(p), device(infos), BATCH) ==
            OK_,
        "getrf");
  numbers(infos, all);
  CHECK(all[0] == 2 && all[1] == 0, "getrf says where a matrix is singular: %d", all[0]);
  end_case();
}

void test_factor(void) {
  static const enum kind four[] = {S, D, C, Z};
  for (int i = 0; i < 4; i++) {
    for (int op = 0; op < 3; op++) lu(four[i], true, op);
    lu(four[i], false, i % 3);
    inverse(four[i]);
    qr(four[i]);
    qr(four[i]);
    least_squares(four[i]);
  }
  arguments();
}
