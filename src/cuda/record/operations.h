/* What the device did and when, in simulated nanoseconds: kernels, copies and fills, each with its stream. Recorded only on request
 * (HEDDLE_DETAIL, HEDDLE_TRACE).
 *
 * Owns: copies of the names, because a module may be unloaded before the report. */
#ifndef CUDA_OPERATIONS_H
#define CUDA_OPERATIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_operation {
  const char *kind;   /* "kernel", "copy to device", "copy to host", "copy within device", "fill" */
  char *name;         /* of a kernel; NULL otherwise */
  uint64_t stream;    /* its id; in a row: its index among the streams seen so far */
  bool default_stream; /* of its context */
  uint64_t bytes;     /* of a copy or fill */
  int64_t kernel;     /* index into kernels[] of the report; -1: none */
  double start, end;  /* ns */
};

struct cuda_operations {
  struct cuda_operation *rows; /* in the order in which they ended */
  size_t n, cap;
  struct cuda_operation_stream {
    uint64_t id;
    bool is_default;
  } *streams;                  /* in the order of their first operations */
  size_t n_streams, streams_cap;
  double *periods; /* ns: when the GPU got kernels after it had none */
  size_t n_periods, periods_cap;
};

void cuda_operations_add(struct cuda_operations *o, const struct cuda_operation *row); /* copies the name */
void cuda_operations_period(struct cuda_operations *o, double ns);
/* Writes the operations, the program's ranges until `now`, and what the GPU has recorded, as a trace. */
struct gpu;
struct cuda_ranges;
bool cuda_operations_trace(const struct cuda_operations *o, const struct cuda_ranges *ranges, double now, struct gpu *g, double core_khz,
                           uint64_t limit, const char *path);
json_t *cuda_operations_report(const struct cuda_operations *o);
json_t *cuda_operations_streams(const struct cuda_operations *o); /* the names of the streams */
void cuda_operations_free(struct cuda_operations *o);

#endif
