/* What a memory instruction asks of the load/store unit: which lines its lanes access, how many cycles shared memory and the banks of L1D
 * are busy with it, and what L2 has to do for an atomic operation; and its entry in the queue of the unit.
 *
 * Local memory is interleaved so that the 32 lanes' copies of a word share a line, as in hardware.
 *
 * Owns: entries while they are made. Does not: access anything (sm_lsu.c); which lanes share a line is decided in coalesce.c. */
#include "sm/sm.h"

/* Physical addresses of local memory and parameters, above every allocation; those of code (sm_fetch.c) follow. */
#define LOCAL_PHYSICAL (UINT64_C(0x5000) << 32)
#define PARAM_PHYSICAL (UINT64_C(0x6000) << 32)

_Static_assert((int)MEM_CACHE_GLOBAL == (int)EXEC_CACHE_GLOBAL && (int)MEM_CACHE_VOLATILE == (int)EXEC_CACHE_VOLATILE,
               "cache operators are passed on as they are");

/* Physical address of a grid's parameters. */
static uint64_t param_address(const struct sm *s, const struct exec_grid *grid) {
  return PARAM_PHYSICAL + (s->config->shared_params ? 0 : grid->id * 4096);
}

uint32_t sm_new_memop(struct sm *s, unsigned slot, uint32_t pc, const struct exec_deps *d, uint64_t now) {
  int32_t k = s->free_memop;
  struct sm_memop *m = &s->memops[k];
  s->free_memop = m->next_free;
  s->memops_out++;
  uint32_t grid = s->warps[slot].x->grid->place;
  *m = (struct sm_memop){.deps = d, .issued = now, .warp = (uint8_t)slot, .life = s->warps[slot].life, .pc = pc,
                         .grid = (uint8_t)grid, .bulk = -1};
  s->grid_memops[grid]++;
  return (uint32_t)k;
}

/* Lanes of an atomic operation that name the same word are served in separate passes. */
static unsigned coalesce_passes(const struct sm *s, const uint64_t *addr, uint32_t mask, unsigned bytes, struct sm_segment *out) {
  unsigned n = 0;
  for (uint32_t pass; mask; mask &= ~pass) {
    pass = sm_first_lanes(addr, mask);
    n += sm_coalesce(addr, pass, bytes, s->l1.access_bytes, out + n);
  }
  return n;
}

/* The accesses of an instruction to global or local memory. */
static unsigned coalesce(const struct sm *s, const uint64_t *addr, uint32_t mask, unsigned bytes, bool atomic, struct sm_segment *out) {
  if (atomic && s->config->atomic_passes) return coalesce_passes(s, addr, mask, bytes, out);
  if (!s->config->segments) return sm_coalesce(addr, mask, bytes, s->l1.access_bytes, out);
  struct sm_atomic_shape shape = {s->config->atomic_parts, s->config->atomic_segment};
  if (atomic) return sm_coalesce_atomic(addr, mask, bytes, s->l1.access_bytes, shape, out);
  return sm_coalesce_segments(addr, mask, bytes, s->l1.access_bytes, out);
}

static void local_segments(const struct sm *s, unsigned slot, const struct exec_access *a, struct sm_lsu_entry *e) {
  const struct exec_warp *x = s->warps[slot].x;
  uint64_t base = LOCAL_PHYSICAL + ((uint64_t)s->id * SM_MAX_WARPS + slot) * ((uint64_t)x->stack_bytes * EXEC_LANES);
  uint64_t at[EXEC_LANES];
  unsigned part = a->bytes < 4 ? a->bytes : 4;
  for (unsigned word = 0; word * 4 < a->bytes; word++) {
    for (unsigned i = 0; i < EXEC_LANES; i++) {
      uint64_t off = a->addr[i] + word * 4;
      at[i] = base + (off / 4 * EXEC_LANES + i) * 4 + off % 4;
    }
    e->n = (uint16_t)(e->n + coalesce(s, at, a->mask, part, false, e->seg + e->n));
  }
}

static enum mem_kind kind_of(uint8_t op) {
  static const uint8_t kind[] = {[EXEC_LOAD] = MEM_READ, [EXEC_STORE] = MEM_WRITE, [EXEC_ATOMIC] = MEM_ATOMIC,
                                 [EXEC_REDUCE] = MEM_REDUCE, [EXEC_PREFETCH] = MEM_PREFETCH};
  return (enum mem_kind)kind[op];
}

/* Cycles of the tag banks and the data banks (l1.tag_stage = banks). Copies of a local word lie in different banks. */
static void fill_stages(const struct exec_access *a, struct sm_lsu_entry *e) {
  e->lookups = (uint16_t)sm_order_by_bank(e->seg, e->n);
  e->cycles = (uint16_t)(a->space == PTX_LOCAL ? (a->bytes + 3u) / 4 : sm_bank_cycles(a->addr, a->mask, a->bytes));
}

