/* The history of make bench, a line a run: its columns, a new line, and what a line says beside the one before on the same kind of
 * machine. What is more than 3 % worse is told, so that no change slows anything down unnoticed; it is not an error, since a busy machine
 * does the same.
 *
 * Does not: measure. */
#include "bench.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DATE, COMMIT, CPU, FIGURES, MOST_COLUMNS = 64, MOST_LINE = 4096 };

static const struct column {
  const char *name;
  size_t at;      /* in struct bench_figures */
  int decimals;
  bool less;      /* is better */
} columns[] = {
    {"arithmetic", offsetof(struct bench_figures, arithmetic), 0, false},
    {"stream", offsetof(struct bench_figures, stream), 0, false},
    {"divergent", offsetof(struct bench_figures, divergent), 0, false},
    {"load_ms", offsetof(struct bench_figures, load_ms), 1, true},
    {"vecadd", offsetof(struct bench_figures, timed[0]), 0, false},
    {"fma", offsetof(struct bench_figures, timed[1]), 0, false},
    {"matmul_naive", offsetof(struct bench_figures, timed[2]), 0, false},
    {"kmeans", offsetof(struct bench_figures, timed[3]), 0, false},
    {"gpgpusim_ratio", offsetof(struct bench_figures, geomean), 1, false},
    {"peak_mib_80_sms", offsetof(struct bench_figures, peak_mib), 0, true},
    {"dpc_encode_gbs", offsetof(struct bench_figures, dpc_encode), 2, false},
    {"dpc_decode_gbs", offsetof(struct bench_figures, dpc_decode), 2, false},
    {"two_threads_80_sms", offsetof(struct bench_figures, two_threads), 2, false},
    {"launch_us", offsetof(struct bench_figures, launch_us), 1, true},
    {"mesh56_ratio", offsetof(struct bench_figures, mesh56), 1, false},
    {"h200_ratio", offsetof(struct bench_figures, h200), 1, false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A line's fields, which lie in its text. */
struct row {
  char text[MOST_LINE];
  char *field[MOST_COLUMNS];
  int n;
};

static void split(struct row *r) {
  r->text[strcspn(r->text, "\n")] = 0;
  r->n = 0;
  for (char *at = r->text; r->n < MOST_COLUMNS; at++) {
    r->field[r->n++] = at;
    at += strcspn(at, "\t");
    if (!*at) return;
    *at = 0;
  }
}

enum { KEPT = 256 };
static struct row rows[KEPT]; /* the last of the history, around */

/* The last line, and the last before it of the same CPU; false: there are no two such lines. */
static bool last_two(FILE *f, const struct row **last, const struct row **before) {
  size_t n = 0;
  while (fgets(rows[n % KEPT].text, MOST_LINE, f)) {
    struct row *r = &rows[n % KEPT];
    split(r);
    n += r->n > FIGURES && isdigit((unsigned char)*r->field[DATE]);
  }
  for (size_t k = 2; k <= n && k <= KEPT; k++) {
    *last = &rows[(n - 1) % KEPT];
    *before = &rows[(n - k) % KEPT];
    if (!strcmp((*last)->field[CPU], (*before)->field[CPU])) return true;
  }
  return false;
}

/* How much worse the second figure is, in percent; 0 where one of them was not measured. */
static double worse_by(const struct column *c, const char *before, const char *now) {
  double a = strtod(before, NULL), b = strtod(now, NULL);
  if (a <= 0 || b <= 0) return 0;
  return 100 * (c->less ? b / a - 1 : 1 - b / a);
}

int bench_compare_history(const char *path) {
  const struct row *last, *before;
  FILE *f = fopen(path, "r");
  bool two = f && last_two(f, &last, &before);
  if (f) fclose(f);
  if (!f) fprintf(stderr, "bench: cannot read %s\n", path);
  if (!two) return f ? 0 : 2;
  int worse = 0;
  for (int i = 0; i < COLUMNS && FIGURES + i < last->n && FIGURES + i < before->n; i++) {
    const char *was = before->field[FIGURES + i], *is = last->field[FIGURES + i];
    double by = worse_by(&columns[i], was, is);
    if (by <= 3) continue;
    if (!worse++) printf("worse than %s of %s on the same kind of CPU:\n", before->field[COMMIT], before->field[DATE]);
    printf("  %-20s %12s -> %-12s %.1f %%\n", columns[i].name, was, is, by);
  }
  if (!worse) printf("nothing is more than 3 %% worse than %s of %s\n", before->field[COMMIT], before->field[DATE]);
  return 0;
}

/* ---- a new line ------------------------------------------------------------------------------------------------------------ */

static void cpu_model(char *out, size_t size) {
  snprintf(out, size, "unknown");
  FILE *f = fopen("/proc/cpuinfo", "r");
  char line[512];
  while (f && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (f) fclose(f);
}

static void commit_id(char *out, size_t size) {
  snprintf(out, size, "unknown");
  FILE *f = popen("git describe --always --dirty 2>/dev/null", "r");
  if (!f) return;
  char line[128];
  if (fgets(line, sizeof line, f)) snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
  pclose(f);
}

void bench_add_to_history(const char *path, const struct bench_figures *f) {
  FILE *out = fopen(path, "a");
  if (!out) {
    fprintf(stderr, "bench: cannot write %s\n", path);
    return;
  }
  if (ftell(out) == 0) {
    fprintf(out, "date\tcommit\tcpu");
    for (int i = 0; i < COLUMNS; i++) fprintf(out, "\t%s", columns[i].name);
    fprintf(out, "\n");
  }
  char cpu[256], commit[128], date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  cpu_model(cpu, sizeof cpu);
  commit_id(commit, sizeof commit);
  fprintf(out, "%s\t%s\t%s", date, commit, cpu);
  for (int i = 0; i < COLUMNS; i++) fprintf(out, "\t%.*f", columns[i].decimals, *(const double *)((const char *)f + columns[i].at));
  fprintf(out, "\n");
  fclose(out);
  printf("\nadded to %s\n", path);
}
