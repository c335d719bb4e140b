/* Accesses to shared memory before which the other warps of a CTA have come further on a GPU.
 *
 * A late store: a warp that has read shared memory after a barrier then writes to shared memory without another barrier. On a GPU a read
 * takes some thirty cycles, and the CTA's other warps, which have passed the same barrier, have also read by then. Many programs
 * unknowingly rely on this, in particular programs that reduce over a CTA twice in a row with the same array, and filters that shift an
 * array in place. A late load: a warp that has written to shared memory reads there without a barrier. On a GPU the others, which reached
 * the same place at about the same time, have also written; programs with a missing barrier rely on it. A runner that lets a warp run long
 * before the next one starts must let the others catch up before such an access.
 *
 * Both are found for each kernel over all paths. A load is late once per store; volatile accesses belong to programs that exchange values
 * within a warp, and so do accesses after a barrier of the warp. The contents of called functions are not considered. */
#include "ptx/ptx.h"

#include <stdlib.h>

struct since { /* the state since the last barrier, on some path */
  bool behind;  /* there was a barrier */
  bool read;    /* shared memory was read after it */
  bool written; /* written, and not read after that */
};

static bool is_barrier(const struct ptx_inst *in) {
  return (in->op == PTX_OP_bar || in->op == PTX_OP_barrier) && !ptx_has(in, PTX_M_warp) && !ptx_has(in, PTX_M_arrive);
}

static bool is_warp_barrier(const struct ptx_inst *in) { return in->op == PTX_OP_bar && ptx_has(in, PTX_M_warp); }
static bool reads_shared(const struct ptx_inst *in) { return in->op == PTX_OP_ld && in->space == PTX_SHARED; }
static bool writes_shared(const struct ptx_inst *in) { return in->op == PTX_OP_st && in->space == PTX_SHARED; }

static void pass(const struct ptx_inst *in, struct since *s, bool *late) {
  bool plain = !ptx_has(in, PTX_M_volatile);
  if (is_barrier(in)) *s = (struct since){.behind = true};
  if (is_warp_barrier(in)) s->written = false;
  if (writes_shared(in)) {
    *late |= s->read;
    s->written |= plain;
  }
  if (reads_shared(in)) {
    *late |= s->written && plain;
    s->read = s->behind;
    s->written = false;
  }
}

/* Goes from the beginning of a block to its end and marks late accesses. */
static struct since through(const struct ptx_func *f, const struct ptx_block *b, struct since s) {
  for (uint32_t i = b->first; i < b->end; i++) pass(&f->insts[i], &s, &f->late[i]);
  return s;
}

static bool join(struct since *to, struct since from) {
  bool more = (from.behind && !to->behind) || (from.read && !to->read) || (from.written && !to->written);
  to->behind |= from.behind;
  to->read |= from.read;
  to->written |= from.written;
  return more;
}

static void mark(struct ptx_func *f) {
  struct since *begin = must_alloc(f->n_blocks * sizeof *begin);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
      struct since end = through(f, &f->blocks[b], begin[b]);
      for (uint32_t k = 0; k < f->blocks[b].n_succ; k++) more |= join(&begin[f->blocks[b].succ[k]], end);
    }
  }
  free(begin);
}

void ptx_mark_late(struct ptx_module *m) {
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = &m->funcs[i];
    bool writes = false, reads = false;
    for (uint32_t k = 0; k < f->n_insts; k++) {
      writes |= writes_shared(&f->insts[k]);
      reads |= reads_shared(&f->insts[k]);
    }
    if (!f->is_entry || !reads || !writes) continue;
    f->late = ARENA_ARRAY(&m->arena, bool, f->n_insts);
    mark(f);
  }
}
