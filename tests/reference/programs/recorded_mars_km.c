// K-means as map-reduce, on integers so that the result is exact.
#include "common/inputs.h"
#include "recorded_mars.h"
#include <string.h>

WL_PTX(mars_km);

enum { DIMS = 3, CLUSTERS = 24 };

static int nearest(const int *point, const int *centres) {
  int best = 0, shortest = INT32_MAX;
  for (int c = 0; c < CLUSTERS; c++) {
    int distance = 0;
    for (int d = 0; d < DIMS; d++) {
      int difference = point[d] - centres[c * DIMS + d];
      distance += difference * difference;
    }
    if (distance >= shortest) continue;
    shortest = distance;
    best = c;
  }
  return best;
}

// A centre that has no points stays where it is.
static void reference(const int *points, int count, int rounds, int *centres) {
  for (int round = 0; round < rounds; round++) {
    int sum[CLUSTERS][DIMS] = {0}, members[CLUSTERS] = {0};
    for (int p = 0; p < count; p++) {
      int c = nearest(points + p * DIMS, centres);
      members[c]++;
      for (int d = 0; d < DIMS; d++) sum[c][d] += points[p * DIMS + d];
    }
    for (int c = 0; c < CLUSTERS; c++)
      for (int d = 0; d < DIMS && members[c] > 0; d++) centres[c * DIMS + d] = sum[c][d] / members[c];
  }
}

static bool run(struct wl_run *r) {
  static const struct { int points, rounds; } shapes[WL_SIZES] = {{1000, 1}, {10000, 2}, {10000, 10}};
  int n = shapes[r->size].points, rounds = shapes[r->size].rounds, dims = DIMS, clusters = CLUSTERS;
  int *points = wl_ints(r, (long)n * DIMS, 0, 1000), centres[CLUSTERS * DIMS];
  memcpy(centres, points, sizeof centres);

  CUdeviceptr d_points = WL_UP(r, points, n * DIMS), d_centres = WL_UP(r, centres, CLUSTERS * DIMS);
  CUdeviceptr records = mars_records(r, n), none = 0, starts;
  for (int round = 0; round < rounds; round++) {
    MARS_EACH(r, "km_map", n, &d_points, &d_centres, &n, &dims, &clusters, &records);
    mars_sort(r, records, none, n);
    int groups = mars_group(r, records, none, n, &starts);
    MARS_EACH(r, "km_reduce", groups, &d_points, &records, &starts, &groups, &dims, &d_centres);
  }
  reference(points, n, rounds, centres);
  return wl_same_i32(r, "centre", WL_DOWN(r, int, d_centres, CLUSTERS *DIMS), centres, CLUSTERS * DIMS);
}

const struct workload wl_mars_km = {
    .name = "km",
    .suite = "Mars",
    .pattern = "points 12 bytes apart against shared centres; sort by cluster; scattered sums",
    .sizes = {"1,000 points, 24 clusters", "10,000 points, 24 clusters, 2 rounds",
              "10,000 points, 24 clusters, 10 rounds"},
    .ptx = wl_ptx_mars_km,
    .run = run,
};
