/* See builtins.h. Device printf works like CUDA's: the format and a packed argument block are device pointers. The active lanes print in
 * lane order when the instruction executes, so output is ordered and never lost. */
#include "exec/builtins.h"

#include "base/str.h"
#include "exec/run/device_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments -------------------------------------------------------------------------------------------------- */

uint64_t exec_builtin_argument(const struct exec_warp *w, const struct exec_call *c, uint32_t i, unsigned lane) {
  const struct exec_call_item *a = &c->args[i];
  uint64_t v = 0;
  if (i >= c->n_args) return 0;
  memcpy(&v, exec_call_slot(w, w->frame, a, lane), a->bytes > 8 ? 8 : a->bytes);
  return v;
}

void exec_builtin_result(struct exec_warp *w, const struct exec_call *c, unsigned lane, uint64_t v) {
  if (!c->n_rets) return;
  const struct exec_call_item *r = &c->rets[0];
  memcpy(exec_call_slot(w, w->frame, r, lane), &v, r->bytes > 8 ? 8 : r->bytes);
}

/* A generic pointer of a lane as a host pointer, or NULL if `bytes` there are not readable. */
static const char *readable(const struct exec_warp *w, uint64_t addr, uint64_t bytes, unsigned lane) {
  if (addr - EXEC_LOCAL_WINDOW < EXEC_LOCAL_WINDOW_BYTES) {
    uint64_t off = addr - EXEC_LOCAL_WINDOW;
    if (off + bytes > w->stack_bytes) return NULL;
    return (const char *)w->local + (size_t)lane * w->stack_bytes + off;
  }
  if (addr - EXEC_SHARED_WINDOW < EXEC_SHARED_WINDOW_BYTES) {
    uint64_t off = addr - EXEC_SHARED_WINDOW;
    return off + bytes > w->cta->shared_bytes ? NULL : (const char *)w->cta->shared + off;
  }
  const struct exec_alloc *a = exec_mem_find(w->grid->device->mem, addr, NULL);
  if (!a || a->range.end - addr < bytes) return NULL;
  return exec_mem_ptr(addr);
}

bool exec_builtin_write(const struct exec_warp *w, uint64_t addr, const void *value, size_t bytes, unsigned lane) {
  char *at = (char *)(uintptr_t)readable(w, addr, bytes, lane);
  if (at) memcpy(at, value, bytes);
  return at != NULL;
}

bool exec_builtin_read(const struct exec_warp *w, uint64_t addr, void *value, size_t bytes, unsigned lane) {
  const char *at = readable(w, addr, bytes, lane);
  if (at) memcpy(value, at, bytes);
  return at != NULL;
}

/* A zero-terminated device string as a host pointer, or NULL. */
static const char *readable_string(const struct exec_warp *w, uint64_t addr, unsigned lane) {
  for (uint64_t n = 1;; n++) {
    const char *p = readable(w, addr, n, lane);
    if (!p) return NULL;
    if (!p[n - 1]) return p;
  }
}

/* ---- printf ----------------------------------------------------------------------------------------------------- */

struct packed_args { /* the argument block: each value at its natural alignment */
  const struct exec_warp *w;
  uint64_t at;
  unsigned lane, taken;
  bool bad;
};

static uint64_t next_arg(struct packed_args *p, uint64_t bytes) {
  uint64_t v = 0;
  p->taken++;
  p->at = (p->at + bytes - 1) & ~(bytes - 1);
  const char *from = readable(p->w, p->at, bytes, p->lane);
  if (!from) p->bad = true;
  else memcpy(&v, from, bytes);
  p->at += bytes;
  return v;
}

enum { MOST_WIDTH = 1024, NO_PRECISION = -1 };

/* One conversion specification. Widths and precisions are MOST_WIDTH at most. */
struct spec {
  char flags[8];
  int width, precision; /* NO_PRECISION: not given */
  const char *length;   /* "hh", "h", "ll" or "" */
  char conversion;
};

