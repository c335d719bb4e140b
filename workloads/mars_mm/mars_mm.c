// Matrix multiplication by map tasks: the square of a matrix of small whole numbers.
#include "common/inputs.h"
#include "mars/mapreduce.h"
#include <string.h>

WL_PTX(mars_mm);

// The records are those of the elements of the product, in the tasks' order.
static bool same(struct wl_run *r, const struct mr_records *got, const float *a, const float *columns, int n) {
  if (got->count != n * n) return wl_mismatch(r, "%d records, not %d", got->count, n * n);
  float *product = WL_NEW(r, float, n * n), *want = WL_NEW(r, float, n * n);
  for (int i = 0; i < n * n; i++) {
    const struct mr_record *record = got->record + i;
    int place[2], row = i / n, col = i % n;
    if (record->key_bytes != sizeof(float) || record->value_bytes != sizeof place) return wl_mismatch(r, "record %d has other sizes", i);
    memcpy(product + i, got->key + record->key, sizeof(float));
    memcpy(place, got->value + record->value, sizeof place);
    if (place[0] != row || place[1] != col) return wl_mismatch(r, "record %d is of row %d, column %d", i, place[0], place[1]);
    for (int k = 0; k < n; k++) want[i] += a[row * n + k] * columns[col * n + k];
  }
  return wl_near_f32(r, "product", product, want, n * n, 0.0f, 0.0f);
}

static bool run(struct wl_run *r) {
  static const int sizes[WL_SIZES] = {64, 256, 768};
  int n = sizes[r->size], count = n * n;
  float *a = WL_NEW(r, float, count), *columns = WL_NEW(r, float, count);
  for (int i = 0; i < count; i++) a[i] = columns[i % n * n + i / n] = (float)wl_below(&r->rng, 100);
  CUdeviceptr matrices[2] = {WL_UP(r, a, count), WL_UP(r, columns, count)};
  struct mr_records in = mr_room(r, count, sizeof matrices, 4 * sizeof(int));
  for (int i = 0; i < count; i++) mr_add(&in, matrices, sizeof matrices, (int[]){i / n, i % n, n, n}, 4 * sizeof(int));
  struct mr_device product = mr_map(r, "mm", mr_up(r, &in));
  struct mr_records got = mr_down(r, &product);
  return same(r, &got, a, columns, n);
}

const struct workload wl_mars_mm = {
    .name = "mm",
    .suite = "Mars",
    .pattern = "dot products by 16-byte loads: one row read by all lanes, the other 32 lines a load",
    .sizes = {"64 x 64", "256 x 256", "768 x 768"},
    .ptx = wl_ptx_mars_mm,
    .run = run,
};
