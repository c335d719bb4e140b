/* Basic blocks and immediate post-dominators.
 *
 * A block begins at the first instruction, at every label that a branch names, and after every instruction that may leave the straight line
 * (bra, brx, ret, exit, trap). Calls do not end a block. Successors are ordered: the next block, then the targets; none twice.
 * Post-dominators are found by Lengauer and Tarjan's method on the reversed graph from a virtual exit, because simpler iterations take
 * quadratic time on long jump tables and deep nests of loops. Blocks that cannot reach the exit (endless loops) have none by definition; to
 * give them useful ones, the last such block is treated as if it led to the exit, until all are reached. */
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

/* ---- blocks -------------------------------------------------------------------------------------------- */

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

/* ---- edges --------------------------------------------------------------------------------------------- */

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

/* ---- post-dominators ----------------------------------------------------------------------------------- */

enum { NONE = 0xffffffffu };

/* The virtual exit is number n, above the blocks 0 to n - 1. Words are those of Lengauer and Tarjan's paper.
 */
struct dom {
  const struct cfg *c;
  uint32_t n_seen;
  uint32_t *vertex;   /* depth-first number -> block */
  uint32_t *semi;     /* block -> number: first its own, later its semidominator's; NONE: not seen */
  uint32_t *parent;   /* in the depth-first tree */
  uint32_t *ancestor; /* in the forest of linked blocks */
  uint32_t *label;    /* block of the least semi on the way to the forest's root */
  uint32_t *bucket, *next_in_bucket;
  uint32_t *idom;
  uint32_t *stack, *next_pred;
};

static void see(struct dom *d, uint32_t b, uint32_t parent) {
  d->semi[b] = d->n_seen;
  d->vertex[d->n_seen++] = b;
  d->parent[b] = parent;
  d->next_pred[b] = d->c->pred_start[b];
}

/* Numbers everything that reaches `root`, depth first over predecessors. */
static void walk_from(struct dom *d, uint32_t root) {
  uint32_t depth = 0;
  see(d, root, d->c->f->n_blocks);
  d->stack[depth++] = root;
  while (depth) {
    uint32_t b = d->stack[depth - 1];
    if (d->next_pred[b] == d->c->pred_start[b + 1]) {
      depth--;
      continue;
    }
    uint32_t p = d->c->preds[d->next_pred[b]++];
    if (d->semi[p] != NONE) continue;
    see(d, p, b);
    d->stack[depth++] = p;
  }
}

static void number_blocks(struct dom *d) {
  uint32_t n = d->c->f->n_blocks;
  d->semi[n] = 0;
  d->vertex[d->n_seen++] = n;
  for (uint32_t b = n; b-- > 0;)
    if (d->c->leads_out[b] && d->semi[b] == NONE) walk_from(d, b);
  for (uint32_t b = n; b-- > 0;) {
    if (d->semi[b] != NONE) continue;
    d->c->leads_out[b] = true;
    walk_from(d, b);
  }
}

/* Makes every block on the way from b to its forest's root a child of the root, keeping the least label. */
static void compress(struct dom *d, uint32_t b) {
  uint32_t depth = 0;
  for (; d->ancestor[d->ancestor[b]] != NONE; b = d->ancestor[b]) d->stack[depth++] = b;
  while (depth) {
    uint32_t v = d->stack[--depth], a = d->ancestor[v];
    if (d->semi[d->label[a]] < d->semi[d->label[v]]) d->label[v] = d->label[a];
    d->ancestor[v] = d->ancestor[a];
  }
}

static uint32_t evaluate(struct dom *d, uint32_t b) {
  if (d->ancestor[b] == NONE) return b;
  compress(d, b);
  return d->label[b];
}

static void find_semi(struct dom *d, uint32_t b) {
  const struct ptx_block *block = &d->c->f->blocks[b];
  if (d->c->leads_out[b]) d->semi[b] = 0;
  for (uint32_t i = 0; i < block->n_succ; i++) {
    uint32_t best = d->semi[evaluate(d, block->succ[i])];
    if (best < d->semi[b]) d->semi[b] = best;
  }
}

static void empty_bucket(struct dom *d, uint32_t of) {
  for (uint32_t v = d->bucket[of]; v != NONE; v = d->next_in_bucket[v]) {
    uint32_t u = evaluate(d, v);
    d->idom[v] = d->semi[u] < d->semi[v] ? u : of;
  }
  d->bucket[of] = NONE;
}

static void solve(struct dom *d) {
  for (uint32_t i = d->n_seen; i-- > 1;) {
    uint32_t b = d->vertex[i];
    find_semi(d, b);
    uint32_t at = d->vertex[d->semi[b]];
    d->next_in_bucket[b] = d->bucket[at];
    d->bucket[at] = b;
    d->ancestor[b] = d->parent[b];
    empty_bucket(d, d->parent[b]);
  }
  for (uint32_t i = 1; i < d->n_seen; i++) {
    uint32_t b = d->vertex[i];
    if (d->idom[b] != d->vertex[d->semi[b]]) d->idom[b] = d->idom[d->idom[b]];
  }
}

static void find_post_dominators(struct cfg *c) {
  struct ptx_func *f = c->f;
  struct dom d = {.c = c};
  uint32_t **arrays[] = {&d.vertex, &d.semi,           &d.parent, &d.ancestor, &d.label,
                         &d.bucket, &d.next_in_bucket, &d.idom,   &d.stack,    &d.next_pred};
  enum { ARRAYS = sizeof arrays / sizeof arrays[0] };
  size_t n = (size_t)f->n_blocks + 1;
  uint32_t *memory = must_alloc(n * ARRAYS * sizeof *memory);
  memset(memory, 0xff, n * ARRAYS * sizeof *memory);
  for (size_t i = 0; i < ARRAYS; i++) *arrays[i] = memory + i * n;
  for (uint32_t b = 0; b < n; b++) d.label[b] = b;
  number_blocks(&d);
  solve(&d);
  for (uint32_t b = 0; b < f->n_blocks; b++)
    f->blocks[b].ipdom = d.idom[b] == f->n_blocks ? -1 : (int32_t)d.idom[b];
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
