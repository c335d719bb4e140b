/* Fuzzing of the configuration reader, with every key of the GPU. With libFuzzer (clang -fsanitize=fuzzer
 * -DHEDDLE_LIBFUZZER) only the entry point is used; without it, main runs N mutations of the presets and of a
 * few texts from a seed: fuzz_cfg [-n N] [-s SEED]. A refused text must have a message of one line that names
 * a place; an accepted one must give values within their ranges, and --set must take each of them back. */
#include "base/policy.h"
#include "base/rng.h"
#include "gpu/gpu.h"
#include "gpu/presets.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_value(void *user, const struct cfg_key *k, const char *value, const char *source) {
  const struct cfg *c = user;
  assert(*source);
  if (k->type == CFG_INT || k->type == CFG_BYTES) {
    double v = (double)cfg_int(c, k->name);
    assert(v >= k->min && v <= k->max);
  } else if (k->type == CFG_REAL) {
    double v = cfg_real(c, k->name);
    assert(v >= k->min && v <= k->max);
  } else if (k->type == CFG_CHOICE)
    assert(policy_find(k->choices, value));
}

/* Files are not opened by random included names. */
static const char *no_files(const char *name) {
  const char *text = gpu_preset_text(name);
  return text ? text : "";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct cfg *keys;
  if (!keys) keys = gpu_cfg_new();
  struct cfg *c = cfg_copy(keys);
  cfg_set_includes(c, no_files);
  struct err e = {0};
  char *text = malloc(size + 1); /* exactly the size, so that reading past the end is seen */
  memcpy(text, data, size);
  text[size] = 0;
  bool ok = cfg_read_text(c, "fuzz.toml", text, &e);
  assert(ok || (e.kind == ERR_INPUT && e.text[0]));
  if (ok) cfg_visit(c, check_value, c);
  err_clear(&e);
  if (!cfg_set(c, text, &e)) assert(e.kind == ERR_INPUT && e.text[0]);
  free(text);
  cfg_delete(c);
  return 0;
}

#ifndef HEDDLE_LIBFUZZER

enum { LONGEST = 2048 };

static const char *const words[] = {
    "[l1]",
    "sets",
    " = ",
    "\"",
    "'",
    "\n",
    "#",
    "1_000",
    "0x",
    "-1",
    "1e400",
    "nan",
    "inf",
    "\"16K\"",
    "\"1.5K\"",
    "9223372036854775808",
    "true",
    "false",
    "[",
    "]",
    "[1, 2,\n3]",
    "include = \"gtx480\"\n",
    "l1.sets",
    "dram.tCL",
    "\\n",
    "\\u0041",
    "\\",
    ".",
    "..",
    "sm.scheduler = \"gto\"\n",
    "gpu.core_clock",
    "\r\n",
    "\t",
    "[[x]]",
    "{",
    ",",
    "=",
    "\"\"\"",
    "K",
    "G",
    "0b1",
    "_",
};
static const char *const seeds[] = {
    "",
    "[l1]\nsets = 32 # sets\nways = 4\norg = \"base\"\n",
    "include = \"gtx480\"\ngpu.sms = 2\n[sm]\nscheduler = 'lrr'\n",
    "gpu.memory = \"4G\"\nl1.cache_global = true\n\"l1.latency\" = 0x20\n",
    "a = [1, 2.5, \"x\", true,\n]\n",
    "l1.sets=16",
};

static size_t insert(char *out, size_t n, size_t at, const char *bytes, size_t count) {
  if (n + count > LONGEST) return n;
  memmove(out + at + count, out + at, n - at);
  memcpy(out + at, bytes, count);
  return n + count;
}

static size_t mutate(struct rng *g, char *out, size_t n) {
  size_t at = n ? (size_t)rng_below(g, n) : 0, len = (size_t)rng_below(g, 24) + 1;
  const char *word = words[rng_below(g, sizeof words / sizeof *words)];
  if (at + len > n) len = n - at;
  switch (rng_below(g, 5)) {
  case 0:
    if (n) out[at] = (char)rng_next(g);
    return n;
  case 1: memmove(out + at, out + at + len, n - at - len); return n - len;
  case 2: {
    char copy[32];
    memcpy(copy, out + at, len);
    return insert(out, n, n ? (size_t)rng_below(g, n) : 0, copy, len);
  }
  default: return insert(out, n, at, word, strlen(word));
  }
}

static void run(uint64_t n, uint64_t seed) {
  struct rng g = {seed};
  size_t n_presets, n_seeds = sizeof seeds / sizeof *seeds;
  const char *const *presets = gpu_preset_names(&n_presets);
  static char out[LONGEST + 1];
  for (uint64_t i = 0; i < n; i++) {
    /* Whole presets now and then: the rest is short, which finds more in the same time. */
    const char *from = rng_below(&g, 16) ? seeds[rng_below(&g, n_seeds)]
                                         : gpu_preset_text(presets[rng_below(&g, n_presets)]);
    size_t len = strlen(from) < LONGEST ? strlen(from) : LONGEST;
    memcpy(out, from, len);
    for (uint64_t k = rng_below(&g, 6) + 1; k; k--) len = mutate(&g, out, len);
    LLVMFuzzerTestOneInput((const uint8_t *)out, len);
  }
}

int main(int argc, char **argv) {
  uint64_t n = 20000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "-n")) n = strtoull(argv[i + 1], NULL, 0);
    if (!strcmp(argv[i], "-s")) seed = strtoull(argv[i + 1], NULL, 0);
  }
  run(n, seed);
  printf("%llu inputs\n1 passed, 0 failed\n", (unsigned long long)n);
  return 0;
}
#endif
