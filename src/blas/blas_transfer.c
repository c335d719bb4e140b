/* Vectors and matrices between host and device: strided copies of the driver. */
#include "blas/blas.h"

/* cols columns of `width` bytes. */
static enum blas_status copy(const void *from, size_t from_pitch, void *to, size_t to_pitch, size_t width,
                             size_t cols, bool to_device, bool async, CUstream stream) {
  CUDA_MEMCPY2D c = {.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                     .dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                     .srcPitch = from_pitch,
                     .dstPitch = to_pitch,
                     .WidthInBytes = width,
                     .Height = cols};
  if (to_device)
    c.srcHost = from, c.dstDevice = (CUdeviceptr)to;
  else
    c.srcDevice = (CUdeviceptr)from, c.dstHost = to;
  CUresult r = async ? cuMemcpy2DAsync_v2(&c, stream) : cuMemcpy2DUnaligned_v2(&c);
  return r == CUDA_SUCCESS ? BLAS_OK : BLAS_MAPPING_ERROR;
}

/* The program may call these before it has a handle or a context. */
static enum blas_status context(void) {
  CUcontext current = NULL;
  CUresult r = cuInit(0);
  if (r == CUDA_SUCCESS) r = cuCtxGetCurrent(&current);
  if (r == CUDA_SUCCESS && !current) r = cuDevicePrimaryCtxRetain(&current, 0);
  if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(current);
  return r == CUDA_SUCCESS ? BLAS_OK : BLAS_NOT_INITIALIZED;
}

static enum blas_status matrix(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda, void *b,
                               int64_t ldb, bool to_device, bool async, CUstream stream) {
  if (rows < 0 || cols < 0 || size <= 0 || lda < blas_max(1, rows) || ldb < blas_max(1, rows))
    return BLAS_INVALID_VALUE;
  if (rows == 0 || cols == 0) return BLAS_OK;
  enum blas_status status = context();
  if (status != BLAS_OK) return status;
  return copy(a, (size_t)(lda * size), b, (size_t)(ldb * size), (size_t)(rows * size), (size_t)cols,
              to_device, async, stream);
}

/* Elements one by one, unless they are neighbours on both sides. */
static enum blas_status vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy,
                               bool to_device, bool async, CUstream stream) {
  if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return BLAS_INVALID_VALUE;
  bool dense = incx == 1 && incy == 1;
  return matrix(dense ? n : 1, dense ? 1 : n, size, x, dense ? blas_max(1, n) : incx, y,
                dense ? blas_max(1, n) : incy, to_device, async, stream);
}

/* The eight functions, each with integers of 32 and of 64 bits. */
#define BOTH(direction, to_device, suffix, I)                                                                \
  BLAS_API(cublas##direction##Vector##suffix, I n, I size, const void *x, I incx, void *y, I incy) {         \
    return vector(n, size, x, incx, y, incy, to_device, false, NULL);                                        \
  }                                                                                                          \
  BLAS_API(cublas##direction##VectorAsync##suffix, I n, I size, const void *x, I incx, void *y, I incy,      \
           CUstream stream) {                                                                                \
    return vector(n, size, x, incx, y, incy, to_device, true, stream);                                       \
  }                                                                                                          \
  BLAS_API(cublas##direction##Matrix##suffix, I rows, I cols, I size, const void *a, I lda, void *b,         \
           I ldb) {                                                                                          \
    return matrix(rows, cols, size, a, lda, b, ldb, to_device, false, NULL);                                 \
  }                                                                                                          \
  BLAS_API(cublas##direction##MatrixAsync##suffix, I rows, I cols, I size, const void *a, I lda, void *b,    \
           I ldb, CUstream stream) {                                                                         \
    return matrix(rows, cols, size, a, lda, b, ldb, to_device, true, stream);                                \
  }
BOTH(Set, true, , int)
BOTH(Get, false, , int)
BOTH(Set, true, _64, int64_t)
BOTH(Get, false, _64, int64_t)
