// Shortest paths from one node, checked against a queue of nodes to relax.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(sssp);

enum { THREADS = 256, SOURCE = 0, UNREACHED = 0x3fffffff };

static int *reference(struct wl_run *r, const struct wl_graph *g) {
  int *distance = WL_NEW(r, int, g->nodes), *ring = WL_NEW(r, int, g->nodes);
  bool *queued = WL_NEW(r, bool, g->nodes);
  for (int n = 0; n < g->nodes; n++) distance[n] = UNREACHED;
  distance[SOURCE] = 0;
  ring[0] = SOURCE;
  for (int head = 0, waiting = 1; waiting > 0; waiting--) {
    int n = ring[head];
    head = (head + 1) % g->nodes;
    queued[n] = false;
    for (int e = g->row[n]; e < g->row[n + 1]; e++) {
      int other = g->col[e], path = distance[n] + g->weight[e];
      if (path >= distance[other]) continue;
      distance[other] = path;
      if (queued[other]) continue;
      queued[other] = true;
      ring[(head + waiting++ - 1) % g->nodes] = other;
    }
  }
  return distance;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {4096, 32768, 262144};
  struct wl_graph g = wl_random_graph(r, counts[r->size], 6);
  int n = g.nodes, *distance = WL_NEW(r, int, n), changed;
  for (int i = 0; i < n; i++) distance[i] = i == SOURCE ? 0 : UNREACHED;
  CUdeviceptr d_row = WL_UP(r, g.row, n + 1), d_col = WL_UP(r, g.col, g.edges);
  CUdeviceptr d_weight = WL_UP(r, g.weight, g.edges), d_distance = WL_UP(r, distance, n);
  CUdeviceptr d_changed = WL_DEV(r, int, 1);
  do {
    CU(r, cuMemsetD32(d_changed, 0, 1));
    WL_LAUNCH(r, "sssp_relax", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &d_row, &d_col, &d_weight, &n,
              &d_distance, &d_changed);
    WL_GET(r, &changed, d_changed, 1);
  } while (changed);
  return wl_same_i32(r, "distance", WL_DOWN(r, int, d_distance, n), reference(r, &g), n);
}

const struct workload wl_sssp = {
    .name = "sssp",
    .suite = "Lonestar",
    .pattern = "edge lists apart in every lane, scattered reads and atomic minima of distances",
    .sizes = {"4,096 nodes, 6 edges each", "32,768 nodes, 6 edges each", "262,144 nodes, 6 edges each"},
    .ptx = wl_ptx_sssp,
    .run = run,
};