/* Whether an atomic operation adds one and returns nothing: its lanes are counted at once. A compare-and-swap reads and writes. */
static bool counts_lanes(const struct exec_inst *in) {
  const struct ptx_inst *p = in->ptx;
  const struct ptx_opnd *last = &p->ops[p->n_ops - 1];
  return p->op == PTX_OP_red && ptx_has(p, PTX_M_add) && last->kind == PTX_O_INT && last->imm == 1;
}

/* Cycles of the banks of shared memory. What they cannot add by themselves takes a loop (sm_loops.c). */
static unsigned shared_cycles(struct sm *s, const struct exec_inst *in, const struct exec_access *a, struct sm_warp *w) {
  bool atomic = a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE;
  bool merged = s->config->merged_phases;
  unsigned words = merged ? sm_merged_bank_cycles(a->addr, a->mask, a->bytes) : sm_bank_cycles(a->addr, a->mask, a->bytes);
  if (!atomic || !s->config->atomic_passes || counts_lanes(in)) return words;
  unsigned lanes = sm_bank_lanes(a->addr, a->mask, a->bytes);
  bool loop = s->config->atomic_loop && ptx_has(in->ptx, PTX_M_add) && in->ptx->n_types && ptx_type_float((enum ptx_type)in->ptx->types[0]);
  if (loop) {
    w->looping = true;
    sm_loops_begin(s->loops, (unsigned)(w - s->warps), w->cta, a);
  }
  return loop ? 3 * words : ptx_has(in->ptx, PTX_M_cas) ? 2 * lanes : lanes;
}

/* What an L2 slice has to do for an atomic operation. */
static uint8_t atomic_effort(const struct ptx_inst *in) {
  enum ptx_type type = in->n_types ? (enum ptx_type)in->types[0] : PTX_B32;
  bool sum = ptx_has(in, PTX_M_add) && ptx_type_float(type), twice = ptx_has(in, PTX_M_cas) || (sum && ptx_type_bits(type) > 32);
  return (uint8_t)((sum ? MEM_ATOMIC_SUM : 0) | (twice ? MEM_ATOMIC_TWICE : 0));
}

/* Global memory and textures. */
static unsigned device_segments(const struct sm *s, const struct exec_access *a, struct sm_segment *out) {
  bool l1 = a->space != PTX_TEX || s->config->unified_texture, atomic = a->op == EXEC_ATOMIC || a->op == EXEC_REDUCE;
  if (!l1) return sm_coalesce(a->addr, a->mask, a->bytes, MEM_LINE, out);
  return coalesce(s, a->addr, a->mask, s->config->store_elements ? a->element : a->bytes, atomic, out);
}

/* The part of an access that goes to memory: of several joined loads, only the first lane's, which stands for all. */
static const struct exec_access *sent_of(const struct exec_inst *in, const struct exec_access *a, struct exec_access *one) {
  if (!in->ptx->joined || !a->mask) return a;
  *one = *a;
  one->mask = a->mask & -a->mask;
  return one;
}

static void fill_entry(struct sm *s, unsigned slot, const struct exec_inst *in, const struct exec_access *a, struct sm_lsu_entry *e) {
  struct exec_access one;
  a = sent_of(in, a, &one);
  switch (a->space) {
  case PTX_SHARED:
    e->cycles = (uint16_t)shared_cycles(s, in, a, &s->warps[slot]);
    s->stats[SM_S_SHARED]++;
    s->stats[SM_S_SHARED_CYCLES] += e->cycles;
    unsigned least = a->bytes <= 4 ? 1 : a->bytes <= 8 ? 2 : 4;
    s->stats[SM_S_CONFLICTS] += e->cycles > least ? e->cycles - least : 0;
    if (a->times > 1) e->cycles = (uint16_t)(e->cycles * a->times < UINT16_MAX ? e->cycles * a->times : UINT16_MAX);
    if (a->remote) e->across = (uint32_t)__builtin_popcount(a->remote) * a->bytes * (a->times ? a->times : 1);
    s->stats[SM_S_DSM_BYTES] += e->across;
    break;
  case PTX_LOCAL: local_segments(s, slot, a, e); break;
  case PTX_PARAM: { /* the same word for all lanes */
    uint64_t at = param_address(s, s->warps[slot].x->grid) + a->addr[__builtin_ctz(a->mask)];
    e->n = (uint16_t)sm_coalesce(&at, 1, a->bytes, s->config->const_line, e->seg);
    break;
  }
  case PTX_CONST:
    e->n = (uint16_t)sm_coalesce(a->addr, a->mask, a->bytes, s->config->const_line, e->seg);
    if (s->config->const_serial) e->cycles = (uint16_t)(1 + (sm_different_addresses(a->addr, a->mask) - 1) * s->config->const_interval);
    break;
  default: e->n = (uint16_t)device_segments(s, a, e->seg);
  }
  if (s->l1.config.banks && (a->space == PTX_GLOBAL || a->space == PTX_LOCAL)) fill_stages(a, e);
  if (a->space == PTX_GLOBAL || a->space == PTX_LOCAL) {
    s->stats[SM_S_SEGMENTS] += e->n;
    s->stats[SM_S_MEMORY_INSTRUCTIONS]++;
    s->stats[a->op == EXEC_STORE || a->op == EXEC_REDUCE ? SM_S_STORES : SM_S_LOADS]++;
  }
}

