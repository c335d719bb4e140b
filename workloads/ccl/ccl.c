// Connected component labelling of a photograph: the label of a component is its lowest pixel.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>

WL_PTX(ccl);

enum { THREADS = 256, THRESHOLD = 10, COLOURS = 3 };

// A photograph with grain and a few flat patches: of two neighbours, one pair in five differs by at most ten, all three colours together,
// half by thirty; one pixel in twenty lies in a patch, where labels come from far above.
static int *make_photo(struct wl_run *r, int width, int height) {
  enum { WAVES = 6, PATCHES = 16 };
  static const float tint[COLOURS] = {10.0f, 0.0f, -15.0f};
  float across[WAVES], down[WAVES], phase[WAVES], patch[PATCHES][3];
  for (int i = 0; i < WAVES; i++) {
    across[i] = wl_uniform(&r->rng, -0.06f, 0.06f);
    down[i] = wl_uniform(&r->rng, -0.06f, 0.06f);
    phase[i] = wl_uniform(&r->rng, 0.0f, 6.28f);
  }
  for (int i = 0; i < PATCHES; i++) {
    patch[i][0] = wl_uniform(&r->rng, 0.0f, (float)width);
    patch[i][1] = wl_uniform(&r->rng, 0.0f, (float)height);
    patch[i][2] = wl_uniform(&r->rng, 6.0f, 14.0f) * (float)height / 481.0f;
  }
  int *photo = WL_NEW(r, int, (long)width *height);
  float grain = 0.0f; // a little like that of the pixel before
  for (long at = 0; at < (long)width * height; at++) {
    float x = (float)(at % width), y = (float)(at / width), light = 110.0f;
    for (int i = 0; i < WAVES; i++) light += 20.0f * sinf(across[i] * x + down[i] * y + phase[i]);
    bool flat = false;
    for (int i = 0; i < PATCHES; i++) flat |= hypotf(x - patch[i][0], y - patch[i][1]) < patch[i][2];
    grain = 0.3f * grain + sqrtf(1.0f - 0.3f * 0.3f) * wl_normal(&r->rng);
    float coarse = flat ? 0.3f : 4.8f + 12.5f * fabsf(sinf(0.031f * x + 0.023f * y)), own = flat ? 0.3f : 2.0f;
    for (int c = 0; c < COLOURS; c++) {
      float v = light + tint[c] + coarse * grain + own * wl_normal(&r->rng);
      photo[at] = photo[at] << 8 | (v < 0.0f ? 0 : v > 255.0f ? 255 : (int)v);
    }
  }
  return photo;
}

static bool alike(int a, int b) {
  int difference = 0;
  for (int shift = 0; shift < 8 * COLOURS; shift += 8) difference += abs((a >> shift & 255) - (b >> shift & 255));
  return difference <= THRESHOLD;
}

static int *reference(struct wl_run *r, const int *photo, int width, int height) {
  int count = width * height, *label = WL_NEW(r, int, count), *stack = WL_NEW(r, int, count);
  for (int i = 0; i < count; i++) label[i] = -1;
  for (int first = 0; first < count; first++) {
    if (label[first] >= 0) continue;
    int top = 0;
    label[first] = first;
    stack[top++] = first;
    while (top > 0) {
      int at = stack[--top], row = at / width, column = at % width;
      for (int k = 0; k < 9; k++) {
        int y = row + k / 3 - 1, x = column + k % 3 - 1, other = y * width + x;
        if (y < 0 || y >= height || x < 0 || x >= width || label[other] >= 0 || !alike(photo[at], photo[other])) continue;
        label[other] = first;
        stack[top++] = other;
      }
    }
  }
  return label;
}

static bool run(struct wl_run *r) {
  static const struct { int width, height; } shapes[WL_SIZES] = {{64, 96}, {321, 481}, {640, 960}};
  int width = shapes[r->size].width, height = shapes[r->size].height, count = width * height, threshold = THRESHOLD;
  int *photo = make_photo(r, width, height);
  CUdeviceptr d_photo = WL_UP(r, photo, count), d_label = WL_DEV(r, int, count), d_reference = WL_DEV(r, int, count);
  CUdeviceptr d_changed = WL_DEV(r, uint8_t, 1);
  long side = (long)sqrt((double)count / THREADS) + 1;
  struct wl_dim grid = wl_2d(side, side), block = wl_1d(THREADS);
  WL_LAUNCH(r, "ccl_start", grid, block, 0, &d_label, &d_reference, &count);
  for (;;) {
    uint8_t changed = 0;
    WL_PUT(r, d_changed, &changed, 1);
    WL_LAUNCH(r, "ccl_scan", grid, block, 0, &d_photo, &d_label, &d_reference, &d_changed, &count, &width, &threshold);
    WL_GET(r, &changed, d_changed, 1);
    if (!changed) break;
    WL_LAUNCH(r, "ccl_analyse", grid, block, 0, &d_label, &d_reference, &count);
    WL_LAUNCH(r, "ccl_label", grid, block, 0, &d_label, &d_reference, &count);
  }
  return wl_same_i32(r, "label", WL_DOWN(r, int, d_label, count), reference(r, photo, width, height), count);
}

const struct workload wl_ccl = {
    .name = "ccl",
    .suite = "Graph",
    .pattern = "a pixel's eight neighbours, labels of those alike, chains of references",
    .sizes = {"64 x 96 pixels", "321 x 481 pixels", "640 x 960 pixels"},
    .ptx = wl_ptx_ccl,
    .run = run,
};
