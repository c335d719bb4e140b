/* gemm of every type, one by one, in batches and with types as arguments. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef int gemm_call(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,
                      const void *, void *, int);
typedef int batched_call(void *, int, int, int, int, int, const void *, const void *, int, const void *, int,
                         const void *, void *, int, int);
typedef int strided_call(void *, int, int, int, int, int, const void *, const void *, int, long long,
                         const void *, int, long long, const void *, void *, int, long long, int);
typedef int ex_call(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int,
                    int, const void *, void *, int, int, int, int);
typedef int batched_ex_call(void *, int, int, int, int, int, const void *, const void *, int, int,
                            const void *, int, int, const void *, void *, int, int, int, int, int);
typedef int strided_ex_call(void *, int, int, int, int, int, const void *, const void *, int, int, long long,
                            const void *, int, int, long long, const void *, void *, int, int, long long, int,
                            int, int);
typedef int typed_call(void *, int, int, int, int, int, const void *, const void *, int, int, const void *,
                       int, int, const void *, void *, int, int);

struct problem {
  int m, n, k, ta, tb;
  enum kind in, out, scale;
  num alpha, beta;
  struct stored a, b, c;
};

static const num betas[] = {0, 1, -0.5, 0.25};

static struct problem make(enum kind in, enum kind out, enum kind scale, int most) {
  struct problem p = {between(1, most),
                      between(1, most),
                      between(1, most),
                      below(3),
                      below(3),
                      in,
                      out,
                      scale,
                      0,
                      0,
                      {0},
                      {0},
                      {0}};
  p.a = matrix(in, p.ta ? p.k : p.m, p.ta ? p.m : p.k);
  p.b = matrix(in, p.tb ? p.n : p.k, p.tb ? p.k : p.n);
  p.c = matrix(out, p.m, p.n);
  p.alpha = below(8) ? random_num(scale) : 0;
  p.beta = scale == I32 ? (num)below(3) : betas[below(4)];
  upload(p.a.d);
  upload(p.b.d);
  if (p.beta == 0 && out != I32) /* C is not read */
    for (int i = 0; i < p.c.d->n; i++) p.c.d->v[i] = no_number(out);
  upload(p.c.d);
  return p;
}

/* C as it should be. */
static void model(struct problem *p) {
  num *a = written_out(&p->a, p->ta), *b = written_out(&p->b, p->tb);
  for (int j = 0; j < p->n; j++)
    for (int i = 0; i < p->m; i++) {
      num sum = 0, *c = &p->c.d->v[place_of(&p->c, i, j)];
      for (int l = 0; l < p->k; l++) sum += a[i + l * p->m] * b[l + j * p->k];
      *c = p->alpha * sum + (p->beta == 0 ? 0 : p->beta * *c);
    }
}

/* Sums are kept in f32 where the result is smaller: the bound is that of the result's type for its rounding,
 * and of f32 for the sum. */
static void compare(struct problem *p, const char *what) {
  model(p);
  same(p->c.d,
       p->out == H && p->scale == H ? p->k + 4
       : p->out == H || p->out == B ? 0.1
                                    : 8 * (p->k + 4),
       what);
}

static void single(const char *name, enum kind t, int most) {
  char type[2] = {letters[t], 0};
  set_pointer_mode(below(2));
  struct problem p = make(t, t, t, most);
  gemm_call *f = (gemm_call *)(uintptr_t)function(name, type);
  int r = f(handle, p.ta, p.tb, p.m, p.n, p.k, scalar(p.alpha, t), device(p.a.d), p.a.ld, device(p.b.d),
            p.b.ld, scalar(p.beta, t), device(p.c.d), p.c.ld);
  CHECK(r == OK_, "%s of %s: status %d", name, type, r);
  compare(&p, name);
  end_case();
}

/* One shape, several matrices: as pointers, or a fixed way apart. */
enum { BATCH = 3 };
struct batch {
  struct problem one[BATCH];
  struct data *all[3];
  int apart[3];
};

