/* The table of memory blocks, and linear, pitched, managed, pinned and registered memory.
 *
 * The table is what the API knows of an allocation beyond its range (exec has its own table, against which kernels are checked). Device
 * addresses are host addresses, so mapped host memory has the same address on both sides. Unlike on hardware, the host can access device
 * memory directly, where a GPU would cause a fault. */
#include "base/arena.h"
#include "cuda/checks.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the table ---- */

/* Index of the first block whose end is above the address. */
static size_t position(uint64_t address) {
  size_t lo = 0, hi = cuda.n_blocks;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (cuda.blocks[mid]->base + cuda.blocks[mid]->bytes <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

struct cuda_block *cuda_block_add(uint64_t base, uint64_t bytes, enum cuda_block_kind kind,
                                  struct CUctx_st *ctx) {
  struct cuda_block *b = must_alloc(sizeof *b);
  *b = (struct cuda_block){
      .base = base, .bytes = bytes, .kind = (uint8_t)kind, .ctx = ctx, .id = ++cuda.next_id};
  b->preferred = b->prefetched = b->accessed_by = CU_DEVICE_INVALID;
  GROW(cuda.blocks, cuda.block_capacity, cuda.n_blocks + 1);
  size_t at = position(base);
  memmove(cuda.blocks + at + 1, cuda.blocks + at, (cuda.n_blocks - at) * sizeof *cuda.blocks);
  cuda.blocks[at] = b;
  cuda.n_blocks++;
  return b;
}

struct cuda_block *cuda_block_holding(uint64_t address) {
  size_t at = position(address);
  return at < cuda.n_blocks && cuda.blocks[at]->base <= address ? cuda.blocks[at] : NULL;
}

struct cuda_block *cuda_block_at(uint64_t base) {
  struct cuda_block *b = cuda_block_holding(base);
  return b && b->base == base ? b : NULL;
}

void cuda_block_remove(struct cuda_block *b) {
  size_t at = position(b->base);
  memmove(cuda.blocks + at, cuda.blocks + at + 1, (cuda.n_blocks - at - 1) * sizeof *cuda.blocks);
  cuda.n_blocks--;
  free(b);
}

static enum exec_alloc_kind exec_kind(enum cuda_block_kind kind) {
  switch (kind) {
  case CUDA_B_MANAGED: return EXEC_ALLOC_MANAGED;
  case CUDA_B_HOST: return EXEC_ALLOC_HOST;
  case CUDA_B_ARRAY: return EXEC_ALLOC_ARRAY;
  default: return EXEC_ALLOC_DEVICE;
  }
}

CUresult cuda_allocate(struct cuda_block **out, uint64_t bytes, enum cuda_block_kind kind,
                       struct CUctx_st *ctx) {
  uint64_t used = exec_mem_used(cuda.mem) + cuda.physical_bytes, all = exec_mem_capacity(cuda.mem);
  if (kind != CUDA_B_HOST && (bytes > all || used > all - bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  uint64_t base = exec_mem_alloc(cuda.mem, bytes, EXEC_ALLOC_ALIGN, exec_kind(kind), NULL);
  if (!base) return CUDA_ERROR_OUT_OF_MEMORY;
  exec_mem_set_site(cuda.mem, base, cuda_call_site());
  *out = cuda_block_add(base, bytes, kind, ctx);
  return CUDA_SUCCESS;
}

CUresult cuda_block_free(struct cuda_block *b) {
  cuda_ipc_forget(b);
  if (b->kind == CUDA_B_REGISTERED || b->kind == CUDA_B_MAPPED || b->kind == CUDA_B_IMPORTED ||
      b->kind == CUDA_B_IMPORTED_PART)
    exec_mem_unregister(cuda.mem, exec_mem_ptr(b->base));
  else
    exec_mem_free(cuda.mem, b->base);
  if (b->pool) b->pool->used -= b->bytes;
  cuda_block_remove(b);
  return CUDA_SUCCESS;
}

bool cuda_range_ok(uint64_t at, uint64_t bytes) {
  const struct exec_alloc *a = exec_mem_find(cuda.mem, at, NULL);
  return a && a->kind != EXEC_ALLOC_ARRAY && bytes <= a->range.end - at;
}

/* Whether the process has memory there, the simulator's or its own. */
static bool process_has(uint64_t at) {
  unsigned char held;
  return !mincore(exec_mem_ptr(at & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1)), 1, &held);
}

/* Device memory and the kernels' windows below it are far from a process's usual memory; but if stacks have no limit (ulimit -s unlimited),
 * the process's own memory is between them. */
bool cuda_is_device_address(uint64_t at) {
  struct exec_alloc_range ours;
  if (at < 65536 || exec_mem_backed(cuda.mem, at, &ours)) return true;
  return at >= EXEC_SHARED_WINDOW && at < 0x310000000000u && !process_has(at);
}

/* ---- memory of graphs ----
 *
 * Used and reserved memory are the same number, as on an H200: whole pieces, from a graph's first launch until they are trimmed while
 * unused. That graphs which never run at the same time could share pieces is not considered. */

static void set_backed(struct cuda_block *b, bool yes) {
  if (b->backed != yes) cuda.graph_backed += yes ? b->bytes : -b->bytes;
  b->backed = yes;
  uint64_t held = cuda_graph_memory_held();
  if (held > cuda.graph_held_high) cuda.graph_held_high = held;
}

uint64_t cuda_graph_memory_held(void) { return cuda_whole_pieces(cuda.graph_backed); }

void cuda_graph_memory_trim(void) {
  for (size_t i = 0; i < cuda.n_blocks; i++)
    if (cuda.blocks[i]->kind == CUDA_B_GRAPH && !cuda.blocks[i]->given) set_backed(cuda.blocks[i], false);
}

/* The block that a node allocates (or frees) as memory of a graph; NULL: the node does not do that. */
static struct cuda_block *block_of(const struct cuda_op *op, enum cuda_op_kind kind) {
  struct cuda_block *b = op->kind == kind ? cuda_block_at(op->memory.address) : NULL;
  return b && b->kind == CUDA_B_GRAPH ? b : NULL;
}

static bool still_given(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    const struct cuda_block *b = block_of(op, CUDA_OP_ALLOC);
    if ((b && b->given) || (op->kind == CUDA_OP_CHILD && still_given(op->child))) return true;
  }
  return false;
}

static void give(const struct CUgraph_st *g, enum cuda_op_kind kind) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    struct cuda_block *b = block_of(op, kind);
    if (op->kind == CUDA_OP_CHILD) give(op->child, kind);
    if (b) b->given = kind == CUDA_OP_ALLOC;
    if (b && b->given) set_backed(b, true);
  }
}

