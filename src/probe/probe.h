/* Probes: what the motivation sections of papers plot, measured in any run.
 *
 * A probe is an observer (mem/observer.h) of every SM or of every L2 slice. Each is one file with a table of
 * functions, listed in probe_registry.c, and has one state for each component that it observes. A state is touched
 * only by its own component, and the states are put together in the order of the components' numbers when the run is
 * reported, so a report does not depend on the number of threads.
 *
 * Does not: change anything that it sees. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "base/err.h"
#include "mem/observer.h"

#include <jansson.h>

/* What probes are told about the GPU. */
struct probe_shape {
  uint32_t sms, slices;
  uint32_t clusters;     /* groups of neighbouring SMs, for the sharing probe */
  uint32_t granule;      /* least bytes that L1D fetches; 128: whole lines */
  uint64_t core_period;  /* ticks */
  bool untimed;          /* what is observed is executed without timing, CTAs one after the other */
  /* Whether the L1D of an SM holds bytes of the line now; NULL: not known. To be called only by probes of slices,
   * while no SM is being visited. */
  bool (*holds)(void *user, uint32_t sm, uint64_t line);
  /* Reads the 128 bytes of a line of device memory as they are now; false: there is no memory there. NULL: not known.
   * To be called only by probes of slices. */
  bool (*read)(void *user, uint64_t line, uint8_t *block);
  void *user;
};

/* ---- probes -------------------------------------------------------------------------------------------------------- */

struct probe_kernel { /* a launch that ended */
  const char *name;
};

struct probe {
  const char *name, *meaning;
  bool of_slices; /* one state for each L2 slice; otherwise one for each SM */
  void *(*create)(const struct probe_shape *shape);
  void (*destroy)(void *state);
  struct mem_observer events; /* of SMs and their L1Ds, or of slices */
  void (*kernel_end)(void *state, const struct probe_kernel *k); /* a kernel has ended; L1D is about to be emptied */
  /* The report from the states of all components, in order; a new object. */
  json_t *(*report)(void *const *states, uint32_t n, const struct probe_shape *shape);
};
extern const struct probe *const probe_all[]; /* ended by NULL */
/* NULL for a name that does not exist; e then suggests the nearest. */
const struct probe *probe_find(const char *name, struct err *e);

/* ---- a run ---------------------------------------------------------------------------------------------------------- */

enum { PROBE_MAX = 16 };

/* The probes of one run. */
struct probe_set;
/* `names` is a comma-separated list, or "all"; NULL with e filled if one does not exist. */
struct probe_set *probe_set_new(const char *names, const struct probe_shape *shape, struct err *e);
void probe_set_delete(struct probe_set *s);
/* Adds the probes that observe this kind of component to its observers. */
void probe_follow_sm(struct probe_set *s, uint32_t sm, struct mem_observers *to);
void probe_follow_slice(struct probe_set *s, uint32_t slice, struct mem_observers *to);
void probe_kernel_end(struct probe_set *s, const struct probe_kernel *k);
json_t *probe_report(struct probe_set *s); /* one member for each probe */

/* ---- for probes ---------------------------------------------------------------------------------------------------- */

/* Adds an object with the shares of counters (counter / total; 0 if the total is 0) under their labels. */
void probe_put_shares(json_t *o, const char *name, const uint64_t *counts, const char *const *labels, unsigned n);
static inline double probe_ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

#endif