static struct batch make_batch(enum kind in, enum kind out, enum kind scale) {
  struct batch b;
  b.one[0] = make(in, out, scale, 40);
  struct problem *p = &b.one[0];
  struct stored *first[] = {&p->a, &p->b, &p->c};
  for (int q = 0; q < 3; q++) {
    b.apart[q] = first[q]->d->n + 3;
    b.all[q] = fresh(first[q]->d->t, b.apart[q] * BATCH);
    for (int i = 0; q == 2 && p->beta == 0 && out != I32 && i < b.all[q]->n; i++)
      b.all[q]->v[i] = no_number(out);
    upload(b.all[q]);
  }
  for (int i = 0; i < BATCH; i++) {
    b.one[i] = *p;
    struct stored *mine[] = {&b.one[i].a, &b.one[i].b, &b.one[i].c};
    for (int q = 0; q < 3; q++) mine[q]->d = b.all[q], mine[q]->first = i * b.apart[q];
  }
  return b;
}

static void compare_batch(struct batch *b, const char *what) {
  for (int i = 0; i < BATCH; i++) model(&b->one[i]);
  same(b->all[2], 8 * (b->one[0].k + 4), what);
}

static void *array_of(const struct batch *b, int q) {
  struct data parts[BATCH], *list[BATCH];
  for (int i = 0; i < BATCH; i++) {
    parts[i] = *b->all[q];
    parts[i].at += (size_t)(i * b->apart[q]) * size_of(parts[i].t);
    list[i] = &parts[i];
  }
  return pointers(list, BATCH);
}

static void batched(const char *name, const char *strided_name, enum kind t) {
  char type[2] = {letters[t], 0};
  set_pointer_mode(below(2));
  struct batch b = make_batch(t, t, t);
  struct problem *p = &b.one[0];
  batched_call *f = (batched_call *)(uintptr_t)function(name, type);
  int r = f(handle, p->ta, p->tb, p->m, p->n, p->k, scalar(p->alpha, t), array_of(&b, 0), p->a.ld,
            array_of(&b, 1), p->b.ld, scalar(p->beta, t), array_of(&b, 2), p->c.ld, BATCH);
  CHECK(r == OK_, "%s of %s: status %d", name, type, r);
  compare_batch(&b, name);
  b = make_batch(t, t, t);
  strided_call *g = (strided_call *)(uintptr_t)function(strided_name, type);
  r = g(handle, p->ta, p->tb, p->m, p->n, p->k, scalar(p->alpha, t), device(b.all[0]), p->a.ld, b.apart[0],
        device(b.all[1]), p->b.ld, b.apart[1], scalar(p->beta, t), device(b.all[2]), p->c.ld, b.apart[2],
        BATCH);
  CHECK(r == OK_, "%s of %s: status %d", strided_name, type, r);
  compare_batch(&b, strided_name);
  end_case();
}

/* ---- types as arguments ---- */

static const int data_type[] = {
    [S] = 0, [D] = 1, [C] = 4, [Z] = 5, [H] = 2, [B] = 14, [I8] = 3, [I32] = 10, [CI8] = 7};

