/* Short branches become guards: "if" and "if ... else" whose sides are one block each, without anything that needs all lanes or has a slow
 * path.
 *
 * The limits are those of ptxas 13.0 for sm_90, found by probes: a side may have eight machine instructions, six if the condition is the
 * same for all lanes (a branch is cheap then) or if there is another side. A side that loads from global or local memory may have 18,
 * because the code after it then need not wait for the load, unless that code is only one instruction and not of shared memory. A branch to
 * the end becomes an exit instead. Textures are guarded only inside loops, atomic operations and divisions never. */
#include "ptx/lower/lower.h"

#include <stdlib.h>

enum { MOST_DIVERGENT = 8, MOST_UNIFORM = 6, MOST_LOADING = 18 };

struct shape {
  uint32_t branch;            /* @p bra else_, or to the end */
  uint32_t first, end;        /* the side that is executed if the branch is not taken, without a branch at its end */
  uint32_t else_, else_end;   /* the other side; empty: else_ == else_end */
};

struct ifs {
  const struct ptx_func *f;
  struct lower_facts facts;
  uint8_t *slots;
  uint32_t *pred_start, *preds;
};

static bool writes(const struct ptx_func *f, const struct ptx_inst *in, int32_t reg) {
  struct ptx_touched t;
  ptx_touches(f, in, &t);
  for (uint32_t i = 0; i < t.n_writes; i++)
    if (t.writes[i] == reg) return true;
  return false;
}

static bool may_be_guarded(const struct ifs *s, uint32_t i) {
  const struct ptx_inst *in = &s->f->insts[i];
  static const enum ptx_mod kept[] = {PTX_M_volatile, PTX_M_relaxed, PTX_M_acquire, PTX_M_release, PTX_M_mmio, PTX_M_cc};
  if (in->guarded || lower_has_slow_path(in)) return false;
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
    if (ptx_has(in, kept[k])) return false;
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_ARITH:
    return in->op != PTX_OP_addc && in->op != PTX_OP_subc && in->op != PTX_OP_madc && in->op != PTX_OP_div && in->op != PTX_OP_rem;
  case PTX_COMPARE:
  case PTX_CONVERT:
  case PTX_MOVE: return !ptx_reads_clock(in);
  case PTX_TEXTURE: return in->op == PTX_OP_tex && lower_in_loop(&s->facts, i);
  case PTX_MEMORY:
    return in->op == PTX_OP_st || in->op == PTX_OP_ld;
  default: return false;
  }
}

/* Whether [first, end) has a load from global or local memory. */
static bool loads_in(const struct ifs *s, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    const struct ptx_inst *in = &s->f->insts[i];
    if (in->op == PTX_OP_ld && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC || in->space == PTX_LOCAL)) return true;
  }
  return false;
}

/* Whether nothing follows that could be done during a load: at most one machine instruction, not of shared memory, and the end. */
static bool ends_at_once(const struct ifs *s, uint32_t i) {
  unsigned n = 0;
  for (; i < s->f->n_insts && s->f->insts[i].op != PTX_OP_ret && s->f->insts[i].op != PTX_OP_exit; i++) {
    if (lower_in_loop(&s->facts, i) || s->f->insts[i].space == PTX_SHARED) return false;
    n += s->slots[i];
  }
  return n <= 1;
}

/* Products are joined with sums only after branches have become guards, so they count. */
static unsigned weight_of(const struct ifs *s, uint32_t i) {
  const struct ptx_inst *in = &s->f->insts[i];
  bool product = in->op == PTX_OP_mul && in->n_types && ptx_type_float((enum ptx_type)in->types[0]);
  return product ? 1 : s->slots[i];
}

static bool side_fits(const struct ifs *s, uint32_t first, uint32_t end, int32_t guard, unsigned most) {
  unsigned n = 0;
  for (uint32_t i = first; i < end; i++) {
    if (!may_be_guarded(s, i) || writes(s->f, &s->f->insts[i], guard)) return false;
    n += weight_of(s, i);
  }
  return n <= most;
}

