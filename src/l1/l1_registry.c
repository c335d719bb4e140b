/* The L1D organisations, one line each. */
#include "l1/l1.h"

#define LIST(X, T)   \
  X(T, l1_set_assoc) \
  X(T, l1_tsc)       \
  X(T, l1_tsc_plus)  \
  X(T, l1_line32)    \
  X(T, l1_line64)    \
  X(T, l1_line256)   \
  X(T, l1_sector)    \
  X(T, l1_lamar)     \
  X(T, l1_dsc2)      \
  X(T, l1_dsc4)
POLICY_LIST(l1_orgs, struct l1_org, LIST);
