// Shortest paths from one node, checked against a queue of nodes to relax.
#include "common/checked_graph.h"
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(sssp);

enum { THREADS = 1024, SOURCE = 0, UNREACHED = 1000000000 };

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
  struct wl_graph g = wl_regular_graph(r, counts[r->size], 4, 100);
  struct checked_graph d = upload_checked_graph(r, &g);
  int n = g.nodes, zero = 0, errors;
  CUdeviceptr d_distance = WL_DEV(r, int, n), d_changed = WL_DEV(r, bool, 1), d_errors = WL_ZEROS(r, int, 1);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "sssp_start", grid, block, 0, &d_distance, &n);
  WL_PUT(r, d_distance + SOURCE * sizeof(int), &zero, 1);
  bool changed;
  do {
    changed = false;
    WL_PUT(r, d_changed, &changed, 1);
    WL_LAUNCH(r, "sssp_relax", grid, block, 0, &d, &d_distance, &d_changed);
    WL_GET(r, &changed, d_changed, 1);
  } while (changed);
  WL_LAUNCH(r, "sssp_verify", grid, block, 0, &d, &d_distance, &d_errors);
  WL_GET(r, &errors, d_errors, 1);
  if (errors) return wl_mismatch(r, "%d edges still make a path shorter", errors);
  return wl_same_i32(r, "distance", WL_DOWN(r, int, d_distance, n), reference(r, &g), n);
}

const struct workload wl_sssp = {
    .name = "sssp",
    .suite = "Lonestar",
    .pattern = "four edges a lane, read again for every question; scattered reads and atomic minima of distances",
    .sizes = {"4,096 nodes, 4 edges each", "32,768 nodes, 4 edges each", "262,144 nodes, 4 edges each"},
    .ptx = wl_ptx_sssp,
    .run = run,
};
