/* See process.h. Both we and the minder wait for signals that are blocked, so there are no handlers; the minder hears from us
 * through a pipe, whose end is our end. */
#include "cli/process.h"

#include "base/arena.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_SECONDS = 10 /* to end after a signal was passed on */, TICK_MS = 100 };

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* ---- all that a process has started --------------------------------------------------------------------------------------- */

struct family {
  struct kin {
    pid_t pid, parent;
    bool ours;
  } *list;
  size_t n, cap;
};

static void add_process(struct family *f, const char *name) {
  char path[300], text[512];
  snprintf(path, sizeof path, "/proc/%s/stat", name);
  FILE *file = fopen(path, "r");
  if (!file) return;
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  const char *after = strrchr(text, ')'); /* the program's name is in parentheses and may hold any */
  int parent;
  char state;
  if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2 || state == 'Z') return;
  GROW(f->list, f->cap, f->n + 1);
  f->list[f->n++] = (struct kin){.pid = (pid_t)atoi(name), .parent = parent};
}

/* Marks the descendants of a process; how many there are. */
static size_t mark(struct family *f, pid_t root) {
  size_t found = 0;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < f->n; i++) {
      bool child = f->list[i].parent == root;
      for (size_t k = 0; k < f->n && !child; k++) child = f->list[k].ours && f->list[k].pid == f->list[i].parent;
      if (!child || f->list[i].ours) continue;
      f->list[i].ours = more = true;
      found++;
    }
  }
  return found;
}

/* Signals everything that descends from this process; how many there were. */
static size_t signal_all(int number) {
  struct family f = {0};
  DIR *d = opendir("/proc");
  for (struct dirent *entry; d && (entry = readdir(d));)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') add_process(&f, entry->d_name);
  if (d) closedir(d);
  size_t n = mark(&f, getpid());
  for (size_t i = 0; i < f.n; i++)
    if (f.list[i].ours) kill(f.list[i].pid, number);
  free(f.list);
  return n;
}

/* ---- the minder ---------------------------------------------------------------------------------------------------------------- */

struct minder {
  pid_t program;
  int orders, answer, children; /* descriptors: from us, to us, and of ended children */
  int status;
  bool ended, stopping;         /* the program has; a signal was passed on */
  time_t stopped_at;
};

static time_t seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

/* Orphans of the program become children of the minder, so none escapes. */
static void kill_all(void) {
  while (signal_all(SIGKILL))
    while (waitpid(-1, NULL, 0) > 0) {}
}

static void reap(struct minder *m) {
  struct signalfd_siginfo info;
  int status;
  while (read(m->children, &info, sizeof info) == (ssize_t)sizeof info) {}
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid != m->program) continue;
    m->ended = true;
    m->status = status;
  }
}

/* A signal to pass on; or we are gone. */
static void take_order(struct minder *m) {
  unsigned char number;
  if (read(m->orders, &number, 1) != 1) {
    kill_all();
    _exit(0);
  }
  if (!m->stopping) m->stopped_at = seconds_now();
  m->stopping = true;
  signal_all(number);
}

/* What the program has started may outlive it, unless it was asked to stop. */
static bool is_over(const struct minder *m) {
  if (!m->stopping) return m->ended;
  if (m->ended && !signal_all(0)) return true;
  if (seconds_now() - m->stopped_at < GRACE_SECONDS) return false;
  kill_all();
  return true;
}

static void mind(struct minder *m) {
  for (;;) {
    struct pollfd on[] = {{.fd = m->orders, .events = POLLIN}, {.fd = m->children, .events = POLLIN}};
    poll(on, 2, m->stopping ? TICK_MS : -1);
    if (on[0].revents) take_order(m);
    reap(m);
    if (!is_over(m)) continue;
    if (!m->ended) m->status = SIGKILL;
    if (write(m->answer, &m->status, sizeof m->status) < 0) _exit(1);
    _exit(0);
  }
}

static void begin_program(pid_t minder, const sigset_t *mask, void (*become)(const void *user), const void *user) {
  sigprocmask(SIG_SETMASK, mask, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != minder) _exit(128 + SIGKILL);
  become(user);
  _exit(127);
}

static void be_minder(int orders, int answer, const sigset_t *mask, void (*become)(const void *user), const void *user) {
  struct minder m = {.orders = orders, .answer = answer};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  m.children = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t self = getpid();
  m.program = fork();
  if (m.program == 0) begin_program(self, mask, become, user);
  if (m.program < 0 || m.children < 0) {
    kill_all();
    _exit(1);
  }
  mind(&m);
}

/* ---- us ------------------------------------------------------------------------------------------------------------------------- */

/* The signals to wait for: those that are not ignored are passed on. */
static void block_signals(sigset_t *awaited, sigset_t *old) {
  sigemptyset(awaited);
  sigaddset(awaited, SIGCHLD);
  for (size_t i = 0; i < PASSED_ON; i++) {
    struct sigaction now;
    if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(awaited, passed_on[i]);
  }
  signal(SIGCHLD, SIG_DFL); /* ignored, children could not be waited for */
  sigprocmask(SIG_BLOCK, awaited, old);
}

static void wait_for_minder(pid_t minder, int orders, const sigset_t *awaited, struct cli_end *out) {
  while (waitpid(minder, NULL, WNOHANG) == 0) {
    siginfo_t info;
    int got = sigwaitinfo(awaited, &info);
    if (got <= 0 || got == SIGCHLD) continue;
    out->signal = got;
    unsigned char number = (unsigned char)got;
    if (info.si_code != SI_KERNEL && write(orders, &number, 1) < 0) continue; /* it has just ended */
  }
}

static int status_of(int answer) {
  int status;
  if (read(answer, &status, sizeof status) != (ssize_t)sizeof status) return 128 + SIGKILL; /* the minder was killed, and so all of them */
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool cli_process_run(void (*become)(const void *user), const void *user, struct cli_end *out, struct err *e) {
  int orders[2] = {-1, -1}, answer[2] = {-1, -1};
  sigset_t awaited, old;
  *out = (struct cli_end){0};
  pid_t pid = -1;
  block_signals(&awaited, &old);
  if (pipe2(orders, O_CLOEXEC) == 0 && pipe2(answer, O_CLOEXEC) == 0) pid = fork();
  if (pid == 0) {
    close(orders[1]);
    close(answer[0]);
    be_minder(orders[0], answer[1], &old, become, user);
  }
  if (pid < 0) err_set(e, ERR_SYSTEM, "cannot run the program: %s", strerror(errno));
  if (answer[1] >= 0) close(answer[1]);
  if (pid > 0) {
    wait_for_minder(pid, orders[1], &awaited, out);
    out->status = status_of(answer[0]);
  }
  if (answer[0] >= 0) close(answer[0]);
  for (int i = 0; i < 2; i++)
    if (orders[i] >= 0) close(orders[i]);
  sigprocmask(SIG_SETMASK, &old, NULL);
  return pid > 0;
}
