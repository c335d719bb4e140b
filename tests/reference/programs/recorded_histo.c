// Saturating histogram of an image whose pixels are bin numbers, clustered around the middle row of the
// histogram.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(histo);

enum { WIDTH = 1024, ROWS = 12, BLOCKS = 42, THREADS = 512, MOST_PARTITIONS = 8 };

struct shape {
  int pixels, height, rounds;
};

static uint32_t *make_image(struct wl_run *r, const struct shape *s) {
  uint32_t *image = WL_NEW(r, uint32_t, s->pixels);
  float middle = (float)s->height / 2.0f, deviation = (float)s->height / 8.0f;
  for (int i = 0; i < s->pixels; i++) {
    int row = (int)(middle + deviation * wl_normal(&r->rng));
    int column = WIDTH / 2 + (int)((float)WIDTH / 16.0f * wl_normal(&r->rng));
    if (row < 0) row = 0;
    if (row >= s->height) row = s->height - 1;
    image[i] = (uint32_t)(row * WIDTH + column);
  }
  return image;
}

static uint8_t *reference(struct wl_run *r, const uint32_t *image, int pixels, int bins) {
  uint8_t *out = WL_NEW(r, uint8_t, bins);
  for (int i = 0; i < pixels; i++)
    if (out[image[i]] < UINT8_MAX) out[image[i]]++;
  return out;
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{16384, 24, 1}, {262144, 48, 2}, {996 * 1040, 96, 4}};
  struct shape s = shapes[r->size];
  uint32_t *image = make_image(r, &s);
  // Whole partitions are written, so the histogram has room for one more than the image needs.
  int bins = (s.height + ROWS) * WIDTH, quads = bins / 4;
  int cores = wl_cores(r), range[2] = {INT32_MAX, 0};
  CUdeviceptr d_image = WL_UP(r, image, s.pixels), d_places = WL_DEV(r, uint32_t, s.pixels);
  CUdeviceptr d_range = WL_UP(r, range, 2), d_histogram = WL_ZEROS(r, uint32_t, bins);
  CUdeviceptr d_out = WL_ZEROS(r, uint8_t, bins);
  for (int i = 0; i < s.rounds; i++) {
    WL_LAUNCH(r, "histo_prescan", wl_1d(64), wl_1d(THREADS), 0, &d_image, &s.pixels, &d_range);
    WL_GET(r, range, d_range, 2);
    int partitions = (range[1] - range[0]) / ROWS + 1;
    if (partitions > MOST_PARTITIONS) partitions = MOST_PARTITIONS;
    WL_LAUNCH(r, "histo_intermediates", wl_1d(wl_blocks(s.pixels, THREADS)), wl_1d(THREADS), 0, &d_image,
              &s.pixels, &range[0], &partitions, &d_places);
    WL_LAUNCH(r, "histo_main", wl_2d(cores, partitions), wl_1d(THREADS), 0, &d_places, &d_image, &s.pixels,
              &range[0], &d_histogram);
    WL_LAUNCH(r, "histo_final", wl_1d(BLOCKS), wl_1d(THREADS), 0, &d_histogram, &quads, &d_out);
  }
  return wl_same_u8(r, "bin", WL_DOWN(r, uint8_t, d_out, bins), reference(r, image, s.pixels, bins), bins);
}

const struct workload wl_histo = {
    .name = "histo",
    .suite = "Parboil",
    .pattern = "whole lines of pixel places read once by each partition; scattered shared and global atomics",
    .sizes = {"16,384 pixels, 1,024 x 24 bins", "262,144 pixels, 1,024 x 48 bins, 2 rounds",
              "996 x 1,040 pixels, 1,024 x 96 bins, 4 rounds"},
    .ptx = wl_ptx_histo,
    .run = run,
};
