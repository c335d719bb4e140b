/* The network topologies, one line each. */
#include "noc/noc.h"

#define LIST(X, T) \
  X(T, noc_xbar)   \
  X(T, noc_cxbar)  \
  X(T, noc_hxbar)  \
  X(T, noc_mesh)
POLICY_LIST(noc_topologies, struct noc_topology, LIST);
