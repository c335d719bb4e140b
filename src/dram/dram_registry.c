/* The DRAM schedulers and the page policies, one line each. */
#include "dram/dram_sched.h"

#define SCHEDULERS(X, T) \
  X(T, dram_frfcfs)      \
  X(T, dram_frfcfs_cap)  \
  X(T, dram_bank_turns)  \
  X(T, dram_bliss)       \
  X(T, dram_fcfs)
POLICY_LIST(dram_schedulers, struct dram_scheduler, SCHEDULERS);

#define PAGES(X, T)      \
  X(T, dram_page_closed) \
  X(T, dram_page_open)
POLICY_LIST(dram_pages, struct dram_page, PAGES);
