/* Memory and events that several processes share by handles (cuIpc*), and memory of pools that they share.
 *
 * Each process simulates the device for itself: the processes share memory, but not time, SMs or caches. Device memory is private to a
 * process until it is exported. Then the blocks of 2 MB that hold the allocation are moved into a file without a name, at the offset that
 * is their address, and mapped from there; a process that opens the handle maps the same part of that file, through /proc, at an address of
 * its own. A block is moved back when none of its allocations is exported any more. A handle is valid as long as the process that made it
 * lives.
 *
 * A shared pool is passed to the other process as a small file without a name, which says in which file the memory lies. Memory of the pool
 * that is to be visible there is exported allocation by allocation, as above, and mapped when its description is imported. The importing
 * process frees it with a free of its own, which only ends the mapping.
 *
 * The tickets of an event between processes are in such a file: the last one, and which are open (state.h explains tickets). A call that
 * records such an event lets time pass until that has happened, because another process may wait for it. */
#include "base/arena.h"
#include "cuda/state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_TICKETS = 1024 /* per event, at the same time */ };

static const char memory_mark[8] = "hdlmem1", event_mark[8] = "hdlevt1", pool_mark[8] = "hdlpool", part_mark[8] = "hdlpart";

struct handle { /* contents of CUipcMemHandle, CUipcEventHandle, CUmemPoolPtrExportData and the file of a pool */
  char mark[8];
  int32_t pid, fd;
  uint64_t file;          /* its number, to detect a stale handle */
  uint64_t offset, bytes; /* of memory */
  uint64_t pool;          /* the pool's number in the process that owns it */
};
_Static_assert(sizeof(struct handle) <= CU_IPC_HANDLE_SIZE && sizeof(struct handle) <= sizeof(CUmemPoolPtrExportData), "it fits");

static struct {
  int fd; /* 0: nothing has been exported */
  struct {
    uint64_t base, bytes;
  } *at;
  size_t n, capacity;
} exported;

static struct {
  struct import {
    struct handle from;
    CUdeviceptr address, mapped; /* the program's address; what is mapped */
    uint64_t span;
    unsigned refs; /* 0: of a pool, which is freed, not closed */
  } *at;
  size_t n, capacity;
} imported;

/* ---- files between processes ---- */

static bool name_file(struct handle *h, const char mark[8], int fd) {
  struct stat s;
  if (fstat(fd, &s) != 0) return false;
  memcpy(h->mark, mark, sizeof h->mark);
  h->pid = getpid();
  h->fd = fd;
  h->file = (uint64_t)s.st_ino;
  return true;
}

/* -1: the process has ended, or has closed the file. */
static int open_file(const struct handle *h) {
  char path[64];
  struct stat s;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", h->pid, h->fd);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 || (fstat(fd, &s) == 0 && (uint64_t)s.st_ino == h->file)) return fd;
  close(fd);
  return -1;
}

/* ---- memory that is given ---- */

static uint64_t block_of(uint64_t at) { return at / EXEC_MAP_BLOCK; }

/* Whether an allocation in the block has been exported. */
static bool is_shared(uint64_t block) {
  for (size_t i = 0; i < exported.n; i++)
    if (block >= block_of(exported.at[i].base) && block <= block_of(exported.at[i].base + exported.at[i].bytes - 1)) return true;
  return false;
}

