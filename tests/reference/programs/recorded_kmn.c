// K-means on point-major data: host and device take turns; the device assigns points to centres, the host
// moves the centres to the means of their points.
#include "common/clusters.h"
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(kmn);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const struct wl_clusters shapes[WL_SIZES] = {{2048, 34, 5, 1}, {15360, 34, 5, 1}, {65536, 34, 5, 2}};
  struct wl_clusters s = shapes[r->size];
  int values = s.points * s.features, coordinates = s.clusters * s.features;
  float *points = wl_points(r, s.points, s.features, s.clusters);
  float *centres = WL_NEW(r, float, coordinates);
  memcpy(centres, points, (size_t)coordinates * sizeof(float));

  CUdeviceptr d_points = WL_UP(r, points, values), d_centres = WL_DEV(r, float, coordinates);
  CUdeviceptr d_membership = WL_DEV(r, int, s.points);
  struct wl_dim grid = wl_1d(wl_blocks(s.points, THREADS)), block = wl_1d(THREADS);
  int *membership = WL_NEW(r, int, s.points);
  for (int round = 0; round < s.rounds; round++) {
    WL_PUT(r, d_centres, centres, coordinates);
    WL_LAUNCH(r, "kmn_assign", grid, block, 0, &d_points, &d_centres, &s.points, &s.clusters, &s.features,
              &d_membership);
    WL_GET(r, membership, d_membership, s.points);
    if (!wl_check_membership(r, &s, points, centres, membership)) return false;
    wl_move_centres(r, &s, points, membership, centres);
  }
  return true;
}

const struct workload wl_kmn = {
    .name = "kmn",
    .suite = "CCWS",
    .pattern = "in turn a point-major strided read (32 lines) and a read of one word by all lanes",
    .sizes = {"2,048 points, 34 features, 5 clusters", "15,360 points, 34 features, 5 clusters",
              "65,536 points, 34 features, 5 clusters, 2 rounds"},
    .ptx = wl_ptx_kmn,
    .run = run,
};
