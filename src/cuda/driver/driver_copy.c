/* Copies and fills of every kind. Each copy is described as a box (CUDA_MEMCPY3D), checked as a whole, and moved row by row; a plain copy
 * is a box with one row. */
#include "cuda/checks.h"
#include "cuda/state.h"

#include <string.h>

/* ---- one side of a box ---- */

struct side {
  unsigned char *first; /* the box's first byte */
  size_t row, slice;
  bool host, pageable; /* pageable: host memory that is not known to CUDA */
};

struct box {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;
};

static struct box source(const CUDA_MEMCPY3D *c) {
  return (struct box){c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes,
                      c->srcY,          c->srcZ,    c->srcPitch,  c->srcHeight};
}
static struct box destination(const CUDA_MEMCPY3D *c) {
  return (struct box){c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes,
                      c->dstY,          c->dstZ,    c->dstPitch,  c->dstHeight};
}

static bool fits(size_t at, size_t n, size_t capacity) { return at <= capacity && n <= capacity - at; }

static CUresult array_side(struct side *s, const struct box *b, const CUDA_MEMCPY3D *c) {
  if (!cuda_is(b->array, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
  const struct CUarray_st *a = b->array;
  size_t row = (size_t)a->width * a->texel_bytes;
  NEED(fits(b->x, c->WidthInBytes, row) && fits(b->y, c->Height, a->height) &&
       fits(b->z, c->Depth, a->depth));
  *s = (struct side){.row = row, .slice = row * a->height};
  s->first = (unsigned char *)exec_mem_ptr(a->base) + b->z * s->slice + b->y * row + b->x;
  return CUDA_SUCCESS;
}

/* Whether [at, at + bytes) may be accessed: an allocation, or host memory that is not known to CUDA. */
static CUresult reachable(const struct box *b, uint64_t at, uint64_t bytes, struct side *s) {
  const struct exec_alloc *a = exec_mem_find(cuda.mem, at, NULL);
  if (a) {
    NEED(a->kind != EXEC_ALLOC_ARRAY);
    s->host = a->kind == EXEC_ALLOC_HOST || a->kind == EXEC_ALLOC_REGISTERED;
    if (s->host && b->type == CU_MEMORYTYPE_HOST) return CUDA_SUCCESS;
    NEED(bytes <= a->range.end - at);
    return CUDA_SUCCESS;
  }
  s->host = s->pageable = true;
  NEED(b->type != CU_MEMORYTYPE_DEVICE && !cuda_is_device_address(at) && at <= UINT64_MAX - bytes);
  return CUDA_SUCCESS;
}

static CUresult linear_side(struct side *s, const struct box *b, const CUDA_MEMCPY3D *c) {
  size_t row = b->pitch, height = b->height;
  if (!row) row = b->x + c->WidthInBytes;
  if (!height) height = b->y + c->Height;
  if (c->Height > 1 || c->Depth > 1) NEED(fits(b->x, c->WidthInBytes, row));
  if (c->Depth > 1) NEED(fits(b->y, c->Height, height));
  unsigned __int128 first = (unsigned __int128)b->z * row * height + (unsigned __int128)b->y * row + b->x;
  unsigned __int128 last =
      ((unsigned __int128)(c->Depth - 1) * height + (c->Height - 1)) * row + c->WidthInBytes;
  NEED(b->z < 1u << 31 && b->y < 1u << 31 && c->Depth < 1u << 31 && c->Height < 1u << 31 && row < 1ull << 48);
  NEED(first < (unsigned __int128)1 << 62 && last < (unsigned __int128)1 << 62);
  uint64_t base = b->type == CU_MEMORYTYPE_HOST ? (uintptr_t)b->host : b->device;
  NEED(base && base <= UINT64_MAX - (uint64_t)first);
  *s = (struct side){.row = row, .slice = row * height};
  CUresult reached = reachable(b, base + (uint64_t)first, (uint64_t)last, s);
  if (reached != CUDA_SUCCESS) cuda_check_bad_range("copy", base + (uint64_t)first, (uint64_t)last);
  CHECK(reached);
  s->first = exec_mem_ptr(base + (uint64_t)first);
  return CUDA_SUCCESS;
}

static CUresult side_of(struct side *s, const struct box *b, const CUDA_MEMCPY3D *c) {
  switch (b->type) {
  case CU_MEMORYTYPE_ARRAY: return array_side(s, b, c);
  case CU_MEMORYTYPE_HOST:
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED: return linear_side(s, b, c);
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

static bool empty(const CUDA_MEMCPY3D *c) { return !c->WidthInBytes || !c->Height || !c->Depth; }

static CUresult both_sides(struct side *to, struct side *from, const CUDA_MEMCPY3D *c) {
  NEED(!c->srcLOD && !c->dstLOD);
  struct box s = source(c), d = destination(c);
  CHECK(side_of(from, &s, c));
  return side_of(to, &d, c);
}

CUresult cuda_copy_check(const CUDA_MEMCPY3D *c) {
  struct side to, from;
  return empty(c) ? CUDA_SUCCESS : both_sides(&to, &from, c);
}

CUresult cuda_copy_begin(const CUDA_MEMCPY3D *c, double *ns) {
  struct side to, from;
  *ns = 0;
  if (empty(c)) return CUDA_SUCCESS;
  CHECK(both_sides(&to, &from, c));
  *ns = cuda_engine_copy(&cuda.engine, c->WidthInBytes * c->Height * c->Depth,
                         to.host || from.host ? CUDA_TRAFFIC_HOST : CUDA_TRAFFIC_DEVICE);
  return CUDA_SUCCESS;
}

const char *cuda_copy_kind(const CUDA_MEMCPY3D *c) {
  struct side to, from;
  if (empty(c) || both_sides(&to, &from, c) != CUDA_SUCCESS) return NULL;
  return to.host && from.host ? NULL : from.host ? "copy to device" : to.host ? "copy to host" : "copy within device";
}

enum heddle_memory cuda_memory_at(uint64_t at) {
  const struct cuda_block *b = cuda_block_holding(at);
  if (b && b->kind == CUDA_B_MANAGED) return HEDDLE_MANAGED;
  if (b && (b->kind == CUDA_B_HOST || b->kind == CUDA_B_REGISTERED)) return HEDDLE_PINNED;
  return exec_mem_find(cuda.mem, at, NULL) ? HEDDLE_DEVICE : HEDDLE_PAGEABLE;
}

bool cuda_copy_memory(const CUDA_MEMCPY3D *c, enum heddle_memory *from, enum heddle_memory *to) {
  struct side t, f;
  if (empty(c) || both_sides(&t, &f, c) != CUDA_SUCCESS) return false;
  *from = c->srcMemoryType == CU_MEMORYTYPE_ARRAY ? HEDDLE_ARRAY : cuda_memory_at((uint64_t)(uintptr_t)f.first);
  *to = c->dstMemoryType == CU_MEMORYTYPE_ARRAY ? HEDDLE_ARRAY : cuda_memory_at((uint64_t)(uintptr_t)t.first);
  return true;
}

static uint64_t device_address(const struct side *s, size_t at) { return s->host ? 0 : (uint64_t)(uintptr_t)(s->first + at); }

static void copy_row(const struct side *to, const struct side *from, size_t to_at, size_t from_at, size_t bytes) {
  memmove(to->first + to_at, from->first + from_at, bytes);
  exec_mem_moved(cuda.mem, device_address(to, to_at), device_address(from, from_at), bytes);
}

CUresult cuda_copy_end(const CUDA_MEMCPY3D *c) {
  struct side to, from;
  if (empty(c)) return CUDA_SUCCESS;
  CHECK(both_sides(&to, &from, c));
  for (size_t z = 0; z < c->Depth; z++)
    for (size_t y = 0; y < c->Height; y++)
      copy_row(&to, &from, z * to.slice + y * to.row, z * from.slice + y * from.row, c->WidthInBytes);
  if (to.host && from.host) return CUDA_SUCCESS;
  const struct side *device = to.host ? &from : &to;
  enum gpu_copy kind = to.host ? GPU_COPY_OUT : from.host ? GPU_COPY_IN : GPU_COPY_WITHIN;
  for (size_t z = 0; z < c->Depth; z++)
    for (size_t y = 0; y < c->Height; y++)
      cuda_engine_copied(&cuda.engine, kind, device_address(device, z * device->slice + y * device->row), c->WidthInBytes);
  return CUDA_SUCCESS;
}

/* A copy from or to memory that is not pinned is staged, and the call waits for it. */
static bool staged(const CUDA_MEMCPY3D *c) {
  struct side to, from;
  return !empty(c) && both_sides(&to, &from, c) == CUDA_SUCCESS && (to.pageable || from.pageable);
}

/* ---- submission ---- */

/* A copy in a stream; `wait`: the call returns when the data have arrived. */
static CUresult submit_copy(const CUDA_MEMCPY3D *c, CUstream stream, bool wait) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (wait) CHECK(cuda_capture_forbids());
  CHECK(cuda_copy_check(c));
  struct cuda_op op = {.kind = CUDA_OP_COPY, .async = !wait, .copy = *c};
  if (!wait && staged(c)) return cuda_submit_and_wait(s, &op);
  CHECK(cuda_submit(s, &op));
  return wait ? cuda_drain(ctx, s) : CUDA_SUCCESS;
}

static CUDA_MEMCPY3D line(size_t bytes) {
  return (CUDA_MEMCPY3D){.WidthInBytes = bytes, .Height = 1, .Depth = 1};
}

static void to_device(CUDA_MEMCPY3D *c, CUdeviceptr at) {
  c->dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c->dstDevice = at;
}
static void from_device(CUDA_MEMCPY3D *c, CUdeviceptr at) {
  c->srcMemoryType = CU_MEMORYTYPE_DEVICE;
  c->srcDevice = at;
}
static void to_host(CUDA_MEMCPY3D *c, void *at) {
  c->dstMemoryType = CU_MEMORYTYPE_HOST;
  c->dstHost = at;
}
static void from_host(CUDA_MEMCPY3D *c, const void *at) {
  c->srcMemoryType = CU_MEMORYTYPE_HOST;
  c->srcHost = at;
}
/* Offsets into one-dimensional arrays are in bytes. */
static void to_array(CUDA_MEMCPY3D *c, CUarray a, size_t offset) {
  c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c->dstArray = a;
  c->dstXInBytes = offset;
}
static void from_array(CUDA_MEMCPY3D *c, CUarray a, size_t offset) {
  c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c->srcArray = a;
  c->srcXInBytes = offset;
}

static CUresult copy_unified(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c = line(bytes);
  c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  c.srcDevice = from;
  c.dstDevice = to;
  return submit_copy(&c, stream, wait);
}
CUDA_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_unified(to, from, bytes, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_unified(to, from, bytes, stream, false);
}
/* Every context is on the one device. */
CUDA_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
                                  size_t n) {
  (void)to_ctx, (void)from_ctx;
  return copy_unified(to, from, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
                                       size_t n, CUstream stream) {
  (void)to_ctx, (void)from_ctx;
  return copy_unified(to, from, n, stream, false);
}

static CUresult host_to_device(CUdeviceptr to, const void *from, size_t bytes, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c = line(bytes);
  to_device(&c, to);
  from_host(&c, from);
  return submit_copy(&c, stream, wait);
}
static CUresult device_to_host(void *to, CUdeviceptr from, size_t bytes, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c = line(bytes);
  to_host(&c, to);
  from_device(&c, from);
  return submit_copy(&c, stream, wait);
}
static CUresult device_to_device(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c = line(bytes);
  to_device(&c, to);
  from_device(&c, from);
  return submit_copy(&c, stream, wait);
}
CUDA_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
  return host_to_device(to, from, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream stream) {
  return host_to_device(to, from, n, stream, false);
}
CUDA_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
  return device_to_host(to, from, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream stream) {
  return device_to_host(to, from, n, stream, false);
}
CUDA_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return device_to_device(to, from, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream stream) {
  return device_to_device(to, from, n, stream, false);
}

CUDA_EXPORT CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t n) {
  CUDA_MEMCPY3D c = line(n);
  to_array(&c, to, offset);
  from_device(&c, from);
  return submit_copy(&c, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t n) {
  CUDA_MEMCPY3D c = line(n);
  to_device(&c, to);
  from_array(&c, from, offset);
  return submit_copy(&c, NULL, true);
}
static CUresult host_to_array(CUarray to, size_t offset, const void *from, size_t n, CUstream stream,
                              bool wait) {
  CUDA_MEMCPY3D c = line(n);
  to_array(&c, to, offset);
  from_host(&c, from);
  return submit_copy(&c, stream, wait);
}
static CUresult array_to_host(void *to, CUarray from, size_t offset, size_t n, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c = line(n);
  to_host(&c, to);
  from_array(&c, from, offset);
  return submit_copy(&c, stream, wait);
}
CUDA_EXPORT CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t n) {
  return host_to_array(to, offset, from, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t n,
                                          CUstream stream) {
  return host_to_array(to, offset, from, n, stream, false);
}
CUDA_EXPORT CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t n) {
  return array_to_host(to, from, offset, n, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t n, CUstream stream) {
  return array_to_host(to, from, offset, n, stream, false);
}
CUDA_EXPORT CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                                     size_t n) {
  CUDA_MEMCPY3D c = line(n);
  to_array(&c, to, to_offset);
  from_array(&c, from, from_offset);
  return submit_copy(&c, NULL, true);
}

/* ---- boxes ---- */

CUresult cuda_copy_from_2d(CUDA_MEMCPY3D *out, const CUDA_MEMCPY2D *in) {
  NEED(in);
  *out = (CUDA_MEMCPY3D){.srcXInBytes = in->srcXInBytes,
                         .srcY = in->srcY,
                         .srcMemoryType = in->srcMemoryType,
                         .srcHost = in->srcHost,
                         .srcDevice = in->srcDevice,
                         .srcArray = in->srcArray,
                         .srcPitch = in->srcPitch,
                         .dstXInBytes = in->dstXInBytes,
                         .dstY = in->dstY,
                         .dstMemoryType = in->dstMemoryType,
                         .dstHost = in->dstHost,
                         .dstDevice = in->dstDevice,
                         .dstArray = in->dstArray,
                         .dstPitch = in->dstPitch,
                         .WidthInBytes = in->WidthInBytes,
                         .Height = in->Height,
                         .Depth = 1};
  return CUDA_SUCCESS;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *in, CUstream stream, bool wait) {
  CUDA_MEMCPY3D c;
  CHECK(cuda_copy_from_2d(&c, in));
  return submit_copy(&c, stream, wait);
}
CUDA_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) { return copy_2d(c, NULL, true); }
CUDA_EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) { return copy_2d(c, NULL, true); }
CUDA_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) {
  return copy_2d(c, stream, false);
}
CUDA_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) {
  NEED(c);
  return submit_copy(c, NULL, true);
}
CUDA_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) {
  NEED(c);
  return submit_copy(c, stream, false);
}

