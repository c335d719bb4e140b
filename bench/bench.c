/* make bench: speed against the bounds of the project, and a line added to bench/history.tsv.
 *
 *   bench [--no-history | PART...]
 *
 * Parts are functional, load, compress, timed, scaling, launches, growth and kinds; the line of the history is of all of them.
 * Figures are CPU seconds (bench/scaling.c: of the wall), best of a few repetitions; on a busy machine they are still too
 * low by what shared caches and hyper-threads cost. The exit status does not depend on the bounds: a slow machine is not
 * a mistake. */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HISTORY "bench/history.tsv"

static void strip(char *s) { s[strcspn(s, "\n")] = 0; }

static void cpu_model(char *out, size_t size) {
  snprintf(out, size, "unknown");
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[512];
  while (f && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(out, size, "%s", colon + 2);
    strip(out);
    break;
  }
  if (f) fclose(f);
}

static void commit_id(char *out, size_t size) {
  snprintf(out, size, "unknown");
  FILE *f = popen("git describe --always --dirty 2>/dev/null", "r");
  if (!f) return;
  char line[128];
  if (fgets(line, sizeof line, f)) {
    snprintf(out, size, "%s", line);
    strip(out);
  }
  pclose(f);
}

static void add_to_history(const struct bench_figures *f) {
  FILE *out = fopen(HISTORY, "a");
  if (!out) {
    fprintf(stderr, "bench: cannot write %s\n", HISTORY);
    return;
  }
  if (ftell(out) == 0) {
    fprintf(out, "date\tcommit\tcpu\tarithmetic\tstream\tdivergent\tload_ms");
    for (int i = 0; i < 4; i++) fprintf(out, "\t%s", bench_timed_names[i]);
    fprintf(out, "\tgpgpusim_ratio\tpeak_mib_80_sms\tdpc_encode_gbs\tdpc_decode_gbs\ttwo_threads_80_sms\tlaunch_us");
    fprintf(out, "\tmesh56_ratio\th200_ratio\n");
  }
  char cpu[256], commit[128], date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  cpu_model(cpu, sizeof cpu);
  commit_id(commit, sizeof commit);
  fprintf(out, "%s\t%s\t%s\t%.0f\t%.0f\t%.0f\t%.1f", date, commit, cpu, f->arithmetic, f->stream, f->divergent, f->load_ms);
  for (int i = 0; i < 4; i++) fprintf(out, "\t%.0f", f->timed[i]);
  fprintf(out, "\t%.1f\t%.0f\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\n", f->geomean, f->peak_mib, f->dpc_encode, f->dpc_decode,
          f->two_threads, f->launch_us, f->mesh56, f->h200);
  fclose(out);
  printf("\nadded to %s\n", HISTORY);
}

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
    if (history) add_to_history(&f);
    return 0;
  }
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
