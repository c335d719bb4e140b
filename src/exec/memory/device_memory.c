/* See device_memory.h. Live allocations are kept sorted by base in one array. Addresses are taken from the end of the device and host
 * windows, or from a first-fit list of holes, so they depend only on the sequence of calls. A window counts for each of its blocks how many
 * live allocations have a byte in it. */
#include "exec/memory/device_memory.h"

#include "base/arena.h"
#include "exec/observe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FREED_KEPT = 256, LEAST_ALIGN = 256 };
#define HOST_CAPACITY (UINT64_C(64) << 30)
#define HOST_PAGE UINT64_C(4096)
#define LARGE     (UINT64_C(32) << 20) /* bytes of an allocation for which the host is asked for large pages */

struct window {
  uint64_t base, capacity, top; /* [base, base + capacity) is for allocations; above base + top there was never one */
  uint64_t from, end;           /* all that is reserved, including a block below base */
  uint32_t *uses;               /* by block: live allocations with a byte in it; the first block is the one below base */
  struct exec_alloc_range *holes;
  size_t n_holes, holes_cap;
};

struct exec_mem {
  struct window device, host;
  struct exec_alloc *live; /* sorted by base */
  size_t n_live, live_cap;
  struct exec_alloc freed[FREED_KEPT]; /* ring */
  size_t n_freed;
  uint64_t used, capacity, version, code_top, serial;
  const struct exec_observer *observer;
  uint64_t red_zone, zones; /* bytes behind each allocation; of all of them, at most the capacity */
};

static uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) & ~(align - 1); }

static void *reserve_at(void *at, uint64_t bytes, int flags) {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static bool reserve(struct window *w, uint64_t want, uint64_t capacity, struct err *e) {
  uint64_t bytes = align_up(capacity, EXEC_MAP_BLOCK) + EXEC_MAP_BLOCK, slack = 0;
  void *p = reserve_at(exec_mem_ptr(want - EXEC_MAP_BLOCK), bytes, MAP_FIXED_NOREPLACE);
  /* Another simulator in the same process may hold the usual place: take any. */
  if (p == MAP_FAILED && errno == EEXIST) p = reserve_at(NULL, bytes + (slack = EXEC_MAP_BLOCK), 0);
  if (p == MAP_FAILED)
    return err_set(e, ERR_SYSTEM, "cannot reserve %llu MiB of address space for device memory: %s",
                   (unsigned long long)(capacity >> 20), strerror(errno));
  w->from = (uint64_t)(uintptr_t)p;
  w->end = w->from + bytes + slack;
  w->base = align_up(w->from, EXEC_MAP_BLOCK) + EXEC_MAP_BLOCK;
  w->capacity = capacity;
  w->uses = must_alloc(bytes / EXEC_MAP_BLOCK * sizeof *w->uses);
  return true;
}

static void release(struct window *w) {
  if (w->from) munmap(exec_mem_ptr(w->from), w->end - w->from);
  free(w->uses);
  free(w->holes);
}

struct exec_mem *exec_mem_new_apart(uint64_t capacity, uint64_t red_zone, struct err *e) {
  struct exec_mem *m = must_alloc(sizeof *m);
  uint64_t window = red_zone ? 2 * capacity : capacity; /* red zones take addresses, not memory */
  m->capacity = capacity;
  m->red_zone = red_zone;
  if (!reserve(&m->device, EXEC_DEVICE_BASE, window, e) || !reserve(&m->host, EXEC_HOST_BASE, HOST_CAPACITY, e)) {
    exec_mem_delete(m);
    return NULL;
  }
  m->device.uses[0] = 1;
  return m;
}

struct exec_mem *exec_mem_new(uint64_t capacity, struct err *e) { return exec_mem_new_apart(capacity, 0, e); }

void exec_mem_delete(struct exec_mem *m) {
  if (!m) return;
  release(&m->device);
  release(&m->host);
  free(m->live);
  free(m);
}

/* ---- places in a window ----------------------------------------------------------------------------------------- */

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
  return at;
}

/* Clears the whole pages [from, end). Those that the host holds (`here`) are filled with zeros, which takes a tenth of the time of giving
 * them back and getting new ones; the others, whose contents may be on disk, are given back. */
static bool clear_pages(uint64_t from, uint64_t end, bool here) {
  if (here) memset(exec_mem_ptr(from), 0, end - from);
  return here || from == end || !madvise(exec_mem_ptr(from), end - from, MADV_DONTNEED);
}

