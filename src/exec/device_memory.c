/* See device_memory.h. Live allocations are kept sorted by base in one array; device and host windows are bump
 * allocated with a first-fit list of holes, so addresses depend only on the sequence of calls. */
#include "exec/device_memory.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FREED_KEPT = 256 };
#define HOST_CAPACITY (UINT64_C(64) << 30)

struct window {
  uint64_t base, capacity, top; /* [base, base + capacity) is reserved; above base + top nothing was ever used */
  struct exec_alloc_range *holes;
  size_t n_holes, holes_cap;
};

struct exec_mem {
  struct window device, host;
  struct exec_alloc *live; /* sorted by base */
  size_t n_live, live_cap;
  struct exec_alloc freed[FREED_KEPT]; /* ring */
  size_t n_freed;
  uint64_t used, capacity, version, code_top;
};

static bool reserve(struct window *w, uint64_t want, uint64_t capacity, struct err *e) {
  void *at = exec_mem_ptr(want);
  void *p = mmap(at, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                 -1, 0);
  /* Another simulator in the same process may hold the usual place: take any. */
  if (p == MAP_FAILED && errno == EEXIST)
    p = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return err_set(e, ERR_SYSTEM, "cannot reserve %llu MiB of address space for device memory: %s",
                   (unsigned long long)(capacity >> 20), strerror(errno));
  w->base = (uint64_t)(uintptr_t)p;
  w->capacity = capacity;
  return true;
}

struct exec_mem *exec_mem_new(uint64_t capacity, struct err *e) {
  struct exec_mem *m = must_alloc(sizeof *m);
  m->capacity = capacity;
  if (!reserve(&m->device, EXEC_DEVICE_BASE, capacity, e)) {
    free(m);
    return NULL;
  }
  if (!reserve(&m->host, EXEC_HOST_BASE, HOST_CAPACITY, e)) {
    munmap(exec_mem_ptr(m->device.base), m->device.capacity);
    free(m);
    return NULL;
  }
  return m;
}

void exec_mem_delete(struct exec_mem *m) {
  if (!m) return;
  munmap(exec_mem_ptr(m->device.base), m->device.capacity);
  munmap(exec_mem_ptr(m->host.base), m->host.capacity);
  free(m->device.holes);
  free(m->host.holes);
  free(m->live);
  free(m);
}

/* ---- places in a window ----------------------------------------------------------------------------------------- */

static uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) & ~(align - 1); }

static void add_hole(struct window *w, uint64_t base, uint64_t end) {
  if (base == end) return;
  for (size_t i = 0; i < w->n_holes; i++) { /* neighbours become one */
    struct exec_alloc_range *h = &w->holes[i];
    if (h->end != base && h->base != end) continue;
    base = h->base < base ? h->base : base;
    end = h->end > end ? h->end : end;
    *h = w->holes[--w->n_holes];
    add_hole(w, base, end);
    return;
  }
  GROW(w->holes, w->holes_cap, w->n_holes + 1);
  w->holes[w->n_holes++] = (struct exec_alloc_range){base, end};
}

/* The lowest fitting hole, so that addresses do not depend on the order holes are kept in. */
static uint64_t take_hole(struct window *w, uint64_t bytes, uint64_t align) {
  size_t best = w->n_holes;
  for (size_t i = 0; i < w->n_holes; i++) {
    const struct exec_alloc_range *h = &w->holes[i];
    if (align_up(h->base, align) + bytes > h->end) continue;
    if (best == w->n_holes || h->base < w->holes[best].base) best = i;
  }
  if (best == w->n_holes) return 0;
  struct exec_alloc_range h = w->holes[best];
  w->holes[best] = w->holes[--w->n_holes];
  uint64_t at = align_up(h.base, align);
  add_hole(w, h.base, at);
  add_hole(w, at + bytes, h.end);
  memset(exec_mem_ptr(at), 0, bytes);
  return at;
}

static uint64_t place(struct window *w, uint64_t bytes, uint64_t align) {
  uint64_t at = take_hole(w, bytes, align);
  if (at) return at;
  at = align_up(w->base + w->top, align);
  if (at + bytes > w->base + w->capacity) return 0;
  add_hole(w, w->base + w->top, at);
  w->top = at + bytes - w->base;
  return at;
}

