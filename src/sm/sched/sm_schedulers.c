/* The warp schedulers, one line each. */
#include "sm/sm.h"

#define LIST(X, T)    \
  X(T, sm_lrr)        \
  X(T, sm_gto)        \
  X(T, sm_two_level)  \
  X(T, sm_ccws)       \
  X(T, sm_grr)
POLICY_LIST(sm_schedulers, struct sm_scheduler, LIST);
