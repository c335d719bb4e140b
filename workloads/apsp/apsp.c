// All-pairs shortest paths of a directed graph.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(apsp);

enum { SIDE = 16, UNREACHED = 0x1fffffff };

static int *matrix(struct wl_run *r, const struct wl_graph *g) {
  int n = g->nodes, *distance = WL_NEW(r, int, n *n);
  for (int i = 0; i < n * n; i++) distance[i] = i % n == i / n ? 0 : UNREACHED;
  for (int i = 0; i < n; i++)
    for (int e = g->row[i]; e < g->row[i + 1]; e++) {
      int *d = &distance[i * n + g->col[e]];
      if (g->weight[e] < *d) *d = g->weight[e];
    }
  return distance;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {64, 192, 320};
  int n = counts[r->size];
  struct wl_graph g = wl_random_graph(r, n, 4);
  int *distance = matrix(r, &g);
  CUdeviceptr d_distance = WL_UP(r, distance, n * n);
  for (int via = 0; via < n; via++)
    WL_LAUNCH(r, "apsp_step", wl_2d(wl_blocks(n, SIDE), wl_blocks(n, SIDE)), wl_2d(SIDE, SIDE), 0,
              &d_distance, &n, &via);

  for (int via = 0; via < n; via++)
    for (int from = 0; from < n; from++)
      for (int to = 0; to < n; to++) {
        int path = distance[from * n + via] + distance[via * n + to];
        if (path < distance[from * n + to]) distance[from * n + to] = path;
      }
  return wl_same_i32(r, "distance", WL_DOWN(r, int, d_distance, n *n), distance, (long)n * n);
}

const struct workload wl_apsp = {
    .name = "apsp",
    .suite = "Graph",
    .pattern = "the whole matrix streamed once a launch, one row and one column shared by all",
    .sizes = {"64 nodes", "192 nodes", "320 nodes"},
    .ptx = wl_ptx_apsp,
    .run = run,
};
