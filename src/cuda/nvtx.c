/* NVTX: ranges and marks that a program names. The program's part of NVTX (only headers since version 3) loads the library that
 * NVTX_INJECTION64_PATH names, which `heddle run` sets to this one, and calls InitializeInjectionNvtx2 with a function that returns its
 * tables of functions; it then calls the functions that are written into these tables here.
 *
 * Kept: ranges, pushed or started, and marks, with domain and host thread (record/ranges.h). Colours, payloads, categories, resources and
 * names of threads are not kept; their functions stay empty, as they are without any tool. */
#include "base/arena.h"
#include "cuda/state.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TABLE_OF_CALLBACKS = 1, CORE = 1, CORE_2 = 5, DEPTH = 64, NAME = 200 };
enum { TEXT = 1, WIDE = 2, REGISTERED = 3 }; /* of a message */

struct attributes { /* nvtxEventAttributes_v2 */
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void *message;
};

struct callbacks {
  size_t bytes;
  int (*table)(int module, void ****out, unsigned *n); /* pointers to the entries of functions, by number */
};

/* A string or a domain for which the program has a handle. */
struct named {
  char *name;
};

/* ---- what is recorded ---- */

static __thread struct {
  size_t open[DEPTH];
  struct named *domain[DEPTH];
  unsigned n;
} pushed;

static const char *narrow(const wchar_t *wide, char out[NAME]) {
  size_t i = 0;
  for (; wide && wide[i] && i + 1 < NAME; i++) out[i] = wide[i] < 128 ? (char)wide[i] : '?';
  out[i] = 0;
  return out;
}

static const char *message(const struct attributes *a, char buffer[NAME]) {
  if (!a || a->size < sizeof *a || !a->message) return "";
  if (a->message_type == TEXT) return a->message;
  if (a->message_type == WIDE) return narrow(a->message, buffer);
  return a->message_type == REGISTERED ? ((const struct named *)a->message)->name : "";
}

static size_t begin_as(enum heddle_mark what, const struct named *domain, const char *name) {
  CUDA_LOCKED;
  const char *text = name ? name : "", *in = domain ? domain->name : NULL;
  size_t i = cuda_ranges_begin(&cuda.engine.ranges, text, in, cuda_thread()->id, cuda.engine.now);
  if (heddleTraced) cuda_trace_mark(what, (uint32_t)i + 1, text, in);
  return i;
}

static size_t begin(const struct named *domain, const char *name) { return begin_as(HEDDLE_MARK_BEGIN, domain, name); }

static void end_as(enum heddle_mark what, size_t i) {
  CUDA_LOCKED;
  cuda_ranges_end(&cuda.engine.ranges, i, cuda.engine.now);
  if (heddleTraced && what == HEDDLE_MARK_END) cuda_trace_mark(what, (uint32_t)i + 1, NULL, NULL);
}

static void end(size_t i) { end_as(HEDDLE_MARK_END, i); }

static void mark_in(const struct named *domain, const char *name) {
  end_as(HEDDLE_MARK_INSTANT, begin_as(HEDDLE_MARK_INSTANT, domain, name));
}

/* The number of the domain's ranges that are open in this thread, which a program receives as the level of a new range. */
static int level(const struct named *domain) {
  int n = 0;
  for (unsigned i = 0; i < pushed.n; i++) n += pushed.domain[i] == domain;
  return n;
}

static int push(struct named *domain, const char *name) {
  if (pushed.n == DEPTH) return -1;
  int n = level(domain);
  pushed.domain[pushed.n] = domain;
  pushed.open[pushed.n++] = begin(domain, name);
  return n;
}

/* Ends the innermost range of the domain. */
static int pop(const struct named *domain) {
  for (unsigned i = pushed.n; i-- > 0;) {
    if (pushed.domain[i] != domain) continue;
    end(pushed.open[i]);
    memmove(&pushed.open[i], &pushed.open[i + 1], (pushed.n - i - 1) * sizeof *pushed.open);
    memmove(&pushed.domain[i], &pushed.domain[i + 1], (pushed.n - i - 1) * sizeof *pushed.domain);
    pushed.n--;
    return level(domain);
  }
  return -1;
}

