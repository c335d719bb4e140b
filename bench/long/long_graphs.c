/* Long programs over graphs: hundreds of launches each, whose size is that of the frontier or the same every time. */
#include "common/inputs.h"
#include "long.h"

struct device_graph {
  int nodes;
  CUdeviceptr row, col, weight;
};

static struct device_graph up(struct wl_run *r, struct wl_graph g) {
  return (struct device_graph){g.nodes, WL_UP(r, g.row, g.nodes + 1), WL_UP(r, g.col, g.edges), WL_UP(r, g.weight, g.edges)};
}

/* A step is a search from another node, until a round finds nobody new. */
static uint64_t search_levels(struct wl_run *r, struct device_graph g, long steps) {
  CUdeviceptr level = WL_DEV(r, int, g.nodes), d_more = WL_DEV(r, int, 1);
  for (long s = 0; s < steps; s++) {
    int zero = 0, start = (int)wl_below(&r->rng, (uint32_t)g.nodes);
    CU(r, cuMemsetD32(level, UINT32_MAX, (size_t)g.nodes));
    wl_put(r, level + (size_t)start * sizeof(int), &zero, sizeof zero);
    for (int now = 0, more = 1; more; now++) {
      more = 0;
      WL_PUT(r, d_more, &more, 1);
      LONG_LINE(r, "bfs_round", g.nodes, 256, &g.row, &g.col, &level, &now, &d_more, &g.nodes);
      WL_GET(r, &more, d_more, 1);
    }
  }
  return long_sum(r, level, (size_t)g.nodes * sizeof(int));
}

static uint64_t search_roads(struct wl_run *r, long steps) { return search_levels(r, up(r, wl_road_graph(r, 192, 192)), steps); }
static uint64_t search_hubs(struct wl_run *r, long steps) { return search_levels(r, up(r, wl_powerlaw_graph(r, 1 << 17, 8)), steps); }

/* A step is all shortest paths from another node. */
static uint64_t paths(struct wl_run *r, long steps) {
  struct device_graph g = up(r, wl_road_graph(r, 128, 128));
  CUdeviceptr a = WL_DEV(r, int, g.nodes), b = WL_DEV(r, int, g.nodes), d_more = WL_DEV(r, int, 1);
  for (long s = 0; s < steps; s++) {
    int zero = 0, start = (int)wl_below(&r->rng, (uint32_t)g.nodes);
    CU(r, cuMemsetD32(a, 0x3fffffff, (size_t)g.nodes));
    wl_put(r, a + (size_t)start * sizeof(int), &zero, sizeof zero);
    for (int more = 1; more;) {
      more = 0;
      WL_PUT(r, d_more, &more, 1);
      LONG_LINE(r, "path_round", g.nodes, 256, &g.row, &g.col, &g.weight, &a, &b, &d_more, &g.nodes);
      WL_GET(r, &more, d_more, 1);
      CUdeviceptr t = a;
      a = b;
      b = t;
    }
  }
  return long_sum(r, a, (size_t)g.nodes * sizeof(int));
}

static uint64_t ranks(struct wl_run *r, long steps) {
  struct device_graph g = up(r, wl_powerlaw_graph(r, 1 << 16, 8));
  CUdeviceptr rank = WL_UP(r, wl_floats(r, g.nodes, 0, 1), g.nodes), share = WL_DEV(r, float, g.nodes);
  for (long s = 0; s < steps; s++) {
    LONG_LINE(r, "rank_shares", g.nodes, 256, &g.row, &rank, &share, &g.nodes);
    LONG_LINE(r, "rank_gather", g.nodes, 256, &g.row, &g.col, &share, &rank, &g.nodes);
  }
  return long_sum(r, rank, (size_t)g.nodes * sizeof(float));
}

const struct long_program long_graphs[] = {
    {"roads", "breadth-first search of 36,864 crossings, a step a source", 64, search_roads},
    {"hubs", "breadth-first search of 131,072 nodes, some with very many edges, a step a source", 90, search_hubs},
    {"paths", "shortest paths of 16,384 crossings, a step a source", 34, paths},
    {"ranks", "ranks of 65,536 pages, a step an iteration", 500, ranks},
    {0},
};
