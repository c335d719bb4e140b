/* How time grows: CPU time of a warp instruction against SMs, against L2 slices and channels, and against the length of a kernel, and of
 * a launch against their number. Where time is linear in what happens, each table is flat. GPUs of other sizes are sms1024 with fewer SMs
 * or channels; every SM has the same work. */
#include "bench.h"

#include <stdio.h>

enum { BLOCK = 256, CTAS = 4 /* an SM */, SMS = 256 /* where something else grows */, REPEAT = 2 };
#define GPU "sms1024"

static unsigned ctas;  /* of the kernel that is timed */
static int32_t turns;  /* of its loop */
static unsigned times; /* launches */

/* Un-coalesced, as what networks, L2 and DRAM do is the larger part then. */
static double memory(struct bench_rig *rig) {
  enum { FEATURES = 8, CENTRES = 2 };
  int32_t points = (int32_t)(ctas * BLOCK), centres = CENTRES, features = FEATURES;
  heddle_ptr p = bench_floats(rig, (size_t)points * FEATURES, NULL), q = bench_floats(rig, CENTRES * FEATURES, NULL);
  heddle_ptr member = bench_zeros(rig, (size_t)points);
  heddle_launch_shape shape = {.grid = {ctas}, .block = {BLOCK}};
  return bench_launch(rig, "kmeans_strided", &shape, (void *[]){&p, &q, &member, &points, &centres, &features});
}

static double compute(struct bench_rig *rig) {
  heddle_ptr out = bench_zeros(rig, (size_t)ctas * BLOCK);
  float x = 0.5f, y = 0.25f;
  heddle_launch_shape shape = {.grid = {ctas}, .block = {BLOCK}};
  return bench_launch(rig, "fma_loop", &shape, (void *[]){&out, &x, &y, &turns});
}

static double launches(struct bench_rig *rig) {
  heddle_ptr a = bench_zeros(rig, 32), b = bench_zeros(rig, 32), c = bench_zeros(rig, 32);
  int32_t n = 32;
  heddle_launch_shape shape = {.grid = {1}, .block = {32}};
  double seconds = 0;
  for (unsigned i = 0; i < times; i++) seconds += bench_launch(rig, "vecadd", &shape, (void *[]){&a, &b, &c, &n});
  return seconds;
}

static void show(const char *what, unsigned value, double (*fn)(struct bench_rig *), const char *gpu, const char *settings) {
  struct bench_result r = bench_best(&(struct bench_job){fn, gpu, settings, REPEAT});
  printf("  %-10s %7u %12llu %10llu %9.3f %12.0f %6.0f\n", what, value, (unsigned long long)r.instructions, (unsigned long long)r.cycles,
         r.seconds, 1e9 * r.seconds / (double)r.instructions, (double)(r.peak_bytes - r.device_bytes) / 1048576);
  fflush(stdout);
}

void bench_growth(void) {
  char settings[64];
  printf("\nGrowth, CPU seconds\n  %-10s %7s %12s %10s %9s %12s %6s\n", "", "", "instructions", "cycles", "seconds", "ns each", "MiB");
  turns = 64;
  for (unsigned sms = 32; sms <= 1024; sms *= 2) {
    snprintf(settings, sizeof settings, "gpu.sms=%u", sms);
    ctas = CTAS * sms;
    show("SMs", sms, memory, GPU, settings);
    show("SMs, fma", sms, compute, GPU, settings);
  }
  ctas = CTAS * SMS;
  for (unsigned channels = 8; channels <= 64; channels *= 2) {
    snprintf(settings, sizeof settings, "gpu.sms=%u,dram.channels=%u", SMS, channels);
    show("channels", channels, memory, GPU, settings);
  }
  ctas = CTAS * 15;
  for (turns = 16; turns <= 1024; turns *= 4) show("turns", (unsigned)turns, compute, "gtx480", NULL);
  for (times = 100; times <= 100000; times *= 10) show("launches", times, launches, "gtx480", NULL);
}
