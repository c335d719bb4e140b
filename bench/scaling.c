/* With timing on GPUs of 15, 80 and 132 SMs: streaming, un-coalesced, compute-bound and divergent kernels of the same work on
 * each, with one and two host threads. Seconds are those of the clock on the wall, so that two threads can show what they
 * gain; nothing else should run. A host may have other guests, who slow down one run by a third and the next not at all, so
 * runs with one and with two threads alternate and the best of each count. If time followed SMs times cycles, not what happens
 * in them, the rates would fall with the number of SMs.
 *
 * Then, with half the work, with more threads asked for than there are CPUs, alone and beside a process a CPU that never waits: seconds of
 * the wall over those of one thread, in the median, since what the host does with its CPUs is part of the answer. */
#include "bench.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEAT = 6, BLOCK = 256, WORDS = 1 << 20, THREADS = 1 << 16, POINTS = 1 << 14, CENTRES = 5, FEATURES = 34 };
enum { GPUS = 3, KERNELS = 4, ASKED = 3, TIMES = 3 };
#define BOUND 1.8
#define SLOWER 1.05

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the kernels: values are checked by bench/functional.c and bench/timed.c ------------------------------------------------ */

static double launch(struct bench_rig *rig, const char *kernel, unsigned threads, void **arguments) {
  heddle_launch_shape shape = {.grid = {threads / BLOCK}, .block = {BLOCK}};
  double from = now();
  bench_launch(rig, kernel, &shape, arguments);
  return now() - from;
}

static unsigned part = 1; /* the work of a kernel is divided by it */

static double streaming(struct bench_rig *rig) {
  uint32_t n = WORDS / part;
  heddle_ptr a = bench_floats(rig, n, NULL), b = bench_floats(rig, n, NULL), c = bench_zeros(rig, n);
  return launch(rig, "stream", THREADS * 2 / part, (void *[]){&a, &b, &c, &n});
}

static double uncoalesced(struct bench_rig *rig) {
  unsigned n = POINTS / part;
  heddle_ptr p = bench_floats(rig, n * FEATURES, NULL), q = bench_floats(rig, CENTRES * FEATURES, NULL), member = bench_zeros(rig, n);
  int32_t points = (int32_t)n, centres = CENTRES, features = FEATURES;
  return launch(rig, "kmeans_strided", n, (void *[]){&p, &q, &member, &points, &centres, &features});
}

static double compute(struct bench_rig *rig) {
  heddle_ptr out = bench_zeros(rig, THREADS * 2 / part);
  float x = 0.5f, y = 0.25f;
  int32_t turns = 64;
  return launch(rig, "fma_loop", THREADS * 2 / part, (void *[]){&out, &x, &y, &turns});
}

static double divergent(struct bench_rig *rig) {
  uint32_t n = THREADS / 2 / part;
  heddle_ptr out = bench_zeros(rig, n);
  return launch(rig, "collatz", n, (void *[]){&out, &n});
}

/* ---- measuring ----------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  double (*fn)(struct bench_rig *rig);
} kernels[KERNELS] = {{"streaming", streaming}, {"un-coalesced", uncoalesced}, {"compute", compute}, {"divergent", divergent}};
static const struct {
  const char *name;
  unsigned sms;
} gpus[GPUS] = {{"gtx480", 15}, {"gpu80", 80}, {"h200", 132}};

static void keep_best(struct bench_result *best, int kernel, int gpu, const char *settings) {
  struct bench_result r = bench_best(&(struct bench_job){kernels[kernel].fn, gpus[gpu].name, settings, 1});
  if (best->seconds == 0 || r.seconds < best->seconds) *best = r;
}

/* ---- more threads than CPUs, and CPUs that others use ------------------------------------------------------------------------ */

static const unsigned asked[ASKED] = {1, 2, 8};

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void measure_asked(int kernel, int gpu, double median[ASKED]) {
  double seconds[ASKED][TIMES];
  for (int t = 0; t < TIMES; t++)
    for (int a = 0; a < ASKED; a++) {
      char settings[32];
      snprintf(settings, sizeof settings, "gpu.threads=%u", asked[a]);
      seconds[a][t] = bench_best(&(struct bench_job){kernels[kernel].fn, gpus[gpu].name, settings, 1}).seconds;
    }
  for (int a = 0; a < ASKED; a++) {
    qsort(seconds[a], TIMES, sizeof *seconds[a], by_value);
    median[a] = seconds[a][TIMES / 2];
  }
}

static pid_t start_hog(void) {
  pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (volatile unsigned n = 0;; n++) {}
}

static void print_asked(const char *beside, double *worst) {
  for (int k = 0; k < KERNELS; k++)
    for (int g = 0; g < GPUS; g++) {
      double s[ASKED];
      measure_asked(k, g, s);
      printf("  %-13s %-7s %-6s %9.2f", kernels[k].name, gpus[g].name, beside, s[0]);
      for (int a = 1; a < ASKED; a++) {
        printf(" %8.2fx", s[a] / s[0]);
        if (s[a] / s[0] > *worst) *worst = s[a] / s[0];
      }
      printf("\n");
      fflush(stdout);
    }
}

static void more_threads(void) {
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  pid_t *hogs = calloc((size_t)cpus, sizeof *hogs);
  double worst = 0;
  part = 2;
  printf("\nTimed, seconds on the wall with one thread, and times as many with more asked for, on %ld CPUs\n", cpus);
  printf("  %-13s %-7s %-6s %9s %9s %9s\n", "", "GPU", "CPUs", "1 thread", "2", "8");
  print_asked("alone", &worst);
  for (long i = 0; hogs && i < cpus; i++) hogs[i] = start_hog();
  print_asked("busy", &worst);
  for (long i = 0; hogs && i < cpus; i++)
    if (hogs[i] > 0 && kill(hogs[i], SIGKILL) == 0) waitpid(hogs[i], NULL, 0);
  free(hogs);
  part = 1;
  printf("  slowest against one thread %.2fx, at most %.2fx: %s\n", worst, SLOWER, worst <= SLOWER ? "yes" : "NO");
}

void bench_scaling(struct bench_figures *f) {
  double logs = 0;
  printf("\nTimed, millions of warp instructions a second on the wall, one and two threads\n");
  printf("  %-13s %-7s %5s %10s %10s %9s %9s %6s %6s\n", "", "GPU", "SMs", "instr.", "cycles", "1 thread", "2 threads", "gain", "MiB");
  for (int k = 0; k < KERNELS; k++)
    for (int g = 0; g < GPUS; g++) {
      struct bench_result a = {0}, b = {0};
      for (int i = 0; i < REPEAT; i++) {
        keep_best(&a, k, g, "gpu.threads=1");
        keep_best(&b, k, g, "gpu.threads=2");
      }
      double gain = a.seconds / b.seconds, mib = ((double)a.peak_bytes - (double)a.device_bytes) / 1048576;
      if (gpus[g].sms == 80) logs += log(gain);
      printf("  %-13s %-7s %5u %10llu %10llu %9.2f %9.2f %5.2fx %6.0f\n", kernels[k].name, gpus[g].name, gpus[g].sms,
             (unsigned long long)a.instructions, (unsigned long long)a.cycles, (double)a.instructions / a.seconds / 1e6,
             (double)b.instructions / b.seconds / 1e6, gain, mib);
    }
  f->two_threads = exp(logs / KERNELS);
  printf("  two threads at 80 SMs, geometric mean %.2fx, at least %.1fx: %s\n", f->two_threads, BOUND,
         f->two_threads >= BOUND ? "yes" : "NO");
  more_threads();
}
