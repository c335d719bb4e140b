// Tiled matrix multiplication.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(matrixmul);

enum { SIDE = 32 };

static bool run(struct wl_run *r) {
  static const struct {
    int height, inner, width, rounds;
  } shapes[WL_SIZES] = {{64, 128, 64, 1}, {320, 320, 320, 1}, {320, 320, 640, 4}};
  int height = shapes[r->size].height, inner = shapes[r->size].inner, width = shapes[r->size].width;
  float *a = wl_floats(r, height * inner, -1.0f, 1.0f), *b = wl_floats(r, inner * width, -1.0f, 1.0f);
  CUdeviceptr d_a = WL_UP(r, a, height * inner), d_b = WL_UP(r, b, inner * width);
  CUdeviceptr d_c = WL_DEV(r, float, height *width);
  for (int i = 0; i < shapes[r->size].rounds; i++)
    WL_LAUNCH(r, "matrix_mul", wl_2d(width / SIDE, height / SIDE), wl_2d(SIDE, SIDE), 0, &d_c, &d_a, &d_b,
              &inner, &width);
  float *want = WL_NEW(r, float, height *width);
  for (int i = 0; i < height; i++)
    for (int k = 0; k < inner; k++)
      for (int j = 0; j < width; j++) want[i * width + j] += a[i * inner + k] * b[k * width + j];
  return wl_near_f32(r, "c", WL_DOWN(r, float, d_c, height *width), want, height * width, 1e-4f, 1e-3f);
}

const struct workload wl_matrixmul = {
    .name = "matrixmul",
    .suite = "SDK",
    .pattern = "tiles through shared memory; all blocks of a row or column share their input",
    .sizes = {"64 x 128 times 128 x 64", "320 x 320 times 320 x 320", "320 x 320 times 320 x 640, 4 rounds"},
    .ptx = wl_ptx_matrixmul,
    .run = run,
};