/* Maps a block from the file, or privately again, and keeps its contents. */
static bool remap(uint64_t block, bool shared) {
  uint64_t offset = block * EXEC_MAP_BLOCK;
  void *at = exec_mem_ptr(offset), *kept = must_alloc(EXEC_MAP_BLOCK);
  memcpy(kept, at, EXEC_MAP_BLOCK);
  void *now = shared ? mmap(at, EXEC_MAP_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, exported.fd, (off_t)offset)
                     : mmap(at, EXEC_MAP_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (now != MAP_FAILED) memcpy(at, kept, EXEC_MAP_BLOCK);
  free(kept);
  return now != MAP_FAILED;
}

static bool begin_exports(void) {
  if (exported.fd) return true;
  int fd = memfd_create("heddle", MFD_CLOEXEC);
  if (fd <= 0 || ftruncate(fd, (off_t)1 << 47) != 0) return false; /* no byte of it is allocated before it is used */
  exported.fd = fd;
  return true;
}

static bool is_exported(uint64_t base) {
  for (size_t i = 0; i < exported.n; i++)
    if (exported.at[i].base == base) return true;
  return false;
}

/* Exports an allocation: its place in the file from now on. */
static CUresult export_block(struct handle *h, const struct cuda_block *b, const char mark[8]) {
  if (!begin_exports()) return CUDA_ERROR_OUT_OF_MEMORY;
  if (!is_exported(b->base)) {
    for (uint64_t k = block_of(b->base); k <= block_of(b->base + b->bytes - 1); k++)
      if (!is_shared(k) && !remap(k, true)) return CUDA_ERROR_OUT_OF_MEMORY;
    GROW(exported.at, exported.capacity, exported.n + 1);
    exported.at[exported.n].base = b->base;
    exported.at[exported.n++].bytes = b->bytes;
  }
  *h = (struct handle){.offset = b->base, .bytes = b->bytes};
  return name_file(h, mark, exported.fd) ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

CUDA_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  const struct cuda_block *b = cuda_block_holding(at);
  NEED(out && b && (b->kind == CUDA_B_DEVICE || b->kind == CUDA_B_PITCHED));
  struct handle h;
  CHECK(export_block(&h, b, memory_mark));
  *out = (CUipcMemHandle){0};
  memcpy(out, &h, sizeof h);
  return CUDA_SUCCESS;
}

static void unmap_import(CUdeviceptr at) {
  for (size_t i = 0; i < imported.n; i++) {
    if (imported.at[i].address != at) continue;
    cuMemAddressFree(imported.at[i].mapped, imported.at[i].span);
    imported.at[i] = imported.at[--imported.n];
    return;
  }
}

void cuda_ipc_forget(const struct cuda_block *b) {
  if (b->kind == CUDA_B_IMPORTED || b->kind == CUDA_B_IMPORTED_PART) unmap_import(b->base);
  for (size_t i = 0; i < exported.n; i++) {
    if (exported.at[i].base != b->base) continue;
    exported.at[i] = exported.at[--exported.n];
    for (uint64_t k = block_of(b->base); k <= block_of(b->base + b->bytes - 1); k++)
      if (!is_shared(k)) remap(k, false);
    return;
  }
}

/* ---- memory that is taken ---- */

static CUresult map_import(struct import *i, int fd) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), skip = i->from.offset % page;
  i->span = (skip + i->from.bytes + EXEC_MAP_BLOCK - 1) / EXEC_MAP_BLOCK * EXEC_MAP_BLOCK;
  CHECK(cuMemAddressReserve(&i->mapped, i->span, 0, 0, 0));
  if (mmap(exec_mem_ptr(i->mapped), skip + i->from.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
           (off_t)(i->from.offset - skip)) == MAP_FAILED) {
    cuMemAddressFree(i->mapped, i->span);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  i->address = i->mapped + skip;
  return CUDA_SUCCESS;
}

