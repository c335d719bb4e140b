// The host side of the network layers: launches and references.
#include "layers/layers.h"
#include "common/inputs.h"
#include <math.h>

enum { SIDE = 32, ROWS = 16, THREADS = 128 };

static long values(const struct tensor *t) { return (long)t->maps * t->height * t->width; }

static struct tensor make(struct wl_run *r, int maps, int height, int width) {
  struct tensor t = {.maps = maps, .height = height, .width = width};
  t.host = WL_NEW(r, float, values(&t));
  t.dev = WL_ZEROS(r, float, values(&t));
  return t;
}

struct tensor net_image(struct wl_run *r, int side) {
  struct tensor t = make(r, 3, side, side);
  for (long i = 0; i < values(&t); i++) t.host[i] = wl_uniform(&r->rng, -1.0f, 1.0f);
  WL_PUT(r, t.dev, t.host, values(&t));
  return t;
}

struct tensor net_room(struct wl_run *r, int maps, int height, int width) {
  return make(r, maps, height, width);
}

// Blocks are as large as a map, or 32 x 16 where the map is larger.
static int least(int a, int b) { return a < b ? a : b; }
static struct wl_dim block_of(const struct tensor *t) {
  return wl_2d(least(t->width, SIDE), least(t->height, ROWS));
}
static struct wl_dim grid_of(const struct tensor *t, int maps) {
  struct wl_dim block = block_of(t);
  return wl_3d(wl_blocks(t->width, block.x), wl_blocks(t->height, block.y), maps);
}

// ---- convolution ----

static int out_length(int length, struct window w) { return (length + 2 * w.pad - w.size) / w.stride + 1; }

// Adds one weight's part to a map.
static void add_tap(const float *plane, const struct tensor *in, float *to, const struct tensor *out,
                    struct window w, int ky, int kx, float weight) {
  for (int y = 0; y < out->height; y++) {
    int row = y * w.stride + ky - w.pad;
    if (row < 0 || row >= in->height) continue;
    for (int x = 0; x < out->width; x++) {
      int column = x * w.stride + kx - w.pad;
      if (column >= 0 && column < in->width)
        to[y * out->width + x] += weight * plane[row * in->width + column];
    }
  }
}

static void conv_reference(const struct tensor *in, struct tensor *out, int first, int maps, struct window w,
                           bool relu, const float *weights, const float *bias) {
  int plane = in->height * in->width, out_plane = out->height * out->width;
  for (int map = 0; map < maps; map++) {
    float *to = out->host + (long)(first + map) * out_plane;
    for (int i = 0; i < out_plane; i++) to[i] = bias[map];
    for (int c = 0; c < in->maps; c++)
      for (int k = 0; k < w.size * w.size; k++)
        add_tap(in->host + (long)c * plane, in, to, out, w, k / w.size, k % w.size,
                weights[(map * in->maps + c) * w.size * w.size + k]);
    for (int i = 0; i < out_plane && relu; i++) to[i] = fmaxf(to[i], 0.0f);
  }
}

void net_conv_into(struct wl_run *r, const struct tensor *in, struct tensor *out, int first, int maps,
                   struct window w, bool relu) {
  int fan_in = in->maps * w.size * w.size, cut = relu, channels = in->maps, height = in->height;
  int width = in->width;
  float *weights = wl_weights(r, (long)maps * fan_in, fan_in), *bias = wl_floats(r, maps, -0.1f, 0.1f);
  CUdeviceptr d_in = in->dev, d_weights = WL_UP(r, weights, maps * fan_in), d_bias = WL_UP(r, bias, maps);
  CUdeviceptr d_out = out->dev + (size_t)first * (size_t)(out->height * out->width) * sizeof(float);
  WL_LAUNCH(r, "net_conv", grid_of(out, maps), block_of(out), 0, &d_in, &d_weights, &d_bias, &d_out,
            &channels, &height, &width, &w.size, &w.stride, &w.pad, &out->height, &out->width, &cut);
  conv_reference(in, out, first, maps, w, relu, weights, bias);
}

struct tensor net_conv(struct wl_run *r, const struct tensor *in, int maps, struct window w, bool relu) {
  struct tensor out = make(r, maps, out_length(in->height, w), out_length(in->width, w));
  net_conv_into(r, in, &out, 0, maps, w, relu);
  return out;
}

// ---- the other layers ----

