/* Copies of the runtime: each is described for the driver as a box. With unified addresses the direction has little meaning; it is used to
 * refuse impossible copies, with a "device" side that is not device memory. */
#include "cuda/runtime/runtime.h"

#include <string.h>

/* ---- directions ---- */

static bool kind_ok(enum cudaMemcpyKind kind) { return (unsigned)kind <= cudaMemcpyDefault; }
static CUmemorytype from_type(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ? CU_MEMORYTYPE_DEVICE
                                                                            : CU_MEMORYTYPE_UNIFIED;
}
static CUmemorytype to_type(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ? CU_MEMORYTYPE_DEVICE
                                                                            : CU_MEMORYTYPE_UNIFIED;
}

static void from_memory(CUDA_MEMCPY3D *c, const void *p, size_t pitch, enum cudaMemcpyKind kind) {
  c->srcMemoryType = from_type(kind);
  c->srcDevice = rt_ptr(p);
  c->srcPitch = pitch;
}
static void to_memory(CUDA_MEMCPY3D *c, void *p, size_t pitch, enum cudaMemcpyKind kind) {
  c->dstMemoryType = to_type(kind);
  c->dstDevice = rt_ptr(p);
  c->dstPitch = pitch;
}
static void from_array(CUDA_MEMCPY3D *c, cudaArray_const_t a, size_t x, size_t y) {
  c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c->srcArray = rt_array(a);
  c->srcXInBytes = x;
  c->srcY = y;
}
static void to_array(CUDA_MEMCPY3D *c, cudaArray_t a, size_t x, size_t y) {
  c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c->dstArray = rt_array(a);
  c->dstXInBytes = x;
  c->dstY = y;
}
static CUDA_MEMCPY3D plane(size_t width, size_t height) {
  return (CUDA_MEMCPY3D){.WidthInBytes = width, .Height = height, .Depth = 1};
}

static cudaError_t go(const CUDA_MEMCPY3D *c, cudaStream_t s, bool wait) {
  RT_ENTER();
  return rt_done(wait ? cuMemcpy3D_v2(c) : cuMemcpy3DAsync_v2(c, s));
}

/* ---- lines ---- */

cudaError_t rt_copy_line(CUDA_MEMCPY3D *c, void *to, const void *from, size_t bytes,
                         enum cudaMemcpyKind kind) {
  if (!kind_ok(kind)) return cudaErrorInvalidMemcpyDirection;
  *c = plane(bytes, 1);
  from_memory(c, from, 0, kind);
  to_memory(c, to, 0, kind);
  return cudaSuccess;
}

