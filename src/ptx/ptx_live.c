/* Liveness of registers, per thread: a register is live from a write that may reach a read to the last such read. A guarded write does not
 * end the life of the value before it. A value that no write can have reached (read before any write) is not live before the first write.
 * Pinned registers (.reg parameters) are live everywhere.
 *
 * Most registers live within one block and are found by a scan. The others are handled 64 at a time, one bit each in one word per block, so
 * memory is linear in the blocks, independent of the product of blocks and registers. */
#include "ptx/ptx_reader.h"

#include <stdlib.h>
#include <string.h>

enum { NOWHERE = 0xffffffffu, UNIT_BITS = 3 /* a register takes at most 7 of 32 bits */ };

/* A register in one instruction. Reads come before writes. */
struct touch {
  uint32_t reg : 30;
  uint32_t write : 1;
  uint32_t first_write : 1; /* of this register in its block */
};

enum {
  USE = 1 /* read before it is surely written */,
  KILL = 2 /* surely written */,
  DEF = 4 /* perhaps written */,
  LIVE_OUT = 8,
  DEFINED_IN = 16
};
struct mention { /* a register of several blocks, in one of them */
  uint32_t global, block;
  uint8_t flags;
};

struct live {
  const struct ptx_func *f;
  const uint8_t *weight; /* register -> what it takes; NULL: its class decides */
  struct ptx_live *out;
  uint32_t *touch_start; /* per instruction, and one more */
  struct touch *touches;
  size_t n_touches, cap_touches;
  uint32_t *home;   /* register -> its only block so far */
  uint32_t *global; /* register -> number among those of several blocks, or NOWHERE */
  uint32_t *reg_of; /* and back */
  uint32_t n_global;
  struct mention *mentions; /* by block, then in order of appearance */
  uint32_t *mention_start;  /* per block, and one more */
  size_t n_mentions, cap_mentions;
  uint32_t *by_batch; /* mentions sorted by global / 64 */
  uint32_t *batch_start;
  uint32_t *through; /* block -> units of registers that live across it without being named in it */
  uint32_t *pred_start, *preds;
};

static uint32_t units(const struct live *l, uint32_t reg) {
  static const uint32_t of_class[] = {[PTX_R32] = 1, [PTX_R64] = 2, [PTX_R128] = 4, [PTX_RPRED] = 0};
  return l->weight ? l->weight[reg] : of_class[ptx_reg_class((enum ptx_type)l->f->regs[reg].type)];
}

/* ---- what each instruction touches --------------------------------------------------------------------- */

static void add_touches(struct live *l, const int32_t *regs, uint32_t n, bool write) {
  GROW(l->touches, l->cap_touches, l->n_touches + n + 1);
  for (uint32_t i = 0; i < n; i++)
    if (!l->f->regs[regs[i]].pinned)
      l->touches[l->n_touches++] = (struct touch){.reg = (uint32_t)regs[i] & 0x3fffffffu, .write = write};
}

static void collect_touches(struct live *l) {
  const struct ptx_func *f = l->f;
  struct ptx_touched t;
  l->touch_start = must_alloc((f->n_insts + 1) * sizeof *l->touch_start);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    l->touch_start[i] = (uint32_t)l->n_touches;
    ptx_touches(f, &f->insts[i], &t);
    add_touches(l, t.reads, t.n_reads, false);
    add_touches(l, t.writes, t.n_writes, true);
  }
  l->touch_start[f->n_insts] = (uint32_t)l->n_touches;
}

static void extend(struct live *l, uint32_t reg, uint32_t point) {
  if (point < l->out->first[reg]) l->out->first[reg] = point;
  if (point > l->out->last[reg] || l->out->last[reg] == 0) l->out->last[reg] = point;
}

/* Every mention is a point of the interval. An instruction with several results writes them while it still reads, so that none of them
 * shares a place with one of its operands. */
static void extend_to_mentions(struct live *l) {
  for (uint32_t i = 0; i < l->f->n_insts; i++) {
    uint32_t from = l->touch_start[i], to = l->touch_start[i + 1];
    bool several = to - from > 1 && l->touches[to - 2].write;
    for (uint32_t k = from; k < to; k++) {
      if (!l->touches[k].write || several) extend(l, l->touches[k].reg, 2 * i);
      if (l->touches[k].write) extend(l, l->touches[k].reg, 2 * i + 1);
    }
  }
}

/* ---- registers of several blocks ----------------------------------------------------------------------- */

