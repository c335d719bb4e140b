/* See progress.h. */
#include "cli/progress.h"

#include "lab/sweep/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_name(const struct lab_run *r) {
  printf("%s %s%s%s %s%s%s", r->workload, r->size, *r->seed ? " seed " : "", r->seed, r->gpu, *r->settings ? " " : "",
         r->settings);
}

static void time_left(const struct cli_progress *s, const struct lab_sweep_counts *c, char out[64]) {
  size_t left = c->runs - c->before - c->done;
  out[0] = 0;
  if (!c->done || !left) return;
  double seconds = (lab_clock() - s->started) / (double)c->done * (double)left;
  unsigned long t = (unsigned long)(seconds + 0.5);
  if (t >= 3600) snprintf(out, 64, "%lu:%02lu:%02lu left", t / 3600, t / 60 % 60, t % 60);
  else snprintf(out, 64, "%lu:%02lu left", t / 60, t % 60);
}

void cli_progress_tick(void *user, const struct lab_sweep_counts *c) {
  const struct cli_progress *s = user;
  enum { WIDTH = 30 };
  char bar[WIDTH + 1], left[64];
  if (!s->terminal) return;
  size_t over = c->before + c->done, full = c->runs ? over * WIDTH / c->runs : WIDTH;
  for (size_t i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = 0;
  time_left(s, c, left);
  printf("\r\033[K[%s] %zu/%zu", bar, over, c->runs);
  if (c->running) printf("  %u running", c->running);
  if (c->failed) printf("  %zu failed", c->failed);
  printf("  %s", left);
  fflush(stdout);
}

void cli_progress_ended(void *user, const struct lab_sweep_counts *c, const struct lab_run *r, double seconds,
                        const json_t *report, const char *error) {
  const struct cli_progress *s = user;
  if (s->terminal && !error) {
    cli_progress_tick(user, c);
    return;
  }
  printf("%s[%zu/%zu] ", s->terminal ? "\r\033[K" : "", c->before + c->done, c->runs);
  print_name(r);
  if (error) printf(": FAILED, %.*s\n", (int)strcspn(error, "\n"), error);
  else printf(": %lld cycles, %.1f s\n", (long long)json_integer_value(json_object_get(report, "cycles")), seconds);
  fflush(stdout);
  cli_progress_tick(user, c);
}

bool cli_count(const char *option, const char *text, unsigned most, unsigned *out, struct err *e) {
  if (!text) return true;
  char *end;
  unsigned long v = strtoul(text, &end, 10);
  *out = (unsigned)v;
  return (*text >= '0' && *text <= '9' && !*end && v >= 1 && v <= most) ||
         err_set(e, ERR_INPUT, "%s is a number from 1 to %u, not '%s'", option, most, text);
}

bool cli_shard(const char *text, unsigned *shard, unsigned *shards, struct err *e) {
  char end;
  *shard = *shards = 1;
  if (!text) return true;
  return (sscanf(text, "%6u/%6u%c", shard, shards, &end) == 2 && *shard >= 1 && *shard <= *shards) ||
         err_set(e, ERR_INPUT, "--shard is i/n with i from 1 to n, not '%s'", text);
}

unsigned cli_cores(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > LAB_MAX_JOBS ? LAB_MAX_JOBS : (unsigned)n;
}
