/* What an SM notifies its observers of (mem/observer.h): accesses of loads that were accepted, memory instructions, issued instructions.
 * Called only if there are observers. */
#include "sm/sm.h"

void sm_notify_access(struct sm *s, const struct sm_lsu_entry *e, enum l1_result r) {
  static const uint8_t result[] = {
      [L1_HIT] = MEM_SEEN_HIT, [L1_PENDING] = MEM_SEEN_MERGED, [L1_MISS] = MEM_SEEN_MISS, [L1_SENT] = MEM_SEEN_BYPASS};
  if (e->kind != MEM_READ || (e->space != PTX_GLOBAL && e->space != PTX_LOCAL)) return;
  const struct sm_segment *g = &e->seg[e->next];
  MEM_NOTIFY(&s->observers, access, &(struct mem_seen_access){.line = g->line,
                                                 .bytes = g->bytes,
                                                 .result = result[r],
                                                 .local = e->space == PTX_LOCAL,
                                                 .degree = e->n,
                                                 .owner = e->memop});
}

void sm_notify_memory(struct sm *s, const struct sm_lsu_entry *e, const struct exec_access *a) {
  static const uint8_t space[] = {[PTX_LOCAL] = MEM_SEEN_IN_LOCAL, [PTX_SHARED] = MEM_SEEN_IN_SHARED, [PTX_CONST] = MEM_SEEN_IN_CONSTANT,
                                  [PTX_TEX] = MEM_SEEN_IN_TEXTURE, [PTX_GLOBAL] = MEM_SEEN_IN_GLOBAL};
  struct mem_seen_part parts[sizeof e->seg / sizeof *e->seg];
  if (a->space == PTX_PARAM || e->kind == MEM_PREFETCH) return;
  for (unsigned i = 0; i < e->n; i++) parts[i] = (struct mem_seen_part){e->seg[i].line, e->seg[i].bytes};
  enum mem_seen_op op = a->op == EXEC_LOAD ? MEM_SEEN_LOAD : a->op == EXEC_STORE ? MEM_SEEN_STORE : MEM_SEEN_ATOMIC_OP;
  MEM_NOTIFY(&s->observers, memory, &(struct mem_seen_memory){.space = space[a->space],
                                                 .op = op,
                                                 .lanes = (uint32_t)__builtin_popcount(a->mask),
                                                 .n = e->n,
                                                 .parts = parts});
}

static enum mem_seen_class class_of_unit(uint8_t unit) {
  static const uint8_t of[EXEC_UNITS] = {
      [EXEC_U_FADD] = MEM_SEEN_FLOAT,    [EXEC_U_FMUL] = MEM_SEEN_FLOAT,     [EXEC_U_FFMA] = MEM_SEEN_FLOAT,
      [EXEC_U_FDIV] = MEM_SEEN_FLOAT,    [EXEC_U_FMAX] = MEM_SEEN_FLOAT,     [EXEC_U_HALF] = MEM_SEEN_HALF,
      [EXEC_U_DADD] = MEM_SEEN_DOUBLE,   [EXEC_U_DMUL] = MEM_SEEN_DOUBLE,    [EXEC_U_DFMA] = MEM_SEEN_DOUBLE,
      [EXEC_U_DDIV] = MEM_SEEN_DOUBLE,   [EXEC_U_DMAX] = MEM_SEEN_DOUBLE,    [EXEC_U_SFU] = MEM_SEEN_SPECIAL,
      [EXEC_U_CVT] = MEM_SEEN_CONVERT,   [EXEC_U_XCVT] = MEM_SEEN_CONVERT,
      [EXEC_U_TENSOR] = MEM_SEEN_TENSOR,  [EXEC_U_SHUFFLE] = MEM_SEEN_SHUFFLE,
      [EXEC_U_VOTE] = MEM_SEEN_SHUFFLE,  [EXEC_U_MATCH] = MEM_SEEN_SHUFFLE,  [EXEC_U_REDUX] = MEM_SEEN_SHUFFLE,
      [EXEC_U_DRCP] = MEM_SEEN_DOUBLE,
      [EXEC_U_TEX] = MEM_SEEN_TEXTURE,   [EXEC_U_BRANCH] = MEM_SEEN_BRANCH,  [EXEC_U_EXIT] = MEM_SEEN_BRANCH,
      [EXEC_U_BARRIER] = MEM_SEEN_SYNC,  [EXEC_U_FENCE] = MEM_SEEN_SYNC}; /* the rest: MEM_SEEN_INTEGER */
  return (enum mem_seen_class)of[unit];
}

static enum mem_seen_class class_of_access(const struct exec_access *a) {
  switch (a->space) {
  case PTX_SHARED: return MEM_SEEN_SHARED;
  case PTX_LOCAL: return MEM_SEEN_LOCAL;
  case PTX_CONST:
  case PTX_PARAM: return MEM_SEEN_CONSTANT;
  case PTX_TEX: return MEM_SEEN_TEXTURE;
  default: break;
  }
  if (a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE) return MEM_SEEN_ATOMIC;
  return a->op == EXEC_STORE ? MEM_SEEN_GLOBAL_STORE : MEM_SEEN_GLOBAL_LOAD;
}

void sm_notify_issue(struct sm *s, const struct exec_inst *in, const struct exec_access *a, uint64_t lanes) {
  bool memory = in->flags & EXEC_MEMORY && a->mask;
  enum mem_seen_class class_ = memory ? class_of_access(a) : class_of_unit(in->unit);
  MEM_NOTIFY(&s->observers, issue, &(struct mem_seen_issue){class_, (uint32_t)lanes});
}
