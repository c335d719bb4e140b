/* Memory of the runtime: allocation, pools, host memory, attributes, fills. */
#include "cuda/runtime/runtime.h"

#include <string.h>

#define OUT(pointer) ((CUdeviceptr *)(void *)(pointer))

/* An allocation of 0 bytes succeeds and returns NULL. */
CUDA_EXPORT cudaError_t cudaMalloc(void **out, size_t bytes) {
  RT_ENTER();
  RT_NEED(out);
  *out = NULL;
  return bytes ? rt_done(cuMemAlloc_v2(OUT(out), bytes)) : cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaFree(void *p) {
  RT_ENTER();
  return p ? rt_done(cuMemFree_v2(rt_ptr(p))) : cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  RT_ENTER();
  RT_NEED(out && pitch);
  *out = NULL;
  *pitch = 0;
  return width && height ? rt_done(cuMemAllocPitch_v2(OUT(out), pitch, width, height, 4)) : cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent e) {
  RT_ENTER();
  RT_NEED(out);
  size_t rows;
  *out = (struct cudaPitchedPtr){.xsize = e.width, .ysize = e.height};
  if (!e.width || !e.height || !e.depth) return cudaSuccess;
  if (__builtin_mul_overflow(e.height, e.depth, &rows)) return rt_fail(cudaErrorMemoryAllocation);
  return rt_done(cuMemAllocPitch_v2(OUT(&out->ptr), &out->pitch, e.width, rows, 4));
}
CUDA_EXPORT cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
  RT_ENTER();
  return rt_done(cuMemAllocManaged(OUT(out), bytes, flags));
}

RT(cudaMallocAsync, (void **out, size_t n, cudaStream_t s), cuMemAllocAsync(OUT(out), n, s))
RT(cudaMallocFromPoolAsync, (void **out, size_t n, cudaMemPool_t p, cudaStream_t s),
   cuMemAllocFromPoolAsync(OUT(out), n, p, s))
RT(cudaFreeAsync, (void *p, cudaStream_t s), cuMemFreeAsync(rt_ptr(p), s))
RT(cudaMemGetInfo, (size_t * left, size_t *all), cuMemGetInfo_v2(left, all))

/* ---- pools ---- */

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "pool properties are the driver's");
RT(cudaMemPoolCreate, (cudaMemPool_t * out, const struct cudaMemPoolProps *p),
   cuMemPoolCreate(out, (const CUmemPoolProps *)p))
RT(cudaMemPoolDestroy, (cudaMemPool_t p), cuMemPoolDestroy(p))
RT(cudaMemPoolTrimTo, (cudaMemPool_t p, size_t keep), cuMemPoolTrimTo(p, keep))
RT(cudaMemPoolSetAttribute, (cudaMemPool_t p, enum cudaMemPoolAttr a, void *v),
   cuMemPoolSetAttribute(p, (CUmemPool_attribute)a, v))
RT(cudaMemPoolGetAttribute, (cudaMemPool_t p, enum cudaMemPoolAttr a, void *v),
   cuMemPoolGetAttribute(p, (CUmemPool_attribute)a, v))
RT(cudaMemPoolSetAccess, (cudaMemPool_t p, const struct cudaMemAccessDesc *d, size_t n),
   cuMemPoolSetAccess(p, (const CUmemAccessDesc *)d, n))
RT(cudaMemPoolGetAccess, (enum cudaMemAccessFlags * f, cudaMemPool_t p, struct cudaMemLocation *l),
   cuMemPoolGetAccess((CUmemAccess_flags *)f, p, (CUmemLocation *)l))
_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData), "descriptions are the driver's");
RT(cudaMemPoolExportToShareableHandle, (void *out, cudaMemPool_t p, enum cudaMemAllocationHandleType t, unsigned flags),
   cuMemPoolExportToShareableHandle(out, p, (CUmemAllocationHandleType)t, flags))
RT(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t * out, void *h, enum cudaMemAllocationHandleType t, unsigned flags),
   cuMemPoolImportFromShareableHandle(out, h, (CUmemAllocationHandleType)t, flags))
RT(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData * out, void *p),
   cuMemPoolExportPointer((CUmemPoolPtrExportData *)out, rt_ptr(p)))
RT(cudaMemPoolImportPointer, (void **out, cudaMemPool_t p, struct cudaMemPoolPtrExportData *d),
   cuMemPoolImportPointer(OUT(out), p, (CUmemPoolPtrExportData *)d))
RT(cudaMemGetDefaultMemPool, (cudaMemPool_t * p, struct cudaMemLocation *l, enum cudaMemAllocationType t),
   cuMemGetDefaultMemPool(p, (CUmemLocation *)l, (CUmemAllocationType)t))
RT(cudaMemGetMemPool, (cudaMemPool_t * p, struct cudaMemLocation *l, enum cudaMemAllocationType t),
   cuMemGetMemPool(p, (CUmemLocation *)l, (CUmemAllocationType)t))
RT(cudaMemSetMemPool, (struct cudaMemLocation * l, enum cudaMemAllocationType t, cudaMemPool_t p),
   cuMemSetMemPool((CUmemLocation *)l, (CUmemAllocationType)t, p))

/* ---- host memory ---- */

CUDA_EXPORT cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
  RT_ENTER();
  RT_NEED(out);
  *out = NULL;
  return bytes ? rt_done(cuMemHostAlloc(out, bytes, flags)) : cudaSuccess;
}
CUDA_EXPORT cudaError_t cudaMallocHost(void **out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }
CUDA_EXPORT cudaError_t cudaFreeHost(void *p) {
  RT_ENTER();
  return p ? rt_done(cuMemFreeHost(p)) : cudaSuccess;
}
RT(cudaHostRegister, (void *p, size_t n, unsigned flags), cuMemHostRegister_v2(p, n, flags))
RT(cudaHostUnregister, (void *p), cuMemHostUnregister(p))
RT(cudaHostGetDevicePointer, (void **out, void *p, unsigned flags),
   cuMemHostGetDevicePointer_v2(OUT(out), p, flags))
