// The program heddle-workloads: lists the workloads, or runs one on whatever CUDA driver library the loader
// finds and says whether its output is right. On Heddle's library two may share the GPU (A+B), each with SMs of its
// own; the one that ends first is run again until the other has ended. Exit status: 0 right, 1 wrong or failed, 2 bad
// usage or a size too large for the device's memory.
#include "common/wl.h"
#include "heddle/programs.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, WRONG = 1, USAGE = 2 };

static int usage(FILE *to) {
  fprintf(to, "usage: heddle-workloads list [--tsv|--stamps]\n"
              "       heddle-workloads NAME[+NAME] [--size small|medium|paper] [--seed N]\n");
  return to == stdout ? OK : USAGE;
}

static void list(bool tsv) {
  for (const struct workload *const *w = wl_registry; *w; w++) {
    const char *const *size = (*w)->sizes;
    if (tsv) {
      printf("%s\t%s\t%s\t%s\t%s\t%s\n", (*w)->name, (*w)->suite, (*w)->pattern, size[WL_SMALL],
             size[WL_MEDIUM], size[WL_PAPER]);
      continue;
    }
    printf("%-16s %-10s %s\n", (*w)->name, (*w)->suite, (*w)->pattern);
    for (int i = 0; i < WL_SIZES; i++) printf("%28s%-7s %s\n", "", wl_size_names[i], size[i]);
  }
}

// Name and version of each, a line each: made by tools/workload_stamps.sh where there is Heddle's build.
#pragma weak wl_stamps
extern const char wl_stamps[];

// Edit distance of two short names, at most 63 letters each.
static size_t distance(const char *a, const char *b) {
  size_t row[64];
  size_t width = strlen(b) < 63 ? strlen(b) : 63;
  for (size_t j = 0; j <= width; j++) row[j] = j;
  for (size_t i = 1; *a; a++, i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= width; j++) {
      size_t best = corner + (*a != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[width];
}

// Names the workloads that are nearest to what was typed, three at most.
static int unknown(const char *name) {
  size_t nearest = SIZE_MAX, told = 0;
  for (const struct workload *const *w = wl_registry; *w; w++) {
    size_t d = distance(name, (*w)->name);
    if (d < nearest) nearest = d;
  }
  fprintf(stderr, "heddle-workloads: there is no workload \"%s\"; nearest:", name);
  for (size_t d = nearest; d <= nearest + 1; d++)
    for (const struct workload *const *w = wl_registry; *w && told < 3; w++)
      if (distance(name, (*w)->name) == d && ++told) fprintf(stderr, " %s", (*w)->name);
  fprintf(stderr, " (heddle-workloads list shows all)\n");
  return USAGE;
}

static const struct workload *find(const char *name) {
  for (const struct workload *const *w = wl_registry; *w; w++)
    if (strcmp((*w)->name, name) == 0) return *w;
  return NULL;
}

// "A+B" names two; a workload's own name may have a plus sign too.
static const struct workload *find_both(char *names, const struct workload **second) {
  const struct workload *first = NULL;
  for (char *plus = strchr(names, '+'); plus; plus = strchr(plus + 1, '+')) {
    *plus = '\0';
    first = find(names);
    *plus = '+';
    *second = find(plus + 1);
    if (first && *second) return first;
  }
  return *second = NULL;
}

static bool read_size(const char *text, enum wl_size *size) {
  for (int i = 0; i < WL_SIZES; i++) {
    if (strcmp(text, wl_size_names[i]) != 0) continue;
    *size = (enum wl_size)i;
    return true;
  }
  fprintf(stderr, "heddle-workloads: \"%s\" is not a size; sizes are small, medium and paper\n", text);
  return false;
}

static bool read_seed(const char *text, uint64_t *seed) {
  char *end;
  errno = 0;
  *seed = strtoull(text, &end, 0);
  if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0) return true;
  fprintf(stderr, "heddle-workloads: \"%s\" is not a seed; a seed is a whole number\n", text);
  return false;
}

// ---- two at once ----

#pragma weak heddleProgramBegin
#pragma weak heddleProgramEnd

enum { PROGRAMS = 2 };
struct program {
  const struct workload *workload;
  unsigned index;
  enum wl_size size;
  uint64_t seed;
  enum wl_end end;
  sem_t *ended;
};

static void *run_program(void *user) {
  struct program *p = user;
  heddleProgramBegin(p->index, PROGRAMS, p->workload->name);
  p->end = wl_execute(p->workload, p->size, p->seed);
  bool right = p->end == WL_RIGHT, more = heddleProgramEnd(right, right);
  sem_post(p->ended);
  while (right && more) {
    (void)wl_execute_again(p->workload, p->size, p->seed);
    more = heddleProgramEnd(right, right);
  }
  return NULL;
}

// The thread that keeps the other company is left where it is when the process ends.
static enum wl_end run_both(const struct workload *a, const struct workload *b, enum wl_size size, uint64_t seed) {
  sem_t ended;
  sem_init(&ended, 0, 0);
  static struct program p[PROGRAMS];
  for (unsigned i = 0; i < PROGRAMS; i++) {
    pthread_t thread;
    p[i] = (struct program){i ? b : a, i, size, seed, WL_WRONG, &ended};
    if (pthread_create(&thread, NULL, run_program, &p[i]) != 0) return WL_WRONG;
    pthread_detach(thread);
  }
  for (unsigned i = 0; i < PROGRAMS; i++) sem_wait(&ended);
  return p[0].end != WL_RIGHT ? p[0].end : p[1].end;
}

int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0) return usage(stdout);
  if (strcmp(argv[1], "list") == 0) {
    bool tsv = argc == 3 && strcmp(argv[2], "--tsv") == 0, stamps = argc == 3 && strcmp(argv[2], "--stamps") == 0;
    if (argc > 2 && !tsv && !stamps) return usage(stderr);
    if (!stamps) list(tsv);
    else if (wl_stamps) fputs(wl_stamps, stdout);
    return OK;
  }
  const struct workload *with = NULL, *w = find(argv[1]);
  if (!w) w = find_both(argv[1], &with);
  if (!w) return unknown(argv[1]);
  enum wl_size size = WL_SMALL;
  uint64_t seed = 1;
  for (int i = 2; i < argc; i += 2) {
    if (i + 1 == argc) return usage(stderr);
    if (strcmp(argv[i], "--size") == 0) {
      if (!read_size(argv[i + 1], &size)) return USAGE;
    } else if (strcmp(argv[i], "--seed") == 0) {
      if (!read_seed(argv[i + 1], &seed)) return USAGE;
    } else {
      return usage(stderr);
    }
  }
  static const int status[] = {[WL_RIGHT] = OK, [WL_WRONG] = WRONG, [WL_REFUSED] = USAGE};
  if (!with) return status[wl_execute(w, size, seed)];
  if (!heddleProgramBegin) {
    fprintf(stderr, "heddle-workloads: only Heddle's driver library lets two programs share the GPU\n");
    return USAGE;
  }
  fflush(stdout);
  return status[run_both(w, with, size, seed)];
}
