/* Ranges of time that a program names itself (NVTX), in simulated nanoseconds, for the report and the trace.
 *
 * Time passes only while a call of CUDA waits, so a range shows what the device did during it, not how long the host took. A range that has
 * not ended lasts until the report. Owns: copies of the names. */
#ifndef CUDA_RANGES_H
#define CUDA_RANGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_range {
  char *name, *domain; /* NULL: the default one */
  uint64_t thread;     /* number of the host thread, in order of appearance */
  double start, end;   /* ns; end < start: it has not ended */
};

struct cuda_ranges {
  struct cuda_range *rows; /* in the order in which they began */
  size_t n, cap;
};

/* Begins a range and returns its number. A mark ends when it begins. */
size_t cuda_ranges_begin(struct cuda_ranges *r, const char *name, const char *domain, uint64_t thread, double now);
void cuda_ranges_end(struct cuda_ranges *r, size_t i, double now);
json_t *cuda_ranges_report(const struct cuda_ranges *r, double now);
struct trace_file;
/* One thread of the process `pid` per host thread, and more if ranges overlap without being nested. */
void cuda_ranges_trace(const struct cuda_ranges *r, struct trace_file *t, unsigned pid, unsigned first_tid, double now);
void cuda_ranges_free(struct cuda_ranges *r);

#endif
