/* Stretches: consecutive instructions that only compute or move data, executed at once in runs without timing.
 *
 * Finds them (once, when a function is decoded) and executes one, up to a fault. run/runner.c decides when. */
#ifndef EXEC_STRETCH_H
#define EXEC_STRETCH_H

#include "exec/warp.h"

/* A step of a stretch. */
struct exec_step {
  exec_fn fn; /* exec_inst.quick */
  const struct exec_inst *in;
};

struct exec_stretches {
  struct exec_step *steps; /* of all stretches, in the order of the instructions */
  uint32_t *first;         /* by pc: its step, or the next one's if it has none; one entry more than there are instructions */
  /* By pc: instructions from there to the end of the stretch; 0: not in one. [1]: lengths that include plain stores to global memory. */
  uint32_t *length[2];
  uint32_t *apart[2];      /* the same if only some of the warp's lanes are in the path, so that others may be waited for */
  const struct exec_inst **constants; /* their results are the same in every CTA: executed once per slot, not as steps */
  uint32_t n_constants;
};

/* Called before decoding, for modules that are never run with timing: finds the instructions of kernels whose results every CTA of a launch
 * would compute again, the same in each lane (parameters, sizes of the grid, the thread's number in its CTA, and what is computed from
 * these alone), and gives their registers rows that nothing else uses. */
void exec_keep_constants(struct ptx_module *m);
/* Called after decoding. */
void exec_find_stretches(struct exec_func *f, struct arena *a);
/* Executes the constants of a warp's kernel; its only path is at the entry. */
void exec_prepare_constants(struct exec_warp *w);

/* Instructions of the stretch at which the warp is; with `stores` it may continue past stores to global memory. */
static inline uint32_t exec_stretch_length(const struct exec_warp *w, bool stores) {
  const struct exec_stretches *s = w->frame->func->stretches;
  return (w->active == w->live ? s->length : s->apart)[stores][w->pc];
}
/* Executes it. Returns the combined flags of its memory instructions. */
unsigned exec_do_stretch(struct exec_warp *w, uint32_t length);

#endif