/* A register is local if all its mentions are in one block and the first is an unguarded write. */
static void find_globals(struct live *l) {
  const struct ptx_func *f = l->f;
  l->home = must_alloc((f->n_regs + 1) * sizeof *l->home);
  l->global = must_alloc((f->n_regs + 1) * sizeof *l->global);
  l->reg_of = must_alloc((f->n_regs + 1) * sizeof *l->reg_of);
  memset(l->home, 0xff, f->n_regs * sizeof *l->home);
  memset(l->global, 0xff, f->n_regs * sizeof *l->global);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    for (uint32_t k = l->touch_start[i]; k < l->touch_start[i + 1]; k++) {
      uint32_t reg = l->touches[k].reg;
      bool is_new = l->home[reg] == NOWHERE;
      bool local = is_new ? l->touches[k].write && !f->insts[i].guarded : l->home[reg] == f->block_of[i];
      if (is_new) l->home[reg] = f->block_of[i];
      if (local || l->global[reg] != NOWHERE) continue;
      l->global[reg] = l->n_global;
      l->reg_of[l->n_global++] = reg;
    }
  }
}

static struct mention *mention_of(struct live *l, uint32_t *last, uint32_t global, uint32_t block) {
  if (last[global] == NOWHERE || l->mentions[last[global]].block != block) {
    GROW(l->mentions, l->cap_mentions, l->n_mentions + 1);
    last[global] = (uint32_t)l->n_mentions;
    l->mentions[l->n_mentions++] = (struct mention){.global = global, .block = block};
  }
  return &l->mentions[last[global]];
}

static void collect_mentions(struct live *l) {
  const struct ptx_func *f = l->f;
  uint32_t *last = must_alloc((l->n_global + 1) * sizeof *last);
  memset(last, 0xff, l->n_global * sizeof *last);
  l->mention_start = must_alloc((f->n_blocks + 1) * sizeof *l->mention_start);
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    l->mention_start[b] = (uint32_t)l->n_mentions;
    for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
      for (uint32_t k = l->touch_start[i]; k < l->touch_start[i + 1]; k++) {
        struct touch *t = &l->touches[k];
        if (l->global[t->reg] == NOWHERE) continue;
        struct mention *m = mention_of(l, last, l->global[t->reg], b);
        if (!t->write && !(m->flags & KILL)) m->flags |= USE;
        if (t->write) {
          t->first_write = !(m->flags & DEF);
          m->flags |= f->insts[i].guarded ? DEF : DEF | KILL;
        }
      }
  }
  l->mention_start[f->n_blocks] = (uint32_t)l->n_mentions;
  free(last);
}

static void sort_mentions(struct live *l) {
  uint32_t batches = (l->n_global + 63) / 64;
  l->batch_start = must_alloc((batches + 2) * sizeof *l->batch_start);
  l->by_batch = must_alloc((l->n_mentions + 1) * sizeof *l->by_batch);
  for (size_t i = 0; i < l->n_mentions; i++) l->batch_start[l->mentions[i].global / 64 + 2]++;
  for (uint32_t b = 0; b < batches; b++) l->batch_start[b + 2] += l->batch_start[b + 1];
  for (uint32_t i = 0; i < l->n_mentions; i++)
    l->by_batch[l->batch_start[l->mentions[i].global / 64 + 1]++] = i;
}

/* ---- one batch of 64 ----------------------------------------------------------------------------------- */

struct batch {
  uint64_t *use, *kill, *def, *named; /* per block */
  uint64_t *in, *out;                 /* live */
  uint64_t *def_in, *def_out;         /* perhaps written before */
  uint32_t *work;
  uint32_t n_work;
  bool *waiting;
  uint64_t takes[UNIT_BITS]; /* which of the 64 have that bit set in their weight */
};

static void push(struct batch *w, uint32_t b) {
  if (w->waiting[b]) return;
  w->waiting[b] = true;
  w->work[w->n_work++] = b;
}

static uint32_t pop(struct batch *w) {
  uint32_t b = w->work[--w->n_work];
  w->waiting[b] = false;
  return b;
}

/* Backwards: what is live into b is live out of its predecessors. */
static void spread_live(const struct live *l, struct batch *w) {
  uint32_t n = l->f->n_blocks;
  for (uint32_t b = 0; b < n; b++) {
    w->in[b] = w->use[b];
    if (w->in[b]) push(w, b);
  }
  while (w->n_work) {
    uint32_t b = pop(w);
    for (uint32_t i = l->pred_start[b]; i < l->pred_start[b + 1]; i++) {
      uint32_t p = l->preds[i];
      w->out[p] |= w->in[b];
      uint64_t in = w->use[p] | (w->out[p] & ~w->kill[p]);
      if (in == w->in[p]) continue;
      w->in[p] = in;
      push(w, p);
    }
  }
}

