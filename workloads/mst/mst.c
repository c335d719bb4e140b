// Minimum spanning forest, its weight checked against Kruskal's algorithm.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(mst);

enum { THREADS = 256, WEIGHTS = 64 };

static int find(int *parent, int n) {
  while (parent[n] != n) n = parent[n] = parent[parent[n]];
  return n;
}

// Weights are small numbers, so the edges are taken weight by weight.
static uint64_t reference(struct wl_run *r, const struct wl_graph *g, int *roots) {
  uint64_t total = 0;
  for (int n = 0; n < g->nodes; n++) roots[n] = n;
  int *owner = WL_NEW(r, int, g->edges), *sorted = WL_NEW(r, int, g->edges), first[WEIGHTS + 1] = {0};
  for (int n = 0; n < g->nodes; n++)
    for (int e = g->row[n]; e < g->row[n + 1]; e++) {
      owner[e] = n;
      first[g->weight[e] + 1]++;
    }
  for (int w = 0; w < WEIGHTS; w++) first[w + 1] += first[w];
  for (int e = 0; e < g->edges; e++) sorted[first[g->weight[e]]++] = e;
  for (int i = 0; i < g->edges; i++) {
    int e = sorted[i], a = find(roots, owner[e]), b = find(roots, g->col[e]);
    if (a == b) continue;
    roots[a] = b;
    total += (uint64_t)g->weight[e];
  }
  return total;
}

// Nodes must share a component on the device where they do here.
static bool check_components(struct wl_run *r, int *roots, const int *component, int nodes) {
  int *name = WL_NEW(r, int, nodes);
  for (int n = 0; n < nodes; n++) name[n] = -1;
  for (int n = 0; n < nodes; n++) {
    int root = find(roots, n);
    if (name[root] < 0) name[root] = component[n];
    if (name[root] != component[n])
      return wl_mismatch(r, "node %d is in component %d, its neighbours in %d", n, component[n], name[root]);
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const int widths[WL_SIZES] = {64, 192, 1024};
  struct wl_graph g = wl_road_graph(r, widths[r->size], widths[r->size]);
  int n = g.nodes, changed, *identity = WL_NEW(r, int, n);
  for (int i = 0; i < n; i++) identity[i] = i;
  CUdeviceptr d_row = WL_UP(r, g.row, n + 1), d_col = WL_UP(r, g.col, g.edges);
  CUdeviceptr d_weight = WL_UP(r, g.weight, g.edges), d_component = WL_UP(r, identity, n);
  CUdeviceptr d_parent = WL_UP(r, identity, n), d_best = WL_DEV(r, uint64_t, n);
  CUdeviceptr d_total = WL_ZEROS(r, uint64_t, 1), d_changed = WL_DEV(r, int, 1);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  do {
    CU(r, cuMemsetD32(d_changed, 0, 1));
    CU(r, cuMemsetD32(d_best, 0xffffffffu, 2 * (size_t)n));
    WL_LAUNCH(r, "mst_find", grid, block, 0, &d_row, &d_col, &d_weight, &d_component, &n, &d_best);
    WL_LAUNCH(r, "mst_join", grid, block, 0, &d_component, &d_best, &n, &d_parent, &d_total, &d_changed);
    WL_LAUNCH(r, "mst_compress", grid, block, 0, &d_parent, &n, &d_component);
    WL_GET(r, &changed, d_changed, 1);
  } while (changed);

  int *roots = WL_NEW(r, int, n);
  uint64_t got, want = reference(r, &g, roots);
  WL_GET(r, &got, d_total, 1);
  if (got != want)
    return wl_mismatch(r, "the forest weighs %llu, the lightest %llu", (unsigned long long)got,
                       (unsigned long long)want);
  return check_components(r, roots, WL_DOWN(r, int, d_component, n), n);
}

const struct workload wl_mst = {
    .name = "mst",
    .suite = "Lonestar",
    .pattern = "edge lists apart in every lane, gathers of components, 64-bit atomic minima, pointer chains",
    .sizes = {"64 x 64 streets", "192 x 192 streets", "1,024 x 1,024 streets"},
    .ptx = wl_ptx_mst,
    .run = run,
};
