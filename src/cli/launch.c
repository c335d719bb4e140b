/* See launch.h. The program runs in a process of its own with our libraries in front of NVIDIA's; the library writes
 * its results to memory of this process when the program ends. */
#include "cli/launch.h"

#include "base/elf_linked.h"
#include "cli/cli.h"
#include "cli/process.h"
#include "gpu/gpu.h"
#include "gpu/results/report.h"
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- checks before running --------------------------------------------------------------------------------------------- */

static bool check_probes(const char *names, struct err *e) {
  bool ok = true;
  char *list = names && strcmp(names, "all") != 0 ? strdup(names) : NULL, *save = NULL;
  for (char *w = list ? strtok_r(list, ",", &save) : NULL; w && ok; w = strtok_r(NULL, ",", &save))
    ok = probe_find(w, e) != NULL;
  free(list);
  return ok;
}

static bool check_config(const struct cli_launch *l, struct err *e) {
  struct cfg *c = gpu_cfg_new();
  bool ok = (!l->gpu || gpu_cfg_preset(c, l->gpu, e)) && cfg_set_all(c, l->set.s, e);
  cfg_delete(c);
  return ok && check_probes(l->probe, e);
}

/* Libraries that bring kernels without PTX. libcublas is ours (src/blas), and does not need libcublasLt. */
static void warn_of_libraries(const char *path, const struct elf_view *v) {
  static const char *const closed[] = {"libcublasLt.so", "libcufft.so", "libcurand.so", "libcusparse.so",
                                       "libcusolver.so", "libcudnn.so", "libnccl.so",   "libnpp"};
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
    if (elf_needs(v, closed[i]))
      fprintf(stderr, "heddle: '%s' needs %s, whose kernels are machine code: what it launches is refused, and the program may end there\n",
              path, closed[i]);
}

/* A CUDA runtime that is linked in is bound to ours by its symbols or, in a stripped program, by the archive of an installed toolkit
 * (bind/bind_static.c). One that has symbols, but none of a runtime, uses the driver only. */
static bool can_be_bound(const struct elf_view *v) {
  struct elf_linked linked = {0};
  bool ok = !elf_section(v, ".nv_fatbin") || elf_needs(v, "libcudart.so") || elf_section(v, ".symtab") ||
            elf_linked_find_runtime(&linked, v);
  elf_linked_free(&linked);
  return ok;
}

/* A CUDA program that starts without a loader. */
static bool is_static(const struct elf_view *v) { return elf_section(v, ".nv_fatbin") && !elf_section(v, ".interp"); }

static bool check_program(const char *path, struct err *e) {
  struct elf_view v;
  if (!strchr(path, '/')) return true; /* found through PATH: a script or tool that starts the real program */
  if (access(path, R_OK) != 0) return err_set(e, ERR_INPUT, "cannot read the program '%s': %s", path, strerror(errno));
  if (!elf_open(&v, path)) return true;
  warn_of_libraries(path, &v);
  bool ok = can_be_bound(&v), alone = is_static(&v);
  elf_close(&v);
  if (alone)
    return err_set(e, ERR_INPUT,
                   "'%s' is linked statically with the C library, so that no library can take the place of NVIDIA's driver: "
                   "link it without -static (nvcc's default, with the CUDA runtime linked in, is enough)",
                   path);
  return ok || err_set(e, ERR_INPUT,
                       "'%s' has the CUDA runtime linked in and is stripped of the symbols by which it is replaced. Name the CUDA toolkit "
                       "that it was built with (CUDA_HOME; its libcudart_static.a tells functions apart), keep the symbols, or rebuild it "
                       "with `nvcc -cudart shared` (with PTX in it, for instance `-arch=compute_75`)",
                       path);
}

/* A file in the place of a workload; heddle-workloads says what else is not one. */
static bool check_workload(const char *name, struct err *e) {
  const char *dot = strrchr(name, '.');
  if (!dot && !strchr(name, '/')) return true;
  if (dot && !strcmp(dot, ".cu"))
    return err_set(e, ERR_INPUT, "'%s' is not a workload; compile it (nvcc %s -o program) and run the program: heddle run -- ./program",
                   name, name);
  if (dot && !strcmp(dot, ".ptx"))
    return err_set(e, ERR_INPUT, "'%s' is not a workload; `heddle ptx %s` shows what is in it, and a program that loads it runs after `--`",
                   name, name);
  return err_set(e, ERR_INPUT, "'%s' is not a workload; a program comes after `--`: heddle run -- %s%s", name,
                 strchr(name, '/') ? "" : "./", name);
}