/* Forwards: what may have been written at the end of b may have been written at the start of its successors.
 */
static void spread_definitions(const struct live *l, struct batch *w) {
  const struct ptx_func *f = l->f;
  for (uint32_t b = f->n_blocks; b-- > 0;) {
    w->def_out[b] = w->def[b];
    if (w->def_out[b]) push(w, b);
  }
  while (w->n_work) {
    uint32_t b = pop(w);
    for (uint32_t i = 0; i < f->blocks[b].n_succ; i++) {
      uint32_t s = f->blocks[b].succ[i];
      w->def_in[s] |= w->def_out[b] & w->in[s];
      if ((w->def_in[s] | w->def_out[s]) == w->def_out[s]) continue;
      w->def_out[s] |= w->def_in[s];
      push(w, s);
    }
  }
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    w->in[b] &= w->def_in[b];
    w->out[b] &= w->def_out[b];
  }
}

static void load_batch(struct live *l, struct batch *w, uint32_t batch) {
  uint32_t n = l->f->n_blocks;
  memset(w->use, 0, 8 * (size_t)n * sizeof *w->use); /* the eight arrays are one */
  memset(w->takes, 0, sizeof w->takes);
  for (uint32_t i = l->batch_start[batch]; i < l->batch_start[batch + 1]; i++) {
    const struct mention *m = &l->mentions[l->by_batch[i]];
    uint64_t bit = (uint64_t)1 << (m->global % 64);
    if (m->flags & USE) w->use[m->block] |= bit;
    if (m->flags & KILL) w->kill[m->block] |= bit;
    if (m->flags & DEF) w->def[m->block] |= bit;
    w->named[m->block] |= bit;
  }
  for (uint32_t g = batch * 64; g < l->n_global && g < batch * 64 + 64; g++)
    for (unsigned k = 0; k < UNIT_BITS; k++) w->takes[k] |= (uint64_t)(units(l, l->reg_of[g]) >> k & 1) << (g % 64);
}

/* Intervals need the first block a register is live into and the last it is live out of. */
static void extend_to_blocks(struct live *l, const struct batch *w, uint32_t batch) {
  const struct ptx_func *f = l->f;
  uint64_t seen = 0;
  for (uint32_t b = 0; b < f->n_blocks; b++) {
    for (uint64_t fresh = w->in[b] & ~seen; fresh; fresh &= fresh - 1)
      extend(l, l->reg_of[batch * 64 + (uint32_t)__builtin_ctzll(fresh)], 2 * f->blocks[b].first);
    seen |= w->in[b];
  }
  seen = 0;
  for (uint32_t b = f->n_blocks; b-- > 0;) {
    for (uint64_t fresh = w->out[b] & ~seen; fresh; fresh &= fresh - 1)
      extend(l, l->reg_of[batch * 64 + (uint32_t)__builtin_ctzll(fresh)], 2 * f->blocks[b].end - 1);
    seen |= w->out[b];
  }
}

static void store_batch(struct live *l, const struct batch *w, uint32_t batch) {
  for (uint32_t b = 0; b < l->f->n_blocks; b++) {
    uint64_t across = w->out[b] & ~w->named[b];
    for (unsigned k = 0; across && k < UNIT_BITS; k++) l->through[b] += (uint32_t)__builtin_popcountll(across & w->takes[k]) << k;
  }
  for (uint32_t i = l->batch_start[batch]; i < l->batch_start[batch + 1]; i++) {
    struct mention *m = &l->mentions[l->by_batch[i]];
    if (w->out[m->block] >> (m->global % 64) & 1) m->flags |= LIVE_OUT;
    if (w->def_in[m->block] >> (m->global % 64) & 1) m->flags |= DEFINED_IN;
  }
}

static void run_batches(struct live *l) {
  uint32_t n = l->f->n_blocks;
  struct batch w = {.use = must_alloc(8 * (size_t)n * sizeof(uint64_t)),
                    .work = must_alloc(n * sizeof(uint32_t)),
                    .waiting = must_alloc(n)};
  uint64_t **arrays[] = {&w.kill, &w.def, &w.named, &w.in, &w.out, &w.def_in, &w.def_out};
  for (size_t i = 0; i < 7; i++) *arrays[i] = w.use + (i + 1) * n;
  for (uint32_t batch = 0; batch * 64 < l->n_global; batch++) {
    load_batch(l, &w, batch);
    spread_live(l, &w);
    spread_definitions(l, &w);
    extend_to_blocks(l, &w, batch);
    store_batch(l, &w, batch);
  }
  free(w.use);
  free(w.work);
  free(w.waiting);
}

