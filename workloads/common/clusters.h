// The host's half of k-means, which several workloads share: the check of an assignment of points to centres,
// and the move of the centres to the means of their points. Points and centres are point-major.
#ifndef WL_CLUSTERS_H
#define WL_CLUSTERS_H

#include "common/wl.h"

struct wl_clusters {
  int points, features, clusters, rounds;
};

// Whether every point belongs to its nearest centre. A point may lie as near to a second centre as rounding
// can tell; so the distances are compared, not the centres' numbers.
bool wl_check_membership(struct wl_run *r, const struct wl_clusters *s, const float *points,
                         const float *centres, const int *membership);

// Moves each centre that has points to their mean.
void wl_move_centres(struct wl_run *r, const struct wl_clusters *s, const float *points,
                     const int *membership, float *centres);

// Clusters network connections with the kernels of workloads/kmeans: the points are transposed once on the device, then host and
// device take turns; the device assigns points to centres, the host moves the centres to the means of their points.
bool wl_cluster_connections(struct wl_run *r, struct wl_clusters s);

#endif
