// Copies a graph to the device in the arrays that checked_graph.cuh asks.
#include "common/checked_graph.h"

struct checked_graph upload_checked_graph(struct wl_run *r, const struct wl_graph *g) {
  int n = g->nodes;
  int *degree = WL_NEW(r, int, n), *place = WL_NEW(r, int, n), *first = WL_NEW(r, int, n + 1);
  int *target = WL_NEW(r, int, g->edges + 1), *weight = WL_NEW(r, int, g->edges + 1);
  for (int i = 0; i < n; i++) {
    degree[i] = g->row[i + 1] - g->row[i];
    place[i] = i;
    first[i] = g->row[i] + 1;
  }
  for (int e = 0; e < g->edges; e++) {
    target[e + 1] = g->col[e];
    weight[e + 1] = g->weight[e];
  }
  return (struct checked_graph){(unsigned)n, (unsigned)g->edges, WL_UP(r, degree, n), WL_UP(r, place, n), WL_UP(r, first, n + 1),
                                WL_UP(r, target, g->edges + 1), WL_UP(r, weight, g->edges + 1)};
}
