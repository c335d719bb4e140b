// Option prices on a binomial tree.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(binomialoptions);

enum { EACH = 16, MOST_STEPS = 2048 };

struct option {
  float price, strike, drift, up, down;
};

static struct option make_option(struct wl_rng *rng, int steps) {
  struct option o = {.price = wl_uniform(rng, 5.0f, 30.0f), .strike = wl_uniform(rng, 1.0f, 60.0f)};
  double years = (double)wl_uniform(rng, 0.25f, 5.0f), rate = 0.06, volatility = 0.1, dt = years / steps;
  double drift = volatility * sqrt(dt), u = exp(drift), d = exp(-drift), discount = exp(-rate * dt);
  double chance = (exp(rate * dt) - d) / (u - d);
  o.drift = (float)drift;
  o.up = (float)(chance * discount);
  o.down = (float)((1.0 - chance) * discount);
  return o;
}

static float reference(const struct option *o, int steps) {
  float call[MOST_STEPS + 1];
  for (int i = 0; i <= steps; i++) {
    float leaf = o->price * expf(o->drift * (2.0f * (float)i - (float)steps)) - o->strike;
    call[i] = leaf > 0.0f ? leaf : 0.0f;
  }
  for (int left = steps; left > 0; left--)
    for (int i = 0; i < left; i++) call[i] = o->up * call[i + 1] + o->down * call[i];
  return call[0];
}

static bool run(struct wl_run *r) {
  static const struct { int options, threads; } shapes[WL_SIZES] = {{4, 32}, {16, 128}, {96, 128}};
  int n = shapes[r->size].options, threads = shapes[r->size].threads, steps = threads * EACH;
  struct option *options = WL_NEW(r, struct option, n);
  for (int i = 0; i < n; i++) options[i] = make_option(&r->rng, steps);
  CUdeviceptr d_options = WL_UP(r, options, n), d_result = WL_DEV(r, float, n);
  WL_LAUNCH(r, "binomial_options", wl_1d(n), wl_1d(threads), 0, &d_options, &d_result);
  float *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) want[i] = reference(&options[i], steps);
  return wl_near_f32(r, "price", WL_DOWN(r, float, d_result, n), want, n, 1e-3f, 1e-3f);
}

const struct workload wl_binomialoptions = {
    .name = "binomialoptions",
    .suite = "SDK",
    .pattern = "arithmetic, shared memory and barriers; almost no global memory",
    .sizes = {"4 options, 512 steps", "16 options, 2,048 steps", "96 options, 2,048 steps"},
    .ptx = wl_ptx_binomialoptions,
    .run = run,
};
