// The host's half of k-means.
#include "common/clusters.h"
#include "common/inputs.h"
#include <math.h>
#include <string.h>

static float squared_distance(const float *a, const float *b, int features) {
  float sum = 0.0f;
  for (int f = 0; f < features; f++) sum += (a[f] - b[f]) * (a[f] - b[f]);
  return sum;
}

bool wl_check_membership(struct wl_run *r, const struct wl_clusters *s, const float *points,
                         const float *centres, const int *membership) {
  for (int p = 0; p < s->points; p++) {
    const float *point = points + (size_t)p * (size_t)s->features;
    if (membership[p] < 0 || membership[p] >= s->clusters)
      return wl_mismatch(r, "point %d belongs to centre %d of %d", p, membership[p], s->clusters);
    float best = squared_distance(point, centres, s->features);
    for (int c = 1; c < s->clusters; c++) {
      float d = squared_distance(point, centres + c * s->features, s->features);
      if (d < best) best = d;
    }
    float chosen = squared_distance(point, centres + membership[p] * s->features, s->features);
    if (chosen > best * 1.0001f)
      return wl_mismatch(r, "point %d is %g from its centre, the nearest is %g away", p, (double)chosen,
                         (double)best);
  }
  return true;
}

void wl_move_centres(struct wl_run *r, const struct wl_clusters *s, const float *points,
                     const int *membership, float *centres) {
  int *population = WL_NEW(r, int, s->clusters);
  memset(centres, 0, (size_t)(s->clusters * s->features) * sizeof *centres);
  for (int p = 0; p < s->points; p++) {
    float *centre = centres + membership[p] * s->features;
    for (int f = 0; f < s->features; f++) centre[f] += points[(size_t)p * (size_t)s->features + (size_t)f];
    population[membership[p]]++;
  }
  for (int c = 0; c < s->clusters; c++)
    for (int f = 0; f < s->features && population[c] > 0; f++)
      centres[c * s->features + f] /= (float)population[c];
}

bool wl_cluster_connections(struct wl_run *r, struct wl_clusters s) {
  enum { THREADS = 256 };
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