static int bounded(int64_t v) { return v > MOST_WIDTH ? MOST_WIDTH : v < -MOST_WIDTH ? -MOST_WIDTH : (int)v; }

/* A number of digits, or * for one of the arguments; *s is moved behind it. */
static int read_size(const char **s, struct packed_args *a) {
  if (**s == '*') {
    ++*s;
    return bounded((int32_t)next_arg(a, 4));
  }
  int64_t v = 0;
  for (; **s >= '0' && **s <= '9'; ++*s) v = v > MOST_WIDTH ? v : 10 * v + (**s - '0');
  return bounded(v);
}

/* Reads the specification that begins with % at s; its length, or 0 if it is none. */
static size_t read_spec(struct spec *p, const char *s, struct packed_args *a) {
  const char *at = s + 1;
  struct packed_args before = *a;
  size_t n = 0;
  *p = (struct spec){.precision = NO_PRECISION, .length = ""};
  for (; *at && strchr("-+ #0", *at); at++)
    if (!strchr(p->flags, *at)) p->flags[n++] = *at;
  p->width = read_size(&at, a);
  if (*at == '.') {
    at++;
    p->precision = read_size(&at, a);
  }
  size_t letters = strspn(at, "hlLqjzt");
  if (letters) p->length = *at != 'h' ? "ll" : at[1] == 'h' ? "hh" : "h";
  at += letters;
  p->conversion = *at;
  if (*at && strchr("diouxXcseEfFgGaAp", *at)) return (size_t)(at + 1 - s);
  *a = before;
  return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void format_one(struct str *out, const struct spec *p, struct packed_args *a) {
  char conv = p->conversion, format[24];
  bool whole = strchr("diouxX", conv) != NULL;
  snprintf(format, sizeof format, "%%%s*%s%s%c", p->flags, strchr("cp", conv) ? "" : ".*", whole ? p->length : "", conv);
  if (strchr("eEfFgGaA", conv)) {
    uint64_t bits = next_arg(a, 8);
    double v;
    memcpy(&v, &bits, 8);
    str_add(out, format, p->width, p->precision, v);
  } else if (conv == 's') {
    const char *s = readable_string(a->w, next_arg(a, 8), a->lane);
    str_add(out, format, p->width, p->precision, s ? s : "(null)");
  } else if (conv == 'p') {
    str_add(out, format, p->width, (void *)(uintptr_t)next_arg(a, 8));
  } else if (conv == 'c') {
    str_add(out, format, p->width, (int)next_arg(a, 4));
  } else if (*p->length == 'l') {
    str_add(out, format, p->width, p->precision, (unsigned long long)next_arg(a, 8));
  } else {
    str_add(out, format, p->width, p->precision, (unsigned)next_arg(a, 4));
  }
}
#pragma GCC diagnostic pop

/* Text that is no specification is printed unchanged. */
static void format_all(struct str *out, const char *f, struct packed_args *a) {
  while (*f) {
    size_t plain = strcspn(f, "%");
    str_addn(out, f, plain);
    f += plain;
    if (!*f) return;
    struct spec p;
    size_t n = f[1] == '%' ? 0 : read_spec(&p, f, a);
    if (n) format_one(out, &p, a);
    else str_addn(out, "%", 1);
    f += n ? n : f[1] == '%' ? 2 : 1;
  }
}

static void print(const struct exec_device *d, const struct str *s) {
  if (!s->n) return;
  if (d->print) d->print(d->print_user, s->s, s->n);
  else fwrite(s->s, 1, s->n, stdout);
}

/* Returns the number of arguments used, not of characters; -1 without a format. */
static void do_vprintf(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
    if (!(w->mask >> lane & 1)) continue;
    uint64_t at = exec_builtin_argument(w, c, 0, lane);
    if (!at) {
      exec_builtin_result(w, c, lane, UINT32_MAX);
      continue;
    }
    const char *format = readable_string(w, at, lane);
    struct packed_args a = {.w = w, .at = exec_builtin_argument(w, c, 1, lane), .lane = lane};
    struct str out = {0};
    if (format) format_all(&out, format, &a);
    if (!format || a.bad) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "printf's format or arguments are not readable");
      str_free(&out);
      return;
    }
    print(w->grid->device, &out);
    exec_builtin_result(w, c, lane, a.taken);
    str_free(&out);
  }
}

