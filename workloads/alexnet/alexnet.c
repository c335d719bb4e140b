// The first layers of AlexNet on one image: convolution, normalisation, pooling, and half of the maps of the second
// convolution, which look at half of its inputs.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(alexnet);

enum { SIDE = 227, KERNEL = 11, STEP = 4, SIDE1 = 55, SIDE2 = 27, WINDOW = 3, KERNEL2 = 5, PAD2 = 2 };
enum { TAPS = 3 * KERNEL * KERNEL, PLANE1 = SIDE1 * SIDE1, PLANE2 = SIDE2 * SIDE2, TAPS2 = KERNEL2 * KERNEL2 };

// ---- the reference ----

static void first(const float *image, const float *weights, const float *bias, int maps, float *out) {
  for (long at = 0; at < (long)maps * PLANE1; at++) {
    int map = (int)(at / PLANE1), row = (int)(at / SIDE1 % SIDE1), column = (int)(at % SIDE1);
    float sum = bias[map];
    for (int k = 0; k < TAPS; k++) {
      int colour = k / (KERNEL * KERNEL), y = k / KERNEL % KERNEL, x = k % KERNEL;
      sum += weights[map * TAPS + k] * image[3 * ((row * STEP + y) * SIDE + column * STEP + x) + colour];
    }
    out[at] = fmaxf(sum, 0.0f);
  }
}

static void normalise(const float *in, int maps, float *out) {
  for (long at = 0; at < (long)maps * PLANE1; at++) {
    int map = (int)(at / PLANE1), from = map > 3 ? map - 3 : 0, to = map + 2 < maps ? map + 1 : maps - 1;
    double sum = 0;
    for (int m = from; m < to; m++) sum += pow((double)in[(long)m * PLANE1 + at % PLANE1], 2);
    out[at] = (float)((double)in[at] / pow(1 + 0.0001 / 5 * sum, 0.75));
  }
}

static void pool(const float *in, int maps, float *out) {
  for (long at = 0; at < (long)maps * PLANE2; at++) {
    const float *window = in + at / PLANE2 * PLANE1 + at / SIDE2 % SIDE2 * 2 * SIDE1 + at % SIDE2 * 2;
    out[at] = 0;
    for (int k = 0; k < WINDOW * WINDOW; k++) out[at] = fmaxf(out[at], window[k / WINDOW * SIDE1 + k % WINDOW]);
  }
}

static void second(const float *in, int inputs, const float *weights, const float *bias, int maps, float *out) {
  for (long at = 0; at < (long)maps * PLANE2; at++) {
    int map = (int)(at / PLANE2), row = (int)(at / SIDE2 % SIDE2), column = (int)(at % SIDE2);
    float sum = 0;
    for (int k = 0; k < inputs * TAPS2; k++) {
      int y = row + k / KERNEL2 % KERNEL2 - PAD2, x = column + k % KERNEL2 - PAD2;
      if (y >= 0 && y < SIDE2 && x >= 0 && x < SIDE2)
        sum += weights[map * inputs * TAPS2 + k] * in[(k / TAPS2 * SIDE2 + y) * SIDE2 + x];
    }
    out[at] = fmaxf(sum + bias[map], 0.0f);
  }
}

// ---- the run ----

struct layer {
  float *weights, *bias;
  CUdeviceptr d_weights, d_bias;
};
static struct layer make_layer(struct wl_run *r, int maps, int taps, float *weights, float low, float high) {
  struct layer l = {.weights = weights, .bias = wl_floats(r, maps, low, high)};
  l.d_weights = WL_UP(r, l.weights, (long)maps * taps);
  l.d_bias = WL_UP(r, l.bias, maps);
  return l;
}

// Four launches cover the 55 x 55 values of a map: 32 rows and columns, and the 23 that are left.
enum { QUARTERS = 4, BLOCK = 32 };
static struct wl_dim quarter(int i, int *row, int *column) {
  *row = i / 2 * BLOCK;
  *column = i % 2 * BLOCK;
  return wl_2d(*row ? SIDE1 - BLOCK : BLOCK, *column ? SIDE1 - BLOCK : BLOCK);
}

