// Wavelet transform of a colour image: split into components, then levels on the average band of the level
// before.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(dwt2d);

enum { TX = 64, TY = 16, COMPONENTS = 3 };

static int mirror(int i, int size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

// Lifts `size` values that are `stride` apart: details to odd places, averages to even ones.
static void lift(int *v, int size, int stride) {
  for (int i = 1; i < size; i += 2)
    v[i * stride] -= (v[(i - 1) * stride] + v[mirror(i + 1, size) * stride]) >> 1;
  for (int i = 0; i < size; i += 2)
    v[i * stride] += (v[mirror(i - 1, size) * stride] + v[mirror(i + 1, size) * stride] + 2) >> 2;
}

// All levels in place of a whole image, the bands of each level in its four quarters.
static void reference(int *image, int side, int levels, int *scratch) {
  for (int level = 0, n = side; level < levels; level++, n /= 2) {
    for (int y = 0; y < n; y++) lift(image + y * side, n, 1);
    for (int x = 0; x < n; x++) lift(image + x, n, side);
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++)
        scratch[(y / 2 + (y % 2) * (n / 2)) * n + x / 2 + (x % 2) * (n / 2)] = image[y * side + x];
    for (int y = 0; y < n; y++) memcpy(image + y * side, scratch + y * n, (size_t)n * sizeof(int));
  }
}

static bool run(struct wl_run *r) {
  static const struct { int side, levels; } shapes[WL_SIZES] = {{128, 2}, {512, 3}, {1024, 3}};
  int side = shapes[r->size].side, levels = shapes[r->size].levels, count = side * side;
  float *grey = wl_image(r, side, side);
  uint8_t *pixels = WL_NEW(r, uint8_t, COMPONENTS * count);
  for (int i = 0; i < COMPONENTS * count; i++)
    pixels[i] = (uint8_t)(grey[i / COMPONENTS] * 240.0f + (float)wl_below(&r->rng, 15));

  CUdeviceptr d_pixels = WL_UP(r, pixels, COMPONENTS * count), d_out = WL_ZEROS(r, int, count);
  CUdeviceptr d_low[2] = {WL_DEV(r, int, count / 4), WL_DEV(r, int, count / 4)}, d_plane[COMPONENTS];
  for (int c = 0; c < COMPONENTS; c++) d_plane[c] = WL_DEV(r, int, count);
  WL_LAUNCH(r, "dwt_split", wl_1d(wl_blocks(count, 256)), wl_1d(256), 0, &d_pixels, &d_plane[0], &d_plane[1],
            &d_plane[2], &count);
  int *want = WL_NEW(r, int, count), *scratch = WL_NEW(r, int, count), *got = WL_NEW(r, int, count);
  for (int c = 0; c < COMPONENTS; c++) {
    CUdeviceptr from = d_plane[c];
    int n = side;
    for (int level = 0; level < levels; level++, n /= 2) {
      WL_LAUNCH(r, "dwt_level", wl_2d(n / TX, n / TY), wl_1d(TX), 0, &from, &n, &n, &d_low[level % 2], &d_out,
                &side);
      from = d_low[level % 2];
    }
    WL_GET(r, got, d_out, count);
    int *low = WL_DOWN(r, int, from, n *n);
    for (int y = 0; y < n; y++) memcpy(got + y * side, low + y * n, (size_t)n * sizeof(int));
    for (int i = 0; i < count; i++) want[i] = pixels[COMPONENTS * i + c] - 128;
    reference(want, side, levels, scratch);
    if (!wl_same_i32(r, "coefficient", got, want, count)) return false;
  }
  return true;
}

const struct workload wl_dwt2d = {
    .name = "dwt2d",
    .suite = "Rodinia",
    .pattern = "64 x 16 tiles in whole lines, with rims that the neighbouring blocks read too",
    .sizes = {"128 x 128 pixels, 2 levels", "512 x 512 pixels, 3 levels", "1,024 x 1,024 pixels, 3 levels"},
    .ptx = wl_ptx_dwt2d,
    .run = run,
};
