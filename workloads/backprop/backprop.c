// Back propagation: the device makes the hidden layer's partial sums and adjusts the input weights; the small
// rest of the network is the host's.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(backprop);

enum { HIDDEN = 16, ROW = HIDDEN + 1 };

static float squash(float x) { return 1.0f / (1.0f + expf(-x)); }

// Errors of the hidden units from the partial sums, for one output unit that should be 0.1.
static void hidden_errors(const float *partial, int blocks, const float *bias, const float *out,
                          float *delta) {
  float hidden[ROW], sum = out[0];
  for (int h = 1; h < ROW; h++) {
    float total = bias[h];
    for (int b = 0; b < blocks; b++) total += partial[b * HIDDEN + h - 1];
    hidden[h] = squash(total);
    sum += out[h] * hidden[h];
  }
  float o = squash(sum), error = o * (1.0f - o) * (0.1f - o);
  for (int h = 1; h < ROW; h++) delta[h] = hidden[h] * (1.0f - hidden[h]) * error * out[h];
}

static float *reference_partial(struct wl_run *r, const float *input, const float *weights, int blocks) {
  float *partial = WL_NEW(r, float, blocks *HIDDEN);
  for (int i = 0; i < blocks * HIDDEN; i++)
    for (int h = 0; h < HIDDEN; h++)
      partial[i / HIDDEN * HIDDEN + h] += input[i + 1] * weights[ROW * (i + 1) + h + 1];
  return partial;
}

static void reference_adjust(const float *delta, const float *input, float *weights, float *momentum,
                             int inputs) {
  for (int i = 0; i <= inputs; i++)
    for (int h = 1; h < ROW; h++) {
      double slope = i == 0 ? 0.3 * (double)delta[h] : 0.3 * (double)delta[h] * (double)input[i];
      double change = slope + 0.3 * (double)momentum[ROW * i + h];
      weights[ROW * i + h] = (float)((double)weights[ROW * i + h] + change);
      momentum[ROW * i + h] = (float)change;
    }
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {2048, 16384, 65536};
  int inputs = sizes[r->size], blocks = inputs / HIDDEN, count = ROW * (inputs + 1), units = HIDDEN;
  float *weights = wl_floats(r, count, 0.0f, 1.0f), *out = wl_floats(r, ROW, 0.0f, 1.0f);
  float *input = wl_floats(r, inputs + 1, 0.0f, 1.0f), *momentum = WL_NEW(r, float, count);
  CUdeviceptr d_input = WL_UP(r, input, inputs + 1), d_weights = WL_UP(r, weights, count);
  CUdeviceptr d_partial = WL_DEV(r, float, blocks *HIDDEN);
  struct wl_dim grid = wl_2d(1, blocks), block = wl_2d(HIDDEN, HIDDEN);
  WL_LAUNCH(r, "bp_forward", grid, block, 0, &d_input, &d_weights, &d_partial, &units);
  float *partial = WL_DOWN(r, float, d_partial, blocks *HIDDEN), delta[ROW] = {0};
  if (!wl_near_f32(r, "partial sum", partial, reference_partial(r, input, weights, blocks), blocks * HIDDEN,
                   1e-4f, 1e-6f))
    return false;

  hidden_errors(partial, blocks, weights, out, delta);
  WL_PUT(r, d_weights, weights, count);
  CUdeviceptr d_delta = WL_UP(r, delta, ROW), d_momentum = WL_UP(r, momentum, count);
  WL_LAUNCH(r, "bp_adjust", grid, block, 0, &d_delta, &units, &d_input, &d_weights, &d_momentum);
  reference_adjust(delta, input, weights, momentum, inputs);
  return wl_near_f32(r, "weight", WL_DOWN(r, float, d_weights, count), weights, count, 1e-4f, 1e-7f) &&
         wl_near_f32(r, "momentum", WL_DOWN(r, float, d_momentum, count), momentum, count, 1e-4f, 1e-7f);
}

const struct workload wl_backprop = {
    .name = "backprop",
    .suite = "Rodinia",
    .pattern = "rows of 17 floats, 16 used: half-warp streams that straddle lines",
    .sizes = {"2,048 inputs, 16 hidden units", "16,384 inputs, 16 hidden units",
              "65,536 inputs, 16 hidden units"},
    .ptx = wl_ptx_backprop,
    .run = run,
};
