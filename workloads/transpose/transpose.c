// Transposition of a matrix by two kernels.
#include "common/inputs.h"
#include "common/wl.h"

WL_PTX(transpose);

enum { SIDE = 16, LAUNCHES = 2 };

static bool run(struct wl_run *r) {
  static const struct { int width, height; } shapes[WL_SIZES] = {{256, 128}, {1024, 1024}, {4096, 2048}};
  int width = shapes[r->size].width, height = shapes[r->size].height;
  long count = (long)width * height;
  float *in = WL_NEW(r, float, count), *want = WL_NEW(r, float, count);
  for (long i = 0; i < count; i++) in[i] = (float)i;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) want[(long)x * height + y] = in[(long)y * width + x];
  CUdeviceptr d_in = WL_UP(r, in, count);
  static const char *const kernels[] = {"transpose_naive", "transpose_tiled"};
  for (int k = 0; k < 2; k++) {
    CUdeviceptr d_out = WL_ZEROS(r, float, count);
    for (int i = 0; i < LAUNCHES; i++)
      WL_LAUNCH(r, kernels[k], wl_2d(width / SIDE, height / SIDE), wl_2d(SIDE, SIDE), 0, &d_out, &d_in, &width, &height);
    if (!wl_near_f32(r, kernels[k], WL_DOWN(r, float, d_out, count), want, count, 0.0f, 0.0f)) return false;
  }
  return true;
}

const struct workload wl_transpose = {
    .name = "transpose",
    .suite = "SDK",
    .pattern = "half-line reads with 16-line writes, then both by half lines through shared memory",
    .sizes = {"256 x 128", "1,024 x 1,024", "4,096 x 2,048"},
    .ptx = wl_ptx_transpose,
    .run = run,
};
