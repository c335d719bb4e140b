/* What an SM tells its probes: accepted accesses of loads, completed loads, issued instructions. Called only while
 * something is watched. */
#include "sm/sm.h"

void sm_probe_access(struct sm *s, const struct sm_lsu_entry *e, enum l1_result r) {
  static const uint8_t result[] = {
      [L1_HIT] = PROBE_HIT, [L1_PENDING] = PROBE_MERGED, [L1_MISS] = PROBE_MISS, [L1_SENT] = PROBE_BYPASS};
  if (e->kind != MEM_READ || (e->space != PTX_GLOBAL && e->space != PTX_LOCAL)) return;
  const struct sm_segment *g = &e->seg[e->next];
  probe_on_access(s->tap, &(struct probe_access){.line = g->line,
                                                 .bytes = g->bytes,
                                                 .result = result[r],
                                                 .local = e->space == PTX_LOCAL,
                                                 .degree = e->n,
                                                 .owner = e->memop});
}

void sm_probe_memory(struct sm *s, const struct sm_lsu_entry *e, const struct exec_access *a) {
  static const uint8_t space[] = {[PTX_LOCAL] = PROBE_IN_LOCAL, [PTX_SHARED] = PROBE_IN_SHARED, [PTX_CONST] = PROBE_IN_CONSTANT,
                                  [PTX_TEX] = PROBE_IN_TEXTURE, [PTX_GLOBAL] = PROBE_IN_GLOBAL};
  struct probe_part parts[sizeof e->seg / sizeof *e->seg];
  if (a->space == PTX_PARAM || e->kind == MEM_PREFETCH) return;
  for (unsigned i = 0; i < e->n; i++) parts[i] = (struct probe_part){e->seg[i].line, e->seg[i].bytes};
  enum probe_op op = a->op == EXEC_LOAD ? PROBE_LOAD : a->op == EXEC_STORE ? PROBE_STORE : PROBE_ATOMIC_OP;
  probe_on_memory(s->tap, &(struct probe_memory){.space = space[a->space],
                                                 .op = op,
                                                 .lanes = (uint32_t)__builtin_popcount(a->mask),
                                                 .n = e->n,
                                                 .parts = parts});
}

static enum probe_class class_of_unit(uint8_t unit) {
  static const uint8_t of[EXEC_UNITS] = {
      [EXEC_U_FADD] = PROBE_FLOAT,    [EXEC_U_FMUL] = PROBE_FLOAT,     [EXEC_U_FFMA] = PROBE_FLOAT,
      [EXEC_U_FDIV] = PROBE_FLOAT,    [EXEC_U_FMAX] = PROBE_FLOAT,     [EXEC_U_HALF] = PROBE_HALF,
      [EXEC_U_DADD] = PROBE_DOUBLE,   [EXEC_U_DMUL] = PROBE_DOUBLE,    [EXEC_U_DFMA] = PROBE_DOUBLE,
      [EXEC_U_DDIV] = PROBE_DOUBLE,   [EXEC_U_DMAX] = PROBE_DOUBLE,    [EXEC_U_SFU] = PROBE_SPECIAL,
      [EXEC_U_CVT] = PROBE_CONVERT,   [EXEC_U_TENSOR] = PROBE_TENSOR,  [EXEC_U_SHUFFLE] = PROBE_SHUFFLE,
      [EXEC_U_TEX] = PROBE_TEXTURE,   [EXEC_U_BRANCH] = PROBE_BRANCH,  [EXEC_U_EXIT] = PROBE_BRANCH,
      [EXEC_U_BARRIER] = PROBE_SYNC,  [EXEC_U_FENCE] = PROBE_SYNC}; /* the rest: PROBE_INTEGER */
  return (enum probe_class)of[unit];
}

static enum probe_class class_of_access(const struct exec_access *a) {
  switch (a->space) {
  case PTX_SHARED: return PROBE_SHARED;
  case PTX_LOCAL: return PROBE_LOCAL;
  case PTX_CONST:
  case PTX_PARAM: return PROBE_CONSTANT;
  case PTX_TEX: return PROBE_TEXTURE;
  default: break;
  }
  if (a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE) return PROBE_ATOMIC;
  return a->op == EXEC_STORE ? PROBE_GLOBAL_STORE : PROBE_GLOBAL_LOAD;
}

void sm_probe_issue(struct sm *s, const struct exec_inst *in, const struct exec_access *a, uint64_t lanes) {
  bool memory = in->flags & EXEC_MEMORY && a->mask;
  enum probe_class class_ = memory ? class_of_access(a) : class_of_unit(in->unit);
  probe_on_issue(s->tap, &(struct probe_issue){class_, (uint32_t)lanes});
}