static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool wait) {
  NEED(p);
  CUDA_MEMCPY3D c = {.srcXInBytes = p->srcXInBytes,
                     .srcY = p->srcY,
                     .srcZ = p->srcZ,
                     .srcLOD = p->srcLOD,
                     .srcMemoryType = p->srcMemoryType,
                     .srcHost = p->srcHost,
                     .srcDevice = p->srcDevice,
                     .srcArray = p->srcArray,
                     .srcPitch = p->srcPitch,
                     .srcHeight = p->srcHeight,
                     .dstXInBytes = p->dstXInBytes,
                     .dstY = p->dstY,
                     .dstZ = p->dstZ,
                     .dstLOD = p->dstLOD,
                     .dstMemoryType = p->dstMemoryType,
                     .dstHost = p->dstHost,
                     .dstDevice = p->dstDevice,
                     .dstArray = p->dstArray,
                     .dstPitch = p->dstPitch,
                     .dstHeight = p->dstHeight,
                     .WidthInBytes = p->WidthInBytes,
                     .Height = p->Height,
                     .Depth = p->Depth};
  return submit_copy(&c, stream, wait);
}
CUDA_EXPORT CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p) { return copy_peer(p, NULL, true); }
CUDA_EXPORT CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream) {
  return copy_peer(p, stream, false);
}

