/* First come, first served: only the oldest request of the channel may take its bank. */
#include "dram/dram_sched.h"

static int32_t pick(void *s, const struct dram_view *v, unsigned bank) {
  (void)s;
  return v->requests[v->oldest].bank == bank ? v->oldest : DRAM_NONE;
}

const struct dram_scheduler dram_fcfs = {
    .policy = {.name = "fcfs", .meaning = "strictly in order of arrival"},
    .pick = pick};
