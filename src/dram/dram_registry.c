/* The schedulers, one line each. A new one also goes into the choices of dram.scheduler. */
#include "dram/dram_sched.h"

extern const struct dram_scheduler dram_frfcfs, dram_fcfs;

const struct dram_scheduler *const dram_schedulers[] = {
    &dram_frfcfs,
    &dram_fcfs,
    NULL,
};
