// One heart muscle cell: the host makes Fehlberg's steps of order 7 with an estimate of order 8, the device evaluates the rates, thirteen
// times a step. A step whose error is too large is made again, shorter. Rates are compared with the host's of the same state, evaluation by
// evaluation.
#include "common/wl.h"
#include <math.h>
#include <tgmath.h>

// Rounding to floats is part of the equations.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#define MYOCYTE_FUNCTION static inline
#include "myocyte_model.h"
#pragma GCC diagnostic pop

WL_PTX(myocyte);

enum { STAGES = 13, THREADS = 32 };

// Fehlberg's coefficients of what an evaluation takes of those before it, and its time within the step.
static const struct {
  double at, of[STAGES - 1];
} stages[STAGES] = {
    {0.0, {0}},
    {2.0 / 27, {2.0 / 27}},
    {1.0 / 9, {1.0 / 36, 1.0 / 12}},
    {1.0 / 6, {1.0 / 24, 0, 1.0 / 8}},
    {5.0 / 12, {5.0 / 12, 0, -25.0 / 16, 25.0 / 16}},
    {1.0 / 2, {1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5}},
    {5.0 / 6, {-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54}},
    {1.0 / 6, {31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900}},
    {2.0 / 3, {2.0, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3.0}},
    {1.0 / 3, {-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12}},
    {1.0, {2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41}},
    {0.0, {3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41}},
    {1.0, {-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0, 1.0}},
};
static const double result[STAGES] = {41.0 / 840, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 41.0 / 840};

// At rest: gates and concentrations of the cell (mmol/l, mV), and of a module (micromol/l).
static const float rest[CELL_EQUATIONS] = {1.405627e-3f, 0.9867005f,   0.991562f,    7.175662e-6f, 1.000681f,    0.02421991f,  0.01452605f,
                                           4.051574e-3f, 0.9945511f,   4.051574e-3f, 0.9945511f,   8.641386e-3f, 5.412034e-3f, 0.8884332f,
                                           8.156628e-7f, 1.024274e-7f, 3.539892f,    0.7720854f,   8.773191e-3f, 0.1078283f,   0.01524002f,
                                           2.911916e-4f, 1.298754e-3f, 0.1381982f,   2.143165e-3f, 9.566355e-3f, 0.1110363f,   7.347888e-3f,
                                           0.07297378f,  1.242988f,    0.5545201f,   8.80329f,     8.807329f,    8.807426f,    135.0f,
                                           1.737475e-4f, 1.031812e-4f, 8.597401e-5f, -85.71885f};
static const float rest_module[MODULE_EQUATIONS] = {387.0f,   0.13f,    3.2e-6f,  30.1f,   8.4e-2f, 9.5e-5f, 2.1e-4f, 1.6e-9f,
                                                    4.4e-13f, 2.7e-15f, 3.1e-18f, 2.6e-3f, 1.3e-3f, 5.8e-5f, 3.2e-3f};
// Of the dyad, the rim and the bulk: calmodulin, its buffer, kinase, calcineurin, phosphatase.
static const float totals[MODULES][MODULE_PARAMETERS] = {
    {418.0f, 0.0f, 120.0f, 3.0f, 96.5f}, {5.65f, 24.2f, 0.83f, 0.2f, 0.57f}, {5.65f, 24.2f, 0.83f, 0.2f, 0.57f}};

struct device {
  CUdeviceptr state, rates, parameters, bound;
  float known[PARAMETERS];
};

// What couples the compartments: calcium that the modules bind, and calmodulin that wanders between dyad and bulk.
static void couple(const float *state, float *rates, const float *bound) {
  for (int m = 0; m < MODULES; m++) rates[CALCIUM_DYAD + m] -= 1e-3f * bound[m];
  float *dyad = rates + CELL_EQUATIONS, *bulk = dyad + 2 * MODULE_EQUATIONS;
  float moved = 1e-5f * (state[CELL_EQUATIONS + CAM0] - state[CELL_EQUATIONS + 2 * MODULE_EQUATIONS + CAM0]);
  dyad[CAM0] -= moved;
  bulk[CAM0] += moved * (float)(MYOCYTE_DYAD / MYOCYTE_BULK);
  for (int k = 0; k < EQUATIONS; k++)
    if (!isfinite(rates[k])) rates[k] = 1e-4f;
}

