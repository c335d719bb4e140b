// The host's half of k-means.
#include "common/clusters.h"
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