static void ex(enum kind in, enum kind out, enum kind scale, int compute) {
  int ti = data_type[in], to = data_type[out], r;
  set_pointer_mode(below(2));
  struct problem p = make(in, out, scale, in == I8 ? 32 : 80);
  if (in == I8) { /* as documented: leading dimensions are multiples of 4 */
    p.m = p.n = p.k = 32;
    p.ta = 1, p.tb = 0;
    p.a = matrix(in, 32, 32), p.b = matrix(in, 32, 32), p.c = matrix(out, 32, 32);
    p.a.ld = p.b.ld = p.c.ld = 32;
    upload(p.a.d), upload(p.b.d), upload(p.c.d);
  }
  ex_call *f = (ex_call *)(uintptr_t)function("cublasGemmEx", "");
  r = f(handle, p.ta, p.tb, p.m, p.n, p.k, scalar(p.alpha, scale), device(p.a.d), ti, p.a.ld, device(p.b.d),
        ti, p.b.ld, scalar(p.beta, scale), device(p.c.d), to, p.c.ld, compute, -1);
  if (CHECK(r == OK_, "cublasGemmEx %d %d compute %d: status %d", ti, to, compute, r))
    compare(&p, "cublasGemmEx");
  end_case();
  if (in == I8 || in == H || in == B) return;
  struct batch b = make_batch(in, out, scale);
  struct problem *o = &b.one[0];
  batched_ex_call *g = (batched_ex_call *)(uintptr_t)function("cublasGemmBatchedEx", "");
  r = g(handle, o->ta, o->tb, o->m, o->n, o->k, scalar(o->alpha, scale), array_of(&b, 0), ti, o->a.ld,
        array_of(&b, 1), ti, o->b.ld, scalar(o->beta, scale), array_of(&b, 2), to, o->c.ld, BATCH, compute,
        -1);
  if (CHECK(r == OK_, "cublasGemmBatchedEx %d %d: status %d", ti, to, r))
    compare_batch(&b, "cublasGemmBatchedEx");
  b = make_batch(in, out, scale);
  strided_ex_call *h = (strided_ex_call *)(uintptr_t)function("cublasGemmStridedBatchedEx", "");
  r = h(handle, o->ta, o->tb, o->m, o->n, o->k, scalar(o->alpha, scale), device(b.all[0]), ti, o->a.ld,
        b.apart[0], device(b.all[1]), ti, o->b.ld, b.apart[1], scalar(o->beta, scale), device(b.all[2]), to,
        o->c.ld, b.apart[2], BATCH, compute, -1);
  if (CHECK(r == OK_, "cublasGemmStridedBatchedEx %d %d: status %d", ti, to, r))
    compare_batch(&b, "cublasGemmStridedBatchedEx");
  end_case();
}

static void typed(const char *name, enum kind in, enum kind out, enum kind scale) {
  set_pointer_mode(below(2));
  struct problem p = make(in, out, scale, 40);
  typed_call *f = (typed_call *)(uintptr_t)function(name, "");
  int r =
      f(handle, p.ta, p.tb, p.m, p.n, p.k, scalar(p.alpha, scale), device(p.a.d), data_type[in], p.a.ld,
        device(p.b.d), data_type[in], p.b.ld, scalar(p.beta, scale), device(p.c.d), data_type[out], p.c.ld);
  if (CHECK(r == OK_, "%s: status %d", name, r)) compare(&p, name);
  end_case();
}

/* ---- groups of different shapes ---- */

typedef int grouped_call(void *, const int *, const int *, const int *, const int *, const int *,
                         const void *, const void *, const int *, const void *, const int *, const void *,
                         void *, const int *, int, const int *);
typedef int grouped_ex_call(void *, const int *, const int *, const int *, const int *, const int *,
                            const void *, const void *, int, const int *, const void *, int, const int *,
                            const void *, void *, int, const int *, int, const int *, int);

