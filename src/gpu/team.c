/* See team.h. Members sleep between kernels only by yielding: after a while without work they give up their time
 * slice at every look. */
#include "gpu/team.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000, CACHE_LINE = 64 };

struct member {
  struct gpu_team *team;
  unsigned index;
  pthread_t thread;
};

/* What members wait for, what the caller waits for, and what is told before either are lines of their own: who waits
 * does not hold up who writes. */
struct gpu_team {
  unsigned size;
  struct member *members;
  gpu_team_fn fn;
  void *user;
  _Alignas(CACHE_LINE) atomic_uint round; /* counts phases begun */
  atomic_bool end;
  _Alignas(CACHE_LINE) atomic_uint working; /* members not yet back */
};

static void pause_a_little(unsigned *spins) {
  if (++*spins < SPINS) __builtin_ia32_pause();
  else sched_yield();
}

static void *work(void *arg) {
  struct member *m = arg;
  struct gpu_team *t = m->team;
  for (unsigned seen = 0;;) {
    unsigned spins = 0;
    while (atomic_load_explicit(&t->round, memory_order_acquire) == seen && !atomic_load(&t->end)) pause_a_little(&spins);
    if (atomic_load(&t->end)) return NULL;
    seen++;
    t->fn(t->user, m->index, t->size);
    atomic_fetch_sub_explicit(&t->working, 1, memory_order_release);
  }
}

struct gpu_team *gpu_team_new(unsigned threads) {
  struct gpu_team *t = must_alloc_lines(sizeof *t);
  t->size = threads;
  t->members = must_alloc(threads * sizeof *t->members);
  for (unsigned i = 1; i < threads; i++) {
    t->members[i] = (struct member){.team = t, .index = i};
    if (pthread_create(&t->members[i].thread, NULL, work, &t->members[i]) != 0) {
      t->size = i; /* the host gives no more: go on with fewer, results are the same */
      break;
    }
  }
  return t;
}

void gpu_team_delete(struct gpu_team *t) {
  if (!t) return;
  atomic_store(&t->end, true);
  for (unsigned i = 1; i < t->size; i++) pthread_join(t->members[i].thread, NULL);
  free(t->members);
  free(t);
}

unsigned gpu_team_size(const struct gpu_team *t) { return t->size; }

void gpu_team_run(struct gpu_team *t, gpu_team_fn fn, void *user) {
  t->fn = fn;
  t->user = user;
  atomic_store_explicit(&t->working, t->size - 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&t->round, 1, memory_order_release);
  fn(user, 0, t->size);
  unsigned spins = 0;
  while (atomic_load_explicit(&t->working, memory_order_acquire)) pause_a_little(&spins);
}
