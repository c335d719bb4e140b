// Saturating histogram of an image whose pixels are bin numbers, normally distributed around the middle of the histogram.
#include "common/wl.h"

WL_PTX(histo);

enum { BIN_COLUMNS = 256, BIN_ROWS = 4096, BINS = BIN_COLUMNS * BIN_ROWS, SLICE_BINS = 24 * 1024, SLICES = BINS / SLICE_BINS };
enum { SAMPLING_BLOCKS = 64, SAMPLERS = 512, PARTIALS = 14, COUNTERS = 768, CLEARED_WORDS = 4 * BINS / 4 };

struct shape {
  int width, height, rounds;
};

static uint32_t *make_image(struct wl_run *r, int pixels) {
  uint32_t *image = WL_NEW(r, uint32_t, pixels);
  for (int i = 0; i < pixels; i++) {
    int row = (int)(1919.0f + 24.0f * wl_normal(&r->rng)), column = (int)(127.7f + 28.5f * wl_normal(&r->rng));
    if (column < 0) column = 0;
    if (column >= BIN_COLUMNS) column = BIN_COLUMNS - 1;
    image[i] = (uint32_t)(row * BIN_COLUMNS + column);
  }
  return image;
}

static uint8_t *reference(struct wl_run *r, const uint32_t *image, int pixels) {
  uint8_t *out = WL_NEW(r, uint8_t, BINS);
  for (int i = 0; i < pixels; i++)
    if (out[image[i]] < UINT8_MAX) out[image[i]]++;
  return out;
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{256, 128, 1}, {512, 512, 2}, {996, 1040, 4}};
  struct shape s = shapes[r->size];
  int pixels = s.width * s.height, pairs = s.width / 2, stride = pixels / SAMPLING_BLOCKS, sampled = stride / 8;
  if (sampled < SAMPLERS) sampled = SAMPLERS; // every thread has a pixel
  uint32_t *image = make_image(r, pixels), nothing[2] = {UINT32_MAX, 0}, span[2];
  CUdeviceptr d_image = WL_UP(r, image, pixels), d_places = WL_DEV(r, uint32_t, pixels), d_span = WL_DEV(r, uint32_t, 2);
  CUdeviceptr d_partials = WL_ZEROS(r, uint8_t, (long)PARTIALS * BINS), d_rest = WL_ZEROS(r, uint16_t, BINS);
  CUdeviceptr d_overflow = WL_ZEROS(r, uint32_t, BINS), d_out = WL_ZEROS(r, uint8_t, BINS);
  for (int i = 0; i < s.rounds; i++) {
    WL_PUT(r, d_span, nothing, 2);
    WL_LAUNCH(r, "histo_prescan", wl_1d(SAMPLING_BLOCKS), wl_1d(SAMPLERS), 0, &d_image, &stride, &sampled, &d_span);
    WL_GET(r, span, d_span, 2);
    if (span[0] > span[1] || span[1] >= SLICES) wl_fail(r, "the pixels lie in slices %u to %u of %d", span[0], span[1], SLICES);
    CU(r, cuMemsetD32(d_partials, 0, CLEARED_WORDS));
    WL_LAUNCH(r, "histo_intermediates", wl_1d(wl_blocks(s.height, 16)), wl_1d(pairs), 0, &d_image, &s.height, &s.width, &pairs,
              &d_places);
    WL_LAUNCH(r, "histo_main", wl_2d(PARTIALS, span[1] - span[0] + 1), wl_1d(COUNTERS), 0, &d_places, &pixels, &span[0], &span[1],
              &d_partials, &d_rest, &d_overflow);
    WL_LAUNCH(r, "histo_final", wl_1d(42), wl_1d(512), 0, &span[0], &span[1], &d_partials, &d_rest, &d_overflow, &d_out);
  }
  return wl_same_u8(r, "bin", WL_DOWN(r, uint8_t, d_out, BINS), reference(r, image, pixels), BINS);
}

const struct workload wl_histo = {
    .name = "histo",
    .suite = "Parboil",
    .pattern = "whole lines of pixel places read once by each slice of the bins; scattered shared atomics; 14 partial histograms summed",
    .sizes = {"256 x 128 pixels, 256 x 4,096 bins", "512 x 512 pixels, 256 x 4,096 bins, 2 rounds",
              "996 x 1,040 pixels, 256 x 4,096 bins, 4 rounds"},
    .ptx = wl_ptx_histo,
    .run = run,
};
