/* See strays.h. Few lines of a program have such accesses, so the list is searched from its end. */
#include "exec/memory/strays.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdlib.h>

struct exec_strays {
  struct exec_stray *at;
  size_t n, cap;
  pthread_mutex_t lock; /* SMs may be simulated by several threads */
};

struct exec_strays *exec_strays_new(void) {
  struct exec_strays *s = must_alloc(sizeof *s);
  pthread_mutex_init(&s->lock, NULL);
  return s;
}

void exec_strays_delete(struct exec_strays *s) {
  if (!s) return;
  pthread_mutex_destroy(&s->lock);
  free(s->at);
  free(s);
}

static struct exec_stray *find(struct exec_strays *s, const struct exec_stray *x) {
  for (size_t i = s->n; i-- > 0;) {
    struct exec_stray *y = &s->at[i];
    if (y->module == x->module && y->line == x->line && y->file == x->file) return y;
  }
  return NULL;
}

static int compare(const void *a, const void *b) {
  const struct exec_stray *x = a, *y = b;
  if (x->grid != y->grid) return x->grid < y->grid ? -1 : 1;
  if (x->cta != y->cta) return x->cta < y->cta ? -1 : 1;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

bool exec_strays_add(struct exec_strays *s, const struct exec_stray *x, char **text) {
  pthread_mutex_lock(&s->lock);
  struct exec_stray *known = find(s, x);
  bool first = !known;
  if (first) {
    GROW(s->at, s->cap, s->n + 1);
    known = &s->at[s->n++];
    *known = *x;
  } else {
    known->accesses += x->accesses;
    first = !known->reported && compare(x, known) < 0;
    if (first) known->grid = x->grid, known->cta = x->cta, known->thread = x->thread;
  }
  *text = known->text;
  if (!first) pthread_mutex_unlock(&s->lock);
  return first;
}

void exec_strays_done(struct exec_strays *s) { pthread_mutex_unlock(&s->lock); }

void exec_strays_report(struct exec_strays *s, void (*say)(void *user, const struct exec_stray *stray), void *user) {
  if (!s) return;
  pthread_mutex_lock(&s->lock);
  if (s->n) qsort(s->at, s->n, sizeof *s->at, compare);
  for (size_t i = 0; i < s->n; i++) {
    if (s->at[i].reported) continue;
    s->at[i].reported = true;
    say(user, &s->at[i]);
  }
  pthread_mutex_unlock(&s->lock);
}

const struct exec_stray *exec_strays_all(const struct exec_strays *s, size_t *n) {
  *n = s ? s->n : 0;
  return s ? s->at : NULL;
}
