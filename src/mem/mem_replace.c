/* The replacement policies, one line each. */
#include "mem/mem_replace.h"

#define LIST(X, T) \
  X(T, mem_lru)    \
  X(T, mem_nru)    \
  X(T, mem_random)
POLICY_LIST(mem_replacements, struct mem_replacement, LIST);