/* ---- functions of a program's tables ---- */

static void mark(const char *name) { mark_in(NULL, name); }
static void mark_wide(const wchar_t *name) {
  char buffer[NAME];
  mark(narrow(name, buffer));
}
static void domain_mark(struct named *domain, const struct attributes *a) {
  char buffer[NAME];
  mark_in(domain, message(a, buffer));
}
static void mark_with(const struct attributes *a) { domain_mark(NULL, a); }
static uint64_t start(const char *name) { return begin(NULL, name) + 1; }
static uint64_t start_wide(const wchar_t *name) {
  char buffer[NAME];
  return start(narrow(name, buffer));
}
static uint64_t domain_start(struct named *domain, const struct attributes *a) {
  char buffer[NAME];
  return begin(domain, message(a, buffer)) + 1;
}
static uint64_t start_with(const struct attributes *a) { return domain_start(NULL, a); }
static void stop(uint64_t id) { end((size_t)id - 1); }
static void domain_stop(struct named *domain, uint64_t id) {
  (void)domain;
  stop(id);
}
static int push_plain(const char *name) { return push(NULL, name); }
static int push_wide(const wchar_t *name) {
  char buffer[NAME];
  return push(NULL, narrow(name, buffer));
}
static int domain_push(struct named *domain, const struct attributes *a) {
  char buffer[NAME];
  return push(domain, message(a, buffer));
}
static int push_with(const struct attributes *a) { return domain_push(NULL, a); }
static int domain_pop(struct named *domain) { return pop(domain); }
static int pop_plain(void) { return pop(NULL); }

static struct named *new_name(const char *name) {
  struct named *n = must_alloc(sizeof *n);
  n->name = strdup(name ? name : "");
  return n;
}
static struct named *new_wide(const wchar_t *name) {
  char buffer[NAME];
  return new_name(narrow(name, buffer));
}
static struct named *register_name(struct named *domain, const char *name) {
  (void)domain;
  return new_name(name);
}
static struct named *register_wide(struct named *domain, const wchar_t *name) {
  (void)domain;
  return new_wide(name);
}

typedef void (*function)(void);
#define F(name) ((function)(name))
static const function core[] = {[1] = F(mark_with), [2] = F(mark),      [3] = F(mark_wide), [4] = F(start_with),
                                [5] = F(start),     [6] = F(start_wide), [7] = F(stop),      [8] = F(push_with),
                                [9] = F(push_plain), [10] = F(push_wide), [11] = F(pop_plain)};
static const function core_2[] = {[1] = F(domain_mark), [2] = F(domain_start),   [3] = F(domain_stop),    [4] = F(domain_push),
                                  [5] = F(domain_pop),  [10] = F(register_name), [11] = F(register_wide), [12] = F(new_name),
                                  [13] = F(new_wide)};

static void fill(const struct callbacks *c, int module, const function *ours, size_t n) {
  void ***table = NULL;
  unsigned size = 0;
  if (!c->table(module, &table, &size) || !table) return;
  for (size_t i = 1; i < n && i < size; i++)
    if (ours[i] && table[i]) memcpy(table[i], &ours[i], sizeof ours[i]);
}

/* Returns 0 if the library does not act as a tool. */
CUDA_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id));
CUDA_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id)) { return heddleInjectNvtx(tables); }
CUDA_EXPORT int heddleInjectNvtx(const void *(*tables)(uint32_t id)) {
  const struct callbacks *c = tables ? tables(TABLE_OF_CALLBACKS) : NULL;
  if (!c || c->bytes < sizeof *c || !c->table) return 0;
  fill(c, CORE, core, sizeof core / sizeof *core);
  fill(c, CORE_2, core_2, sizeof core_2 / sizeof *core_2);
  return 1;
}
