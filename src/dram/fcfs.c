/* First come, first served: only the oldest request of the channel may take its bank. */
#include "dram/dram_sched.h"

static int32_t pick(const struct dram_view *v, unsigned bank) {
  return v->requests[v->oldest].bank == bank ? v->oldest : DRAM_NONE;
}

extern const struct dram_scheduler dram_fcfs;
const struct dram_scheduler dram_fcfs = {"fcfs", "strictly in order of arrival", NULL, pick};
