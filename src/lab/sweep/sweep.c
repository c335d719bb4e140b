/* See sweep.h. It uses one thread, which waits for signals (the end of a child, Ctrl-C) with a time-out, so there are
 * no signal handlers. */
#include "lab/sweep/sweep.h"

#include "base/arena.h"
#include "base/str.h"
#include "lab/sweep/job.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 1000, RENEW_SECONDS = 20, WHY = 2048 };
enum run_state { TODO, RUNNING, OVER };

struct worker {
  struct lab_job job;
  size_t run;
};

struct state {
  const struct lab_sweep *s;
  struct lab_sweep_counts *c;
  unsigned char *runs; /* enum run_state */
  struct worker *workers;
  size_t cursor;       /* runs before it were asked for in this round */
  double renewed;
  sigset_t awaited, old;
  struct err *e;
};

/* ---- a run's end --------------------------------------------------------------------------------------------------------- */

/* A file appears whole or not at all. */
static bool write_json(struct state *st, const struct lab_run *r, const json_t *report) {
  struct str path = {0}, part = {0};
  const char *slash = strrchr(r->gpu, '/');
  str_add(&path, "%s/%s-%s%s%s-%s-%s.json", st->s->json_dir, r->workload, r->size, *r->seed ? "-" : "", r->seed,
          slash ? slash + 1 : r->gpu, r->config_hash);
  str_add(&part, "%s.part", path.s);
  bool ok = json_dump_file(report, part.s, JSON_INDENT(2)) == 0 && rename(part.s, path.s) == 0;
  if (!ok) {
    err_set(st->e, ERR_SYSTEM, "cannot write '%s': %s", path.s, strerror(errno));
    unlink(part.s);
  }
  str_free(&part);
  str_free(&path);
  return ok;
}

static bool take_result(struct state *st, struct worker *w, int status) {
  const struct lab_run *r = &st->s->plan->runs[w->run];
  char why[WHY];
  json_t *report = NULL;
  double seconds = lab_clock() - w->job.started;
  bool ok = lab_job_result(&w->job, status, &report, why, sizeof why, st->e);
  st->c->running--;
  if (ok && report) {
    json_object_set_new(report, "program", json_string(r->workload));
    if (st->s->json_dir) ok = write_json(st, r, report);
  }
  ok = ok && lab_db_store(st->s->db, r, seconds, report, report ? NULL : why, st->e);
  if (ok) {
    st->runs[w->run] = OVER;
    st->c->done++;
    if (!report) st->c->failed++;
    if (st->s->ended) st->s->ended(st->s->user, st->c, r, seconds, report, report ? NULL : why);
  } else {
    lab_db_release(st->s->db, r);
  }
  json_decref(report);
  return ok;
}

static bool take_results(struct state *st) {
  for (unsigned i = 0; i < st->s->jobs; i++) {
    int status;
    struct worker *w = &st->workers[i];
    if (w->job.pid && lab_job_ended(&w->job, &status) && !take_result(st, w, status)) return false;
  }
  return true;
}

/* ---- starting ------------------------------------------------------------------------------------------------------------ */

static struct worker *idle_worker(struct state *st) {
  for (unsigned i = 0; i < st->s->jobs; i++)
    if (!st->workers[i].job.pid) return &st->workers[i];
  return NULL;
}

static bool start_run(struct state *st, struct worker *w, size_t run) {
  const struct lab_run *r = &st->s->plan->runs[run];
  if (!lab_job_start(&w->job, st->s->home, r, st->e)) {
    lab_db_release(st->s->db, r);
    return false;
  }
  w->run = run;
  st->runs[run] = RUNNING;
  st->c->running++;
  return true;
}

/* Gives every idle worker a run. One that another process is at is asked for again in the next round. */
static bool start_runs(struct state *st) {
  const struct lab_plan *p = st->s->plan;
  struct worker *w;
  for (; st->cursor < p->n && (w = idle_worker(st)); st->cursor++) {
    size_t i = st->cursor;
    if (st->runs[i] != TODO) continue;
    enum lab_claim claim = lab_db_claim(st->s->db, &p->runs[i], st->s->retry_failed, st->e);
    if (claim == LAB_ERROR || (claim == LAB_MINE && !start_run(st, w, i))) return false;
    if (claim != LAB_DONE && claim != LAB_FAILED) continue;
    st->runs[i] = OVER;
    st->c->before++;
    if (claim == LAB_FAILED) st->c->failed++;
  }
  return true;
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */

static bool all_over(const struct state *st) { return st->c->before + st->c->done == st->c->runs; }

static bool renew(struct state *st) {
  if (!st->c->running || lab_clock() - st->renewed < RENEW_SECONDS) return true;
  st->renewed = lab_clock();
  return lab_db_renew(st->s->db, st->e);
}

/* Waits for a child's end, a signal that stops us (returned), or the next tick. */
static int wait_for_signal(struct state *st) {
  const struct timespec tick = {TICK_MS / 1000, TICK_MS % 1000 * 1000000};
  int got = sigtimedwait(&st->awaited, NULL, &tick);
  if (got < 0) {
    st->cursor = 0;
    if (st->s->tick) st->s->tick(st->s->user, st->c);
  }
  return got < 0 || got == SIGCHLD ? 0 : got;
}

static bool loop(struct state *st, int *stopped) {
  for (;;) {
    if (!take_results(st) || !start_runs(st) || !renew(st)) return false;
    if (all_over(st)) return true;
    *stopped = wait_for_signal(st);
    if (*stopped) return false;
  }
}

static void give_up(struct state *st) {
  for (unsigned i = 0; i < st->s->jobs; i++) {
    struct worker *w = &st->workers[i];
    if (!w->job.pid) continue;
    lab_job_kill(&w->job);
    lab_db_release(st->s->db, &st->s->plan->runs[w->run]);
  }
}

static void count_runs(struct state *st) {
  const struct lab_sweep *s = st->s;
  for (size_t i = 0; i < s->plan->n; i++)
    if (s->shards && i % s->shards != s->shard - 1) st->runs[i] = OVER;
    else st->c->runs++;
}

bool lab_sweep_run(const struct lab_sweep *s, struct lab_sweep_counts *out, int *stopped, struct err *e) {
  static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
  *out = (struct lab_sweep_counts){0};
  *stopped = 0;
  struct state st = {.s = s, .c = out, .runs = must_alloc(s->plan->n + 1), .workers = must_alloc(s->jobs * sizeof *st.workers),
                     .renewed = lab_clock(), .e = e};
  sigemptyset(&st.awaited);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&st.awaited, signals[i]);
  signal(SIGCHLD, SIG_DFL); /* ignored, children could not be waited for */
  sigprocmask(SIG_BLOCK, &st.awaited, &st.old);
  count_runs(&st);
  bool ok = (!s->json_dir || mkdir(s->json_dir, 0777) == 0 || errno == EEXIST ||
             err_set(e, ERR_SYSTEM, "cannot make the folder '%s': %s", s->json_dir, strerror(errno))) &&
            loop(&st, stopped);
  if (!ok) give_up(&st);
  sigprocmask(SIG_SETMASK, &st.old, NULL);
  free(st.workers);
  free(st.runs);
  return ok;
}
