// Layer normalisation of the rows of a matrix.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(layernorm);

enum { THREADS = 256 };

static void reference(const float *in, const float *gain, const float *shift, int width, float *out) {
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < width; i++) sum += (double)in[i];
  double mean = sum / width;
  for (int i = 0; i < width; i++) squares += ((double)in[i] - mean) * ((double)in[i] - mean);
  double scale = 1.0 / sqrt(squares / width + 1e-5);
  for (int i = 0; i < width; i++) out[i] = (float)(((double)in[i] - mean) * scale) * gain[i] + shift[i];
}

static bool run(struct wl_run *r) {
  static const struct { int rows, width; } shapes[WL_SIZES] = {{64, 1024}, {2048, 2048}, {8192, 4096}};
  int rows = shapes[r->size].rows, width = shapes[r->size].width, vectors = width / 4;
  long count = (long)rows * width;
  float *in = wl_floats(r, count, -2.0f, 3.0f), *gain = wl_floats(r, width, 0.5f, 1.5f);
  float *shift = wl_floats(r, width, -0.5f, 0.5f), *want = WL_NEW(r, float, count);
  CUdeviceptr d_in = WL_UP(r, in, count), d_gain = WL_UP(r, gain, width), d_shift = WL_UP(r, shift, width);
  CUdeviceptr d_out = WL_DEV(r, float, count);
  WL_LAUNCH(r, "layer_norm", wl_1d(rows), wl_1d(THREADS), 0, &d_in, &d_gain, &d_shift, &d_out, &vectors);
  for (int i = 0; i < rows; i++) reference(in + (long)i * width, gain, shift, width, want + (long)i * width);
  return wl_near_f32(r, "out", WL_DOWN(r, float, d_out, count), want, count, 1e-3f, 1e-3f);
}

const struct workload wl_layernorm = {
    .name = "layernorm",
    .suite = "2026",
    .pattern = "rows streamed once in 16-byte loads; gain and shift read by every block",
    .sizes = {"64 rows of 1,024", "2,048 rows of 2,048", "8,192 rows of 4,096"},
    .ptx = wl_ptx_layernorm,
    .run = run,
};
