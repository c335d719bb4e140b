/* Fuzzing of the plan reader. With libFuzzer (clang -fsanitize=fuzzer -DHEDDLE_LIBFUZZER) only the entry point is used;
 * without it, main runs N mutations of a few plans from a seed: fuzz_plan [-n N] [-s SEED]. A refused plan must have a
 * message that names it; an accepted one must hold runs that a process can be started with. */
#include "base/rng.h"
#include "base/str.h"
#include "lab/sweep/plan.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const plans[] = {
    "workloads = [\"bfs\", \"sgemm\"]\n[vary]\n\"l1.ways\" = [2, 4, 8]\n",
    "workloads = \"all\"\nsize = \"medium\"\ngpu = [\"gtx480\", \"gtx480-ref\"]\nseed = [1, 2]\n",
    "workloads = [\n  \"bfs\", # one\n]\n[set]\n\"sm.scheduler\" = \"lrr\"\n[vary]\n'l1.ways' = [1, 2]\nl2.ways = [8]\n",
    "workloads = []\n",
    "size = small\n[vary]\n[set]\n",
};
static const char *const words[] = {"workloads", "size", "gpu", "seed", "[vary]", "[set]", "\"all\"", "[", "]", "=", ",",
                                    "\"l1.ways\"", "\"l1.sets\" = [1,2,3]", "16K", "\n", "#", "\"", "0x10", "1e9", "true"};
enum { N_PLANS = sizeof plans / sizeof *plans, N_WORDS = sizeof words / sizeof *words, MOST_BYTES = 4096 };

static unsigned long accepted;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"bfs", "sgemm", "kmeans"};
  struct lab_plan p;
  struct err e = {0};
  char *text = malloc(size + 1); /* exactly the size, so that reading past the end is seen */
  if (size) memcpy(text, data, size);
  bool ok = lab_plan_text(&p, "plan.toml", text, size, names, 3, &e);
  free(text);
  assert(ok == (e.kind == ERR_NONE));
  if (!ok) assert(!strncmp(e.text, "plan.toml:", 10));
  else assert(p.n >= 1 && p.n <= LAB_MAX_RUNS);
  accepted += ok;
  for (size_t i = 0; i < p.n; i++) {
    const struct lab_run *r = &p.runs[i];
    assert(*r->workload && *r->gpu && *r->size && r->seed && r->settings && strlen(r->config_hash) == 16);
  }
  lab_plan_free(&p);
  return 0;
}

#ifndef HEDDLE_LIBFUZZER
static size_t mutate(struct rng *r, char *text, size_t n) {
  for (unsigned k = 1 + (unsigned)rng_below(r, 4); k && n; k--) {
    size_t at = (size_t)rng_below(r, n);
    const char *word = words[rng_below(r, N_WORDS)];
    size_t len = strlen(word);
    switch (rng_below(r, 4)) {
    case 0: text[at] = (char)rng_next(r); break;
    case 1: n = at; break;
    case 2:
      memmove(text + at, text + at + 1, n - at - 1);
      n--;
      break;
    default:
      if (n + len > MOST_BYTES) break;
      memmove(text + at + len, text + at, n - at);
      memcpy(text + at, word, len);
      n += len;
    }
  }
  return n;
}

int main(int argc, char **argv) {
  unsigned long inputs = 20000;
  struct rng r = {1};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "-n")) inputs = strtoul(argv[i + 1], NULL, 0);
    if (!strcmp(argv[i], "-s")) r.state = strtoull(argv[i + 1], NULL, 0);
  }
  for (unsigned long i = 0; i < inputs; i++) {
    char text[MOST_BYTES];
    const char *plan = plans[i % N_PLANS];
    size_t n = strlen(plan);
    memcpy(text, plan, n);
    if (i >= N_PLANS) n = mutate(&r, text, n);
    LLVMFuzzerTestOneInput((const uint8_t *)text, n);
  }
  printf("%lu plans, %lu of them accepted, no complaint\n%d passed, %d failed\n", inputs, accepted, accepted > 0, accepted == 0);
  return accepted ? 0 : 1;
}
#endif
