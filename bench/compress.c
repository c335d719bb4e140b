/* How fast the compressors of 128-byte blocks are, on one core: encoder, decoder, and the size alone, which is what a
 * simulation asks for. On blocks in the manner of programs' data, on blocks whose groups are of one value by chance (hard
 * to predict), and on real bytes: this program's own file. What was decoded is compared with what was encoded. */
#include "bench.h"

#include "compress/compress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8192 /* one megabyte */, REPEAT = 9 };
#define BOUND 1.0 /* GB/s, dual pattern, each direction */

struct data {
  uint8_t (*in)[COMPRESS_BLOCK];
  uint8_t (*out)[COMPRESS_MOST_BYTES];
  uint32_t *bits;
};
struct speed {
  double encode, decode, bits; /* GB/s */
  double ratio;
};

static uint32_t draw(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 32);
}

static uint32_t integers(uint64_t *s, unsigned i) { return (void)i, draw(s) % 1000; }
static uint32_t floats(uint64_t *s, unsigned i) {
  float f = 1.0f + (float)(draw(s) % 4096) / 4096;
  uint32_t w;
  memcpy(&w, &f, 4);
  return (void)i, w;
}
static uint32_t pointers(uint64_t *s, unsigned i) { return i % 2 ? 0x2000 : 0x40000000 + 8 * (draw(s) % 4096); }
static uint32_t bit_out(uint64_t *s, unsigned i) { return (void)i, 0x5a5a5a5au ^ 1u << draw(s) % 32; }
static uint32_t noise(uint64_t *s, unsigned i) { return (void)i, draw(s); }

static const struct {
  const char *name;
  uint32_t (*word)(uint64_t *state, unsigned i); /* NULL: this program */
} sets[] = {{"integers to 1000", integers}, {"floats, 1 to 2", floats}, {"pointers", pointers}, {"one bit out", bit_out},
            {"noise", noise},           {"this program", NULL}};
enum { N_SETS = sizeof sets / sizeof *sets };

static void fill(struct data *d, unsigned set) {
  uint64_t state = 1;
  memset(d->in, 0, sizeof *d->in * BLOCKS);
  if (!sets[set].word) {
    FILE *f = fopen("/proc/self/exe", "rb");
    size_t n = f ? fread(d->in, COMPRESS_BLOCK, BLOCKS, f) : 0;
    for (size_t i = n; n && i < BLOCKS; i++) memcpy(d->in[i], d->in[i % n], COMPRESS_BLOCK);
    if (f) fclose(f);
    return;
  }
  for (unsigned b = 0; b < BLOCKS; b++)
    for (unsigned i = 0; i < COMPRESS_BLOCK / 4; i++) {
      uint32_t w = sets[set].word(&state, i);
      memcpy(d->in[b] + 4 * i, &w, 4);
    }
}

static void best(double *gbs, double start) {
  double speed = BLOCKS * (double)COMPRESS_BLOCK / (bench_cpu_seconds() - start) / 1e9;
  if (speed > *gbs) *gbs = speed;
}

static struct speed measure(const struct compressor *c, struct data *d) {
  struct speed s = {0};
  uint64_t total = 0;
  for (int k = 0; k < REPEAT; k++) {
    uint32_t sum = 0;
    uint8_t back[COMPRESS_BLOCK];
    double start = bench_cpu_seconds();
    for (unsigned i = 0; i < BLOCKS; i++) d->bits[i] = c->encode(d->in[i], COMPRESS_ALL, d->out[i]);
    best(&s.encode, start);
    start = bench_cpu_seconds();
    for (unsigned i = 0; i < BLOCKS; i++)
      if (!c->decode(d->out[i], d->bits[i], COMPRESS_ALL, back)) exit(1);
    best(&s.decode, start);
    start = bench_cpu_seconds();
    for (unsigned i = 0; i < BLOCKS; i++) sum += c->bits(d->in[i], COMPRESS_ALL);
    best(&s.bits, start);
    total = sum;
  }
  for (unsigned i = 0; i < BLOCKS; i++) {
    uint8_t back[COMPRESS_BLOCK];
    if (!c->decode(d->out[i], d->bits[i], COMPRESS_ALL, back) || memcmp(back, d->in[i], COMPRESS_BLOCK) != 0) {
      fprintf(stderr, "bench: %s does not give back what it was given\n", c->policy.name);
      exit(1);
    }
  }
  s.ratio = 8.0 * BLOCKS * COMPRESS_BLOCK / (double)total;
  return s;
}

void bench_compress(struct bench_figures *f) {
  struct data d = {malloc(sizeof *d.in * BLOCKS), malloc(sizeof *d.out * BLOCKS), malloc(sizeof *d.bits * BLOCKS)};
  f->dpc_encode = f->dpc_decode = 1e9;
  printf("\nCompressors of 128-byte blocks, GB/s to encode, to decode, and for the size alone\n");
  for (size_t c = 0; compressors[c]; c++)
    for (unsigned set = 0; set < N_SETS; set++) {
      fill(&d, set);
      struct speed s = measure(compressors[c], &d);
      printf("  %-6s %-17s %6.2f %6.2f %6.2f   ratio %.2f\n", set ? "" : compressors[c]->policy.name, sets[set].name, s.encode, s.decode,
             s.bits, s.ratio);
      if (c) continue;
      if (s.encode < f->dpc_encode) f->dpc_encode = s.encode;
      if (s.decode < f->dpc_decode) f->dpc_decode = s.decode;
    }
  printf("  dual pattern, slowest: %.2f and %.2f, at least %.0f each: %s\n", f->dpc_encode, f->dpc_decode, BOUND,
         f->dpc_encode >= BOUND && f->dpc_decode >= BOUND ? "yes" : "NO");
  free(d.in);
  free(d.out);
  free(d.bits);
}
