/* How many of a thread's registers the machine instruction of each PTX instruction reads, for register files with few ports.
 *
 * Literals and values that all lanes share come from elsewhere (constant memory, uniform registers). An instruction that is part of another
 * one (no issue slot) is replaced by its operands. A 64-bit value counts as two registers; memory instructions and branches read none. */
#include "ptx/lower/lower.h"

#include <string.h>

enum { MOST_DEPTH = 4, MOST_OPERANDS = 3 /* of a machine instruction */ };

struct reads {
  const struct ptx_func *f;
  const struct lower_facts *facts;
  const uint8_t *slots;
  int32_t seen[MOST_OPERANDS];
  unsigned n, registers;
};

static void add_operands(struct reads *r, const struct ptx_inst *in, unsigned depth);

static void add_register(struct reads *r, int32_t reg, unsigned depth) {
  enum ptx_type t = (enum ptx_type)r->f->regs[reg].type;
  int32_t writer = r->facts->writer[reg];
  if (!r->facts->divergent[reg] || t == PTX_PRED || r->n == MOST_OPERANDS) return;
  if (writer != LOWER_NONE && !r->slots[writer] && depth < MOST_DEPTH) {
    add_operands(r, &r->f->insts[writer], depth + 1);
    return;
  }
  for (unsigned i = 0; i < r->n; i++)
    if (r->seen[i] == reg) return;
  r->seen[r->n++] = reg;
  r->registers += ptx_type_bits(t) == 64 ? 2 : 1;
}

static void add_operands(struct reads *r, const struct ptx_inst *in, unsigned depth) {
  for (unsigned i = 1; i < in->n_ops; i++)
    if (in->ops[i].kind == PTX_O_REG) add_register(r, in->ops[i].reg, depth);
}

static bool is_counted(const struct ptx_inst *in) {
  switch (ptx_op_family((enum ptx_op)in->op)) {
  case PTX_ARITH:
  case PTX_COMPARE:
  case PTX_CONVERT:
  case PTX_MOVE: return true;
  default: return false;
  }
}

void lower_count_reads(const struct ptx_func *f, const uint8_t *slots, uint8_t *reads) {
  struct lower_facts facts;
  lower_find_facts(&facts, f);
  for (uint32_t i = 0; i < f->n_insts; i++) {
    struct reads r = {.f = f, .facts = &facts, .slots = slots};
    if (slots[i] && is_counted(&f->insts[i])) add_operands(&r, &f->insts[i], 0);
    reads[i] = (uint8_t)r.registers;
  }
  lower_free_facts(&facts);
}
