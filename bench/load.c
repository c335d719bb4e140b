/* How long a module of 10,000 lines takes from PTX text to kernels that can be launched. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 10000, KERNELS = 20, REPEAT = 7, MOST_BYTES = 1 << 20 };
#define BOUND_MS 50.0

/* A body in the manner of compiled code: address arithmetic, loads and stores, arithmetic, a loop every 25 lines. */
static size_t add_body(char *at, unsigned lines) {
  char *start = at;
  unsigned loops = 0;
  for (unsigned i = 0; i < lines; i++) {
    unsigned r = i % 60, f = i % 40, d = i % 30;
    switch (i % 25) {
    case 0: at += sprintf(at, "$L__%u:\n", loops); break;
    case 5: case 15: at += sprintf(at, "\tld.global.f32 \t%%f%u, [%%rd%u+%u];\n", f + 1, d + 1, 4 * i); break;
    case 7: at += sprintf(at, "\tst.global.f32 \t[%%rd%u], %%f%u;\n", d + 1, f + 1); break;
    case 3: case 13: at += sprintf(at, "\tmul.wide.s32 \t%%rd%u, %%r%u, 4;\n", d + 1, r + 1); break;
    case 4: case 14: at += sprintf(at, "\tadd.s64 \t%%rd%u, %%rd%u, %%rd%u;\n", d + 1, d + 1, d + 2); break;
    case 8: case 9: case 18: at += sprintf(at, "\tfma.rn.f32 \t%%f%u, %%f%u, %%f%u, %%f%u;\n", f + 1, f + 2, f + 3, f + 1); break;
    case 20: at += sprintf(at, "\t.loc\t1 %u 9\n", i + 1); break;
    case 23: at += sprintf(at, "\tsetp.lt.s32 \t%%p%u, %%r%u, 100;\n", i % 5 + 1, r + 1); break;
    case 24: at += sprintf(at, "\t@%%p%u bra \t$L__%u;\n", (i - 1) % 5 + 1, loops++); break;
    default: at += sprintf(at, "\tmad.lo.s32 \t%%r%u, %%r%u, %u, %%r%u;\n", r + 1, r + 2, i, r + 3); break;
    }
  }
  return (size_t)(at - start);
}

static char *make_text(size_t *bytes, unsigned *lines) {
  char *text = malloc(MOST_BYTES), *at = text;
  at += sprintf(at, ".version 7.5\n.target sm_75\n.address_size 64\n.file 1 \"generated.cu\"\n");
  unsigned overhead = 8, body = (LINES + KERNELS - 5) / KERNELS - overhead;
  for (unsigned k = 0; k < KERNELS; k++) {
    at += sprintf(at, ".visible .entry kernel%u(\n\t.param .u64 p%u\n)\n{\n\t.reg .pred \t%%p<8>;\n", k, k);
    at += sprintf(at, "\t.reg .b32 \t%%r<70>; .reg .f32 \t%%f<50>; .reg .b64 \t%%rd<40>;\n");
    at += add_body(at, body);
    at += sprintf(at, "\tret;\n}\n");
  }
  *lines = 0;
  for (const char *c = text; c < at; c++) *lines += *c == '\n';
  *bytes = (size_t)(at - text);
  return text;
}

struct job {
  const char *text;
  size_t bytes;
};

static void measure(void *user, struct bench_result *out) {
  const struct job *j = user;
  heddle_options o = HEDDLE_OPTIONS;
  o.functional = 1;
  heddle_sim *sim;
  heddle_status status = heddle_open(&o, &sim);
  bench_must(sim, status);
  for (int i = 0; i < REPEAT; i++) {
    heddle_module *m;
    double start = bench_cpu_seconds();
    bench_must(sim, heddle_load(sim, "generated.ptx", j->text, j->bytes, &m));
    double seconds = bench_cpu_seconds() - start;
    if (!i || seconds < out->seconds) out->seconds = seconds;
    heddle_unload(m);
  }
  heddle_close(sim);
}

void bench_load(struct bench_figures *f) {
  struct job j;
  unsigned lines;
  char *text = make_text(&j.bytes, &lines);
  j.text = text;
  struct bench_result r = bench_run(measure, &j);
  f->load_ms = 1000 * r.seconds;
  printf("\nLoading %u lines of PTX (%zu KiB, %d kernels)\n  %.1f ms, at most %.0f ms: %s\n", lines, j.bytes / 1024, KERNELS,
         f->load_ms, BOUND_MS, f->load_ms <= BOUND_MS ? "yes" : "NO");
  free(text);
}
