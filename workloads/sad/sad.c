// Sums of absolute differences of two video frames; the reference computes every block size from the pixels.
#include "common/inputs.h"
#include "common/wl.h"
#include <stdlib.h>

WL_PTX(sad);

enum { MACRO = 16, PARTS = 16, THREADS = 128 };

struct search {
  int columns, rows, range, positions, padded;
  uint8_t *frame, *reference;
};

static int clamp(int v, int high) { return v < 0 ? 0 : v > high ? high : v; }

static int sad_of(const struct search *s, int x0, int y0, int width, int height, int position) {
  int side = 2 * s->range + 1, dx = position % side - s->range, dy = position / side - s->range, sum = 0;
  for (int y = y0; y < y0 + height; y++)
    for (int x = x0; x < x0 + width; x++) {
      int other = clamp(y + dy, s->rows - 1) * s->columns + clamp(x + dx, s->columns - 1);
      sum += abs(s->frame[y * s->columns + x] - s->reference[other]);
    }
  return sum;
}

// Compares one block's sums at every displacement.
static bool check_block(struct wl_run *r, const struct search *s, const char *what, const uint16_t *got,
                        int x, int y, int width, int height) {
  for (int p = 0; p < s->positions; p++) {
    int want = sad_of(s, x, y, width, height, p);
    if (got[p] != want)
      return wl_mismatch(r, "%s block at (%d, %d), displacement %d: got %d, want %d", what, x, y, p, got[p],
                         want);
  }
  return true;
}

// The five shapes of a block of side 2 * half, in the kernels' order.
static bool check_shapes(struct wl_run *r, const struct search *s, const uint16_t *got, int x, int y,
                         int half) {
  int whole = 2 * half;
  const uint16_t *at[5];
  for (int k = 0; k < 5; k++) at[k] = got + k * s->padded;
  return check_block(r, s, "upper", at[0], x, y, whole, half) &&
         check_block(r, s, "lower", at[1], x, y + half, whole, half) &&
         check_block(r, s, "left", at[2], x, y, half, whole) &&
         check_block(r, s, "right", at[3], x + half, y, half, whole) &&
         check_block(r, s, "whole", at[4], x, y, whole, whole);
}

static bool check_macro(struct wl_run *r, const struct search *s, int macro, const uint16_t *small,
                        const uint16_t *medium, const uint16_t *large) {
  int x = macro % (s->columns / MACRO) * MACRO, y = macro / (s->columns / MACRO) * MACRO;
  for (int part = 0; part < PARTS; part++)
    if (!check_block(r, s, "4 x 4", small + (macro * PARTS + part) * s->padded, x + part % 4 * 4,
                     y + part / 4 * 4, 4, 4))
      return false;
  for (int q = 0; q < 4; q++)
    if (!check_shapes(r, s, medium + (macro * 4 + q) * 5 * s->padded, x + q % 2 * 8, y + q / 2 * 8, 4))
      return false;
  return check_shapes(r, s, large + macro * 5 * s->padded, x, y, 8);
}

// The second frame is the first one, moved and with noise.
static void make_frames(struct wl_run *r, struct search *s) {
  int pixels = s->columns * s->rows;
  float *image = wl_image(r, s->columns, s->rows);
  s->frame = WL_NEW(r, uint8_t, pixels);
  s->reference = WL_NEW(r, uint8_t, pixels);
  for (int i = 0; i < pixels; i++) {
    s->frame[i] = (uint8_t)(image[i] * 250.0f);
    s->reference[i] =
        (uint8_t)(image[(i + 2 * s->columns + 3) % pixels] * 240.0f + (float)wl_below(&r->rng, 10));
  }
}

static bool run(struct wl_run *r) {
  static const struct search searches[WL_SIZES] = {{.columns = 32, .rows = 32, .range = 8},
                                                   {.columns = 176, .rows = 144, .range = 8},
                                                   {.columns = 176, .rows = 144, .range = 16}};
  struct search s = searches[r->size];
  s.positions = (2 * s.range + 1) * (2 * s.range + 1);
  s.padded = (s.positions + 7) / 8 * 8;
  make_frames(r, &s);
  int pixels = s.columns * s.rows, macros = pixels / (MACRO * MACRO), pairs = s.padded / 2;
  int smalls = macros * PARTS * s.padded, mediums = macros * 20 * s.padded, larges = macros * 5 * s.padded;
  CUdeviceptr d_frame = WL_UP(r, s.frame, pixels), d_reference = WL_UP(r, s.reference, pixels);
  CUdeviceptr d_small = WL_ZEROS(r, uint16_t, smalls), d_medium = WL_ZEROS(r, uint16_t, mediums);
  CUdeviceptr d_large = WL_ZEROS(r, uint16_t, larges);
  WL_LAUNCH(r, "sad_small", wl_2d(s.columns / MACRO, s.rows / MACRO), wl_1d(THREADS), 0, &d_frame,
            &d_reference, &d_small, &s.columns, &s.rows, &s.range, &s.padded);
  WL_LAUNCH(r, "sad_medium", wl_2d(macros, 4), wl_1d(THREADS), 0, &d_small, &d_medium, &pairs);
  WL_LAUNCH(r, "sad_large", wl_1d(macros), wl_1d(THREADS), 0, &d_medium, &d_large, &pairs);
  uint16_t *small = WL_DOWN(r, uint16_t, d_small, smalls), *medium = WL_DOWN(r, uint16_t, d_medium, mediums);
  uint16_t *large = WL_DOWN(r, uint16_t, d_large, larges);
  for (int m = 0; m < macros; m++)
    if (!check_macro(r, &s, m, small, medium, large)) return false;
  return true;
}

const struct workload wl_sad = {
    .name = "sad",
    .suite = "Parboil",
    .pattern =
        "overlapping byte windows of the reference frame, 16-bit results streamed through three kernels",
    .sizes = {"32 x 32 pixels, range 8", "176 x 144 pixels, range 8", "176 x 144 pixels, range 16"},
    .ptx = wl_ptx_sad,
    .run = run,
};
