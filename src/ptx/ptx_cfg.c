/* Basic blocks and immediate post-dominators.
 *
 * A block begins at the first instruction, at every label that a branch names, and after every instruction
 * that may leave the straight line (bra, brx, ret, exit, trap). Calls do not end a block. Successors are in
 * this order: the next block, then the targets; none twice. Post-dominators are Cooper, Harvey and Kennedy's
 * iteration on the reversed graph from a virtual exit. Blocks that cannot reach the exit (endless loops) have
 * none by definition; to give them useful ones, the last such block is treated as if it led to the exit,
 * until all are reached. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

struct cfg {
  struct ptx_func *f;
  struct arena *arena;
  bool *leads_out;      /* block -> has an edge to the virtual exit */
  uint32_t *pred_start; /* predecessors of block b: preds[pred_start[b] .. pred_start[b + 1]) */
  uint32_t *preds;
};

/* ---- blocks
 * ---------------------------------------------------------------------------------------------------- */

static bool ends_thread(const struct ptx_inst *in) {
  return in->op == PTX_OP_ret || in->op == PTX_OP_exit || in->op == PTX_OP_trap;
}

static bool ends_block(const struct ptx_inst *in) {
  return ends_thread(in) || in->op == PTX_OP_bra || in->op == PTX_OP_brx;
}

/* Calls `visit` for each instruction a branch may go to. */
static void each_target(const struct ptx_func *f, const struct ptx_inst *in,
                        void (*visit)(void *user, uint32_t at), void *user) {
  if (in->op == PTX_OP_bra) visit(user, (uint32_t)in->ops[0].sym);
  if (in->op != PTX_OP_brx) return;
  const struct ptx_targets *t = &f->targets[in->ops[1].sym];
  for (uint32_t i = 0; i < t->n; i++) visit(user, t->at[i]);
}

static void mark_leader(void *user, uint32_t at) { ((bool *)user)[at] = true; }

static void find_blocks(struct cfg *c) {
  struct ptx_func *f = c->f;
  bool *leader = must_alloc(f->n_insts + 1);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    if (!ends_block(&f->insts[i])) continue;
    leader[i + 1] = true;
    each_target(f, &f->insts[i], mark_leader, leader);
  }
  leader[0] = true;
  f->n_blocks = 0;
  for (uint32_t i = 0; i < f->n_insts; i++) f->n_blocks += leader[i];
  f->blocks = ARENA_ARRAY(c->arena, struct ptx_block, f->n_blocks);
  f->block_of = ARENA_ARRAY(c->arena, uint32_t, f->n_insts);
  uint32_t b = 0;
  for (uint32_t i = 0; i < f->n_insts; i++) {
    if (leader[i] && i) b++;
    if (leader[i]) f->blocks[b].first = i;
    f->blocks[b].end = i + 1;
    f->block_of[i] = b;
  }
  free(leader);
}

/* ---- edges
 * ----------------------------------------------------------------------------------------------------- */

struct edges {
  struct cfg *c;
  uint32_t from;
  uint32_t *list, *seen_from; /* seen_from[b]: 1 + the last block that has an edge to b */
  size_t n, cap;
};

static void add_edge(void *user, uint32_t at) {
  struct edges *e = user;
  const struct ptx_func *f = e->c->f;
  if (at >= f->n_insts) {
    e->c->leads_out[e->from] = true;
    return;
  }
  uint32_t to = f->block_of[at];
  if (e->seen_from[to] == e->from + 1) return;
  e->seen_from[to] = e->from + 1;
  GROW(e->list, e->cap, e->n + 1);
  e->list[e->n++] = to;
}

static void find_edges(struct cfg *c) {
  struct ptx_func *f = c->f;
  struct edges e = {.c = c, .seen_from = must_alloc(f->n_blocks * sizeof(uint32_t))};
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    struct ptx_block *block = &f->blocks[b];
    const struct ptx_inst *last = &f->insts[block->end - 1];
    e.from = b;
    e.n = 0;
    if (!ends_block(last) || last->guarded) add_edge(&e, block->end);
    if (ends_thread(last)) c->leads_out[b] = true;
    each_target(f, last, add_edge, &e);
    block->succ = arena_copy(c->arena, e.list, e.n * sizeof *e.list);
    block->n_succ = (uint32_t)e.n;
  }
  free(e.list);
  free(e.seen_from);
}

