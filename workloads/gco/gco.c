// Graph colouring of a mesh of finite elements; any colouring without two equal neighbours and without needless colours is right.
#include "common/wl.h"

WL_PTX(gco);

// A point of the mesh has UNKNOWNS nodes; every node has those of the eight points around its own, and its own, as neighbours.
enum { UNKNOWNS = 6, WIDTH = 9 * UNKNOWNS - 1, PARTITIONS = 1792, ASSIGNERS = 128, CHECKERS = 256, END = -1, NONE = 0 };
// So few conflicts are left to the host.
enum { FEW = 200 };

struct mesh {
  int nodes, rows;  // rows: whole partitions, the last of which have no neighbours
  int *adjacency;   // WIDTH neighbours a row, ascending; END behind the last
};

static struct mesh make_mesh(struct wl_run *r, int side) {
  struct mesh m = {.nodes = side * side * UNKNOWNS};
  m.rows = (int)wl_blocks(m.nodes, PARTITIONS) * PARTITIONS;
  m.adjacency = WL_NEW(r, int, (long)m.rows * WIDTH);
  for (int node = 0; node < m.rows; node++) {
    int point = node / UNKNOWNS, px = point % side, py = point / side, *row = m.adjacency + (long)node * WIDTH, count = 0;
    for (int y = py - 1; y <= py + 1; y++)
      for (int x = px - 1; x <= px + 1; x++)
        for (int u = 0; u < UNKNOWNS && y >= 0 && y < side && x >= 0 && x < side && node < m.nodes; u++)
          if ((y * side + x) * UNKNOWNS + u != node) row[count++] = (y * side + x) * UNKNOWNS + u;
    while (count < WIDTH) row[count++] = END;
  }
  return m;
}

// The nodes that have a neighbour in another partition, of `size` rows each.
static int find_boundary(const struct mesh *m, int size, int *boundary) {
  int count = 0;
  for (int node = 0; node < m->nodes; node++) {
    const int *row = m->adjacency + (long)node * WIDTH;
    bool apart = false;
    for (int k = 0; k < WIDTH && row[k] != END; k++) apart |= row[k] / size != node / size;
    if (apart) boundary[count++] = node;
  }
  return count;
}

// Gives the nodes that have no colour the first that is free.
static void repair(const struct mesh *m, int *colour) {
  for (int node = 0; node < m->nodes; node++) {
    const int *row = m->adjacency + (long)node * WIDTH;
    bool taken[WIDTH + 2] = {false};
    if (colour[node] != NONE) continue;
    for (int k = 0; k < WIDTH && row[k] != END; k++) taken[colour[row[k]]] = true;
    for (colour[node] = 1; taken[colour[node]];) colour[node]++;
  }
}

// No two neighbours share a colour, and no node has a higher colour than its number of neighbours needs.
static bool check(struct wl_run *r, const struct mesh *m, const int *colour) {
  for (int node = 0; node < m->nodes; node++) {
    const int *row = m->adjacency + (long)node * WIDTH;
    int degree = 0;
    for (; degree < WIDTH && row[degree] != END; degree++)
      if (colour[row[degree]] == colour[node])
        return wl_mismatch(r, "neighbours %d and %d have colour %d", node, row[degree], colour[node]);
    if (colour[node] < 1 || colour[node] > degree + 1)
      return wl_mismatch(r, "node %d with %d neighbours has colour %d", node, degree, colour[node]);
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const int sides[WL_SIZES] = {12, 62, 190};
  struct mesh m = make_mesh(r, sides[r->size]);
  int size = m.rows / PARTITIONS, width = WIDTH, *boundary = WL_NEW(r, int, m.nodes), count = find_boundary(&m, size, boundary);
  int *start = WL_NEW(r, int, PARTITIONS), *end = WL_NEW(r, int, PARTITIONS), *conflict = WL_NEW(r, int, count);
  for (int p = 0; p < PARTITIONS; p++) {
    start[p] = p * size;
    end[p] = start[p] + size;
  }
  CUdeviceptr d_adjacency = WL_UP(r, m.adjacency, (long)m.rows * WIDTH), d_colour = WL_ZEROS(r, int, m.rows);
  CUdeviceptr d_boundary = WL_UP(r, boundary, count), d_start = WL_UP(r, start, PARTITIONS), d_end = WL_UP(r, end, PARTITIONS);
  CUdeviceptr d_conflict = WL_DEV(r, int, count);
  const char *assign = "gco_assign";
  for (int found = FEW + 1; found > FEW; assign = "gco_again") {
    WL_LAUNCH(r, assign, wl_1d(PARTITIONS / ASSIGNERS), wl_1d(ASSIGNERS), 0, &d_start, &d_end, &d_adjacency, &width, &d_colour);
    CU(r, cuMemsetD32(d_conflict, (unsigned)END, (size_t)count));
    WL_LAUNCH(r, "gco_conflicts", wl_1d(wl_blocks(count, CHECKERS)), wl_1d(CHECKERS), 0, &d_adjacency, &width, &d_colour, &d_boundary,
              &count, &d_conflict);
    WL_GET(r, conflict, d_conflict, count);
    found = 0;
    for (int i = 0; i < count; i++) found += conflict[i] != END;
  }
  int *colour = WL_DOWN(r, int, d_colour, m.rows);
  repair(&m, colour);
  return check(r, &m, colour);
}

const struct workload wl_gco = {
    .name = "gco",
    .suite = "Graph",
    .pattern = "lanes kilobytes apart walk over rows of neighbours and read their colours; marks in local memory",
    .sizes = {"mesh of 864 nodes", "mesh of 23,064 nodes", "mesh of 216,600 nodes"},
    .ptx = wl_ptx_gco,
    .run = run,
};