/* ---- batches ---- */

/* Sources that may be gone when the call returns must have been read by then, so the call waits for the stream. A capture reads none. */
static CUresult end_batch(CUstream stream, bool is_gone) {
  CUstreamCaptureStatus status;
  if (!is_gone) return CUDA_SUCCESS;
  CHECK(cuStreamIsCapturing(stream, &status));
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? cuStreamSynchronize(stream) : CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t n,
                                           CUmemcpyAttributes *attributes, size_t *attribute_index,
                                           size_t n_attributes, CUstream stream) {
  NEED(to && from && bytes && n && attributes && attribute_index && n_attributes && stream);
  bool is_gone = false;
  for (size_t i = 0; i < n_attributes; i++) is_gone |= attributes[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  for (size_t i = 0; i < n; i++) CHECK(copy_unified(to[i], from[i], bytes[i], stream, false));
  return end_batch(stream, is_gone);
}
#undef cuMemcpyBatchAsync
CUDA_EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t n,
                                        CUmemcpyAttributes *attributes, size_t *attribute_index,
                                        size_t n_attributes, size_t *failed, CUstream stream);
CUDA_EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t n,
                                        CUmemcpyAttributes *attributes, size_t *attribute_index,
                                        size_t n_attributes, size_t *failed, CUstream stream) {
  if (failed) *failed = SIZE_MAX;
  return cuMemcpyBatchAsync_v2(to, from, bytes, n, attributes, attribute_index, n_attributes, stream);
}

