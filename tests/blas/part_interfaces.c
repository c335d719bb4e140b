/* Integers of 64 bits, the older interface, streams, capture into a graph. */
#include "blas_kit.h"

#include <math.h>
#include <stdio.h>

#define F(type, name) ((type *)(uintptr_t)function(name, ""))

typedef int gemm64_call(void *, int, int, int64_t, int64_t, int64_t, const void *, const void *, int64_t,
                        const void *, int64_t, const void *, void *, int64_t);
typedef int amax64_call(void *, int64_t, const void *, int64_t, int64_t *);
typedef int dot_call(void *, int, const void *, int, const void *, int, void *);
typedef int axpy_call(void *, int, const void *, const void *, int, void *, int);
typedef int stream_call(void *, CUstream);
typedef int plain_call(void);

static void wide(void) {
  set_pointer_mode(false);
  struct stored a = matrix(D, 2, 2), c = matrix(D, 2, 2);
  upload(a.d), upload(c.d);
  double one = 1, zero = 0;
  CHECK(F(gemm64_call, "cublasDgemm_v2_64")(handle, 0, 1, 2, 2, 2, &one, device(a.d), a.ld, device(a.d), a.ld,
                                            &zero, device(c.d), c.ld) == OK_,
        "gemm, 64 bits");
  for (int i = 0; i < 4; i++) {
    num sum = 0;
    for (int l = 0; l < 2; l++) sum += a.d->v[i % 2 + l * a.ld] * a.d->v[i / 2 + l * a.ld];
    c.d->v[i % 2 + i / 2 * c.ld] = sum;
  }
  same(c.d, 8, "gemm, 64 bits");
  struct data *x = fresh(S, 100);
  for (int i = 0; i < 100; i++) x->v[i] = i == 70 ? -3 : 1;
  upload(x);
  int64_t place = -1;
  CHECK(F(amax64_call, "cublasIsamax_v2_64")(handle, 100, device(x), 1, &place) == OK_ && place == 71,
        "iamax, 64 bits: %lld", (long long)place);
  end_case();
}

/* One handle of the process, letters, scalars by value, results returned. */
struct c32 {
  float re, im;
};
static void older(void) {
  typedef void sgemm_call(char, char, int, int, int, float, const void *, int, const void *, int, float,
                          void *, int);
  typedef void cscal_call(int, struct c32, void *, int);
  typedef struct c32 cdot_call(int, const void *, int, const void *, int);
  typedef void strmm_call(char, char, char, char, int, int, float, const void *, int, void *, int);
  typedef double dasum_call(int, const void *, int);
  typedef int amax_call(int, const void *, int);
  typedef int alloc_call(int, int, void **);
  typedef int free_call(void *);
  typedef int version_call(int *);
  struct data *a = fresh(S, 4), *c = fresh(S, 4), *z = fresh(C, 3), *d = fresh(D, 3);
  void *memory = NULL;
  int version = 0;
  upload(a), upload(c), upload(z), upload(d);
  F(sgemm_call, "cublasSgemm")('n', 'n', 2, 2, 2, 1, device(a), 2, device(a), 2, 0, device(c), 2);
  CHECK(F(plain_call, "cublasGetError")() == NOT_INITIALIZED, "before cublasInit");
  CHECK(F(plain_call, "cublasInit")() == OK_, "cublasInit");
  F(sgemm_call, "cublasSgemm")('t', 'N', 2, 2, 2, 2, device(a), 2, device(a), 2, 0.5, device(c), 2);
  for (int i = 0; i < 4; i++)
    c->v[i] =
        2 * (a->v[i % 2 * 2] * a->v[i / 2 * 2] + a->v[i % 2 * 2 + 1] * a->v[i / 2 * 2 + 1]) + 0.5 * c->v[i];
  same(c, 16, "gemm of the older interface");
  F(sgemm_call, "cublasSgemm")('q', 'N', 2, 2, 2, 2, device(a), 2, device(a), 2, 0.5, device(c), 2);
  CHECK(F(plain_call, "cublasGetError")() == INVALID && F(plain_call, "cublasGetError")() == OK_,
        "an error is kept until it is asked for");
  F(strmm_call, "cublasStrmm")('L', 'U', 'N', 'U', 2, 2, 1, device(a), 2, device(c), 2);
  for (int i = 0; i < 2; i++) c->v[2 * i] += a->v[2] * c->v[2 * i + 1];
  same(c, 16, "trmm of the older interface is in place");
  F(cscal_call, "cublasCscal")(3, (struct c32){0.5, -1}, device(z), 1);
  for (int i = 0; i < 3; i++) z->v[i] *= 0.5 - I;
  same(z, 8, "scal by a complex number");
  struct c32 dot = F(cdot_call, "cublasCdotc")(3, device(z), 1, device(z), 1);
  double squares = 0;
  for (int i = 0; i < 3; i++) squares += creal(z->v[i] * conj(z->v[i]));
  CHECK(fabs((double)dot.re - squares) < 1e-5 && dot.im == 0, "dotc returns %g%+gi", (double)dot.re,
        (double)dot.im);
  double sum = F(dasum_call, "cublasDasum")(3, device(d), 1);
  CHECK(fabs(sum - cabs(d->v[0]) - cabs(d->v[1]) - cabs(d->v[2])) < 1e-14, "asum returns %g", sum);
  CHECK(F(amax_call, "cublasIdamax")(3, device(d), 1) >= 1, "iamax returns a place");
  CHECK(F(version_call, "cublasGetVersion")(&version) == OK_ && version >= 110000, "the version");
  CHECK(F(alloc_call, "cublasAlloc")(10, 8, &memory) == OK_ && memory, "cublasAlloc");
  CHECK(F(free_call, "cublasFree")(memory) == OK_, "cublasFree");
  CHECK(F(free_call, "cublasSetKernelStream")(NULL) == OK_, "cublasSetKernelStream");
  CHECK(F(plain_call, "cublasShutdown")() == OK_, "cublasShutdown");
  end_case();
}

