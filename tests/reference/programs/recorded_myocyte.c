// Heart muscle cells: midpoint steps, two evaluations of the rates each; the first cells of a strand are
// stimulated.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(myocyte);

enum { V, CALCIUM, X1, M, H, J, D, F, VARIABLES, STRAND = 64, THREADS = 32 };

static float rate(float v, float c1, float c2, float c3, float c4) {
  return c1 * expf(c2 * (v + c3)) / (expf(c4 * (v + c3)) + 1.0f);
}

static float gate(float value, float opening, float closing) {
  return opening * (1.0f - value) - closing * value;
}

static void cell_rates(const float *state, float *rates, int cells, int i, float stimulus) {
  float y[VARIABLES];
  for (int k = 0; k < VARIABLES; k++) y[k] = state[k * cells + i];
  float v = y[V], *out = rates + i;
  int place = i % STRAND;
  float before = place > 0 ? state[i - 1] : v, after = place < STRAND - 1 ? state[i + 1] : v;
  float reversal = -82.3f - 13.0287f * logf(y[CALCIUM] * 0.001f);
  float slow = 0.09f * y[D] * y[F] * (v - reversal);
  float sodium = (4.0f * y[M] * y[M] * y[M] * y[H] * y[J] + 0.003f) * (v - 50.0f);
  float outward = y[X1] * 0.8f * (expf(0.04f * (v + 77.0f)) - 1.0f) / expf(0.04f * (v + 35.0f));
  float shifted = v + 23.0f, from = v + 47.0f;
  float linear = fabsf(shifted) < 1e-3f ? 5.0f : 0.2f * shifted / (1.0f - expf(-0.04f * shifted));
  float inward = 0.35f * (4.0f * (expf(0.04f * (v + 85.0f)) - 1.0f) /
                              (expf(0.08f * (v + 53.0f)) + expf(0.04f * (v + 53.0f))) +
                          linear);
  out[V * cells] =
      0.5f * (before + after - 2.0f * v) + (place < 4 ? stimulus : 0.0f) - (inward + outward + sodium + slow);
  out[CALCIUM * cells] = 0.07f * (0.1f - y[CALCIUM]) - 0.01f * slow;
  out[X1 * cells] =
      gate(y[X1], rate(v, 0.0005f, 0.083f, 50.0f, 0.057f), rate(v, 0.0013f, -0.06f, 20.0f, -0.04f));
  float m_open = fabsf(from) < 1e-3f ? 10.0f : from / (1.0f - expf(-0.1f * from));
  out[M * cells] = gate(y[M], m_open, 40.0f * expf(-0.056f * (v + 72.0f)));
  out[H * cells] =
      gate(y[H], 0.126f * expf(-0.25f * (v + 77.0f)), 1.7f / (expf(-0.082f * (v + 22.5f)) + 1.0f));
  out[J * cells] = gate(y[J], 0.055f * expf(-0.25f * (v + 78.0f)) / (expf(-0.2f * (v + 78.0f)) + 1.0f),
                        0.3f / (expf(-0.1f * (v + 32.0f)) + 1.0f));
  out[D * cells] = gate(y[D], rate(v, 0.095f, -0.01f, -5.0f, -0.072f), rate(v, 0.07f, -0.017f, 44.0f, 0.05f));
  out[F * cells] = gate(y[F], rate(v, 0.012f, -0.008f, 28.0f, 0.15f), rate(v, 0.0065f, -0.02f, 30.0f, -0.2f));
}

static void reference_half(const float *from, const float *at, float *rates, float *to, int cells, float step,
                           float stimulus) {
  for (int i = 0; i < cells; i++) cell_rates(at, rates, cells, i, stimulus);
  for (int i = 0; i < VARIABLES * cells; i++) to[i] = from[i] + step * rates[i];
}

static bool run(struct wl_run *r) {
  static const float rest[VARIABLES] = {-84.6f, 0.0002f, 0.0057f, 0.011f, 0.988f, 0.975f, 0.003f, 0.994f};
  static const struct { int strands, steps; } shapes[WL_SIZES] = {{1, 40}, {100, 16}, {100, 200}};
  int cells = shapes[r->size].strands * STRAND, count = VARIABLES * cells, strand = STRAND;
  float *state = WL_NEW(r, float, count), *middle = WL_NEW(r, float, count), *rates = WL_NEW(r, float, count);
  for (int i = 0; i < count; i++) state[i] = rest[i / cells] * wl_uniform(&r->rng, 0.99f, 1.01f);
  CUdeviceptr d_state = WL_UP(r, state, count), d_middle = WL_DEV(r, float, count),
              d_rates = WL_DEV(r, float, count);
  struct wl_dim grid = wl_1d(wl_blocks(cells, THREADS)), block = wl_1d(THREADS);
  struct wl_dim all = wl_1d(wl_blocks(count, 256)), wide = wl_1d(256);
  float step = 0.02f, half = 0.5f * step;
  for (int i = 0; i < shapes[r->size].steps; i++) {
    float stimulus = i < 50 ? 30.0f : 0.0f;
    WL_LAUNCH(r, "myocyte_rates", grid, block, 0, &d_state, &d_rates, &cells, &strand, &stimulus);
    WL_LAUNCH(r, "myocyte_advance", all, wide, 0, &d_state, &d_rates, &d_middle, &half, &count);
    WL_LAUNCH(r, "myocyte_rates", grid, block, 0, &d_middle, &d_rates, &cells, &strand, &stimulus);
    WL_LAUNCH(r, "myocyte_advance", all, wide, 0, &d_state, &d_rates, &d_state, &step, &count);
    reference_half(state, state, rates, middle, cells, half, stimulus);
    reference_half(state, middle, rates, state, cells, step, stimulus);
  }
  return wl_near_f32(r, "state", WL_DOWN(r, float, d_state, count), state, count, 2e-3f, 1e-4f);
}

const struct workload wl_myocyte = {
    .name = "myocyte",
    .suite = "Rodinia",
    .pattern = "few threads, long arithmetic on eight coalesced variables a cell",
    .sizes = {"1 strand of 64 cells, 40 steps", "100 strands of 64 cells, 16 steps",
              "100 strands of 64 cells, 200 steps"},
    .ptx = wl_ptx_myocyte,
    .run = run,
};
