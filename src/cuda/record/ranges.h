/* Ranges of time that a program names itself (NVTX), in simulated nanoseconds, for the report and the trace.
 *
 * Time passes only while a call of CUDA waits, so a range shows what the device did for it, not how long the host took. A range that
 * has not ended lasts until the report. Owns: copies of the names. */
#ifndef CUDA_RANGES_H
#define CUDA_RANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_range {
  char *name, *domain; /* NULL: the default one */
  uint64_t thread;     /* of the host: its number, in the order in which they came */
  double start, end;   /* ns; end < start: it has not ended */
};

struct cuda_ranges {
  struct cuda_range *rows; /* in the order of their beginnings */
  size_t n, cap;
};

/* Returns its number. A mark ends where it begins. */
size_t cuda_ranges_begin(struct cuda_ranges *r, const char *name, const char *domain, uint64_t thread, double now);
void cuda_ranges_end(struct cuda_ranges *r, size_t i, double now);
json_t *cuda_ranges_report(const struct cuda_ranges *r, double now);
struct trace_file;
/* A thread of the process `pid` for each of the host, and more of them where ranges overlap without lying within each other. */
void cuda_ranges_trace(const struct cuda_ranges *r, struct trace_file *t, unsigned pid, unsigned first_tid, double now);
void cuda_ranges_free(struct cuda_ranges *r);

#endif
