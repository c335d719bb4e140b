/* Stores to shared memory that come late on a GPU.
 *
 * A warp that has read shared memory behind a barrier, then waits for something long (data of global memory, a shuffle) and then writes to
 * shared memory without another barrier: on a GPU the CTA's other warps, which have passed the same barrier, have read too by then. Many
 * programs count on it without knowing, those above all that reduce over a CTA twice in a row with the same array. Whoever lets warps
 * run long before the next one starts has to let the others come that far before such a store.
 *
 * It is found for each kernel over all ways through it: since the last barrier nothing, a read, or a read and something long behind it.
 * What a called function does is not seen. */
#include "ptx/ptx.h"

#include <stdlib.h>

enum since { NOTHING, HAS_READ, HAS_WAITED }; /* in this order: the larger one holds if either may */

static bool is_barrier(const struct ptx_inst *in) {
  return (in->op == PTX_OP_bar || in->op == PTX_OP_barrier) && !ptx_has(in, PTX_M_warp) && !ptx_has(in, PTX_M_arrive);
}

static bool takes_long(const struct ptx_inst *in) {
  bool loads = in->op == PTX_OP_ld || in->op == PTX_OP_ldu || in->op == PTX_OP_atom;
  return in->op == PTX_OP_shfl || in->op == PTX_OP_tex || (loads && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC));
}

static bool reads_shared(const struct ptx_inst *in) { return in->op == PTX_OP_ld && in->space == PTX_SHARED; }
static bool writes_shared(const struct ptx_inst *in) { return in->op == PTX_OP_st && in->space == PTX_SHARED; }

static enum since behind(const struct ptx_inst *in, enum since before) {
  if (is_barrier(in)) return NOTHING;
  if (reads_shared(in) && before == NOTHING) return HAS_READ;
  return takes_long(in) && before == HAS_READ ? HAS_WAITED : before;
}

/* From the begin of a block to its end; late stores are marked. */
static enum since through(const struct ptx_func *f, const struct ptx_block *b, enum since at) {
  for (uint32_t i = b->first; i < b->end; i++) {
    if (at == HAS_WAITED && writes_shared(&f->insts[i])) f->late[i] = true;
    at = behind(&f->insts[i], at);
  }
  return at;
}

static void mark(struct ptx_func *f) {
  enum since *begin = must_alloc(f->n_blocks * sizeof *begin);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      enum since end = through(f, &f->blocks[b], begin[b]);
      for (uint32_t k = 0; k < f->blocks[b].n_succ; k++) {
        enum since *next = &begin[f->blocks[b].succ[k]];
        if (*next < end) *next = end, more = true;
      }
    }
  }
  free(begin);
}

void ptx_mark_late(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    bool barriers = false, writes = false;
    for (uint32_t k = 0; k < f->n_insts; k++) {
      barriers |= is_barrier(&f->insts[k]);
      writes |= writes_shared(&f->insts[k]);
    }
    if (!f->is_entry || !barriers || !writes) continue;
    f->late = ARENA_ARRAY(&m->arena, bool, f->n_insts);
    mark(f);
  }
}
