// Option prices on a binomial tree.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(binomialoptions);

enum { THREADS = 128, STEPS = 2048 };

struct option {
  float price, strike, drift, up, down;
};

static struct option make_option(struct wl_rng *rng) {
  struct option o = {.price = wl_uniform(rng, 5.0f, 30.0f), .strike = wl_uniform(rng, 1.0f, 100.0f)};
  double years = (double)wl_uniform(rng, 0.25f, 10.0f), rate = 0.06, volatility = 0.1, dt = years / STEPS;
  double drift = volatility * sqrt(dt), u = exp(drift), d = exp(-drift), discount = exp(-rate * dt);
  double chance = (exp(rate * dt) - d) / (u - d);
  o.drift = (float)drift;
  o.up = (float)(chance * discount);
  o.down = (float)((1.0 - chance) * discount);
  return o;
}

static float reference(const struct option *o) {
  float call[STEPS + 1];
  for (int i = 0; i <= STEPS; i++) {
    float leaf = o->price * expf(o->drift * (2.0f * (float)i - (float)STEPS)) - o->strike;
    call[i] = leaf > 0.0f ? leaf : 0.0f;
  }
  for (int left = STEPS; left > 0; left--)
    for (int i = 0; i < left; i++) call[i] = o->up * call[i + 1] + o->down * call[i];
  return call[0];
}

static bool run(struct wl_run *r) {
  static const int counts[WL_SIZES] = {2, 90, 96};
  int n = counts[r->size];
  struct option *options = WL_NEW(r, struct option, n);
  for (int i = 0; i < n; i++) options[i] = make_option(&r->rng);
  wl_put_symbol(r, "options", options, (size_t)n * sizeof *options);
  CUdeviceptr d_results = WL_DEV(r, float, n);
  WL_LAUNCH(r, "binomial_options", wl_1d(n), wl_1d(THREADS), 0, &d_results);
  float *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) want[i] = reference(&options[i]);
  return wl_near_f32(r, "price", WL_DOWN(r, float, d_results, n), want, n, 1e-3f, 1e-3f);
}

const struct workload wl_binomialoptions = {
    .name = "binomialoptions",
    .suite = "SDK",
    .pattern = "arithmetic, shared memory and barriers; almost no global memory",
    .sizes = {"2 options, 2,048 steps", "90 options, 2,048 steps", "96 options, 2,048 steps"},
    .ptx = wl_ptx_binomialoptions,
    .run = run,
};
