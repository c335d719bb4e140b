/* Long programs of linear algebra, and a sort. */
#include "common/inputs.h"
#include "long.h"

/* Conjugate gradients: sums stay on the device. The matrix is made symmetric and its diagonal large. */
static uint64_t gradients(struct wl_run *r, long steps) {
  enum { ROWS = 1 << 15, BLOCKS = 64, SUMS = 256 };
  struct wl_graph g = wl_even_graph(r, ROWS, 8);
  float *value = WL_NEW(r, float, g.edges), *b = wl_floats(r, ROWS, -1, 1);
  for (int i = 0; i < g.edges; i++) value[i] = (float)g.weight[i] / 1024.0f;
  CUdeviceptr row = WL_UP(r, g.row, ROWS + 1), col = WL_UP(r, g.col, g.edges), d_value = WL_UP(r, value, g.edges);
  CUdeviceptr x = WL_ZEROS(r, float, ROWS), rest = WL_UP(r, b, ROWS), way = WL_UP(r, b, ROWS), product = WL_DEV(r, float, ROWS);
  CUdeviceptr sums = WL_DEV(r, float, BLOCKS), old = WL_DEV(r, float, 1), now = WL_DEV(r, float, 1), along = WL_DEV(r, float, 1);
  CUdeviceptr ones = WL_DEV(r, float, BLOCKS);
  int rows = ROWS, blocks = BLOCKS, no = 0, yes = 1;
  float plus = 1, minus = -1;
  CU(r, cuMemsetD32(ones, 0x3f800000, BLOCKS));
#define DOT(a, b, to)                                                                                                  \
  WL_LAUNCH(r, "dot_blocks", wl_1d(BLOCKS), wl_1d(SUMS), 0, a, b, &sums, &rows);                                       \
  WL_LAUNCH(r, "dot_blocks", wl_1d(1), wl_1d(SUMS), 0, &sums, &ones, to, &blocks)
  DOT(&rest, &rest, &old);
  for (long s = 0; s < steps; s++) {
    LONG_LINE(r, "sparse_times", ROWS, 256, &row, &col, &d_value, &way, &product, &rows);
    DOT(&way, &product, &along);
    LONG_LINE(r, "add_scaled", ROWS, 256, &x, &way, &old, &along, &plus, &no, &rows);
    LONG_LINE(r, "add_scaled", ROWS, 256, &rest, &product, &old, &along, &minus, &no, &rows);
    DOT(&rest, &rest, &now);
    LONG_LINE(r, "add_scaled", ROWS, 256, &way, &rest, &now, &old, &plus, &yes, &rows);
    CUdeviceptr t = old;
    old = now;
    now = t;
  }
#undef DOT
  return long_sum(r, x, ROWS * sizeof(float));
}

/* A step is a row that is taken from those below it: launches become smaller. `steps` rows of a matrix with as many. */
static uint64_t elimination(struct wl_run *r, long steps) {
  int n = (int)steps;
  CUdeviceptr a = WL_UP(r, wl_dominant_matrix(r, n), (long)n * n), factors = WL_DEV(r, float, n);
  for (int k = 0; k + 1 < n; k++) {
    LONG_LINE(r, "eliminate_factors", n - k - 1, 256, &a, &factors, &n, &k);
    WL_LAUNCH(r, "eliminate_rows", wl_2d(wl_blocks(n - k, 32), wl_blocks(n - k - 1, 8)), wl_2d(32, 8), 0, &a, &factors, &n, &k);
  }
  return long_sum(r, a, (size_t)n * (size_t)n * sizeof(float));
}

/* A step sorts other keys. */
static uint64_t sorting(struct wl_run *r, long steps) {
  enum { KEYS = 1 << 18, BLOCK = 256 };
  CUdeviceptr keys = WL_DEV(r, uint32_t, KEYS);
  uint32_t *random = WL_NEW(r, uint32_t, KEYS);
  for (long s = 0; s < steps; s++) {
    for (int i = 0; i < KEYS; i++) random[i] = (uint32_t)wl_next(&r->rng);
    WL_PUT(r, keys, random, KEYS);
    for (unsigned run = 2; run <= KEYS; run *= 2)
      for (unsigned far = run / 2; far > 0; far /= 2)
        WL_LAUNCH(r, "sort_step", wl_1d(KEYS / 2 / BLOCK), wl_1d(BLOCK), 0, &keys, &far, &run);
  }
  return long_sum(r, keys, KEYS * sizeof(uint32_t));
}

const struct long_program long_matrices[] = {
    {"gradients", "conjugate gradients of 32,768 rows, a step an iteration", 1100, gradients},
    {"elimination", "Gaussian elimination, a step a row and a column", 1056, elimination},
    {"sorting", "a bitonic sort of 262,144 keys, a step a sort", 27, sorting},
    {0},
};