/* ---- the process ----------------------------------------------------------------------------------------------------------- */

static void set_or_not(const char *name, const char *value) {
  if (value) setenv(name, value, 1);
}

/* In front of what the user has there. */
static void put_first(const char *variable, const char *path, const char *library) {
  const char *old = getenv(variable);
  struct str all = {0};
  str_add(&all, "%s%s%s%s", path, library, old && *old ? ":" : "", old ? old : "");
  setenv(variable, all.s, 1);
  str_free(&all);
}

static void put_library(const char *variable, const char *library) {
  struct str path = {0};
  str_add(&path, "%s/lib/", cli_home());
  put_first(variable, path.s, library);
  str_free(&path);
}

/* A program built with -fsanitize=address ends at once where its checker is not the first library of all. */
static void put_checker_first(const char *program) {
  struct elf_view v;
  if (!elf_open(&v, program)) return;
  const char *checker = elf_needed(&v, "libasan.so");
  if (checker) put_first("LD_PRELOAD", "", checker);
  elf_close(&v);
}

/* How many warp instructions a workload executes: workloads/instructions.tsv, which is part of the program. */
__asm__(".section .rodata\nworkload_instructions:\n.incbin \"workloads/instructions.tsv\"\n.byte 0\n.previous\n");
extern const char workload_instructions[];

static void set_expected(const struct cli_launch *l) {
  struct str row = {0};
  str_add(&row, "\n%s\t%s\t", l->workload, l->size ? l->size : "small");
  const char *at = l->with || l->program ? NULL : strstr(workload_instructions, row.s);
  if (at) {
    char n[24];
    snprintf(n, sizeof n, "%llu", strtoull(at + row.n, NULL, 10));
    setenv("HEDDLE_EXPECTED", n, 1);
  }
  str_free(&row);
}

static void set_environment(const struct cli_launch *l, const char *report) {
  const char *old = getenv("LD_LIBRARY_PATH");
  struct str path = {0};
  str_add(&path, "%s/lib%s%s", cli_home(), old && *old ? ":" : "", old ? old : "");
  setenv("LD_LIBRARY_PATH", path.s, 1);
  if (!l->workload) {
    put_library("LD_PRELOAD", "libheddle-bind.so");
    put_checker_first(l->argv[0]);
    put_library("LD_AUDIT", "libheddle-audit.so");
  }
  path.n = 0;
  str_add(&path, "%s/lib/libcuda.so.1", cli_home());
  setenv("NVTX_INJECTION64_PATH", path.s, 0); /* src/cuda/nvtx.c */
  setenv("HEDDLE_REPORT", report, 1);
  if (l->workload) set_expected(l);
  set_or_not("HEDDLE_GPU", l->gpu);
  set_or_not("HEDDLE_SET", l->set.s);
  set_or_not("HEDDLE_PROBE", l->probe);
  set_or_not("HEDDLE_MAX_INSTRUCTIONS", l->max_instructions);
  set_or_not("HEDDLE_MAX_CYCLES", l->max_cycles);
  set_or_not("HEDDLE_INTERVAL", l->interval);
  set_or_not("HEDDLE_STOP_STABLE", l->stop_stable);
  set_or_not("HEDDLE_ONLY", l->only);
  set_or_not("HEDDLE_SKIP_TO", l->skip_to);
  set_or_not("HEDDLE_SAMPLE_PLAN", l->sample_plan ? "1" : NULL);
  set_or_not("HEDDLE_TRACE", l->trace);
  set_or_not("HEDDLE_TRACE_LIMIT", l->trace_limit);
  set_or_not("HEDDLE_CHECK", l->check);
  set_or_not("HEDDLE_CHECK_LOG", l->check_log);
  if (l->lockstep) setenv("HEDDLE_LOCKSTEP", "1", 1);
  if (l->per_sm || l->detail) setenv("HEDDLE_PER_SM", "1", 1);
  if (l->detail) setenv("HEDDLE_DETAIL", "1", 1);
  if (l->profile || l->detail) setenv("HEDDLE_PROFILE", "1", 1);
  if (l->functional) setenv("HEDDLE_FUNCTIONAL", "1", 1);
  if (l->no_check) setenv("HEDDLE_NO_CHECK", "1", 1);
  if (l->strict) setenv("HEDDLE_STRICT", "1", 1);
}

