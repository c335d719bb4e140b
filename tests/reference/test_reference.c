/* Four small kernels on the preset gtx480-ref: values against the CPU, and Heddle's own counts against
 * golden.tsv, exactly. A change of timing shows here first; docs/reference.md holds the comparison with
 * GPGPU-Sim.
 *
 *   test_reference                 compares
 *   test_reference --write         prints a new golden.tsv instead */
#include <heddle/heddle.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const counted[] = {
    "cycles",           "warp_instructions", "thread_instructions",   "l1d.accesses",   "l1d.hits",
    "l1d.pending_hits", "l1d.misses",        "l1d.reservation_fails", "l2.accesses",    "l2.hits",
    "dram.reads",       "dram.writes",       "dram.row_hits",         "sm.load_latency"};
enum { COUNTED = sizeof counted / sizeof *counted };

static heddle_sim *sim;
static heddle_module *module;

static void need(heddle_status s, const char *what) {
  if (s == HEDDLE_OK) return;
  fprintf(stderr, "%s: %s\n", what, heddle_error(sim));
  exit(1);
}

/* ---- inputs ------------------------------------------------------------------------------------------------------- */

static uint32_t sequence;
static float next_value(void) {
  sequence = sequence * 1664525u + 1013904223u;
  return (float)(sequence >> 8 & 0xffff) / 65536.f;
}

static float *values(size_t n) {
  float *v = malloc(n * sizeof *v);
  for (size_t i = 0; i < n; i++) v[i] = next_value();
  return v;
}

static heddle_ptr on_device(const void *host, size_t bytes) {
  heddle_ptr p;
  need(heddle_alloc(sim, bytes, &p), "alloc");
  need(host ? heddle_write(sim, p, host, bytes) : heddle_fill(sim, p, 0, bytes), "copy");
  return p;
}

static void launch(const char *name, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by, void **arguments) {
  heddle_kernel *k;
  need(heddle_find_kernel(module, name, &k), name);
  need(heddle_launch(k, &(heddle_launch_shape){.grid = {gx, gy, 1}, .block = {bx, by, 1}}, arguments), name);
}

/* ---- kernels: each returns how many results are wrong ------------------------------------------------------------- */

static long vecadd(void) {
  int n = 262144;
  size_t bytes = (size_t)n * 4;
  float *a = values((size_t)n), *b = values((size_t)n), *c = malloc(bytes);
  heddle_ptr da = on_device(a, bytes), db = on_device(b, bytes), dc = on_device(NULL, bytes);
  launch("vecadd", (uint32_t)n / 256, 1, 256, 1, (void *[]){&da, &db, &dc, &n});
  need(heddle_read(sim, c, dc, bytes), "read");
  long wrong = 0;
  for (int i = 0; i < n; i++) wrong += c[i] != a[i] + b[i];
  free(a), free(b), free(c);
  return wrong;
}

static long fma_chains(void) {
  int n = 32768, turns = 64;
  float x = 0.5f, y = 0.25f, *r = malloc((size_t)n * 4);
  heddle_ptr out = on_device(NULL, (size_t)n * 4);
  launch("fma_loop", (uint32_t)n / 256, 1, 256, 1, (void *[]){&out, &x, &y, &turns});
  need(heddle_read(sim, r, out, (size_t)n * 4), "read");
  long wrong = 0;
  for (int i = 0; i < n; i++) {
    float v[4], sum = 0;
    for (int k = 0; k < 4; k++) {
      v[k] = (float)i * 1e-6f + (float)k;
      for (int t = 0; t < turns; t++) v[k] = v[k] * x + y;
      sum += v[k];
    }
    wrong += fabsf(r[i] - sum) > 1e-4f;
  }
  free(r);
  return wrong;
}

static long matmul(void) {
  int n = 128;
  size_t bytes = (size_t)n * (size_t)n * 4;
  float *a = values(bytes / 4), *b = values(bytes / 4), *c = malloc(bytes);
  heddle_ptr da = on_device(a, bytes), db = on_device(b, bytes), dc = on_device(NULL, bytes);
  launch("matmul_naive", (uint32_t)n / 16, (uint32_t)n / 16, 16, 16, (void *[]){&da, &db, &dc, &n});
  need(heddle_read(sim, c, dc, bytes), "read");
  long wrong = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      wrong += fabsf(sum - c[i * n + j]) > 1e-3f * fabsf(sum);
    }
  free(a), free(b), free(c);
  return wrong;
}

static int nearest(const float *point, const float *centres, int n, int features) {
  int best = 0;
  float least = 3.4e38f;
  for (int k = 0; k < n; k++) {
    float d = 0;
    for (int f = 0; f < features; f++) {
      float x = point[f] - centres[k * features + f];
      d = fmaf(x, x, d);
    }
    if (d < least) least = d, best = k;
  }
  return best;
}

static long kmeans(void) {
  int points = 4096, centres = 5, features = 34;
  size_t n = (size_t)points * (size_t)features, m = (size_t)centres * (size_t)features;
  float *p = values(n), *q = values(m);
  int *r = malloc((size_t)points * 4);
  heddle_ptr dp = on_device(p, n * 4), dq = on_device(q, m * 4), dr = on_device(NULL, (size_t)points * 4);
  launch("kmeans_strided", (uint32_t)points / 256, 1, 256, 1,
         (void *[]){&dp, &dq, &dr, &points, &centres, &features});
  need(heddle_read(sim, r, dr, (size_t)points * 4), "read");
  long wrong = 0;
  for (int i = 0; i < points; i++) wrong += nearest(p + i * features, q, centres, features) != r[i];
  free(p), free(q), free(r);
  return wrong;
}

/* ---- counts ------------------------------------------------------------------------------------------------------- */

static unsigned long long golden(const char *kernel, const char *counter) {
  FILE *f = fopen("tests/reference/golden.tsv", "r");
  char line[256], k[64], c[64];
  unsigned long long v, found = ~0ull;
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "%63s %63s %llu", k, c, &v) == 3 && !strcmp(k, kernel) && !strcmp(c, counter)) found = v;
  if (f) fclose(f);
  return found;
}

/* Prints or compares the counts of the run; how many differ. */
static int counts(const char *kernel, bool write) {
  int differ = 0;
  for (int i = 0; i < COUNTED; i++) {
    uint64_t v = 0;
    need(heddle_stat(sim, counted[i], &v), counted[i]);
    if (write)
      printf("%s\t%s\t%llu\n", kernel, counted[i], (unsigned long long)v);
    else if (golden(kernel, counted[i]) != v) {
      printf("%s: %s is %llu, golden.tsv has %llu\n", kernel, counted[i], (unsigned long long)v,
             golden(kernel, counted[i]));
      differ++;
    }
  }
  return differ;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    long (*run)(void);
  } kernels[] = {{"vecadd", vecadd}, {"fma", fma_chains}, {"matmul_naive", matmul}, {"kmeans", kmeans}};
  bool write = argc > 1 && !strcmp(argv[1], "--write");
  int failed = 0;
  for (size_t i = 0; i < 4; i++) {
    need(heddle_open(&(heddle_options){.size = sizeof(heddle_options), .gpu = "gtx480-ref"}, &sim), "open");
    need(heddle_load_file(sim, "tests/reference/reference_kernels.ptx", &module), "load");
    sequence = 12345;
    long wrong = kernels[i].run();
    if (wrong) printf("%s: %ld results are wrong\n", kernels[i].name, wrong);
    failed += counts(kernels[i].name, write) || wrong;
    heddle_close(sim);
  }
  if (!write) printf("%d passed, %d failed\n", 4 - failed, failed);
  return failed != 0;
}
