/* See pace.h. The next trial of more threads comes later after one that brought no gain, and after a trial of fewer
 * threads that was kept; a trial of fewer without gain resets this to its first value. */
#include "gpu/pace.h"

#include <sys/resource.h>
#include <time.h>

enum {
  FIRST_WAIT = 8,
  SHORTEST = 64,     /* samples before a trial of more threads */
  LONGER = 2,        /* times, after one without gain */
  LONGEST = 1024,
  CONFIRM = 256,     /* samples before a trial of fewer */
  PROBATION = 8,     /* samples after which a number that is slower than fewer threads were is tried against them */
  TURN = 4,          /* samples of a trial with the other number, and again with the present one; */
  MOVING = 1,        /* those at the begin of each, while caches fill, do not count */
  LOOK_EVERY = 512,  /* components visited between looks at the clock */
  STRETCH_NS = 1000000,
};
static const double forget = 0.8;    /* a sample's weight in `recent` when the next comes */
static const double worth_it = 1.03; /* more threads must be that much faster */
static const double too_much = 1.2;  /* unrest, from which on fewer threads are used */
static const double calm = 0.25;     /* unrest, up to which more are tried */
static const double hopeless = 0.5;  /* a number that is that much slower is not tried to the end */

/* ---- the choice --------------------------------------------------------------------------------------------------------------- */

static double rate(const struct gpu_rate *r) { return r->seconds > 0 ? r->work / r->seconds : 0; }

static void add(struct gpu_rate *r, double weight, double work, double seconds) {
  r->work = r->work * weight + work;
  r->seconds = r->seconds * weight + seconds;
}

void gpu_pace_init(struct gpu_pace *p, unsigned most, bool all) {
  *p = (struct gpu_pace){.most = most, .used = all ? most : 1, .steady = all ? most : 1, .wait = all ? 0 : FIRST_WAIT,
                         .patience = SHORTEST, .up = true};
}

static bool next_is_up(const struct gpu_pace *p) { return p->steady == 1 || (p->up && p->steady < p->most); }

static void begin_trial(struct gpu_pace *p) {
  bool up = next_is_up(p);
  p->up = !up;
  p->other = up ? (p->steady * 2 < p->most ? p->steady * 2 : p->most) : (p->steady + 1) / 2;
  p->now = p->recent;
  p->tried = (struct gpu_rate){0};
  p->turn = 0;
}

/* The trial is over: goes on with `threads`. */
static void settle(struct gpu_pace *p, unsigned threads) {
  bool up = p->other > p->steady, more = threads > p->steady || threads > p->other;
  if (more) p->fewer = up ? p->now : p->tried;
  else if (threads < p->steady) p->fewer = (struct gpu_rate){0};
  if (!more && p->patience < LONGEST) p->patience *= LONGER;
  else if (more && !up) p->patience = SHORTEST;
  bool change = threads != p->steady;
  if (change) {
    p->recent = (struct gpu_rate){0};
    p->up = up;
  }
  p->steady = threads;
  p->other = p->since = 0;
  if (change && next_is_up(p) == up) p->wait = PROBATION; /* further */
  else p->wait = next_is_up(p) ? p->patience : CONFIRM;
}

static void end_trial(struct gpu_pace *p) {
  double now = rate(&p->now), tried = rate(&p->tried);
  bool change = p->other > p->steady ? tried > now * worth_it && p->unrest < too_much : tried * worth_it >= now;
  settle(p, change ? p->other : p->steady);
}

/* More threads are steadily slower than fewer were when last looked at: that is looked at again. */
static bool doubtful(const struct gpu_pace *p) {
  return p->steady > 1 && p->since >= PROBATION && rate(&p->recent) < rate(&p->fewer);
}

/* The present number counts before and after the other, since a program changes. */
static void go_on_with_trial(struct gpu_pace *p, double work, double seconds) {
  bool tried = p->turn < TURN, counts = p->turn % TURN >= MOVING;
  p->turn++;
  if (counts) add(tried ? &p->tried : &p->now, 1, work, seconds);
  bool slow = tried && counts && rate(&p->tried) < rate(&p->recent) * hopeless;
  if (p->turn == 2 * TURN || slow) end_trial(p);
}

static void go_on_steadily(struct gpu_pace *p, double work, double seconds) {
  add(&p->recent, forget, work, seconds);
  p->since++;
  bool doubt = doubtful(p);
  if (doubt) p->up = false;
  if (p->unrest >= too_much && p->steady > 1) {
    p->up = false;
    begin_trial(p);
    settle(p, p->other);
    p->unrest = 0;
  } else if (doubt || (p->since >= p->wait && !(next_is_up(p) && p->unrest > calm))) {
    begin_trial(p);
  }
}

unsigned gpu_pace_next(struct gpu_pace *p, double work, double seconds, uint64_t disturbances) {
  p->thread_seconds += seconds * p->used;
  p->seconds += seconds;
  if (p->most == 1 || !p->wait) return p->used;
  p->unrest = p->unrest * forget + (double)disturbances;
  if (p->other) go_on_with_trial(p, work, seconds);
  else go_on_steadily(p, work, seconds);
  return p->used = p->other && p->turn < TURN ? p->other : p->steady;
}

double gpu_pace_mean(const struct gpu_pace *p) { return p->seconds > 0 ? p->thread_seconds / p->seconds : p->used; }

/* ---- the clock ---------------------------------------------------------------------------------------------------------------- */

/* The caller's time on its CPU, and asleep while others were at their shares. */
static uint64_t clock_now(const struct gpu_team *t) {
  struct timespec ts;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec + gpu_team_waits(t).ns;
}

static uint64_t all_disturbances(const struct gpu_team *t) {
  struct rusage use = {0};
  getrusage(RUSAGE_THREAD, &use);
  return (uint64_t)use.ru_nivcsw + gpu_team_waits(t).long_ones;
}

void gpu_pace_resume(struct gpu_pace *p, const struct gpu_team *t) {
  if (p->most == 1) return;
  if (!p->from) p->disturbances = all_disturbances(t);
  p->from = clock_now(t);
}

void gpu_pace_pause(struct gpu_pace *p, const struct gpu_team *t) {
  if (p->most > 1) p->past += clock_now(t) - p->from;
}

bool gpu_pace_count(struct gpu_pace *p, const struct gpu_team *t, uint32_t work) {
  p->work += work;
  p->unseen += work;
  if (p->unseen < LOOK_EVERY && gpu_team_waits(t).ns == p->waits) return false;
  p->unseen = 0;
  p->waits = gpu_team_waits(t).ns;
  uint64_t now = clock_now(t), ns = p->past + now - p->from;
  if (ns < STRETCH_NS) return false;
  unsigned before = p->used;
  uint64_t all = all_disturbances(t);
  gpu_pace_next(p, p->work, (double)ns * 1e-9, all - p->disturbances);
  p->disturbances = all;
  p->work = 0;
  p->past = 0;
  p->from = now;
  return p->used != before;
}
