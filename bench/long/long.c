/* The program heddle-long: `heddle run -- build/heddle-long NAME [STEPS]` runs one of the long programs, `list` shows them. */
#define WL_PTX_PATH(name) "bench/long/" #name ".ptx"
#include "long.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WL_PTX(long_kernels);

static const struct long_program *const lists[] = {long_networks, long_graphs, long_grids, long_matrices};
enum { LISTS = sizeof lists / sizeof *lists };

/* What is run: a workload has no argument of its own. */
static const struct long_program *chosen;
static long chosen_steps;

uint64_t long_sum(struct wl_run *r, CUdeviceptr from, size_t bytes) {
  const uint8_t *at = wl_down(r, from, bytes);
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; i++) h = (h ^ at[i]) * UINT64_C(0x100000001b3);
  return h;
}

static bool run(struct wl_run *r) {
  printf("%s: %ld steps, output %016llx\n", chosen->name, chosen_steps, (unsigned long long)chosen->run(r, chosen_steps));
  return true;
}

static const struct long_program *find(const char *name) {
  for (int i = 0; i < LISTS; i++)
    for (const struct long_program *p = lists[i]; p->name; p++)
      if (!strcmp(p->name, name)) return p;
  return NULL;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "list")) {
    for (int i = 0; i < LISTS; i++)
      for (const struct long_program *p = lists[i]; p->name; p++) printf("%s\t%ld\t%s\n", p->name, p->steps, p->meaning);
    return 0;
  }
  chosen = argc == 2 || argc == 3 ? find(argv[1]) : NULL;
  chosen_steps = argc == 3 ? strtol(argv[2], NULL, 10) : chosen ? chosen->steps : 0;
  if (!chosen || chosen_steps < 1) {
    fprintf(stderr, "usage: heddle-long NAME [STEPS] | list\n");
    return 2;
  }
  const struct workload w = {.name = chosen->name, .ptx = wl_ptx_long_kernels, .run = run};
  return wl_execute(&w, WL_PAPER, 1) == WL_RIGHT ? 0 : 1;
}