static void grouped(const char *name, enum kind t, bool typed_ones) {
  enum { GROUPS = 2 };
  static const int size[GROUPS] = {1, 2};
  char type[2] = {letters[t], 0};
  enum kind scale = t == H ? S : t;
  struct problem p[3];
  struct data *a[3], *b[3], *c[3];
  int ta[2], tb[2], m[2], n[2], k[2], lda[2], ldb[2], ldc[2], r;
  double alpha[2], beta[2];
  set_pointer_mode(false);
  for (int i = 0, g = 0; i < 3; i++, g = 1) {
    p[i] = make(t, t, scale, 40);
    if (i == 2) { /* as the one before it */
      p[2] = p[1];
      struct stored *mine[] = {&p[2].a, &p[2].b, &p[2].c};
      for (int q = 0; q < 3; q++) mine[q]->d = fresh(t, mine[q]->d->n), upload(mine[q]->d);
    }
    a[i] = p[i].a.d, b[i] = p[i].b.d, c[i] = p[i].c.d;
    ta[g] = p[i].ta, tb[g] = p[i].tb, m[g] = p[i].m, n[g] = p[i].n, k[g] = p[i].k;
    lda[g] = p[i].a.ld, ldb[g] = p[i].b.ld, ldc[g] = p[i].c.ld;
    if (scale == D)
      alpha[g] = creal(p[i].alpha), beta[g] = creal(p[i].beta);
    else
      ((float *)alpha)[g] = (float)creal(p[i].alpha), ((float *)beta)[g] = (float)creal(p[i].beta);
  }
  void *pa = pointers(a, 3), *pb = pointers(b, 3), *pc = pointers(c, 3);
  if (typed_ones)
    r = ((grouped_ex_call *)(uintptr_t)function(name, ""))(handle, ta, tb, m, n, k, alpha, pa, data_type[t],
                                                           lda, pb, data_type[t], ldb, beta, pc, data_type[t],
                                                           ldc, GROUPS, size, t == D ? 70 : 68);
  else
    r = ((grouped_call *)(uintptr_t)function(name, type))(handle, ta, tb, m, n, k, alpha, pa, lda, pb, ldb,
                                                          beta, pc, ldc, GROUPS, size);
  CHECK(r == OK_, "%s: status %d", name, r);
  for (int i = 0; i < 3; i++) compare(&p[i], name);
  end_case();
}

/* ---- what is refused, and what is nothing to do ---- */

static void arguments(void) {
  set_pointer_mode(false);
  gemm_call *f = (gemm_call *)(uintptr_t)function("cublasSgemm_v2", "");
  struct stored c = matrix(S, 4, 4);
  upload(c.d);
  void *one = scalar(1, S), *d = device(c.d);
  int ld = c.ld;
  CHECK(f(NULL, 0, 0, 4, 4, 4, one, d, ld, d, ld, one, d, ld) == NOT_INITIALIZED, "no handle");
  CHECK(f(handle, 7, 0, 4, 4, 4, one, d, ld, d, ld, one, d, ld) == INVALID,
        "an operation that does not exist");
  CHECK(f(handle, 0, 0, -1, 4, 4, one, d, ld, d, ld, one, d, ld) == INVALID, "m < 0");
  CHECK(f(handle, 0, 0, 4, -1, 4, one, d, ld, d, ld, one, d, ld) == INVALID, "n < 0");
  CHECK(f(handle, 0, 0, 4, 4, -1, one, d, ld, d, ld, one, d, ld) == INVALID, "k < 0");
  CHECK(f(handle, 0, 0, 4, 4, 4, one, d, 3, d, ld, one, d, ld) == INVALID, "lda < m");
  CHECK(f(handle, 0, 0, 4, 4, 4, one, d, ld, d, 3, one, d, ld) == INVALID, "ldb < k");
  CHECK(f(handle, 0, 0, 4, 4, 4, one, d, ld, d, ld, one, d, 3) == INVALID, "ldc < m");
  CHECK(f(handle, 0, 0, 4, 4, 4, NULL, d, ld, d, ld, one, d, ld) == INVALID, "no alpha");
  CHECK(f(handle, 0, 0, 0, 4, 4, one, d, ld, d, ld, one, d, ld) == OK_, "m = 0");
  CHECK(f(handle, 0, 0, 4, 0, 4, one, d, ld, d, ld, one, d, ld) == OK_, "n = 0");
  same(c.d, 0, "an empty product changes nothing");
  CHECK(f(handle, 0, 0, 4, 4, 0, one, d, ld, d, ld, scalar(0.5, S), d, ld) == OK_, "k = 0");
  for (int i = 0; i < 16; i++) c.d->v[place_of(&c, i % 4, i / 4)] *= 0.5;
  same(c.d, 0, "k = 0: C = beta C");
  ex_call *g = (ex_call *)(uintptr_t)function("cublasGemmEx", "");
  CHECK(g(handle, 0, 0, 4, 4, 4, one, d, 0, ld, d, 1, ld, one, d, 0, ld, 68, -1) == NOT_SUPPORTED,
        "A and B of different types");
  CHECK(g(handle, 0, 0, 4, 4, 4, one, d, 0, ld, d, 0, ld, one, d, 2, ld, 68, -1) == NOT_SUPPORTED,
        "f32 into f16");
  CHECK(g(handle, 0, 0, 4, 4, 4, one, d, 0, ld, d, 0, ld, one, d, 0, ld, 64, -1) == NOT_SUPPORTED,
        "f32 computed in f16");
  CHECK(g(handle, 1, 0, 4, 4, 4, one, d, 3, 5, d, 3, 4, one, d, 10, ld, 72, -1) == NOT_SUPPORTED,
        "bytes with a leading dimension of 5");
  end_case();
}

