// Graph colouring; any colouring without two equal neighbours and without needless colours is right.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(gco);

enum { THREADS = 256 };

// No two neighbours share a colour, and no node has a higher colour than its number of neighbours needs.
static bool check(struct wl_run *r, const struct wl_graph *g, const int *colour) {
  for (int n = 0; n < g->nodes; n++) {
    int degree = g->row[n + 1] - g->row[n];
    if (colour[n] < 0 || colour[n] > degree)
      return wl_mismatch(r, "node %d with %d neighbours has colour %d", n, degree, colour[n]);
    for (int e = g->row[n]; e < g->row[n + 1]; e++)
      if (colour[g->col[e]] == colour[n])
        return wl_mismatch(r, "neighbours %d and %d have colour %d", n, g->col[e], colour[n]);
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {4096, 49152, 524288};
  struct wl_graph g = wl_powerlaw_graph(r, counts[r->size], 4);
  int n = g.nodes, conflicts;
  CUdeviceptr d_row = WL_UP(r, g.row, n + 1), d_col = WL_UP(r, g.col, g.edges);
  CUdeviceptr d_colour = WL_DEV(r, int, n), d_fresh = WL_DEV(r, int, n), d_conflicts = WL_DEV(r, int, 1);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  CU(r, cuMemsetD32(d_colour, 0xffffffffu, (size_t)n));
  do {
    CU(r, cuMemsetD32(d_conflicts, 0, 1));
    WL_LAUNCH(r, "gco_assign", grid, block, 0, &d_row, &d_col, &n, &d_colour, &d_fresh);
    WL_LAUNCH(r, "gco_resolve", grid, block, 0, &d_row, &d_col, &d_fresh, &n, &d_colour, &d_conflicts);
    WL_GET(r, &conflicts, d_conflicts, 1);
  } while (conflicts);
  return check(r, &g, WL_DOWN(r, int, d_colour, n));
}

const struct workload wl_gco = {
    .name = "gco",
    .suite = "Graph",
    .pattern = "edge lists of very different lengths, scattered reads of neighbours' colours",
    .sizes = {"4,096 nodes, power law", "49,152 nodes, power law", "524,288 nodes, power law"},
    .ptx = wl_ptx_gco,
    .run = run,
};
