// K-means as the studies of warp scheduling run it: points and centres are read from global memory.
#include "common/clusters.h"
#include "common/inputs.h"
#include <math.h>
#include <string.h>

WL_PTX(kmn);

static bool run(struct wl_run *r) {
  enum { THREADS = 256 };
  static const struct wl_clusters shapes[WL_SIZES] = {{2048, 34, 5, 2}, {15360, 34, 5, 2}, {78848, 34, 5, 2}};
  struct wl_clusters s = shapes[r->size];
  int coordinates = s.clusters * s.features;
  float *points = wl_connections(r, s.points), *centres = WL_NEW(r, float, coordinates);
  memcpy(centres, points, (size_t)coordinates * sizeof *centres); // the first records

  CUdeviceptr d_points = WL_UP(r, points, s.points * s.features), d_centres = WL_DEV(r, float, coordinates);
  CUdeviceptr d_membership = WL_DEV(r, int, s.points);
  long side = (long)ceil(sqrt((double)wl_blocks(s.points, THREADS)));
  int *membership = WL_NEW(r, int, s.points);
  for (int round = 0; round < s.rounds; round++) {
    WL_PUT(r, d_centres, centres, coordinates);
    WL_LAUNCH(r, "kmn_assign", wl_2d(side, side), wl_1d(THREADS), 0, &d_points, &s.features, &s.points, &s.clusters, &d_membership,
              &d_centres);
    WL_GET(r, membership, d_membership, s.points);
    if (!wl_check_membership(r, &s, points, centres, membership)) return false;
    wl_move_centres(r, &s, points, membership, centres);
  }
  return true;
}

const struct workload wl_kmn = {
    .name = "kmn",
    .suite = "CCWS",
    .pattern = "point-major strided reads (32 lines a load) beside loads of one word by all lanes",
    .sizes = {"2,048 points, 34 features, 5 clusters, 2 rounds", "15,360 points, 34 features, 5 clusters, 2 rounds",
              "78,848 points, 34 features, 5 clusters, 2 rounds"},
    .ptx = wl_ptx_kmn,
    .run = run,
};
