/* Handles: creating and destroying them, and their settings. A handle lives in the context that is current
 * when it is created; where there is none yet, in the device's primary one, as with NVIDIA's library. */
#include "blas/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BLAS_VERSION
#define BLAS_VERSION 130100
#endif

enum { MAGIC = 0x626c6173, PROPERTY_MAJOR = 0, PROPERTY_MINOR = 1, PROPERTY_PATCH = 2 };

enum blas_status blas_status_of(CUresult r) {
  switch (r) {
  case CUDA_SUCCESS: return BLAS_OK;
  case CUDA_ERROR_OUT_OF_MEMORY: return BLAS_ALLOC_FAILED;
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_NO_DEVICE: return BLAS_NOT_INITIALIZED;
  case CUDA_ERROR_NOT_SUPPORTED: return BLAS_NOT_SUPPORTED;
  default: return BLAS_EXECUTION_FAILED;
  }
}

struct blas_handle *blas_handle_of(void *handle) {
  struct blas_handle *h = handle;
  return h && h->magic == MAGIC ? h : NULL;
}

/* A thread that has no context yet gets the handle's. */
enum blas_status blas_enter(struct blas_handle *h) {
  CUcontext current = NULL;
  CUresult r = cuCtxGetCurrent(&current);
  if (r == CUDA_SUCCESS && !current) r = cuCtxSetCurrent(h->context);
  return blas_status_of(r);
}

/* Memory may be asked for while a stream is captured: it is no part of the graph. */
static CUresult allocate(CUdeviceptr *at, size_t bytes) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  cuThreadExchangeStreamCaptureMode(&mode);
  CUresult r = cuMemAlloc_v2(at, bytes);
  cuThreadExchangeStreamCaptureMode(&mode);
  return r;
}

enum blas_status blas_room_of(struct blas_handle *h, CUdeviceptr *at) {
  struct blas_room *room = h->rooms;
  while (room && room->stream != h->stream) room = room->next;
  if (!room) {
    room = calloc(1, sizeof *room);
    if (!room) return BLAS_ALLOC_FAILED;
    CUresult r = allocate(&room->at, BLAS_ROOM_BYTES);
    if (r != CUDA_SUCCESS) {
      free(room);
      return blas_status_of(r);
    }
    *room = (struct blas_room){h->rooms, h->stream, room->at};
    h->rooms = room;
  }
  *at = room->at;
  return BLAS_OK;
}

enum blas_status blas_create(struct blas_handle **out) {
  CUcontext context = NULL;
  CUdevice device = 0;
  CUresult r = cuInit(0);
  if (r == CUDA_SUCCESS) r = cuCtxGetCurrent(&context);
  if (r == CUDA_SUCCESS && !context) {
    r = cuDeviceGet(&device, 0);
    if (r == CUDA_SUCCESS) r = cuDevicePrimaryCtxRetain(&context, device);
    if (r == CUDA_SUCCESS) r = cuCtxSetCurrent(context);
  }
  if (r != CUDA_SUCCESS) return r == CUDA_ERROR_OUT_OF_MEMORY ? BLAS_ALLOC_FAILED : BLAS_NOT_INITIALIZED;
  struct blas_handle *h = calloc(1, sizeof *h);
  if (!h) return BLAS_ALLOC_FAILED;
  *h = (struct blas_handle){.magic = MAGIC, .context = context};
  CUdeviceptr at;
  enum blas_status status = blas_room_of(h, &at);
  if (status != BLAS_OK) {
    free(h);
    return status;
  }
  *out = h;
  return BLAS_OK;
}

/* cuMemFree waits for what uses the memory. */
enum blas_status blas_destroy(struct blas_handle *h) {
  blas_enter(h);
  for (struct blas_room *room = h->rooms, *next; room; room = next) {
    next = room->next;
    cuMemFree_v2(room->at);
    free(room);
  }
  h->magic = 0;
  free(h);
  return BLAS_OK;
}

enum blas_status blas_call(void *handle, blas_routine *routine, const struct blas_args *a) {
  struct blas_handle *h = blas_handle_of(handle);
  if (!h) return BLAS_NOT_INITIALIZED;
  enum blas_status status = blas_enter(h);
  return status == BLAS_OK ? routine(h, a) : status;
}

enum blas_status blas_refuse(const char *name, char *said) {
  if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED)) fprintf(stderr, "heddle: %s is not supported\n", name);
  return BLAS_NOT_SUPPORTED;
}

/* ---- the functions ---- */

BLAS_API(cublasCreate_v2, void **handle) {
  struct blas_handle *h;
  if (!handle) return BLAS_INVALID_VALUE;
  enum blas_status status = blas_create(&h);
  if (status == BLAS_OK) *handle = h;
  return status;
}

