/* See operations.h. */
#include "cuda/record/operations.h"

#include "base/arena.h"
#include "base/trace_file.h"
#include "cuda/record/ranges.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

static size_t stream_index(struct cuda_operations *o, const struct cuda_operation *row) {
  size_t i = 0;
  while (i < o->n_streams && o->streams[i].id != row->stream) i++;
  if (i < o->n_streams) return i;
  GROW(o->streams, o->streams_cap, o->n_streams + 1);
  o->streams[o->n_streams++] = (struct cuda_operation_stream){row->stream, row->default_stream};
  return i;
}

static const char *stream_name(const struct cuda_operations *o, size_t i, char *name, size_t size) {
  size_t defaults = 0;
  for (size_t k = 0; k <= i; k++) defaults += o->streams[k].is_default;
  if (!o->streams[i].is_default) snprintf(name, size, "stream %zu", i + 1 - defaults);
  else if (defaults == 1) snprintf(name, size, "default stream");
  else snprintf(name, size, "default stream %zu", defaults);
  return name;
}

void cuda_operations_add(struct cuda_operations *o, const struct cuda_operation *row) {
  GROW(o->rows, o->cap, o->n + 1);
  o->rows[o->n] = *row;
  o->rows[o->n].stream = stream_index(o, row);
  if (row->name) o->rows[o->n].name = strdup(row->name);
  o->n++;
}

json_t *cuda_operations_report(const struct cuda_operations *o) {
  json_t *list = json_array();
  for (size_t i = 0; i < o->n; i++) {
    const struct cuda_operation *r = &o->rows[i];
    json_t *row = json_pack("{s:s, s:I, s:f, s:f}", "kind", r->kind, "stream", (json_int_t)r->stream, "start_ns", r->start, "ns",
                            r->end - r->start);
    if (r->name) json_object_set_new(row, "name", json_string(r->name));
    else json_object_set_new(row, "bytes", json_integer((json_int_t)r->bytes));
    if (r->kernel >= 0) json_object_set_new(row, "kernel", json_integer(r->kernel));
    json_array_append_new(list, row);
  }
  return list;
}

void cuda_operations_period(struct cuda_operations *o, double ns) {
  GROW(o->periods, o->periods_cap, o->n_periods + 1);
  o->periods[o->n_periods++] = ns;
}

/* ---- the trace ---- */

enum { GPU_PID = 0, SM_PID = 1, LANES = 16, OPERATION_PART = 8 /* of the file, at most */ };

static uint64_t ps_of(double ns) { return (uint64_t)(ns * 1000 + 0.5); }

struct clock {
  const struct cuda_operations *o;
  double cycle_ps;
};

static uint64_t clock_at(void *user, size_t period, double cycles) {
  const struct clock *c = user;
  return ps_of(c->o->periods[period]) + (uint64_t)(cycles * c->cycle_ps + 0.5);
}

static int by_stream(const void *a, const void *b) {
  const struct cuda_operation *x = a, *y = b;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->start < y->start ? -1 : x->start > y->start;
}

static void put_operation(const struct cuda_operation *r, unsigned tid, struct trace_file *t) {
  char args[64];
  if (r->name) snprintf(args, sizeof args, "\"kernel\":%lld", (long long)r->kernel);
  else snprintf(args, sizeof args, "\"bytes\":%llu", (unsigned long long)r->bytes);
  trace_slice(t, GPU_PID, tid, r->name ? r->name : r->kind, ps_of(r->start), ps_of(r->end), args);
}

/* One thread per stream; more if nodes of a graph run at the same time. */
static void put_operations(const struct cuda_operations *o, struct trace_file *t) {
  struct cuda_operation *rows = must_alloc((o->n + 1) * sizeof *rows);
  double free_at[LANES] = {0};
  unsigned lanes = 0;
  if (o->n) memcpy(rows, o->rows, o->n * sizeof *rows);
  qsort(rows, o->n, sizeof *rows, by_stream);
  trace_process(t, GPU_PID, "GPU");
  for (size_t i = 0; i < o->n; i++) {
    const struct cuda_operation *r = &rows[i];
    unsigned lane = 0;
    if (!i || r->stream != rows[i - 1].stream) lanes = 0;
    while (lane < lanes && free_at[lane] > r->start) lane++;
    if (lane == LANES || t->bytes > t->limit / OPERATION_PART) {
      t->left_out++;
      continue;
    }
    unsigned tid = 1 + (unsigned)r->stream * LANES + lane;
    char name[48];
    if (lane == lanes) trace_thread(t, GPU_PID, tid, stream_name(o, r->stream, name, sizeof name));
    if (lane == lanes) lanes++;
    free_at[lane] = r->end;
    put_operation(r, tid, t);
  }
  free(rows);
}

bool cuda_operations_trace(const struct cuda_operations *o, const struct cuda_ranges *ranges, double now, struct gpu *g, double core_khz,
                           uint64_t limit, const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  struct trace_file t;
  struct clock c = {o, 1e9 / core_khz};
  trace_begin(&t, f, limit);
  put_operations(o, &t);
  cuda_ranges_trace(ranges, &t, GPU_PID, 1 + (unsigned)o->n_streams * LANES, now);
  struct gpu_trace_kept kept = gpu_write_trace(g, &(struct gpu_trace_clock){clock_at, &c, SM_PID}, &t);
  char more[300];
  snprintf(more, sizeof more,
           "\"operations\":%zu,\"ctas\":%zu,\"one_cta_in\":%llu,\"requests\":%zu,\"one_request_in\":%llu,\"cycles_between_looks\":%llu",
           o->n, kept.ctas, (unsigned long long)kept.cta_step, kept.requests, (unsigned long long)kept.request_step,
           (unsigned long long)kept.look_cycles);
  trace_end(&t, more);
  bool ok = !ferror(f);
  return fclose(f) == 0 && ok;
}

json_t *cuda_operations_streams(const struct cuda_operations *o) {
  json_t *list = json_array();
  char name[48];
  for (size_t i = 0; i < o->n_streams; i++) json_array_append_new(list, json_string(stream_name(o, i, name, sizeof name)));
  return list;
}

void cuda_operations_free(struct cuda_operations *o) {
  for (size_t i = 0; i < o->n; i++) free(o->rows[i].name);
  free(o->rows);
  free(o->periods);
  free(o->streams);
  *o = (struct cuda_operations){0};
}