/* The size of an element: that of the array, of both if both are arrays; 1 between pointers. */
static CUresult element_bytes(const CUDA_MEMCPY3D_BATCH_OP *op, size_t *bytes) {
  ENTER();
  const CUmemcpy3DOperand *sides[] = {&op->src, &op->dst};
  *bytes = 0;
  for (unsigned i = 0; i < 2; i++) {
    NEED(sides[i]->type == CU_MEMCPY_OPERAND_TYPE_POINTER || sides[i]->type == CU_MEMCPY_OPERAND_TYPE_ARRAY);
    if (sides[i]->type == CU_MEMCPY_OPERAND_TYPE_POINTER) continue;
    if (!cuda_is(sides[i]->op.array.array, CUDA_K_ARRAY)) return CUDA_ERROR_INVALID_HANDLE;
    size_t own = sides[i]->op.array.array->texel_bytes;
    NEED(!*bytes || *bytes == own);
    *bytes = own;
  }
  if (!*bytes) *bytes = 1;
  return CUDA_SUCCESS;
}

static CUresult box_of_operand(const CUmemcpy3DOperand *o, const CUDA_MEMCPY3D_BATCH_OP *op, size_t element, struct box *b) {
  if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    *b = (struct box){.type = CU_MEMORYTYPE_ARRAY, .array = o->op.array.array};
    b->x = o->op.array.offset.x * element, b->y = o->op.array.offset.y, b->z = o->op.array.offset.z;
    return CUDA_SUCCESS;
  }
  size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : op->extent.width;
  size_t height = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : op->extent.height;
  NEED(row >= op->extent.width && height >= op->extent.height);
  *b = (struct box){.type = CU_MEMORYTYPE_UNIFIED, .device = o->op.ptr.ptr, .pitch = row * element, .height = height};
  return CUDA_SUCCESS;
}

