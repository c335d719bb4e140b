/* Queries about an address: pointer attributes, advice on managed memory and its attributes. */
#include "cuda/state.h"

#include <string.h>

bool cuda_describe(uint64_t at, struct cuda_block *out) {
  const struct cuda_block *b = cuda_block_holding(at);
  if (b) {
    *out = *b;
    return b->kind != CUDA_B_MAPPED || b->access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  const struct exec_alloc *a = exec_mem_find(cuda.mem, at, NULL);
  if (!a) return false;
  *out = (struct cuda_block){.base = a->range.base,
                             .bytes = a->range.end - a->range.base,
                             .kind = a->kind == EXEC_ALLOC_MANAGED ? CUDA_B_MANAGED : CUDA_B_DEVICE,
                             .ctx = cuda.primary[cuda_program()]};
  return true;
}

static CUmemorytype memory_type(const struct cuda_block *b) {
  if (b->kind == CUDA_B_HOST || b->kind == CUDA_B_REGISTERED) return CU_MEMORYTYPE_HOST;
  return b->kind == CUDA_B_ARRAY ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
}

static CUresult attribute(void *value, CUpointer_attribute which, const struct cuda_block *b,
                          CUdeviceptr at) {
  bool host = memory_type(b) == CU_MEMORYTYPE_HOST, managed = b->kind == CUDA_B_MANAGED;
  switch (which) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)value = b->ctx; break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(CUmemorytype *)value = memory_type(b); break;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = at; break;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!host && !managed) return CUDA_ERROR_INVALID_VALUE;
    *(void **)value = exec_mem_ptr(at);
    break;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(unsigned *)value = b->sync_memops; break;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: *(unsigned long long *)value = b->id; break;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)value = managed; break;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = 0; break;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    *(unsigned *)value = b->kind == CUDA_B_DEVICE || b->kind == CUDA_B_PITCHED;
    break;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: *(CUdeviceptr *)value = b->base; break;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)value = b->bytes; break;
  case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)value = 1; break;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: *(unsigned long long *)value = 0; break;
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: *(unsigned *)value = 0; break;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(int *)value = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE; break;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(CUmemoryPool *)value = b->pool; break;
  default: return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_SUCCESS;
}

static bool known(CUpointer_attribute which) {
  return which >= CU_POINTER_ATTRIBUTE_CONTEXT && which <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

CUDA_EXPORT CUresult cuPointerGetAttribute(void *value, CUpointer_attribute which, CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct cuda_block b;
  NEED(value && known(which) && cuda_describe(at, &b));
  return attribute(value, which, &b, at);
}

/* The values for an address that CUDA does not know: none, without an error. */
static void unknown(void *value, CUpointer_attribute which) {
  switch (which) {
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = CU_DEVICE_INVALID; break;
  case CU_POINTER_ATTRIBUTE_CONTEXT:
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(uint64_t *)value = 0; break;
  default: *(unsigned *)value = 0;
  }
}

CUDA_EXPORT CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *which, void **values,
                                            CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(n && which && values);
  struct cuda_block b;
  bool found = cuda_describe(at, &b);
  for (unsigned i = 0; i < n; i++) {
    NEED(values[i] && known(which[i]));
    if (!found || attribute(values[i], which[i], &b, at) != CUDA_SUCCESS) unknown(values[i], which[i]);
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute which, CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct cuda_block *b = cuda_block_holding(at);
  NEED(value && which == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS && b);
  b->sync_memops = *(const unsigned *)value != 0;
  return CUDA_SUCCESS;
}

/* ---- managed memory: advice is kept and returned; there is one copy of the data, so nothing moves ---- */

static CUresult managed_range(struct cuda_block **out, CUdeviceptr at, size_t bytes) {
  struct cuda_block *b = cuda_block_holding(at);
  NEED(b && b->kind == CUDA_B_MANAGED && bytes && bytes <= b->base + b->bytes - at);
  *out = b;
  return CUDA_SUCCESS;
}

static CUresult place(int *out, CUmemLocation where) {
  if (where.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    NEED_DEVICE(where.id);
    *out = 0;
    return CUDA_SUCCESS;
  }
  *out = CU_DEVICE_CPU;
  return where.type == CU_MEM_LOCATION_TYPE_HOST || where.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                 where.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUDA_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUmemLocation where) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct cuda_block *b;
  CHECK(managed_range(&b, at, bytes));
  int device = CU_DEVICE_INVALID;
  bool placed = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
  if (placed) CHECK(place(&device, where));
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY: b->read_mostly = true; break;
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY: b->read_mostly = false; break;
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION: b->preferred = device; break;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: b->preferred = CU_DEVICE_INVALID; break;
  case CU_MEM_ADVISE_SET_ACCESSED_BY: b->accessed_by = device; break;
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY: b->accessed_by = CU_DEVICE_INVALID; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

static CUmemLocation location_of(CUdevice device) {
  return (CUmemLocation){.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
                                                         : CU_MEM_LOCATION_TYPE_DEVICE,
                         .id = device == CU_DEVICE_CPU ? 0 : device};
}
#undef cuMemAdvise
CUDA_EXPORT CUresult cuMemAdvise(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUdevice device);
CUDA_EXPORT CUresult cuMemAdvise(CUdeviceptr at, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(at, bytes, advice, location_of(device));
}

CUDA_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr at, size_t bytes, CUmemLocation where, unsigned flags,
                                           CUstream stream) {
  ENTER_FOR(ctx, stream);
  NEED(!flags);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  struct cuda_block *b;
  CHECK(managed_range(&b, at, bytes));
  int device;
  CHECK(place(&device, where));
  b->prefetched = device;
  return CUDA_SUCCESS;
}
#undef cuMemPrefetchAsync
CUDA_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t bytes, CUdevice device, CUstream stream);
CUDA_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr at, size_t bytes, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync_v2(at, bytes, location_of(device), 0, stream);
}
CUDA_EXPORT CUresult cuMemPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t n, CUmemLocation *where,
                                             size_t *where_index, size_t n_where, unsigned long long flags,
                                             CUstream stream) {
  NEED(at && bytes && n && where && where_index && n_where && !flags && where_index[0] == 0);
  size_t k = 0;
  for (size_t i = 0; i < n; i++) {
    while (k + 1 < n_where && where_index[k + 1] <= i) k++;
    CHECK(cuMemPrefetchAsync_v2(at[i], bytes[i], where[k], 0, stream));
  }
  return CUDA_SUCCESS;
}

