// Speckle-reducing anisotropic diffusion, second version: the host computes the speckle scale of a quiet
// region before each step, the device diffuses.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(srad_v2);

enum { TILE = 16 };

struct field {
  int columns, rows;
  float *image, *north, *south, *west, *east, *coefficient;
};

// Squared coefficient of variation of the upper left corner, a quarter of the sides.
static float speckle_scale(const float *image, int columns, int rows) {
  double sum = 0.0, squares = 0.0;
  for (int y = 0; y < rows / 4; y++)
    for (int x = 0; x < columns / 4; x++) {
      double v = (double)image[y * columns + x];
      sum += v;
      squares += v * v;
    }
  double count = (double)(rows / 4) * (double)(columns / 4), mean = sum / count;
  return (float)((squares / count - mean * mean) / (mean * mean));
}

static void reference_step(struct field *f, float q0, float lambda) {
  int columns = f->columns, rows = f->rows;
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      int i = y * columns + x;
      float here = f->image[i];
      float n = f->image[y > 0 ? i - columns : i] - here, s = f->image[y < rows - 1 ? i + columns : i] - here;
      float w = f->image[x > 0 ? i - 1 : i] - here, e = f->image[x < columns - 1 ? i + 1 : i] - here;
      float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
      float numerator = (float)(0.5 * (double)gradient - 1.0 / 16.0 * (double)(laplace * laplace));
      float denominator = (float)(1.0 + 0.25 * (double)laplace), q = numerator / (denominator * denominator);
      float c = (float)(1.0 / (1.0 + (double)((q - q0) / (q0 * (1.0f + q0)))));
      f->coefficient[i] = fminf(fmaxf(c, 0.0f), 1.0f);
      f->north[i] = n;
      f->south[i] = s;
      f->west[i] = w;
      f->east[i] = e;
    }
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < columns; x++) {
      int i = y * columns + x;
      float c = f->coefficient[i], cs = f->coefficient[y < rows - 1 ? i + columns : i];
      float ce = f->coefficient[x < columns - 1 ? i + 1 : i];
      float divergence = c * f->north[i] + cs * f->south[i] + c * f->west[i] + ce * f->east[i];
      f->image[i] = (float)((double)f->image[i] + 0.25 * (double)lambda * (double)divergence);
    }
}

static bool run(struct wl_run *r) {
  static const struct { int side, steps; } shapes[WL_SIZES] = {{64, 2}, {512, 2}, {2048, 2}};
  int side = shapes[r->size].side, pixels = side * side;
  float lambda = 0.5f;
  struct field f = {.columns = side, .rows = side, .image = wl_floats(r, pixels, 0.0f, 1.0f)};
  for (int i = 0; i < pixels; i++) f.image[i] = expf(f.image[i]);
  f.north = WL_NEW(r, float, pixels);
  f.south = WL_NEW(r, float, pixels);
  f.west = WL_NEW(r, float, pixels);
  f.east = WL_NEW(r, float, pixels);
  f.coefficient = WL_NEW(r, float, pixels);

  // A row in front and one behind: what is fetched there is not used.
  size_t rim = (size_t)side * sizeof(float);
  CUdeviceptr d_image = WL_ZEROS(r, float, pixels + 2 * side) + rim, d_coefficient = WL_ZEROS(r, float, pixels + 2 * side) + rim;
  WL_PUT(r, d_image, f.image, pixels);
  CUdeviceptr d_n = WL_DEV(r, float, pixels), d_s = WL_DEV(r, float, pixels);
  CUdeviceptr d_w = WL_DEV(r, float, pixels), d_e = WL_DEV(r, float, pixels);
  struct wl_dim grid = wl_2d(side / TILE, side / TILE), block = wl_2d(TILE, TILE);
  float *image = WL_NEW(r, float, pixels);
  for (int i = 0; i < shapes[r->size].steps; i++) {
    WL_GET(r, image, d_image, pixels);
    float q0 = speckle_scale(image, side, side);
    WL_PUT(r, d_image, image, pixels);
    WL_LAUNCH(r, "srad_coefficient", grid, block, 0, &d_e, &d_w, &d_n, &d_s, &d_image, &d_coefficient, &side,
              &side, &q0);
    WL_LAUNCH(r, "srad_update", grid, block, 0, &d_e, &d_w, &d_n, &d_s, &d_image, &d_coefficient, &side,
              &side, &lambda);
    reference_step(&f, speckle_scale(f.image, side, side), lambda);
  }
  WL_GET(r, image, d_image, pixels);
  return wl_near_f32(r, "pixel", image, f.image, pixels, 1e-3f, 1e-4f);
}

const struct workload wl_srad_v2 = {
    .name = "srad_v2",
    .suite = "Rodinia",
    .pattern = "16 x 16 tiles: half-line rows, and column rims that use four bytes of a line",
    .sizes = {"64 x 64 pixels, 2 steps", "512 x 512 pixels, 2 steps", "2,048 x 2,048 pixels, 2 steps"},
    .ptx = wl_ptx_srad_v2,
    .run = run,
};
