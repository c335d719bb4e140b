/* How time grows: CPU time of a warp instruction against SMs, against L2 slices and channels, and against the length of a kernel, and of
 * a launch against their number. Where time is linear in what happens, each table is flat, and so are the bars of the picture that is
 * drawn of them (docs/figures/growth.svg). GPUs of other sizes are sms1024 with fewer SMs or channels; every SM has the same work. */
#include "bench.h"
#include "cli/show/picture.h"

#include <stdio.h>
#include <stdlib.h>

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

/* ---- a table and its bars ---------------------------------------------------------------------------------------------------- */

#define PICTURE "docs/figures/growth.svg"
enum { ROWS = 8, KINDS = 2 };

/* What one thing costs at one size, of each kind of work. */
struct row {
  unsigned size;
  double each[KINDS]; /* ns or us */
};
struct table {
  const char *what, *about; /* grows; is shown of it */
  const char *unit;
  unsigned kinds, n;
  struct row rows[ROWS];
};

static struct bench_result measure(const char *what, unsigned size, double (*fn)(struct bench_rig *), const char *gpu,
                                   const char *settings) {
  struct bench_result r = bench_best(&(struct bench_job){fn, gpu, settings, REPEAT});
  printf("  %-10s %7u %12llu %10llu %9.3f %12.0f %6.0f\n", what, size, (unsigned long long)r.instructions, (unsigned long long)r.cycles,
         r.seconds, 1e9 * r.seconds / (double)r.instructions, (double)(r.peak_bytes - r.device_bytes) / 1048576);
  fflush(stdout);
  return r;
}

static double ns_each(struct bench_result r) { return 1e9 * r.seconds / (double)r.instructions; }

static void draw(struct picture *p, const struct table *t) {
  double most = 0;
  picture_title(p, t->what, t->about);
  if (t->kinds > 1) picture_legend(p, (const char *const[]){"un-coalesced", "arithmetic"}, KINDS);
  for (unsigned i = 0; i < t->n; i++)
    for (unsigned k = 0; k < t->kinds; k++) most = t->rows[i].each[k] > most ? t->rows[i].each[k] : most;
  for (unsigned i = 0; i < t->n; i++) {
    char name[16], text[KINDS][24];
    snprintf(name, sizeof name, "%u", t->rows[i].size);
    for (unsigned k = 0; k < t->kinds; k++) snprintf(text[k], sizeof text[k], "%.0f %s", t->rows[i].each[k], t->unit);
    picture_bars(p, name, t->rows[i].each, (const char(*)[24])text, t->kinds, most);
  }
}

void bench_growth(void) {
  struct table sms = {"SMs", "CPU time of a warp instruction, the same work on each SM", "ns", 2, 0, {{0}}};
  struct table channels = {"DRAM channels, eight L2 slices each", "CPU time of an un-coalesced instruction on 256 SMs", "ns", 1, 0, {{0}}};
  struct table length = {"Turns of a kernel's loop", "CPU time of an arithmetic warp instruction on gtx480", "ns", 1, 0, {{0}}};
  struct table many = {"Launches", "CPU time of a launch of one warp on gtx480", "us", 1, 0, {{0}}};
  char settings[64];
  printf("\nGrowth, CPU seconds\n");
  printf("  %-10s %7s %12s %10s %9s %12s %6s\n", "", "", "instructions", "cycles", "seconds", "ns each", "MiB");
  turns = 64;
  for (unsigned n = 32; n <= 1024; n *= 2) {
    snprintf(settings, sizeof settings, "gpu.sms=%u", n);
    ctas = CTAS * n;
    struct row *r = &sms.rows[sms.n++];
    r->size = n;
    r->each[0] = ns_each(measure("SMs", n, memory, GPU, settings));
    r->each[1] = ns_each(measure("SMs, fma", n, compute, GPU, settings));
  }
  ctas = CTAS * SMS;
  for (unsigned n = 8; n <= 64; n *= 2) {
    snprintf(settings, sizeof settings, "gpu.sms=%u,dram.channels=%u", SMS, n);
    channels.rows[channels.n++] = (struct row){n, {ns_each(measure("channels", n, memory, GPU, settings))}};
  }
  ctas = CTAS * 15;
  for (turns = 16; turns <= 1024; turns *= 4)
    length.rows[length.n++] = (struct row){(unsigned)turns, {ns_each(measure("turns", (unsigned)turns, compute, "gtx480", NULL))}};
  for (times = 100; times <= 100000; times *= 10)
    many.rows[many.n++] = (struct row){times, {1e6 * measure("launches", times, launches, "gtx480", NULL).seconds / times}};

  struct picture p = {0};
  struct err e = {0};
  draw(&p, &sms);
  draw(&p, &channels);
  draw(&p, &length);
  draw(&p, &many);
  if (!picture_write(&p, PICTURE, "How time grows", &e)) {
    fprintf(stderr, "bench: %s\n", e.text);
    exit(1);
  }
}
