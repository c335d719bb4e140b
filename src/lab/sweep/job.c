/* See job.h. */
#include "lab/sweep/job.h"

#include "base/str.h"
#include "gpu/gpu.h"
#include "lab/sweep/program_table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WRONG_OUTPUT = 1, CANNOT_START = 127 };

double lab_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- which programs ------------------------------------------------------------------------------------------------------ */

static bool hash_file(const char *home, const char *name, uint64_t *sum) {
  struct str path = {0};
  str_add(&path, "%s/%s", home, name);
  bool ok = lab_hash_file(path.s, sum);
  str_free(&path);
  return ok;
}

const char *lab_build(const char *home, char out[17]) {
  uint64_t sum = 0;
  bool ok = hash_file(home, "lib/libcuda.so.1", &sum) && hash_file(home, "heddle-workloads", &sum);
  snprintf(out, 17, "%016llx", (unsigned long long)sum);
  if (!ok) out[0] = 0;
  return out;
}

/* ---- starting ----------------------------------------------------------------------------------------------------------- */

/* Settings of whoever called us would change the result. */
static void forget_settings(void) {
  for (char **v = environ; *v;) {
    size_t n = strcspn(*v, "=");
    char name[256];
    if (strncmp(*v, "HEDDLE_", 7) != 0 || n >= sizeof name) {
      v++;
      continue;
    }
    memcpy(name, *v, n);
    name[n] = 0;
    unsetenv(name);
    v = environ;
  }
}

static void set_environment(const struct lab_job *j, const char *home, const struct lab_run *r, pid_t parent) {
  struct str path = {0}, report = {0};
  const char *old = getenv("LD_LIBRARY_PATH");
  str_add(&path, "%s/lib%s%s", home, old && *old ? ":" : "", old ? old : "");
  str_add(&report, "/proc/%d/fd/%d", (int)parent, j->report);
  forget_settings();
  setenv("LD_LIBRARY_PATH", path.s, 1);
  setenv("HEDDLE_REPORT", report.s, 1);
  setenv("HEDDLE_GPU", r->gpu, 1);
  setenv("HEDDLE_SET", r->settings, 1);
  if (r->probes && *r->probes) setenv("HEDDLE_PROBE", r->probes, 1);
  if (r->interval && *r->interval) setenv("HEDDLE_INTERVAL", r->interval, 1);
}

static void become(const struct lab_job *j, const char *home, const struct lab_run *r, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(CANNOT_START);
  int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(j->messages, STDERR_FILENO);
  set_environment(j, home, r, parent);
  struct str program = {0};
  if (r->program) {
    lab_program_become(r->program, r->size, home);
    dprintf(STDERR_FILENO, "cannot start the program of %s in %s: %s\n", r->workload, r->program->folder, strerror(errno));
    _exit(CANNOT_START);
  }
  str_add(&program, "%s/heddle-workloads", home);
  const char *argv[] = {program.s, r->workload, "--size", r->size, *r->seed ? "--seed" : NULL, r->seed, NULL};
  execv(program.s, (char *const *)argv);
  dprintf(STDERR_FILENO, "cannot start %s: %s\n", program.s, strerror(errno));
  _exit(CANNOT_START);
}

bool lab_job_start(struct lab_job *j, const char *home, const struct lab_run *r, struct err *e) {
  *j = (struct lab_job){.report = memfd_create("report", MFD_CLOEXEC), .messages = memfd_create("messages", MFD_CLOEXEC),
                        .started = lab_clock(), .is_program = r->program != NULL};
  pid_t parent = getpid(), pid = j->report < 0 || j->messages < 0 ? -1 : fork();
  if (pid == 0) become(j, home, r, parent);
  if (pid < 0) {
    int why = errno;
    if (j->report >= 0) close(j->report);
    if (j->messages >= 0) close(j->messages);
    return err_set(e, ERR_SYSTEM, "cannot start a process: %s", strerror(why));
  }
  j->pid = pid;
  return true;
}

