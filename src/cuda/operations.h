/* What the device did and when, in simulated nanoseconds: kernels, copies and fills, each with its stream. Recorded only where
 * somebody asked (HEDDLE_DETAIL, HEDDLE_TRACE).
 *
 * Owns: copies of the names, since a module may be unloaded before the report. */
#ifndef CUDA_OPERATIONS_H
#define CUDA_OPERATIONS_H

#include <jansson.h>
#include <stdint.h>

struct cuda_operation {
  const char *kind;   /* "kernel", "copy to device", "copy to host", "copy within device", "fill" */
  char *name;         /* of a kernel; NULL otherwise */
  uint64_t stream;    /* 0: the default one */
  uint64_t bytes;     /* of a copy or fill */
  int64_t kernel;     /* index into kernels[] of the report; -1: none */
  double start, end;  /* ns */
};

struct cuda_operations {
  struct cuda_operation *rows; /* in the order of their ends */
  size_t n, cap;
};

void cuda_operations_add(struct cuda_operations *o, const struct cuda_operation *row); /* copies the name */
json_t *cuda_operations_report(const struct cuda_operations *o);
void cuda_operations_free(struct cuda_operations *o);

#endif
