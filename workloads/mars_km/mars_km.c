// K-means as map-reduce, on whole numbers so that the result is exact.
#include "common/inputs.h"
#include "mars/mapreduce.h"
#include <string.h>

WL_PTX(mars_km);

enum { DIMS = 3, CLUSTERS = 24 };

// Key and value of a record as on the device.
struct km_key {
  int point, dims, clusters, spare;
  CUdeviceptr nearest;
};

struct km_value {
  CUdeviceptr points, centres, changed;
};

static int distance(const int *point, const int *centre) {
  int sum = 0;
  for (int d = 0; d < DIMS; d++) sum += (point[d] - centre[d]) * (point[d] - centre[d]);
  return sum;
}

// A round on the host. A point stays with its centre unless another is nearer; a centre that has no points stays where it is.
static bool reference(const int *points, int count, int *nearest, int *centres) {
  int sum[CLUSTERS][DIMS] = {0}, members[CLUSTERS] = {0};
  bool changed = false;
  for (int p = 0; p < count; p++) {
    const int *point = points + p * DIMS;
    int best = nearest[p];
    for (int c = 0; c < CLUSTERS; c++)
      if (distance(point, centres + c * DIMS) < distance(point, centres + best * DIMS)) best = c;
    changed |= best != nearest[p];
    nearest[p] = best;
    members[best]++;
    for (int d = 0; d < DIMS; d++) sum[best][d] += point[d];
  }
  for (int c = 0; c < CLUSTERS; c++)
    for (int d = 0; d < DIMS && members[c] > 0; d++) centres[c * DIMS + d] = sum[c][d] / members[c];
  return changed;
}

// By the number of the point's centre, which `nearest` has.
static int order(const void *nearest, const char *a, const char *b) {
  struct km_key x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  int p = ((const int *)nearest)[x.point], q = ((const int *)nearest)[y.point];
  return (p > q) - (p < q);
}

static bool run(struct wl_run *r) {
  static const struct { int points, rounds; } shapes[WL_SIZES] = {{1000, 1}, {10000, 2}, {10000, 10}};
  int n = shapes[r->size].points, going = 1, *points = wl_library_ints(r, (int)r->rng.state, (long)n * DIMS, 100), centres[CLUSTERS * DIMS];
  memcpy(centres, points, sizeof centres);
  int *nearest = WL_NEW(r, int, n);
  CUdeviceptr d_points = WL_UP(r, points, n * DIMS);
  struct km_key key = {.dims = DIMS, .clusters = CLUSTERS, .nearest = WL_UP(r, nearest, n)};
  struct km_value value = {d_points, WL_UP(r, centres, CLUSTERS *DIMS), WL_ZEROS(r, int, 1)};
  for (int round = 0; round < shapes[r->size].rounds && going; round++) {
    struct mr_records in = mr_room(r, n, sizeof key, sizeof value);
    for (key.point = 0; key.point < n; key.point++) mr_add(&in, &key, sizeof key, &value, sizeof value);
    CU(r, cuMemsetD32(value.changed, 0, 1));
    struct mr_device mapped = mr_map(r, "km", mr_up(r, &in));
    struct mr_groups groups = mr_group(r, &mapped);
    WL_GET(r, &going, value.changed, 1);
    bool changed = reference(points, n, nearest, centres);
    if (changed != (going != 0)) return wl_mismatch(r, "round %d: points changed their centre: %d, not %d", round, going, changed);
    if (!mr_same(r, &mapped, &groups, &in, order, nearest)) return false;
    mr_reduce(r, "km", mapped, groups);
  }
  return wl_same_i32(r, "centre", WL_DOWN(r, int, value.centres, CLUSTERS *DIMS), centres, CLUSTERS * DIMS);
}

const struct workload wl_mars_km = {
    .name = "km",
    .suite = "Mars",
    .pattern = "points 12 bytes apart against shared centres; sort by a number two places away; lists of points",
    .sizes = {"1,000 points, 24 clusters, 1 round", "10,000 points, 24 clusters, 2 rounds", "10,000 points, 24 clusters, 10 rounds"},
    .ptx = wl_ptx_mars_km,
    .run = run,
};
