// Angular correlation function. A pair whose cosine is as near to a bin's border as rounding reaches may be
// counted on either side; the reference counts such pairs to know how far each bin may be off.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(tpacf);

enum { BINS = 20, THREADS = 256, WIDTH = BINS + 2 };

// Points of a set on the unit sphere; the observed set is clustered.
static void make_set(struct wl_run *r, float *set, int points, bool clustered) {
  for (int i = 0; i < points; i++) {
    float p[3], squared;
    do {
      squared = 0.0f;
      for (int d = 0; d < 3; d++) {
        p[d] = wl_uniform(&r->rng, -1.0f, 1.0f) + (clustered && d == i % 3 ? 1.0f : 0.0f);
        squared += p[d] * p[d];
      }
    } while (squared < 0.01f);
    for (int d = 0; d < 3; d++) set[d * points + i] = p[d] / sqrtf(squared);
  }
}

// Counts into `sure` the pairs certainly in a bin, and into `either` those that rounding may move in or out.
static void reference(const float *one, const float *two, int points, bool same, const float *borders,
                      int *sure, int *either) {
  for (int j = 0; j < points; j++)
    for (int i = 0; i < (same ? j : points); i++) {
      double cosine = 0.0;
      for (int d = 0; d < 3; d++) cosine += (double)one[d * points + i] * (double)two[d * points + j];
      int low = 0, high = 0;
      while (low <= BINS && cosine < (double)borders[low] - 1e-6) low++;
      for (high = low; high <= BINS && cosine < (double)borders[high] + 1e-6;) high++;
      if (low == high) sure[low]++;
      for (int k = low; k <= high && low != high; k++) either[k]++;
    }
}

static bool run(struct wl_run *r) {
  static const struct { int points, sets; } shapes[WL_SIZES] = {{192, 2}, {512, 8}, {2048, 6}};
  int points = shapes[r->size].points, sets = shapes[r->size].sets, blocks = 1 + 2 * sets;
  float *sky = WL_NEW(r, float, (sets + 1) * 3 * points), borders[BINS + 1];
  for (int s = 0; s <= sets; s++) make_set(r, sky + s * 3 * points, points, s == 0);
  for (int b = 0; b <= BINS; b++) borders[b] = cosf(powf(10.0f, -1.5f + 0.09f * (float)b));
  wl_put_symbol(r, "borders", borders, sizeof borders);
  CUdeviceptr d_sky = WL_UP(r, sky, (sets + 1) * 3 * points),
              d_histograms = WL_DEV(r, unsigned, blocks *WIDTH);
  WL_LAUNCH(r, "tpacf_histograms", wl_1d(blocks), wl_1d(THREADS), 0, &d_sky, &points, &sets, &d_histograms);
  unsigned *got = WL_DOWN(r, unsigned, d_histograms, blocks *WIDTH);
  for (int b = 0; b < blocks; b++) {
    int first = b <= sets ? b : 0, second = b <= sets ? b : b - sets, sure[WIDTH] = {0}, either[WIDTH] = {0};
    reference(sky + first * 3 * points, sky + second * 3 * points, points, first == second, borders, sure,
              either);
    for (int k = 0; k < WIDTH; k++) {
      int count = (int)got[b * WIDTH + k];
      if (count < sure[k] || count > sure[k] + either[k])
        return wl_mismatch(r, "histogram %d, bin %d: got %d, want %d to %d", b, k, count, sure[k],
                           sure[k] + either[k]);
    }
  }
  return true;
}

const struct workload wl_tpacf = {
    .name = "tpacf",
    .suite = "Parboil",
    .pattern = "one set of points read by many blocks, pairs out of shared memory, shared histograms",
    .sizes = {"192 points, 2 random sets", "512 points, 8 random sets", "2,048 points, 6 random sets"},
    .ptx = wl_ptx_tpacf,
    .run = run,
};
