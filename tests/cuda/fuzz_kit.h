/* The standalone half of the fuzzers: LLVMFuzzerTestOneInput is theirs, this is a main that feeds it seeds
 * and seeded mutations of them, or random bytes where there are no seeds.
 * usage: PROGRAM [-n INPUTS] [-s SEED] [-l BYTES: the bound of a random input's length] [FILE...]
 * Built with -fsanitize=fuzzer the main is left out (FUZZER_MAIN). */
#ifndef FUZZ_KIT_H
#define FUZZ_KIT_H

#include "base/rng.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#ifndef FUZZER_MAIN

enum { FUZZ_MOST_BYTES = 1 << 16, FUZZ_FILES = 64 };

struct fuzz_seed {
  uint8_t *data;
  size_t bytes;
};

static size_t fuzz_mutate(struct rng *r, uint8_t *data, size_t n, size_t capacity) {
  static const uint64_t odd[] = {
      0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0x8000000000000000u, UINT64_MAX};
  unsigned changes = 1 + (unsigned)rng_below(r, 6);
  for (unsigned i = 0; i < changes && n; i++) {
    size_t at = (size_t)rng_below(r, n);
    switch (rng_below(r, 6)) {
    case 0: data[at] ^= (uint8_t)(1u << rng_below(r, 8)); break;
    case 1: data[at] = (uint8_t)rng_next(r); break;
    case 2: { /* a number from the edge, of one to eight bytes */
      uint64_t v = odd[rng_below(r, sizeof odd / sizeof *odd)];
      size_t width = (size_t)1 << rng_below(r, 4);
      if (at + width <= n) memcpy(data + at, &v, width);
      break;
    }
    case 3: n = at; break; /* cut */
    case 4: {              /* copy a part elsewhere */
      size_t from = (size_t)rng_below(r, n), len = (size_t)rng_below(r, n - (at > from ? at : from)) + 0;
      memmove(data + at, data + from, len);
      break;
    }
    default: /* repeat the end */
      if (n + (n - at) <= capacity) {
        memcpy(data + n, data + at, n - at);
        n += n - at;
      }
    }
  }
  return n;
}

static struct fuzz_seed fuzz_read(const char *path) {
  struct fuzz_seed s = {malloc(FUZZ_MOST_BYTES), 0};
  FILE *f = fopen(path, "rb");
  if (!f) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(2);
  }
  s.bytes = fread(s.data, 1, FUZZ_MOST_BYTES, f);
  fclose(f);
  return s;
}

/* `make`, unless NULL, makes every second input, of FUZZ_MOST_BYTES bytes at most; returns how many. */
static int fuzz_main(int argc, char **argv, unsigned long inputs, const char *const *defaults, size_t n_defaults,
                     size_t (*make)(struct rng *r, uint8_t *data)) {
  struct rng r = {1};
  struct fuzz_seed seeds[FUZZ_FILES];
  size_t n = 0, longest = 400;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-n") && i + 1 < argc)
      inputs = strtoul(argv[++i], NULL, 0);
    else if (!strcmp(argv[i], "-s") && i + 1 < argc)
      r.state = strtoull(argv[++i], NULL, 0);
    else if (!strcmp(argv[i], "-l") && i + 1 < argc)
      longest = strtoul(argv[++i], NULL, 0);
    else if (n < FUZZ_FILES)
      seeds[n++] = fuzz_read(argv[i]);
  }
  for (size_t i = 0; !n && i < n_defaults; i++) seeds[i] = fuzz_read(defaults[i]);
  if (!n) n = n_defaults;
  uint8_t *data = malloc(FUZZ_MOST_BYTES);
  for (size_t i = 0; i < n; i++) LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].bytes);
  for (unsigned long i = 0; i < inputs; i++) {
    size_t bytes;
    if (make && i % 2) {
      bytes = make(&r, data);
    } else if (n) {
      const struct fuzz_seed *s = &seeds[rng_below(&r, n)];
      memcpy(data, s->data, bytes = s->bytes);
      bytes = fuzz_mutate(&r, data, bytes, FUZZ_MOST_BYTES);
    } else {
      bytes = (size_t)rng_below(&r, longest < FUZZ_MOST_BYTES ? longest : FUZZ_MOST_BYTES);
      for (size_t k = 0; k < bytes; k++) data[k] = (uint8_t)rng_next(&r);
    }
    LLVMFuzzerTestOneInput(data, bytes);
  }
  free(data);
  for (size_t i = 0; i < n; i++) free(seeds[i].data);
  printf("%s: %lu inputs, no complaint\n1 passed, 0 failed\n", argv[0], inputs);
  return 0;
}

#endif
#endif
