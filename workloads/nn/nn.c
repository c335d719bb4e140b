// Nearest neighbours: the device computes all distances, the host picks the nearest few of both lists.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(nn);

enum { THREADS = 256, NEAREST = 10 };

struct place {
  float latitude, longitude;
};

// The smallest distances in rising order.
static void pick(float *distance, int count, float *nearest) {
  for (int k = 0; k < NEAREST; k++) {
    int best = 0;
    for (int i = 1; i < count; i++)
      if (distance[i] < distance[best]) best = i;
    nearest[k] = distance[best];
    distance[best] = INFINITY;
  }
}

// Written with one decimal, as hurricane records are.
static float tenths(struct wl_run *r, int low, int high) {
  return (float)(low + (int)wl_below(&r->rng, (uint32_t)(high - low + 1))) / 10.0f;
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {42764, 855280, 8552800};
  int n = sizes[r->size];
  float latitude = 30.0f, longitude = 90.0f;
  struct place *places = WL_NEW(r, struct place, n);
  for (int i = 0; i < n; i++)
    places[i] = (struct place){tenths(r, 70, 700), tenths(r, 0, 3580)};
  CUdeviceptr d_places = WL_UP(r, places, n), d_distance = WL_DEV(r, float, n);
  WL_LAUNCH(r, "nn_distance", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &d_places, &d_distance, &n,
            &latitude, &longitude);
  float *got = WL_DOWN(r, float, d_distance, n), *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) {
    float a = latitude - places[i].latitude, b = longitude - places[i].longitude;
    want[i] = sqrtf(a * a + b * b);
  }
  float got_nearest[NEAREST], want_nearest[NEAREST];
  if (!wl_near_f32(r, "distance", got, want, n, 1e-5f, 1e-6f)) return false;
  pick(got, n, got_nearest);
  pick(want, n, want_nearest);
  return wl_near_f32(r, "nearest", got_nearest, want_nearest, NEAREST, 1e-5f, 1e-6f);
}

const struct workload wl_nn = {
    .name = "nn",
    .suite = "Rodinia",
    .pattern = "one stream of 8-byte records in, one of floats out",
    .sizes = {"42,764 records", "855,280 records", "8,552,800 records"},
    .ptx = wl_ptx_nn,
    .run = run,
};
