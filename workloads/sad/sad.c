// Sums of absolute differences of two video frames; the reference computes every shape of block from the pixels.
#include "common/wl.h"
#include <math.h>
#include <stdlib.h>

WL_PTX(sad);

enum { MACRO = 16, EDGE = 4, RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = (POSITIONS + 7) / 8 * 8, BLOCKS = 41 };
enum { SMALL_THREADS = 61, SHAPES = 7 };

struct search {
  int columns, rows;
  uint16_t *frame, *reference;
};

static int clamp(int v, int high) { return v < 0 ? 0 : v > high ? high : v; }

static int sad_of(const struct search *s, int x0, int y0, int width, int height, int position) {
  int dx = position % SIDE - RANGE, dy = position / SIDE - RANGE, sum = 0;
  for (int y = y0; y < y0 + height; y++)
    for (int x = x0; x < x0 + width; x++)
      sum += abs(s->frame[y * s->columns + x] - s->reference[clamp(y + dy, s->rows - 1) * s->columns + clamp(x + dx, s->columns - 1)]);
  return sum;
}

// Compares one block's sums at every displacement.
static bool check_block(struct wl_run *r, const struct search *s, const uint16_t *got, int x, int y, int width, int height) {
  for (int p = 0; p < POSITIONS; p++) {
    int want = sad_of(s, x, y, width, height, p);
    if (got[p] == want) continue;
    return wl_mismatch(r, "%d x %d block at (%d, %d), displacement %d: got %d, want %d", width, height, x, y, p, got[p], want);
  }
  return true;
}

static bool check_all(struct wl_run *r, const struct search *s, const uint16_t *got) {
  static const struct {
    int width, height;
  } shapes[SHAPES] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}};
  int across = s->columns / MACRO, macros = across * (s->rows / MACRO);
  for (int k = 0; k < SHAPES; k++) {
    int width = shapes[k].width, height = shapes[k].height, a_row = MACRO / width, blocks = a_row * (MACRO / height);
    for (int i = 0; i < macros * blocks; i++, got += PADDED) {
      int macro = i / blocks, block = i % blocks;
      int x = macro % across * MACRO + block % a_row * width, y = macro / across * MACRO + block / a_row * height;
      if (!check_block(r, s, got, x, y, width, height)) return false;
    }
  }
  return true;
}

// What the camera sees: a bright wall, and something darker before it.
static float scene(float x, float y) {
  if (x + 12.0f * sinf(y * 0.06f) < 90.0f) return fmodf(x + 0.7f * y, 11.0f) < 2.0f ? 150.0f : 206.0f; // with grooves
  return 132.0f + 30.0f * sinf(x * 0.16f + y * 0.05f) + 26.0f * sinf(y * 0.13f) + 22.0f * sinf(x * 0.5f - y * 0.43f);
}

static uint16_t pixel(struct wl_run *r, float light, float grain) {
  light += grain * wl_normal(&r->rng);
  return (uint16_t)(light < 19.0f ? 19.0f : light > 255.0f ? 255.0f : light);
}

// The frame is the next one of the video: a little has moved.
static void make_frames(struct wl_run *r, struct search *s) {
  s->frame = WL_NEW(r, uint16_t, s->columns *s->rows);
  s->reference = WL_NEW(r, uint16_t, s->columns *s->rows);
  for (int y = 0; y < s->rows; y++)
    for (int x = 0; x < s->columns; x++) {
      s->reference[y * s->columns + x] = pixel(r, scene((float)x, (float)y), 2.0f);
      s->frame[y * s->columns + x] = pixel(r, scene((float)x + 0.6f, (float)y + 0.3f), 2.0f);
    }
}

static bool run(struct wl_run *r) {
  static const struct search searches[WL_SIZES] = {
      {.columns = 48, .rows = 32}, {.columns = 176, .rows = 144}, {.columns = 176, .rows = 144}};
  struct search s = searches[r->size];
  make_frames(r, &s);
  int pixels = s.columns * s.rows, across = s.columns / MACRO, down = s.rows / MACRO, results = across * down * BLOCKS * PADDED;
  CUdeviceptr d_frame = WL_UP(r, s.frame, pixels), d_sads = WL_ZEROS(r, uint16_t, results);
  CUtexObject reference = wl_picture(r, s.reference, CU_AD_FORMAT_UNSIGNED_INT16, 1, s.columns, s.rows);
  WL_LAUNCH(r, "sad_small", wl_2d(s.columns / EDGE, s.rows / EDGE), wl_1d(SMALL_THREADS), PADDED * sizeof(uint16_t), &d_sads, &d_frame,
            &across, &down, &reference);
  WL_LAUNCH(r, "sad_medium", wl_2d(across, down), wl_2d(32, 4), 0, &d_sads);
  WL_LAUNCH(r, "sad_large", wl_2d(across, down), wl_1d(32), 0, &d_sads);
  return check_all(r, &s, WL_DOWN(r, uint16_t, d_sads, results));
}

const struct workload wl_sad = {
    .name = "sad",
    .suite = "Parboil",
    .pattern = "overlapping windows of a texture, lanes half a row apart; 16-bit results streamed through three kernels",
    .sizes = {"48 x 32 pixels, range 16", "176 x 144 pixels, range 16", "176 x 144 pixels, range 16"},
    .ptx = wl_ptx_sad,
    .run = run,
};