static int did_large;

/* Enough tiles of the largest size for every SM of an H200. */
static void large(void) {
  enum { M = 1500, N = 1450, DEPTH = 11 };
  set_pointer_mode(false);
  struct problem p = {
      .m = M, .n = N, .k = DEPTH, .ta = 0, .tb = 1, .in = S, .out = S, .scale = S, .alpha = 0.5, .beta = 0};
  p.a = matrix(S, M, DEPTH), p.b = matrix(S, N, DEPTH), p.c = matrix(S, M, N);
  upload(p.a.d), upload(p.b.d), upload(p.c.d);
  gemm_call *f = (gemm_call *)(uintptr_t)function("cublasSgemm_v2", "");
  int r = f(handle, 0, 1, M, N, DEPTH, scalar(0.5, S), device(p.a.d), p.a.ld, device(p.b.d), p.b.ld,
            scalar(0, S), device(p.c.d), p.c.ld);
  CHECK(r == OK_, "a large product: status %d", r);
  compare(&p, "a large product");
  end_case();
}

void test_gemm(void) {
  static const enum kind four[] = {S, D, C, Z};
  for (int i = 0; i < 4; i++) {
    for (int rep = 0; rep < 6; rep++) single("cublas%gemm_v2", four[i], rep < 3 ? 40 : 100);
    for (int rep = 0; rep < 2; rep++) batched("cublas%gemmBatched", "cublas%gemmStridedBatched", four[i]);
  }
  for (int rep = 0; rep < 4; rep++) single("cublasHgemm", H, 60);
  batched("cublasHgemmBatched", "cublasHgemmStridedBatched", H);
  single("cublas%gemm3m", C, 40);
  single("cublas%gemm3m", Z, 40);
  batched("cublasCgemm3mBatched", "cublasCgemm3mStridedBatched", C);
  static const struct {
    enum kind in, out, scale;
    int compute;
  } types[] = {{H, H, H, 64}, {I8, I32, I32, 72}, {B, B, S, 68},   {H, H, S, 68}, {I8, S, S, 68},
               {B, S, S, 68}, {H, S, S, 69},      {CI8, C, C, 68}, {S, S, S, 68}, {C, C, C, 69},
               {S, S, S, 74}, {S, S, S, 75},      {S, S, S, 77},   {C, C, C, 77}, {D, D, D, 70},
               {Z, Z, Z, 71}, {H, H, S, 74},      {S, S, S, 78}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    ex(types[i].in, types[i].out, types[i].scale, types[i].compute);
  typed("cublasSgemmEx", H, S, S);
  typed("cublasSgemmEx", B, B, S);
  typed("cublasSgemmEx", S, S, S);
  typed("cublasCgemmEx", C, C, C);
  typed("cublasCgemm3mEx", C, C, C);
  grouped("cublas%gemmGroupedBatched", S, false);
  grouped("cublas%gemmGroupedBatched", D, false);
  grouped("cublasGemmGroupedBatchedEx", H, true);
  grouped("cublasGemmGroupedBatchedEx", D, true);
  arguments();
  if (!did_large++) large();
}
