/* Observers: who is notified of what happens in a component. The one interface by which anything follows an SM, its L1D or an L2 slice:
 * probes (src/probe), warp schedulers that go by lost locality, copies of L1D tags and the sharing tracker (src/coop), the
 * profile of an adaptive L2 and the shares of programs (src/llc), traces (src/gpu/results/trace.h).
 *
 * An observer is a table of functions, one an event, and a pointer of its own. A component has a list of them and calls those that
 * want an event, in the order in which they were added, at the moment it happens; an empty list costs one test. Observers
 * touch only what belongs to the component that notifies them, because components are visited by several threads.
 *
 * Does not: let an observer answer. Whoever decides something is asked by a table of its own (a policy, peers.h). */
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
struct mem_seen_memory { /* a memory instruction as the coalescer left it; parameters of kernels are none */
  enum mem_seen_space space;
  enum mem_seen_op op;
  uint32_t lanes;
  uint32_t n;              /* lines; 0 of shared memory */
  const struct mem_seen_part *parts;
};

enum mem_seen_result { MEM_SEEN_HIT, MEM_SEEN_MERGED /* with an outstanding miss */, MEM_SEEN_MISS, MEM_SEEN_BYPASS };
struct mem_seen_access { /* one accepted access of a load of global or local memory to L1D */
  uint64_t line;
  struct mem_bytes bytes;
  uint8_t result;     /* enum mem_seen_result */
  bool local;
  uint16_t degree;    /* accesses that its instruction makes */
  uint32_t owner;     /* the instruction, until it is complete */
};
struct mem_seen_load { /* that instruction has all its data */
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

struct mem_observer { /* NULL: not interested */
  /* An SM. */
  void (*issue)(void *user, const struct mem_seen_issue *i);
  void (*memory)(void *user, const struct mem_seen_memory *m);
  void (*access)(void *user, const struct mem_seen_access *a);
  void (*load)(void *user, const struct mem_seen_load *l);
  void (*reply)(void *user, const struct mem_packet *k, uint64_t now); /* an answer has come */
  /* An L1D: a load of the warp missed and was sent; a line that the warp had brought in was replaced (only by organisations that replace
   * lines as a whole); bytes of a 128-byte line can be read from now on (`here`), or no more. */
  void (*missed)(void *user, unsigned warp, uint64_t line);
  void (*evicted)(void *user, unsigned warp, uint64_t line);
  void (*changed)(void *user, uint64_t line, struct mem_bytes bytes, bool here);
  void (*emptied)(void *user); /* all of an L1D's bytes are gone; who wants to hear that may not hear a `changed` for each line */
  /* An L2 slice: a request leaves the input buffer; looks up the tags; is about to become its reply; its reply, or the first part of it,
   * goes into the network; data that was asked for when the packet was made has come from below. */
  void (*request)(void *user, const struct mem_packet *k, uint64_t now);
  void (*lookup)(void *user, const struct mem_seen_lookup *l);
  void (*answer)(void *user, const struct mem_packet *k);
  void (*replied)(void *user, const struct mem_packet *k, uint64_t now);
  void (*filled)(void *user, const struct mem_packet *k, uint64_t now);
};

struct mem_observers { /* of one component; all zero: nobody */
  struct mem_observer_entry {
    const struct mem_observer *ops;
    void *user;
  } *at;
  uint32_t n;
  size_t capacity; /* of `at` */
};
/* The table stays the caller's. Not while the component is being visited. */
void mem_observers_add(struct mem_observers *o, const struct mem_observer *ops, void *user);
void mem_observers_free(struct mem_observers *o);

#define MEM_NOTIFY(observers, event, ...)                                                                              \
  for (uint32_t i_ = 0; i_ < (observers)->n; i_++)                                                                     \
    if ((observers)->at[i_].ops->event) (observers)->at[i_].ops->event((observers)->at[i_].user, ##__VA_ARGS__)

#endif
