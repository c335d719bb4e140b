// Connected component labelling: the label of a component is its lowest node.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(ccl);

enum { THREADS = 256 };

static int *reference(struct wl_run *r, const struct wl_graph *g) {
  int *label = WL_NEW(r, int, g->nodes), *stack = WL_NEW(r, int, g->nodes);
  for (int n = 0; n < g->nodes; n++) label[n] = -1;
  for (int first = 0; first < g->nodes; first++) {
    if (label[first] >= 0) continue;
    int top = 0;
    label[first] = first;
    stack[top++] = first;
    while (top > 0) {
      int n = stack[--top];
      for (int e = g->row[n]; e < g->row[n + 1]; e++) {
        if (label[g->col[e]] >= 0) continue;
        label[g->col[e]] = first;
        stack[top++] = g->col[e];
      }
    }
  }
  return label;
}

static bool run(struct wl_run *r) {
  static const int widths[WL_SIZES] = {64, 224, 1024};
  struct wl_graph g = wl_road_graph(r, widths[r->size], widths[r->size]);
  int n = g.nodes, changed, *identity = WL_NEW(r, int, n);
  for (int i = 0; i < n; i++) identity[i] = i;
  CUdeviceptr d_row = WL_UP(r, g.row, n + 1), d_col = WL_UP(r, g.col, g.edges);
  CUdeviceptr d_label = WL_UP(r, identity, n), d_reference = WL_UP(r, identity, n);
  CUdeviceptr d_changed = WL_DEV(r, int, 1);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  do {
    CU(r, cuMemsetD32(d_changed, 0, 1));
    WL_LAUNCH(r, "ccl_scan", grid, block, 0, &d_row, &d_col, &d_label, &n, &d_reference, &d_changed);
    WL_LAUNCH(r, "ccl_analyse", grid, block, 0, &d_label, &n, &d_reference);
    WL_LAUNCH(r, "ccl_label", grid, block, 0, &d_reference, &n, &d_label);
    WL_GET(r, &changed, d_changed, 1);
  } while (changed);
  return wl_same_i32(r, "label", WL_DOWN(r, int, d_label, n), reference(r, &g), n);
}

const struct workload wl_ccl = {
    .name = "ccl",
    .suite = "Graph",
    .pattern = "gathers of neighbours' labels, atomic minima, chains of references",
    .sizes = {"64 x 64 streets", "224 x 224 streets", "1,024 x 1,024 streets"},
    .ptx = wl_ptx_ccl,
    .run = run,
};