static void become(const struct cli_launch *l, const char *report) {
  set_environment(l, report);
  if (l->quiet) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
  }
  if (l->program) {
    lab_program_become(l->program, l->size, cli_home());
    fprintf(stderr, "heddle: cannot start the program of %s in %s: %s\n", l->workload, l->program->folder, strerror(errno));
  } else if (l->workload) {
    char program[4200];
    snprintf(program, sizeof program, "%s/heddle-workloads", cli_home());
    char both[256];
    snprintf(both, sizeof both, "%s%s%s", l->workload, l->with ? "+" : "", l->with ? l->with : "");
    const char *argv[8] = {program, both};
    int n = 2;
    if (l->size) argv[n++] = "--size", argv[n++] = l->size;
    if (l->seed) argv[n++] = "--seed", argv[n++] = l->seed;
    execv(program, (char *const *)argv);
    fprintf(stderr, "heddle: cannot start %s: %s\n", program, strerror(errno));
  } else {
    execvp(l->argv[0], l->argv);
    fprintf(stderr, "heddle: cannot start %s: %s\n", l->argv[0], strerror(errno));
  }
  _exit(127);
}

bool cli_launch_workload(struct cli_launch *l, const char *name, struct lab_programs *table, struct err *e) {
  l->workload = name;
  if (!table->n) return true;
  if (!l->size) l->size = "small";
  l->program = lab_programs_find(table, name, l->size, e);
  if (l->program) l->workload = lab_program_label(l->program, l->size, &table->arena);
  return l->program != NULL;
}

void cli_launch_free(struct cli_launch *l) { str_free(&l->set); }

struct start {
  const struct cli_launch *l;
  const char *report;
};

static void begin(const void *user) {
  const struct start *s = user;
  become(s->l, s->report);
}

/* The report is in memory of this process, not in a file, so that nothing is left over whatever is killed. */
bool cli_launch(const struct cli_launch *l, struct cli_result *out, struct err *e) {
  *out = (struct cli_result){0};
  if (!check_config(l, e)) return false;
  if (l->program && !check_program(lab_program_file(l->program, l->size), e)) return false;
  if (l->workload ? !l->program && !check_workload(l->workload, e) : !check_program(l->argv[0], e)) return false;
  int memory = memfd_create("report", MFD_CLOEXEC);
  if (memory < 0) return err_set(e, ERR_SYSTEM, "no memory for the report: %s", strerror(errno));
  struct str report = {0};
  str_add(&report, "/proc/%d/fd/%d", (int)getpid(), memory);
  fflush(stdout);
  struct cli_end end;
  bool ran = cli_process_run(begin, &(struct start){l, report.s}, &end, e);
  out->status = end.status;
  out->signal = end.signal;
  if (ran) out->report = json_load_file(report.s, 0, NULL);
  out->called = out->report != NULL;
  /* The library has said why; a script around the program may have gone on. */
  if (json_object_get(out->report, GPU_REFUSED_KEY)) out->status = CLI_USAGE;
  if (!json_object_get(out->report, "launches")) { /* it ended before it could say more */
    json_decref(out->report);
    out->report = NULL;
  }
  close(memory);
  str_free(&report);
  return ran;
}

/* ---- failures ------------------------------------------------------------------------------------------------------------- */

double cli_failed_launches(const json_t *report) {
  const json_t *failures = json_object_get(report, "failures");
  double n = 0;
  for (size_t i = 0; i < json_array_size(failures); i++)
    n += json_number_value(json_object_get(json_array_get(failures, i), "launches"));
  return n;
}

const char *cli_failed_kernel(const json_t *failure) {
  const char *kernel = json_string_value(json_object_get(failure, "kernel"));
  return kernel ? kernel : "an unknown kernel";
}

void cli_warn_of_failures(const json_t *report) {
  const json_t *failures = json_object_get(report, "failures"), *first = json_array_get(failures, 0);
  double n = cli_failed_launches(report);
  if (!first) return;
  fflush(stdout);
  fprintf(stderr, "heddle: %.0f launch%s failed or %s refused, and what was to be computed is missing: %s, %s%s\n", n, n > 1 ? "es" : "",
          n > 1 ? "were" : "was", cli_failed_kernel(first), json_string_value(json_object_get(first, "error")),
          json_array_size(failures) > 1 ? ", and others" : "");
}
