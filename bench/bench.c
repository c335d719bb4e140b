/* make bench: speed against the bounds of the project, and a line added to bench/history.tsv.
 *
 *   bench [--no-history]
 *
 * Figures are CPU seconds (bench/scaling.c: of the wall), best of a few repetitions; on a busy machine they are still too
 * low by what shared caches and hyper-threads cost. The exit status does not depend on the bounds: a slow machine is not
 * a mistake. */
#include "bench.h"

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

int main(int argc, char **argv) {
  struct bench_figures f = {0};
  bench_functional(&f);
  bench_load(&f);
  bench_compress(&f);
  bench_timed(&f);
  bench_scaling(&f);
  bench_launches(&f);
  bench_growth();
  if (argc < 2 || strcmp(argv[1], "--no-history") != 0) add_to_history(&f);
  return 0;
}
