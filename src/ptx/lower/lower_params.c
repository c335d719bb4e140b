/* Parameters are fetched where they are used: a load of a parameter, with what only renames its result, goes from the first block to
 * the beginning of the one block that is the first to use it on every way, in front of loops. Warps that leave a kernel at once do
 * not fetch it, as in ptxas's code. Where several blocks are the first to use it, each on a way of its own, it stays: it is fetched
 * once on each way.
 *
 * A pointer to which a product is added (IMAD.WIDE), or which is an address as it is, is an operand in registers: it is fetched anew in
 * each block that uses it so, or in front of the innermost loop around that block, if ptxas does not unroll it and the function needs
 * few registers. Of 38 kernels with 6 to 64 words in use beside the loop, with and without launch bounds, those that need up to 21
 * registers as lower_count_registers counts them fetch it in front, the others in every turn. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN = 4, FEW_REGISTERS = 21 };

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
    if (!lower_comes_by(f, f->block_of[front], f->block_of[i])) break; /* a jump back, and no loop */
    i = front;
  }
  return i;
}

struct fetch {
  uint32_t param, place;     /* instruction that fetches it, and the one in front of which it is fetched again */
  uint32_t chain[CHAIN];     /* it and what renames its result */
  int32_t by[CHAIN];         /* their results' registers here */
  unsigned n;
};

struct params {
  const struct ptx_func *f;
  uint8_t *slots;
  bool keeps_outside; /* registers are few: a pointer stays in front of the loop */
  struct fetch *again;
  size_t n_again, cap_again;
  struct { uint32_t at, fetch; } *users;
  size_t n_users, cap_users;
  struct lower_facts facts;
  uint32_t *first_in; /* block -> the first instruction there that computes with the parameter at hand, or n_insts */
  uint32_t *to;       /* instruction -> the one in front of which it goes; itself: it stays */
};

static bool only_renames(const struct ptx_func *f, uint32_t i) {
  const struct ptx_inst *in = &f->insts[i];
  bool copy = in->op == PTX_OP_cvta || (in->op == PTX_OP_mov && in->n_ops == 2);
  return copy && !in->guarded && !f->block_of[i] && in->ops[0].kind == PTX_O_REG;
}

/* Follows what is fetched at i through what renames it, `chain`. False: it cannot move. */
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

/* ---- pointers ---------------------------------------------------------------------------------------------------------------- */

static bool is_product(const struct params *s, const struct ptx_opnd *o) {
  int32_t writer = o->kind == PTX_O_REG ? s->facts.writer[o->reg] : LOWER_NONE;
  return writer != LOWER_NONE && s->f->insts[writer].op == PTX_OP_mul && !s->slots[writer];
}

/* Whether an instruction needs a pointer in registers of its own. */
static bool is_operand(const struct params *s, uint32_t i, int32_t reg) {
  const struct ptx_inst *in = &s->f->insts[i];
  if (in->op == PTX_OP_add && in->n_ops == 3) return is_product(s, &in->ops[1]) || is_product(s, &in->ops[2]);
  for (uint32_t k = 0; k < in->n_ops; k++) {
    const struct ptx_opnd *o = &in->ops[k];
    if (o->kind == PTX_O_MEM && o->n_elems && o->elems[0].kind == PTX_O_REG && o->elems[0].reg == reg) return true;
  }
  return false;
}

/* Whether a loop was unrolled: an instruction of the text is in it twice. */
static bool is_unrolled(const struct params *s, uint32_t head, uint32_t end) {
  const struct ptx_inst *first = &s->f->insts[head];
  for (uint32_t i = head + 1; i < end; i++)
    if (s->f->insts[i].line == first->line && s->f->insts[i].col == first->col) return true;
  return false;
}

/* Where a pointer is fetched for an instruction. */
static uint32_t place_for(const struct params *s, uint32_t at) {
  const struct ptx_func *f = s->f;
  uint32_t block = f->block_of[at], end = s->facts.loop_end[at];
  if (end != LOWER_NO_LOOP && s->keeps_outside) {
    uint32_t head = (uint32_t)f->insts[end].ops[0].sym, front = head ? f->block_of[head - 1] : block;
    if (!is_unrolled(s, head, end) && lower_comes_by(f, front, block)) block = front;
  }
  return f->blocks[block].first;
}

static struct fetch *fetch_at(struct params *s, uint32_t param, uint32_t place) {
  for (size_t k = 0; k < s->n_again; k++)
    if (s->again[k].param == param && s->again[k].place == place) return &s->again[k];
  GROW(s->again, s->cap_again, s->n_again + 1);
  s->again[s->n_again] = (struct fetch){.param = param, .place = place};
  return &s->again[s->n_again++];
}

