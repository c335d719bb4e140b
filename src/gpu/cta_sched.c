/* The CTA schedulers, one line each. */
#include "gpu/cta_sched.h"

#define LIST(X, T)        \
  X(T, cta_round_robin)   \
  X(T, cta_two_level)     \
  X(T, cta_block)         \
  X(T, cta_distributed)
POLICY_LIST(gpu_cta_scheds, struct gpu_cta_sched, LIST);
