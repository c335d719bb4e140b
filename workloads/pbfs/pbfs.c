// Queue-based breadth-first search on a road-like graph.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(pbfs);

enum { THREADS = 512, UNSEEN = INT32_MAX };

struct pair {
  int x, y;
};

static int *reference(struct wl_run *r, const struct wl_graph *g) {
  int *cost = WL_NEW(r, int, g->nodes), *queue = WL_NEW(r, int, g->nodes);
  for (int n = 0; n < g->nodes; n++) cost[n] = UNSEEN;
  cost[0] = 0;
  for (int head = 0, tail = 1; head < tail; head++)
    for (int i = g->row[queue[head]]; i < g->row[queue[head] + 1]; i++) {
      int other = g->col[i];
      if (cost[other] != UNSEEN) continue;
      cost[other] = cost[queue[head]] + 1;
      queue[tail++] = other;
    }
  return cost;
}

static bool run(struct wl_run *r) {
  static const struct {
    int width, height;
    int limit; // the largest frontier that stays within one block
  } shapes[WL_SIZES] = {{96, 96, 64}, {640, 640, THREADS}, {2048, 1024, THREADS}};
  struct wl_graph g = wl_road_graph(r, shapes[r->size].width, shapes[r->size].height);
  struct pair *nodes = WL_NEW(r, struct pair, g.nodes), *edges = WL_NEW(r, struct pair, g.edges);
  for (int n = 0; n < g.nodes; n++) nodes[n] = (struct pair){g.row[n], g.row[n + 1] - g.row[n]};
  for (int e = 0; e < g.edges; e++) edges[e] = (struct pair){g.col[e], g.weight[e]};

  CUdeviceptr d_nodes = WL_UP(r, nodes, g.nodes), d_edges = WL_UP(r, edges, g.edges);
  CUdeviceptr d_cost = WL_DEV(r, int, g.nodes), d_state = WL_DEV(r, int, 2);
  CUdeviceptr d_from = WL_ZEROS(r, int, g.nodes), d_to = WL_DEV(r, int, g.nodes);
  int limit = shapes[r->size].limit;
  int state[2] = {1, 1}; // size of the frontier, and the level its neighbours get
  CU(r, cuMemsetD32(d_cost, UNSEEN, (size_t)g.nodes));
  CU(r, cuMemsetD32(d_cost, 0, 1));
  while (state[0] > 0) {
    if (state[0] <= limit) {
      WL_PUT(r, d_state, state, 2);
      WL_LAUNCH(r, "pbfs_block", wl_1d(1), wl_1d(THREADS), 0, &d_nodes, &d_edges, &d_cost, &d_from, &d_to,
                &d_state, &limit);
      WL_GET(r, state, d_state, 2);
    } else {
      int count = state[0];
      CU(r, cuMemsetD32(d_state, 0, 1));
      WL_LAUNCH(r, "pbfs_level", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_nodes, &d_edges,
                &d_cost, &d_from, &count, &state[1], &d_to, &d_state);
      WL_GET(r, state, d_state, 1);
      state[1]++;
    }
    CUdeviceptr d = d_from;
    d_from = d_to;
    d_to = d;
  }
  return wl_same_i32(r, "cost", WL_DOWN(r, int, d_cost, g.nodes), reference(r, &g), g.nodes);
}

const struct workload wl_pbfs = {
    .name = "pbfs",
    .suite = "Parboil",
    .pattern = "frontier queues: scattered node records, edges and atomics, then blocks of appended nodes",
    .sizes = {"96 x 96 streets", "640 x 640 streets", "2,048 x 1,024 streets"},
    .ptx = wl_ptx_pbfs,
    .run = run,
};
