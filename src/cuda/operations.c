/* See operations.h. */
#include "cuda/operations.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void cuda_operations_add(struct cuda_operations *o, const struct cuda_operation *row) {
  GROW(o->rows, o->cap, o->n + 1);
  o->rows[o->n] = *row;
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

void cuda_operations_free(struct cuda_operations *o) {
  for (size_t i = 0; i < o->n; i++) free(o->rows[i].name);
  free(o->rows);
  *o = (struct cuda_operations){0};
}
