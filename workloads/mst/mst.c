// Minimum spanning forest, its weight checked against Kruskal's algorithm.
#include "common/checked_graph.h"
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(mst);

enum { THREADS = 1024, JOIN_THREADS = 384, WEIGHTS = 1001 };
// Bytes of shared memory that let an SM of a GTX 480 hold three blocks of mst_join, as the original's registers do.
enum { THREE_BLOCKS = 16000 };

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

// A square grid: every crossing is linked to those above, left, right and below, each link of one weight in both directions.
static struct wl_graph make_grid(struct wl_run *r, int side) {
  int n = side * side, edges = 0, *below = wl_ints(r, n, 1, WEIGHTS), *right = wl_ints(r, n, 1, WEIGHTS);
  struct wl_graph g = {n, 0, WL_NEW(r, int, n + 1), WL_NEW(r, int, 4L * n), WL_NEW(r, int, 4L * n)};
  for (int node = 0; node < n; node++) {
    int x = node % side, y = node / side;
    const struct { bool there; int other, weight; } links[] = {{y > 0, node - side, y > 0 ? below[node - side] : 0},
                                                               {x > 0, node - 1, x > 0 ? right[node - 1] : 0},
                                                               {x + 1 < side, node + 1, right[node]},
                                                               {y + 1 < side, node + side, below[node]}};
    for (int k = 0; k < 4; k++) {
      if (!links[k].there) continue;
      g.col[edges] = links[k].other;
      g.weight[edges++] = links[k].weight;
    }
    g.row[node + 1] = g.edges = edges;
  }
  return g;
}

// What the kernels share, as they take it.
struct forest {
  CUdeviceptr parent, size, count;
};

struct choice {
  CUdeviceptr lightest, component_lightest, partner, unused, joins, head;
};

struct device {
  struct checked_graph graph;
  struct forest forest;
  struct choice choice;
  CUdeviceptr total, edges, again, arrived;
};

static void join(struct wl_run *r, struct device *d, long blocks) {
  struct wl_dim grid = wl_1d(blocks), block = wl_1d(JOIN_THREADS);
  bool again;
  do {
    again = false;
    WL_PUT(r, d->again, &again, 1);
    WL_LAUNCH(r, "mst_join", grid, block, THREE_BLOCKS, &d->forest, &d->choice, &d->graph.nodes, &d->total, &d->edges, &d->again,
              &d->arrived);
    WL_GET(r, &again, d->again, 1);
  } while (again);
}

static bool run(struct wl_run *r) {
  static const int sides[WL_SIZES] = {32, 192, 1024};
  struct wl_graph g = make_grid(r, sides[r->size]);
  long blocks = (long)wl_resident(r, "mst_join", JOIN_THREADS, THREE_BLOCKS) * wl_cores(r);
  int n = g.nodes, left = n, before;
  struct device d = {.graph = upload_checked_graph(r, &g),
                     .forest = {WL_DEV(r, int, n), WL_DEV(r, int, n), WL_UP(r, &n, 1)},
                     .choice = {WL_DEV(r, int, n), WL_DEV(r, int, n), WL_DEV(r, int, n), WL_DEV(r, int, n), WL_DEV(r, bool, n),
                                WL_DEV(r, int, n)},
                     .total = WL_ZEROS(r, uint32_t, 1),
                     .edges = WL_ZEROS(r, int, 1),
                     .again = WL_DEV(r, bool, 1),
                     .arrived = WL_ZEROS(r, int, blocks)};
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  static const char *const choosing[] = {"mst_lightest", "mst_choose", "mst_confirm"};
  WL_LAUNCH(r, "mst_singles", grid, block, 0, &d.forest, &n);
  do {
    before = left;
    WL_LAUNCH(r, "mst_start", grid, block, 0, &d.choice, &n);
    for (int k = 0; k < 3; k++) WL_LAUNCH(r, choosing[k], grid, block, 0, &d.graph, &d.forest, &d.choice);
    join(r, &d, blocks);
    WL_GET(r, &left, d.forest.count, 1);
  } while (left != before);

  uint32_t got, want = (uint32_t)reference(r, &g, WL_NEW(r, int, n));
  int edges;
  WL_GET(r, &got, d.total, 1);
  WL_GET(r, &edges, d.edges, 1);
  if (edges != n - 1 || left != 1) return wl_mismatch(r, "%d edges and %d components of %d nodes", edges, left, n);
  return wl_same_u32(r, "weight", &got, &want, 1);
}

const struct workload wl_mst = {
    .name = "mst",
    .suite = "Lonestar",
    .pattern = "edge lists apart in every lane, parents by compare-and-swap, pointer chains, barriers of the grid",
    .sizes = {"32 x 32 crossings", "192 x 192 crossings", "1,024 x 1,024 crossings"},
    .ptx = wl_ptx_mst,
    .run = run,
};
