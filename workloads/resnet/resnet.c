// The first layers of a residual network on one image: convolution, normalisation, scale, cut, pooling.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(resnet);

enum { KERNEL = 7, STEP = 2, PAD = 3, TAPS = 3 * KERNEL * KERNEL, BLOCK = 32, TILE = 4, WINDOW = 3 };

// ---- the reference ----

struct scales {
  float *mean, *variance, *scale, *bias;
};

static float first(const float *image, int side, const float *weights, int row, int column) {
  float sum = 0;
  for (int k = 0; k < TAPS; k++) {
    int y = row * STEP - PAD + k / KERNEL % KERNEL, x = column * STEP - PAD + k % KERNEL;
    if (y >= 0 && y < side && x >= 0 && x < side)
      sum += weights[k] * image[3 * (y * side + x) + k / (KERNEL * KERNEL)];
  }
  return sum;
}

// `side` is the image's; the output's is half of it.
static void all_values(const float *image, int side, const float *weights, int maps, float *out) {
  int half = side / 2;
  for (int i = 0; i < maps * half * half; i++)
    out[i] = first(image, side, weights + i / (half * half) * TAPS, i / half % half, i % half);
}

// Per mille of the values of each map that are below zero before the cut, as Tango's weights leave them.
static const short below_zero[] = {
    30, 211, 331, 987, 66, 366, 513, 991, 627, 14, 89, 10, 7, 0, 139, 55,
    4, 218, 5, 225, 15, 39, 0, 1000, 19, 222, 1000, 322, 9, 1000, 67, 999,
    17, 145, 0, 1000, 17, 1000, 374, 0, 109, 948, 25, 981, 15, 267, 51, 3,
    532, 37, 1000, 94, 599, 38, 1000, 20, 554, 19, 106, 18, 12, 63, 0, 6,
};

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// A number that so many of a thousand values are below, and with none or all of them some way from the last.
static float level(struct wl_run *r, const float *values, int count, int per_mille) {
  float *sorted = WL_NEW(r, float, count);
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_value);
  float margin = 0.05f * (sorted[count - 1] - sorted[0]);
  if (per_mille == 0) return sorted[0] - margin;
  if (per_mille == 1000) return sorted[count - 1] + margin;
  return sorted[(long)count * per_mille / 1000];
}

// Means and variances as the values have them, and biases that leave as many values above zero as there are to be.
static struct scales fit(struct wl_run *r, const float *values, int plane, int maps) {
  struct scales s = {WL_NEW(r, float, maps), WL_NEW(r, float, maps), wl_floats(r, maps, 0.2f, 2.0f), WL_NEW(r, float, maps)};
  for (int map = 0; map < maps; map++) {
    double sum = 0, squares = 0;
    for (int i = map * plane; i < (map + 1) * plane; i++) {
      sum += (double)values[i];
      squares += (double)values[i] * (double)values[i];
    }
    s.mean[map] = (float)(sum / plane);
    s.variance[map] = (float)(squares / plane - sum / plane * (sum / plane));
    float at = level(r, values + map * plane, plane, below_zero[map]);
    s.bias[map] = s.scale[map] * (s.mean[map] - at) / sqrtf(s.variance[map] + 1e-5f);
  }
  return s;
}

static void scale_all(const struct scales *s, int plane, int maps, float *values) {
  for (int i = 0; i < maps * plane; i++) {
    int map = i / plane;
    float v = (values[i] - s->mean[map]) / sqrtf(s->variance[map] + 1e-5f);
    values[i] = fmaxf(v * s->scale[map] + s->bias[map], 0.0f);
  }
}

static void pool(const float *in, int side, int maps, float *out) {
  int half = side / 2;
  for (int i = 0; i < maps * half * half; i++) {
    const float *map = in + i / (half * half) * side * side;
    out[i] = 0;
    for (int k = 0; k < WINDOW * WINDOW; k++) {
      int y = i / half % half * 2 - 1 + k / WINDOW, x = i % half * 2 - 1 + k % WINDOW;
      if (y >= 0 && y < side && x >= 0 && x < side) out[i] = fmaxf(out[i], map[y * side + x]);
    }
  }
}

// ---- the run ----

static bool run(struct wl_run *r) {
  static const struct { int side, maps; } shapes[WL_SIZES] = {{112, 1}, {224, 30}, {224, 64}};
  int in_side = shapes[r->size].side, maps = shapes[r->size].maps, side = in_side / 2, side2 = side / 2;
  int step = STEP, pad = PAD, tile = TILE, window = WINDOW, one = 1, pixels = in_side * in_side;
  int values = maps * side * side, pooled = maps * side2 * side2, *photo = wl_photo(r, in_side, in_side);
  float *image = WL_NEW(r, float, 3 * pixels), *weights = wl_filters(r, maps, KERNEL * KERNEL);
  for (int i = 0; i < 3 * pixels; i++) image[i] = (float)photo[i];
  float *v1 = WL_NEW(r, float, values), *v2 = WL_NEW(r, float, pooled);
  all_values(image, in_side, weights, maps, v1);
  struct scales s = fit(r, v1, side * side, maps);
  CUdeviceptr d_image = WL_UP(r, image, 3 * pixels), d_weights = WL_UP(r, weights, maps * TAPS);
  CUdeviceptr d_mean = WL_UP(r, s.mean, maps), d_variance = WL_UP(r, s.variance, maps);
  CUdeviceptr d_scale = WL_UP(r, s.scale, maps), d_bias = WL_UP(r, s.bias, maps);
  CUdeviceptr d_1 = WL_DEV(r, float, values), d_2 = WL_DEV(r, float, pooled);
  struct wl_dim grid = wl_1d(maps), block = wl_2d(BLOCK, BLOCK);
  WL_LAUNCH(r, "resnet_first", grid, block, 0, &d_image, &d_weights, &d_1, &step, &pad, &in_side, &side, &tile);
  WL_LAUNCH(r, "resnet_normalise", grid, block, 0, &d_1, &d_mean, &d_variance, &side, &tile);
  WL_LAUNCH(r, "resnet_scale", grid, block, 0, &d_1, &d_scale, &d_bias, &side, &tile);
  WL_LAUNCH(r, "resnet_cut", grid, block, 0, &d_1, &side, &tile);
  WL_LAUNCH(r, "resnet_pool", grid, block, 0, &d_1, &d_2, &side2, &window, &step, &side, &one, &tile);

  scale_all(&s, side * side, maps, v1);
  pool(v1, side, maps, v2);
  return wl_near_f32(r, "first", WL_DOWN(r, float, d_1, values), v1, values, 1e-3f, 1e-3f) &&
         wl_near_f32(r, "pool", WL_DOWN(r, float, d_2, pooled), v2, pooled, 1e-3f, 1e-3f);
}

const struct workload wl_resnet = {
    .name = "resnet",
    .suite = "Tango",
    .pattern = "direct convolution, a lane four rows: up to 32 lines a load, all blocks walk the same image in step",
    .sizes = {"112 x 112 image, 1 map", "224 x 224 image, 30 maps", "224 x 224 image, 64 maps"},
    .ptx = wl_ptx_resnet,
    .run = run,
};
