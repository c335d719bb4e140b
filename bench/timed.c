/* With timing: the kernels whose rates on GPGPU-Sim 4.2 are recorded, on the GPU it was set up as (gtx480-ref), and on larger ones beside
 * the same rates, one core; and peak memory with 80 SMs.
 *
 * The recorded figures are warp instructions a CPU second of two runs on one core of the kind of machine this is developed
 * on, and its cycles; another machine gives other ratios. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 3, BLOCK = 256 };
#define GPU "gtx480-ref"
#define BOUND 200.0
#define BOUND_LARGER 100.0
#define BOUND_MIB 300.0

const char *const bench_timed_names[4] = {"vecadd", "fma", "matmul_naive", "kmeans"};
static const struct {
  double rate[2]; /* GPGPU-Sim */
  double cycles, instructions;
} peer[4] = {
    {{9100, 10300}, 21196, 180224},
    {{22600, 20100}, 17391, 342016},
    {{15700, 13900}, 57943, 380928},
    {{1600, 1800}, 539333, 207616},
};

/* ---- the kernels: each checks its result ------------------------------------------------------------------------------- */

static void fail_if(int wrong, const char *kernel) {
  if (!wrong) return;
  fprintf(stderr, "bench: %s: wrong result\n", kernel);
  exit(1);
}

static double vecadd(struct bench_rig *rig) {
  enum { N = 262144 };
  static float a[N], b[N], c[N];
  heddle_ptr da = bench_floats(rig, N, a), db = bench_floats(rig, N, b), dc = bench_zeros(rig, N);
  int32_t n = N;
  heddle_launch_shape shape = {.grid = {N / BLOCK}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "vecadd", &shape, (void *[]){&da, &db, &dc, &n});
  bench_must(rig->sim, heddle_read(rig->sim, c, dc, sizeof c));
  for (int i = 0; i < N; i++) fail_if(c[i] != a[i] + b[i], "vecadd");
  return seconds;
}

static double fma_loop(struct bench_rig *rig) {
  enum { N = 32768 };
  heddle_ptr out = bench_zeros(rig, N);
  float x = 0.5f, y = 0.25f, got;
  int32_t turns = 64;
  heddle_launch_shape shape = {.grid = {N / BLOCK}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "fma_loop", &shape, (void *[]){&out, &x, &y, &turns});
  bench_must(rig->sim, heddle_read(rig->sim, &got, out + 4 * (N - 1), 4));
  fail_if(fabsf(got - 2.f) > 1e-4f, "fma"); /* every chain tends to y / (1 - x) = 1/2 */
  return seconds;
}

static double matmul(struct bench_rig *rig) {
  enum { N = 128 };
  static float a[N * N], b[N * N], c[N * N];
  heddle_ptr da = bench_floats(rig, N * N, a), db = bench_floats(rig, N * N, b), dc = bench_zeros(rig, N * N);
  int32_t n = N;
  heddle_launch_shape shape = {.grid = {N / 16, N / 16}, .block = {16, 16}};
  double seconds = bench_launch(rig, "matmul_naive", &shape, (void *[]){&da, &db, &dc, &n});
  bench_must(rig->sim, heddle_read(rig->sim, c, dc, sizeof c));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int k = 0; k < N; k++) s += a[i * N + k] * b[k * N + j];
      fail_if(fabsf(s - c[i * N + j]) > 1e-3f * fabsf(s), "matmul_naive");
    }
  return seconds;
}

enum { POINTS = 4096, CENTRES = 5, FEATURES = 34 };

static int nearest(const float *point, const float *centres) {
  int best = 0;
  float best_d = 3.4e38f;
  for (int c = 0; c < CENTRES; c++) {
    float d = 0;
    for (int k = 0; k < FEATURES; k++) d = fmaf(point[k] - centres[c * FEATURES + k], point[k] - centres[c * FEATURES + k], d);
    if (d < best_d) {
      best_d = d;
      best = c;
    }
  }
  return best;
}

