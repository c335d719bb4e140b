// Matrix multiplication on the tensor cores. The inputs are bf16 numbers, so the host has them exactly.
#include "common/inputs.h"
#include "common/wl.h"
#include <string.h>

WL_PTX(tcgemm);

enum { TILE = 64, THREADS = 128 };

// Random numbers rounded to bf16, as bits and as what they mean.
static uint16_t *make_bf16(struct wl_run *r, long count, float *meaning) {
  uint16_t *bits = WL_NEW(r, uint16_t, count);
  for (long i = 0; i < count; i++) {
    float x = wl_uniform(&r->rng, -1.0f, 1.0f);
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    word &= 0xffff0000u;
    memcpy(&meaning[i], &word, sizeof word);
    bits[i] = (uint16_t)(word >> 16);
  }
  return bits;
}

// Checks one row in every `stride`, which is odd, so that all places of a tile are met.
static bool check(struct wl_run *r, const float *a, const float *b, const float *got, int n, int stride) {
  float *want = WL_NEW(r, float, n);
  for (int row = 0; row < n; row += stride) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < n; k++) sum += a[(long)row * n + k] * b[(long)j * n + k];
      want[j] = sum;
    }
    if (!wl_near_f32(r, "row", got + (long)row * n, want, n, 1e-3f, 1e-2f)) return false;
  }
  return true;
}

static bool run(struct wl_run *r) {
  static const struct { int n, stride; } shapes[WL_SIZES] = {{256, 1}, {1024, 7}, {2048, 33}};
  int n = shapes[r->size].n;
  long count = (long)n * n;
  float *a = WL_NEW(r, float, count), *b = WL_NEW(r, float, count);
  uint16_t *bits_a = make_bf16(r, count, a), *bits_b = make_bf16(r, count, b);
  CUdeviceptr d_a = WL_UP(r, bits_a, count), d_b = WL_UP(r, bits_b, count), d_c = WL_DEV(r, float, count);
  WL_LAUNCH(r, "tc_gemm", wl_2d(n / TILE, n / TILE), wl_1d(THREADS), 0, &d_a, &d_b, &d_c, &n, &n);
  return check(r, a, b, WL_DOWN(r, float, d_c, count), n, shapes[r->size].stride);
}

const struct workload wl_tcgemm = {
    .name = "tcgemm",
    .suite = "2026",
    .pattern = "asynchronous 16-byte copies into shared memory, tensor-core products from there",
    .sizes = {"256 x 256", "1,024 x 1,024", "2,048 x 2,048"},
    .ptx = wl_ptx_tcgemm,
    .run = run,
};