/* Whether [first, end) is one block with `from` as its only predecessor. */
static bool only_after(const struct ifs *s, uint32_t from, uint32_t first, uint32_t end) {
  if (first >= s->f->n_insts) return false;
  uint32_t b = s->f->block_of[first];
  const struct ptx_block *block = &s->f->blocks[b];
  return block->first == first && block->end == end && s->pred_start[b + 1] - s->pred_start[b] == 1 &&
         s->preds[s->pred_start[b]] == s->f->block_of[from];
}

/* The branch at i as an "if", with or without another side. */
static bool find_shape(const struct ifs *s, uint32_t i, struct shape *h) {
  const struct ptx_inst *in = &s->f->insts[i];
  uint32_t target = (uint32_t)in->ops[0].sym;
  *h = (struct shape){.branch = i, .first = i + 1, .end = target, .else_ = target, .else_end = target};
  if (target <= i + 1 || target > s->f->n_insts || !only_after(s, i, i + 1, target)) return false;
  const struct ptx_inst *last = &s->f->insts[target - 1];
  if (last->op != PTX_OP_bra || last->guarded) return true;
  uint32_t join = (uint32_t)last->ops[0].sym;
  h->end = target - 1;
  h->else_end = join;
  return join > target && only_after(s, i, target, join);
}

static bool becomes_guards(const struct ifs *s, uint32_t i, struct shape *h) {
  const struct ptx_inst *in = &s->f->insts[i];
  if (in->op != PTX_OP_bra || !in->guarded || lower_ends_at(s->f, (uint32_t)in->ops[0].sym)) return false;
  if (!find_shape(s, i, h)) return false;
  bool two_sides = h->else_ < h->else_end;
  unsigned most = two_sides || !s->facts.divergent[in->guard] ? MOST_UNIFORM : MOST_DIVERGENT;
  if (loads_in(s, h->first, h->end) || loads_in(s, h->else_, h->else_end)) most = ends_at_once(s, h->else_end) ? 0 : MOST_LOADING;
  return side_fits(s, h->first, h->end, in->guard, most) && side_fits(s, h->else_, h->else_end, in->guard, most);
}

static void put_guarded(struct lower_list *l, const struct ptx_func *f, uint32_t first, uint32_t end, int32_t guard, bool negate) {
  for (uint32_t i = first; i < end; i++) {
    lower_here(l, i);
    struct ptx_inst *in = lower_put(l, &f->insts[i]);
    in->guarded = true;
    in->guard = guard;
    in->guard_negate = negate;
  }
}

/* Returns the place after the shape. */
static uint32_t put_shape(struct lower_list *l, const struct ptx_func *f, const struct shape *h) {
  const struct ptx_inst *in = &f->insts[h->branch];
  int32_t guard = in->guard;
  bool taken_if_false = in->guard_negate;
  lower_here(l, h->branch);
  put_guarded(l, f, h->first, h->end, guard, !taken_if_false);
  if (h->end < h->else_) lower_here(l, h->end);
  put_guarded(l, f, h->else_, h->else_end, guard, taken_if_false);
  return h->else_end;
}

static void rewrite(struct ptx_module *m, struct ptx_func *f, const struct ifs *s) {
  struct lower_list l;
  struct shape h;
  lower_begin(&l, m, f);
  for (uint32_t i = 0; i < f->n_insts;) {
    if (becomes_guards(s, i, &h)) {
      i = put_shape(&l, f, &h);
      continue;
    }
    lower_here(&l, i);
    lower_put(&l, &f->insts[i++]);
  }
  lower_end(&l);
}

bool lower_ifs(struct ptx_module *m, struct ptx_func *f) {
  struct ifs s = {.f = f};
  struct shape h;
  bool any = false;
  lower_find_facts(&s.facts, f);
  s.slots = must_alloc(f->n_insts);
  lower_count_slots(f, s.slots);
  ptx_find_preds(f, &s.pred_start, &s.preds);
  for (uint32_t i = 0; i < f->n_insts && !any; i++) any = becomes_guards(&s, i, &h);
  if (any) rewrite(m, f, &s);
  lower_free_facts(&s.facts);
  free(s.slots);
  free(s.pred_start);
  free(s.preds);
  return any;
}
