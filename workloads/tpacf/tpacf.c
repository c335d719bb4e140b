// Angular correlation function. A pair whose cosine is as near to a bin's border as rounding reaches may be
// counted on either side; the reference counts such pairs to know how far each bin may be off.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(tpacf);

enum { BINS = 20, BINS_A_DECADE = 5, THREADS = 256 };

// The sets one after the other, first all x, then all y, then all z.
struct sky {
  int points, sets;
  float *at[3];
};

// Points of a set on the unit sphere. The observed set is a patch that is sorted by right ascension, the others cover a band of the sky.
static void make_set(struct wl_run *r, struct sky *sky, int set) {
  const float degree = 3.14159265f / 180.0f;
  for (int i = 0; i < sky->points; i++) {
    float along = ((float)i + wl_uniform(&r->rng, 0.0f, 1.0f)) / (float)sky->points;
    float ascension = degree * (set == 0 ? 0.008f + 2.1f * along : wl_uniform(&r->rng, 0.0f, 360.0f));
    float declination = degree * (set == 0 ? wl_uniform(&r->rng, -11.2f, 1.24f) : wl_uniform(&r->rng, -11.0f, 68.0f));
    long at = (long)set * sky->points + i;
    sky->at[0][at] = cosf(ascension) * cosf(declination);
    sky->at[1][at] = sinf(ascension) * cosf(declination);
    sky->at[2][at] = sinf(declination);
  }
}

// Counts into `sure` the pairs certainly in a bin, and into `either` those that rounding may move in or out.
// Pairs outside all bins are left out.
static void reference(const struct sky *sky, int first, int second, const float *borders, int *sure, int *either) {
  for (int j = 0; j < sky->points; j++)
    for (int i = 0; i < (first == second ? j : sky->points); i++) {
      double cosine = 0.0;
      for (int d = 0; d < 3; d++)
        cosine += (double)sky->at[d][(long)first * sky->points + i] * (double)sky->at[d][(long)second * sky->points + j];
      if (cosine < (double)borders[BINS] - 1e-6) continue;
      for (int k = 0; k < BINS; k++) {
        bool surely = cosine < (double)borders[k] - 1e-6 && cosine >= (double)borders[k + 1] + 1e-6;
        bool perhaps = cosine < (double)borders[k] + 1e-6 && cosine >= (double)borders[k + 1] - 1e-6;
        sure[k] += surely;
        either[k] += perhaps && !surely;
      }
    }
}

static bool run(struct wl_run *r) {
  static const struct { int points, sets; } shapes[WL_SIZES] = {{150, 2}, {287, 22}, {1391, 45}};
  struct sky sky = {.points = shapes[r->size].points, .sets = shapes[r->size].sets};
  int all = sky.points * (sky.sets + 1), blocks = 1 + 2 * sky.sets;
  float borders[BINS + 1], *coordinates = WL_NEW(r, float, 3 * all);
  CUdeviceptr d_at[3], d_histograms = WL_DEV(r, uint64_t, blocks * BINS);
  for (int d = 0; d < 3; d++) sky.at[d] = coordinates + (long)d * all;
  for (int set = 0; set <= sky.sets; set++) make_set(r, &sky, set);
  d_at[0] = WL_UP(r, coordinates, 3 * all);
  for (int d = 1; d < 3; d++) d_at[d] = d_at[d - 1] + (CUdeviceptr)all * sizeof(float);
  for (int k = 0; k <= BINS; k++) borders[k] = (float)cos(pow(10.0, (double)k / BINS_A_DECADE) / 60.0 * 3.14159265358979 / 180.0);
  wl_put_symbol(r, "borders", borders, sizeof borders);
  WL_LAUNCH(r, "tpacf_histograms", wl_1d(blocks), wl_1d(THREADS), 0, &d_histograms, &d_at[0], &d_at[1], &d_at[2], &sky.sets,
            &sky.points);
  uint64_t *got = WL_DOWN(r, uint64_t, d_histograms, blocks * BINS);
  for (int b = 0; b < blocks; b++) {
    int sure[BINS] = {0}, either[BINS] = {0};
    reference(&sky, b <= sky.sets ? b : 0, b <= sky.sets ? b : b - sky.sets, borders, sure, either);
    for (int k = 0; k < BINS; k++) {
      int count = (int)got[b * BINS + k];
      if (count < sure[k] || count > sure[k] + either[k])
        return wl_mismatch(r, "histogram %d, bin %d: got %d, want %d to %d", b, k, count, sure[k], sure[k] + either[k]);
    }
  }
  return true;
}

const struct workload wl_tpacf = {
    .name = "tpacf",
    .suite = "Parboil",
    .pattern = "one set of points read by many blocks, pairs out of shared memory, shared histograms",
    .sizes = {"150 points, 2 random sets", "287 points, 22 random sets", "1,391 points, 45 random sets"},
    .ptx = wl_ptx_tpacf,
    .run = run,
};
