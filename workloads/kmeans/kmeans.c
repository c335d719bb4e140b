// K-means over records of network connections.
#include "common/clusters.h"

WL_PTX(kmeans);

static bool run(struct wl_run *r) {
  static const struct wl_clusters shapes[WL_SIZES] = {
      {2048, 34, 5, 1}, {30720, 34, 5, 2}, {494020, 34, 5, 3}};
  return wl_cluster_connections(r, shapes[r->size]);
}

const struct workload wl_kmeans = {
    .name = "kmeans",
    .suite = "Rodinia",
    .pattern = "point-major strided reads (32 lines a load), then texture and constant fetches",
    .sizes = {"2,048 points, 34 features, 5 clusters", "30,720 points, 34 features, 5 clusters, 2 rounds",
              "494,020 points, 34 features, 5 clusters, 3 rounds"},
    .ptx = wl_ptx_kmeans,
    .run = run,
};