/* False: the host does not report which pages it holds, or takes none back. */
static bool clear_whole_pages(uint64_t from, uint64_t end) {
  enum { AT_ONCE = 4096 };
  unsigned char held[AT_ONCE];
  bool ok = true;
  while (ok && from < end) {
    uint64_t n = (end - from) / HOST_PAGE < AT_ONCE ? (end - from) / HOST_PAGE : AT_ONCE, i = 0;
    if (mincore(exec_mem_ptr(from), n * HOST_PAGE, held)) return false;
    while (i < n) {
      uint64_t first = i++;
      while (i < n && (held[i] & 1) == (held[first] & 1)) i++;
      ok &= clear_pages(from + first * HOST_PAGE, from + i * HOST_PAGE, held[first] & 1);
    }
    from += n * HOST_PAGE;
  }
  return ok;
}

/* Kernels may have written there, inside allocations or outside. */
static void clear(uint64_t at, uint64_t bytes) {
  uint64_t first = align_up(at, HOST_PAGE), last = (at + bytes) & ~(HOST_PAGE - 1);
  if (bytes < 16 * HOST_PAGE || !clear_whole_pages(first, last)) {
    memset(exec_mem_ptr(at), 0, bytes);
    return;
  }
  memset(exec_mem_ptr(at), 0, first - at);
  memset(exec_mem_ptr(last), 0, at + bytes - last);
}

static uint64_t find_place(struct window *w, uint64_t bytes, uint64_t align) {
  uint64_t at = take_hole(w, bytes, align);
  if (at) return at;
  at = align_up(w->base + w->top, align);
  if (at + bytes > w->base + w->capacity) return 0;
  add_hole(w, w->base + w->top, at);
  w->top = at + bytes - w->base;
  return at;
}

static uint64_t place(struct window *w, uint64_t bytes, uint64_t align) {
  uint64_t at = find_place(w, bytes, align);
  if (at) clear(at, bytes);
  if (at && bytes >= LARGE) /* a program that fills gigabytes would spend most of its time in faults of small pages; a hint, no more */
    madvise(exec_mem_ptr(align_up(at, HOST_PAGE)), (bytes - HOST_PAGE) & ~(HOST_PAGE - 1), MADV_HUGEPAGE);
  return at;
}

static bool in_window(const struct window *w, uint64_t addr) { return addr - w->base < w->capacity; }

static size_t block_of(const struct window *w, uint64_t addr) { return (addr - w->base + EXEC_MAP_BLOCK) / EXEC_MAP_BLOCK; }

/* Counts an allocation that is added (by 1) or removed (by -1). */
static void use_blocks(struct window *w, struct exec_alloc_range r, int by) {
  for (size_t i = block_of(w, r.base); i <= block_of(w, r.end - 1); i++) w->uses[i] += (uint32_t)by;
}

static bool blocks_mapped(const struct window *w, uint64_t addr, uint64_t bytes) {
  uint64_t from = w->base - EXEC_MAP_BLOCK, size = w->capacity + EXEC_MAP_BLOCK;
  if (addr - from >= size || bytes > size - (addr - from)) return false;
  for (size_t i = block_of(w, addr); i <= block_of(w, addr + bytes - 1); i++)
    if (!w->uses[i]) return false;
  return true;
}

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
  m->live[at].serial = ++m->serial;
  m->n_live++;
  m->version++;
  if (m->observer) m->observer->allocated(m->observer->user, &m->live[at]);
  return true;
}

static bool remove_at(struct exec_mem *m, uint64_t base, struct exec_alloc *out) {
  size_t at = lower_bound(m, base);
  if (at == m->n_live || m->live[at].range.base != base) return false;
  *out = m->live[at];
  if (m->observer) m->observer->freed(m->observer->user, out);
  memmove(m->live + at, m->live + at + 1, (m->n_live - at - 1) * sizeof *m->live);
  m->n_live--;
  m->version++;
  m->freed[m->n_freed++ % FREED_KEPT] = *out;
  m->freed[(m->n_freed - 1) % FREED_KEPT].freed = true;
  return true;
}

static struct window *window_of(struct exec_mem *m, uint64_t base) {
  return in_window(&m->device, base) ? &m->device : in_window(&m->host, base) ? &m->host : NULL;
}

static bool is_variable(enum exec_alloc_kind kind) { return kind == EXEC_ALLOC_MODULE || kind == EXEC_ALLOC_CONST; }

