/* See bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KERNELS "bench/bench_kernels.ptx"

double bench_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_must(heddle_sim *sim, heddle_status status) {
  if (status == HEDDLE_OK) return;
  fprintf(stderr, "bench: %s\n", heddle_error(sim));
  exit(1);
}

static void die(const char *why) {
  fprintf(stderr, "bench: %s\n", why);
  exit(1);
}

struct bench_result bench_run(bench_fn fn, void *user) {
  struct bench_result out = {0};
  int ends[2];
  fflush(stdout);
  if (pipe(ends) != 0) die("no pipe");
  pid_t pid = fork();
  if (pid < 0) die("cannot start a process");
  if (pid == 0) {
    fn(user, &out);
    exit(write(ends[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
  }
  close(ends[1]);
  ssize_t n = read(ends[0], &out, sizeof out);
  close(ends[0]);
  int status;
  struct rusage use;
  if (wait4(pid, &status, 0, &use) != pid || status != 0 || n != (ssize_t)sizeof out) die("a benchmark failed");
  out.peak_bytes = (uint64_t)use.ru_maxrss * 1024;
  return out;
}

void bench_open(struct bench_rig *rig, const heddle_options *options) {
  *rig = (struct bench_rig){0};
  heddle_status status = heddle_open(options, &rig->sim);
  bench_must(rig->sim, status);
  bench_must(rig->sim, heddle_load_file(rig->sim, KERNELS, &rig->module));
}

void bench_close(struct bench_rig *rig) { heddle_close(rig->sim); }

heddle_ptr bench_zeros(struct bench_rig *rig, size_t n) {
  heddle_ptr at;
  bench_must(rig->sim, heddle_alloc(rig->sim, n * 4, &at));
  bench_must(rig->sim, heddle_fill(rig->sim, at, 0, n * 4));
  rig->bytes += n * 4;
  return at;
}

heddle_ptr bench_floats(struct bench_rig *rig, size_t n, float *host) {
  float *values = host ? host : malloc(n * sizeof *values);
  static uint32_t state = 12345;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)((state >> 8) & 0xffff) / 65536.f;
  }
  heddle_ptr at = bench_zeros(rig, n);
  bench_must(rig->sim, heddle_write(rig->sim, at, values, n * 4));
  if (!host) free(values);
  return at;
}

double bench_launch(struct bench_rig *rig, const char *name, const heddle_launch_shape *shape, void **arguments) {
  heddle_kernel *kernel;
  bench_must(rig->sim, heddle_find_kernel(rig->module, name, &kernel));
  double start = bench_cpu_seconds();
  bench_must(rig->sim, heddle_launch(kernel, shape, arguments));
  return bench_cpu_seconds() - start;
}

static void repeat_job(void *user, struct bench_result *out) {
  const struct bench_job *j = user;
  for (int i = 0; i < j->repeat; i++) {
    heddle_options o = HEDDLE_OPTIONS;
    o.gpu = j->gpu;
    o.settings = j->settings;
    struct bench_rig rig;
    bench_open(&rig, &o);
    double seconds = j->fn(&rig);
    if (!i || seconds < out->seconds) out->seconds = seconds;
    bench_must(rig.sim, heddle_stat(rig.sim, "warp_instructions", &out->instructions));
    bench_must(rig.sim, heddle_stat(rig.sim, "cycles", &out->cycles));
    out->device_bytes = rig.bytes;
    bench_close(&rig);
  }
}

struct bench_result bench_best(const struct bench_job *job) {
  struct bench_job copy = *job;
  return bench_run(repeat_job, &copy);
}
