// A small network for handwritten digits.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(nnfc);

enum { IMAGE = 29, MAPS1 = 6, SIDE1 = 13, MAPS2 = 50, SIDE2 = 5, WINDOW = 5, HIDDEN = 100, CLASSES = 10 };
enum { TAPS = WINDOW * WINDOW, ROOM2 = MAPS1 * (TAPS + 1) };
enum { SIZE0 = IMAGE * IMAGE, SIZE1 = MAPS1 * SIDE1 * SIDE1, SIZE2 = MAPS2 * SIDE2 * SIDE2 };

// ---- the reference ----

static float activate(float x) { return (float)(1.7159 * (double)tanhf((float)(0.66666667 * (double)x))); }

// A layer of maps that look at windows of all maps before, two apart. Weights of a map: bias, then tap by tap.
static void windows(const float *in, int in_maps, int in_side, const float *weights, int room, int maps, int side,
                    float *out) {
  for (int at = 0; at < maps * side * side; at++) {
    int map = at / (side * side), y = at / side % side, x = at % side;
    const float *w = weights + map * room;
    float sum = *w++;
    for (int k = 0; k < TAPS; k++)
      for (int m = 0; m < in_maps; m++)
        sum += *w++ * in[(m * in_side + 2 * y + k / WINDOW) * in_side + 2 * x + k % WINDOW];
    out[at] = activate(sum);
  }
}

static void full(const float *in, int inputs, const float *weights, int outputs, float *out) {
  for (int o = 0; o < outputs; o++) {
    const float *w = weights + o * (1 + inputs);
    float sum = *w++;
    for (int i = 0; i < inputs; i++) sum += w[i] * in[i];
    out[o] = activate(sum);
  }
}

// ---- input ----

// A pen's stroke: black, with a grey edge.
static void dot(float *image, float x, float y) {
  for (int at = 0; at < 28 * IMAGE; at++) {
    float away = hypotf((float)(at % IMAGE) - x, (float)(at / IMAGE) - y);
    float ink = fminf(fmaxf(1.9f - away, 0.0f), 1.0f), paper = 1.0f - floorf(255.0f * ink) / 256.0f;
    if (at % IMAGE < 28) image[at] = fminf(image[at], paper);
  }
}

// Digits on white paper (1.0), 28 x 28 with a margin of one at the right and below.
static float *digits(struct wl_run *r, int images) {
  float *all = WL_NEW(r, float, (long)images * SIZE0);
  for (int i = 0; i < images; i++) {
    float *image = all + (long)i * SIZE0, x = wl_uniform(&r->rng, 8, 20), y = wl_uniform(&r->rng, 6, 10);
    float way = wl_uniform(&r->rng, 0, 6.28f);
    int steps = 28 + (int)wl_below(&r->rng, 17);
    for (int k = 0; k < SIZE0; k++) image[k] = 1.0f;
    for (int s = 0; s < steps; s++) {
      dot(image, x, y);
      way += wl_uniform(&r->rng, -0.45f, 0.45f) + (x <= 5 || x >= 22 || y <= 5 || y >= 22 ? 1.7f : 0.0f);
      x = fminf(fmaxf(x + 0.9f * cosf(way), 5), 22);
      y = fminf(fmaxf(y + 0.9f * sinf(way), 5), 22);
    }
  }
  return all;
}

static float *spread(struct wl_run *r, long count, float deviation) {
  float *w = WL_NEW(r, float, count);
  for (long i = 0; i < count; i++) w[i] = deviation * wl_normal(&r->rng);
  return w;
}

// ---- the run ----

struct net {
  float *image, *w1, *w2, *w3, *w4;
};

static bool check(struct wl_run *r, const struct net *n, int images, int to_end, CUdeviceptr d_2, CUdeviceptr d_4) {
  float *v1 = WL_NEW(r, float, SIZE1), *v2 = WL_NEW(r, float, (long)images * SIZE2), *v3 = WL_NEW(r, float, HIDDEN);
  float *want = WL_NEW(r, float, to_end *CLASSES);
  for (int i = 0; i < images; i++) {
    windows(n->image + (long)i * SIZE0, 1, IMAGE, n->w1, TAPS + 1, MAPS1, SIDE1, v1);
    windows(v1, MAPS1, SIDE1, n->w2, ROOM2, MAPS2, SIDE2, v2 + (long)i * SIZE2);
    if (i < images - to_end) continue;
    full(v2 + (long)i * SIZE2, SIZE2, n->w3, HIDDEN, v3);
    full(v3, HIDDEN, n->w4, CLASSES, want + (i - images + to_end) * CLASSES);
  }
  return wl_near_f32(r, "layer 2", WL_DOWN(r, float, d_2, (long)images *SIZE2), v2, (long)images * SIZE2, 2e-3f, 2e-3f) &&
         wl_near_f32(r, "class", WL_DOWN(r, float, d_4, to_end *CLASSES), want, to_end * CLASSES, 2e-3f, 2e-3f);
}

static bool run(struct wl_run *r) {
  static const struct { int images, to_end; } shapes[WL_SIZES] = {{8, 1}, {100, 4}, {1000, 20}};
  int images = shapes[r->size].images, to_end = shapes[r->size].to_end;
  struct net n = {.image = digits(r, images),
                  .w1 = spread(r, MAPS1 * (TAPS + 1), 0.82f),
                  .w2 = spread(r, MAPS2 * ROOM2, 0.177f),
                  .w3 = spread(r, HIDDEN * (1 + SIZE2), 0.065f),
                  .w4 = spread(r, CLASSES * (1 + HIDDEN), 0.06f)};
  CUdeviceptr d_image = WL_UP(r, n.image, images * SIZE0), d_w1 = WL_UP(r, n.w1, MAPS1 * (TAPS + 1));
  CUdeviceptr d_w2 = WL_UP(r, n.w2, MAPS2 * ROOM2), d_w3 = WL_UP(r, n.w3, HIDDEN * (1 + SIZE2));
  CUdeviceptr d_w4 = WL_UP(r, n.w4, CLASSES * (1 + HIDDEN));
  CUdeviceptr d_1 = WL_DEV(r, float, images *SIZE1), d_2 = WL_DEV(r, float, images *SIZE2);
  CUdeviceptr d_last = d_2 + (size_t)(images - to_end) * SIZE2 * sizeof(float);
  CUdeviceptr d_3 = WL_DEV(r, float, to_end *HIDDEN), d_4 = WL_DEV(r, float, to_end *CLASSES);
  WL_LAUNCH(r, "nn_layer1", wl_2d(MAPS1, images), wl_2d(SIDE1, SIDE1), 0, &d_image, &d_w1, &d_1);
  WL_LAUNCH(r, "nn_layer2", wl_2d(MAPS2, images), wl_2d(SIDE2, SIDE2), 0, &d_1, &d_w2, &d_2);
  WL_LAUNCH(r, "nn_layer3", wl_2d(HIDDEN, to_end), wl_1d(1), 0, &d_last, &d_w3, &d_3);
  WL_LAUNCH(r, "nn_layer4", wl_2d(CLASSES, to_end), wl_1d(1), 0, &d_3, &d_w4, &d_4);
  return check(r, &n, images, to_end, d_2, d_4);
}

const struct workload wl_nnfc = {
    .name = "nn-fc",
    .suite = "ISPASS",
    .pattern = "a block a map of an image, few lanes: all cores read the same weights at once",
    .sizes = {"8 images, 1 through all layers", "100 images, 4 through all layers",
              "1,000 images, 20 through all layers"},
    .ptx = wl_ptx_nnfc,
    .run = run,
};
