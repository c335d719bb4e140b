/* Whether a warp gets anywhere, and where it stands, for people: what the timed GPU's watchdog and the runner without time ask.
 *
 * A path of a warp that executes the same load, atomic operation or sleep on the same address again and again, or two in turns,
 * with little in between, waits for another thread. Everything else is progress, and so is, in the midst of waiting, an atomic operation
 * or a store that changes a value or goes where the last one did not: a lock that changes hands is. A warp that waits in one
 * of its paths may have others that could end the wait (exec_owes_turns).
 *
 * A loop that looks at one place and counts in registers looks like a wait, and is none. So a wait that seems to be for ever is suspected
 * first: from then on the registers are compared from look to look, and a warp that has never had the same twice counts. One that has will
 * do the same again for ever, unless another thread writes.
 *
 * Not seen: a thread that counts how often it has looked makes progress for ever, in memory and in registers. */
#ifndef EXEC_PROGRESS_H
#define EXEC_PROGRESS_H

#include "base/str.h"
#include "exec/exec.h"

struct exec_wait { /* an instruction and where it looked */
  const struct exec_inst *in;
  uint64_t address;
};

struct exec_suspicion {
  const struct exec_inst *at; /* the first look since it began; NULL: none yet */
  uint64_t digest;            /* of the registers, at one of the looks there since */
  uint32_t looks;             /* so many */
  bool on, repeats;           /* the registers were the same at two of them */
};

struct exec_waiting {
  uint8_t since;             /* instructions since it last looked whether another thread has done something */
  struct exec_wait stored;   /* the last store that changed nothing */
  struct exec_wait (*waits)[2]; /* what each path last did, and before that, of the kind that threads do who wait, by its lowest lane;
                                   NULL: nothing yet */
  struct exec_suspicion suspicion;
};

/* For a new warp; storage is kept from the one before. */
void exec_waiting_begin(struct exec_waiting *s);
void exec_waiting_free(struct exec_waiting *s);
static inline bool exec_is_waiting(const struct exec_waiting *s) { return s->since < UINT8_MAX; }

/* For exec_note_progress: an instruction that accessed memory, or one that waiting threads execute, or of a warp that waits. */
bool exec_note_turn(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane);
/* The warp has executed `in`, `lane` being the lowest of the path that did. Returns whether that was progress. */
static inline bool exec_note_progress(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane) {
  if (w->access.mask || in->flags & (EXEC_SPIN | EXEC_LOOK) || exec_is_waiting(s)) return exec_note_turn(s, w, in, lane);
  w->watched = false;
  return true;
}

/* Begins to compare, anew, or no longer does. */
void exec_suspect(struct exec_waiting *s, bool on);
/* Whether the warp, since it is suspected, has looked several times and never had the same registers. */
static inline bool exec_counts(const struct exec_waiting *s) {
  return s->suspicion.on && s->suspicion.looks > 1 && !s->suspicion.repeats;
}

/* Whether its path that runs looks at memory that code of the host writes without asking anybody: managed or the host's own. */
bool exec_waits_for_host(const struct exec_warp *w, const struct exec_waiting *s);

/* Where the warp's lanes stand and what they wait for; `reason` is that of the path that runs. */
void exec_explain_warp(const struct exec_warp *w, const struct exec_waiting *s, const char *reason, struct str *out);

#endif