static CUresult copy_of_batch(const CUDA_MEMCPY3D_BATCH_OP *op, CUstream stream) {
  size_t element;
  struct box from, to;
  NEED(op->extent.width && op->extent.height && op->extent.depth && op->extent.width < 1ull << 48);
  NEED(op->srcAccessOrder >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && op->srcAccessOrder <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY);
  CHECK(element_bytes(op, &element));
  CHECK(box_of_operand(&op->src, op, element, &from));
  CHECK(box_of_operand(&op->dst, op, element, &to));
  CUDA_MEMCPY3D c = {.srcMemoryType = from.type, .srcDevice = from.device, .srcArray = from.array, .srcPitch = from.pitch,
                     .srcHeight = from.height,   .srcXInBytes = from.x,    .srcY = from.y,         .srcZ = from.z,
                     .dstMemoryType = to.type,   .dstDevice = to.device,   .dstArray = to.array,   .dstPitch = to.pitch,
                     .dstHeight = to.height,     .dstXInBytes = to.x,      .dstY = to.y,           .dstZ = to.z};
  c.WidthInBytes = op->extent.width * element, c.Height = op->extent.height, c.Depth = op->extent.depth;
  return submit_copy(&c, stream, false);
}

CUDA_EXPORT CUresult cuMemcpy3DBatchAsync_v2(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags, CUstream stream) {
  NEED(n && ops && !flags && stream);
  bool is_gone = false;
  for (size_t i = 0; i < n; i++) {
    is_gone |= ops[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    CHECK(copy_of_batch(&ops[i], stream));
  }
  return end_batch(stream, is_gone);
}
#undef cuMemcpy3DBatchAsync
CUDA_EXPORT CUresult cuMemcpy3DBatchAsync(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed, unsigned long long flags,
                                          CUstream stream);
CUDA_EXPORT CUresult cuMemcpy3DBatchAsync(size_t n, CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed, unsigned long long flags,
                                          CUstream stream) {
  if (failed) *failed = SIZE_MAX;
  return cuMemcpy3DBatchAsync_v2(n, ops, flags, stream);
}

/* ---- fills ---- */

CUresult cuda_fill_check(const struct cuda_op *op) {
  size_t row, bytes;
  NEED(op->fill.element == 1 || op->fill.element == 2 || op->fill.element == 4);
  if (!op->fill.width || !op->fill.height) return CUDA_SUCCESS;
  NEED(!__builtin_mul_overflow(op->fill.width, op->fill.element, &row));
  NEED(op->fill.dst % op->fill.element == 0);
  if (op->fill.height > 1) NEED(op->fill.pitch >= row && op->fill.pitch % op->fill.element == 0);
  NEED(!__builtin_mul_overflow(op->fill.height - 1, op->fill.pitch, &bytes));
  NEED(!__builtin_add_overflow(bytes, row, &bytes));
  if (!cuda_range_ok(op->fill.dst, bytes)) cuda_check_bad_range("fill", op->fill.dst, bytes);
  NEED(cuda_range_ok(op->fill.dst, bytes));
  return CUDA_SUCCESS;
}

static void fill_row(unsigned char *at, unsigned value, unsigned element, size_t n) {
  if (element == 1) {
    memset(at, (int)(value & 0xff), n);
    return;
  }
  for (size_t i = 0; i < n; i++) memcpy(at + i * element, &value, element);
}

CUresult cuda_fill_begin(const struct cuda_op *op, double *ns) {
  CHECK(cuda_fill_check(op));
  size_t bytes = op->fill.width * op->fill.element * op->fill.height;
  *ns = op->fill.width ? cuda_engine_copy(&cuda.engine, bytes, CUDA_TRAFFIC_DEVICE) : 0;
  return CUDA_SUCCESS;
}

CUresult cuda_fill_end(const struct cuda_op *op) {
  CHECK(cuda_fill_check(op));
  if (!op->fill.width) return CUDA_SUCCESS;
  for (size_t y = 0; y < op->fill.height; y++) {
    fill_row((unsigned char *)exec_mem_ptr(op->fill.dst) + y * op->fill.pitch, op->fill.value,
             op->fill.element, op->fill.width);
    exec_mem_moved(cuda.mem, op->fill.dst + y * op->fill.pitch, 0, op->fill.width * op->fill.element);
  }
  return CUDA_SUCCESS;
}

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned element, size_t width,
                     size_t height, CUstream stream, bool sync) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (sync) CHECK(cuda_capture_forbids());
  struct cuda_op op = {.kind = CUDA_OP_FILL, .async = !sync, .fill = {dst, pitch, width, height, value, element}};
  CHECK(cuda_fill_check(&op));
  return cuda_submit(s, &op);
}

#define FILLS(bits, type)                                                                                    \
  CUDA_EXPORT CUresult cuMemsetD##bits##_v2(CUdeviceptr dst, type value, size_t n) {                         \
    return fill(dst, 0, value, bits / 8, n, 1, NULL, true);                                                  \
  }                                                                                                          \
  CUDA_EXPORT CUresult cuMemsetD##bits##Async(CUdeviceptr dst, type value, size_t n, CUstream stream) {      \
    return fill(dst, 0, value, bits / 8, n, 1, stream, false);                                               \
  }                                                                                                          \
  CUDA_EXPORT CUresult cuMemsetD2D##bits##_v2(CUdeviceptr dst, size_t pitch, type value, size_t width,       \
                                              size_t height) {                                               \
    return fill(dst, pitch, value, bits / 8, width, height, NULL, true);                                     \
  }                                                                                                          \
  CUDA_EXPORT CUresult cuMemsetD2D##bits##Async(CUdeviceptr dst, size_t pitch, type value, size_t width,     \
                                                size_t height, CUstream stream) {                            \
    return fill(dst, pitch, value, bits / 8, width, height, stream, false);                                  \
  }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned int)
