/* Whether a warp gets anywhere, and where it stands, for people: what the timed GPU's watchdog and the runner without time ask.
 *
 * A path of a warp that executes the same load, atomic operation or sleep on the same address again and again, or two in turns,
 * with little in between, waits for another thread. Everything else is progress, and so is, in the midst of waiting, an atomic operation
 * or a store that changes a value or goes where the last one did not: a lock that changes hands is. A warp that waits in one
 * of its paths may have others that could end the wait (exec_owes_turns).
 *
 * Not seen: a thread that counts how often it has looked in memory makes progress for ever. */
#ifndef EXEC_PROGRESS_H
#define EXEC_PROGRESS_H

#include "base/str.h"
#include "exec/exec.h"

struct exec_wait { /* an instruction and where it looked */
  const struct exec_inst *in;
  uint64_t address;
};

struct exec_waiting {
  uint8_t since;             /* instructions since it last looked whether another thread has done something */
  struct exec_wait stored;   /* the last store that changed nothing */
  struct exec_wait (*waits)[2]; /* what each path last did, and before that, of the kind that threads do who wait, by its lowest lane;
                                   NULL: nothing yet */
};

/* For a new warp; storage is kept from the one before. */
void exec_waiting_begin(struct exec_waiting *s);
void exec_waiting_free(struct exec_waiting *s);
static inline bool exec_is_waiting(const struct exec_waiting *s) { return s->since < UINT8_MAX; }

/* The warp has executed `in`, `lane` being the lowest of the path that did. Returns whether that was progress. */
bool exec_note_progress(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane);

/* Where the warp's lanes stand and what they wait for; `reason` is that of the path that runs. */
void exec_explain_warp(const struct exec_warp *w, const struct exec_waiting *s, const char *reason, struct str *out);

#endif
