/* What a launch costs besides its instructions: CPU microseconds of a launch of one warp on every GPU, and what a million of them leave in
 * memory. CPU seconds, the best of a few repetitions. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 3, LAUNCHES = 1000, MILLION = 1000000 };
#define BOUND_US 50.0
#define BOUND_MIB 8.0

static double launch_often(struct bench_rig *rig, unsigned times) {
  heddle_ptr a = bench_zeros(rig, 32), b = bench_zeros(rig, 32), c = bench_zeros(rig, 32);
  int32_t n = 32;
  heddle_launch_shape shape = {.grid = {1}, .block = {32}};
  double seconds = 0;
  for (unsigned i = 0; i < times; i++) seconds += bench_launch(rig, "vecadd", &shape, (void *[]){&a, &b, &c, &n});
  return seconds;
}

static double some(struct bench_rig *rig) { return launch_often(rig, LAUNCHES); }
static double ten_thousand(struct bench_rig *rig) { return launch_often(rig, MILLION / 100); }
static double million(struct bench_rig *rig) { return launch_often(rig, MILLION); }

void bench_launches(struct bench_figures *f) {
  static const char *const gpus[] = {"gtx480", "gtx480-ref", "gtx480-bucl", "gtx480-ccn", "gpu80",
                                     "mesh56", "v100",       "a100",        "h200",       "sms1024"};
  printf("\nA launch of one warp\n");
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
    double us = bench_best(&(struct bench_job){some, gpus[i], NULL, REPEAT}).seconds / LAUNCHES * 1e6;
    if (us > f->launch_us) f->launch_us = us;
    printf("  %-11s %6.1f us, at most %.0f us: %s\n", gpus[i], us, BOUND_US, us <= BOUND_US ? "yes" : "NO");
  }
  struct bench_result few = bench_best(&(struct bench_job){ten_thousand, "gtx480", NULL, 1});
  struct bench_result many = bench_best(&(struct bench_job){million, "gtx480", NULL, 1});
  double mib = ((double)many.peak_bytes - (double)few.peak_bytes) / 1048576;
  printf("  gtx480, a million after ten thousand: %.1f MiB more, at most %.0f MiB: %s\n", mib, BOUND_MIB, mib <= BOUND_MIB ? "yes" : "NO");
}
