/* Long programs in steps of time: grids and bodies. */
#include "common/inputs.h"
#include "long.h"

static uint64_t heat(struct wl_run *r, long steps) {
  enum { SIDE = 1024 };
  int side = SIDE;
  float *first = wl_floats(r, SIDE * SIDE, 0, 100);
  CUdeviceptr a = WL_UP(r, first, SIDE * SIDE), b = WL_UP(r, first, SIDE * SIDE);
  for (long s = 0; s < steps; s++) {
    WL_LAUNCH(r, "heat_step", wl_2d(SIDE / 32, SIDE / 8), wl_2d(32, 8), 0, &a, &b, &side);
    CUdeviceptr t = a;
    a = b;
    b = t;
  }
  return long_sum(r, a, SIDE * SIDE * sizeof(float));
}

static uint64_t wave(struct wl_run *r, long steps) {
  enum { SIDE = 128, POINTS = SIDE * SIDE * SIDE };
  int side = SIDE;
  float *first = wl_floats(r, POINTS, -1, 1);
  CUdeviceptr now = WL_UP(r, first, POINTS), before = WL_UP(r, first, POINTS);
  for (long s = 0; s < steps; s++) {
    WL_LAUNCH(r, "wave_step", wl_2d(SIDE / 32, SIDE / 4), wl_2d(32, 4), 0, &now, &before, &side);
    CUdeviceptr t = now;
    now = before;
    before = t;
  }
  return long_sum(r, now, POINTS * sizeof(float));
}

static uint64_t bodies(struct wl_run *r, long steps) {
  enum { BLOCK = 256, BODIES = 8192 };
  float step = 0.001f;
  CUdeviceptr now = WL_UP(r, wl_floats(r, 4L * BODIES, 0, 1), 4L * BODIES), next = WL_DEV(r, float, 4L * BODIES);
  CUdeviceptr speed = WL_ZEROS(r, float, 4L * BODIES);
  for (long s = 0; s < steps; s++) {
    WL_LAUNCH(r, "pull", wl_1d(BODIES / BLOCK), wl_1d(BLOCK), 0, &now, &next, &speed, &step);
    CUdeviceptr t = now;
    now = next;
    next = t;
  }
  return long_sum(r, now, 4L * BODIES * sizeof(float));
}

static uint64_t clusters(struct wl_run *r, long steps) {
  enum { COUNT = 1 << 16, DIMS = 8, CENTRES = 16 };
  int count = COUNT, dims = DIMS, k = CENTRES;
  CUdeviceptr points = WL_UP(r, wl_floats(r, (long)COUNT * DIMS, 0, 1), (long)COUNT * DIMS);
  CUdeviceptr centres = WL_UP(r, wl_floats(r, CENTRES * DIMS, 0, 1), CENTRES * DIMS);
  CUdeviceptr sums = WL_DEV(r, int, CENTRES *DIMS), counts = WL_DEV(r, int, CENTRES);
  for (long s = 0; s < steps; s++) {
    CU(r, cuMemsetD32(sums, 0, CENTRES * DIMS));
    CU(r, cuMemsetD32(counts, 0, CENTRES));
    LONG_LINE(r, "nearest", COUNT, 256, &points, &centres, &sums, &counts, &count, &dims, &k);
    LONG_LINE(r, "new_centres", CENTRES * DIMS, 128, &centres, &sums, &counts, &dims, &k);
  }
  return long_sum(r, centres, CENTRES * DIMS * sizeof(float));
}

const struct long_program long_grids[] = {
    {"heat", "heat in a plate of 1,024 x 1,024 points, a step of time", 360, heat},
    {"wave", "a wave in a cube of 128 x 128 x 128 points, a step of time", 330, wave},
    {"bodies", "8,192 bodies that pull each other, a step of time", 15, bodies},
    {"clusters", "16 clusters of 65,536 points, a step an iteration", 200, clusters},
    {0},
};
