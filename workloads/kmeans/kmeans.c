// K-means: the points are transposed once on the device, then host and device take turns; the device assigns
// points to centres, the host moves the centres to the means of their points.
#include "common/clusters.h"
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(kmeans);

enum { THREADS = 256 };

static bool run(struct wl_run *r) {
  static const struct wl_clusters shapes[WL_SIZES] = {
      {2048, 34, 5, 1}, {30720, 34, 5, 2}, {204800, 34, 5, 3}};
  struct wl_clusters s = shapes[r->size];
  int values = s.points * s.features, coordinates = s.clusters * s.features;
  float *points = wl_connections(r, s.points);
  float *centres = WL_NEW(r, float, coordinates);
  for (int c = 0; c < s.clusters; c++) // of far records: neighbours may be alike
    memcpy(centres + c * s.features, points + (long)s.points / s.clusters * c * s.features, (size_t)s.features * sizeof(float));

  CUdeviceptr d_points = WL_UP(r, points, values);
  CUdeviceptr d_features = WL_DEV(r, float, values);
  CUtexObject features = wl_texture(r, d_features, values);
  CUdeviceptr d_membership = WL_DEV(r, int, s.points);
  long side = (long)ceil(sqrt((double)wl_blocks(s.points, THREADS)));
  struct wl_dim grid = wl_2d(side, side), block = wl_1d(THREADS);
  WL_LAUNCH(r, "invert_mapping", wl_1d(side * side), block, 0, &d_points, &d_features, &s.points, &s.features);

  int *membership = WL_NEW(r, int, s.points);
  for (int round = 0; round < s.rounds; round++) {
    wl_put_symbol(r, "centres", centres, (size_t)coordinates * sizeof(float));
    WL_LAUNCH(r, "assign_points", grid, block, 0, &features, &s.points, &s.clusters, &s.features,
              &d_membership);
    WL_GET(r, membership, d_membership, s.points);
    if (!wl_check_membership(r, &s, points, centres, membership)) return false;
    wl_move_centres(r, &s, points, membership, centres);
  }
  return true;
}

const struct workload wl_kmeans = {
    .name = "kmeans",
    .suite = "Rodinia",
    .pattern = "point-major strided reads (32 lines a load), then texture and constant fetches",
    .sizes = {"2,048 points, 34 features, 5 clusters", "30,720 points, 34 features, 5 clusters, 2 rounds",
              "204,800 points, 34 features, 5 clusters, 3 rounds"},
    .ptx = wl_ptx_kmeans,
    .run = run,
};