static bool run(struct wl_run *r) {
  static const struct { int maps, inputs, maps2; } shapes[WL_SIZES] = {{1, 1, 3}, {45, 15, 30}, {96, 48, 128}};
  int maps = shapes[r->size].maps, inputs = shapes[r->size].inputs, maps2 = shapes[r->size].maps2;
  int side = SIDE2, in_side = SIDE1, window = WINDOW, step = 2, kernel = KERNEL2, pad = PAD2, row, column;
  float alpha = 0.0001f, beta = 0.75f, *image = WL_NEW(r, float, 3 * SIDE *SIDE);
  int *photo = wl_photo(r, SIDE, SIDE);
  for (int i = 0; i < 3 * SIDE * SIDE; i++) image[i] = (float)photo[i];
  struct layer l1 = make_layer(r, maps, TAPS, wl_filters(r, maps, KERNEL * KERNEL), -14.0f, 0.0f);
  int taps2 = inputs * TAPS2;
  struct layer l2 = make_layer(r, maps2, taps2, wl_weights(r, (long)maps2 * taps2, taps2), 0.05f, 0.14f);
  CUdeviceptr d_image = WL_UP(r, image, 3 * SIDE * SIDE), d_1 = WL_DEV(r, float, maps *PLANE1);
  CUdeviceptr d_n = WL_DEV(r, float, maps *PLANE1), d_p = WL_DEV(r, float, maps *PLANE2);
  CUdeviceptr d_2 = WL_DEV(r, float, maps2 *PLANE2);
  for (int i = 0; i < QUARTERS; i++) {
    struct wl_dim block = quarter(i, &row, &column);
    WL_LAUNCH(r, "alexnet_first", wl_1d(maps), block, 0, &l1.d_bias, &d_image, &l1.d_weights, &d_1, &row, &column);
  }
  for (int i = 0; i < QUARTERS; i++) {
    struct wl_dim block = quarter(i, &row, &column);
    WL_LAUNCH(r, "alexnet_normalise", wl_1d(maps), block, 0, &d_1, &alpha, &beta, &maps, &d_n, &row, &column);
  }
  WL_LAUNCH(r, "alexnet_pool", wl_1d(maps), wl_2d(SIDE2, SIDE2), 0, &d_n, &d_p, &side, &in_side, &window, &step);
  WL_LAUNCH(r, "alexnet_conv", wl_1d(maps2), wl_2d(SIDE2, SIDE2), 0, &l2.d_bias, &d_p, &l2.d_weights, &d_2, &side,
            &kernel, &pad, &inputs);

  float *v1 = WL_NEW(r, float, maps *PLANE1), *n1 = WL_NEW(r, float, maps *PLANE1);
  float *p1 = WL_NEW(r, float, maps *PLANE2), *v2 = WL_NEW(r, float, maps2 *PLANE2);
  first(image, l1.weights, l1.bias, maps, v1);
  normalise(v1, maps, n1);
  pool(n1, maps, p1);
  second(p1, inputs, l2.weights, l2.bias, maps2, v2);
  return wl_near_f32(r, "first", WL_DOWN(r, float, d_1, maps *PLANE1), v1, maps * PLANE1, 1e-3f, 2e-2f) &&
         wl_near_f32(r, "pool", WL_DOWN(r, float, d_p, maps *PLANE2), p1, maps * PLANE2, 1e-3f, 2e-2f) &&
         wl_near_f32(r, "second", WL_DOWN(r, float, d_2, maps2 *PLANE2), v2, maps2 * PLANE2, 1e-3f, 2e-2f);
}

const struct workload wl_alexnet = {
    .name = "alexnet",
    .suite = "Tango",
    .pattern = "direct convolution, a lane a row: up to 32 lines a load, all blocks walk the same image in step",
    .sizes = {"227 x 227 image, 1 map", "227 x 227 image, 45 maps, 30 of the second layer",
              "227 x 227 image, 96 maps, 128 of the second layer"},
    .ptx = wl_ptx_alexnet,
    .run = run,
};
