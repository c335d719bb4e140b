/* See call_trace.h. */
#include "cuda/trace/call_trace.h"

#include "cuda/state.h"

#include <stddef.h>

enum { FIRST_NS = 1000000000 };

CUDA_EXPORT int heddleTraced;
static const struct heddle_tracer *tracer; /* remains when tracing ends, because a call may be under way */
static uint32_t correlations;
static _Thread_local struct {
  unsigned depth;       /* nesting depth of reported calls */
  int quiet;
  uint32_t correlation; /* of the outermost */
} at;

CUDA_EXPORT void heddleTrace(const struct heddle_tracer *t) {
  if (t) tracer = t;
  __atomic_store_n(&heddleTraced, t != NULL, __ATOMIC_RELEASE);
}

CUDA_EXPORT void heddleTraceQuiet(bool quiet) { at.quiet += quiet ? 1 : -1; }

uint64_t cuda_trace_ns(double ns) { return FIRST_NS + (uint64_t)ns; }

CUDA_EXPORT uint64_t heddleNow(void) {
  CUDA_LOCKED;
  return cuda_trace_ns(cuda.engine.now);
}

CUDA_EXPORT bool heddleCallEnter(struct heddle_call *c) {
  if (at.quiet) return false;
  c->nested = at.depth++ > 0;
  if (!c->nested) at.correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
  c->correlation = at.correlation;
  c->start = heddleNow();
  tracer->enter(c);
  return true;
}

CUDA_EXPORT void heddleCallLeave(struct heddle_call *c, int result) {
  tracer->leave(c, result);
  if (!--at.depth) at.correlation = 0;
}

uint32_t cuda_trace_correlation(void) { return at.correlation; }

void cuda_trace_done(const struct heddle_done *d) { tracer->done(d); }

/* ---- the driver's own functions ---- */

static const char *kernel_name(const void *kernel) {
  const char *name = NULL;
  return cuFuncGetName(&name, (CUfunction)(uintptr_t)kernel) == CUDA_SUCCESS ? name : NULL;
}

const struct heddle_library heddle_own = {HEDDLE_DRIVER, kernel_name};
