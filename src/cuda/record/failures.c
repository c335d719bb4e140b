/* See failures.h. */
#include "cuda/record/failures.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static bool same_kernel(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

bool cuda_failures_add(struct cuda_failures *f, const char *kernel, const char *error, const char *reason) {
  f->launches++;
  for (size_t i = 0; i < f->n; i++) {
    struct cuda_failure *row = &f->rows[i];
    if (!same_kernel(row->kernel, kernel) || strcmp(row->error, error) || strcmp(row->reason, reason)) continue;
    row->launches++;
    return false;
  }
  GROW(f->rows, f->capacity, f->n + 1);
  f->rows[f->n++] =
      (struct cuda_failure){.kernel = kernel ? strdup(kernel) : NULL, .error = strdup(error), .reason = strdup(reason), .launches = 1};
  return true;
}

json_t *cuda_failures_report(const struct cuda_failures *f) {
  json_t *list = json_array();
  for (size_t i = 0; i < f->n; i++) {
    const struct cuda_failure *row = &f->rows[i];
    json_array_append_new(list, json_pack("{s:s?,s:s,s:s,s:I}", "kernel", row->kernel, "error", row->error, "reason", row->reason,
                                          "launches", (json_int_t)row->launches));
  }
  return list;
}

void cuda_failures_free(struct cuda_failures *f) {
  for (size_t i = 0; i < f->n; i++) {
    free(f->rows[i].kernel);
    free(f->rows[i].error);
    free(f->rows[i].reason);
  }
  free(f->rows);
  *f = (struct cuda_failures){0};
}