unsigned sm_untimed_segments(const struct sm *s, const struct exec_inst *in, const struct exec_access *a) {
  struct exec_access one;
  struct sm_lsu_entry e;
  if (!(in->flags & EXEC_MEMORY) || !a->mask || a->bulk || a->space != PTX_GLOBAL) return 0;
  return device_segments(s, sent_of(in, a, &one), e.seg);
}

void sm_show_untimed(struct sm *s, const struct exec_warp *x, const struct exec_inst *in, unsigned lanes) {
  const struct exec_access *a = &x->access;
  struct sm_lsu_entry e;
  sm_notify_issue(s, in, a, lanes);
  if (!(in->flags & EXEC_MEMORY) || !a->mask || a->bulk) return;
  e.kind = (uint8_t)kind_of(a->op);
  e.n = (uint16_t)(a->space == PTX_GLOBAL || a->space == PTX_TEX ? device_segments(s, a, e.seg) : 0);
  sm_notify_memory(s, &e, a);
}

/* Whether the address of a constant is known to the assembler. */
static bool is_literal_address(const struct ptx_inst *in) {
  const struct ptx_opnd *at = in->op == PTX_OP_ld && in->n_ops > 1 ? &in->ops[1] : NULL;
  return at && at->kind == PTX_O_MEM && at->n_elems && at->elems[0].kind != PTX_O_REG;
}

static uint32_t queue_end(const struct sm *s) {
  uint32_t at = s->lsu_head + s->lsu_count;
  return at < s->config->lsu_queue ? at : at - s->config->lsu_queue;
}

void sm_lsu_accept_empty(struct sm *s) {
  struct sm_lsu_entry *e = &s->lsu[queue_end(s)];
  e->memop = SM_NO_MEMOP;
  e->space = PTX_SHARED;
  e->kind = MEM_READ;
  e->cycles = 1;
  e->from = 0;
  e->handed = true;
  s->lsu_count++;
}

uint32_t sm_lsu_accept(struct sm *s, unsigned slot, const struct exec_inst *in, uint32_t pc, const struct exec_deps *d, uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  const struct exec_access *a = &w->x->access;
  uint32_t at = queue_end(s);
  struct sm_lsu_entry *e = &s->lsu[at];
  e->memop = sm_new_memop(s, slot, pc, d, now);
  e->space = a->space;
  e->kind = (uint8_t)kind_of(a->op);
  e->cache = a->cache;
  e->atomic = e->kind == MEM_ATOMIC || e->kind == MEM_REDUCE ? atomic_effort(in->ptx) : 0;
  e->window = &w->x->grid->window;
  e->n = e->next = e->cycles = e->lookups = 0;
  e->across = 0;
  e->bypasses = e->asked = false;
  e->literal = s->config->literal_latency && a->space == PTX_CONST && is_literal_address(in->ptx);
  e->handed = !s->config->pipeline.banks;
  e->from = 0;
  fill_entry(s, slot, in, a, e);
  if (s->observers.n) sm_notify_memory(s, e, a);
  if (s->profile && (a->space == PTX_GLOBAL || a->space == PTX_LOCAL)) {
    s->profile->rows[pc].accesses++;
    s->profile->rows[pc].transactions += e->n;
    for (unsigned i = 0; i < e->n; i++) s->profile->rows[pc].sectors += (unsigned)__builtin_popcount(mem_sectors_of(e->seg[i].bytes));
  }
  s->memops[e->memop].counts = e->kind == MEM_READ && (a->space == PTX_GLOBAL || a->space == PTX_LOCAL);
  for (unsigned i = 0; i < d->n_writes; i++) w->reg_ready[d->writes[i]] = MEM_NEVER;
  w->outstanding++;
  if (a->space == PTX_GLOBAL || a->space == PTX_LOCAL) s->fences.touched = true;
  if (a->async) sm_copy_begins(w, &s->memops[e->memop]);
  uint64_t there = sm_after(s, now, a->remote ? s->config->dsm_latency : s->config->shared_latency);
  if (a->signals) sm_send_signals(s, w->x->sent.signals, w->x->sent.n_signals, there);
  s->lsu_count++;
  return at;
}
