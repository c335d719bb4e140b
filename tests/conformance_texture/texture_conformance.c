/* The texture conformance program: records what texture and surface instructions do on a GPU, and checks that
 * Heddle does the same. It talks to the device through the CUDA driver API only.
 *
 *   texture_conformance record FILE               run all cases on the device
 *   texture_conformance pack FROM TO              compress a recording, as kept in the repository
 *   texture_conformance check FILE [GLOB] [-v]    run and compare; exit 1 if anything differs
 *   texture_conformance list                      names of the cases
 *   texture_conformance ptx DIR                   the kernels as files, for an assembler
 *
 * Point samples, loads and stores must be equal bit for bit; filtered results within the case's tolerance,
 * and the largest error is printed. */
#include "texture_golden.h"
#include "texture_kernel.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4 };

struct verdict {
  size_t different; /* words that are not equal */
  size_t bad;       /* beyond the tolerance */
  double worst;
};

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The error of one word: 0 where equal, infinite where no tolerance applies. */
static double error_of(const struct texture_case *c, uint32_t want, uint32_t got) {
  if (want == got) return 0.0;
  if (c->tolerance <= 0.0) return INFINITY;
  float w = float_of(want), g = float_of(got);
  if (isnan(w) && isnan(g)) return 0.0;
  return isfinite(w) && isfinite(g) ? fabs((double)w - (double)g) : INFINITY;
}

static void show(const struct texture_case *c, size_t word, const uint32_t *want, const uint32_t *got) {
  if (c->kind == CASE_STORE) {
    printf("    word %zu: expected %08x got %08x\n", word, want[word], got[word]);
    return;
  }
  unsigned lane = (unsigned)(word / CASE_RESULTS);
  uint32_t in[CASE_WORDS];
  case_inputs(c, lane, in);
  printf("    lane %u: in", lane);
  for (unsigned i = 0; i < CASE_EXTRA + c->extra; i++)
    printf(c->float_coords && c->kind == CASE_FETCH && i ? " %.9g" : " %.0f",
           c->float_coords && c->kind == CASE_FETCH && i ? (double)float_of(in[i]) : (double)(int32_t)in[i]);
  printf("\n      expected");
  for (unsigned i = 0; i < CASE_RESULTS; i++) printf(" %08x", want[lane * CASE_RESULTS + i]);
  printf("\n      got     ");
  for (unsigned i = 0; i < CASE_RESULTS; i++) printf(" %08x", got[lane * CASE_RESULTS + i]);
  printf("\n");
}

static struct verdict judge(const struct texture_case *c, const uint32_t *want, const uint32_t *got,
                            bool verbose) {
  struct verdict v = {0};
  size_t n = case_result_words(c), shown = 0;
  for (size_t i = 0; i < n; i++) {
    double e = error_of(c, want[i], got[i]);
    if (want[i] != got[i]) v.different++;
    if (e > v.worst) v.worst = e;
    if (e > c->tolerance) v.bad++;
    bool tell = e > c->tolerance || (verbose && want[i] != got[i]);
    if (tell && shown++ < SHOWN) show(c, i, want, got);
  }
  return v;
}

/* ---- commands ---- */

static int record(const struct texture_case *const *list, size_t count, const char *path) {
  struct texture_outcome *outcomes = calloc(count, sizeof *outcomes);
  if (!outcomes) return 2;
  if (!texture_run(list, count, outcomes)) {
    fprintf(stderr, "no CUDA device\n");
    return 2;
  }
  size_t states[4] = {0};
  for (size_t i = 0; i < count; i++) {
    states[outcomes[i].state]++;
    if (outcomes[i].state != RUN_OK) printf("%s: %s\n", list[i]->name, outcomes[i].error);
  }
  printf("%zu cases: %zu ok, %zu refused, %zu failed\n", count, states[RUN_OK], states[RUN_REFUSED],
         states[RUN_FAILED]);
  bool ok = recording_write(path, list, count, outcomes);
  free(outcomes);
  return ok ? 0 : 2;
}

