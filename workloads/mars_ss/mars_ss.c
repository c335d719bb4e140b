// Similarity scores of all pairs of documents, sorted.
#include "common/inputs.h"
#include "mars/mapreduce.h"
#include <math.h>
#include <string.h>

WL_PTX(mars_ss);

// Most similar first. The device takes scores as equal that hardly differ, so that among many such scores neighbours may be out of order by
// some times as much.
static int order(const void *with, const char *a, const char *b) {
  (void)with;
  float x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  if (fabsf(x - y) < 1e-7f) return 0;
  return x - y < 1e-6f ? 1 : -1;
}

static double dot(const float *a, const float *b, int features) {
  double sum = 0.0;
  for (int f = 0; f < features; f++) sum += (double)a[f] * (double)b[f];
  return sum;
}

// Whether the map gave each pair its score.
static bool scored(struct wl_run *r, const struct mr_records *got, const struct mr_records *in, const float *vectors, int features) {
  if (got->count != in->count) return wl_mismatch(r, "%d records, not %d", got->count, in->count);
  float *score = WL_NEW(r, float, got->count), *want = WL_NEW(r, float, got->count);
  for (int p = 0; p < got->count; p++) {
    int pair[2];
    memcpy(pair, in->value + in->record[p].value, sizeof pair);
    if (memcmp(pair, got->value + got->record[p].value, sizeof pair)) return wl_mismatch(r, "record %d is of another pair", p);
    const float *a = vectors + pair[0] * features, *b = vectors + pair[1] * features;
    want[p] = (float)(dot(a, b, features) / sqrt(dot(a, a, features) * dot(b, b, features)));
    memcpy(score + p, got->key + got->record[p].key, sizeof(float));
  }
  return wl_near_f32(r, "score", score, want, got->count, 1e-5f, 0.0f);
}

static bool run(struct wl_run *r) {
  static const struct { int documents, features; } shapes[WL_SIZES] = {{40, 64}, {192, 256}, {1024, 256}};
  int n = shapes[r->size].documents, features = shapes[r->size].features;
  float *vectors = WL_NEW(r, float, n * features);
  for (int i = 0; i < n * features; i++) vectors[i] = (float)wl_below(&r->rng, 100);
  CUdeviceptr d_vectors = WL_UP(r, vectors, n * features);
  struct mr_records in = mr_room(r, (long)n * (n - 1) / 2, sizeof d_vectors, 4 * sizeof(int));
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) mr_add(&in, &d_vectors, sizeof d_vectors, (int[]){i, j, features, 0}, 4 * sizeof(int));
  struct mr_device scores = mr_map(r, "ss", mr_up(r, &in));
  struct mr_records mapped = mr_down(r, &scores);
  struct mr_groups groups = mr_group(r, &scores);
  return scored(r, &mapped, &in, vectors, features) && mr_same(r, &scores, &groups, &mapped, order, NULL);
}

const struct workload wl_mars_ss = {
    .name = "ss",
    .suite = "Mars",
    .pattern = "dot products of vector pairs: 32 lines a load, vectors shared by many cores; sort through places",
    .sizes = {"40 documents, 64 features", "192 documents, 256 features", "1,024 documents, 256 features"},
    .ptx = wl_ptx_mars_ss,
    .run = run,
};
