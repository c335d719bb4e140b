/* Runs variants on the CUDA device found, in worker processes.
 *
 * Workers are forked so that a kernel that faults, hangs or crashes the driver costs one variant: the worker
 * is replaced and the rest goes on. Modules hold many variants; when one does not load, its variants are
 * loaded one by one. Only the driver API is used, so the same program runs on a GPU and on Heddle. */
#ifndef CONFORMANCE_DEVICE_H
#define CONFORMANCE_DEVICE_H

#include "variants.h"

enum outcome_state {
  OUTCOME_PENDING, /* never ran: the time limit was reached */
  OUTCOME_OK,
  OUTCOME_REFUSED, /* did not load: `error` is the first line of the log */
  OUTCOME_FAILED,  /* launch or synchronisation failed, the process died, or it hung */
};

struct outcome {
  enum outcome_state state;
  char error[200];
  unsigned char *bytes; /* lanes * stride bytes of results */
};

struct device_plan {
  const struct variant *const *list;
  size_t count;
  unsigned jobs;       /* worker processes */
  unsigned per_module; /* variants in one module */
  unsigned hang_s;     /* seconds after which a worker that makes no progress is given up */
  unsigned limit_s;    /* seconds for everything */
};

/* Runs the plan and fills one outcome a variant; the memory stays until the program ends. Returns false with
 * a line on standard error when no device could be used at all. */
bool device_run(const struct device_plan *plan, struct outcome *outcomes);

#endif