/* Reading discarded memory before it is written again is undefined; here it keeps its contents. */
static CUresult discard(CUdeviceptr at, size_t bytes, CUstream stream) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  struct cuda_block *b;
  return managed_range(&b, at, bytes);
}
CUDA_EXPORT CUresult cuMemDiscardBatchAsync(CUdeviceptr *at, size_t *bytes, size_t n, unsigned long long flags, CUstream stream) {
  NEED(at && bytes && n && !flags && stream);
  for (size_t i = 0; i < n; i++) CHECK(discard(at[i], bytes[i], stream));
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *at, size_t *bytes, size_t n, CUmemLocation *where, size_t *where_index,
                                                       size_t n_where, unsigned long long flags, CUstream stream) {
  CHECK(cuMemDiscardBatchAsync(at, bytes, n, flags, stream));
  return cuMemPrefetchBatchAsync(at, bytes, n, where, where_index, n_where, flags, stream);
}

CUDA_EXPORT CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr at, size_t bytes, unsigned flags) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  struct cuda_block *b = cuda_block_at(at);
  NEED(b && b->kind == CUDA_B_MANAGED && (bytes == 0 || bytes == b->bytes));
  NEED(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST || flags == CU_MEM_ATTACH_SINGLE);
  b->flags = flags;
  return CUDA_SUCCESS;
}

static CUresult range_attribute(void *out, size_t bytes, CUmem_range_attribute which,
                                const struct cuda_block *b) {
  NEED(out && bytes >= 4 && bytes % 4 == 0);
  int *v = out;
  switch (which) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: v[0] = b->read_mostly; break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: v[0] = b->preferred; break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: v[0] = b->prefetched; break;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    for (size_t i = 0; i < bytes / 4; i++) v[i] = i ? CU_DEVICE_INVALID : b->accessed_by;
    break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: v[0] = (int)location_of(b->preferred).type; break;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: v[0] = location_of(b->preferred).id; break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: v[0] = (int)location_of(b->prefetched).type; break;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: v[0] = location_of(b->prefetched).id; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemRangeGetAttribute(void *out, size_t n, CUmem_range_attribute which, CUdeviceptr at,
                                            size_t bytes) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct cuda_block *b;
  CHECK(managed_range(&b, at, bytes));
  return range_attribute(out, n, which, b);
}
CUDA_EXPORT CUresult cuMemRangeGetAttributes(void **out, size_t *n, CUmem_range_attribute *which,
                                             size_t count, CUdeviceptr at, size_t bytes) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out && n && which && count);
  struct cuda_block *b;
  CHECK(managed_range(&b, at, bytes));
  for (size_t i = 0; i < count; i++) CHECK(range_attribute(out[i], n[i], which[i], b));
  return CUDA_SUCCESS;
}
