// Particle filter: each kernel's result is checked against the host's from the same inputs, since a particle
// on the edge between two pixels may fall to either side and everything after it would differ.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(particlefilter);

enum { THREADS = 512, RADIUS = 5 };

struct shape {
  int side, frames, particles;
};

struct filter {
  struct shape s;
  int blocks, disc_points, pixels;
  int disc[2 * (2 * RADIUS + 1) * (2 * RADIUS + 1)];
  uint8_t *video;
  CUdeviceptr x, y, old_x, old_y, d_disc, place, d_video, weight, partial, seed, distribution, u;
};

static void make_disc(struct filter *f) {
  for (int a = -RADIUS; a <= RADIUS; a++)
    for (int b = -RADIUS; b <= RADIUS; b++) {
      if (a * a + b * b >= RADIUS * RADIUS) continue;
      f->disc[2 * f->disc_points] = a;
      f->disc[2 * f->disc_points + 1] = b;
      f->disc_points++;
    }
}

// A bright disc on a dark ground, moving by one pixel right and two up in each frame, under noise.
static void make_video(struct wl_run *r, struct filter *f) {
  int side = f->s.side, frames = f->s.frames;
  f->pixels = side * side * frames;
  f->video = WL_NEW(r, uint8_t, f->pixels);
  for (int x = 0; x < side; x++)
    for (int y = 0; y < side; y++)
      for (int k = 0; k < frames; k++) {
        int dx = x - side / 2 - k, dy = y - side / 2 + 2 * k;
        int level = dx * dx + dy * dy < RADIUS * RADIUS ? 228 : 100;
        level += (int)(5.0f * wl_normal(&r->rng));
        f->video[(x * side + y) * frames + k] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
      }
}

static float weigh(const struct filter *f, float x, float y, int frame) {
  float sum = 0.0f;
  for (int p = 0; p < f->disc_points; p++) {
    int px = (int)roundf(x) + f->disc[2 * p + 1], py = (int)roundf(y) + f->disc[2 * p];
    int at = px * f->s.side * f->s.frames + py * f->s.frames + frame;
    if (at < 0) at = -at;
    float v = (float)f->video[at < f->pixels ? at : 0];
    sum += ((v - 100.0f) * (v - 100.0f) - (v - 228.0f) * (v - 228.0f)) / 50.0f;
  }
  return expf(sum / (float)f->disc_points - 300.0f) / (float)f->s.particles;
}

static float uniform(int *seed) {
  *seed = (int)((1103515245u * (unsigned)*seed + 12345u) & 0x7fffffffu);
  return ((float)*seed + 1.0f) / 2147483648.0f;
}

