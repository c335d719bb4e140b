// Wavelet transform of a colour photograph: split into components, then levels on the average band of the level before.
#include "common/wl.h"
#include <math.h>
#include <string.h>

WL_PTX(dwt2d);

enum { ROWS = 8, COMPONENTS = 3 };

struct patch {
  float x, y, slope;
  int colour[COMPONENTS], grain;
};

// A photograph and how often it is transformed: pixels of its side and of a patch's side, percent of patches without grain, and the
// grain of the others.
struct photo {
  int side, levels, patch, plain, grain;
};

// A photograph: patches of one colour, each a little lighter to one side, some out of focus and so without grain.
static uint8_t *make_photo(struct wl_run *r, const struct photo *shape) {
  int side = shape->side, patches = side * side / (shape->patch * shape->patch);
  struct patch *all = WL_NEW(r, struct patch, patches);
  for (int i = 0; i < patches; i++) {
    bool dark = wl_below(&r->rng, 100) < 26;
    all[i].x = wl_uniform(&r->rng, 0.0f, (float)side);
    all[i].y = wl_uniform(&r->rng, 0.0f, (float)side);
    all[i].slope = wl_uniform(&r->rng, -0.02f, 0.02f);
    all[i].grain = (int)wl_below(&r->rng, 100) < shape->plain ? 1 : 2 + (int)wl_below(&r->rng, (uint32_t)shape->grain);
    for (int c = 0; c < COMPONENTS; c++) {
      bool low = dark || (c == 2 && i % 4 != 0); // there is little blue
      all[i].colour[c] = (low ? 15 : 135) + 28 * ((i + c) % COMPONENTS) + (int)wl_below(&r->rng, 30);
    }
  }
  uint8_t *pixels = WL_NEW(r, uint8_t, COMPONENTS * side * side);
  for (int at = 0; at < side * side; at++) {
    float x = (float)(at % side), y = (float)(at / side), nearest = INFINITY;
    const struct patch *p = all;
    for (int i = 0; i < patches; i++) {
      float dx = all[i].x - x, dy = all[i].y - y, away = dx * dx + dy * dy;
      if (away < nearest) nearest = away, p = &all[i];
    }
    float light = p->slope * (x - p->x + y - p->y);
    for (int c = 0; c < COMPONENTS; c++)
      pixels[COMPONENTS * at + c] = (uint8_t)fminf(255.0f, (float)p->colour[c] + light + (float)wl_below(&r->rng, (uint32_t)p->grain));
  }
  return pixels;
}

static int mirror(int i, int size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

// Lifts `size` values that are `stride` apart: details to odd places, averages to even ones.
static void lift(int *v, int size, int stride) {
  for (int i = 1; i < size; i += 2) v[i * stride] -= (v[(i - 1) * stride] + v[mirror(i + 1, size) * stride]) / 2;
  for (int i = 0; i < size; i += 2) v[i * stride] += (v[mirror(i - 1, size) * stride] + v[mirror(i + 1, size) * stride] + 2) / 4;
}

// All levels of a whole image: four bands one after the other, the first of which is the next level's image.
static void reference(int *image, int side, int levels, int *scratch) {
  for (int level = 0, n = side; level < levels; level++, n /= 2) {
    for (int x = 0; x < n; x++) lift(image + x, n, n);
    for (int y = 0; y < n; y++) lift(image + y * n, n, 1);
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) scratch[(y % 2 * 2 + x % 2) * (n / 2) * (n / 2) + y / 2 * (n / 2) + x / 2] = image[y * n + x];
    memcpy(image, scratch, (size_t)n * (size_t)n * sizeof(int));
  }
}

// One level of a square image, in windows as wide as suits it.
static void launch_level(struct wl_run *r, CUdeviceptr from, CUdeviceptr to, int side) {
  int width = side >= 960 ? 192 : side >= 480 ? 128 : 64;
  const char *kernel = width == 192 ? "dwt_level192" : width == 128 ? "dwt_level128" : "dwt_level64";
  int steps = (int)wl_blocks(side, 15 * ROWS);
  WL_LAUNCH(r, kernel, wl_2d(wl_blocks(side, width), wl_blocks(side, ROWS * steps)), wl_1d(width), 0, &from, &to, &side, &side, &steps);
}

static bool run(struct wl_run *r) {
  static const struct photo shapes[WL_SIZES] = {{128, 2, 96, 52, 8}, {512, 3, 96, 52, 8}, {1024, 3, 144, 33, 96}};
  int side = shapes[r->size].side, levels = shapes[r->size].levels, count = side * side;
  uint8_t *pixels = make_photo(r, &shapes[r->size]);
  CUdeviceptr d_pixels = WL_UP(r, pixels, COMPONENTS * count), d_plane[COMPONENTS], d_bands[COMPONENTS];
  for (int c = 0; c < COMPONENTS; c++) {
    d_plane[c] = WL_DEV(r, int, count);
    d_bands[c] = WL_DEV(r, int, count);
  }
  WL_LAUNCH(r, "dwt_split", wl_1d(wl_blocks(count, 256)), wl_1d(256), 0, &d_pixels, &d_plane[0], &d_plane[1], &d_plane[2], &count);
  int *want = WL_NEW(r, int, count), *scratch = WL_NEW(r, int, count), *got = WL_NEW(r, int, count);
  for (int c = 0; c < COMPONENTS; c++) {
    for (int level = 0, n = side; level < levels; level++, n /= 2) {
      if (level > 0) CU(r, cuMemcpyDtoD(d_plane[c], d_bands[c], (size_t)n * (size_t)n * sizeof(int)));
      launch_level(r, d_plane[c], d_bands[c], n);
    }
    WL_GET(r, got, d_bands[c], count);
    for (int i = 0; i < count; i++) want[i] = pixels[COMPONENTS * i + c] - 128;
    reference(want, side, levels, scratch);
    if (!wl_same_i32(r, "coefficient", got, want, count)) return false;
  }
  return true;
}

const struct workload wl_dwt2d = {
    .name = "dwt2d",
    .suite = "Rodinia",
    .pattern = "columns walked down in windows of 8 rows, whole lines, with rims that the neighbouring blocks read too",
    .sizes = {"128 x 128 pixels, 2 levels", "512 x 512 pixels, 3 levels", "1,024 x 1,024 pixels, 3 levels"},
    .ptx = wl_ptx_dwt2d,
    .run = run,
};