BLAS_API(cublasDestroy_v2, void *handle) {
  struct blas_handle *h = blas_handle_of(handle);
  return h ? blas_destroy(h) : BLAS_NOT_INITIALIZED;
}

BLAS_API(cublasGetVersion_v2, void *handle, int *version) {
  (void)handle;
  if (!version) return BLAS_INVALID_VALUE;
  *version = BLAS_VERSION;
  return BLAS_OK;
}

BLAS_API(cublasGetProperty, int type, int *value) {
  if (!value || type < PROPERTY_MAJOR || type > PROPERTY_PATCH) return BLAS_INVALID_VALUE;
  *value = type == PROPERTY_MAJOR   ? BLAS_VERSION / 10000
           : type == PROPERTY_MINOR ? BLAS_VERSION / 100 % 100
                                    : BLAS_VERSION % 100;
  return BLAS_OK;
}

/* Its part of device memory is made here, before anything is captured. */
BLAS_API(cublasSetStream_v2, void *handle, CUstream stream) {
  struct blas_handle *h = blas_handle_of(handle);
  CUdeviceptr at;
  if (!h) return BLAS_NOT_INITIALIZED;
  enum blas_status status = blas_enter(h);
  if (status != BLAS_OK) return status;
  h->stream = stream;
  return blas_room_of(h, &at);
}

BLAS_API(cublasGetStream_v2, void *handle, CUstream *stream) {
  struct blas_handle *h = blas_handle_of(handle);
  if (!h) return BLAS_NOT_INITIALIZED;
  if (!stream) return BLAS_INVALID_VALUE;
  *stream = h->stream;
  return BLAS_OK;
}

/* Our kernels need no more than each stream's part: what the program gives is not used. */
BLAS_API(cublasSetWorkspace_v2, void *handle, void *workspace, size_t bytes) {
  (void)workspace;
  (void)bytes;
  return blas_handle_of(handle) ? BLAS_OK : BLAS_NOT_INITIALIZED;
}

/* A setting that is an integer: what may be set, and where it is. */
#define SETTING(set, get, member, valid)                                                                     \
  BLAS_API(set, void *handle, int value) {                                                                   \
    struct blas_handle *h = blas_handle_of(handle);                                                          \
    if (!h) return BLAS_NOT_INITIALIZED;                                                                     \
    if (!(valid)) return BLAS_INVALID_VALUE;                                                                 \
    h->member = value;                                                                                       \
    return BLAS_OK;                                                                                          \
  }                                                                                                          \
  BLAS_API(get, void *handle, int *value) {                                                                  \
    const struct blas_handle *h = blas_handle_of(handle);                                                    \
    if (!h) return BLAS_NOT_INITIALIZED;                                                                     \
    if (!value) return BLAS_INVALID_VALUE;                                                                   \
    *value = h->member;                                                                                      \
    return BLAS_OK;                                                                                          \
  }
/* Which precision may be used for speed: we use the full one in every mode. Bit 4: no reduced precision in
 * reductions. */
enum { MATH_DEFAULT = 0, MATH_LAST = 4, MATH_FULL_REDUCTION = 16 };
static bool good_math(int value) {
  int mode = value & ~MATH_FULL_REDUCTION;
  return mode >= MATH_DEFAULT && mode <= MATH_LAST;
}
/* How many SMs a product is tuned for: ours is not. */
static bool good_target(int value) {
  int sms = 0;
  cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  return value >= 0 && value <= sms;
}
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, pointer_mode,
        value == BLAS_HOST || value == BLAS_DEVICE)
SETTING(cublasSetMathMode, cublasGetMathMode, math_mode, good_math(value))
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, atomics_mode, value == 0 || value == 1)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, sm_target, good_target(value))

/* ---- words ---- */

static const struct {
  enum blas_status status;
  const char *name, *text;
} words[] = {
    {BLAS_OK, "CUBLAS_STATUS_SUCCESS", "success"},
    {BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {BLAS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {BLAS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {BLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {BLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {BLAS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};

#define WORD(function, member, unknown)                                                                      \
  BLAS_EXPORT const char *function(int status);                                                              \
  BLAS_EXPORT const char *function(int status) {                                                             \
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)                                                \
      if ((int)words[i].status == status) return words[i].member;                                            \
    return unknown;                                                                                          \
  }
WORD(cublasGetStatusName, name, "unrecognized status")
WORD(cublasGetStatusString, text, "unrecognized status")

BLAS_EXPORT void cublasXerbla(const char *routine, int parameter);
BLAS_EXPORT void cublasXerbla(const char *routine, int parameter) {
  fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", routine, parameter);
}
