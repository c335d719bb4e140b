// All-pairs shortest paths of a directed graph by recursive halves of the matrix.
#include "common/inputs.h"
#include "common/wl.h"
#include <float.h>

WL_PTX(apsp);

enum { SIDE = 16, ROWS = 64, COLUMNS = 16, SMALL = 64, HEAVIEST = 10, UNIT = 1000, LINKS_FROM_A_NODE = 9 };

struct apsp_matrix {
  struct wl_run *r;
  CUdeviceptr distance;
  int n;
};

// Where a quarter of a part of the matrix starts.
struct quarter {
  int row, column;
};

// A graph like R-MAT: the ends of a link are found by halving the nodes, with uneven chances, so that few nodes have many links.
static float *make_matrix(struct wl_run *r, int n, int links) {
  static const float halves[3] = {0.35f, 0.62f, 0.89f};
  float *distance = WL_NEW(r, float, n *n);
  int *from_node = WL_NEW(r, int, n);
  for (int i = 0; i < n * n; i++) distance[i] = i % n == i / n ? 0.0f : FLT_MAX;
  for (int made = 0; made < links;) {
    int from = 0, to = 0;
    for (int bit = n / 2; bit > 0; bit /= 2) {
      float chance = wl_uniform(&r->rng, 0.0f, 1.0f);
      if (chance >= halves[1]) from += bit;
      if ((chance >= halves[0] && chance < halves[1]) || chance >= halves[2]) to += bit;
    }
    if (from == to || from_node[from] == LINKS_FROM_A_NODE || distance[to * n + from] < FLT_MAX) continue;
    distance[to * n + from] = (float)(UNIT * (1 + (int)wl_below(&r->rng, HEAVIEST)));
    from_node[from]++;
    made++;
  }
  return distance;
}

// C = A * B, or with `add` the lower of C and that, of quarters of `half` rows and columns.
static void multiply(struct apsp_matrix *m, int half, struct quarter a, struct quarter b, struct quarter c, bool add) {
  if (2 * half <= SMALL) {
    WL_LAUNCH(m->r, "apsp_small", wl_2d(half / SIDE, half / SIDE), wl_2d(SIDE, SIDE), 0, &m->distance, &m->n, &half, &a.row,
              &a.column, &b.row, &b.column, &c.row, &c.column, &add);
    return;
  }
  CUdeviceptr parts[3];
  const struct quarter quarters[3] = {a, b, c};
  for (int i = 0; i < 3; i++)
    parts[i] = m->distance + sizeof(float) * (CUdeviceptr)(quarters[i].column * m->n + quarters[i].row);
  float keep = add ? 1.0f : FLT_MAX;
  WL_LAUNCH(m->r, "apsp_multiply", wl_2d(half / ROWS, half / COLUMNS), wl_2d(SIDE, ROWS / SIDE), 0, &parts[0], &parts[1], &parts[2],
            &m->n, &half, &keep);
}

// Products overwrite an operand: a value that is already lower does no harm.
static void solve(struct apsp_matrix *m, int start, int width) {
  if (width <= SIDE) {
    WL_LAUNCH(m->r, "apsp_block", wl_1d(1), wl_2d(width, width), 0, &m->distance, &m->n, &start, &width);
    return;
  }
  int half = width / 2, middle = start + half;
  struct quarter a = {start, start}, b = {start, middle}, c = {middle, start}, d = {middle, middle};
  solve(m, start, half);
  multiply(m, half, a, b, b, false);
  multiply(m, half, c, a, c, false);
  multiply(m, half, c, b, d, true);
  solve(m, middle, half);
  multiply(m, half, b, d, b, false);
  multiply(m, half, d, c, c, false);
  multiply(m, half, b, c, a, true);
}

static bool run(struct wl_run *r) {
  static const struct { int nodes, links; } shapes[WL_SIZES] = {{128, 400}, {512, 1578}, {1024, 3150}};
  struct apsp_matrix m = {.r = r, .n = shapes[r->size].nodes};
  int n = m.n;
  float *distance = make_matrix(r, n, shapes[r->size].links);
  m.distance = WL_UP(r, distance, n * n);
  solve(&m, 0, n);
  for (int via = 0; via < n; via++)
    for (int to = 0; to < n; to++)
      for (int from = 0; from < n; from++) {
        float path = distance[via * n + from] + distance[to * n + via];
        if (path < distance[to * n + from]) distance[to * n + from] = path;
      }
  return wl_near_f32(r, "distance", WL_DOWN(r, float, m.distance, n *n), distance, (long)n * n, 0.0f, 0.0f);
}

const struct workload wl_apsp = {
    .name = "apsp",
    .suite = "Graph",
    .pattern = "products of parts of one column-major matrix, tiles in shared memory, rows a matrix' height apart",
    .sizes = {"128 nodes", "512 nodes", "1,024 nodes"},
    .ptx = wl_ptx_apsp,
    .run = run,
};
