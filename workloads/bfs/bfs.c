// Breadth-first search with the level loop on the host, checked against a queue.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(bfs);

enum { THREADS = 512, SOURCE = 0 };

struct node {
  int first, edges;
};

static int *reference(struct wl_run *r, const struct wl_graph *g) {
  int *cost = WL_NEW(r, int, g->nodes), *queue = WL_NEW(r, int, g->nodes);
  for (int n = 0; n < g->nodes; n++) cost[n] = -1;
  cost[SOURCE] = 0;
  queue[0] = SOURCE;
  for (int head = 0, tail = 1; head < tail; head++) {
    int n = queue[head];
    for (int i = g->row[n]; i < g->row[n + 1]; i++) {
      int other = g->col[i];
      if (cost[other] >= 0) continue;
      cost[other] = cost[n] + 1;
      queue[tail++] = other;
    }
  }
  return cost;
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {4096, 65536, 1000000};
  struct wl_graph g = wl_even_graph(r, counts[r->size], 3);
  int n = g.nodes;
  struct node *nodes = WL_NEW(r, struct node, n);
  uint8_t *start = WL_NEW(r, uint8_t, n);
  int *cost = WL_NEW(r, int, n);
  for (int i = 0; i < n; i++) {
    nodes[i] = (struct node){g.row[i], g.row[i + 1] - g.row[i]};
    cost[i] = i == SOURCE ? 0 : -1;
  }
  start[SOURCE] = 1;

  CUdeviceptr d_nodes = WL_UP(r, nodes, n), d_edges = WL_UP(r, g.col, g.edges);
  CUdeviceptr d_mask = WL_UP(r, start, n), d_next = WL_ZEROS(r, uint8_t, n), d_visited = WL_UP(r, start, n);
  CUdeviceptr d_cost = WL_UP(r, cost, n), d_more = WL_ZEROS(r, uint8_t, 1);
  struct wl_dim grid = wl_1d(wl_blocks(n, THREADS)), block = wl_1d(THREADS);
  uint8_t more;
  do {
    CU(r, cuMemsetD8(d_more, 0, 1));
    WL_LAUNCH(r, "bfs_expand", grid, block, 0, &d_nodes, &d_edges, &d_mask, &d_next, &d_visited, &d_cost, &n);
    WL_LAUNCH(r, "bfs_advance", grid, block, 0, &d_mask, &d_next, &d_visited, &d_more, &n);
    WL_GET(r, &more, d_more, 1);
  } while (more);
  return wl_same_i32(r, "cost", WL_DOWN(r, int, d_cost, n), reference(r, &g), n);
}

const struct workload wl_bfs = {
    .name = "bfs",
    .suite = "Rodinia",
    .pattern = "mask scan over all nodes, then scattered reads and writes through edge lists",
    .sizes = {"4,096 nodes, 6 edges each on average", "65,536 nodes, 6 edges each on average",
              "1,000,000 nodes, 6 edges each on average"},
    .ptx = wl_ptx_bfs,
    .run = run,
};