CUresult cuda_graph_memory_launch(const struct CUgraph_st *g, bool frees_first) {
  NEED(frees_first || !still_given(g));
  give(g, CUDA_OP_ALLOC);
  give(g, CUDA_OP_FREE);
  return CUDA_SUCCESS;
}

void cuda_graph_memory_asked_back(CUdeviceptr at) {
  struct cuda_block *b = cuda_block_at(at);
  if (b) b->given = false;
}

bool cuda_graph_has_memory(const struct CUgraph_st *g) {
  for (size_t i = 0; i < g->n_nodes; i++) {
    const struct cuda_op *op = &g->nodes[i]->op;
    bool child_has = op->kind == CUDA_OP_CHILD && cuda_graph_has_memory(op->child);
    if (op->kind == CUDA_OP_ALLOC || op->kind == CUDA_OP_FREE || child_has) return true;
  }
  return false;
}

void cuda_graph_memory_keep(CUdeviceptr at) {
  struct cuda_block *b = cuda_block_at(at);
  if (b && b->kind == CUDA_B_GRAPH) b->refs++;
}

void cuda_graph_memory_drop(CUdeviceptr at) {
  struct cuda_block *b = cuda_block_at(at);
  if (!b || b->kind != CUDA_B_GRAPH || --b->refs) return;
  set_backed(b, false);
  if (b->in_use)
    b->kind = CUDA_B_DEVICE; /* the program still has it and will free it */
  else
    cuda_block_free(b);
}

