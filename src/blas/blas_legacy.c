/* The older interface (cublas.h): one handle for the process, options that are letters, scalars by value,
 * results that are returned. */
#include "blas/blas.h"

#include <ctype.h>
#include <pthread.h>

static struct blas_handle *handle;
static enum blas_status last; /* that was not a success, until it is asked for */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum blas_status keep(enum blas_status s) {
  if (s != BLAS_OK) last = s;
  return s;
}

void blas_call_legacy(blas_routine *routine, const struct blas_args *a) {
  pthread_mutex_lock(&lock);
  keep(handle ? blas_call(handle, routine, a) : BLAS_NOT_INITIALIZED);
  pthread_mutex_unlock(&lock);
}

/* -1 where there is no such letter: the routine refuses it. */
static int place(char c, const char *first, const char *second, const char *third) {
  char l = (char)toupper((unsigned char)c);
  return l == *first ? 0 : l == *second ? 1 : l == *third ? 2 : -1;
}
int blas_legacy_op(char c) { return place(c, "N", "T", "C"); }
int blas_legacy_uplo(char c) { return place(c, "L", "U", "U"); }
int blas_legacy_side(char c) { return place(c, "L", "R", "R"); }
int blas_legacy_diag(char c) { return place(c, "N", "U", "U"); }

BLAS_API(cublasInit, void) {
  pthread_mutex_lock(&lock);
  enum blas_status s = handle ? BLAS_OK : blas_create(&handle);
  pthread_mutex_unlock(&lock);
  return s;
}

BLAS_API(cublasShutdown, void) {
  pthread_mutex_lock(&lock);
  enum blas_status s = handle ? blas_destroy(handle) : BLAS_NOT_INITIALIZED;
  handle = NULL;
  pthread_mutex_unlock(&lock);
  return s;
}

BLAS_API(cublasGetError, void) {
  pthread_mutex_lock(&lock);
  enum blas_status s = last;
  last = BLAS_OK;
  pthread_mutex_unlock(&lock);
  return s;
}

BLAS_EXPORT enum blas_status cublasGetVersion_v2(void *, int *);
BLAS_API(cublasGetVersion, int *version) { return cublasGetVersion_v2(NULL, version); }

BLAS_EXPORT enum blas_status cublasSetStream_v2(void *, CUstream);
BLAS_API(cublasSetKernelStream, CUstream stream) {
  pthread_mutex_lock(&lock);
  enum blas_status s = keep(cublasSetStream_v2(handle, stream));
  pthread_mutex_unlock(&lock);
  return s;
}

BLAS_API(cublasAlloc, int n, int size, void **at) {
  if (!handle) return BLAS_NOT_INITIALIZED;
  if (n <= 0 || size <= 0 || !at) return BLAS_INVALID_VALUE;
  CUdeviceptr p = 0;
  enum blas_status s = blas_enter(handle);
  if (s == BLAS_OK) s = blas_status_of(cuMemAlloc_v2(&p, (size_t)n * (size_t)size));
  *at = (void *)(uintptr_t)p;
  return s;
}

BLAS_API(cublasFree, void *at) {
  if (!handle) return BLAS_NOT_INITIALIZED;
  enum blas_status s = blas_enter(handle);
  return s == BLAS_OK && at && cuMemFree_v2((CUdeviceptr)at) != CUDA_SUCCESS ? BLAS_INTERNAL_ERROR : s;
}
