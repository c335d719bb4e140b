// The graph of checked_graph.cuh on the host's side: an argument of kernels.
#ifndef WL_CHECKED_GRAPH_H
#define WL_CHECKED_GRAPH_H

#include "common/inputs.h"

struct checked_graph {
  unsigned nodes, edges;
  CUdeviceptr degree, place, first, target, weight;
};

// A copy in device memory; every node has the place of its number.
struct checked_graph upload_checked_graph(struct wl_run *r, const struct wl_graph *g);

#endif