/* ---- assert ----------------------------------------------------------------------------------------------------- */

static void do_assertfail(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  unsigned first = (unsigned)__builtin_ctz(w->mask);
  const uint32_t *b = w->grid->block, *id = w->cta->id;
  for (unsigned lane = first; lane < EXEC_LANES; lane++) {
    if (!(w->mask >> lane & 1)) continue;
    const char *text = readable_string(w, exec_builtin_argument(w, c, 0, lane), lane);
    const char *file = readable_string(w, exec_builtin_argument(w, c, 1, lane), lane);
    const char *func = readable_string(w, exec_builtin_argument(w, c, 3, lane), lane);
    uint32_t t = w->first_thread + lane;
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file ? file : "?",
            (unsigned)exec_builtin_argument(w, c, 2, lane), func ? func : "?", id[0], id[1], id[2], t % b[0], t / b[0] % b[1],
            t / b[0] / b[1], text ? text : "?");
  }
  exec_fault(w, in, EXEC_FAULT_ASSERT, first, "a device-side assertion failed");
}

/* ---- the heap --------------------------------------------------------------------------------------------------- */

struct heap_block {
  uint64_t base, bytes;
  bool used;
};
enum { HEAP_ALIGN = 16 };

struct exec_heap {
  struct exec_mem *mem;
  uint64_t base;
  struct heap_block *blocks; /* in address order, covering the heap */
  size_t n, cap;
};

struct exec_heap *exec_heap_new(struct exec_mem *mem, uint64_t bytes) {
  uint64_t base = exec_mem_alloc(mem, bytes, 256, EXEC_ALLOC_HEAP, "device heap");
  if (!base) return NULL;
  struct exec_heap *h = must_alloc(sizeof *h);
  h->mem = mem;
  h->base = base;
  GROW(h->blocks, h->cap, 1);
  h->blocks[h->n++] = (struct heap_block){base, bytes, false};
  return h;
}

void exec_heap_delete(struct exec_heap *h) {
  if (!h) return;
  exec_mem_free(h->mem, h->base);
  free(h->blocks);
  free(h);
}

/* Shortens block i to `bytes`; the rest becomes a free block. */
static void split(struct exec_heap *h, size_t i, uint64_t bytes) {
  uint64_t rest = h->blocks[i].bytes - bytes;
  if (!rest) return;
  GROW(h->blocks, h->cap, h->n + 1);
  memmove(&h->blocks[i + 2], &h->blocks[i + 1], (h->n - i - 1) * sizeof *h->blocks);
  h->blocks[i].bytes = bytes;
  h->blocks[i + 1] = (struct heap_block){h->blocks[i].base + bytes, rest, false};
  h->n++;
}

/* Allocates at a multiple of `align`, a power of two. 0 if the heap is exhausted. */
static uint64_t heap_alloc(struct exec_heap *h, uint64_t bytes, uint64_t align) {
  uint64_t need = (bytes + 15) & ~(uint64_t)15;
  if (need < bytes) return 0;
  if (!need) need = 16;
  for (size_t i = 0; i < h->n; i++) {
    const struct heap_block *b = &h->blocks[i];
    uint64_t before = -b->base & (align - 1);
    if (b->used || b->bytes < before || b->bytes - before < need) continue;
    if (before) split(h, i++, before);
    split(h, i, need);
    h->blocks[i].used = true;
    return h->blocks[i].base;
  }
  return 0;
}

static void merge_next(struct exec_heap *h, size_t i) {
  if (i + 1 >= h->n || h->blocks[i].used || h->blocks[i + 1].used) return;
  h->blocks[i].bytes += h->blocks[i + 1].bytes;
  memmove(&h->blocks[i + 1], &h->blocks[i + 2], (h->n - i - 2) * sizeof *h->blocks);
  h->n--;
}

