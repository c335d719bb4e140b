/* The cooperation networks, one line each. */
#include "coop/coop.h"

#define LIST(X, T)   \
  X(T, coop_none)    \
  X(T, coop_ccn_b)   \
  X(T, coop_ccn_rt)  \
  X(T, coop_ideal)   \
  X(T, coop_cluster) \
  X(T, coop_tracker)
POLICY_LIST(coop_policies, struct coop_policy, LIST);
