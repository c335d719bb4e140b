/* Handles, settings, words, copies. */
#include "blas_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F(type, name) ((type *)(uintptr_t)function(name, ""))
typedef int create_call(void **);
typedef int set_call(void *, int);
typedef int get_call(void *, int *);
typedef int set_pointer_call(void *, void *);
typedef int get_pointer_call(void *, void **);
typedef int property_call(int, int *);
typedef int workspace_call(void *, void *, size_t);
typedef const char *word_call(int);
typedef int vector_call(int, int, const void *, int, void *, int);
typedef int vector_async_call(int, int, const void *, int, void *, int, CUstream);
typedef int matrix_call(int, int, int, const void *, int, void *, int);
typedef int matrix_async_call(int, int, int, const void *, int, void *, int, CUstream);

static void setting(const char *set, const char *get, int first, int other, int wrong) {
  int value = -1;
  CHECK(F(get_call, get)(handle, &value) == OK_ && value == first, "%s is %d to begin with", get, value);
  CHECK(F(set_call, set)(handle, other) == OK_ && F(get_call, get)(handle, &value) == OK_ && value == other,
        "%s keeps its value", set);
  CHECK(F(set_call, set)(handle, wrong) == INVALID, "%s of %d", set, wrong);
  CHECK(F(set_call, set)(NULL, other) == NOT_INITIALIZED, "%s without a handle", set);
  F(set_call, set)(handle, first);
}

static void settings(void) {
  int version = 0, part[3] = {0};
  setting("cublasSetPointerMode_v2", "cublasGetPointerMode_v2", 0, 1, 2);
  setting("cublasSetAtomicsMode", "cublasGetAtomicsMode", 0, 1, 2);
  setting("cublasSetMathMode", "cublasGetMathMode", 0, 3, 99);
  setting("cublasSetSmCountTarget", "cublasGetSmCountTarget", 0, 8, -1);
  CHECK(F(get_call, "cublasGetVersion_v2")(handle, &version) == OK_ && version >= 110000, "the version is %d",
        version);
  for (int i = 0; i < 3; i++) F(property_call, "cublasGetProperty")(i, &part[i]);
  CHECK(part[0] * 10000 + part[1] * 100 + part[2] == version, "%d.%d.%d", part[0], part[1], part[2]);
  CHECK(F(property_call, "cublasGetProperty")(9, &version) == INVALID, "a property that does not exist");
  CUstream stream, now = NULL;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  CHECK(F(set_pointer_call, "cublasSetStream_v2")(handle, stream) == OK_, "a stream");
  CHECK(F(get_pointer_call, "cublasGetStream_v2")(handle, (void **)&now) == OK_ && now == stream,
        "the stream is kept");
  F(set_pointer_call, "cublasSetStream_v2")(handle, NULL);
  cuStreamDestroy_v2(stream);
  struct data *room = fresh(D, 1 << 16);
  CHECK(F(workspace_call, "cublasSetWorkspace_v2")(handle, device(room), 1 << 19) == OK_, "a workspace");
  CHECK(F(workspace_call, "cublasSetWorkspace_v2")(NULL, device(room), 1 << 10) == NOT_INITIALIZED,
        "a workspace without a handle");
  F(set_pointer_call, "cublasSetStream_v2")(handle, NULL);
  end_case();
}

static void words(void) {
  CHECK(strcmp(F(word_call, "cublasGetStatusName")(7), "CUBLAS_STATUS_INVALID_VALUE") == 0, "the name of 7");
  CHECK(strcmp(F(word_call, "cublasGetStatusName")(15), "CUBLAS_STATUS_NOT_SUPPORTED") == 0,
        "the name of 15");
  CHECK(strcmp(F(word_call, "cublasGetStatusString")(13), "the function failed to launch on the GPU") == 0,
        "the text of 13");
  CHECK(strcmp(F(word_call, "cublasGetStatusString")(5), "unrecognized status") == 0, "the text of 5");
  ((void (*)(const char *, int))(uintptr_t)function("cublasXerbla", ""))("SGEMM", 3);
}

static void copies(void) {
  enum { N = 12, ROWS = 5, COLS = 4 };
  float x[3 * N], back[3 * N];
  CUstream stream;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  struct data *d = fresh(S, 100);
  for (int i = 0; i < 3 * N; i++) x[i] = (float)i;
  for (int async = 0; async < 2; async++)
    for (int inc = 1; inc <= 2; inc++) {
      memset(back, 0, sizeof back);
      if (async) {
        CHECK(F(vector_async_call, "cublasSetVectorAsync")(N, 4, x, inc, device(d), 3, stream) == OK_,
              "SetVectorAsync");
        CHECK(F(vector_async_call, "cublasGetVectorAsync")(N, 4, device(d), 3, back, inc, stream) == OK_,
              "GetVectorAsync");
      } else {
        CHECK(F(vector_call, "cublasSetVector")(N, 4, x, inc, device(d), 3) == OK_, "SetVector");
        CHECK(F(vector_call, "cublasGetVector")(N, 4, device(d), 3, back, inc) == OK_, "GetVector");
      }
      sync_device();
      for (int i = 0; i < N * inc - inc + 1; i++)
        CHECK(back[i] == (i % inc ? 0 : x[i]), "element %d of a vector is %g", i, (double)back[i]);
    }
  for (int async = 0; async < 2; async++) {
    memset(back, 0, sizeof back);
    if (async) {
      CHECK(F(matrix_async_call, "cublasSetMatrixAsync")(ROWS, COLS, 4, x, 7, device(d), 6, stream) == OK_,
            "SetMatrixAsync");
      CHECK(F(matrix_async_call, "cublasGetMatrixAsync")(ROWS, COLS, 4, device(d), 6, back, 8, stream) == OK_,
            "GetMatrixAsync");
    } else {
      CHECK(F(matrix_call, "cublasSetMatrix")(ROWS, COLS, 4, x, 7, device(d), 6) == OK_, "SetMatrix");
      CHECK(F(matrix_call, "cublasGetMatrix")(ROWS, COLS, 4, device(d), 6, back, 8) == OK_, "GetMatrix");
    }
    sync_device();
    for (int i = 0; i < 8 * COLS; i++)
      CHECK(back[i] == (i % 8 < ROWS ? x[i % 8 + 7 * (i / 8)] : 0), "element %d of a matrix is %g", i,
            (double)back[i]);
  }
  CHECK(F(vector_call, "cublasSetVector")(N, 4, x, 0, device(d), 1) == INVALID, "an increment of 0");
  CHECK(F(vector_call, "cublasSetVector")(N, 0, x, 1, device(d), 1) == INVALID, "elements of 0 bytes");
  CHECK(F(matrix_call, "cublasSetMatrix")(ROWS, COLS, 4, x, 4, device(d), 6) == INVALID,
        "rows that do not fit");
  cuStreamDestroy_v2(stream);
  end_case();
}

void test_helpers(void) {
  CHECK(F(create_call, "cublasCreate_v2")(NULL) == INVALID, "nowhere to put a handle");
  CHECK(F(create_call, "cublasCreate_v2")(&handle) == OK_ && handle, "a handle");
  settings();
  words();
  copies();
}
