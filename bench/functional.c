/* Values only: warp instructions a second on one core, every access checked against the allocations. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 3, GRID = 64, BLOCK = 256, TURNS = 2000, WORDS = 4 << 20, NUMBERS = 1 << 17, SIDE = 2000, ROWS = 2000, COLUMNS = 2001 };

struct job {
  const char *kernel, *what;
  double bound; /* warp instructions a second; 0: none */
};

static void fail_if(int wrong, const char *kernel) {
  if (!wrong) return;
  fprintf(stderr, "bench: %s: wrong result\n", kernel);
  exit(1);
}

/* ---- the kernels ------------------------------------------------------------------------------------------------------- */

static double arithmetic(struct bench_rig *rig) {
  heddle_ptr out = bench_zeros(rig, GRID * BLOCK);
  uint32_t n = TURNS, got;
  heddle_launch_shape shape = {.grid = {GRID}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "arithmetic", &shape, (void *[]){&out, &n});
  bench_must(rig->sim, heddle_read(rig->sim, &got, out, 4));
  fail_if(got == 0, "arithmetic");
  return seconds;
}

static double stream(struct bench_rig *rig) {
  float a, b, c;
  heddle_ptr da = bench_floats(rig, WORDS, NULL), db = bench_floats(rig, WORDS, NULL), dc = bench_zeros(rig, WORDS);
  uint32_t n = WORDS;
  heddle_launch_shape shape = {.grid = {GRID}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "stream", &shape, (void *[]){&da, &db, &dc, &n});
  bench_must(rig->sim, heddle_read(rig->sim, &a, da + 4 * (WORDS - 1), 4));
  bench_must(rig->sim, heddle_read(rig->sim, &b, db + 4 * (WORDS - 1), 4));
  bench_must(rig->sim, heddle_read(rig->sim, &c, dc + 4 * (WORDS - 1), 4));
  fail_if(c != a + 3 * b, "stream");
  return seconds;
}

static double divergent(struct bench_rig *rig) {
  heddle_ptr out = bench_zeros(rig, NUMBERS);
  uint32_t n = NUMBERS, got;
  heddle_launch_shape shape = {.grid = {NUMBERS / BLOCK}, .block = {BLOCK}};
  double seconds = bench_launch(rig, "collatz", &shape, (void *[]){&out, &n});
  bench_must(rig->sim, heddle_read(rig->sim, &got, out + 4 * 26, 4)); /* 27 takes 111 steps */
  fail_if(got != 111, "collatz");
  return seconds;
}

static double field(struct bench_rig *rig) {
  uint32_t n = SIDE;
  float a[2], b, below, h;
  heddle_ptr da = bench_floats(rig, SIDE * (SIDE + 1), NULL), db = bench_floats(rig, SIDE * (SIDE + 1), NULL);
  heddle_ptr dh = bench_zeros(rig, SIDE * SIDE);
  heddle_launch_shape shape = {.grid = {(SIDE + 31) / 32, SIDE / 8}, .block = {32, 8}};
  double seconds = bench_launch(rig, "field", &shape, (void *[]){&da, &db, &dh, &n});
  bench_must(rig->sim, heddle_read(rig->sim, a, da, sizeof a));
  bench_must(rig->sim, heddle_read(rig->sim, &b, db, 4));
  bench_must(rig->sim, heddle_read(rig->sim, &below, db + 4 * SIDE, 4));
  bench_must(rig->sim, heddle_read(rig->sim, &h, dh, 4));
  fail_if(h != -0.7f * (a[1] - a[0] + below - b), "field");
  return seconds;
}

static double project(struct bench_rig *rig) {
  uint32_t n = ROWS, m = COLUMNS;
  float was, is;
  heddle_ptr da = bench_floats(rig, ROWS * COLUMNS, NULL);
  heddle_launch_shape shape = {.grid = {(COLUMNS + BLOCK - 1) / BLOCK}, .block = {BLOCK}};
  bench_must(rig->sim, heddle_read(rig->sim, &was, da + 4, 4));
  double seconds = bench_launch(rig, "project", &shape, (void *[]){&da, &n, &m});
  bench_must(rig->sim, heddle_read(rig->sim, &is, da + 4, 4));
  fail_if(was == is, "project");
  return seconds;
}

/* ---- measuring ----------------------------------------------------------------------------------------------------------- */

static void measure(void *user, struct bench_result *out) {
  double (*fn)(struct bench_rig *) = *(double (**)(struct bench_rig *))user;
  for (int i = 0; i < REPEAT; i++) {
    heddle_options o = HEDDLE_OPTIONS;
    o.functional = 1;
    struct bench_rig rig;
    bench_open(&rig, &o);
    double seconds = fn(&rig);
    if (!i || seconds < out->seconds) out->seconds = seconds;
    bench_must(rig.sim, heddle_stat(rig.sim, "warp_instructions", &out->instructions));
    out->device_bytes = rig.bytes;
    bench_close(&rig);
  }
}

static double show(const struct job *j, double (*fn)(struct bench_rig *)) {
  struct bench_result r = bench_run(measure, &fn);
  double rate = (double)r.instructions / r.seconds;
  char bound[40] = "";
  if (j->bound > 0) snprintf(bound, sizeof bound, "at least %.0f M: %s", j->bound / 1e6, rate >= j->bound ? "yes" : "NO");
  printf("  %-12s %9.2f M  %-22s %s\n", j->kernel, rate / 1e6, bound, j->what);
  return rate;
}

void bench_functional(struct bench_figures *f) {
  printf("Functional, warp instructions a second of one core\n");
  f->arithmetic = show(&(struct job){"arithmetic", "integer and float arithmetic in a loop", 20e6}, arithmetic);
  f->stream = show(&(struct job){"stream", "two loads and a store a turn over 48 MiB, checked", 5e6}, stream);
  show(&(struct job){"field", "a stencil of three fields, 2,000 x 2,000: 31 instructions a thread", 0}, field);
  show(&(struct job){"project", "Gram-Schmidt by columns, 2,000 x 2,001: neighbours in a row, steps of a row", 0}, project);
  f->divergent = show(&(struct job){"divergent", "Collatz sequences: lanes part and meet at every step", 0}, divergent);
}