static bool in_window(const struct window *w, uint64_t addr) { return addr - w->base < w->capacity; }

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Index of the first live allocation whose end is above addr. */
static size_t lower_bound(const struct exec_mem *m, uint64_t addr) {
  size_t lo = 0, hi = m->n_live;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (m->live[mid].range.end <= addr) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

static bool enter(struct exec_mem *m, struct exec_alloc a) {
  size_t at = lower_bound(m, a.range.base);
  if (at < m->n_live && m->live[at].range.base < a.range.end) return false;
  GROW(m->live, m->live_cap, m->n_live + 1);
  memmove(m->live + at + 1, m->live + at, (m->n_live - at) * sizeof *m->live);
  m->live[at] = a;
  m->n_live++;
  m->version++;
  return true;
}

static bool remove_at(struct exec_mem *m, uint64_t base, struct exec_alloc *out) {
  size_t at = lower_bound(m, base);
  if (at == m->n_live || m->live[at].range.base != base) return false;
  *out = m->live[at];
  memmove(m->live + at, m->live + at + 1, (m->n_live - at - 1) * sizeof *m->live);
  m->n_live--;
  m->version++;
  m->freed[m->n_freed++ % FREED_KEPT] = *out;
  m->freed[(m->n_freed - 1) % FREED_KEPT].freed = true;
  return true;
}

static bool counts_as_device(const struct exec_mem *m, const struct exec_alloc *a) {
  return in_window(&m->device, a->range.base);
}

uint64_t exec_mem_alloc(struct exec_mem *m, uint64_t bytes, uint64_t align, enum exec_alloc_kind kind,
                        const char *name) {
  if (align < 256 && kind != EXEC_ALLOC_MODULE && kind != EXEC_ALLOC_CONST) align = 256;
  if (bytes == 0) bytes = 1;
  bool host = kind == EXEC_ALLOC_HOST;
  if (!host && (bytes > m->capacity || m->used + bytes > m->capacity)) return 0;
  uint64_t at = place(host ? &m->host : &m->device, align_up(bytes, 16), align);
  if (!at) return 0;
  enter(m, (struct exec_alloc){.range = {at, at + bytes}, .kind = (uint8_t)kind, .name = name});
  if (!host) m->used += bytes;
  return at;
}

bool exec_mem_free(struct exec_mem *m, uint64_t base) {
  struct exec_alloc a;
  if (!in_window(&m->device, base) && !in_window(&m->host, base)) return false;
  if (!remove_at(m, base, &a)) return false;
  if (counts_as_device(m, &a)) m->used -= a.range.end - a.range.base;
  add_hole(counts_as_device(m, &a) ? &m->device : &m->host, a.range.base, align_up(a.range.end, 16));
  return true;
}

bool exec_mem_register(struct exec_mem *m, void *host, uint64_t bytes) {
  uint64_t at = (uint64_t)(uintptr_t)host;
  if (!bytes) return false;
  return enter(m, (struct exec_alloc){.range = {at, at + bytes}, .kind = EXEC_ALLOC_REGISTERED});
}

bool exec_mem_unregister(struct exec_mem *m, void *host) {
  struct exec_alloc a;
  uint64_t at = (uint64_t)(uintptr_t)host;
  size_t i = lower_bound(m, at);
  if (i == m->n_live || m->live[i].range.base != at || m->live[i].kind != EXEC_ALLOC_REGISTERED) return false;
  return remove_at(m, at, &a);
}

const struct exec_alloc *exec_mem_find(const struct exec_mem *m, uint64_t addr, const struct exec_alloc **near) {
  size_t at = lower_bound(m, addr);
  if (near) *near = NULL;
  if (at < m->n_live && addr >= m->live[at].range.base) return &m->live[at];
  if (near)
    for (size_t i = 0; i < FREED_KEPT && i < m->n_freed; i++) {
      const struct exec_alloc *f = &m->freed[i];
      if (addr >= f->range.base && addr < f->range.end) *near = f;
    }
  return NULL;
}

const struct exec_alloc *exec_mem_nearest(const struct exec_mem *m, uint64_t addr) {
  size_t at = lower_bound(m, addr);
  const struct exec_alloc *above = at < m->n_live ? &m->live[at] : NULL;
  const struct exec_alloc *below = at > 0 ? &m->live[at - 1] : NULL;
  if (!above || !below) return above ? above : below;
  if (addr >= above->range.base) return above;
  return addr - below->range.end < above->range.base - addr ? below : above;
}

uint64_t exec_mem_used(const struct exec_mem *m) { return m->used; }
uint64_t exec_mem_capacity(const struct exec_mem *m) { return m->capacity; }
uint64_t exec_mem_version(const struct exec_mem *m) { return m->version; }

uint64_t exec_mem_code(struct exec_mem *m, uint32_t n) {
  uint64_t first = EXEC_CODE_WINDOW + 16 * (1 + m->code_top);
  m->code_top += n;
  return first;
}