static double kmeans(struct bench_rig *rig) {
  static float p[POINTS * FEATURES], q[CENTRES * FEATURES];
  static int32_t member[POINTS];
  heddle_ptr dp = bench_floats(rig, POINTS * FEATURES, p), dq = bench_floats(rig, CENTRES * FEATURES, q);
  heddle_ptr dm = bench_zeros(rig, POINTS);
  int32_t np = POINTS, nc = CENTRES, nf = FEATURES;
  heddle_launch_shape shape = {.grid = {POINTS / BLOCK}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "kmeans_strided", &shape, (void *[]){&dp, &dq, &dm, &np, &nc, &nf});
  bench_must(rig->sim, heddle_read(rig->sim, member, dm, sizeof member));
  for (int i = 0; i < POINTS; i++) fail_if(member[i] != nearest(&p[i * FEATURES], q), "kmeans");
  return seconds;
}

/* ---- measuring ----------------------------------------------------------------------------------------------------------- */

static double (*const kernels[4])(struct bench_rig *) = {vecadd, fma_loop, matmul, kmeans};

static double show_larger(const char *gpu) {
  double logs = 0;
  printf("  %-13s", gpu);
  for (int i = 0; i < 4; i++) {
    struct bench_result r = bench_best(&(struct bench_job){kernels[i], gpu, NULL, REPEAT});
    double ratio = (double)r.instructions / r.seconds / ((peer[i].rate[0] + peer[i].rate[1]) / 2);
    logs += log(ratio);
    printf(" %s %.1fx,", bench_timed_names[i], ratio);
  }
  double mean = exp(logs / 4);
  printf(" geometric mean %.1fx, at least %.0fx: %s\n", mean, BOUND_LARGER, mean >= BOUND_LARGER ? "yes" : "NO");
  return mean;
}

static void show_rates(struct bench_figures *f) {
  printf("\nTimed on %s, one core, beside GPGPU-Sim 4.2's recorded figures\n", GPU);
  printf("  %-13s %12s %12s %12s %12s %8s %9s\n", "", "instructions", "a second", "GPGPU-Sim", "cycles", "its", "ratio");
  double logs = 0;
  for (int i = 0; i < 4; i++) {
    struct bench_result r = bench_best(&(struct bench_job){kernels[i], GPU, NULL, REPEAT});
    double its = (peer[i].rate[0] + peer[i].rate[1]) / 2, ratio;
    f->timed[i] = (double)r.instructions / r.seconds;
    ratio = f->timed[i] / its;
    logs += log(ratio);
    printf("  %-13s %12llu %10.2f M %11.1fk %12llu %8.0f %8.1fx%s\n", bench_timed_names[i], (unsigned long long)r.instructions,
           f->timed[i] / 1e6, its / 1e3, (unsigned long long)r.cycles, peer[i].cycles, ratio,
           (double)r.instructions == peer[i].instructions ? "" : "  (another number of instructions)");
  }
  f->geomean = exp(logs / 4);
  printf("  geometric mean %.1fx, at least %.0fx: %s\n", f->geomean, BOUND, f->geomean >= BOUND ? "yes" : "NO");
  f->mesh56 = show_larger("mesh56");
  f->h200 = show_larger("h200");
}

static void show_memory(struct bench_figures *f) {
  struct bench_result r = bench_best(&(struct bench_job){kmeans, GPU, "gpu.sms=80,gpu.clusters=80", 1});
  f->peak_mib = ((double)r.peak_bytes - (double)r.device_bytes) / 1048576;
  printf("\nPeak memory beyond device memory, 80 SMs\n  %.0f MiB, at most %.0f MiB: %s\n", f->peak_mib, BOUND_MIB,
         f->peak_mib <= BOUND_MIB ? "yes" : "NO");
}

void bench_timed(struct bench_figures *f) {
  show_rates(f);
  show_memory(f);
}