/* No other allocation lies in the last unit of one; variables are packed. */
uint64_t exec_mem_alloc(struct exec_mem *m, uint64_t bytes, uint64_t align, enum exec_alloc_kind kind,
                        const char *name) {
  if (align < LEAST_ALIGN && !is_variable(kind)) align = LEAST_ALIGN;
  if (bytes == 0) bytes = 1;
  bool host = kind == EXEC_ALLOC_HOST;
  struct window *w = host ? &m->host : &m->device;
  if (bytes > w->capacity || (!host && m->used + bytes > m->capacity)) return 0;
  uint64_t zone = m->zones + m->red_zone <= m->capacity ? m->red_zone : 0;
  uint64_t taken = align_up(bytes, is_variable(kind) ? 16 : align) + zone, at = place(w, taken, align);
  if (!at) return 0;
  m->zones += zone;
  struct exec_alloc_range range = {at, at + bytes};
  enter(m, (struct exec_alloc){.range = range, .kind = (uint8_t)kind, .name = name, .taken = taken, .zone = zone});
  use_blocks(w, range, 1);
  if (!host) m->used += bytes;
  return at;
}

bool exec_mem_free(struct exec_mem *m, uint64_t base) {
  struct exec_alloc a;
  struct window *w = window_of(m, base);
  if (!w || !remove_at(m, base, &a)) return false;
  if (w == &m->device) m->used -= a.range.end - a.range.base;
  m->zones -= a.zone;
  use_blocks(w, a.range, -1);
  add_hole(w, a.range.base, a.range.base + a.taken);
  return true;
}

void exec_mem_set_site(struct exec_mem *m, uint64_t base, const void *site) {
  size_t at = lower_bound(m, base);
  if (at < m->n_live && m->live[at].range.base == base) m->live[at].site = site;
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
  for (size_t i = 0; near && !*near && i < FREED_KEPT && i < m->n_freed; i++) {
    const struct exec_alloc *f = &m->freed[(m->n_freed - 1 - i) % FREED_KEPT];
    if (addr >= f->range.base && addr < f->range.end) *near = f;
  }
  return NULL;
}

void exec_mem_around(const struct exec_mem *m, uint64_t addr, const struct exec_alloc **below, const struct exec_alloc **above) {
  size_t at = lower_bound(m, addr);
  if (at < m->n_live && m->live[at].range.base <= addr) at++;
  *below = at > 0 ? &m->live[at - 1] : NULL;
  *above = at < m->n_live ? &m->live[at] : NULL;
}

const struct exec_alloc *exec_mem_nearest(const struct exec_mem *m, uint64_t addr) {
  const struct exec_alloc *below, *above;
  exec_mem_around(m, addr, &below, &above);
  if (!above || !below) return above ? above : below;
  return addr < below->range.end || addr - below->range.end < above->range.base - addr ? below : above;
}

const struct exec_alloc *exec_mem_live(const struct exec_mem *m, size_t *n) {
  *n = m->n_live;
  return m->live;
}

/* ---- what is mapped ---------------------------------------------------------------------------------------------- */

/* Whole pages of registered memory are pinned, so their other bytes can be accessed too. */
static bool pages_hold(const struct exec_alloc *a, uint64_t addr, uint64_t bytes) {
  if (!a || a->kind != EXEC_ALLOC_REGISTERED) return false;
  uint64_t from = a->range.base & ~(HOST_PAGE - 1), size = align_up(a->range.end, HOST_PAGE) - from;
  return addr - from < size && bytes <= size - (addr - from);
}

bool exec_mem_mapped(const struct exec_mem *m, uint64_t addr, uint64_t bytes) {
  if (!bytes) bytes = 1;
  if (blocks_mapped(&m->device, addr, bytes) || blocks_mapped(&m->host, addr, bytes)) return true;
  const struct exec_alloc *below, *above;
  exec_mem_around(m, addr, &below, &above);
  return pages_hold(below, addr, bytes) || pages_hold(above, addr, bytes);
}

bool exec_mem_backed(const struct exec_mem *m, uint64_t addr, struct exec_alloc_range *range) {
  const struct window *in = addr - m->device.from < m->device.end - m->device.from ? &m->device
                            : addr - m->host.from < m->host.end - m->host.from     ? &m->host
                                                                                   : NULL;
  const struct exec_alloc *a = in ? NULL : exec_mem_find(m, addr, NULL);
  if (in) *range = (struct exec_alloc_range){in->from, in->end};
  if (a) *range = a->range;
  return in || a;
}

void exec_mem_observe(struct exec_mem *m, const struct exec_observer *o) { m->observer = o; }

void exec_mem_moved(struct exec_mem *m, uint64_t to, uint64_t from, uint64_t bytes) {
  if (m->observer) m->observer->moved(m->observer->user, to, from, bytes);
}

uint64_t exec_mem_used(const struct exec_mem *m) { return m->used; }
uint64_t exec_mem_capacity(const struct exec_mem *m) { return m->capacity; }
uint64_t exec_mem_version(const struct exec_mem *m) { return m->version; }

uint64_t exec_mem_code(struct exec_mem *m, uint32_t n) {
  uint64_t first = EXEC_CODE_WINDOW + 16 * (1 + m->code_top);
  m->code_top += n;
  return first;
}
