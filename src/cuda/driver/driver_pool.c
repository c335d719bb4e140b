/* Memory pools and allocation in stream order.
 *
 * A pool takes device memory in pieces of 32 MB, as on an H200, and keeps freed memory until a synchronisation finds more than its
 * threshold, or until it is trimmed. This is only counted: holes between its allocations are not considered, and any other allocation may
 * lie in them. Within a capture an allocation becomes a graph node. Pools of other processes are in driver_ipc.c. */
#include "cuda/state.h"

#include <string.h>

enum { PIECE = 32 << 20 };

uint64_t cuda_whole_pieces(uint64_t bytes) { return bytes > UINT64_MAX - PIECE ? bytes : (bytes + PIECE - 1) / PIECE * PIECE; }

static void pool_grow(struct CUmemPoolHandle_st *p, uint64_t bytes) {
  p->used += bytes;
  if (p->used > p->used_high) p->used_high = p->used;
  if (p->reserved < p->used) p->reserved = cuda_whole_pieces(p->used);
  if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

static void pool_shrink(struct CUmemPoolHandle_st *p, uint64_t keep) {
  uint64_t least = cuda_whole_pieces(p->used > keep ? p->used : keep);
  if (p->reserved > least) p->reserved = least;
}

void cuda_pools_release(void) {
  for (struct CUmemPoolHandle_st *p = cuda.pools; p; p = p->next)
    if (p->reserved > p->threshold) pool_shrink(p, p->threshold);
}

uint64_t cuda_pools_unused(void) {
  uint64_t sum = 0;
  for (const struct CUmemPoolHandle_st *p = cuda.pools; p; p = p->next) sum += p->reserved - p->used;
  return sum;
}

struct CUmemPoolHandle_st *cuda_pool_new(const CUmemPoolProps *props) {
  struct CUmemPoolHandle_st *p = cuda_object_new(CUDA_K_POOL, NULL, sizeof *p);
  static uint64_t made;
  p->props = *props;
  p->number = ++made;
  for (int i = 0; i < 3; i++) p->reuse[i] = 1;
  p->next = cuda.pools;
  return cuda.pools = p;
}

static void forget_pool(const struct CUmemPoolHandle_st *pool) {
  struct CUmemPoolHandle_st **at = &cuda.pools;
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
}

static CUresult pool_allocate(CUdeviceptr *out, size_t bytes, struct CUmemPoolHandle_st *pool,
                              CUstream stream) {
  ENTER_FOR(ctx, stream);
  NEED(out && bytes);
  if (!pool) pool = cuda.current_pool;
  if (!cuda_is(pool, CUDA_K_POOL)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(!pool->imported);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  struct cuda_block *b;
  if (!s->capture && pool->props.maxSize && pool->used + bytes > pool->props.maxSize)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CHECK(cuda_allocate(&b, bytes, s->capture ? CUDA_B_GRAPH : CUDA_B_POOL, s->capture ? NULL : ctx));
  *out = b->base;
  if (s->capture) {
    b->refs = 1;
    struct cuda_op op = {.kind = CUDA_OP_ALLOC,
                         .memory = {.address = b->base, .bytes = bytes, .owned = true}};
    return cuda_submit(s, &op);
  }
  b->pool = pool;
  pool_grow(pool, bytes);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream) {
  return pool_allocate(out, bytes, NULL, stream);
}
CUDA_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool,
                                             CUstream stream) {
  if (!pool) return CUDA_ERROR_INVALID_VALUE;
  return pool_allocate(out, bytes, pool, stream);
}

CUDA_EXPORT CUresult cuMemFreeAsync(CUdeviceptr at, CUstream stream) {
  ENTER_FOR(ctx, stream);
  struct CUstream_st *s;
  CHECK(cuda_stream_of(&s, ctx, stream));
  if (!at) return CUDA_SUCCESS;
  NEED(cuda_block_at(at));
  if (!s->capture) cuda_graph_memory_asked_back(at);
  struct cuda_op op = {.kind = CUDA_OP_FREE, .memory = {.address = at}};
  return cuda_submit(s, &op);
}

/* ---- pools ---- */

static bool on_device(const CUmemLocation *l) { return l->type == CU_MEM_LOCATION_TYPE_DEVICE && l->id == 0; }

CUDA_EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
  ENTER();
  NEED(out && props && props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    NEED_DEVICE(props->location.id);
  else
    return CUDA_ERROR_NOT_SUPPORTED;
  if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE && props->handleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  *out = cuda_pool_new(props);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  ENTER();
  NEED(cuda_is(pool, CUDA_K_POOL) && !pool->is_default);
  for (size_t i = 0; i < cuda.n_blocks; i++)
    if (cuda.blocks[i]->pool == pool) cuda.blocks[i]->pool = NULL; /* remains until it is freed */
  if (cuda.current_pool == pool) cuda.current_pool = cuda.default_pool;
  forget_pool(pool);
  cuda_pool_forget(pool);
  cuda_object_delete(pool);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  ENTER();
  NEED(cuda_is(pool, CUDA_K_POOL));
  pool_shrink(pool, keep);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value) {
  ENTER();
  NEED(value && cuda_is(pool, CUDA_K_POOL));
  switch (which) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *(int *)value = pool->reuse[which - 1]; break;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *(cuuint64_t *)value = pool->threshold; break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: *(cuuint64_t *)value = pool->reserved; break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: *(cuuint64_t *)value = pool->reserved_high; break;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *(cuuint64_t *)value = pool->used; break;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *(cuuint64_t *)value = pool->used_high; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value) {
  ENTER();
  NEED(value && cuda_is(pool, CUDA_K_POOL));
  switch (which) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: pool->reuse[which - 1] = *(int *)value; break;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: pool->threshold = *(cuuint64_t *)value; break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    NEED(*(cuuint64_t *)value == 0);
    pool->reserved_high = pool->reserved;
    break;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    NEED(*(cuuint64_t *)value == 0);
    pool->used_high = pool->used;
    break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t n) {
  ENTER();
  NEED(cuda_is(pool, CUDA_K_POOL) && (list || !n));
  for (size_t i = 0; i < n; i++) {
    if (list[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE) NEED_DEVICE(list[i].location.id);
    NEED(!on_device(&list[i].location) || list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  }
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                                        CUmemLocation *location) {
  ENTER();
  NEED(flags && location && cuda_is(pool, CUDA_K_POOL));
  *flags = on_device(location) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

/* ---- the device's pools ---- */

CUDA_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  ENTER();
  NEED(pool);
  NEED_DEVICE(device);
  *pool = cuda.default_pool;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  ENTER();
  NEED(pool);
  NEED_DEVICE(device);
  *pool = cuda.current_pool;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  ENTER();
  NEED_DEVICE(device);
  NEED(cuda_is(pool, CUDA_K_POOL) && !pool->imported);
  cuda.current_pool = pool;
  return CUDA_SUCCESS;
}
static CUresult location_pool(CUmemoryPool *pool, CUmemLocation *where, CUmemAllocationType type,
                              bool current) {
  ENTER();
  NEED(pool && where && type == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (!on_device(where)) return CUDA_ERROR_NOT_SUPPORTED;
  *pool = current ? cuda.current_pool : cuda.default_pool;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *where,
                                            CUmemAllocationType type) {
  return location_pool(pool, where, type, false);
}
CUDA_EXPORT CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *where, CUmemAllocationType type) {
  return location_pool(pool, where, type, true);
}
CUDA_EXPORT CUresult cuMemSetMemPool(CUmemLocation *where, CUmemAllocationType type, CUmemoryPool pool) {
  CUmemoryPool old;
  CHECK(location_pool(&old, where, type, true));
  return cuDeviceSetMemPool(where->id, pool);
}

/* ---- memory held by graphs ---- */

CUDA_EXPORT CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value) {
  ENTER();
  NEED(value);
  NEED_DEVICE(device);
  switch (which) {
  case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT: *(cuuint64_t *)value = cuda_graph_memory_held(); break;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: *(cuuint64_t *)value = cuda.graph_held_high; break;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute which, void *value) {
  ENTER();
  NEED(value);
  NEED_DEVICE(device);
  NEED(which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
  NEED(*(cuuint64_t *)value == 0);
  cuda.graph_held_high = cuda_graph_memory_held();
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuDeviceGraphMemTrim(CUdevice device) {
  ENTER();
  NEED_DEVICE(device);
  cuda_graph_memory_trim();
  return CUDA_SUCCESS;
}
