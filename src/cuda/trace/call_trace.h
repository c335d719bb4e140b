/* Between the CUDA libraries and a library that traces them (src/cupti): calls of the program as they are entered and left, and what the
 * device did for them.
 *
 * Every exported function that CUPTI has a number for is made by calls.awk: it looks at heddleTraced and calls the function proper.
 * Calls that a call makes (the runtime's of the driver) are nested in it and have its correlation. Nothing here is called, kept or
 * counted while nobody traces, but for that look.
 *
 * Owns: the tracer, numbers of calls. Does not: keep records, or know CUPTI's. The names are exported by libcuda.so.1, hence their form. */
#ifndef CUDA_TRACE_H
#define CUDA_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum heddle_api { HEDDLE_DRIVER = 1, HEDDLE_RUNTIME = 2 }; /* CUPTI's numbers of its domains */

struct heddle_library {
  enum heddle_api api;
  const char *(*kernel_name)(const void *kernel); /* of what a launch names; NULL: it is not known */
};

struct heddle_function {
  const struct heddle_library *library;
  uint32_t number; /* CUPTI's */
  const char *name;
  uint32_t kernel; /* which parameter is the kernel of a launch, 1 or 2; 0: it is none */
};

struct heddle_call {
  const struct heddle_function *function;
  const void *params; /* a struct of them in their order; NULL: there are none */
  bool nested;
  uint32_t correlation;
  uint64_t start; /* ns */
  uint64_t data;  /* the tracer's, from entry to exit */
};

enum heddle_done_kind { HEDDLE_KERNEL, HEDDLE_COPY, HEDDLE_FILL, HEDDLE_SYNC, HEDDLE_CONTEXT, HEDDLE_STREAM, HEDDLE_MARK };
enum heddle_memory { HEDDLE_PAGEABLE, HEDDLE_PINNED, HEDDLE_DEVICE, HEDDLE_ARRAY, HEDDLE_MANAGED };
enum heddle_sync { HEDDLE_SYNC_EVENT = 1, HEDDLE_SYNC_STREAM_EVENT, HEDDLE_SYNC_STREAM, HEDDLE_SYNC_CONTEXT }; /* CUPTI's numbers */
enum heddle_mark { HEDDLE_MARK_INSTANT, HEDDLE_MARK_BEGIN, HEDDLE_MARK_END };

/* Something that was done. Texts live as long as the call of the tracer. */
struct heddle_done {
  enum heddle_done_kind kind;
  uint64_t start, end; /* ns */
  uint64_t context, stream; /* ids */
  uint32_t correlation;
  uint64_t graph_node; /* of a graph's launch: which node, from 1 on; 0: none */
  uint32_t graph;
  const char *name; /* of a kernel or mark */
  union {
    struct {
      uint64_t id; /* number of the grid */
      uint32_t grid[3], block[3], cluster[3], registers, static_shared, dynamic_shared, local_bytes;
      bool cooperative, by_device;
      uint32_t cluster_policy;
    } kernel;
    struct {
      uint64_t bytes;
      enum heddle_memory from, to;
      bool async;
      uint32_t value; /* of a fill */
    } memory;
    struct {
      enum heddle_sync what;
      uint32_t event; /* id */
      int result;
    } sync;
    struct {
      uint64_t default_stream;
    } made;       /* a context */
    struct {
      int priority;
      bool is_default, non_blocking;
    } opened;     /* a stream */
    struct {
      enum heddle_mark what;
      uint32_t id;
      const char *domain; /* NULL: the default one */
    } mark;
  };
};

/* What a tracer wants to be told. */
struct heddle_tracer {
  void (*enter)(struct heddle_call *c);
  void (*leave)(struct heddle_call *c, int result);
  void (*done)(const struct heddle_done *d); /* while the driver holds its lock: it may not call CUDA */
};

extern int heddleTraced;
void heddleTrace(const struct heddle_tracer *t); /* NULL: nobody traces any more */
uint64_t heddleNow(void); /* ns of simulated time, never 0 */
/* Calls of this thread from true to false are the tracer's own, or what it had the program do, and not told. They nest. */
void heddleTraceQuiet(bool quiet);
/* What NVTX calls in the library that it takes for a tool. */
int heddleInjectNvtx(const void *(*tables)(uint32_t id));
/* False: it is not to be told, and not left. */
bool heddleCallEnter(struct heddle_call *c);
void heddleCallLeave(struct heddle_call *c, int result);

/* ---- for the functions that calls.awk makes ---- */

#define CUDA_CALL __attribute__((visibility("default")))
#define CUDA_TRACE(f, p, call, type)                                   \
  struct heddle_call c = {.function = &(f), .params = (p)};            \
  if (!heddleCallEnter(&c)) return call;                               \
  type r = call;                                                       \
  heddleCallLeave(&c, (int)r);                                         \
  return r;

extern const struct heddle_library heddle_own; /* of the library that is compiled */

/* ---- for the driver, with its lock held ---- */

/* Simulated time as a tracer sees it: a second is added, because 0 means "not known" to CUPTI. */
uint64_t cuda_trace_ns(double ns);
uint32_t cuda_trace_correlation(void); /* of the call that this thread is in; 0: none is traced */
void cuda_trace_done(const struct heddle_done *d); /* only while heddleTraced */

#endif