/* Imports memory of the file fd into this process. */
static CUresult import_block(struct cuda_block **out, struct import *i, int fd, struct CUctx_st *ctx) {
  CHECK(map_import(i, fd));
  if (!exec_mem_register(cuda.mem, exec_mem_ptr(i->address), i->from.bytes)) {
    cuMemAddressFree(i->mapped, i->span);
    return CUDA_ERROR_ALREADY_MAPPED;
  }
  *out = cuda_block_add(i->address, i->from.bytes, i->refs ? CUDA_B_IMPORTED : CUDA_B_IMPORTED_PART, ctx);
  GROW(imported.at, imported.capacity, imported.n + 1);
  imported.at[imported.n++] = *i;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags) {
  ENTER_CONTEXT(ctx);
  struct handle h;
  memcpy(&h, &handle, sizeof h);
  NEED(out && flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS && !memcmp(h.mark, memory_mark, sizeof h.mark) && h.bytes);
  if (h.pid == getpid()) return CUDA_ERROR_INVALID_CONTEXT; /* like the driver: the memory is already in this process */
  for (size_t i = 0; i < imported.n; i++)
    if (!memcmp(&imported.at[i].from, &h, sizeof h)) {
      imported.at[i].refs++;
      *out = imported.at[i].address;
      return CUDA_SUCCESS;
    }
  struct import i = {.from = h, .refs = 1};
  struct cuda_block *b;
  int fd = open_file(&h);
  if (fd < 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = import_block(&b, &i, fd, ctx);
  close(fd);
  if (r == CUDA_SUCCESS) *out = b->base;
  return r;
}
#undef cuIpcOpenMemHandle
CUDA_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

CUDA_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr at) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  for (size_t i = 0; i < imported.n; i++) {
    struct import *m = &imported.at[i];
    if (m->address != at) continue;
    NEED(m->refs);
    return --m->refs ? CUDA_SUCCESS : cuda_block_free(cuda_block_at(at));
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/* ---- pools ---- */

CUDA_EXPORT CUresult cuMemPoolExportToShareableHandle(void *out, CUmemoryPool pool, CUmemAllocationHandleType type,
                                                      unsigned long long flags) {
  ENTER();
  NEED(out && cuda_is(pool, CUDA_K_POOL) && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
       pool->props.handleTypes & type && !pool->imported);
  struct handle h = {.pool = pool->number};
  if (!begin_exports() || !name_file(&h, pool_mark, exported.fd)) return CUDA_ERROR_OPERATING_SYSTEM;
  int fd = memfd_create("heddle", MFD_CLOEXEC);
  if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  if (pwrite(fd, &h, sizeof h, 0) != sizeof h) {
    close(fd);
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  *(int *)out = fd;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *handle, CUmemAllocationHandleType type,
                                                        unsigned long long flags) {
  ENTER();
  struct handle h;
  NEED(out && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  NEED(pread((int)(intptr_t)handle, &h, sizeof h, 0) == sizeof h && !memcmp(h.mark, pool_mark, sizeof h.mark));
  int fd = open_file(&h);
  NEED(fd >= 0);
  CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .handleTypes = type,
                          .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
  *out = cuda_pool_new(&props);
  (*out)->imported = true;
  (*out)->fd = fd;
  (*out)->number = h.pool;
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *out, CUdeviceptr at) {
  ENTER();
  const struct cuda_block *b = cuda_block_at(at);
  NEED(out && b && b->kind == CUDA_B_POOL && b->pool && b->pool->props.handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  struct handle h;
  CHECK(export_block(&h, b, part_mark));
  h.pool = b->pool->number;
  *out = (CUmemPoolPtrExportData){0};
  memcpy(out, &h, sizeof h);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
  ENTER_CONTEXT(ctx);
  struct stat s;
  struct handle h;
  NEED(out && data && cuda_is(pool, CUDA_K_POOL) && pool->imported);
  memcpy(&h, data, sizeof h);
  NEED(!memcmp(h.mark, part_mark, sizeof h.mark) && h.bytes && h.pool == pool->number && fstat(pool->fd, &s) == 0 &&
       (uint64_t)s.st_ino == h.file);
  struct import i = {.from = h};
  struct cuda_block *b;
  CHECK(import_block(&b, &i, pool->fd, ctx));
  *out = b->base;
  return CUDA_SUCCESS;
}

void cuda_pool_forget(const struct CUmemPoolHandle_st *pool) {
  if (pool->imported) close(pool->fd);
}

/* ---- events ---- */

struct cuda_shared_event {
  uint64_t issued;
  uint64_t open[OPEN_TICKETS]; /* a ticket is at its number modulo the array's length; 0: none */
};

static struct cuda_shared_event *map_event(int fd) {
  void *p = mmap(NULL, sizeof(struct cuda_shared_event), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return p == MAP_FAILED ? NULL : p;
}

bool cuda_event_share(struct CUevent_st *e) {
  int fd = memfd_create("heddle", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, sizeof *e->shared) != 0) return false;
  e->shared_fd = fd;
  e->shared = map_event(fd);
  return e->shared != NULL;
}

void cuda_event_unshare(struct CUevent_st *e) {
  if (!e->shared) return;
  munmap(e->shared, sizeof *e->shared);
  if (e->shared_fd >= 0) close(e->shared_fd);
}

uint64_t cuda_shared_latest(const struct cuda_shared_event *s) { return __atomic_load_n(&s->issued, __ATOMIC_ACQUIRE); }

uint64_t cuda_shared_issue(struct cuda_shared_event *s) {
  uint64_t ticket = __atomic_add_fetch(&s->issued, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(&s->open[ticket % OPEN_TICKETS], ticket, __ATOMIC_RELEASE);
  return ticket;
}

void cuda_shared_close(struct cuda_shared_event *s, uint64_t ticket) {
  __atomic_compare_exchange_n(&s->open[ticket % OPEN_TICKETS], &ticket, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool cuda_shared_done(const struct cuda_shared_event *s, uint64_t ticket) {
  return !ticket || __atomic_load_n(&s->open[ticket % OPEN_TICKETS], __ATOMIC_ACQUIRE) != ticket;
}

CUDA_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *out, CUevent event) {
  ENTER_CONTEXT(ctx);
  (void)ctx;
  if (!cuda_is(event, CUDA_K_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
  NEED(out && event->shared && event->shared_fd >= 0);
  struct handle h = {0};
  if (!name_file(&h, event_mark, event->shared_fd)) return CUDA_ERROR_OPERATING_SYSTEM;
  *out = (CUipcEventHandle){0};
  memcpy(out, &h, sizeof h);
  return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle) {
  ENTER_CONTEXT(ctx);
  struct handle h;
  memcpy(&h, &handle, sizeof h);
  NEED(out && !memcmp(h.mark, event_mark, sizeof h.mark));
  if (h.pid == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  int fd = open_file(&h);
  NEED(fd >= 0);
  struct cuda_shared_event *s = map_event(fd);
  close(fd);
  if (!s) return CUDA_ERROR_MAP_FAILED;
  struct CUevent_st *e = cuda_object_new(CUDA_K_EVENT, ctx, sizeof *e);
  e->flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  e->shared = s;
  e->shared_fd = -1;
  *out = e;
  return CUDA_SUCCESS;
}
