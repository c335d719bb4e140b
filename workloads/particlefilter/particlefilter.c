// Particle filter: each kernel's result is checked against the host's from the same inputs, since a particle
// on the edge between two pixels may fall to either side and everything after it would differ.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(particlefilter);

enum { THREADS = 512, RADIUS = 5, FIRST_SECOND = 1699999999 };

struct shape {
  int side, frames, particles;
};

struct filter {
  struct shape s;
  int blocks, disc_points, pixels;
  int disc[2 * (2 * RADIUS + 1) * (2 * RADIUS + 1)];
  uint8_t *video;
  CUdeviceptr x, y, old_x, old_y, d_disc, place, d_video, likelihood, weight, partial, seed, distribution, u;
};

static void make_disc(struct filter *f) {
  for (int a = -RADIUS; a <= RADIUS; a++)
    for (int b = -RADIUS; b <= RADIUS; b++) {
      if (a * a + b * b >= RADIUS * RADIUS) continue;
      f->disc[2 * f->disc_points] = b;
      f->disc[2 * f->disc_points + 1] = a;
      f->disc_points++;
    }
}

static double uniform(int *seed) {
  *seed = (int)(1103515245u * (unsigned)*seed + 12345u) % INT32_MAX;
  return fabs(*seed / (double)INT32_MAX);
}

static double normal(int *seed) {
  double u = uniform(seed), v = uniform(seed);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

// A bright disc on a dark ground that from the second frame on moves by two pixels up and one right a frame, under noise.
static void make_video(struct wl_run *r, struct filter *f, int *seed) {
  int side = f->s.side, frames = f->s.frames;
  f->pixels = side * side * frames;
  f->video = WL_NEW(r, uint8_t, f->pixels);
  for (int x = 0; x < side; x++)
    for (int y = 0; y < side; y++)
      for (int k = 0; k < frames; k++) {
        int moves = k > 0 ? k - 1 : 0, dx = x - side / 2 + 2 * moves, dy = y - side / 2 - moves;
        int level = dx * dx + dy * dy < RADIUS * RADIUS ? 228 : 100;
        f->video[(x * side + y) * frames + k] = (uint8_t)(level + (int)(5.0 * normal(seed)));
      }
}

static double weigh(const struct filter *f, double x, double y, int frame) {
  double sum = 0;
  for (int p = 0; p < f->disc_points; p++) {
    int px = (int)x + f->disc[2 * p + 1], py = (int)y + f->disc[2 * p];
    int at = px * f->s.side * f->s.frames + py * f->s.frames + frame;
    if (at < 0) at = -at;
    double v = (double)f->video[at < f->pixels ? at : 0];
    sum += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50.0;
  }
  return exp(sum / f->disc_points) / f->s.particles;
}

// The moves and the raw weights, from the generation before and its seeds.
static bool check_likelihood(struct wl_run *r, const struct filter *f, int frame, const double *old_x, int *seed) {
  int n = f->s.particles;
  double *x = WL_DOWN(r, double, f->x, n), *y = WL_DOWN(r, double, f->y, n), *got = WL_DOWN(r, double, f->weight, n);
  double *moved = WL_NEW(r, double, n), *want = WL_NEW(r, double, n);
  for (int i = 0; i < n; i++) {
    moved[i] = old_x[i] + 1.0 + 5.0 * normal(&seed[i]);
    want[i] = weigh(f, x[i], y[i], frame);
  }
  return wl_near_f64(r, "moved x", x, moved, n, 1e-12, 1e-12) && wl_near_f64(r, "weight", got, want, n, 1e-9, 0.0);
}

// Normalised weights and their distribution, and the next generation from the points that were searched: those of the
// block that does not wait may start from the last frame's.
static bool check_resampling(struct wl_run *r, const struct filter *f, const double *raw) {
  int n = f->s.particles;
  double *weight = WL_DOWN(r, double, f->weight, n), *distribution = WL_DOWN(r, double, f->distribution, n);
  double *u = WL_DOWN(r, double, f->u, n), *x = WL_DOWN(r, double, f->x, n), *next = WL_DOWN(r, double, f->old_x, n);
  double *want = WL_NEW(r, double, n), sum = 0, spacing = 1 / (double)n;
  for (int i = 0; i < n; i++) sum += raw[i];
  for (int i = 0; i < n; i++) want[i] = raw[i] / sum;
  if (!wl_near_f64(r, "normalised weight", weight, want, n, 1e-9, 0.0)) return false;
  if (distribution[0] != weight[0]) return wl_mismatch(r, "the distribution starts at %g", distribution[0]);
  for (int i = 1; i < n; i++)
    if (distribution[i] < distribution[i - 1]) return wl_mismatch(r, "the distribution falls at %d", i);
  for (int i = 1; i < n; i++) {
    double first = i < THREADS ? u[0] : u[THREADS] - THREADS * spacing;
    if (fabs(u[i] - first - i * spacing) > 1e-12) return wl_mismatch(r, "point %d is at %g", i, u[i]);
  }
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < n - 1 && distribution[k] < u[i]) k++;
    want[i] = x[k];
  }
  return wl_near_f64(r, "next x", next, want, n, 0.0, 0.0);
}

