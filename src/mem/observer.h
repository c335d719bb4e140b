/* Observers: functions that are called when something happens in a component. This is the only interface by which
 * anything follows an SM, its L1D or an L2 slice: probes (src/probe), warp schedulers that use lost locality, copies
 * of L1D tags and the sharing tracker (src/coop), the profile of an adaptive L2 and the shares of programs (src/llc),
 * traces (src/gpu/results/trace.h).
 *
 * An observer is a table of functions, one for each event, and a pointer of its own. A component has a list of
 * observers. It calls those that have a function for an event, in the order in which they were added, at the moment
 * when the event happens; an empty list costs one test. An observer touches only what belongs to the component that
 * notifies it, because components are visited by several threads.
 *
 * Does not: let an observer answer. Whoever decides something is asked through a table of its own (a policy,
 * peers.h). */
#ifndef MEM_OBSERVER_H
#define MEM_OBSERVER_H

#include "mem/packet.h"

/* ---- events of an SM ----------------------------------------------------------------------------------------------- */

enum mem_seen_class { /* of instructions */
  MEM_SEEN_INTEGER, MEM_SEEN_FLOAT, MEM_SEEN_DOUBLE, MEM_SEEN_HALF, MEM_SEEN_SPECIAL, MEM_SEEN_TENSOR, MEM_SEEN_CONVERT,
  MEM_SEEN_SHUFFLE, MEM_SEEN_BRANCH, MEM_SEEN_SYNC, MEM_SEEN_GLOBAL_LOAD, MEM_SEEN_GLOBAL_STORE, MEM_SEEN_ATOMIC, MEM_SEEN_LOCAL,
  MEM_SEEN_SHARED, MEM_SEEN_CONSTANT, MEM_SEEN_TEXTURE, MEM_SEEN_CLASSES
};
struct mem_seen_issue { /* a warp instruction */
  enum mem_seen_class class_;
  uint32_t lanes;
};

enum mem_seen_space {
  MEM_SEEN_IN_GLOBAL, MEM_SEEN_IN_LOCAL, MEM_SEEN_IN_SHARED, MEM_SEEN_IN_CONSTANT, MEM_SEEN_IN_TEXTURE, MEM_SEEN_SPACES
};
enum mem_seen_op { MEM_SEEN_LOAD, MEM_SEEN_STORE, MEM_SEEN_ATOMIC_OP, MEM_SEEN_OPS };
struct mem_seen_part {
  uint64_t line;
  struct mem_bytes bytes;
};
struct mem_seen_memory { /* a memory instruction after coalescing; reading kernel parameters does not count as one */
  enum mem_seen_space space;
  enum mem_seen_op op;
  uint32_t lanes;
  uint32_t n;              /* number of lines; 0 for shared memory */
  const struct mem_seen_part *parts;
};

enum mem_seen_result { MEM_SEEN_HIT, MEM_SEEN_MERGED /* with an outstanding miss */, MEM_SEEN_MISS, MEM_SEEN_BYPASS };
struct mem_seen_access { /* an access to L1D, by a load of global or local memory, that was accepted */
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t result;     /* enum mem_seen_result */
  bool local;
  uint16_t degree;    /* number of accesses of its instruction */
  uint32_t owner;     /* identifies the instruction until it is complete */
};
struct mem_seen_load { /* an instruction whose data has all come */
  uint32_t owner;
  uint64_t cycles;    /* since it was issued */
};

/* ---- events of an L2 slice ----------------------------------------------------------------------------------------- */

struct mem_seen_lookup { /* a request has looked up the tags and goes on */
  const struct mem_packet *k;
  uint32_t set;
  enum mem_seen_result result; /* not MEM_SEEN_BYPASS */
  uint64_t came; /* when it left the input buffer */
};

/* ---- observers ------------------------------------------------------------------------------------------------------ */

struct mem_observer { /* a function that is NULL is not called */
  /* An SM. */
  void (*issue)(void *user, const struct mem_seen_issue *i);
  void (*memory)(void *user, const struct mem_seen_memory *m);
  void (*access)(void *user, const struct mem_seen_access *a);
  void (*load)(void *user, const struct mem_seen_load *l);
  void (*reply)(void *user, const struct mem_packet *k, uint64_t now); /* a reply has come */
  /* An L1D. missed: a load of the warp missed, and its request was sent. evicted: a line that the warp had brought in
   * was replaced (only from organisations that replace whole lines). changed: bytes of a 128-byte line can be read
   * from now on (`here`), or no longer. */
  void (*missed)(void *user, unsigned warp, uint64_t line);
  void (*evicted)(void *user, unsigned warp, uint64_t line);
  void (*changed)(void *user, uint64_t line, struct mem_bytes bytes, bool here);
  void (*emptied)(void *user); /* all bytes of an L1D are gone; an observer with this may not be told by a `changed` for each line */
  /* An L2 slice. request: a request leaves the input buffer. lookup: it has looked up the tags. answer: it is about
   * to become its reply. replied: a reply, or a part of one, goes into the network. filled: the data that the packet
   * was sent for has come from below. */
  void (*request)(void *user, const struct mem_packet *k, uint64_t now);
  void (*lookup)(void *user, const struct mem_seen_lookup *l);
  void (*answer)(void *user, const struct mem_packet *k);
  void (*replied)(void *user, const struct mem_packet *k, uint64_t now);
  void (*filled)(void *user, const struct mem_packet *k, uint64_t now);
};

struct mem_observers { /* the observers of one component; all zero: none */
  struct mem_observer_entry {
    const struct mem_observer *ops;
    void *user;
  } *at;
  uint32_t n;
  size_t capacity; /* of `at` */
};
/* Adds an observer, whose table stays the caller's. Not to be called while the component is being visited. */
void mem_observers_add(struct mem_observers *o, const struct mem_observer *ops, void *user);
void mem_observers_free(struct mem_observers *o);

#define MEM_NOTIFY(observers, event, ...)                                                                              \
  for (uint32_t i_ = 0; i_ < (observers)->n; i_++)                                                                     \
    if ((observers)->at[i_].ops->event) (observers)->at[i_].ops->event((observers)->at[i_].user, ##__VA_ARGS__)

#endif