CUresult cuda_free_address(CUdeviceptr at) {
  if (!at) return CUDA_SUCCESS;
  struct cuda_block *b = cuda_block_at(at);
  if (!b) cuda_check_bad_free(at);
  NEED(b);
  switch (b->kind) {
  case CUDA_B_DEVICE:
  case CUDA_B_PITCHED:
  case CUDA_B_MANAGED:
  case CUDA_B_IMPORTED_PART:
  case CUDA_B_POOL: return cuda_block_free(b);
  case CUDA_B_GRAPH:
    NEED(b->in_use);
    b->in_use = b->given = false;
    return CUDA_SUCCESS;
  default:
    cuda_check_bad_free(at);
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/* ---- linear memory ---- */

CUDA_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  ENTER_CONTEXT(ctx);
  NEED(out && bytes);
  CHECK(cuda_capture_forbids());
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, bytes, CUDA_B_DEVICE, ctx));
  *out = b->base;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                        unsigned element) {
  ENTER_CONTEXT(ctx);
  NEED(out && pitch && width && height && (element == 4 || element == 8 || element == 16));
  CHECK(cuda_capture_forbids());
  if (width > SIZE_MAX - 511) return CUDA_ERROR_OUT_OF_MEMORY;
  size_t row = (width + 511) / 512 * 512, bytes;
  if (__builtin_mul_overflow(row, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, bytes, CUDA_B_PITCHED, ctx));
  *out = b->base;
  *pitch = row;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
  ENTER_CONTEXT(ctx);
  NEED(out && bytes && (flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST));
  CHECK(cuda_capture_forbids());
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, bytes, CUDA_B_MANAGED, ctx));
  b->flags = flags;
  *out = b->base;
  return CUDA_SUCCESS;
}

/* The context in which memory was allocated; the current one if it has none. */
static CUresult context_of_memory(struct CUctx_st **ctx, uint64_t at) {
  const struct cuda_block *b = cuda_block_at(at);
  if (!b || !b->ctx) return cuda_current(ctx);
  *ctx = b->ctx;
  return (*ctx)->fault;
}

CUDA_EXPORT CUresult cuMemFree_v2(CUdeviceptr at) {
  ENTER();
  struct CUctx_st *ctx;
  CHECK(context_of_memory(&ctx, at));
  CHECK(cuda_capture_forbids());
  CHECK(cuda_drain(ctx, NULL)); /* freeing waits for the work that may use the memory */
  return cuda_free_address(at);
}

CUDA_EXPORT CUresult cuMemGetInfo_v2(size_t *left, size_t *all) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  uint64_t used = exec_mem_used(cuda.mem) + cuda.physical_bytes + cuda_pools_unused();
  uint64_t capacity = exec_mem_capacity(cuda.mem);
  if (left) *left = used < capacity ? capacity - used : 0;
  if (all) *all = capacity;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  struct cuda_block b;
  if (!cuda_describe(at, &b)) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = b.base;
  if (bytes) *bytes = b.bytes;
  return CUDA_SUCCESS;
}

/* ---- the 32-bit interface of the first versions ---- */