void ptx_find_preds(const struct ptx_func *f, uint32_t **start_out, uint32_t **preds_out) {
  uint32_t *start = must_alloc((f->n_blocks + 2) * sizeof *start);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++) start[f->blocks[b].succ[i] + 2]++;
  for (uint32_t b = 0; b < f->n_blocks; b++) start[b + 2] += start[b + 1];
  uint32_t *preds = must_alloc((start[f->n_blocks + 1] + 1) * sizeof *preds);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++) preds[start[f->blocks[b].succ[i] + 1]++] = b;
  *start_out = start;
  *preds_out = preds;
}

/* ---- post-dominators
 * ------------------------------------------------------------------------------------------- */

/* Depth-first over predecessors from `root`, numbering blocks as they are left. */
struct walk {
  uint32_t *order; /* blocks in the order they were left */
  uint32_t n;
  uint32_t *stack, *next; /* open blocks and where each one's predecessors continue */
  bool *seen;
};

static void walk_from(const struct cfg *c, struct walk *w, uint32_t root) {
  uint32_t depth = 0;
  w->seen[root] = true;
  w->stack[depth++] = root;
  w->next[root] = c->pred_start[root];
  while (depth) {
    uint32_t b = w->stack[depth - 1];
    if (w->next[b] == c->pred_start[b + 1]) {
      w->order[w->n++] = b;
      depth--;
      continue;
    }
    uint32_t p = c->preds[w->next[b]++];
    if (w->seen[p]) continue;
    w->seen[p] = true;
    w->next[p] = c->pred_start[p];
    w->stack[depth++] = p;
  }
}

/* Post-order of the reversed graph. The roots' own trees come one after the other, the exit being above them
 * all. */
static void number_blocks(struct cfg *c, struct walk *w) {
  uint32_t n = c->f->n_blocks;
  for (uint32_t b = n; b-- > 0;)
    if (c->leads_out[b] && !w->seen[b]) walk_from(c, w, b);
  for (uint32_t b = n; b-- > 0;) {
    if (w->seen[b]) continue;
    c->leads_out[b] = true;
    walk_from(c, w, b);
  }
}

/* number[b] grows towards the exit, whose number is n. */
static uint32_t meet(const uint32_t *idom, const uint32_t *number, uint32_t a, uint32_t b) {
  while (a != b) {
    while (number[a] < number[b]) a = idom[a];
    while (number[b] < number[a]) b = idom[b];
  }
  return a;
}

static void iterate(const struct cfg *c, const struct walk *w, const uint32_t *number, uint32_t *idom) {
  const struct ptx_func *f = c->f;
  uint32_t n = f->n_blocks, none = n + 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = n; i-- > 0;) {
      uint32_t b = w->order[i], best = c->leads_out[b] ? n : none;
      for (uint32_t k = 0; k < f->blocks[b].n_succ; k++) {
        uint32_t s = f->blocks[b].succ[k];
        if (idom[s] != none) best = best == none ? s : meet(idom, number, best, s);
      }
      changed |= idom[b] != best;
      idom[b] = best;
    }
  }
}

static void find_post_dominators(struct cfg *c) {
  struct ptx_func *f = c->f;
  uint32_t n = f->n_blocks;
  uint32_t *memory = must_alloc((size_t)(n + 1) * 5 * sizeof *memory);
  struct walk w = {.order = memory, .stack = memory + (n + 1), .next = memory + 2 * (size_t)(n + 1)};
  uint32_t *number = memory + 3 * (size_t)(n + 1), *idom = memory + 4 * (size_t)(n + 1);
  w.seen = must_alloc(n + 1);
  number_blocks(c, &w);
  for (uint32_t i = 0; i < n; i++) {
    number[w.order[i]] = i;
    idom[i] = n + 1;
  }
  number[n] = n;
  idom[n] = n;
  iterate(c, &w, number, idom);
  for (uint32_t b = 0; b < n; b++) f->blocks[b].ipdom = idom[b] == n ? -1 : (int32_t)idom[b];
  free(w.seen);
  free(memory);
}

static void fill_reconvergence(struct cfg *c) {
  struct ptx_func *f = c->f;
  f->reconverge = ARENA_ARRAY(c->arena, uint32_t, f->n_insts);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    int32_t meets = f->blocks[f->block_of[i]].ipdom;
    f->reconverge[i] = meets < 0 ? PTX_NO_RECONVERGE : f->blocks[meets].first;
  }
}

void ptx_build_cfg(struct ptx_module *m, struct ptx_func *f) {
  struct cfg c = {.f = f, .arena = &m->arena};
  if (f->n_insts == 0) return;
  find_blocks(&c);
  c.leads_out = must_alloc(f->n_blocks);
  find_edges(&c);
  ptx_find_preds(f, &c.pred_start, &c.preds);
  find_post_dominators(&c);
  fill_reconvergence(&c);
  free(c.leads_out);
  free(c.pred_start);
  free(c.preds);
}