static bool frame_step(struct wl_run *r, struct filter *f, int frame) {
  int n = f->s.particles;
  double *old_x = WL_DOWN(r, double, f->old_x, n);
  int *seed = WL_DOWN(r, int, f->seed, n);
  struct wl_dim grid = wl_1d(f->blocks), block = wl_1d(THREADS);
  WL_LAUNCH(r, "pf_likelihood", grid, block, 0, &f->x, &f->y, &f->old_x, &f->old_y, &f->d_disc, &f->disc_points, &f->place,
            &f->d_video, &f->likelihood, &f->weight, &f->partial, &f->seed, &n, &frame, &f->s.side, &f->s.frames, &f->pixels);
  if (!check_likelihood(r, f, frame, old_x, seed)) return false;
  double *raw = WL_DOWN(r, double, f->weight, n);
  WL_LAUNCH(r, "pf_sum", grid, block, 0, &f->partial, &n);
  WL_LAUNCH(r, "pf_normalize", grid, block, 0, &f->weight, &n, &f->partial, &f->distribution, &f->u, &f->seed);
  WL_LAUNCH(r, "pf_find_index", grid, block, 0, &f->x, &f->y, &f->distribution, &f->u, &f->old_x, &f->old_y, &n);
  return check_resampling(r, f, raw);
}

static bool run(struct wl_run *r) {
  static const struct shape shapes[WL_SIZES] = {{128, 2, 1000}, {128, 5, 1000}, {128, 10, 1000}};
  struct filter f = {.s = shapes[r->size]};
  int n = f.s.particles;
  f.blocks = (int)wl_blocks(n, THREADS);
  make_disc(&f);
  // Every particle has its own generator, whose seed is a time in seconds, counted on from the run's seed, times the particle's number.
  double *start = WL_NEW(r, double, n), *weight = WL_NEW(r, double, n);
  int *seed = WL_NEW(r, int, n);
  for (int i = 0; i < n; i++) {
    start[i] = f.s.side / 2;
    weight[i] = 1 / (double)n;
    seed[i] = (int)((uint32_t)(FIRST_SECOND + r->rng.state) * (uint32_t)i);
  }
  make_video(r, &f, seed);
  f.x = WL_DEV(r, double, n);
  f.y = WL_DEV(r, double, n);
  f.old_x = WL_UP(r, start, n);
  f.old_y = WL_UP(r, start, n);
  f.distribution = WL_DEV(r, double, n);
  f.u = WL_ZEROS(r, double, n);
  f.likelihood = WL_ZEROS(r, double, n);
  f.weight = WL_UP(r, weight, n);
  f.d_video = WL_UP(r, f.video, f.pixels);
  f.d_disc = WL_UP(r, f.disc, 2 * f.disc_points);
  f.place = WL_DEV(r, int, n *f.disc_points);
  f.seed = WL_UP(r, seed, n);
  f.partial = WL_ZEROS(r, double, n);
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
