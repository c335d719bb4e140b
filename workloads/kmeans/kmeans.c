// K-means: the points are transposed once on the device, then host and device take turns; the device assigns
// points to centres, the host moves the centres to the means of their points.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(kmeans);

enum { THREADS = 256 };

struct shape {
  int points, features, clusters, rounds;
};

static float squared_distance(const float *a, const float *b, int features) {
  float sum = 0.0f;
  for (int f = 0; f < features; f++) sum += (a[f] - b[f]) * (a[f] - b[f]);
  return sum;
}

// A point may lie as near to a second centre as rounding can tell; so the distances are compared, not the
// numbers.
static bool check_membership(struct wl_run *r, const struct shape *s, const float *points,
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

static void move_centres(const struct shape *s, const float *points, const int *membership, float *centres,
                         int *population) {
  memset(centres, 0, (size_t)(s->clusters * s->features) * sizeof *centres);
  memset(population, 0, (size_t)s->clusters * sizeof *population);
  for (int p = 0; p < s->points; p++) {
    float *centre = centres + membership[p] * s->features;
    for (int f = 0; f < s->features; f++) centre[f] += points[(size_t)p * (size_t)s->features + (size_t)f];
    population[membership[p]]++;
  }
  for (int c = 0; c < s->clusters; c++)
    for (int f = 0; f < s->features && population[c] > 0; f++)
      centres[c * s->features + f] /= (float)population[c];
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{2048, 34, 5, 1}, {30720, 34, 5, 2}, {204800, 34, 5, 3}};
  struct shape s = shapes[r->size];
  int values = s.points * s.features, coordinates = s.clusters * s.features;
  float *points = wl_points(r, s.points, s.features, s.clusters);
  float *centres = WL_NEW(r, float, s.clusters *s.features);
  memcpy(centres, points, (size_t)coordinates * sizeof(float));

  CUdeviceptr d_points = WL_UP(r, points, values);
  CUdeviceptr d_features = WL_DEV(r, float, values);
  CUdeviceptr d_centres = WL_DEV(r, float, coordinates);
  CUdeviceptr d_membership = WL_DEV(r, int, s.points);
  struct wl_dim grid = wl_1d(wl_blocks(s.points, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "invert_mapping", grid, block, 0, &d_points, &d_features, &s.points, &s.features);

  int *membership = WL_NEW(r, int, s.points), *population = WL_NEW(r, int, s.clusters);
  for (int round = 0; round < s.rounds; round++) {
    WL_PUT(r, d_centres, centres, coordinates);
    WL_LAUNCH(r, "assign_points", grid, block, 0, &d_features, &d_centres, &s.points, &s.clusters,
              &s.features, &d_membership);
    WL_GET(r, membership, d_membership, s.points);
    if (!check_membership(r, &s, points, centres, membership)) return false;
    move_centres(&s, points, membership, centres, population);
  }
  return true;
}

const struct workload wl_kmeans = {
    .name = "kmeans",
    .suite = "Rodinia",
    .pattern = "point-major strided reads (32 lines a load), then feature-major coalesced reads",
    .sizes = {"2,048 points, 34 features, 5 clusters", "30,720 points, 34 features, 5 clusters, 2 rounds",
              "204,800 points, 34 features, 5 clusters, 3 rounds"},
    .ptx = wl_ptx_kmeans,
    .run = run,
};
