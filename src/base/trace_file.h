/* A time line as a file of Chrome's trace event format (JSON), which Perfetto and chrome://tracing open: processes, their threads, slices
 * of time on a thread, counters. Slices of one thread lie within each other or apart; whoever writes them sees to that.
 *
 * Times are in picoseconds, so that what was in order stays so. What does not fit the limit of bytes is left out and counted.
 * Does not: sort, or open the file. */
#ifndef BASE_TRACE_FILE_H
#define BASE_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct trace_file {
  FILE *f;
  uint64_t bytes, limit; /* written; at most, the end included */
  uint64_t events, left_out;
};

enum { TRACE_EVENT_BYTES = 110 /* of a slice, about: for whoever plans what fits */, TRACE_END_BYTES = 1024 };

void trace_begin(struct trace_file *t, FILE *f, uint64_t limit);
void trace_process(struct trace_file *t, unsigned pid, const char *name); /* shown in the order of their numbers */
void trace_thread(struct trace_file *t, unsigned pid, unsigned tid, const char *name);
/* args: members of an object ("\"bytes\":128"), or NULL. False: it was left out. */
bool trace_slice(struct trace_file *t, unsigned pid, unsigned tid, const char *name, uint64_t from, uint64_t to, const char *args);
bool trace_counter(struct trace_file *t, unsigned pid, const char *name, uint64_t at, const char *args);
/* more: members of the object of what else is to be known of the trace (at most half of TRACE_END_BYTES), or NULL. */
void trace_end(struct trace_file *t, const char *more);

#endif
