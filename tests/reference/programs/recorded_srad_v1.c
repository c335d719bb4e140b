// Speckle-reducing anisotropic diffusion, first version: all steps on the device, the statistics by repeated
// launches of a block-wise sum.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(srad_v1);

enum { THREADS = 512 };

struct field {
  int rows, columns, count;
  float *image, *north, *south, *west, *east, *coefficient;
};

static float speckle_scale(double sum, double squares, int count) {
  double mean = sum / count, variance = squares / count - mean * mean;
  return (float)(variance / (mean * mean));
}

static void reference_step(struct field *f, float lambda) {
  int rows = f->rows, columns = f->columns;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < f->count; i++) {
    sum += (double)f->image[i];
    squares += (double)f->image[i] * (double)f->image[i];
  }
  float q0 = speckle_scale(sum, squares, f->count);
  for (int i = 0; i < f->count; i++) {
    int row = i % rows, column = i / rows;
    float here = f->image[i];
    float n = f->image[row > 0 ? i - 1 : i] - here, s = f->image[row < rows - 1 ? i + 1 : i] - here;
    float w = f->image[column > 0 ? i - rows : i] - here,
          e = f->image[column < columns - 1 ? i + rows : i] - here;
    float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
    float numerator = 0.5f * gradient - 1.0f / 16.0f * (laplace * laplace),
          denominator = 1.0f + 0.25f * laplace;
    float q = numerator / (denominator * denominator);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    f->coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
    f->north[i] = n;
    f->south[i] = s;
    f->west[i] = w;
    f->east[i] = e;
  }
  for (int i = 0; i < f->count; i++) {
    int row = i % rows, column = i / rows;
    float c = f->coefficient[i], cs = f->coefficient[row < rows - 1 ? i + 1 : i];
    float ce = f->coefficient[column < columns - 1 ? i + rows : i];
    f->image[i] += 0.25f * lambda * (c * f->north[i] + cs * f->south[i] + c * f->west[i] + ce * f->east[i]);
  }
}

// Sums of the image and of its squares: each launch leaves one value of every THREADS.
static float device_scale(struct wl_run *r, CUdeviceptr image, CUdeviceptr sums, CUdeviceptr squares,
                          int count) {
  WL_LAUNCH(r, "srad_prepare", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &image, &sums, &squares,
            &count);
  int left = count, stride = 1;
  while (left > 1) {
    long blocks = wl_blocks(left, THREADS);
    WL_LAUNCH(r, "srad_reduce", wl_1d(blocks), wl_1d(THREADS), 0, &sums, &squares, &left, &stride);
    left = (int)blocks;
    stride *= THREADS;
  }
  float sum, square;
  WL_GET(r, &sum, sums, 1);
  WL_GET(r, &square, squares, 1);
  return speckle_scale((double)sum, (double)square, count);
}

// Number of the neighbour in one direction for each row or column, itself at the border.
static CUdeviceptr neighbours(struct wl_run *r, int size, int step) {
  int *index = WL_NEW(r, int, size);
  for (int i = 0; i < size; i++) index[i] = i + step < 0 || i + step >= size ? i : i + step;
  return WL_UP(r, index, size);
}

static bool run(struct wl_run *r) {
  static const struct {
    int rows, columns, steps;
  } shapes[WL_SIZES] = {{96, 64, 2}, {502, 458, 3}, {512, 512, 20}};
  struct field f = {.rows = shapes[r->size].rows, .columns = shapes[r->size].columns};
  int rows = f.rows, count = f.count = rows * f.columns;
  float lambda = 0.5f;
  f.image = wl_image(r, rows, f.columns);
  f.north = WL_NEW(r, float, count);
  f.south = WL_NEW(r, float, count);
  f.west = WL_NEW(r, float, count);
  f.east = WL_NEW(r, float, count);
  f.coefficient = WL_NEW(r, float, count);
  for (int i = 0; i < count; i++) f.image[i] *= 255.0f;

  CUdeviceptr image = WL_UP(r, f.image, count), sums = WL_DEV(r, float, count),
              squares = WL_DEV(r, float, count);
  CUdeviceptr n = WL_DEV(r, float, count), s = WL_DEV(r, float, count), w = WL_DEV(r, float, count);
  CUdeviceptr e = WL_DEV(r, float, count), c = WL_DEV(r, float, count);
  CUdeviceptr north_row = neighbours(r, rows, -1), south_row = neighbours(r, rows, 1);
  CUdeviceptr west_column = neighbours(r, f.columns, -1), east_column = neighbours(r, f.columns, 1);
  struct wl_dim grid = wl_1d(wl_blocks(count, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "srad_extract", grid, block, 0, &image, &count);
  for (int i = 0; i < count; i++) f.image[i] = expf(f.image[i] / 255.0f);
  for (int step = 0; step < shapes[r->size].steps; step++) {
    float q0 = device_scale(r, image, sums, squares, count);
    WL_LAUNCH(r, "srad_coefficient", grid, block, 0, &rows, &count, &north_row, &south_row, &west_column,
              &east_column, &n, &s, &w, &e, &q0, &c, &image);
    WL_LAUNCH(r, "srad_update", grid, block, 0, &rows, &count, &south_row, &east_column, &n, &s, &w, &e, &c,
              &image, &lambda);
    reference_step(&f, lambda);
  }
  WL_LAUNCH(r, "srad_compress", grid, block, 0, &image, &count);
  for (int i = 0; i < count; i++) f.image[i] = logf(f.image[i]) * 255.0f;
  return wl_near_f32(r, "pixel", WL_DOWN(r, float, image, count), f.image, count, 2e-3f, 0.2f);
}

const struct workload wl_srad_v1 = {
    .name = "srad_v1",
    .suite = "Rodinia",
    .pattern = "coalesced columns, neighbours through index arrays, strided tree sums",
    .sizes = {"96 x 64 pixels, 2 steps", "502 x 458 pixels, 3 steps", "512 x 512 pixels, 20 steps"},
    .ptx = wl_ptx_srad_v1,
    .run = run,
};