static cudaError_t copy_line(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s,
                             bool wait) {
  CUDA_MEMCPY3D c;
  cudaError_t e = rt_copy_line(&c, to, from, n, kind);
  return e != cudaSuccess ? rt_fail(e) : go(&c, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind) {
  return copy_line(to, from, n, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                                        cudaStream_t s) {
  return copy_line(to, from, n, kind, s, false);
}

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device, size_t n,
                             cudaStream_t s, bool wait) {
  if (to_device != 0 || from_device != 0) return rt_fail(cudaErrorInvalidDevice);
  return copy_line(to, from, n, cudaMemcpyDeviceToDevice, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t n) {
  return copy_peer(to, to_device, from, from_device, n, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                            size_t n, cudaStream_t s) {
  return copy_peer(to, to_device, from, from_device, n, s, false);
}

RT(cudaMemcpyBatchAsync,
   (void *const *to, const void *const *from, const size_t *n, size_t count, struct cudaMemcpyAttributes *a,
    size_t *index, size_t attributes, cudaStream_t s),
   cuMemcpyBatchAsync_v2((CUdeviceptr *)(uintptr_t)to, (CUdeviceptr *)(uintptr_t)from, (size_t *)(uintptr_t)n,
                         count, (CUmemcpyAttributes *)a, index, attributes, s))

RT(cudaMemcpy3DBatchAsync, (size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags, cudaStream_t s),
   cuMemcpy3DBatchAsync_v2(n, (CUDA_MEMCPY3D_BATCH_OP *)ops, flags, s))

/* ---- symbols ---- */

static cudaError_t symbol_place(CUdeviceptr *at, const void *symbol, size_t n, size_t offset) {
  size_t bytes = 0;
  RT_ENTER();
  cudaError_t e = rt_symbol(at, &bytes, symbol);
  if (e != cudaSuccess) return rt_fail(e);
  RT_NEED(offset <= bytes && n <= bytes - offset);
  *at += offset;
  return cudaSuccess;
}
static cudaError_t to_symbol(const void *symbol, const void *from, size_t n, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  CUdeviceptr at;
  cudaError_t e = symbol_place(&at, symbol, n, offset);
  if (e != cudaSuccess) return e;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
    return rt_fail(cudaErrorInvalidMemcpyDirection);
  return copy_line((void *)(uintptr_t)at, from, n, kind, s, wait);
}
static cudaError_t from_symbol(void *to, const void *symbol, size_t n, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  CUdeviceptr at;
  cudaError_t e = symbol_place(&at, symbol, n, offset);
  if (e != cudaSuccess) return e;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
    return rt_fail(cudaErrorInvalidMemcpyDirection);
  return copy_line(to, (const void *)(uintptr_t)at, n, kind, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return to_symbol(symbol, from, n, offset, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset,
                                                enum cudaMemcpyKind kind, cudaStream_t s) {
  return to_symbol(symbol, from, n, offset, kind, s, false);
}
CUDA_EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset,
                                             enum cudaMemcpyKind kind) {
  return from_symbol(to, symbol, n, offset, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset,
                                                  enum cudaMemcpyKind kind, cudaStream_t s) {
  return from_symbol(to, symbol, n, offset, kind, s, false);
}

/* ---- planes ---- */

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  if (!kind_ok(kind)) return rt_fail(cudaErrorInvalidMemcpyDirection);
  if (width > to_pitch || width > from_pitch) return rt_fail(cudaErrorInvalidPitchValue);
  CUDA_MEMCPY3D c = plane(width, height);
  from_memory(&c, from, from_pitch, kind);
  to_memory(&c, to, to_pitch, kind);
  return go(&c, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t s) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, s, false);
}

static cudaError_t plane_to_array(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                  size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s,
                                  bool wait) {
  if (!kind_ok(kind) || kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
    return rt_fail(cudaErrorInvalidMemcpyDirection);
  if (width > pitch) return rt_fail(cudaErrorInvalidPitchValue);
  CUDA_MEMCPY3D c = plane(width, height);
  from_memory(&c, from, pitch, kind);
  to_array(&c, to, x, y);
  return go(&c, s, wait);
}
static cudaError_t array_to_plane(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s,
                                  bool wait) {
  if (!kind_ok(kind) || kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
    return rt_fail(cudaErrorInvalidMemcpyDirection);
  if (width > pitch) return rt_fail(cudaErrorInvalidPitchValue);
  CUDA_MEMCPY3D c = plane(width, height);
  from_array(&c, from, x, y);
  to_memory(&c, to, pitch, kind);
  return go(&c, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind) {
  return plane_to_array(to, x, y, from, pitch, width, height, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                                 size_t pitch, size_t width, size_t height,
                                                 enum cudaMemcpyKind kind, cudaStream_t s) {
  return plane_to_array(to, x, y, from, pitch, width, height, kind, s, false);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                              size_t y, size_t width, size_t height,
                                              enum cudaMemcpyKind kind) {
  return array_to_plane(to, pitch, from, x, y, width, height, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                                   size_t y, size_t width, size_t height,
                                                   enum cudaMemcpyKind kind, cudaStream_t s) {
  return array_to_plane(to, pitch, from, x, y, width, height, kind, s, false);
}
CUDA_EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                                 cudaArray_const_t from, size_t from_x, size_t from_y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  CUDA_MEMCPY3D c = plane(width, height);
  from_array(&c, from, from_x, from_y);
  to_array(&c, to, to_x, to_y);
  return go(&c, NULL, true);
}

/* ---- runs of bytes in an array: they go on in the next row ---- */

static cudaError_t row_bytes(size_t *bytes, cudaArray_const_t a) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  CUarray_format format;
  struct cudaChannelFormatDesc f;
  RT_ENTER();
  CUresult r = cuArray3DGetDescriptor_v2(&d, rt_array(a));
  if (r != CUDA_SUCCESS) return rt_done(r);
  format = d.Format;
  f = rt_channel_desc(format, d.NumChannels);
  *bytes = d.Width * (size_t)(f.x + f.y + f.z + f.w) / 8;
  return cudaSuccess;
}

static cudaError_t run(cudaArray_t a, size_t x, size_t y, void *memory, size_t n, bool to_the_array,
                       enum cudaMemcpyKind kind, cudaStream_t s, bool wait) {
  size_t row = 0;
  cudaError_t e = row_bytes(&row, a);
  unsigned char *p = memory;
  while (e == cudaSuccess && n) {
    RT_NEED(x < row);
    size_t part = n < row - x ? n : row - x;
    e = to_the_array ? plane_to_array(a, x, y, p, part, part, 1, kind, s, wait)
                     : array_to_plane(p, part, a, x, y, part, 1, kind, s, wait);
    p += part;
    n -= part;
    x = 0;
    y++;
  }
  return e;
}
CUDA_EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
                                          enum cudaMemcpyKind kind) {
  return run(to, x, y, (void *)(uintptr_t)from, n, true, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t n,
                                               enum cudaMemcpyKind kind, cudaStream_t s) {
  return run(to, x, y, (void *)(uintptr_t)from, n, true, kind, s, false);
}
CUDA_EXPORT cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t n,
                                            enum cudaMemcpyKind kind) {
  return run((cudaArray_t)(uintptr_t)from, x, y, to, n, false, kind, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                                 size_t n, enum cudaMemcpyKind kind, cudaStream_t s) {
  return run((cudaArray_t)(uintptr_t)from, x, y, to, n, false, kind, s, false);
}
CUDA_EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                               cudaArray_const_t from, size_t from_x, size_t from_y, size_t n,
                                               enum cudaMemcpyKind kind) {
  size_t row = 0;
  cudaError_t e = row_bytes(&row, from);
  if (e != cudaSuccess) return e;
  RT_NEED(n <= row || (!to_x && !from_x && n % row == 0));
  return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, n <= row ? n : row,
                                  n <= row ? 1 : n / row, kind);
}

/* ---- boxes: counted in elements where an array takes part, in bytes otherwise ---- */

static cudaError_t element_bytes(size_t *bytes, cudaArray_t a) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  CUresult r = cuArray3DGetDescriptor_v2(&d, rt_array(a));
  if (r != CUDA_SUCCESS) return (cudaError_t)r;
  struct cudaChannelFormatDesc f = rt_channel_desc(d.Format, d.NumChannels);
  *bytes = (size_t)(f.x + f.y + f.z + f.w) / 8;
  return cudaSuccess;
}

cudaError_t rt_copy_box(CUDA_MEMCPY3D *c, const struct cudaMemcpy3DParms *p) {
  if (!kind_ok(p->kind)) return cudaErrorInvalidMemcpyDirection;
  if (!p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr) return cudaErrorInvalidValue;
  size_t element = 1;
  cudaError_t e = cudaSuccess;
  if (p->srcArray) e = element_bytes(&element, p->srcArray);
  if (e == cudaSuccess && p->dstArray) e = element_bytes(&element, p->dstArray);
  if (e != cudaSuccess) return e;
  *c = (CUDA_MEMCPY3D){
      .WidthInBytes = p->extent.width * element, .Height = p->extent.height, .Depth = p->extent.depth};
  if (p->srcArray) {
    from_array(c, p->srcArray, p->srcPos.x * element, p->srcPos.y);
  } else {
    from_memory(c, p->srcPtr.ptr, p->srcPtr.pitch, p->kind);
    c->srcXInBytes = p->srcPos.x;
    c->srcY = p->srcPos.y;
    c->srcHeight = p->srcPtr.ysize;
  }
  if (p->dstArray) {
    to_array(c, p->dstArray, p->dstPos.x * element, p->dstPos.y);
  } else {
    to_memory(c, p->dstPtr.ptr, p->dstPtr.pitch, p->kind);
    c->dstXInBytes = p->dstPos.x;
    c->dstY = p->dstPos.y;
    c->dstHeight = p->dstPtr.ysize;
  }
  c->srcZ = p->srcPos.z;
  c->dstZ = p->dstPos.z;
  return cudaSuccess;
}

void rt_copy_back(struct cudaMemcpy3DParms *p, const CUDA_MEMCPY3D *c) {
  size_t element = 1;
  memset(p, 0, sizeof *p);
  if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY)
    p->srcArray = (cudaArray_t)(void *)c->srcArray;
  else
    p->srcPtr =
        (struct cudaPitchedPtr){(void *)(uintptr_t)c->srcDevice, c->srcPitch, c->srcPitch, c->srcHeight};
  if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
    p->dstArray = (cudaArray_t)(void *)c->dstArray;
  else
    p->dstPtr =
        (struct cudaPitchedPtr){(void *)(uintptr_t)c->dstDevice, c->dstPitch, c->dstPitch, c->dstHeight};
  if (p->srcArray || p->dstArray) element_bytes(&element, p->srcArray ? p->srcArray : p->dstArray);
  p->srcPos = (struct cudaPos){c->srcXInBytes / (p->srcArray ? element : 1), c->srcY, c->srcZ};
  p->dstPos = (struct cudaPos){c->dstXInBytes / (p->dstArray ? element : 1), c->dstY, c->dstZ};
  p->extent = (struct cudaExtent){c->WidthInBytes / element, c->Height, c->Depth};
  p->kind = cudaMemcpyDefault;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t s, bool wait) {
  CUDA_MEMCPY3D c;
  RT_NEED(p);
  RT_ENTER();
  cudaError_t e = rt_copy_box(&c, p);
  return e != cudaSuccess ? rt_fail(e) : go(&c, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copy_3d(p, NULL, true); }
CUDA_EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
  return copy_3d(p, s, false);
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s, bool wait) {
  RT_NEED(p);
  if (p->srcDevice != 0 || p->dstDevice != 0) return rt_fail(cudaErrorInvalidDevice);
  struct cudaMemcpy3DParms same = {.srcArray = p->srcArray,
                                   .srcPos = p->srcPos,
                                   .srcPtr = p->srcPtr,
                                   .dstArray = p->dstArray,
                                   .dstPos = p->dstPos,
                                   .dstPtr = p->dstPtr,
                                   .extent = p->extent,
                                   .kind = cudaMemcpyDeviceToDevice};
  return copy_3d(&same, s, wait);
}
CUDA_EXPORT cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
  return copy_3d_peer(p, NULL, true);
}
CUDA_EXPORT cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s) {
  return copy_3d_peer(p, s, false);
}
