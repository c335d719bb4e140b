/* See ranges.h. */
#include "cuda/record/ranges.h"

#include "base/arena.h"
#include "base/trace_file.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 8, THREADS = 64 /* host threads with a line of their own */ };

size_t cuda_ranges_begin(struct cuda_ranges *r, const char *name, const char *domain, uint64_t thread, double now) {
  GROW(r->rows, r->cap, r->n + 1);
  r->rows[r->n] = (struct cuda_range){strdup(name), domain ? strdup(domain) : NULL, thread, now, now - 1};
  return r->n++;
}

void cuda_ranges_end(struct cuda_ranges *r, size_t i, double now) {
  if (i < r->n && r->rows[i].end < r->rows[i].start) r->rows[i].end = now;
}

static double end_of(const struct cuda_range *r, double now) { return r->end < r->start ? now : r->end; }

json_t *cuda_ranges_report(const struct cuda_ranges *r, double now) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->n; i++) {
    const struct cuda_range *x = &r->rows[i];
    json_t *row = json_pack("{s:s, s:I, s:f, s:f}", "name", x->name, "thread", (json_int_t)x->thread, "start_ns", x->start, "ns",
                            end_of(x, now) - x->start);
    if (!row) continue; /* the name is not UTF-8 */
    if (x->domain) json_object_set_new(row, "domain", json_string(x->domain));
    json_array_append_new(list, row);
  }
  return list;
}

/* The line of a thread on which the range fits: inside what is open there, or after it. Of open ranges the ends are known to be last. */
static unsigned fit(double ends[LANES], unsigned *lines, double start, double end) {
  unsigned k = 0;
  while (k < *lines && ends[k] > start && ends[k] < end) k++;
  if (k == LANES) return LANES;
  if (k == *lines) ++*lines;
  if (ends[k] <= start || ends[k] < end) ends[k] = end;
  return k;
}

void cuda_ranges_trace(const struct cuda_ranges *r, struct trace_file *t, unsigned pid, unsigned first_tid, double now) {
  static double ends[THREADS][LANES];
  unsigned lines[THREADS] = {0};
  memset(ends, 0, sizeof ends);
  for (size_t i = 0; i < r->n; i++) {
    const struct cuda_range *x = &r->rows[i];
    unsigned thread = x->thread < THREADS ? (unsigned)x->thread : THREADS - 1, before = lines[thread];
    double end = end_of(x, now);
    unsigned line = fit(ends[thread], &lines[thread], x->start, end), tid = first_tid + thread * LANES + line;
    char name[48];
    if (line == LANES) {
      t->left_out++;
      continue;
    }
    snprintf(name, sizeof name, "ranges of thread %u", thread);
    if (lines[thread] > before) trace_thread(t, pid, tid, name);
    trace_slice(t, pid, tid, x->name, (uint64_t)(x->start * 1000 + 0.5), (uint64_t)(end * 1000 + 0.5), NULL);
  }
}

void cuda_ranges_free(struct cuda_ranges *r) {
  for (size_t i = 0; i < r->n; i++) {
    free(r->rows[i].name);
    free(r->rows[i].domain);
  }
  free(r->rows);
  *r = (struct cuda_ranges){0};
}