/* Fetches the pointer of i again where other blocks than the first need it in registers. */
static bool fetch_again(struct params *s, uint32_t i) {
  uint32_t chain[CHAIN];
  unsigned n = 0;
  bool any = false;
  if (ptx_type_bits((enum ptx_type)s->f->insts[i].types[0]) != 64) return false;
  for (uint32_t b = 0; b < s->f->n_blocks; b++) s->first_in[b] = s->f->n_insts;
  if (!follow(s, i, chain, &n)) return false;
  for (unsigned k = 0; k < n; k++) {
    int32_t reg = lower_result(&s->f->insts[chain[k]]);
    for (uint32_t u = 0; u < lower_n_uses(&s->facts, reg); u++) {
      uint32_t at = s->facts.uses[s->facts.use_start[reg] + u];
      if (only_renames(s->f, at) || !is_operand(s, at, reg)) continue;
      uint32_t place = place_for(s, at);
      if (!s->f->block_of[place]) continue;
      struct fetch *g = fetch_at(s, i, place);
      memcpy(g->chain, chain, sizeof chain);
      g->n = n;
      GROW(s->users, s->cap_users, s->n_users + 1);
      s->users[s->n_users].at = at;
      s->users[s->n_users++].fetch = (uint32_t)(g - s->again);
      any = true;
    }
  }
  return any;
}

/* Puts the fetches that belong in front of an instruction. */
static void put_fetches(struct params *s, struct lower_list *l, uint32_t at, int32_t *by) {
  for (size_t k = 0; k < s->n_again; k++) {
    struct fetch *g = &s->again[k];
    if (g->place != at) continue;
    for (unsigned c = 0; c < g->n; c++) {
      int32_t old = lower_result(&s->f->insts[g->chain[c]]);
      g->by[c] = by[old] = lower_new_reg(l->m, l->f, (enum ptx_type)s->f->regs[old].type);
      lower_rename(l->m, lower_put(l, &s->f->insts[g->chain[c]]), by);
    }
    for (unsigned c = 0; c < g->n; c++) by[lower_result(&s->f->insts[g->chain[c]])] = LOWER_NONE;
  }
}

/* Puts an instruction, which uses what was fetched for it. */
static void put_user(struct params *s, struct lower_list *l, uint32_t i, int32_t *by) {
  struct ptx_inst *in = lower_put(l, &s->f->insts[i]);
  for (size_t k = 0; k < s->n_users; k++) {
    if (s->users[k].at != i) continue;
    const struct fetch *g = &s->again[s->users[k].fetch];
    for (unsigned c = 0; c < g->n; c++) by[lower_result(&s->f->insts[g->chain[c]])] = g->by[c];
    lower_rename(l->m, in, by);
    for (unsigned c = 0; c < g->n; c++) by[lower_result(&s->f->insts[g->chain[c]])] = LOWER_NONE;
  }
}

static void fetch_pointers(struct ptx_module *m, struct ptx_func *f, uint32_t needed) {
  struct params s = {.f = f, .keeps_outside = needed <= FEW_REGISTERS};
  bool any = false;
  s.slots = must_alloc(f->n_insts + 1);
  lower_count_slots(f, s.slots);
  lower_find_facts(&s.facts, f);
  s.first_in = must_alloc(f->n_blocks * sizeof *s.first_in);
  for (uint32_t i = 0; i < f->blocks[0].end; i++)
    if (lower_is_parameter(&f->insts[i])) any |= fetch_again(&s, i);
  if (any) {
    struct lower_list l;
    uint32_t n = f->n_regs + (uint32_t)s.n_again * CHAIN;
    int32_t *by = must_alloc((n + 1) * sizeof *by);
    for (uint32_t r = 0; r <= n; r++) by[r] = LOWER_NONE;
    lower_begin(&l, m, f);
    for (uint32_t i = 0; i < f->n_insts; i++) {
      lower_here(&l, i);
      put_fetches(&s, &l, i, by);
      put_user(&s, &l, i, by);
    }
    lower_end(&l);
    free(by);
  }
  lower_free_facts(&s.facts);
  free(s.first_in);
  free(s.slots);
  free(s.again);
  free(s.users);
}

static void put_moved(const struct params *s, struct lower_list *l, uint32_t at) {
  for (uint32_t i = 0; i < s->f->blocks[0].end; i++)
    if (s->to[i] == at && i != at) lower_put(l, &s->f->insts[i]);
}

static void move_fetches(struct ptx_module *m, struct ptx_func *f) {
  struct params s = {.f = f};
  bool any = false;
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

void lower_params(struct ptx_module *m, struct ptx_func *f, uint32_t needed) {
  if (!f->is_entry || f->n_blocks < 2) return;
  fetch_pointers(m, f, needed);
  move_fetches(m, f);
}
