// Option prices by the formula of Black and Scholes, checked in double precision.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(blackscholes);

enum { THREADS = 128 };

static double cdf(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }

static void reference(float s, float x, float t, float rate, float volatility, float *call, float *put) {
  double root = (double)volatility * sqrt((double)t);
  double d1 = (log((double)s / (double)x) + (double)rate * (double)t) / root + 0.5 * root, d2 = d1 - root;
  double worth = (double)x * exp(-(double)rate * (double)t);
  *call = (float)((double)s * cdf(d1) - worth * cdf(d2));
  *put = (float)(worth * cdf(-d2) - (double)s * cdf(-d1));
}

static bool run(struct wl_run *r) {
  static const struct { int options, rounds; } shapes[WL_SIZES] = {{65536, 1}, {1000000, 1}, {4000000, 3}};
  int n = shapes[r->size].options, rounds = shapes[r->size].rounds;
  long blocks = wl_blocks(n, THREADS) < 480 ? wl_blocks(n, THREADS) : 480;
  float rate = 0.02f, volatility = 0.3f;
  float *price = wl_floats(r, n, 5.0f, 30.0f), *strike = wl_floats(r, n, 1.0f, 100.0f);
  float *years = wl_floats(r, n, 0.25f, 10.0f);
  CUdeviceptr d_price = WL_UP(r, price, n), d_strike = WL_UP(r, strike, n), d_years = WL_UP(r, years, n);
  CUdeviceptr d_call = WL_DEV(r, float, n), d_put = WL_DEV(r, float, n);
  for (int i = 0; i < rounds; i++)
    WL_LAUNCH(r, "black_scholes", wl_1d(blocks), wl_1d(THREADS), 0, &d_call, &d_put, &d_price, &d_strike,
              &d_years, &rate, &volatility, &n);

  float *call = WL_NEW(r, float, n), *put = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) reference(price[i], strike[i], years[i], rate, volatility, &call[i], &put[i]);
  bool ok = wl_near_f32(r, "call", WL_DOWN(r, float, d_call, n), call, n, 1e-3f, 1e-3f);
  return wl_near_f32(r, "put", WL_DOWN(r, float, d_put, n), put, n, 1e-3f, 1e-3f) && ok;
}

const struct workload wl_blackscholes = {
    .name = "blackscholes",
    .suite = "SDK",
    .pattern = "three arrays read and two written once, all coalesced, much arithmetic between",
    .sizes = {"65,536 options", "1,000,000 options", "4,000,000 options, 3 rounds"},
    .ptx = wl_ptx_blackscholes,
    .run = run,
};
