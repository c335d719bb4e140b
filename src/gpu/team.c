/* See team.h. Each member has one word, the state of its share, which the caller and the member change in turn. A
 * thread that would have to wait long notes this in the word and sleeps on it (a futex). */
#include "gpu/team.h"

#include "base/arena.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  SPINS = 1000, /* looks at a word before sleeping, some 20 us, */
  MORE = 64,    /* and again so many, as long as the last share took but no longer than MOST */
  MOST = 3000000, /* cycles of the host's counter, about a millisecond */
  LONG_NS = 500000,
  CACHE_LINE = 64,
};

enum share {
  DONE,    /* the member looks for the next */
  ASLEEP,  /* the same, but it must be woken */
  OFFERED, /* whoever is first takes it */
  TAKEN,   /* by the member */
  AWAITED, /* by the member, and the caller must be woken */
};

/* A cache line of the host for each: no false sharing between members. */
struct member {
  _Alignas(CACHE_LINE) atomic_uint share; /* enum share */
  unsigned index;
  struct gpu_team *team;
  pthread_t thread;
};

struct gpu_team {
  unsigned size;
  struct member *members; /* member 0 has no thread and no share to offer */
  gpu_team_fn fn;         /* of the phase; NULL: the team ends */
  void *user;
  unsigned shares;
  struct gpu_team_waits waits;
  _Alignas(CACHE_LINE) atomic_uint_fast64_t sleeps;
};

/* ---- waiting ------------------------------------------------------------------------------------------------------------------ */

static void sleep_on(atomic_uint *word, unsigned value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }
static void wake(atomic_uint *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

static unsigned look(atomic_uint *word) { return atomic_load_explicit(word, memory_order_acquire); }
static bool change(atomic_uint *word, unsigned from, unsigned to) { return atomic_compare_exchange_strong(word, &from, to); }

static uint64_t counter(void) { return __builtin_ia32_rdtsc(); }

static unsigned spin(atomic_uint *word, unsigned value, unsigned times) {
  unsigned now = look(word);
  for (unsigned i = 0; i < times && now == value; i++, now = look(word)) __builtin_ia32_pause();
  return now;
}

/* Looks at a word for a short while, longer after a long share (`took`): shares are of about the same length, and what lies
 * between two phases is shorter. What it saw last. */
static unsigned spin_while(atomic_uint *word, unsigned value, uint64_t took) {
  uint64_t from = counter(), most = took < MOST ? took : MOST;
  unsigned now = spin(word, value, SPINS);
  while (now == value && counter() - from < most) now = spin(word, value, MORE);
  return now;
}

/* ---- members ------------------------------------------------------------------------------------------------------------------ */

static void await_offer(struct member *m, uint64_t took) {
  for (unsigned now; (now = spin_while(&m->share, DONE, took)) != OFFERED;) {
    if (now == DONE && !change(&m->share, DONE, ASLEEP)) continue;
    atomic_fetch_add_explicit(&m->team->sleeps, 1, memory_order_relaxed);
    while (look(&m->share) == ASLEEP) sleep_on(&m->share, ASLEEP);
  }
}

static void *work(void *arg) {
  struct member *m = arg;
  for (uint64_t took = 0;;) {
    await_offer(m, took);
    if (!change(&m->share, OFFERED, TAKEN)) continue; /* the caller was first */
    if (!m->team->fn) return NULL;
    uint64_t from = counter();
    m->team->fn(m->team->user, m->index, m->team->shares);
    took = counter() - from;
    if (atomic_exchange(&m->share, DONE) == AWAITED) wake(&m->share);
  }
}

static void offer(struct member *m) {
  if (atomic_exchange(&m->share, OFFERED) == ASLEEP) wake(&m->share);
}

/* ---- the caller --------------------------------------------------------------------------------------------------------------- */

static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The member is at its share: waits for it. */
static void await(struct gpu_team *t, struct member *m, uint64_t took) {
  if (spin_while(&m->share, TAKEN, took) != TAKEN || !change(&m->share, TAKEN, AWAITED)) return;
  uint64_t from = clock_ns();
  while (look(&m->share) == AWAITED) sleep_on(&m->share, AWAITED);
  uint64_t ns = clock_ns() - from;
  t->waits.ns += ns;
  t->waits.long_ones += ns > LONG_NS;
}

void gpu_team_run(struct gpu_team *t, unsigned shares, gpu_team_fn fn, void *user) {
  t->fn = fn;
  t->user = user;
  t->shares = shares;
  for (unsigned i = 1; i < shares; i++) offer(&t->members[i]);
  uint64_t from = counter();
  fn(user, 0, shares);
  uint64_t took = counter() - from;
  for (unsigned i = 1; i < shares; i++)
    if (look(&t->members[i].share) == OFFERED && change(&t->members[i].share, OFFERED, DONE)) fn(user, i, shares);
  for (unsigned i = 1; i < shares; i++) await(t, &t->members[i], took);
}

/* ---- the team ----------------------------------------------------------------------------------------------------------------- */

struct gpu_team *gpu_team_new(unsigned threads) {
  struct gpu_team *t = must_alloc_lines(sizeof *t);
  t->size = threads;
  t->members = must_alloc_lines(threads * sizeof *t->members);
  for (unsigned i = 1; i < threads; i++) {
    struct member *m = &t->members[i];
    m->team = t;
    m->index = i;
    if (pthread_create(&m->thread, NULL, work, m) != 0) {
      t->size = i; /* the host gives no more: go on with fewer, results are the same */
      break;
    }
  }
  return t;
}

void gpu_team_delete(struct gpu_team *t) {
  if (!t) return;
  t->fn = NULL;
  for (unsigned i = 1; i < t->size; i++) {
    offer(&t->members[i]);
    pthread_join(t->members[i].thread, NULL);
  }
  free(t->members);
  free(t);
}

unsigned gpu_team_size(const struct gpu_team *t) { return t->size; }
struct gpu_team_waits gpu_team_waits(const struct gpu_team *t) { return t->waits; }
uint64_t gpu_team_sleeps(const struct gpu_team *t) { return atomic_load(&t->sleeps); }

unsigned gpu_team_cpus(void) {
  cpu_set_t may;
  int n = sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : 1;
  return n > 1 ? (unsigned)n : 1;
}
