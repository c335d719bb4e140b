/* Virtual memory management: address ranges, physical memory, mappings.
 *
 * Physical memory is an anonymous file, and a mapping is a shared mapping of it at the reserved address, so the same memory may be visible
 * at several addresses, as on a GPU. A mapping becomes visible to kernels and copies when access is given. Addresses are reserved upwards
 * from a fixed place and not reused within a process. Other processes receive that file as a descriptor. */
#include "base/arena.h"
#include "cuda/state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY  2097152ull
#define VIRTUAL_BASE 0x280000000000ull
#define VIRTUAL_END  0x2f0000000000ull

struct range {
  uint64_t base, bytes;
};
static struct {
  struct range *at;
  size_t n, capacity;
  uint64_t top;
} reserved;

static bool whole(uint64_t n) { return n && n % GRANULARITY == 0; }

/* ---- addresses ---- */

CUDA_EXPORT CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr hint,
                                         unsigned long long flags) {
  ENTER();
  (void)hint; /* a hint may be ignored */
  NEED(out && !flags && whole(bytes) && (align & (align - 1)) == 0);
  if (align < GRANULARITY) align = GRANULARITY;
  if (!reserved.top) reserved.top = VIRTUAL_BASE;
  uint64_t base = (reserved.top + align - 1) & ~(uint64_t)(align - 1);
  if (base < reserved.top || bytes > VIRTUAL_END - VIRTUAL_BASE || base > VIRTUAL_END - bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *p = mmap(exec_mem_ptr(base), bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  GROW(reserved.at, reserved.capacity, reserved.n + 1);
  reserved.at[reserved.n++] = (struct range){base, bytes};
  reserved.top = base + bytes;
  *out = base;
  return CUDA_SUCCESS;
}

static bool mapped_within(uint64_t base, uint64_t bytes) {
  for (size_t i = 0; i < cuda.n_blocks; i++) {
    const struct cuda_block *b = cuda.blocks[i];
    if (b->kind == CUDA_B_MAPPED && b->base < base + bytes && base < b->base + b->bytes) return true;
  }
  return false;
}

CUDA_EXPORT CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes) {
  ENTER();
  for (size_t i = 0; i < reserved.n; i++) {
    if (reserved.at[i].base != at || reserved.at[i].bytes != bytes) continue;
    NEED(!mapped_within(at, bytes));
    munmap(exec_mem_ptr(at), bytes);
    reserved.at[i] = reserved.at[--reserved.n];
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/* ---- physical memory ---- */

static struct cuda_physical *physical(CUmemGenericAllocationHandle h) {
  struct cuda_physical *p = exec_mem_ptr(h);
  return cuda_is(p, CUDA_K_PHYSICAL) ? p : NULL;
}

static CUresult check_prop(const CUmemAllocationProp *prop) {
  NEED(prop && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
       prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  NEED_DEVICE(prop->location.id);
  if (prop->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *prop,
                                                   CUmemAllocationGranularity_flags which) {
  ENTER();
  (void)which;
  NEED(out);
  CHECK(check_prop(prop));
  *out = GRANULARITY;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                                 const CUmemAllocationProp *prop, unsigned long long flags) {
  ENTER();
  NEED(out && !flags && whole(bytes));
  CHECK(check_prop(prop));
  if (bytes > exec_mem_capacity(cuda.mem) - exec_mem_used(cuda.mem) - cuda.physical_bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  int fd = memfd_create("heddle", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
    if (fd >= 0) close(fd);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  struct cuda_physical *p = cuda_object_new(CUDA_K_PHYSICAL, NULL, sizeof *p);
  p->fd = fd;
  p->bytes = bytes;
  p->refs = 1;
  p->prop = *prop;
  cuda.physical_bytes += bytes;
  *out = (uintptr_t)p;
  return CUDA_SUCCESS;
}

/* Other processes receive the file itself. */
CUDA_EXPORT CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle h, CUmemAllocationHandleType type,
                                                  unsigned long long flags) {
  ENTER();
  const struct cuda_physical *p = physical(h);
  NEED(out && p && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && p->prop.requestedHandleTypes & type);
  int fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  *(int *)out = fd;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *handle, CUmemAllocationHandleType type) {
  ENTER();
  NEED(out && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  int fd = fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 0);
  struct stat s;
  if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !whole((uint64_t)s.st_size)) {
    if (fd >= 0) close(fd);
    return CUDA_ERROR_INVALID_VALUE;
  }
  struct cuda_physical *p = cuda_object_new(CUDA_K_PHYSICAL, NULL, sizeof *p);
  *p = (struct cuda_physical){.o = p->o, .fd = fd, .bytes = (uint64_t)s.st_size, .refs = 1};
  p->prop = (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = type,
                                  .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
  cuda.physical_bytes += p->bytes;
  *out = (uintptr_t)p;
  return CUDA_SUCCESS;
}

static void unref(struct cuda_physical *p) {
  if (--p->refs) return;
  close(p->fd);
  cuda.physical_bytes -= p->bytes;
  cuda_object_delete(p);
}

CUDA_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle h) {
  ENTER();
  struct cuda_physical *p = physical(h);
  NEED(p);
  unref(p);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                            CUmemGenericAllocationHandle h) {
  ENTER();
  const struct cuda_physical *p = physical(h);
  NEED(prop && p);
  *prop = p->prop;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *at) {
  ENTER();
  const struct cuda_block *b = cuda_block_holding((uintptr_t)at);
  NEED(out && b && b->kind == CUDA_B_MAPPED);
  b->physical->refs++;
  *out = (uintptr_t)b->physical;
  return CUDA_SUCCESS;
}

/* ---- mappings ---- */

static bool reserved_holds(uint64_t at, uint64_t bytes) {
  for (size_t i = 0; i < reserved.n; i++)
    if (at >= reserved.at[i].base && bytes <= reserved.at[i].bytes &&
        at - reserved.at[i].base <= reserved.at[i].bytes - bytes)
      return true;
  return false;
}

CUDA_EXPORT CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle h,
                              unsigned long long flags) {
  ENTER();
  struct cuda_physical *p = physical(h);
  NEED(p && !flags && whole(bytes) && at % GRANULARITY == 0 && offset % GRANULARITY == 0);
  NEED(bytes <= p->bytes && offset <= p->bytes - bytes && reserved_holds(at, bytes) &&
       !mapped_within(at, bytes));
  void *m =
      mmap(exec_mem_ptr(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->fd, (off_t)offset);
  if (m == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  struct cuda_block *b = cuda_block_add(at, bytes, CUDA_B_MAPPED, NULL);
  b->physical = p;
  b->physical_offset = offset;
  p->refs++;
  return CUDA_SUCCESS;
}

/* Whether mappings cover the range completely, without gaps or partial mappings. */
static bool covered(uint64_t at, uint64_t bytes) {
  uint64_t next = at;
  while (next < at + bytes) {
    const struct cuda_block *b = cuda_block_at(next);
    if (!b || b->kind != CUDA_B_MAPPED) return false;
    next += b->bytes;
  }
  return next == at + bytes;
}

CUDA_EXPORT CUresult cuMemUnmap(CUdeviceptr at, size_t bytes) {
  ENTER();
  NEED(whole(bytes) && at <= UINT64_MAX - bytes && covered(at, bytes));
  for (uint64_t next = at; next < at + bytes;) {
    struct cuda_block *b = cuda_block_at(next);
    next += b->bytes;
    mmap(exec_mem_ptr(b->base), b->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    unref(b->physical);
    cuda_block_free(b);
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *list, size_t n) {
  ENTER();
  NEED(list && n && whole(bytes) && at <= UINT64_MAX - bytes && covered(at, bytes));
  for (size_t i = 0; i < n; i++) {
    NEED(list[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    NEED_DEVICE(list[i].location.id);
    for (uint64_t next = at; next < at + bytes;) {
      struct cuda_block *b = cuda_block_at(next);
      next += b->bytes;
      bool was = b->access != CU_MEM_ACCESS_FLAGS_PROT_NONE,
           is = list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
      if (is && !was) exec_mem_register(cuda.mem, exec_mem_ptr(b->base), b->bytes);
      if (was && !is) exec_mem_unregister(cuda.mem, exec_mem_ptr(b->base));
      b->access = list[i].flags;
    }
  }
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr at) {
  ENTER();
  const struct cuda_block *b = cuda_block_holding(at);
  NEED(flags && where && b && b->kind == CUDA_B_MAPPED);
  *flags = where->type == CU_MEM_LOCATION_TYPE_DEVICE && where->id == 0 ? b->access
                                                                        : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
