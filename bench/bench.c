/* make bench: speed against the bounds of the project, and a line added to bench/history.tsv.
 *
 *   bench [--no-history | --compare FILE | PART...]
 *
 * Parts are functional, load, compress, timed, scaling, launches, growth, kinds and textures; the line of the history is of all of
 * them. What is worse than in the line before is told (history.c); --compare only does that for the last line of a file.
 * Figures are CPU seconds (bench/scaling.c: of the wall), best of a few repetitions; on a busy machine they are still too
 * low by what shared caches and hyper-threads cost. The exit status does not depend on the bounds: a slow machine is not
 * a mistake. */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HISTORY "bench/history.tsv"

static void growth(struct bench_figures *f) {
  (void)f;
  bench_growth();
}

static const struct part {
  const char *name;
  void (*run)(struct bench_figures *f);
} parts[] = {
    {"functional", bench_functional}, {"load", bench_load},         {"compress", bench_compress}, {"timed", bench_timed},
    {"scaling", bench_scaling},       {"launches", bench_launches}, {"growth", growth},         {"kinds", bench_kinds},
    {"textures", bench_textures},
};
enum { PARTS = sizeof parts / sizeof *parts };

static const struct part *find(const char *name) {
  for (int i = 0; i < PARTS; i++)
    if (!strcmp(parts[i].name, name)) return &parts[i];
  return NULL;
}

int main(int argc, char **argv) {
  struct bench_figures f = {0};
  bool history = argc < 2;
  if (history || !strcmp(argv[1], "--no-history")) {
    for (int i = 0; i < PARTS; i++) parts[i].run(&f);
    if (history) bench_add_to_history(HISTORY, &f);
    return history ? bench_compare_history(HISTORY) : 0;
  }
  if (!strcmp(argv[1], "--compare") && argc == 3) return bench_compare_history(argv[2]);
  for (int i = 1; i < argc; i++)
    if (!find(argv[i])) {
      fprintf(stderr, "bench: no part is called '%s'; there are", argv[i]);
      for (int k = 0; k < PARTS; k++) fprintf(stderr, " %s", parts[k].name);
      fprintf(stderr, "\n");
      return 2;
    }
  for (int i = 1; i < argc; i++) find(argv[i])->run(&f);
  return 0;
}
