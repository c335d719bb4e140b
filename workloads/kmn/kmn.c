// K-means as the studies of warp scheduling run it: the kernels of workloads/kmeans on fewer records.
#include "common/clusters.h"

extern const char wl_ptx_kmeans[];

static bool run(struct wl_run *r) {
  static const struct wl_clusters shapes[WL_SIZES] = {{2048, 34, 5, 1}, {15360, 34, 5, 1}, {65536, 34, 5, 2}};
  return wl_cluster_connections(r, shapes[r->size]);
}

const struct workload wl_kmn = {
    .name = "kmn",
    .suite = "CCWS",
    .pattern = "point-major strided reads (32 lines a load), then texture and constant fetches",
    .sizes = {"2,048 points, 34 features, 5 clusters", "15,360 points, 34 features, 5 clusters",
              "65,536 points, 34 features, 5 clusters, 2 rounds"},
    .ptx = wl_ptx_kmeans,
    .run = run,
};
