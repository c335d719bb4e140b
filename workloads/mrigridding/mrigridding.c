// Gridding of samples of a radial acquisition: the device sorts them by cell and lets the cells gather; the host adds those whose bin was
// full, and compares with a gridding of all samples one after the other.
#include "common/wl.h"
#include <math.h>

WL_PTX(mrigridding);

enum { THREADS = 512, SORT_THREADS = 256, SORT_ITEMS = 1024, RADIX = 16, DIGIT = 4, SCAN_ITEMS = 1024, SUMS = 128 };
static const float cutoff = 2.5f;

struct sample {
  float real, imag, x, y, z, density;
};

struct space {
  int side, spokes, along; // cells in each dimension; samples of a spoke
};

struct device {
  CUdeviceptr keys[2], values[2], counts, histogram, sums[2]; // of the sort's scans, of the other's
};

// Spokes through the middle, whose directions spiral over the sphere. Coordinates are whole cells.
static struct sample *make_samples(struct wl_run *r, const struct space *s) {
  struct sample *samples = WL_NEW(r, struct sample, s->spokes * s->along);
  float half = (float)(s->side - 1) / 2.0f;
  for (int k = 0; k < s->spokes; k++)
    for (int i = 0; i < s->along; i++) {
      float up = 1.0f - 2.0f * ((float)k + 0.5f) / (float)s->spokes, around = (float)k * 2.39996f, flat = sqrtf(1.0f - up * up);
      float t = 2.0f * ((float)i + 0.5f) / (float)s->along - 1.0f, decay = expf(-18.0f * t * t), place = 0.999f * t;
      samples[k * s->along + i] = (struct sample){
          .real = decay * cosf(9.0f * t + 3.0f * up) + 0.01f * wl_normal(&r->rng),
          .imag = decay * sinf(9.0f * t + 3.0f * up) + 0.01f * wl_normal(&r->rng),
          .x = floorf(place * flat * cosf(around) * half + half),
          .y = floorf(place * flat * sinf(around) * half + half),
          .z = floorf(place * up * half + half),
          .density = t * t + 0.0005f,
      };
    }
  return samples;
}

// I0 of the square root of z, as the kernel has it.
static double kaiser(double z) {
  static const double p[] = {4.0330046e-31, -5.8401989e-28, 8.1614203e-25,  -4.9410473e-22, 3.1515303e-19,
                             -8.961802e-17, 3.3993747e-14,  -3.7994912e-12, 1.113159e-9,    -1.3937443e-8,
                             1.0398075e-5,  2.4787537e-4,   0.018271764,    0.22518712,     1.0286102};
  double sum = 0.0;
  for (int i = 0; i < (int)(sizeof p / sizeof *p); i++) sum = sum * z + p[i];
  return sum / (((-2.1245624e-10 * z + 1.014258e-6) * z - 0.0016985741) * z + 1.0);
}

// Adds a sample to the cells around it: real, imaginary, number of samples.
static void scatter(const struct space *s, const struct sample *a, double beta, double *cells) {
  int reach = (int)ceilf(cutoff), at[3] = {(int)a->x, (int)a->y, (int)a->z}, low[3], high[3];
  if ((a->real == 0.0f && a->imag == 0.0f) || a->density == 0.0f) return;
  for (int d = 0; d < 3; d++) {
    low[d] = at[d] > reach ? at[d] - reach : 0;
    high[d] = at[d] + reach < s->side ? at[d] + reach : s->side - 1;
  }
  for (int z = low[2]; z <= high[2]; z++)
    for (int y = low[1]; y <= high[1]; y++)
      for (int x = low[0]; x <= high[0]; x++) {
        double away = (x - at[0]) * (x - at[0]) + (y - at[1]) * (y - at[1]) + (z - at[2]) * (z - at[2]);
        if (away >= cutoff * cutoff) continue;
        double w = kaiser(beta * beta * (1.0 - away / (cutoff * cutoff))) * a->density;
        double *cell = cells + 3 * ((z * s->side + y) * s->side + x);
        cell[0] += w * a->real;
        cell[1] += w * a->imag;
        cell[2] += 1.0;
      }
}

static void put_constants(struct wl_run *r, const struct space *s) {
  float square = cutoff * cutoff, inverse = 1.0f / square;
  int plane = s->side * s->side;
  wl_put_symbol(r, "cutoff", &cutoff, sizeof cutoff);
  wl_put_symbol(r, "cutoff2", &square, sizeof square);
  wl_put_symbol(r, "inverse_cutoff2", &inverse, sizeof inverse);
  wl_put_symbol(r, "size_x", &s->side, sizeof s->side);
  wl_put_symbol(r, "size_y", &s->side, sizeof s->side);
  wl_put_symbol(r, "size_z", &s->side, sizeof s->side);
  wl_put_symbol(r, "size_xy", &plane, sizeof plane);
}

// An exclusive scan in place of up to 1,024 words for each of the 128 sums.
static void scan(struct wl_run *r, CUdeviceptr data, int count, CUdeviceptr sums) {
  long blocks = wl_blocks(count, SCAN_ITEMS);
  int apart = 1;
  size_t shared = (SUMS + SUMS / 16) * sizeof(uint32_t);
  CUdeviceptr last = sums + (SUMS - 1) * sizeof(uint32_t);
  CU(r, cuMemsetD32(sums, 0, SUMS));
  WL_LAUNCH(r, "grid_scan_blocks", wl_1d(blocks), wl_1d(THREADS), 0, &count, &data, &sums);
  WL_LAUNCH(r, "grid_scan_up", wl_1d(1), wl_1d(SUMS / 2), shared, &sums, &apart);
  CU(r, cuMemsetD32(last, 0, 1));
  WL_LAUNCH(r, "grid_scan_down", wl_1d(1), wl_1d(SUMS / 2), shared, &sums, &apart);
  WL_LAUNCH(r, "grid_scan_add", wl_1d(blocks), wl_1d(THREADS), 0, &count, &data, &sums);
}