/* What is captured is done when the graph is launched, as often as it is. */
static void captured(void) {
  CUstream stream;
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  struct data *x = fresh(D, 3000), *y = fresh(D, 3000), *dot = fresh(D, 1);
  double two = 2;
  upload(x), upload(y), upload(dot);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  CHECK(F(stream_call, "cublasSetStream_v2")(handle, stream) == OK_, "a stream");
  cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  set_pointer_mode(false);
  CHECK(F(axpy_call, "cublasDaxpy_v2")(handle, 3000, &two, device(x), 1, device(y), 1) == OK_,
        "axpy while a stream is captured");
  set_pointer_mode(true);
  CHECK(F(dot_call, "cublasDdot_v2")(handle, 3000, device(x), 1, device(y), 1, device(dot)) == OK_,
        "dot while a stream is captured");
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS, "the capture ends");
  same(y, 0, "nothing is done yet");
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS, "an executable graph");
  for (int i = 0; i < 2; i++) CHECK(cuGraphLaunch(exec, stream) == CUDA_SUCCESS, "a launch of it");
  cuStreamSynchronize(stream);
  num sum = 0;
  for (int i = 0; i < 3000; i++) {
    y->v[i] += 4 * x->v[i];
    sum += x->v[i] * y->v[i];
  }
  dot->v[0] = sum;
  same(y, 8, "axpy of a graph");
  same(dot, 8 * 3000, "dot of a graph");
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  F(stream_call, "cublasSetStream_v2")(handle, NULL);
  cuStreamDestroy_v2(stream);
  set_pointer_mode(false);
  end_case();
}

/* A result for the host is there when the call returns, whatever its stream still had to do. */
static void streams(void) {
  enum { N = 4 };
  CUstream stream[N];
  struct data *x[N], *y[N];
  double one = 1, got[N];
  set_pointer_mode(false);
  for (int i = 0; i < N; i++) {
    cuStreamCreate(&stream[i], CU_STREAM_NON_BLOCKING);
    x[i] = fresh(D, 2000), y[i] = fresh(D, 2000);
    upload(x[i]), upload(y[i]);
  }
  for (int i = 0; i < N; i++) {
    F(stream_call, "cublasSetStream_v2")(handle, stream[i]);
    for (int rep = 0; rep < 3; rep++)
      F(axpy_call, "cublasDaxpy_v2")(handle, 2000, &one, device(x[i]), 1, device(y[i]), 1);
  }
  for (int i = 0; i < N; i++) {
    double want = 0;
    F(stream_call, "cublasSetStream_v2")(handle, stream[i]);
    CHECK(F(dot_call, "cublasDdot_v2")(handle, 2000, device(x[i]), 1, device(y[i]), 1, &got[i]) == OK_,
          "dot in stream %d", i);
    for (int j = 0; j < 2000; j++) want += creal(x[i]->v[j] * (y[i]->v[j] + 3 * x[i]->v[j]));
    CHECK(fabs(got[i] - want) < 1e-9, "stream %d: %g, should be %g", i, got[i], want);
  }
  F(stream_call, "cublasSetStream_v2")(handle, NULL);
  for (int i = 0; i < N; i++) cuStreamDestroy_v2(stream[i]);
  end_case();
}

void test_interfaces(void) {
  wide();
  older();
  streams();
  captured();
}
