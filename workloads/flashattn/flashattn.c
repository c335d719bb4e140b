// Causal attention, checked against the plain formula.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(flashattn);

enum { DIM = 64, TILE = 32, THREADS = 128 };

static void reference(const float *q, const float *k, const float *v, int query, float scale, float *score,
                      float *out) {
  float most = -INFINITY, total = 0.0f;
  for (int j = 0; j <= query; j++) {
    float s = 0.0f;
    for (int d = 0; d < DIM; d++) s += q[query * DIM + d] * k[j * DIM + d];
    score[j] = s * scale;
    most = fmaxf(most, score[j]);
  }
  for (int j = 0; j <= query; j++) {
    float weight = expf(score[j] - most);
    total += weight;
    for (int d = 0; d < DIM; d++) out[query * DIM + d] += weight * v[j * DIM + d];
  }
  for (int d = 0; d < DIM; d++) out[query * DIM + d] /= total;
}

static bool run(struct wl_run *r) {
  static const struct { int heads, length; } shapes[WL_SIZES] = {{2, 128}, {4, 512}, {16, 1024}};
  int heads = shapes[r->size].heads, length = shapes[r->size].length;
  long count = (long)heads * length * DIM;
  float scale = 0.125f;
  float *q = wl_floats(r, count, -1.0f, 1.0f), *k = wl_floats(r, count, -1.0f, 1.0f);
  float *v = wl_floats(r, count, -1.0f, 1.0f);
  CUdeviceptr d_q = WL_UP(r, q, count), d_k = WL_UP(r, k, count), d_v = WL_UP(r, v, count);
  CUdeviceptr d_out = WL_DEV(r, float, count);
  WL_LAUNCH(r, "flash_attention", wl_2d(length / TILE, heads), wl_1d(THREADS), 0, &d_q, &d_k, &d_v, &d_out,
            &length, &scale);
  float *want = WL_NEW(r, float, count), *score = WL_NEW(r, float, length);
  for (int h = 0; h < heads; h++) {
    long at = (long)h * length * DIM;
    for (int i = 0; i < length; i++) reference(q + at, k + at, v + at, i, scale, score, want + at);
  }
  return wl_near_f32(r, "out", WL_DOWN(r, float, d_out, count), want, count, 1e-3f, 1e-4f);
}

const struct workload wl_flashattn = {
    .name = "flashattn",
    .suite = "2026",
    .pattern = "tiles of keys and values streamed through shared memory, shared by all blocks of a head",
    .sizes = {"2 heads, 128 tokens", "4 heads, 512 tokens", "16 heads, 1,024 tokens"},
    .ptx = wl_ptx_flashattn,
    .run = run,
};
