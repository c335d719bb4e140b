/* The L1D bypass policies, one line each. */
#include "l1/bypass.h"

#define LIST(X, T)    \
  X(T, l1_no_bypass)  \
  X(T, l1_mrpb)       \
  X(T, l1_pc_bypass)  \
  X(T, l1_bucl_dyn)   \
  X(T, l1_bucl_prf)
POLICY_LIST(l1_bypasses, struct l1_bypass, LIST);
