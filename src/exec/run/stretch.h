/* Stretches: instructions in a row that only compute or move data, which whoever does not count time executes in one go.
 *
 * Does: find them (once, when a function is decoded), and execute one, up to a fault. Does not: decide when; run/runner.c does. */
#ifndef EXEC_STRETCH_H
#define EXEC_STRETCH_H

#include "exec/warp.h"

/* What a stretch calls for an instruction. */
struct exec_step {
  exec_fn fn; /* exec_inst.quick */
  const struct exec_inst *in;
};

struct exec_stretches {
  struct exec_step *steps; /* of all stretches, in the order of the instructions */
  uint32_t *first;         /* by pc: its step, or if it has none the next one's; one more than there are instructions */
  /* By pc: instructions from there to the end of the stretch; 0: not in one. [1]: where plain stores to global memory do not end one. */
  uint32_t *length[2];
  uint32_t *apart[2];      /* the same for a part of the warp's lanes, of which others may be waited for */
  const struct exec_inst **constants; /* results of these are the same in every CTA: executed once a slot, not steps */
  uint32_t n_constants;
};

/* Before decoding, for modules that are never run with time: finds the instructions of kernels whose results every CTA of a launch would
 * compute again, lane by lane the same (parameters, sizes of the grid, the thread's number in its CTA, and what is computed of them
 * alone), and gives their registers rows that nothing else is kept in. */
void exec_keep_constants(struct ptx_module *m);
/* After decoding. */
void exec_find_stretches(struct exec_func *f, struct arena *a);
/* Executes the constants of a warp's kernel; its only path stands at the entry. */
void exec_prepare_constants(struct exec_warp *w);

/* Instructions of the stretch that the warp stands at; with `stores` it may go on behind stores to global memory. */
static inline uint32_t exec_stretch_length(const struct exec_warp *w, bool stores) {
  const struct exec_stretches *s = w->frame->func->stretches;
  return (w->active == w->live ? s->length : s->apart)[stores][w->pc];
}
/* Executes it. Returns the flags of its instructions that touch memory, or-ed. */
unsigned exec_do_stretch(struct exec_warp *w, uint32_t length);

#endif
