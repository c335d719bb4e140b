// The first convolution of SqueezeNet on one image.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(squeezenet);

enum { SIDE = 227, SIDE1 = 111, KERNEL = 7, STEP = 2, PLANE = KERNEL * KERNEL, PIXELS = SIDE * SIDE };

static double value(int *const colours[3], const double *weights, int row, int column) {
  double sum = 0;
  for (int k = 0; k < PLANE; k++) {
    int pixel = (row * STEP + k / KERNEL) * SIDE + column * STEP + k % KERNEL;
    for (int c = 0; c < 3; c++) sum += colours[c][pixel] * weights[c * PLANE + k];
  }
  return sum < 0 ? 0 : sum;
}

static bool run(struct wl_run *r) {
  static const struct { int maps, columns; } shapes[WL_SIZES] = {{1, 30}, {10, SIDE1}, {96, SIDE1}};
  int maps = shapes[r->size].maps, columns = shapes[r->size].columns, *photo = wl_photo(r, SIDE, SIDE), *colours[3];
  CUdeviceptr d_colours[3];
  for (int c = 0; c < 3; c++) {
    colours[c] = WL_NEW(r, int, PIXELS);
    for (int i = 0; i < PIXELS; i++) colours[c][i] = photo[3 * i + c];
    d_colours[c] = WL_UP(r, colours[c], PIXELS);
  }
  double *weights = WL_NEW(r, double, maps * 3 * PLANE), *want = WL_NEW(r, double, maps *SIDE1 *SIDE1);
  for (int i = 0; i < maps * 3 * PLANE; i++) weights[i] = 0.04 * (double)wl_normal(&r->rng);
  CUdeviceptr d_weights = WL_UP(r, weights, maps * 3 * PLANE), d_out = WL_ZEROS(r, double, maps *SIDE1 *SIDE1);
  WL_LAUNCH(r, "squeezenet_first", wl_1d(columns), wl_1d(SIDE1), 0, &d_weights, &d_colours[0], &d_colours[1],
            &d_colours[2], &d_out, &maps);
  for (int i = 0; i < maps * SIDE1 * SIDE1; i++)
    want[i] = i % SIDE1 >= columns ? 0 : value(colours, weights + i / (SIDE1 * SIDE1) * 3 * PLANE, i / SIDE1 % SIDE1, i % SIDE1);
  return wl_near_f64(r, "first", WL_DOWN(r, double, d_out, maps *SIDE1 *SIDE1), want, maps * SIDE1 * SIDE1, 1e-9, 1e-9);
}

const struct workload wl_squeezenet = {
    .name = "squeezenet",
    .suite = "Tango",
    .pattern = "direct convolution in double precision, a lane a row: 32 lines a load, all blocks walk the same image",
    .sizes = {"227 x 227 image, 1 map, 30 columns", "227 x 227 image, 10 maps", "227 x 227 image, 96 maps"},
    .ptx = wl_ptx_squeezenet,
    .run = run,
};
