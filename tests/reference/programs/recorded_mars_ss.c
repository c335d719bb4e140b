// Similarity scores of all pairs of documents.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(mars_ss);

enum { THREADS = 256 };

static float dot(const float *a, const float *b, int features) {
  float sum = 0.0f;
  for (int f = 0; f < features; f++) sum += a[f] * b[f];
  return sum;
}

static bool run(struct wl_run *r) {
  static const struct { int documents, features; } shapes[WL_SIZES] = {{96, 64}, {256, 128}, {1024, 256}};
  int n = shapes[r->size].documents, features = shapes[r->size].features, count = 0;
  float *vectors = wl_floats(r, (long)n * features, 0.0f, 1.0f);
  int(*pairs)[2] = wl_host(r, (size_t)n * (size_t)(n - 1) / 2, sizeof *pairs);
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++, count++) {
      pairs[count][0] = i;
      pairs[count][1] = j;
    }
  }
  CUdeviceptr d_vectors = WL_UP(r, vectors, n * features), d_lengths = WL_DEV(r, float, n);
  CUdeviceptr d_pairs = WL_UP(r, pairs, count), d_scores = WL_DEV(r, float, count);
  WL_LAUNCH(r, "ss_lengths", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &d_vectors, &n, &features,
            &d_lengths);
  WL_LAUNCH(r, "ss_scores", wl_1d(wl_blocks(count, THREADS)), wl_1d(THREADS), 0, &d_vectors, &d_lengths,
            &d_pairs, &count, &features, &d_scores);

  float *length = WL_NEW(r, float, n), *want = WL_NEW(r, float, count);
  for (int i = 0; i < n; i++)
    length[i] = sqrtf(dot(vectors + i * features, vectors + i * features, features));
  for (int p = 0; p < count; p++) {
    int i = pairs[p][0], j = pairs[p][1];
    want[p] = dot(vectors + i * features, vectors + j * features, features) / (length[i] * length[j]);
  }
  return wl_near_f32(r, "score", WL_DOWN(r, float, d_scores, count), want, count, 1e-4f, 1e-5f);
}

const struct workload wl_mars_ss = {
    .name = "ss",
    .suite = "Mars",
    .pattern = "dot products of vector pairs: 32 lines a load, vectors shared by many cores",
    .sizes = {"96 documents, 64 features", "256 documents, 128 features", "1,024 documents, 256 features"},
    .ptx = wl_ptx_mars_ss,
    .run = run,
};
