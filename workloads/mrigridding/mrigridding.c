// Gridding of samples in k-space: binning and gathering on the device, scattering on the host.
#include "common/inputs.h"
#include "common/wl.h"
#include <math.h>

WL_PTX(mrigridding);

enum { BX = 8, BY = 8, BZ = 4, THREADS = 512 };

struct sample {
  float real, imaginary, x, y, z, density;
};

struct space {
  int nx, ny, nz, count;
  float cutoff, beta;
};

static float bessel(float x) {
  float y = 0.25f * x * x, term = 1.0f, sum = 1.0f;
  for (int k = 1; k <= 8; k++) {
    term *= y / (float)(k * k);
    sum += term;
  }
  return sum;
}

// Adds one sample to the grid points around it; `grid` holds real, imaginary and weight in turn.
static void scatter(const struct space *s, const struct sample *a, double *grid) {
  int reach = (int)s->cutoff + 1, cx = (int)a->x, cy = (int)a->y, cz = (int)a->z;
  float limit = s->cutoff * s->cutoff;
  for (int z = cz - reach; z <= cz + reach; z++)
    for (int y = cy - reach; y <= cy + reach; y++)
      for (int x = cx - reach; x <= cx + reach; x++) {
        if (x < 0 || y < 0 || z < 0 || x >= s->nx || y >= s->ny || z >= s->nz) continue;
        float dx = a->x - (float)x, dy = a->y - (float)y, dz = a->z - (float)z;
        float squared = dx * dx + dy * dy + dz * dz;
        if (squared >= limit) continue;
        float window = bessel(s->beta * sqrtf(1.0f - squared / limit)) * a->density;
        double *to = grid + 3 * ((z * s->ny + y) * s->nx + x);
        to[0] += (double)(window * a->real);
        to[1] += (double)(window * a->imaginary);
        to[2] += (double)window;
      }
}

// Samples on spokes through the middle, denser there, as a scanner takes them.
static struct sample *make_samples(struct wl_run *r, const struct space *s) {
  struct sample *samples = WL_NEW(r, struct sample, s->count);
  for (int i = 0; i < s->count; i++) {
    float along = wl_uniform(&r->rng, 0.0f, 1.0f), p[3], size[3] = {(float)s->nx, (float)s->ny, (float)s->nz};
    for (int d = 0; d < 3; d++) p[d] = (0.5f + 0.499f * along * wl_uniform(&r->rng, -1.0f, 1.0f)) * size[d];
    samples[i] = (struct sample){
        wl_uniform(&r->rng, -1.0f, 1.0f), wl_uniform(&r->rng, -1.0f, 1.0f), p[0], p[1], p[2], 0.1f + along};
  }
  return samples;
}

static bool compare(struct wl_run *r, const struct space *s, const struct sample *samples, const float *grid,
                    const float *density) {
  int points = s->nx * s->ny * s->nz;
  double *sums = WL_NEW(r, double, 3 * points);
  for (int i = 0; i < s->count; i++) scatter(s, &samples[i], sums);
  float *want = WL_NEW(r, float, 2 * points), *want_density = WL_NEW(r, float, points);
  for (int i = 0; i < points; i++) {
    want[2 * i] = (float)sums[3 * i];
    want[2 * i + 1] = (float)sums[3 * i + 1];
    want_density[i] = (float)sums[3 * i + 2];
  }
  return wl_near_f32(r, "grid", grid, want, 2 * points, 1e-3f, 1e-2f) &&
         wl_near_f32(r, "density", density, want_density, points, 1e-3f, 1e-2f);
}

static bool run(struct wl_run *r) {
  static const struct space spaces[WL_SIZES] = {
      {16, 16, 8, 300, 1.5f, 4.0f}, {32, 32, 32, 5000, 1.5f, 4.0f}, {64, 64, 64, 100000, 1.5f, 4.0f}};
  struct space s = spaces[r->size];
  int points = s.nx * s.ny * s.nz;
  struct sample *samples = make_samples(r, &s);
  CUdeviceptr d_samples = WL_UP(r, samples, s.count), d_sorted = WL_DEV(r, struct sample, s.count);
  CUdeviceptr d_bins = WL_ZEROS(r, unsigned, points), d_start = WL_DEV(r, unsigned, points + 1);
  CUdeviceptr d_rank = WL_DEV(r, unsigned, s.count), d_grid = WL_DEV(r, float, 2 * points);
  CUdeviceptr d_density = WL_DEV(r, float, points);
  struct wl_dim blocks = wl_1d(wl_blocks(s.count, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "grid_count", blocks, block, 0, &d_samples, &s.count, &d_bins, &d_rank, &s.nx, &s.ny);
  WL_LAUNCH(r, "grid_scan", wl_1d(1), block, 0, &d_bins, &d_start, &points);
  WL_LAUNCH(r, "grid_reorder", blocks, block, 0, &d_samples, &s.count, &d_start, &d_rank, &d_sorted, &s.nx,
            &s.ny);
  WL_LAUNCH(r, "grid_gather", wl_3d(s.nx / BX, s.ny / BY, s.nz / BZ), wl_1d(BX * BY * BZ), 0, &d_sorted,
            &d_start, &d_grid, &d_density, &s.nx, &s.ny, &s.nz, &s.cutoff, &s.beta);
  return compare(r, &s, samples, WL_DOWN(r, float, d_grid, 2 * points), WL_DOWN(r, float, d_density, points));
}

const struct workload wl_mrigridding = {
    .name = "mri-gridding",
    .suite = "Parboil",
    .pattern =
        "binning with atomics and a scatter of 24-byte records, then runs of records read by many blocks",
    .sizes = {"16 x 16 x 8 grid, 300 samples", "32 x 32 x 32 grid, 5,000 samples",
              "64 x 64 x 64 grid, 100,000 samples"},
    .ptx = wl_ptx_mrigridding,
    .run = run,
};