static void reference(const struct device *d, int time, const float *state, float *rates) {
  float bound[MODULES];
  myocyte_cell(time, state, rates, d->known[CYCLE]);
  for (int m = 0; m < MODULES; m++) {
    int from = CELL_EQUATIONS + m * MODULE_EQUATIONS;
    float calcium = (float)(state[CALCIUM_DYAD + m] * 1e3);
    bound[m] = myocyte_module(state + from, rates + from, d->known + 1 + m * MODULE_PARAMETERS, d->known[MAGNESIUM], calcium);
  }
  couple(state, rates, bound);
}

static bool evaluate(struct wl_run *r, const struct device *d, int time, const float *state, float *rates) {
  float bound[MODULES] = {0}, want[EQUATIONS];
  WL_PUT(r, d->state, state, EQUATIONS);
  WL_PUT(r, d->parameters, d->known, PARAMETERS);
  WL_PUT(r, d->bound, bound, MODULES);
  WL_LAUNCH(r, "myocyte_rates", wl_1d(2), wl_1d(THREADS), 0, &time, (void *)&d->state, (void *)&d->rates, (void *)&d->parameters,
            (void *)&d->bound);
  WL_GET(r, rates, d->rates, EQUATIONS);
  WL_GET(r, bound, d->bound, MODULES);
  couple(state, rates, bound);
  reference(d, time, state, want);
  return wl_near_f32(r, "rate", rates, want, EQUATIONS, 1e-3f, 1e-6f);
}

// Tries a step; `next` is the state after it. *error is by how much it misses, in units of what is allowed.
static bool attempt(struct wl_run *r, const struct device *d, double time, double step, const float *state, float *next, double *error) {
  float rates[STAGES][EQUATIONS];
  for (int s = 0; s < STAGES; s++) {
    for (int k = 0; k < EQUATIONS; k++) {
      double sum = 0.0;
      for (int i = 0; i < s; i++) sum += stages[s].of[i] * rates[i][k];
      next[k] = (float)(state[k] + step * sum);
    }
    if (!evaluate(r, d, (int)(time + stages[s].at * step), next, rates[s])) return false;
  }
  *error = 0.0;
  for (int k = 0; k < EQUATIONS; k++) {
    double sum = 0.0, off = rates[0][k] + rates[10][k] - rates[11][k] - rates[12][k];
    for (int s = 0; s < STAGES; s++) sum += result[s] * rates[s][k];
    next[k] = (float)(state[k] + step * sum);
    *error = fmax(*error, fabs(41.0 / 840 * step * off) / (1e-4 + 1e-3 * fabs((double)next[k])));
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const int attempts[WL_SIZES] = {2, 12, 300};
  struct device d = {
      WL_DEV(r, float, EQUATIONS), WL_DEV(r, float, EQUATIONS), WL_DEV(r, float, PARAMETERS), WL_DEV(r, float, MODULES), {0}};
  float state[EQUATIONS], next[EQUATIONS];
  d.known[CYCLE] = 1000.0f;
  d.known[MAGNESIUM] = 1.0f;
  for (int m = 0; m < MODULES; m++) {
    for (int k = 0; k < MODULE_PARAMETERS; k++) d.known[1 + m * MODULE_PARAMETERS + k] = totals[m][k];
    for (int k = 0; k < MODULE_EQUATIONS; k++)
      state[CELL_EQUATIONS + m * MODULE_EQUATIONS + k] =
          rest_module[k] * (k < KINASE2 ? totals[m][TOTAL_CALMODULIN] / totals[0][TOTAL_CALMODULIN] : 1.0f);
  }
  for (int k = 0; k < CELL_EQUATIONS; k++) state[k] = rest[k];
  double time = 0.0, step = 1.0, error = 0.0;
  for (int i = 0; i < attempts[r->size]; i++) {
    if (!attempt(r, &d, time, step, state, next, &error)) return false;
    if (error <= 1.0) {
      time += step;
      for (int k = 0; k < EQUATIONS; k++) state[k] = next[k];
    }
    step *= fmin(4.0, fmax(0.125, 0.9 * pow(error + 1e-9, -1.0 / 7.0)));
  }
  return true;
}

const struct workload wl_myocyte = {
    .name = "myocyte",
    .suite = "Rodinia",
    .pattern = "two threads that evaluate long equations, launch after launch",
    .sizes = {"one cell, 2 steps tried", "one cell, 12 steps tried", "one cell, 300 steps tried"},
    .ptx = wl_ptx_myocyte,
    .run = run,
};