static float normal(int *seed) {
  float u = uniform(seed), v = uniform(seed);
  return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

// The moves and the raw weights, from the generation before and its seeds.
static bool check_likelihood(struct wl_run *r, const struct filter *f, int frame, const float *old_x,
                             int *seed) {
  int n = f->s.particles;
  float *x = WL_DOWN(r, float, f->x, n), *y = WL_DOWN(r, float, f->y, n),
        *got = WL_DOWN(r, float, f->weight, n);
  float *moved = WL_NEW(r, float, n), *want = WL_NEW(r, float, n);
  for (int i = 0; i < n; i++) {
    moved[i] = old_x[i] + 1.0f + 5.0f * normal(&seed[i]);
    want[i] = weigh(f, x[i], y[i], frame);
  }
  return wl_near_f32(r, "moved x", x, moved, n, 1e-4f, 1e-3f) &&
         wl_near_f32(r, "weight", got, want, n, 2e-3f, 1e-30f);
}

// Normalised weights, distribution and next generation.
static bool check_resampling(struct wl_run *r, const struct filter *f, const float *raw) {
  int n = f->s.particles;
  float *weight = WL_DOWN(r, float, f->weight, n), *distribution = WL_DOWN(r, float, f->distribution, n);
  float *u = WL_DOWN(r, float, f->u, n), *x = WL_DOWN(r, float, f->x, n),
        *next = WL_DOWN(r, float, f->old_x, n);
  float *want = WL_NEW(r, float, n);
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += (double)raw[i];
  for (int i = 0; i < n; i++) want[i] = (float)((double)raw[i] / sum);
  if (!wl_near_f32(r, "normalised weight", weight, want, n, 1e-3f, 1e-30f)) return false;
  double running = 0.0;
  for (int i = 0; i < n; i++) want[i] = (float)(running += (double)weight[i]);
  if (!wl_near_f32(r, "distribution", distribution, want, n, 1e-3f, 1e-6f)) return false;
  for (int i = 0, k = 0; i < n; i++) {
    while (k < n - 1 && distribution[k] < u[i]) k++;
    want[i] = x[k];
  }
  return wl_near_f32(r, "next x", next, want, n, 0.0f, 0.0f);
}

static bool frame_step(struct wl_run *r, struct filter *f, int frame) {
  int n = f->s.particles;
  float *old_x = WL_DOWN(r, float, f->old_x, n);
  int *seed = WL_DOWN(r, int, f->seed, n);
  struct wl_dim grid = wl_1d(f->blocks), block = wl_1d(THREADS);
  WL_LAUNCH(r, "pf_likelihood", grid, block, 0, &f->x, &f->y, &f->old_x, &f->old_y, &f->d_disc,
            &f->disc_points, &f->place, &f->d_video, &f->weight, &f->partial, &f->seed, &n, &frame,
            &f->s.side, &f->s.frames, &f->pixels);
  if (!check_likelihood(r, f, frame, old_x, seed)) return false;
  float *raw = WL_DOWN(r, float, f->weight, n);
  WL_LAUNCH(r, "pf_sum", wl_1d(1), wl_1d(32), 0, &f->partial, &f->blocks);
  WL_LAUNCH(r, "pf_normalize", grid, block, 0, &f->weight, &f->partial, &n);
  WL_LAUNCH(r, "pf_cumulate", wl_1d(1), block, 0, &f->weight, &f->distribution, &f->u, &f->seed, &n);
  WL_LAUNCH(r, "pf_find_index", grid, block, 0, &f->x, &f->y, &f->distribution, &f->u, &f->old_x, &f->old_y,
            &n);
  return check_resampling(r, f, raw);
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{128, 2, 1000}, {128, 5, 1000}, {128, 10, 1000}};
  struct filter f = {.s = shapes[r->size]};
  int n = f.s.particles;
  f.blocks = (int)wl_blocks(n, THREADS);
  make_disc(&f);
  make_video(r, &f);
  float *start = WL_NEW(r, float, n);
  int *seed = wl_ints(r, n, 1, INT32_MAX);
  for (int i = 0; i < n; i++) start[i] = (float)(f.s.side / 2);
  f.x = WL_DEV(r, float, n);
  f.y = WL_DEV(r, float, n);
  f.old_x = WL_UP(r, start, n);
  f.old_y = WL_UP(r, start, n);
  f.d_disc = WL_UP(r, f.disc, 2 * f.disc_points);
  f.place = WL_DEV(r, int, n *f.disc_points);
  f.d_video = WL_UP(r, f.video, f.pixels);
  f.weight = WL_DEV(r, float, n);
  f.partial = WL_DEV(r, float, f.blocks);
  f.seed = WL_UP(r, seed, n);
  f.distribution = WL_DEV(r, float, n);
  f.u = WL_DEV(r, float, n);
  for (int frame = 1; frame < f.s.frames; frame++)
    if (!frame_step(r, &f, frame)) return false;
  return true;
}

const struct workload wl_particlefilter = {
    .name = "particlefilter",
    .suite = "Rodinia",
    .pattern = "particle-major strided arrays, scattered pixels, then every thread scans one array",
    .sizes = {"128 x 128 x 2 video, 1,000 particles", "128 x 128 x 5 video, 1,000 particles",
              "128 x 128 x 10 video, 1,000 particles"},
    .ptx = wl_ptx_particlefilter,
    .run = run,
};
