/* First ready, first come first served: a bank serves the oldest request to its open row or, if there is none, the
 * oldest of its requests. There is no limit to how long row hits may overtake older requests. */
#include "dram/dram_sched.h"

static int32_t pick(void *s, const struct dram_view *v, unsigned bank) {
  uint64_t row = v->open[bank];
  (void)s;
  if (row != DRAM_CLOSED)
    for (int32_t r = v->first[bank]; r != DRAM_NONE; r = v->requests[r].next)
      if (v->requests[r].row == row) return r;
  return v->first[bank];
}

const struct dram_scheduler dram_frfcfs = {
    .policy = {.name = "frfcfs", .meaning = "oldest request to the open row; if there is none, the oldest request",
               .paper = "Rixner et al.: Memory access scheduling, ISCA 2000"},
    .pick = pick};
