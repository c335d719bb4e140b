/* Probe "kernel-traffic": what reaches L2 from each kernel, for all launches of a name together: lines that several
 * SMs touch within a window of 1,000 core cycles, and what compressors save on the lines that loads read.
 *
 * A line counts once in each window in which it is touched; windows start anew when a launch ends. Compressors are
 * given the whole line as it is when the request comes, once for each request. Global memory and textures are
 * included. The figures of kernels that run at the same time are mixed, as in the probe "kernels". */
#include "base/arena.h"
#include "compress/compress.h"
#include "probe/probe.h"
#include "probe/probe_names.h"
#include "base/table.h"

#include <stdlib.h>

enum { WINDOW = 1000, COMPRESSORS = 8, SEVERAL = 1 << 16 /* a line's mark: more than one SM; below: which was first */ };

struct record {
  uint64_t lines, shared; /* of all windows */
  uint64_t blocks, bytes[COMPRESSORS];
};
struct traffic {
  const struct probe_shape *shape;
  struct probe_names names;
  struct record *of; /* by name */
  size_t cap;
  struct record now;
  struct table window; /* line -> the first SM that asked for it, with SEVERAL, uint32_t */
  uint64_t number;     /* of the window */
};

static void *create(const struct probe_shape *shape) {
  struct traffic *s = must_alloc(sizeof *s);
  s->shape = shape;
  return s;
}

static void destroy(void *state) {
  struct traffic *s = state;
  probe_names_free(&s->names);
  table_free(&s->window);
  free(s->of);
  free(s);
}

static void close_window(struct traffic *s) {
  uint64_t line;
  size_t at = 0;
  for (const uint32_t *mark; (mark = table_next(&s->window, &at, &line)) != NULL;) s->now.shared += (*mark & SEVERAL) != 0;
  s->now.lines += s->window.n;
  table_clear(&s->window);
}

static void compress_line(struct traffic *s, uint64_t line) {
  uint8_t block[COMPRESS_BLOCK];
  if (!s->shape->read || !s->shape->read(s->shape->user, line, block)) return;
  s->now.blocks++;
  for (unsigned i = 0; compressors[i]; i++)
    s->now.bytes[i] += compress_bytes(compressors[i]->bits(block, COMPRESS_ALL));
}

static void request(void *state, const struct mem_packet *k, uint64_t now) {
  struct traffic *s = state;
  if (k->class_ != MEM_GLOBAL && k->class_ != MEM_TEXTURE) return;
  uint64_t number = now / (s->shape->core_period * WINDOW);
  if (number != s->number) close_window(s);
  s->number = number;
  bool is_new;
  uint32_t *mark = table_put(&s->window, k->line, sizeof *mark, &is_new);
  if (is_new) *mark = k->sm;
  if ((*mark & (SEVERAL - 1)) != k->sm) *mark |= SEVERAL;
  if (k->kind == MEM_READ) compress_line(s, k->line);
}

static void add_record(struct record *to, const struct record *from) {
  to->lines += from->lines;
  to->shared += from->shared;
  to->blocks += from->blocks;
  for (unsigned i = 0; i < COMPRESSORS; i++) to->bytes[i] += from->bytes[i];
}

static void kernel_end(void *state, const struct probe_kernel *k) {
  struct traffic *s = state;
  close_window(s);
  size_t had = s->names.n, at = probe_names_at(&s->names, k->name);
  GROW(s->of, s->cap, s->names.n);
  if (at == had) s->of[at] = (struct record){0};
  add_record(&s->of[at], &s->now);
  s->now = (struct record){0};
}

static json_t *record_object(const struct record *r) {
  json_t *o = json_object(), *saved = json_object();
  json_object_set_new(o, "line_windows", json_integer((json_int_t)r->lines));
  json_object_set_new(o, "shared", json_real(probe_ratio(r->shared, r->lines)));
  json_object_set_new(o, "lines_read", json_integer((json_int_t)r->blocks));
  for (unsigned i = 0; compressors[i]; i++) {
    double all = (double)r->blocks * COMPRESS_BLOCK;
    json_object_set_new(saved, compressors[i]->policy.name, json_real(all > 0 ? 1 - (double)r->bytes[i] / all : 0));
  }
  json_object_set_new(o, "saved", saved);
  return o;
}

static json_t *report(void *const *states, uint32_t n, const struct probe_shape *shape) {
  const struct traffic *first = states[0];
  json_t *o = json_object();
  (void)shape;
  for (size_t k = 0; k < first->names.n; k++) {
    struct record all = {0};
    for (uint32_t i = 0; i < n; i++) add_record(&all, &((const struct traffic *)states[i])->of[k]);
    json_object_set_new(o, first->names.at[k], record_object(&all));
  }
  return o;
}

const struct probe probe_kernel_traffic = {.name = "kernel-traffic",
                                           .meaning = "by kernel: L2 lines that several SMs touch, and what compressors would save",
                                           .of_slices = true,
                                           .create = create,
                                           .destroy = destroy,
                                           .events.request = request,
                                           .kernel_end = kernel_end,
                                           .report = report};
