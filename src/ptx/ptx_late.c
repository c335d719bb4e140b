/* Stores to shared memory that come late on a GPU.
 *
 * A warp that has read shared memory behind a barrier and then writes to shared memory without another barrier: on a GPU a read takes some
 * thirty cycles, and the CTA's other warps, which have passed the same barrier, have read too by then. Many programs count on it without
 * knowing, those above all that reduce over a CTA twice in a row with the same array, and filters that shift an array in place. Whoever
 * lets warps run long before the next one starts has to let the others come that far before such a store.
 *
 * It is found for each kernel over all ways through it: whether shared memory was read since the last barrier. What a called function
 * does is not seen. */
#include "ptx/ptx.h"

#include <stdlib.h>

static bool is_barrier(const struct ptx_inst *in) {
  return (in->op == PTX_OP_bar || in->op == PTX_OP_barrier) && !ptx_has(in, PTX_M_warp) && !ptx_has(in, PTX_M_arrive);
}

static bool reads_shared(const struct ptx_inst *in) { return in->op == PTX_OP_ld && in->space == PTX_SHARED; }
static bool writes_shared(const struct ptx_inst *in) { return in->op == PTX_OP_st && in->space == PTX_SHARED; }

/* From the begin of a block to its end; late stores are marked. has_read: since the last barrier, on some way. */
static bool through(const struct ptx_func *f, const struct ptx_block *b, bool has_read) {
  for (uint32_t i = b->first; i < b->end; i++) {
    const struct ptx_inst *in = &f->insts[i];
    if (has_read && writes_shared(in)) f->late[i] = true;
    has_read = !is_barrier(in) && (has_read || reads_shared(in));
  }
  return has_read;
}

static void mark(struct ptx_func *f) {
  bool *begin = must_alloc(f->n_blocks * sizeof *begin);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      if (!through(f, &f->blocks[b], begin[b])) continue;
      for (uint32_t k = 0; k < f->blocks[b].n_succ; k++) {
        bool *next = &begin[f->blocks[b].succ[k]];
        if (!*next) *next = more = true;
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
