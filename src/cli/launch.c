/* See launch.h. The program runs in a process of its own with our libraries in front of NVIDIA's; the library writes
 * its results to a temporary file when the program ends. */
#include "cli/launch.h"

#include "base/temp.h"
#include "cli/cli.h"
#include "gpu/gpu.h"
#include "probe/probe.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* Whether an ELF image mentions a string: section names and needed libraries are found that way. */
static bool mentions(const char *image, size_t n, const char *what) { return memmem(image, n, what, strlen(what)) != NULL; }

/* CUDA code linked against the static runtime talks to the driver through an interface that is not public. */
static bool check_program(const char *path, struct err *e) {
  if (!strchr(path, '/')) return true; /* found through PATH: a script or tool that starts the real program */
  int fd = open(path, O_RDONLY);
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0) {
    int why = errno;
    if (fd >= 0) close(fd);
    return err_set(e, ERR_INPUT, "cannot read the program '%s': %s", path, strerror(why));
  }
  char *image = st.st_size > (off_t)sizeof(Elf64_Ehdr) ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (image == MAP_FAILED) return true;
  bool ok = true;
  size_t n = (size_t)st.st_size;
  if (!memcmp(image, ELFMAG, SELFMAG) && mentions(image, n, ".nv_fatbin") && !mentions(image, n, "libcudart.so"))
    ok = err_set(e, ERR_INPUT,
                 "'%s' is linked against the static CUDA runtime, which the simulator cannot replace; rebuild it with "
                 "`nvcc -cudart shared` (and keep PTX in it, for instance `-arch=compute_75`)",
                 path);
  munmap(image, n);
  return ok;
}

/* ---- the process ----------------------------------------------------------------------------------------------------------- */

static void set_or_not(const char *name, const char *value) {
  if (value) setenv(name, value, 1);
}

static void set_environment(const struct cli_launch *l, const char *report) {
  const char *old = getenv("LD_LIBRARY_PATH");
  struct str path = {0};
  str_add(&path, "%s/lib%s%s", cli_home(), old && *old ? ":" : "", old ? old : "");
  setenv("LD_LIBRARY_PATH", path.s, 1);
  setenv("HEDDLE_REPORT", report, 1);
  set_or_not("HEDDLE_GPU", l->gpu);
  set_or_not("HEDDLE_SET", l->set.s);
  set_or_not("HEDDLE_PROBE", l->probe);
  set_or_not("HEDDLE_MAX_INSTRUCTIONS", l->max_instructions);
  set_or_not("HEDDLE_MAX_CYCLES", l->max_cycles);
  set_or_not("HEDDLE_INTERVAL", l->interval);
  set_or_not("HEDDLE_STOP_STABLE", l->stop_stable);
  set_or_not("HEDDLE_CHECK", l->check);
  set_or_not("HEDDLE_CHECK_LOG", l->check_log);
  if (l->lockstep) setenv("HEDDLE_LOCKSTEP", "1", 1);
  if (l->per_sm) setenv("HEDDLE_PER_SM", "1", 1);
  if (l->profile) setenv("HEDDLE_PROFILE", "1", 1);
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
  if (l->workload) {
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

void cli_launch_free(struct cli_launch *l) { str_free(&l->set); }

bool cli_launch(const struct cli_launch *l, struct cli_result *out, struct err *e) {
  *out = (struct cli_result){0};
  if (!check_config(l, e)) return false;
  if (!l->workload && !check_program(l->argv[0], e)) return false;
  struct str report = {0};
  if (!temp_file(&report, "heddle-report", e)) return false;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) become(l, report.s);
  void (*old)(int) = signal(SIGINT, SIG_IGN); /* the simulated program decides: it prints what it has so far */
  int status = 0;
  bool ran = pid > 0 && waitpid(pid, &status, 0) == pid;
  if (!ran) err_set(e, ERR_SYSTEM, "cannot run the program: %s", strerror(errno));
  signal(SIGINT, old);
  out->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (ran) out->report = json_load_file(report.s, 0, NULL);
  unlink(report.s);
  str_free(&report);
  return ran;
}
