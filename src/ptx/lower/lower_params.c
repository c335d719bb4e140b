/* Parameters are fetched where they are used: a load of a parameter, with instructions that only rename its result, moves from the first
 * block to the beginning of the one block that is the first to use it on every path, before any loops. Warps that leave a kernel at once
 * then do not fetch it, as in ptxas's code. If several blocks are the first to use it, each on a path of its own, it stays: it is fetched
 * once on each path. */
#include "ptx/lower/lower.h"

#include <stdlib.h>

enum { CHAIN = 4 };

bool lower_is_parameter(const struct ptx_inst *in) {
  return in->op == PTX_OP_ld && in->space == PTX_PARAM && !in->guarded && in->ops[0].kind == PTX_O_REG && in->ops[1].kind == PTX_O_MEM &&
         in->ops[1].elems[0].kind == PTX_O_VAR;
}

uint64_t lower_param_offset(const struct ptx_module *m, const struct ptx_inst *in) {
  return m->vars[in->ops[1].elems[0].sym].offset + (uint64_t)in->ops[1].imm;
}

unsigned lower_keep_first(const struct ptx_func *f, uint32_t *first_in) {
  bool *seen = must_alloc(f->n_blocks * sizeof *seen);
  uint32_t *stack = must_alloc(f->n_blocks * sizeof *stack), n = 1;
  unsigned kept = 0;
  seen[0] = true; /* the stack begins with block 0 */
  while (n) {
    const struct ptx_block *b = &f->blocks[stack[--n]];
    if (first_in[stack[n]] < f->n_insts) {
      kept++;
      continue;
    }
    for (uint32_t k = 0; k < b->n_succ; k++)
      if (!seen[b->succ[k]]) seen[b->succ[k]] = true, stack[n++] = b->succ[k];
  }
  for (uint32_t b = 0; b < f->n_blocks; b++)
    if (!seen[b]) first_in[b] = f->n_insts;
  free(seen);
  free(stack);
  return kept;
}

bool lower_comes_by(const struct ptx_func *f, uint32_t other, uint32_t block) {
  uint32_t *marked = must_alloc(f->n_blocks * sizeof *marked);
  for (uint32_t b = 0; b < f->n_blocks; b++) marked[b] = b == other || b == block ? 0 : f->n_insts;
  lower_keep_first(f, marked);
  bool only = other == block || marked[block] == f->n_insts;
  free(marked);
  return only;
}

uint32_t lower_outside_loops(const struct lower_facts *a, uint32_t i) {
  const struct ptx_func *f = a->f;
  while (i && lower_in_loop(a, i)) {
    uint32_t head = (uint32_t)f->insts[a->loop_end[i]].ops[0].sym, front = head ? head - 1 : 0;
    if (!lower_comes_by(f, f->block_of[front], f->block_of[i])) break; /* a backward jump that is no loop */
    i = front;
  }
  return i;
}

struct params {
  const struct ptx_func *f;
  struct lower_facts facts;
  uint32_t *first_in; /* block -> its first instruction that computes with the present parameter, or n_insts */
  uint32_t *to;       /* instruction -> the one before which it is moved; itself: it stays */
};

static bool only_renames(const struct ptx_func *f, uint32_t i) {
  const struct ptx_inst *in = &f->insts[i];
  bool copy = in->op == PTX_OP_cvta || (in->op == PTX_OP_mov && in->n_ops == 2);
  return copy && !in->guarded && !f->block_of[i] && in->ops[0].kind == PTX_O_REG;
}

/* Follows the value fetched at i through instructions that rename it, `chain`. False: it cannot move. */
static bool follow(struct params *s, uint32_t i, uint32_t *chain, unsigned *n) {
  int32_t reg = lower_result(&s->f->insts[i]);
  if (*n == CHAIN || reg == LOWER_NONE || s->facts.writes[reg] != 1 || s->f->regs[reg].pinned) return false;
  chain[(*n)++] = i;
  for (uint32_t k = 0; k < lower_n_uses(&s->facts, reg); k++) {
    uint32_t at = s->facts.uses[s->facts.use_start[reg] + k], b = s->f->block_of[at];
    if (at <= i) return false;
    if (only_renames(s->f, at)) {
      if (!follow(s, at, chain, n)) return false;
    } else if (at < s->first_in[b]) s->first_in[b] = at;
  }
  return true;
}

static bool place_parameter(struct params *s, uint32_t i) {
  uint32_t chain[CHAIN], place = 0;
  unsigned n = 0;
  for (uint32_t b = 0; b < s->f->n_blocks; b++) s->first_in[b] = s->f->n_insts;
  if (!follow(s, i, chain, &n) || lower_keep_first(s->f, s->first_in) != 1) return false;
  for (uint32_t b = 0; b < s->f->n_blocks; b++)
    if (s->first_in[b] < s->f->n_insts) place = lower_outside_loops(&s->facts, s->first_in[b]);
  if (!s->f->block_of[place]) return false;
  place = s->f->blocks[s->f->block_of[place]].first;
  for (unsigned k = 0; k < n; k++) s->to[chain[k]] = place;
  return true;
}

static void put_moved(const struct params *s, struct lower_list *l, uint32_t at) {
  for (uint32_t i = 0; i < s->f->blocks[0].end; i++)
    if (s->to[i] == at && i != at) lower_put(l, &s->f->insts[i]);
}

void lower_params(struct ptx_module *m, struct ptx_func *f) {
  struct params s = {.f = f};
  bool any = false;
  if (!f->is_entry || f->n_blocks < 2) return;
  lower_find_facts(&s.facts, f);
  s.first_in = must_alloc(f->n_blocks * sizeof *s.first_in);
  s.to = must_alloc(f->n_insts * sizeof *s.to);
  for (uint32_t i = 0; i < f->n_insts; i++) s.to[i] = i;
  for (uint32_t i = 0; i < f->blocks[0].end; i++)
    if (lower_is_parameter(&f->insts[i])) any |= place_parameter(&s, i);
  if (any) {
    struct lower_list l;
    lower_begin(&l, m, f);
    for (uint32_t i = 0; i < f->n_insts; i++) {
      lower_here(&l, i);
      if (f->block_of[i]) put_moved(&s, &l, i);
      if (s.to[i] == i) lower_put(&l, &f->insts[i]);
    }
    lower_end(&l);
  }
  lower_free_facts(&s.facts);
  free(s.first_in);
  free(s.to);
}