/* One case: true if it passes. */
static bool check_case(const struct texture_case *c, const struct recorded *r,
                       const struct texture_outcome *o, bool verbose) {
  if (!r) {
    printf("MISSING %s: not recorded\n", c->name);
    return false;
  }
  if (o->state != RUN_OK || r->words != case_result_words(c)) {
    printf("FAILED %s: %s\n", c->name, o->state == RUN_OK ? "recorded with another size" : o->error);
    return false;
  }
  struct verdict v = judge(c, r->at, o->words, verbose);
  bool pass = (double)v.bad <= c->may_differ * (double)r->words;
  if (!pass)
    printf("FAILED %s: %zu of %zu words differ, largest error %.3g\n", c->name, v.bad, r->words, v.worst);
  else if (v.different)
    printf("near %s: %zu of %zu words differ, largest error %.3g (allowed %.3g)\n", c->name, v.different,
           r->words, v.worst, c->tolerance);
  return pass;
}

static int check(const struct texture_case *const *list, size_t count, const char *path, bool verbose) {
  struct recording r;
  struct texture_outcome *outcomes = calloc(count + 1, sizeof *outcomes);
  size_t failed = 0;
  if (!outcomes || !recording_read(&r, path)) return 2;
  if (!texture_run(list, count, outcomes)) {
    fprintf(stderr, "no CUDA device\n");
    return 2;
  }
  size_t refused = 0;
  for (size_t i = 0; i < count; i++) {
    const struct recorded *want = recording_find(&r, list[i]->name);
    if (want && want->state != RUN_OK)
      refused++; /* the recording GPU has no answer */
    else if (!check_case(list[i], want, &outcomes[i], verbose))
      failed++;
  }
  printf("%zu cases were refused by the GPU that recorded\n", refused);
  printf("%zu rows passed, %zu failed\n", count - refused - failed, failed);
  recording_free(&r);
  free(outcomes);
  return failed ? 1 : 0;
}

static int write_kernels(const struct texture_case *const *list, size_t count, const char *folder) {
  static char text[16384];
  for (size_t i = 0; i < count; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%04zu.ptx", folder, i);
    FILE *f = fopen(path, "w");
    if (!f) {
      perror(path);
      return 2;
    }
    texture_kernel(list[i], text, sizeof text);
    fputs(text, f);
    fclose(f);
  }
  return 0;
}

static int usage(void) {
  fprintf(
      stderr,
      "usage: texture_conformance record FILE | pack FROM TO | check FILE [GLOB] [-v] | list | ptx DIR\n");
  return 2;
}

int main(int argc, char **argv) {
  struct texture_cases all;
  bool verbose = argc > 1 && strcmp(argv[argc - 1], "-v") == 0;
  if (verbose) argc--;
  if (argc < 2) return usage();
  cases_build(&all);
  const struct texture_case **list = malloc((all.count + 1) * sizeof *list);
  if (!list) return 2;
  size_t count = 0;
  const char *glob = argc > 3 && strcmp(argv[1], "check") == 0 ? argv[3] : "*";
  for (size_t i = 0; i < all.count; i++)
    if (fnmatch(glob, all.list[i].name, 0) == 0) list[count++] = &all.list[i];
  int rc = 0;
  if (strcmp(argv[1], "list") == 0)
    for (size_t i = 0; i < count; i++) printf("%s\n", list[i]->name);
  else if (argc < 3)
    rc = usage();
  else if (strcmp(argv[1], "record") == 0)
    rc = record(list, count, argv[2]);
  else if (strcmp(argv[1], "check") == 0)
    rc = check(list, count, argv[2], verbose);
  else if (strcmp(argv[1], "ptx") == 0)
    rc = write_kernels(list, count, argv[2]);
  else if (strcmp(argv[1], "pack") == 0 && argc == 4)
    rc = recording_pack(argv[2], argv[3]) ? 0 : 2;
  else
    rc = usage();
  free(list);
  free(all.list);
  return rc;
}
