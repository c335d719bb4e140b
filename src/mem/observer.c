/* See observer.h. */
#include "mem/observer.h"

#include "base/arena.h"

#include <stdlib.h>

void mem_observers_add(struct mem_observers *o, const struct mem_observer *ops, void *user) {
  GROW(o->at, o->capacity, o->n + 1u);
  o->at[o->n++] = (struct mem_observer_entry){ops, user};
}

void mem_observers_free(struct mem_observers *o) {
  free(o->at);
  *o = (struct mem_observers){0};
}
