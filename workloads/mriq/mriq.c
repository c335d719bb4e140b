// MRI Q matrix.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(mriq);

enum { CHUNK = 1024, THREADS = 256 };

struct voxels {
  float *x, *y, *z;
};

// The first coordinate of the first voxels: it swings to and fro and dies away.
static float swing(int i, float length) {
  float turn = (float)i * 0.165f, fade = (float)i / length;
  return 3.08f * (i ? sinf(turn) / turn : 1.0f) * expf(-fade * fade);
}

// As in the suite's small data set: two coordinates are on a grid of 32.
static void make_small_set(const struct voxels *v, int n) {
  for (int i = 0; i < n; i++) {
    v->x[i] = swing(i, (float)n * 0.045f);
    v->y[i] = -0.5f + (float)(i % 32) / 32.0f;
    v->z[i] = -0.5f + (float)(i / 32 % 32) / 32.0f;
  }
}

// As in its large one: a grid of 64, but that in the first plane, where the first coordinate swings, the others rise with it.
static void make_large_set(const struct voxels *v, int n) {
  enum { SIDE = 64, PLANE = SIDE * SIDE, SWINGING = 2149 };
  for (int i = 0; i < n; i++) {
    int along = i % SIDE, row = i / SIDE % SIDE;
    v->x[i] = i < SWINGING ? swing(i, 700.0f) : -0.5f + (float)along / SIDE;
    v->y[i] = -0.5f + (float)(i < PLANE ? along : row) / SIDE;
    v->z[i] = -0.5f + (float)(i < PLANE ? row : i / PLANE) / SIDE;
  }
}

static bool run(struct wl_run *r) {
  static const struct {
    int voxels, samples;
  } shapes[WL_SIZES] = {{2048, 32}, {16384, 128}, {64 * 64 * 64, 2048}};
  int n = shapes[r->size].voxels, samples = shapes[r->size].samples;
  float *x = WL_NEW(r, float, n), *y = WL_NEW(r, float, n), *z = WL_NEW(r, float, n);
  bool large = r->size == WL_PAPER;
  (large ? make_large_set : make_small_set)(&(const struct voxels){x, y, z}, n);
  float *phi_r = WL_NEW(r, float, samples), *phi_i = WL_NEW(r, float, samples), *place = WL_NEW(r, float, 3 * samples);
  for (int s = 0; s < samples; s++) { // a spiral
    float step = large ? 1.0f / 16 : 1.0f, turn = (float)s * step * 0.35f, radius = 0.024f + 0.12f * step * (float)s;
    phi_r[s] = large ? 0.484375f : s % 2 ? 0.34375f : 0.3125f;
    phi_i[s] = large ? 0.484375f : wl_below(&r->rng, 2) ? 0.40625f : 0.375f;
    place[3 * s] = s ? 0.7f * radius * cosf(turn) : 0.0f;
    place[3 * s + 1] = s ? radius * sinf(turn) : 0.0f;
    place[3 * s + 2] = 0.05f * place[3 * s];
  }
  CUdeviceptr d_r = WL_UP(r, phi_r, samples), d_i = WL_UP(r, phi_i, samples), d_m = WL_DEV(r, float, samples);
  CUdeviceptr d_x = WL_UP(r, x, n), d_y = WL_UP(r, y, n), d_z = WL_UP(r, z, n);
  CUdeviceptr d_qr = WL_ZEROS(r, float, n), d_qi = WL_ZEROS(r, float, n);
  WL_LAUNCH(r, "mriq_magnitude", wl_1d(wl_blocks(samples, 512)), wl_1d(512), 0, &d_r, &d_i, &d_m, &samples);
  float *magnitude = WL_DOWN(r, float, d_m, samples);
  float(*k)[4] = wl_host(r, (size_t)samples, sizeof *k);
  for (int s = 0; s < samples; s++) {
    for (int d = 0; d < 3; d++) k[s][d] = place[3 * s + d];
    k[s][3] = magnitude[s];
  }
  for (int from = 0; from < samples; from += CHUNK) {
    int count = samples - from < CHUNK ? samples - from : CHUNK;
    wl_put_symbol(r, "k_values", k[from], (size_t)count * sizeof *k);
    WL_LAUNCH(r, "mriq_q", wl_1d(wl_blocks(n, THREADS)), wl_1d(THREADS), 0, &samples, &from, &d_x, &d_y,
              &d_z, &d_qr, &d_qi);
  }
  float *want_r = WL_NEW(r, float, n), *want_i = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++)
    for (int s = 0; s < samples; s++) {
      float m = phi_r[s] * phi_r[s] + phi_i[s] * phi_i[s];
      float angle = 6.2831853071f * (k[s][0] * x[i] + k[s][1] * y[i] + k[s][2] * z[i]);
      want_r[i] += m * cosf(angle);
      want_i[i] += m * sinf(angle);
    }
  return wl_near_f32(r, "real part", WL_DOWN(r, float, d_qr, n), want_r, n, 1e-3f, 1e-2f) &&
         wl_near_f32(r, "imaginary part", WL_DOWN(r, float, d_qi, n), want_i, n, 1e-3f, 1e-2f);
}

const struct workload wl_mriq = {
    .name = "mri-q",
    .suite = "Parboil",
    .pattern = "samples from constant memory, voxels once in whole lines; nearly all arithmetic",
    .sizes = {"2,048 voxels, 32 samples", "16,384 voxels, 128 samples", "64 x 64 x 64 voxels, 2,048 samples"},
    .ptx = wl_ptx_mriq,
    .run = run,
};
