/* Probes: what the motivation sections of papers plot, measured on any run.
 *
 * A probe is an observer (mem/observer.h) of every SM or of every L2 slice, one file each: a table of functions and a state for
 * each of them, listed in probe_registry.c. States are touched by their own component only and put together in the order of
 * its number when the run is reported, so a report does not depend on the number of threads.
 *
 * Does not: change anything that it sees. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "base/err.h"
#include "mem/observer.h"

#include <jansson.h>

/* What probes may know of the GPU. */
struct probe_shape {
  uint32_t sms, slices;
  uint32_t clusters;     /* groups of neighbouring SMs, for the sharing probe */
  uint32_t granule;      /* bytes that L1D fetches at least: 128, whole lines */
  uint64_t core_period;  /* ticks */
  bool untimed;          /* what is seen was executed without timing, CTAs one after the other */
  /* Whether the L1D of an SM holds bytes of the line now; NULL: not known. Called from slices only, when
   * no SM is being visited. */
  bool (*holds)(void *user, uint32_t sm, uint64_t line);
  /* The 128 bytes of a line of device memory as they are now, or false: there is none. NULL: not known. From slices only. */
  bool (*read)(void *user, uint64_t line, uint8_t *block);
  void *user;
};

/* ---- probes -------------------------------------------------------------------------------------------------------- */

struct probe_kernel { /* a launch that ended */
  const char *name;
};

struct probe {
  const char *name, *meaning;
  bool of_slices; /* one state an L2 slice; otherwise one an SM */
  void *(*create)(const struct probe_shape *shape);
  void (*destroy)(void *state);
  struct mem_observer events; /* of SMs and their L1Ds, or of slices */
  void (*kernel_end)(void *state, const struct probe_kernel *k); /* L1D is about to forget everything */
  /* The states of all, in order; a new object. */
  json_t *(*report)(void *const *states, uint32_t n, const struct probe_shape *shape);
};
extern const struct probe *const probe_all[]; /* ended by NULL */
/* NULL with e filled for a name that does not exist: it offers the nearest. */
const struct probe *probe_find(const char *name, struct err *e);

/* ---- a run ---------------------------------------------------------------------------------------------------------- */

enum { PROBE_MAX = 16 };

/* The probes of one run. */
struct probe_set;
/* `names` is a comma-separated list, or "all"; NULL with e filled if one does not exist. */
struct probe_set *probe_set_new(const char *names, const struct probe_shape *shape, struct err *e);
void probe_set_delete(struct probe_set *s);
/* Adds those that follow such a component to its observers. */
void probe_follow_sm(struct probe_set *s, uint32_t sm, struct mem_observers *to);
void probe_follow_slice(struct probe_set *s, uint32_t slice, struct mem_observers *to);
void probe_kernel_end(struct probe_set *s, const struct probe_kernel *k);
json_t *probe_report(struct probe_set *s); /* one member a probe */

/* ---- for probes ---------------------------------------------------------------------------------------------------- */

/* Shares of counters under their names: counter / total, 0 where there is none. */
void probe_put_shares(json_t *o, const char *name, const uint64_t *counts, const char *const *labels, unsigned n);
static inline double probe_ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

#endif