/* ---- the most registers in use ------------------------------------------------------------------------- */

enum { ALIVE = 1, WRITTEN_BEFORE = 2 };

struct pressure {
  struct live *l;
  uint8_t *state; /* register -> ALIVE, WRITTEN_BEFORE */
  uint32_t now;
};

static void note(struct pressure *p, uint32_t extra) {
  if (p->now + extra > p->l->out->most) p->l->out->most = p->now + extra;
}

static void set_alive(struct pressure *p, uint32_t reg, bool alive) {
  bool was = p->state[reg] & ALIVE;
  if (was == alive) return;
  p->state[reg] ^= ALIVE;
  p->now = alive ? p->now + units(p->l, reg) : p->now - units(p->l, reg);
}

/* One instruction, backwards. An unused result still needs a register to be written to. */
static void step_back(struct pressure *p, uint32_t i) {
  const struct live *l = p->l;
  uint32_t dead = 0;
  for (uint32_t k = l->touch_start[i]; k < l->touch_start[i + 1]; k++) {
    uint32_t reg = l->touches[k].reg;
    if (l->touches[k].write && !(p->state[reg] & ALIVE)) dead += units(l, reg);
  }
  note(p, dead);
  for (uint32_t k = l->touch_start[i]; k < l->touch_start[i + 1]; k++) {
    const struct touch *t = &l->touches[k];
    bool fresh = t->first_write && !(p->state[t->reg] & WRITTEN_BEFORE);
    if (t->write && (!l->f->insts[i].guarded || fresh)) set_alive(p, t->reg, false);
  }
  for (uint32_t k = l->touch_start[i]; k < l->touch_start[i + 1]; k++)
    if (!l->touches[k].write) set_alive(p, l->touches[k].reg, true);
  note(p, 0);
}

static void block_pressure(struct pressure *p, uint32_t b) {
  const struct live *l = p->l;
  p->now = l->through[b];
  for (uint32_t i = l->mention_start[b]; i < l->mention_start[b + 1]; i++) {
    uint32_t reg = l->reg_of[l->mentions[i].global];
    p->state[reg] = l->mentions[i].flags & DEFINED_IN ? WRITTEN_BEFORE : 0;
    if (l->mentions[i].flags & LIVE_OUT) set_alive(p, reg, true);
  }
  for (uint32_t i = l->f->blocks[b].end; i-- > l->f->blocks[b].first;) step_back(p, i);
}

static void find_pressure(struct live *l) {
  struct pressure p = {.l = l, .state = must_alloc(l->f->n_regs + 1)};
  for (uint32_t b = 0; b < l->f->n_blocks; b++) block_pressure(&p, b);
  free(p.state);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void pin(struct live *l) {
  const struct ptx_func *f = l->f;
  uint32_t pinned = 0;
  for (uint32_t i = 0; i < f->n_regs; i++) {
    if (!f->regs[i].pinned) continue;
    extend(l, i, 0);
    extend(l, i, 2 * f->n_insts);
    pinned += units(l, i);
  }
  l->out->most += pinned;
}

void ptx_find_live(const struct ptx_func *f, const uint8_t *weight, struct ptx_live *out) {
  struct live l = {.f = f, .weight = weight, .out = out};
  out->most = 0;
  out->first = must_alloc((f->n_regs + 1) * sizeof *out->first);
  out->last = must_alloc((f->n_regs + 1) * sizeof *out->last);
  memset(out->first, 0xff, f->n_regs * sizeof *out->first);
  if (f->n_insts) {
    collect_touches(&l);
    extend_to_mentions(&l);
    find_globals(&l);
    collect_mentions(&l);
    sort_mentions(&l);
    ptx_find_preds(f, &l.pred_start, &l.preds);
    l.through = must_alloc(f->n_blocks * sizeof *l.through);
    run_batches(&l);
    find_pressure(&l);
  }
  pin(&l);
  void *arrays[] = {l.touch_start,   l.touches,  l.home,        l.global,  l.reg_of,     l.mentions,
                    l.mention_start, l.by_batch, l.batch_start, l.through, l.pred_start, l.preds};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}

void ptx_free_live(struct ptx_live *l) {
  free(l->first);
  free(l->last);
}