/* False: not allocated here. */
static bool heap_free(struct exec_heap *h, uint64_t addr) {
  size_t lo = 0, hi = h->n;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (h->blocks[mid].base < addr) lo = mid + 1;
    else hi = mid;
  }
  if (lo == h->n || h->blocks[lo].base != addr || !h->blocks[lo].used) return false;
  h->blocks[lo].used = false;
  merge_next(h, lo);
  if (lo) merge_next(h, lo - 1);
  return true;
}

static void do_malloc(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  (void)in;
  struct exec_heap *h = w->grid->device->heap;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++)
    if (w->mask >> lane & 1) exec_builtin_result(w, c, lane, h ? heap_alloc(h, exec_builtin_argument(w, c, 0, lane), HEAP_ALIGN) : 0);
}

/* void *(size_t bytes, size_t align): __nv_aligned_device_malloc, and `new` of types that need more than HEAP_ALIGN. An alignment that is
 * not a power of two returns NULL. */
static void do_aligned_malloc(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  (void)in;
  struct exec_heap *h = w->grid->device->heap;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    uint64_t align = exec_builtin_argument(w, c, 1, lane);
    bool can = h && align && !(align & (align - 1));
    if (align < HEAP_ALIGN) align = HEAP_ALIGN;
    exec_builtin_result(w, c, lane, can ? heap_alloc(h, exec_builtin_argument(w, c, 0, lane), align) : 0);
  }
}

static void do_free(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  struct exec_heap *h = w->grid->device->heap;
  for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
    if (!(w->mask >> lane & 1)) continue;
    uint64_t p = exec_builtin_argument(w, c, 0, lane);
    if (p && (!h || !heap_free(h, p))) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "free of 0x%llx, which device malloc did not return",
                 (unsigned long long)p);
      return;
    }
  }
}

/* cudaError_t cudaMalloc(void **, size_t) and cudaFree(void *) of the device runtime: the same heap. */
void exec_do_cuda_malloc(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  enum { SUCCESS, NO_MEMORY = 2 };
  struct exec_heap *h = w->grid->device->heap;
  for (uint32_t m = w->mask; m; m &= m - 1) {
    unsigned lane = (unsigned)__builtin_ctz(m);
    uint64_t at = h ? heap_alloc(h, exec_builtin_argument(w, c, 1, lane), HEAP_ALIGN) : 0;
    if (!exec_builtin_write(w, exec_builtin_argument(w, c, 0, lane), &at, sizeof at, lane)) {
      exec_fault(w, in, EXEC_FAULT_ILLEGAL_ADDRESS, lane, "an address cannot be written where it was asked for");
      return;
    }
    exec_builtin_result(w, c, lane, at ? SUCCESS : NO_MEMORY);
  }
}

void exec_do_cuda_free(struct exec_warp *w, const struct exec_inst *in, const struct exec_call *c) {
  do_free(w, in, c);
  for (uint32_t m = w->mask; m && w->status == EXEC_RUNNING; m &= m - 1) exec_builtin_result(w, c, (unsigned)__builtin_ctz(m), 0);
}

bool exec_uses_heap(const struct ptx_module *m) {
  static const char *const names[] = {"malloc", EXEC_ALIGNED_MALLOC, "__cudaCDP2Malloc", "cudaMalloc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (ptx_find_func(m, names[i]) >= 0) return true;
  return false;
}

exec_builtin_fn exec_find_builtin(const char *name) {
  static const struct {
    const char *name;
    exec_builtin_fn fn;
  } table[] = {{"vprintf", do_vprintf},
               {"malloc", do_malloc},
               {EXEC_ALIGNED_MALLOC, do_aligned_malloc},
               {"free", do_free},
               {"__assertfail", do_assertfail}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name)) return table[i].fn;
  return exec_find_launch_builtin(name);
}