static float pool_reference(const struct tensor *in, int map, int y, int x, struct window w) {
  float most = -INFINITY;
  for (int k = 0; k < w.size * w.size; k++) {
    int row = y * w.stride + k / w.size - w.pad, column = x * w.stride + k % w.size - w.pad;
    if (row < 0 || row >= in->height || column < 0 || column >= in->width) continue;
    most = fmaxf(most, in->host[((long)map * in->height + row) * in->width + column]);
  }
  return most;
}

struct tensor net_pool(struct wl_run *r, const struct tensor *in, struct window w) {
  struct tensor out = make(r, in->maps, out_length(in->height, w), out_length(in->width, w));
  CUdeviceptr d_in = in->dev;
  int height = in->height, width = in->width;
  WL_LAUNCH(r, "net_pool", grid_of(&out, out.maps), block_of(&out), 0, &d_in, &out.dev, &height, &width,
            &w.size, &w.stride, &w.pad, &out.height, &out.width);
  float *to = out.host;
  for (int map = 0; map < out.maps; map++)
    for (int y = 0; y < out.height; y++)
      for (int x = 0; x < out.width; x++) *to++ = pool_reference(in, map, y, x, w);
  return out;
}

struct tensor net_normalise(struct wl_run *r, const struct tensor *in) {
  struct tensor out = make(r, in->maps, in->height, in->width);
  CUdeviceptr d_in = in->dev;
  WL_LAUNCH(r, "net_normalise", grid_of(&out, out.maps), block_of(&out), 0, &d_in, &out.dev, &out.maps,
            &out.height, &out.width);
  int plane = in->height * in->width;
  for (int map = 0; map < in->maps; map++)
    for (int i = 0; i < plane; i++) {
      float sum = 0.0f;
      for (int m = map < 2 ? 0 : map - 2; m <= map + 2 && m < in->maps; m++) {
        float value = in->host[(long)m * plane + i];
        sum += value * value;
      }
      out.host[(long)map * plane + i] = in->host[(long)map * plane + i] * powf(1.0f + 2e-5f * sum, -0.75f);
    }
  return out;
}

struct tensor net_full(struct wl_run *r, const struct tensor *in, int outputs, bool relu) {
  struct tensor out = make(r, outputs, 1, 1);
  int inputs = (int)values(in), cut = relu;
  float *weights = wl_weights(r, (long)inputs * outputs, inputs), *bias = wl_floats(r, outputs, -0.1f, 0.1f);
  CUdeviceptr d_in = in->dev, d_weights = WL_UP(r, weights, (long)inputs * outputs);
  CUdeviceptr d_bias = WL_UP(r, bias, outputs);
  WL_LAUNCH(r, "net_full", wl_1d(wl_blocks(outputs, THREADS)), wl_1d(THREADS), 0, &d_in, &d_weights, &d_bias,
            &out.dev, &inputs, &outputs, &cut);
  for (int o = 0; o < outputs; o++) {
    float sum = bias[o];
    for (int i = 0; i < inputs; i++) sum += in->host[i] * weights[(long)o * inputs + i];
    out.host[o] = relu ? fmaxf(sum, 0.0f) : sum;
  }
  return out;
}

struct tensor net_add(struct wl_run *r, const struct tensor *a, const struct tensor *b) {
  struct tensor out = make(r, a->maps, a->height, a->width);
  CUdeviceptr d_a = a->dev, d_b = b->dev;
  int count = (int)values(a);
  WL_LAUNCH(r, "net_add", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_a, &d_b, &out.dev, &count);
  for (int i = 0; i < count; i++) out.host[i] = fmaxf(a->host[i] + b->host[i], 0.0f);
  return out;
}

struct tensor net_mean(struct wl_run *r, const struct tensor *in) {
  struct tensor out = make(r, in->maps, 1, 1);
  CUdeviceptr d_in = in->dev;
  int plane = in->height * in->width;
  WL_LAUNCH(r, "net_mean", wl_1d(wl_blocks(out.maps, THREADS)), wl_1d(THREADS), 0, &d_in, &out.dev, &out.maps,
            &plane);
  for (int map = 0; map < in->maps; map++) {
    float sum = 0.0f;
    for (int i = 0; i < plane; i++) sum += in->host[(long)map * plane + i];
    out.host[map] = sum / (float)plane;
  }
  return out;
}

bool net_check(struct wl_run *r, const char *what, const struct tensor *t) {
  return wl_near_f32(r, what, WL_DOWN(r, float, t->dev, values(t)), t->host, values(t), 1e-3f, 1e-3f);
}
