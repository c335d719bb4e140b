/* Runs grids and keeps the clock: see engine.h. */
#include "cuda/engine.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { LAUNCH_NS = 2000, COPY_NS = 1000 };
static const double host_bytes_per_ns = 50.0, device_bytes_per_ns = 4000.0;

static double host_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool cuda_engine_start(struct cuda_engine *g, struct err *e) {
  *g = (struct cuda_engine){.settings = cuda_read_settings(), .started = host_seconds()};
  if (!cuda_device_info_find(&g->info, g->settings.gpu, e)) return false;
  if (g->settings.memory) g->info.memory_bytes = g->settings.memory;
  return true;
}

/* ---- the clock ---- */

static void charge(struct cuda_engine *g, double ns) {
  double whole = ns + g->carry;
  uint64_t add = (uint64_t)whole;
  g->carry = whole - (double)add;
  g->ns += add;
}

void cuda_engine_wait(struct cuda_engine *g, uint64_t ns) { g->ns += ns; }

void cuda_engine_copy(struct cuda_engine *g, uint64_t bytes, enum cuda_traffic traffic) {
  g->copies++;
  g->copied_bytes += bytes;
  double rate = traffic == CUDA_TRAFFIC_HOST ? host_bytes_per_ns : device_bytes_per_ns;
  charge(g, COPY_NS + (double)bytes / rate);
}

/* ---- grids ---- */

static struct cuda_engine_kernel *row_of(struct cuda_engine *g, const char *name) {
  for (size_t i = 0; i < g->n_kernels; i++)
    if (!strcmp(g->kernels[i].name, name)) return &g->kernels[i];
  GROW(g->kernels, g->kernel_capacity, g->n_kernels + 1);
  struct cuda_engine_kernel *row = &g->kernels[g->n_kernels++];
  *row = (struct cuda_engine_kernel){.name = strdup(name)};
  return row;
}

static void count(struct cuda_engine *g, const struct exec_grid *grid, uint64_t ns) {
  struct cuda_engine_kernel *row = row_of(g, grid->kernel->ptx->name);
  row->launches++;
  row->warp_instructions += grid->instructions;
  row->thread_instructions += grid->thread_instructions;
  row->ns += ns;
  g->warp_instructions += grid->instructions;
  g->thread_instructions += grid->thread_instructions;
}

bool cuda_engine_run(struct cuda_engine *g, struct exec_grid *grid, struct err *e) {
  uint64_t before = g->ns;
  grid->id = ++g->next_grid;
  bool ok = exec_run_grid(grid, e);
  double cycles = (double)grid->instructions / g->info.sms;
  charge(g, LAUNCH_NS + cycles * 1e6 / g->info.core_khz);
  count(g, grid, g->ns - before);
  return ok;
}

/* ---- the report ---- */

static void write_name(FILE *f, const char *s) {
  fputc('"', f);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') fputc('\\', f);
    if ((unsigned char)*s >= 0x20) fputc(*s, f);
  }
  fputc('"', f);
}

static void write_report(const struct cuda_engine *g, FILE *f) {
  double seconds = host_seconds() - g->started;
  struct rusage use = {0};
  getrusage(RUSAGE_SELF, &use);
  fprintf(f, "{\n  \"gpu\": \"%s\",\n  \"mode\": \"functional\",\n", g->info.preset);
  fprintf(f, "  \"warp_instructions\": %llu,\n  \"thread_instructions\": %llu,\n",
          (unsigned long long)g->warp_instructions, (unsigned long long)g->thread_instructions);
  fprintf(
      f, "  \"simulated_ns\": %llu,\n  \"launches\": %llu,\n  \"copies\": %llu,\n  \"copied_bytes\": %llu,\n",
      (unsigned long long)g->ns, (unsigned long long)g->next_grid, (unsigned long long)g->copies,
      (unsigned long long)g->copied_bytes);
  fprintf(f, "  \"kernels\": [");
  for (size_t i = 0; i < g->n_kernels; i++) {
    const struct cuda_engine_kernel *k = &g->kernels[i];
    fprintf(f, "%s\n    {\"name\": ", i ? "," : "");
    write_name(f, k->name);
    fprintf(f,
            ", \"launches\": %llu, \"warp_instructions\": %llu, \"thread_instructions\": %llu, \"ns\": %llu}",
            (unsigned long long)k->launches, (unsigned long long)k->warp_instructions,
            (unsigned long long)k->thread_instructions, (unsigned long long)k->ns);
  }
  fprintf(f, "%s],\n", g->n_kernels ? "\n  " : "");
  fprintf(f,
          "  \"host\": {\"seconds\": %.6f, \"warp_instructions_per_second\": %.0f, \"peak_rss_bytes\": "
          "%llu}\n}\n",
          seconds, seconds > 0 ? (double)g->warp_instructions / seconds : 0.0,
          (unsigned long long)use.ru_maxrss * 1024);
}

void cuda_engine_finish(struct cuda_engine *g) {
  if (g->settings.report) {
    FILE *f = fopen(g->settings.report, "w");
    if (f) {
      write_report(g, f);
      fclose(f);
    } else {
      fprintf(stderr, "heddle: the report %s cannot be written\n", g->settings.report);
    }
  }
  for (size_t i = 0; i < g->n_kernels; i++) free(g->kernels[i].name);
  free(g->kernels);
  g->kernels = NULL;
  g->n_kernels = g->kernel_capacity = 0;
}
