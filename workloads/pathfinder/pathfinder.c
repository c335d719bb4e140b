// Cheapest path: launches of some rows each between two row buffers.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(pathfinder);

enum { THREADS = 256 };

static int least(int a, int b) { return a < b ? a : b; }

static void reference_row(const int *wall, const int *from, int *to, int columns) {
  for (int x = 0; x < columns; x++) {
    int best = from[x];
    if (x > 0) best = least(best, from[x - 1]);
    if (x < columns - 1) best = least(best, from[x + 1]);
    to[x] = best + wall[x];
  }
}

static bool run(struct wl_run *r) {
  static const struct {
    int columns, rows, depth;
  } shapes[WL_SIZES] = {{4096, 16, 5}, {50000, 50, 10}, {100000, 200, 20}};
  int columns = shapes[r->size].columns, rows = shapes[r->size].rows, border = shapes[r->size].depth;
  int *wall = wl_ints(r, (long)columns * rows, 0, 10), *a = WL_NEW(r, int, columns),
      *b = WL_NEW(r, int, columns);
  memcpy(a, wall, (size_t)columns * sizeof(int));
  CUdeviceptr d_wall = WL_UP(r, wall, columns * rows), d_from = WL_UP(r, wall, columns);
  CUdeviceptr d_to = WL_DEV(r, int, columns);
  long blocks = wl_blocks(columns, THREADS - 2 * border);
  for (int row = 1; row < rows; row += border) {
    int steps = least(border, rows - row);
    WL_LAUNCH(r, "path_rows", wl_1d(blocks), wl_1d(THREADS), 0, &steps, &d_wall, &d_from, &d_to, &columns,
              &row, &border);
    CUdeviceptr d = d_from;
    d_from = d_to;
    d_to = d;
  }
  for (int row = 1; row < rows; row++) {
    reference_row(wall + row * columns, a, b, columns);
    int *h = a;
    a = b;
    b = h;
  }
  return wl_same_i32(r, "cost", WL_DOWN(r, int, d_from, columns), a, columns);
}

const struct workload wl_pathfinder = {
    .name = "pathfinder",
    .suite = "Rodinia",
    .pattern = "rows streamed once, stretches overlapping by the depth of a launch",
    .sizes = {"4,096 columns, 16 rows", "50,000 columns, 50 rows", "100,000 columns, 200 rows"},
    .ptx = wl_ptx_pathfinder,
    .run = run,
};