// Sorts the pairs, a digit a pass; the first buffers have them in the end.
static void sort(struct wl_run *r, struct device *d, int count, int cells) {
  long blocks = wl_blocks(count, SORT_ITEMS);
  for (int pass = 0; cells >> DIGIT * pass; pass++) {
    WL_LAUNCH(r, "grid_split", wl_1d(blocks), wl_1d(SORT_THREADS), 0, &count, &pass, &d->keys[0], &d->values[0], &d->histogram);
    scan(r, d->histogram, (int)blocks * RADIX, d->sums[0]);
    WL_LAUNCH(r, "grid_move", wl_1d(blocks), wl_1d(SORT_THREADS), 0, &count, &pass, &d->keys[0], &d->values[0], &d->keys[1], &d->values[1],
              &d->histogram);
    CUdeviceptr keys = d->keys[0], values = d->values[0];
    d->keys[0] = d->keys[1], d->keys[1] = keys;
    d->values[0] = d->values[1], d->values[1] = values;
  }
}

static bool compare(struct wl_run *r, const struct space *s, double *got, const double *want) {
  int cells = s->side * s->side * s->side;
  float *values = WL_NEW(r, float, 3 * cells), *right = WL_NEW(r, float, 3 * cells);
  for (int i = 0; i < 3 * cells; i++) {
    values[i] = (float)(i % 3 < 2 ? got[i] * 1e-9 : got[i]);
    right[i] = (float)(i % 3 < 2 ? want[i] * 1e-9 : want[i]);
  }
  return wl_near_f32(r, "cell", values, right, 3 * cells, 1e-3f, 1e-3f);
}

static bool run(struct wl_run *r) {
  static const struct space spaces[WL_SIZES] = {{16, 8, 32}, {32, 81, 64}, {48, 182, 96}};
  struct space s = spaces[r->size];
  int count = s.spokes * s.along, cells = s.side * s.side * s.side, words = cells + 1;
  long sorted = wl_blocks(count, 64) * 64;
  float beta = (float)(M_PI * sqrt(4.0 * 4.5 * 4.5 - 0.8));
  struct sample *samples = make_samples(r, &s);
  CUdeviceptr d_samples = WL_UP(r, samples, count);
  struct device d = {.keys = {WL_DEV(r, uint32_t, count), WL_DEV(r, uint32_t, count)},
                     .values = {WL_DEV(r, uint32_t, count), WL_DEV(r, uint32_t, count)},
                     .counts = WL_ZEROS(r, uint32_t, words),
                     .histogram = WL_DEV(r, uint32_t, wl_blocks(count, SORT_ITEMS) * RADIX),
                     .sums = {WL_DEV(r, uint32_t, SUMS), WL_DEV(r, uint32_t, SUMS)}};
  put_constants(r, &s);
  struct wl_dim all = wl_1d(wl_blocks(count, THREADS)), block = wl_1d(THREADS);
  WL_LAUNCH(r, "grid_count", all, block, 0, &count, &d.keys[0], &d.values[0], &d_samples, &d.counts, &cells);
  sort(r, &d, count, words);
  CUdeviceptr d_data = WL_DEV(r, float, 6 * sorted), d_places = d_data + 2 * (size_t)sorted * sizeof(float);
  WL_LAUNCH(r, "grid_reorder", all, block, 0, &count, &d.values[0], &d_samples, &d_data, &d_places);
  scan(r, d.counts, words, d.sums[1]);
  CUdeviceptr d_sums = WL_DEV(r, float, 2 * cells), d_hits = WL_DEV(r, float, cells);
  WL_LAUNCH(r, "grid_gather", wl_2d(s.side / 8, s.side * s.side / 32), wl_3d(8, 4, 2), 0, &d_data, &d_places, &d.counts, &d_sums, &d_hits,
            &beta);
  // What found no bin lies behind the others.
  uint32_t binned, *order = WL_DOWN(r, uint32_t, d.values[0], count);
  wl_get(r, &binned, d.counts + (size_t)cells * sizeof binned, sizeof binned);
  float *sums = WL_DOWN(r, float, d_sums, 2 * cells), *hits = WL_DOWN(r, float, d_hits, cells);
  double *got = WL_NEW(r, double, 3 * cells), *want = WL_NEW(r, double, 3 * cells);
  for (int i = 0; i < cells; i++) got[3 * i] = sums[2 * i], got[3 * i + 1] = sums[2 * i + 1], got[3 * i + 2] = hits[i];
  for (int i = (int)binned; i < count; i++) scatter(&s, &samples[order[i]], beta, got);
  for (int i = 0; i < count; i++) scatter(&s, &samples[i], beta, want);
  return compare(r, &s, got, want);
}

const struct workload wl_mrigridding = {
    .name = "mri-gridding",
    .suite = "Parboil",
    .pattern = "bins filled with atomics, a radix sort, a scatter of 24-byte records, then runs of records read by many blocks",
    .sizes = {"16 x 16 x 16 grid, 256 samples", "32 x 32 x 32 grid, 5,184 samples", "48 x 48 x 48 grid, 17,472 samples"},
    .ptx = wl_ptx_mrigridding,
    .run = run,
};