/* ---- ending ------------------------------------------------------------------------------------------------------------- */

bool lab_job_ended(const struct lab_job *j, int *status) { return waitpid(j->pid, status, WNOHANG) == j->pid; }

static void forget(struct lab_job *j) {
  close(j->report);
  close(j->messages);
  j->pid = 0;
}

void lab_job_kill(struct lab_job *j) {
  kill(-j->pid, SIGKILL);
  kill(j->pid, SIGKILL); /* it may not have its group yet */
  while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) {}
  forget(j);
}

/* The last that was said, without line ends at its own end. */
static size_t last_words(int fd, char *out, size_t size) {
  off_t n = lseek(fd, 0, SEEK_END);
  off_t from = n >= (off_t)size ? n - (off_t)size + 1 : 0;
  ssize_t got = pread(fd, out, size - 1, from);
  size_t k = got > 0 ? (size_t)got : 0;
  while (k && (out[k - 1] == '\n' || out[k - 1] == ' ')) k--;
  out[k] = 0;
  return k;
}

static void explain(const struct lab_job *j, int status, char *why, size_t size) {
  char words[1500];
  size_t n = last_words(j->messages, words, sizeof words);
  char what[96] = "";
  if (WIFSIGNALED(status)) snprintf(what, sizeof what, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == WRONG_OUTPUT && !j->is_program) snprintf(what, sizeof what, "%s", n ? "" : "the output is wrong");
  else if (WEXITSTATUS(status) == GPU_DEADLOCK_STATUS) snprintf(what, sizeof what, "deadlock");
  else if (WEXITSTATUS(status) == GPU_BROKEN_STATUS) snprintf(what, sizeof what, "a mistake of the simulator");
  else snprintf(what, sizeof what, "exit status %d", WEXITSTATUS(status));
  snprintf(why, size, "%s%s%s", what, n && *what ? ": " : "", words);
}

/* A chunk at a time: jansson's own reading of a descriptor takes single bytes. */
static size_t next_chunk(void *buffer, size_t size, void *fd) {
  ssize_t n = read(*(int *)fd, buffer, size);
  return n < 0 ? (size_t)-1 : (size_t)n;
}

static json_t *read_json(int fd, json_error_t *at) {
  lseek(fd, 0, SEEK_SET);
  return json_load_callback(next_chunk, &fd, 0, at);
}

/* A run with a launch that failed or was refused has failed, whatever its program says: its statistics are those of a part of the work. */
static bool explain_failures(const json_t *report, char *why, size_t size) {
  const json_t *first = json_array_get(json_object_get(report, "failures"), 0);
  if (!first) return false;
  const char *kernel = json_string_value(json_object_get(first, "kernel"));
  snprintf(why, size, "a launch of %s failed or was refused, %s: %s", kernel ? kernel : "an unknown kernel",
           json_string_value(json_object_get(first, "error")), json_string_value(json_object_get(first, "reason")));
  return true;
}

/* A run that was stopped on purpose ends well, before its output could be checked; what a program in a workload's place makes is
 * not known to be right. */
bool lab_job_result(struct lab_job *j, int status, json_t **report, char *why, size_t size, struct err *e) {
  bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  json_error_t at;
  *report = NULL;
  if (ok) {
    *report = read_json(j->report, &at);
    if (!*report && j->is_program) snprintf(why, size, "the program made no CUDA call, or one of another CUDA library than heddle's");
    else if (!*report) err_set(e, ERR_SYSTEM, "a run left no results: %s", at.text);
    else if (explain_failures(*report, why, size)) {
      json_decref(*report);
      *report = NULL;
    } else json_object_set_new(*report, "output_ok", json_object_get(*report, "stopped") || j->is_program ? json_null() : json_true());
  } else {
    explain(j, status, why, size);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_START && !j->is_program) err_set(e, ERR_SYSTEM, "%s", why);
  }
  forget(j);
  return !e->kind;
}
