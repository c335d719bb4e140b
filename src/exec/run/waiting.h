/* Whether a warp makes progress, and where it is, in words: used by the timed GPU's watchdog and by runs without timing.
 *
 * A path of a warp waits for another thread if it executes the same load, atomic operation or sleep on the same address again and again, or
 * two of them alternately, with little in between. Everything else is progress. So is, during a wait, an atomic operation or a store that
 * changes a value or goes to another address than the last one: a lock that changes hands is progress. A warp that waits in one of its
 * paths may have other paths that could end the wait (exec_owes_turns).
 *
 * A loop that polls one place and counts in registers looks like a wait, but is not. A wait that seems endless is therefore suspected
 * first: from then on registers are compared at each poll, and a warp whose registers have never repeated counts. A warp whose registers
 * have repeated will do the same for ever, unless another thread writes.
 *
 * Not detected: a thread that counts its polls makes progress for ever, in memory and in registers. */
#ifndef EXEC_PROGRESS_H
#define EXEC_PROGRESS_H

#include "base/str.h"
#include "exec/exec.h"

struct exec_wait { /* an instruction and the address that it polled */
  const struct exec_inst *in;
  uint64_t address;
};

struct exec_suspicion {
  const struct exec_inst *at; /* the instruction of the first poll since then; NULL: none yet */
  uint64_t digest;            /* hash of the registers at one of the polls there since then */
  uint32_t looks;             /* number of polls */
  bool on, repeats;           /* repeats: the registers were the same at two polls */
};

struct exec_waiting {
  uint8_t since;             /* instructions since it last polled */
  struct exec_wait stored;   /* the last store that changed nothing */
  struct exec_wait (*waits)[2]; /* by the lowest lane of a path: its last two instructions of the kind that waiting threads
                                   execute; NULL: none yet */
  struct exec_suspicion suspicion;
};

/* For a new warp; storage is kept from the one before. */
void exec_waiting_begin(struct exec_waiting *s);
void exec_waiting_free(struct exec_waiting *s);
static inline bool exec_is_waiting(const struct exec_waiting *s) { return s->since < UINT8_MAX; }

/* The part of exec_note_progress for instructions that access memory or that polling threads execute, and for warps that wait. */
bool exec_note_turn(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane);
/* The warp has executed `in`; `lane` is the lowest lane of the path. Returns whether that was progress. */
static inline bool exec_note_progress(struct exec_waiting *s, struct exec_warp *w, const struct exec_inst *in, unsigned lane) {
  if (w->access.mask || in->flags & (EXEC_SPIN | EXEC_LOOK) || exec_is_waiting(s)) return exec_note_turn(s, w, in, lane);
  w->watched = false;
  return true;
}

/* Begins to compare the registers, or stops. */
void exec_suspect(struct exec_waiting *s, bool on);
/* Whether the warp has polled several times since it was suspected and its registers have never repeated. */
static inline bool exec_counts(const struct exec_waiting *s) {
  return s->suspicion.on && s->suspicion.looks > 1 && !s->suspicion.repeats;
}

/* Whether its running path polls memory that host code writes without any call: managed memory or the host's own. */
bool exec_waits_for_host(const struct exec_warp *w, const struct exec_waiting *s);

/* Describes where the warp's lanes are and what they wait for; `reason` is that of the running path. */
void exec_explain_warp(const struct exec_warp *w, const struct exec_waiting *s, const char *reason, struct str *out);

#endif
