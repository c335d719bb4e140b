// A small network for handwritten digits.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(nnfc);

enum { IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, WINDOW = 5, CLASSES = 10 };
enum { SIZE0 = IMAGE * IMAGE, SIZE1 = MAPS1 * SIDE1 * SIDE1, SIZE2 = MAPS2 * SIDE2 * SIDE2 };

static float activate(float x) { return 1.7159f * tanhf(0.66666667f * x); }

// A layer of maps that look at windows of all maps before, two apart.
static void windows(const float *in, int in_maps, int in_side, const float *weights, int maps, int side,
                    float *out) {
  for (int map = 0; map < maps; map++) {
    const float *w = weights + map * (1 + in_maps * WINDOW * WINDOW);
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++) {
        float sum = w[0];
        for (int m = 0; m < in_maps; m++)
          for (int k = 0; k < WINDOW * WINDOW; k++)
            sum += w[1 + m * WINDOW * WINDOW + k] *
                   in[(m * in_side + 2 * y + k / WINDOW) * in_side + 2 * x + k % WINDOW];
        out[(map * side + y) * side + x] = activate(sum);
      }
  }
}

static void full(const float *in, int inputs, const float *weights, int outputs, float *out) {
  for (int o = 0; o < outputs; o++) {
    const float *w = weights + o * (1 + inputs);
    float sum = w[0];
    for (int i = 0; i < inputs; i++) sum += w[1 + i] * in[i];
    out[o] = activate(sum);
  }
}

static bool run(struct wl_run *r) {
  static const struct { int images, hidden; } shapes[WL_SIZES] = {{1, 24}, {6, 100}, {28, 100}};
  int images = shapes[r->size].images, hidden = shapes[r->size].hidden, inputs3 = SIZE2, inputs4 = hidden;
  float *image = wl_floats(r, (long)images * SIZE0, -1.0f, 1.0f);
  float *w1 = wl_weights(r, MAPS1 * (1 + WINDOW * WINDOW), WINDOW * WINDOW);
  float *w2 = wl_weights(r, MAPS2 * (1 + MAPS1 * WINDOW * WINDOW), MAPS1 * WINDOW * WINDOW);
  float *w3 = wl_weights(r, (long)hidden * (1 + SIZE2), SIZE2);
  float *w4 = wl_weights(r, CLASSES * (1 + (long)hidden), hidden);
  CUdeviceptr d_image = WL_UP(r, image, images * SIZE0), d_w1 = WL_UP(r, w1, MAPS1 * (1 + WINDOW * WINDOW));
  CUdeviceptr d_w2 = WL_UP(r, w2, MAPS2 * (1 + MAPS1 * WINDOW * WINDOW));
  CUdeviceptr d_w3 = WL_UP(r, w3, hidden * (1 + SIZE2)), d_w4 = WL_UP(r, w4, CLASSES * (1 + hidden));
  CUdeviceptr d_1 = WL_DEV(r, float, images *SIZE1), d_2 = WL_DEV(r, float, images *SIZE2);
  CUdeviceptr d_3 = WL_DEV(r, float, images *hidden), d_4 = WL_DEV(r, float, images *CLASSES);
  WL_LAUNCH(r, "nn_layer1", wl_2d(MAPS1, images), wl_2d(SIDE1, SIDE1), 0, &d_image, &d_w1, &d_1);
  WL_LAUNCH(r, "nn_layer2", wl_2d(MAPS2, images), wl_2d(SIDE2, SIDE2), 0, &d_1, &d_w2, &d_2);
  WL_LAUNCH(r, "nn_full", wl_2d(hidden, images), wl_1d(1), 0, &d_2, &d_w3, &d_3, &inputs3);
  WL_LAUNCH(r, "nn_full", wl_2d(CLASSES, images), wl_1d(1), 0, &d_3, &d_w4, &d_4, &inputs4);

  float *v1 = WL_NEW(r, float, SIZE1), *v2 = WL_NEW(r, float, SIZE2), *v3 = WL_NEW(r, float, hidden);
  float *want = WL_NEW(r, float, images *CLASSES);
  for (int i = 0; i < images; i++) {
    windows(image + i * SIZE0, 1, IMAGE, w1, MAPS1, SIDE1, v1);
    windows(v1, MAPS1, SIDE1, w2, MAPS2, SIDE2, v2);
    full(v2, SIZE2, w3, hidden, v3);
    full(v3, hidden, w4, CLASSES, want + i * CLASSES);
  }
  return wl_near_f32(r, "class", WL_DOWN(r, float, d_4, images *CLASSES), want, images * CLASSES, 1e-3f,
                     1e-3f);
}

const struct workload wl_nnfc = {
    .name = "nn-fc",
    .suite = "ISPASS",
    .pattern = "one thread a neuron in blocks of its own: all cores read the same weights at once",
    .sizes = {"1 image, 24 hidden neurons", "6 images, 100 hidden neurons", "28 images, 100 hidden neurons"},
    .ptx = wl_ptx_nnfc,
    .run = run,
};