#undef cuMemAlloc
#undef cuMemFree
#undef cuMemGetInfo
#undef cuMemAllocHost
static CUresult alloc_low(unsigned *out, unsigned bytes) {
  (void)out, (void)bytes;
  cuda_say("cuMemAlloc of CUDA 3.1 and older returns a 32-bit address, which does not exist here; rebuild "
           "the program");
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUDA_EXPORT CUresult cuMemAlloc(unsigned *out, unsigned bytes);
CUDA_EXPORT CUresult cuMemAlloc(unsigned *out, unsigned bytes) { return alloc_low(out, bytes); }
CUDA_EXPORT CUresult cuMemFree(unsigned at);
CUDA_EXPORT CUresult cuMemFree(unsigned at) { return at ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUDA_EXPORT CUresult cuMemGetInfo(unsigned *left, unsigned *all);
CUDA_EXPORT CUresult cuMemGetInfo(unsigned *left, unsigned *all) {
  size_t l = 0, a = 0;
  CHECK(cuMemGetInfo_v2(&l, &a));
  if (left) *left = l > 0xffffffffu ? 0xffffffffu : (unsigned)l;
  if (all) *all = a > 0xffffffffu ? 0xffffffffu : (unsigned)a;
  return CUDA_SUCCESS;
}

/* ---- pinned host memory ---- */

static CUresult host_alloc(void **out, size_t bytes, unsigned flags) {
  ENTER_CONTEXT(ctx);
  NEED(out && bytes &&
       !(flags &
         ~(unsigned)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)));
  CHECK(cuda_capture_forbids());
  struct cuda_block *b;
  CHECK(cuda_allocate(&b, bytes, CUDA_B_HOST, ctx));
  b->flags = flags | CU_MEMHOSTALLOC_DEVICEMAP;
  *out = exec_mem_ptr(b->base);
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
  return host_alloc(out, bytes, flags);
}
CUDA_EXPORT CUresult cuMemAllocHost_v2(void **out, size_t bytes) { return host_alloc(out, bytes, 0); }
CUDA_EXPORT CUresult cuMemAllocHost(void **out, unsigned bytes);
CUDA_EXPORT CUresult cuMemAllocHost(void **out, unsigned bytes) { return host_alloc(out, bytes, 0); }

CUDA_EXPORT CUresult cuMemFreeHost(void *at) {
  ENTER();
  struct CUctx_st *ctx;
  CHECK(context_of_memory(&ctx, (uintptr_t)at));
  CHECK(cuda_capture_forbids());
  if (!at) return CUDA_SUCCESS;
  struct cuda_block *b = cuda_block_at((uintptr_t)at);
  if (!b || b->kind != CUDA_B_HOST) cuda_check_bad_free((uintptr_t)at);
  NEED(b && b->kind == CUDA_B_HOST);
  CHECK(cuda_drain(ctx, NULL));
  return cuda_block_free(b);
}

CUDA_EXPORT CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags) {
  ENTER_CONTEXT(ctx);
  const unsigned known =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
  const unsigned all = known | CU_MEMHOSTREGISTER_IOMEMORY;
  NEED(at && bytes && !(flags & ~all));
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY) return CUDA_ERROR_NOT_PERMITTED;
  CHECK(cuda_capture_forbids());
  NEED((uintptr_t)at <= UINTPTR_MAX - bytes);
  if (!exec_mem_register(cuda.mem, at, bytes)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  exec_mem_set_site(cuda.mem, (uintptr_t)at, cuda_call_site());
  struct cuda_block *b = cuda_block_add((uintptr_t)at, bytes, CUDA_B_REGISTERED, ctx);
  b->flags = (flags & known) | CU_MEMHOSTREGISTER_DEVICEMAP;
  return CUDA_SUCCESS;
}
#undef cuMemHostRegister
CUDA_ALIAS(cuMemHostRegister, cuMemHostRegister_v2);

CUDA_EXPORT CUresult cuMemHostUnregister(void *at) {
  ENTER_CONTEXT(ctx);
  NEED(at);
  CHECK(cuda_capture_forbids());
  struct cuda_block *b = cuda_block_at((uintptr_t)at);
  if (!b || b->kind != CUDA_B_REGISTERED) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  CHECK(cuda_drain(ctx, NULL));
  return cuda_block_free(b);
}

static bool host_block(const struct cuda_block *b) {
  return b && (b->kind == CUDA_B_HOST || b->kind == CUDA_B_REGISTERED);
}

CUDA_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *at, unsigned flags) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(out && at && !flags && host_block(cuda_block_holding((uintptr_t)at)));
  *out = (uintptr_t)at;
  return CUDA_SUCCESS;
}
CUDA_EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  NEED(flags && at);
  const struct cuda_block *b = cuda_block_holding((uintptr_t)at);
  NEED(host_block(b));
  *flags = b->flags;
  return CUDA_SUCCESS;
}
