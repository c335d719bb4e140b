/* One step of a warp, and what instruction families call to change which lanes run and where: divergence, waiting and exits. The rules are
 * at the head of warp.c. */
#ifndef EXEC_WARP_H
#define EXEC_WARP_H

#include "exec/exec.h"

/* ---- one instruction ------------------------------------------------------------------------------------------- */

/* Where a warp was before an instruction, and what remains to be done after an instruction at which lanes reconverge or others wait for a
 * turn. */
struct exec_before {
  const struct exec_inst *insts;
  uint32_t pc;
  uint8_t path;
};
void exec_after(struct exec_warp *w, const struct exec_inst *in, const struct exec_before *b);

/* Lanes of a path whose guard is true, by the predicates of its frame. */
static inline uint32_t exec_guarded_lanes(const struct exec_inst *in, unsigned char *const *file, uint32_t lanes) {
  if (!in->guarded) return lanes;
  uint32_t p = *(const uint32_t *)(const void *)(file[EXEC_FPRED] + in->guard);
  return lanes & (in->guard_negate ? ~p : p);
}

/* exec_step() for a loop: `in` is exec_next(w), `fn` its function, or its quick one if w->access is not needed. */
static inline void exec_do_by(struct exec_warp *w, const struct exec_inst *in, exec_fn fn) {
  const struct exec_before before = {w->insts, w->pc, w->path};
  uint32_t mask = exec_guarded_lanes(in, w->file, w->active);
  w->instructions++;
  w->mask = mask;
  w->thread_instructions += exec_count_lanes(mask);
  w->pc = before.pc + 1;
  w->access.mask = 0;
  if (mask || (in->flags & EXEC_CONTROL)) fn(w, in);
  if (w->pc == w->rpc || w->active != w->live) exec_after(w, in, &before);
}
static inline void exec_do(struct exec_warp *w, const struct exec_inst *in) { exec_do_by(w, in, in->fn); }

/* ---- divergence ------------------------------------------------------------------------------------------------ */

/* Starts the warp's only path at the entry of the root frame's function. */
void exec_warp_begin(struct exec_warp *w, uint32_t lanes);

/* Sends `taken` lanes of the current path to `target`; the others go on at w->pc. Both meet at rpc. */
void exec_diverge(struct exec_warp *w, uint32_t taken, uint32_t target, uint32_t rpc);

/* For .sync instructions: true if every live lane of `members` is in the current path. Otherwise the path is parked at this instruction,
 * which is executed again when they are together, and the caller must return without effect. */
bool exec_wait_for_lanes(struct exec_warp *w, const struct exec_inst *in, uint32_t members);

/* Makes a frame's registers and instructions those of the warp. */
void exec_use_frame(struct exec_warp *w, struct exec_frame *f);

/* Lanes of one member mask that are at different instructions: whether two of these do the same (shfl, vote, match or redux of one kind,
 * elect), and what they do together. */
struct exec_party {
  struct exec_frame *frame;
  const struct exec_inst *in;
  uint32_t lanes;
};
bool exec_is_same_operation(const struct exec_inst *a, const struct exec_inst *b);
void exec_do_apart(struct exec_warp *w, const struct exec_party *parties, unsigned n);

/* A CTA barrier: `threads` 0 means all. With wait, the current path is parked until the barrier completes. */
void exec_barrier_arrive(struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, bool wait);
/* bar.red: bits are the lanes' predicates. The result goes to in->d of every waiting path when the barrier completes;
 * in->sub says which. */
enum exec_bar_red { EXEC_BAR_PLAIN, EXEC_BAR_POPC, EXEC_BAR_AND, EXEC_BAR_OR };
void exec_barrier_reduce(struct exec_warp *w, const struct exec_inst *in, unsigned id, uint32_t threads, uint32_t bits);

/* Parks the current path, or w->mask's lanes of it, until paths that wait at that barrier are released. */
void exec_park(struct exec_warp *w, unsigned id);
void exec_release_paths(struct exec_warp *w, unsigned id);

/* Ends w->mask's lanes. */
void exec_exit_lanes(struct exec_warp *w, uint32_t lanes);

/* Enters `callee` with w->mask's lanes; the other lanes of the path wait after the call. Returns the new frame, or NULL after a fault
 * (stack exhausted). */
struct exec_frame *exec_enter(struct exec_warp *w, const struct exec_inst *in, const struct exec_func *callee);
/* Returns lanes from the current frame to its caller (or ends them, in the outermost). */
void exec_leave(struct exec_warp *w, uint32_t lanes);

/* Removes `lanes` from the current path; they run on their own from pc, and all meet at rpc. */
void exec_split(struct exec_warp *w, uint32_t lanes, uint32_t pc, uint32_t rpc);

/* Strides of the per-lane parameter blocks of an activation. */
static inline uint32_t exec_round16(uint64_t n) { return (uint32_t)((n + 15) & ~(uint64_t)15); }
static inline uint32_t exec_param_stride(const struct ptx_func *f) {
  return exec_round16(f->param_bytes) + exec_round16(f->ret_bytes);
}
static inline uint32_t exec_call_param_stride(const struct ptx_func *f) { return exec_round16(f->call_param_bytes); }

#endif
