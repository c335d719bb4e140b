/* Probes: what the motivation sections of papers plot, measured on any run.
 *
 * A component that a probe can watch (an SM, an L2 slice) has a pointer to a tap, NULL when nothing is watched: a probe
 * that is off costs one test of that pointer. A tap hands each event to the probes that want it. A probe is one file: a
 * table of functions and a state for each SM or each slice, listed in probe_registry.c. States are touched by their own
 * component only and put together in the order of its number when the run is reported, so a report does not depend on
 * the number of threads.
 *
 * Does not: change anything that it sees. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "base/err.h"
#include "mem/packet.h"

#include <jansson.h>

/* What probes may know of the GPU. */
struct probe_shape {
  uint32_t sms, slices;
  uint32_t clusters;     /* groups of neighbouring SMs, for the sharing probe */
  uint32_t granule;      /* bytes that L1D fetches at least: 128, whole lines */
  uint64_t core_period;  /* ticks */
  /* Whether the L1D of an SM holds bytes of the line now; NULL: not known. Called from slices only, when
   * no SM is being visited. */
  bool (*holds)(void *user, uint32_t sm, uint64_t line);
  /* The 128 bytes of a line of device memory as they are now, or false: there is none. NULL: not known. From slices only. */
  bool (*read)(void *user, uint64_t line, uint8_t *block);
  void *user;
};

/* ---- events -------------------------------------------------------------------------------------------------------- */

enum probe_result { PROBE_HIT, PROBE_MERGED /* with an outstanding miss */, PROBE_MISS, PROBE_BYPASS };

struct probe_access { /* one accepted access of a load of global or local memory to L1D */
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t result;     /* enum probe_result */
  bool local;
  uint16_t degree;    /* accesses that its instruction makes */
  uint32_t owner;     /* the instruction, until it is complete */
};

struct probe_load { /* that instruction has all its data */
  uint32_t owner;
  uint64_t cycles;    /* since it was issued */
};

enum probe_class {
  PROBE_INTEGER, PROBE_FLOAT, PROBE_DOUBLE, PROBE_HALF, PROBE_SPECIAL, PROBE_TENSOR, PROBE_CONVERT, PROBE_SHUFFLE,
  PROBE_BRANCH, PROBE_SYNC, PROBE_GLOBAL_LOAD, PROBE_GLOBAL_STORE, PROBE_ATOMIC, PROBE_LOCAL, PROBE_SHARED,
  PROBE_CONSTANT, PROBE_TEXTURE, PROBE_CLASSES
};

struct probe_issue { /* a warp instruction */
  enum probe_class class_;
  uint32_t lanes;
};

enum probe_space { PROBE_IN_GLOBAL, PROBE_IN_LOCAL, PROBE_IN_SHARED, PROBE_IN_CONSTANT, PROBE_IN_TEXTURE, PROBE_SPACES };
enum probe_op { PROBE_LOAD, PROBE_STORE, PROBE_ATOMIC_OP, PROBE_OPS };

struct probe_part {
  uint64_t line;
  struct mem_bytes bytes;
};
struct probe_memory { /* a memory instruction as the coalescer left it; parameters of kernels are none */
  enum probe_space space;
  enum probe_op op;
  uint32_t lanes;
  uint32_t n;              /* lines; 0 of shared memory */
  const struct probe_part *parts;
};

struct probe_kernel { /* a launch that ended */
  const char *name;
};

/* ---- probes -------------------------------------------------------------------------------------------------------- */

struct probe {
  const char *name, *meaning;
  bool of_slices; /* one state an L2 slice; otherwise one an SM */
  void *(*create)(const struct probe_shape *shape);
  void (*destroy)(void *state);
  /* Events; NULL where it does not care. */
  void (*access)(void *state, const struct probe_access *a);
  void (*load)(void *state, const struct probe_load *l);
  void (*issue)(void *state, const struct probe_issue *i);
  void (*memory)(void *state, const struct probe_memory *m);
  void (*request)(void *state, const struct mem_packet *k, uint64_t now); /* reaches an L2 slice */
  void (*kernel_end)(void *state, const struct probe_kernel *k); /* L1D is about to forget everything */
  /* The states of all, in order; a new object. */
  json_t *(*report)(void *const *states, uint32_t n, const struct probe_shape *shape);
};
extern const struct probe *const probe_all[]; /* ended by NULL */
/* NULL with e filled for a name that does not exist: it offers the nearest. */
const struct probe *probe_find(const char *name, struct err *e);

/* ---- taps ---------------------------------------------------------------------------------------------------------- */

enum { PROBE_MAX = 16 };

struct probe_tap {
  uint32_t n;
  struct {
    const struct probe *ops;
    void *state;
  } at[PROBE_MAX];
};
void probe_on_access(struct probe_tap *t, const struct probe_access *a);
void probe_on_load(struct probe_tap *t, const struct probe_load *l);
void probe_on_issue(struct probe_tap *t, const struct probe_issue *i);
void probe_on_memory(struct probe_tap *t, const struct probe_memory *m);
void probe_on_request(struct probe_tap *t, const struct mem_packet *k, uint64_t now);

/* The probes of one run. */
struct probe_set;
/* `names` is a comma-separated list, or "all"; NULL with e filled if one does not exist. */
struct probe_set *probe_set_new(const char *names, const struct probe_shape *shape, struct err *e);
void probe_set_delete(struct probe_set *s);
/* NULL where no probe of this set watches such a component. */
struct probe_tap *probe_sm_tap(struct probe_set *s, uint32_t sm);
struct probe_tap *probe_slice_tap(struct probe_set *s, uint32_t slice);
void probe_kernel_end(struct probe_set *s, const struct probe_kernel *k);
json_t *probe_report(struct probe_set *s); /* one member a probe */

/* ---- for probes ---------------------------------------------------------------------------------------------------- */

/* Shares of counters under their names: counter / total, 0 where there is none. */
void probe_put_shares(json_t *o, const char *name, const uint64_t *counts, const char *const *labels, unsigned n);
static inline double probe_ratio(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

#endif
