/* Loops in which a thread waits for others, in which an assembler lets the other lanes of the warp run; and plain loads by which a thread
 * polls whether others have done something.
 *
 * Since Volta a warp may have lanes at several places, but runs one place until its lanes end, wait for others, or execute YIELD. An
 * assembler puts YIELD into loops whose end depends on what other threads write: an exit of the loop depends, by registers, on the result
 * of an atomic operation, a strong load (volatile, relaxed, acquire, .cg, .cv) or a test of an mbarrier inside the loop. NVIDIA's does so
 * for sm_75 to sm_90, as its code for 46 small loops shows; loops that count, or that read memory by plain loads, get none.
 *
 * Lanes that write the place that they poll end such a loop by themselves. In these loops an H200 executes YIELD but leaves the lanes that
 * are done at the end of the loop (hybridsort: 0.7 million instructions, 7 if they went on), so they are not marked.
 *
 * A loop consists here of the blocks that reach a backward branch without passing its target. It is also marked if no lane can be
 * elsewhere, which has no effect. Dependence on which side of an inner branch was taken is not detected (2 of the 46), nor what a called
 * function reads. Loops of more than LARGE blocks are not examined, because threads do not wait in them.
 *
 * A volatile access outside loops, or in a loop that writes to memory and does not wait in this way, cannot be one by which a thread waits
 * (ptx_calm.h).
 *
 * A plain load counts as a poll if it reads the same address in every turn of a loop of a few blocks that writes nothing and calls nothing,
 * and an exit depends on it: a compiler leaves such a load in the loop because of a fence, or because it was told to, and only another
 * thread ends the loop. */
#include "ptx/ptx_calm.h"
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 1024, PASSES = 8, SMALL = 16 /* blocks of a loop with polls */ };

struct loops {
  struct ptx_func *f;
  uint32_t *pred_start, *preds;
  uint32_t *in_loop;           /* block -> number of the loop that was last found to hold it */
  bool *changing;              /* register -> depends on what others write; of the present loop */
  uint32_t blocks[LARGE];      /* of the present loop, its head first */
  uint32_t n, number;
  bool *written;               /* register -> the present loop writes it; NULL: strong loads and atomics are sought, not polls */
  bool *waited;                /* for ptx_calm_volatiles: instruction -> in a loop in which a thread waits */
};

/* ---- what others write ------------------------------------------------------------------------------------------------- */

static bool reads_others(const struct ptx_inst *in) {
  static const enum ptx_mod strong[] = {PTX_M_volatile, PTX_M_relaxed, PTX_M_acquire, PTX_M_mmio, PTX_M_cg, PTX_M_cv};
  if (in->op == PTX_OP_atom || ptx_has(in, PTX_M_test_wait) || ptx_has(in, PTX_M_try_wait)) return true;
  for (size_t i = 0; in->op == PTX_OP_ld && i < sizeof strong / sizeof *strong; i++)
    if (ptx_has(in, strong[i])) return true;
  return false;
}

/* Whether it is a plain load from an address that the present loop does not change. */
static bool is_look(const struct loops *l, const struct ptx_inst *in) {
  struct ptx_touched t;
  if (in->op != PTX_OP_ld || in->guarded || reads_others(in)) return false;
  if (in->space != PTX_GLOBAL && in->space != PTX_GENERIC && in->space != PTX_SHARED) return false;
  ptx_touches(l->f, in, &t);
  for (uint32_t i = 0; i < t.n_reads; i++)
    if (l->written[t.reads[i]]) return false;
  return true;
}

static bool brings_news(const struct loops *l, const struct ptx_inst *in) { return l->written ? is_look(l, in) : reads_others(in); }

static bool any_reads_others(const struct ptx_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++)
    if (reads_others(&f->insts[i])) return true;
  return false;
}

/* ---- one loop ------------------------------------------------------------------------------------------------------------ */

static bool holds(const struct loops *l, uint32_t block) { return l->in_loop[block] == l->number; }

static bool take(struct loops *l, uint32_t block) {
  if (holds(l, block)) return true;
  if (l->n == LARGE) return false;
  l->in_loop[block] = l->number;
  l->blocks[l->n++] = block;
  return true;
}

/* Finds the blocks of the loop that `from` closes with a branch to `head`; false: too many. */
static bool find_loop(struct loops *l, uint32_t head, uint32_t from) {
  l->n = 0;
  l->number++;
  take(l, head);
  if (!take(l, from)) return false;
  for (uint32_t i = 1; i < l->n; i++)
    for (uint32_t k = l->pred_start[l->blocks[i]]; k < l->pred_start[l->blocks[i] + 1]; k++)
      if (!take(l, l->preds[k])) return false;
  return true;
}

/* Marks what the instruction writes, if it reads what others write or computes with that. Returns whether a mark is new. */
static bool pass_on(struct loops *l, const struct ptx_inst *in) {
  struct ptx_touched t;
  ptx_touches(l->f, in, &t);
  bool from_others = brings_news(l, in), any = false;
  for (uint32_t i = 0; i < t.n_reads && !from_others; i++) from_others = l->changing[t.reads[i]];
  for (uint32_t i = 0; i < t.n_writes && from_others; i++) {
    any |= !l->changing[t.writes[i]];
    l->changing[t.writes[i]] = true;
  }
  return any;
}

static void find_changing(struct loops *l) {
  bool more = true;
  memset(l->changing, 0, l->f->n_regs * sizeof *l->changing);
  for (unsigned pass = 0; pass < PASSES && more; pass++) {
    more = false;
    for (uint32_t i = 0; i < l->n; i++)
      for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end; k++)
        more |= pass_on(l, &l->f->insts[k]);
  }
}

