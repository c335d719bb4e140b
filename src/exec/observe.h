/* The interface by which an observer, such as a checker, follows a functional run.
 *
 * A device without observer (exec_device.observer NULL, the usual case) pays one test per access. All functions of the table must be given.
 * Calls come in the order of events, from the thread that runs the grid. An observer changes nothing of what it is shown, except the
 * `observed` pointers, which are its own. The timed GPU does not call it. */
#ifndef EXEC_OBSERVE_H
#define EXEC_OBSERVE_H

#include "exec/exec.h"

/* Lanes of one warp instruction in one space; the access is legal and about to happen. */
struct exec_shown {
  uint8_t space;        /* PTX_GLOBAL or PTX_SHARED */
  uint8_t op;           /* enum exec_access_op, never EXEC_PREFETCH */
  bool same, adjoining; /* all lanes at one address; all 32 lanes, each right behind the lane before */
  uint32_t lanes;
  uint64_t bytes;       /* a lane */
  const uint64_t *addr; /* by lane: device address, or offset in shared memory */
  const struct exec_cta *cta; /* whose shared memory */
};

struct exec_touch;
struct exec_observer {
  void *user;
  /* Grids and CTAs; a grid that ended with a fault has it. */
  void (*grid_begin)(void *user, const struct exec_grid *g);
  void (*grid_end)(void *user, const struct exec_grid *g);
  void (*cta_begin)(void *user, struct exec_cta *c);
  void (*cta_end)(void *user, struct exec_cta *c);
  /* Memory accesses of kernels. An asynchronous copy is two accesses by an instruction whose opcode is cp. */
  void (*touch)(void *user, const struct exec_warp *w, const struct exec_inst *in, const struct exec_shown *t);
  /* An access outside every allocation that is answered nevertheless (blame.h describes it). */
  void (*stray)(void *user, const struct exec_touch *t);
  /* Fences, and commits and waits of asynchronous copies: w->mask's lanes. */
  void (*order)(void *user, const struct exec_warp *w, const struct exec_inst *in);
  /* .sync instructions: w->mask's lanes arrive with their member masks (a row of 32); all live members have arrived; and a shuffle is about
   * to read the lanes `sources`. */
  void (*come)(void *user, const struct exec_warp *w, const struct exec_inst *in, const uint32_t *masks);
  void (*meet)(void *user, const struct exec_warp *w, uint32_t members);
  void (*shuffle)(void *user, const struct exec_warp *w, const struct exec_inst *in, uint32_t members, uint32_t sources);
  /* CTA barriers: w->mask's lanes arrive (threads 0: all of the CTA are expected); a barrier is complete. */
  void (*arrive)(void *user, const struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait);
  void (*release)(void *user, const struct exec_cta *c, unsigned id);
  /* Memory management by the host: allocations, frees, and moved bytes (from or to 0: the host, or a fill). */
  void (*allocated)(void *user, const struct exec_alloc *a);
  void (*freed)(void *user, const struct exec_alloc *a);
  void (*moved)(void *user, uint64_t to, uint64_t from, uint64_t bytes);
};

/* Reads the value that `lane` of a st instruction is about to store from its registers; returns the number of bytes, 0 for other
 * instructions. */
enum { EXEC_STORED_BYTES = 32 };
unsigned exec_stored_value(const struct exec_warp *w, const struct exec_inst *in, unsigned lane,
                           unsigned char out[EXEC_STORED_BYTES]);

static inline const struct exec_observer *exec_observer(const struct exec_warp *w) { return w->grid->device->observer; }

#endif
