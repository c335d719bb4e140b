/* Which instructions write and read each register of a function, which registers may differ between the lanes of a warp, and which
 * instructions are in a loop.
 *
 * A register is divergent if an instruction that writes it reads a thread's number, memory that is not constant, another lane, or a
 * divergent register. That a value may depend on which lanes took a path is not considered: a register written on both sides of a divergent
 * branch counts as uniform if all the written values do. */
#include "ptx/lower/lower.h"

#include <stdlib.h>
#include <string.h>

int32_t lower_result(const struct ptx_inst *in) {
  if (!in->n_ops || in->ops[0].kind != PTX_O_REG || in->op == PTX_OP_st || in->op == PTX_OP_red) return LOWER_NONE;
  return in->ops[0].reg;
}

bool lower_ends_at(const struct ptx_func *f, uint32_t i) {
  return i >= f->n_insts || f->insts[i].op == PTX_OP_ret || f->insts[i].op == PTX_OP_exit;
}

bool lower_has_slow_path(const struct ptx_inst *in) {
  enum ptx_type t = in->n_types ? (enum ptx_type)in->types[0] : PTX_NOTYPE;
  bool division = in->op == PTX_OP_div || in->op == PTX_OP_rem;
  if (!division && in->op != PTX_OP_rcp && in->op != PTX_OP_sqrt && in->op != PTX_OP_rsqrt) return false;
  if (ptx_has(in, PTX_M_approx) || ptx_has(in, PTX_M_full)) return false;
  if (ptx_type_float(t)) return ptx_type_bits(t) >= 32;
  return ptx_type_bits(t) == 64;
}

unsigned ptx_wide_literals(const struct ptx_inst *in) {
  unsigned n = 0;
  for (uint32_t i = 0; i < in->n_ops; i++) n += in->ops[i].kind == PTX_O_F64 && (uint32_t)in->ops[i].imm;
  return in->op == PTX_OP_st || !in->n_types || ptx_type_bits((enum ptx_type)in->types[0]) != 64 ? 0 : n;
}

/* ---- lanes --------------------------------------------------------------------------------------------------------------- */

bool ptx_differs_by_lane(int32_t sreg) {
  switch (sreg) {
  case PTX_SR_tid_x:
  case PTX_SR_tid_y:
  case PTX_SR_tid_z:
  case PTX_SR_laneid:
  case PTX_SR_lanemask_eq:
  case PTX_SR_lanemask_le:
  case PTX_SR_lanemask_lt:
  case PTX_SR_lanemask_ge:
  case PTX_SR_lanemask_gt: return true;
  default: return false;
  }
}

static bool reads_lanes(const struct ptx_inst *in) {
  for (uint32_t i = 0; i < in->n_ops; i++)
    if (in->ops[i].kind == PTX_O_SREG && ptx_differs_by_lane(in->ops[i].reg)) return true;
  if (in->op == PTX_OP_ld) return in->space != PTX_PARAM && in->space != PTX_CONST;
  enum ptx_family family = ptx_op_family((enum ptx_op)in->op);
  return family == PTX_MEMORY || family == PTX_TEXTURE || family == PTX_TENSOR || in->op == PTX_OP_shfl || in->op == PTX_OP_call;
}

static void find_divergent(struct lower_facts *a) {
  struct ptx_touched t;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < a->f->n_insts; i++) {
      const struct ptx_inst *in = &a->f->insts[i];
      ptx_touches(a->f, in, &t);
      bool differs = reads_lanes(in);
      for (uint32_t k = 0; k < t.n_reads && !differs; k++) differs = a->divergent[t.reads[k]];
      for (uint32_t k = 0; k < t.n_writes && differs; k++) {
        more |= !a->divergent[t.writes[k]];
        a->divergent[t.writes[k]] = true;
      }
    }
  }
}

/* ---- uses ---------------------------------------------------------------------------------------------------------------- */

static void count_touches(struct lower_facts *a) {
  struct ptx_touched t;
  for (uint32_t i = 0; i < a->f->n_insts; i++) {
    ptx_touches(a->f, &a->f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_reads; k++) a->use_start[t.reads[k] + 1]++;
    for (uint32_t k = 0; k < t.n_writes; k++) {
      a->writer[t.writes[k]] = a->writes[t.writes[k]]++ ? LOWER_NONE : (int32_t)i;
    }
  }
}

static void list_uses(struct lower_facts *a) {
  struct ptx_touched t;
  uint32_t n = a->f->n_regs;
  for (uint32_t r = 0; r < n; r++) a->use_start[r + 1] += a->use_start[r];
  a->uses = must_alloc((a->use_start[n] + 1) * sizeof *a->uses);
  uint32_t *at = must_alloc((n + 1) * sizeof *at);
  memcpy(at, a->use_start, n * sizeof *at);
  for (uint32_t i = 0; i < a->f->n_insts; i++) {
    ptx_touches(a->f, &a->f->insts[i], &t);
    for (uint32_t k = 0; k < t.n_reads; k++) a->uses[at[t.reads[k]]++] = i;
  }
  free(at);
}

static void find_loops(struct lower_facts *a) {
  for (uint32_t i = 0; i < a->f->n_insts; i++) {
    const struct ptx_inst *in = &a->f->insts[i];
    if (in->op != PTX_OP_bra || (uint32_t)in->ops[0].sym > i) continue;
    for (uint32_t k = (uint32_t)in->ops[0].sym; k <= i; k++)
      if (a->loop_end[k] == LOWER_NO_LOOP) a->loop_end[k] = i;
  }
}

void lower_find_facts(struct lower_facts *a, const struct ptx_func *f) {
  uint32_t n = f->n_regs;
  *a = (struct lower_facts){.f = f};
  a->writes = must_alloc((n + 1) * sizeof *a->writes);
  a->writer = must_alloc((n + 1) * sizeof *a->writer);
  a->use_start = must_alloc((n + 2) * sizeof *a->use_start);
  a->divergent = must_alloc((n + 1) * sizeof *a->divergent);
  a->loop_end = must_alloc((f->n_insts + 1) * sizeof *a->loop_end);
  for (uint32_t i = 0; i <= f->n_insts; i++) a->loop_end[i] = LOWER_NO_LOOP;
  for (uint32_t r = 0; r < n; r++) a->writer[r] = LOWER_NONE;
  count_touches(a);
  list_uses(a);
  find_divergent(a);
  find_loops(a);
}

void lower_free_facts(struct lower_facts *a) {
  free(a->writes);
  free(a->writer);
  free(a->use_start);
  free(a->uses);
  free(a->divergent);
  free(a->loop_end);
}