static bool leaves(const struct loops *l, uint32_t block) {
  const struct ptx_block *b = &l->f->blocks[block];
  const struct ptx_inst *last = &l->f->insts[b->end - 1];
  for (uint32_t i = 0; i < b->n_succ; i++)
    if (!holds(l, b->succ[i])) return true;
  return last->op == PTX_OP_ret || last->op == PTX_OP_exit;
}

/* Whether an exit depends on what others write. */
static bool waits(struct loops *l) {
  bool any = false;
  for (uint32_t i = 0; i < l->n && !any; i++)
    for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end && !any; k++)
      any = brings_news(l, &l->f->insts[k]);
  if (!any) return false;
  find_changing(l);
  for (uint32_t i = 0; i < l->n; i++) {
    struct ptx_touched t;
    if (!leaves(l, l->blocks[i])) continue;
    ptx_touches(l->f, &l->f->insts[l->f->blocks[l->blocks[i]].end - 1], &t);
    for (uint32_t k = 0; k < t.n_reads; k++)
      if (l->changing[t.reads[k]]) return true;
  }
  return false;
}

/* ---- looks ----------------------------------------------------------------------------------------------------------------- */

/* Records the registers that the loop writes; false: it has other effects. */
static bool only_reads(struct loops *l) {
  memset(l->written, 0, l->f->n_regs * sizeof *l->written);
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end; k++) {
      const struct ptx_inst *in = &l->f->insts[k];
      struct ptx_touched t;
      if (in->op == PTX_OP_st || in->op == PTX_OP_atom || in->op == PTX_OP_red || in->op == PTX_OP_call) return false;
      ptx_touches(l->f, in, &t);
      for (uint32_t w = 0; w < t.n_writes; w++) l->written[t.writes[w]] = true;
    }
  return true;
}

static void mark_looks(struct loops *l) {
  if (l->n > SMALL || !only_reads(l) || !waits(l)) return;
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end; k++)
      if (is_look(l, &l->f->insts[k])) l->f->looks[k] = true;
}

/* ---- functions ----------------------------------------------------------------------------------------------------------- */

/* Calls `see` for each backward branch, the last instruction of a block, with the loop that it closes. */
static void each_loop(struct loops *l, void (*see)(struct loops *l, uint32_t branch)) {
  const struct ptx_func *f = l->f;
  for (uint32_t b = 0; b < f->n_blocks; b++)
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++) {
      uint32_t head = f->blocks[b].succ[i];
      if (head <= b && find_loop(l, head, b)) see(l, f->blocks[b].end - 1);
    }
}

static bool stores(const struct loops *l) {
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end; k++)
      if (l->f->insts[k].op == PTX_OP_st) return true;
  return false;
}

static void see_yield(struct loops *l, uint32_t branch) {
  if (waits(l) && !stores(l)) l->f->yields[branch] = true;
}

static void see_looks(struct loops *l, uint32_t branch) {
  (void)branch;
  mark_looks(l);
}

static void see_waits(struct loops *l, uint32_t branch) {
  (void)branch;
  if (!waits(l) && stores(l)) return;
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t k = l->f->blocks[l->blocks[i]].first; k < l->f->blocks[l->blocks[i]].end; k++) l->waited[k] = true;
}

static void search(struct ptx_func *f, bool looks, bool *waited) {
  struct loops *l = must_alloc(sizeof *l);
  l->f = f;
  l->waited = waited;
  l->in_loop = must_alloc(f->n_blocks * sizeof *l->in_loop);
  l->changing = must_alloc((f->n_regs + 1) * sizeof *l->changing);
  if (looks) l->written = must_alloc((f->n_regs + 1) * sizeof *l->written);
  ptx_find_preds(f, &l->pred_start, &l->preds);
  each_loop(l, looks ? see_looks : waited ? see_waits : see_yield);
  free(l->pred_start);
  free(l->preds);
  free(l->in_loop);
  free(l->changing);
  free(l->written);
  free(l);
}

void ptx_mark_yields(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    if (!f->n_insts) continue;
    f->yields = ARENA_ARRAY(&m->arena, bool, f->n_insts);
    if (any_reads_others(f)) search(f, false, NULL);
  }
}

/* Whether a block ends with a backward branch. */
static bool has_loops(const struct ptx_func *f) {
  for (uint32_t b = 0; b < f->n_blocks; b++)
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++)
      if (f->blocks[b].succ[i] <= b) return true;
  return false;
}

void ptx_mark_looks(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    if (!f->n_insts || !has_loops(f)) continue;
    f->looks = ARENA_ARRAY(&m->arena, bool, f->n_insts);
    search(f, true, NULL);
  }
}

/* ---- calm accesses ------------------------------------------------------------------------------------------------------- */

static bool is_volatile(const struct ptx_inst *in) {
  return (in->op == PTX_OP_ld || in->op == PTX_OP_st) && ptx_has(in, PTX_M_volatile);
}

static void take_off(struct ptx_inst *in) {
  unsigned n = 0;
  for (unsigned i = 0; i < in->n_mods; i++)
    if (in->mods[i] != PTX_M_volatile) in->mods[n++] = in->mods[i];
  in->n_mods = (uint8_t)n;
}

void ptx_calm_volatiles(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    bool any = false;
    for (uint32_t k = 0; f->is_entry && k < f->n_insts; k++) any |= is_volatile(&f->insts[k]);
    if (!any) continue;
    bool *waited = must_alloc(f->n_insts * sizeof *waited);
    search(f, false, waited);
    for (uint32_t k = 0; k < f->n_insts; k++)
      if (is_volatile(&f->insts[k]) && (f->insts[k].op == PTX_OP_st || !waited[k])) take_off(&f->insts[k]);
    free(waited);
  }
}