RT(cudaHostGetFlags, (unsigned *flags, void *p), cuMemHostGetFlags(flags, p))

/* ---- managed memory ---- */

static CUmemLocation location(struct cudaMemLocation l) {
  return (CUmemLocation){.type = (CUmemLocationType)l.type, .id = l.id};
}
RT(cudaMemAdvise, (const void *p, size_t n, enum cudaMemoryAdvise a, struct cudaMemLocation l),
   cuMemAdvise_v2(rt_ptr(p), n, (CUmem_advise)a, location(l)))
RT(cudaMemPrefetchAsync, (const void *p, size_t n, struct cudaMemLocation l, unsigned flags, cudaStream_t s),
   cuMemPrefetchAsync_v2(rt_ptr(p), n, location(l), flags, s))
RT(cudaMemPrefetchBatchAsync,
   (void **p, size_t *n, size_t count, struct cudaMemLocation *l, size_t *index, size_t locations,
    unsigned long long flags, cudaStream_t s),
   cuMemPrefetchBatchAsync((CUdeviceptr *)p, n, count, (CUmemLocation *)l, index, locations, flags, s))
RT(cudaMemDiscardBatchAsync, (void **p, size_t *n, size_t count, unsigned long long flags, cudaStream_t s),
   cuMemDiscardBatchAsync((CUdeviceptr *)p, n, count, flags, s))
RT(cudaMemDiscardAndPrefetchBatchAsync,
   (void **p, size_t *n, size_t count, struct cudaMemLocation *l, size_t *index, size_t locations,
    unsigned long long flags, cudaStream_t s),
   cuMemDiscardAndPrefetchBatchAsync((CUdeviceptr *)p, n, count, (CUmemLocation *)l, index, locations, flags, s))
RT(cudaMemRangeGetAttribute, (void *out, size_t n, enum cudaMemRangeAttribute a, const void *p, size_t bytes),
   cuMemRangeGetAttribute(out, n, (CUmem_range_attribute)a, rt_ptr(p), bytes))
RT(cudaMemRangeGetAttributes,
   (void **out, size_t *n, enum cudaMemRangeAttribute *a, size_t count, const void *p, size_t bytes),
   cuMemRangeGetAttributes(out, n, (CUmem_range_attribute *)a, count, rt_ptr(p), bytes))
RT(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned flags),
   cuStreamAttachMemAsync(s, rt_ptr(p), n, flags))

CUDA_EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p) {
  RT_ENTER();
  RT_NEED(out);
  unsigned type = 0, managed = 0;
  int device = -2;
  CUdeviceptr on_device = 0;
  void *on_host = NULL;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *values[] = {&type, &managed, &device, &on_device, &on_host};
  CUresult r = cuPointerGetAttributes(5, which, values, rt_ptr(p));
  if (r != CUDA_SUCCESS) return rt_done(r);
  memset(out, 0, RT_POINTER_BYTES);
  out->type = managed                        ? cudaMemoryTypeManaged
              : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
              : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                             : cudaMemoryTypeUnregistered;
  out->device = device;
  out->devicePointer = (void *)(uintptr_t)on_device;
  out->hostPointer = out->type == cudaMemoryTypeUnregistered ? (void *)(uintptr_t)p : on_host;
  return cudaSuccess;
}

/* ---- fills ---- */

RT(cudaMemset, (void *p, int v, size_t n), cuMemsetD8_v2(rt_ptr(p), (unsigned char)v, n))
RT(cudaMemsetAsync, (void *p, int v, size_t n, cudaStream_t s),
   cuMemsetD8Async(rt_ptr(p), (unsigned char)v, n, s))
RT(cudaMemset2D, (void *p, size_t pitch, int v, size_t w, size_t h),
   cuMemsetD2D8_v2(rt_ptr(p), pitch, (unsigned char)v, w, h))
RT(cudaMemset2DAsync, (void *p, size_t pitch, int v, size_t w, size_t h, cudaStream_t s),
   cuMemsetD2D8Async(rt_ptr(p), pitch, (unsigned char)v, w, h, s))

CUDA_EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent e,
                                          cudaStream_t s) {
  RT_ENTER();
  CUresult r = CUDA_SUCCESS;
  for (size_t z = 0; z < e.depth && r == CUDA_SUCCESS; z++)
    r = cuMemsetD2D8Async(rt_ptr(p.ptr) + z * p.pitch * p.ysize, p.pitch, (unsigned char)v, e.width, e.height,
                          s);
  return rt_done(r);
}
CUDA_EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent e) {
  return cudaMemset3DAsync(p, v, e, NULL);
}

/* ---- between processes ---- */

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle), "one layout");
_Static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle), "one layout");
RT(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * out, void *p), cuIpcGetMemHandle((CUipcMemHandle *)out, rt_ptr(p)))
RT(cudaIpcCloseMemHandle, (void *p), cuIpcCloseMemHandle(rt_ptr(p)))
RT(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * out, cudaEvent_t e), cuIpcGetEventHandle((CUipcEventHandle *)out, e))
CUDA_EXPORT cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags) {
  RT_ENTER();
  CUipcMemHandle h;
  memcpy(&h, &handle, sizeof h);
  return rt_done(cuIpcOpenMemHandle_v2(OUT(out), h, flags));
}
CUDA_EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle) {
  RT_ENTER();
  CUipcEventHandle h;
  memcpy(&h, &handle, sizeof h);
  return rt_done(cuIpcOpenEventHandle(out, h));
}
