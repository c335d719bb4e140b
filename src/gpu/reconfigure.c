/* See reconfigure.h. */
#include "gpu/reconfigure.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum llc_event {
  S_PROFILES, S_RULE_1, S_RULE_2, S_STAYED, S_TO_PRIVATE, S_TO_SHARED, S_ATOMICS,
  S_DRAIN, S_WRITE_BACK, S_INVALIDATE, S_GATE, S_WRITTEN, S_PRIVATE,
  S_SAMPLED, S_SAMPLED_HITS, S_SAMPLED_PRIVATE, S_ACCESSES, S_MISSES,
  S_SHARED_LSP, S_PRIVATE_LSP, S_SHARED_BYTES, S_PRIVATE_BYTES,
  STATS
};

static const struct stat_def defs[STATS] = {
    {"llc.profiles", "profiles", "profiles taken while the L2 was shared", ""},
    {"llc.rule_1", "decisions", "to a private L2: miss rates are similar", ""},
    {"llc.rule_2", "decisions", "to a private L2: it has more bandwidth", ""},
    {"llc.stayed_shared", "decisions", "profiles after which the L2 stayed shared", ""},
    {"llc.to_private", "changes", "changes from a shared to a private L2", ""},
    {"llc.to_shared", "changes", "changes from a private to a shared L2 (rule 3)", ""},
    {"llc.atomic_kernels", "kernels", "ran with a shared L2 because they have atomics", ""},
    {"llc.drain_cycles", "core cycles", "SMs were halted: packets were on their way", ""},
    {"llc.write_back_cycles", "core cycles", "SMs were halted: dirty lines were written back", ""},
    {"llc.invalidate_cycles", "core cycles", "SMs were halted: slices were invalidated", ""},
    {"llc.gate_cycles", "core cycles", "SMs were halted: routers' power was switched", ""},
    {"llc.written_back", "lines", "dirty lines written back before a change", ""},
    {"llc.private_cycles", "core cycles", "of kernels with a private L2", ""},
    {"llc.sampled_accesses", "accesses", "seen by the auxiliary tag directory in profiles", ""},
    {"llc.sampled_hits", "accesses", "of those, hits in a shared L2", ""},
    {"llc.sampled_private_hits", "accesses", "of those, estimated hits in a private L2", ""},
    {"llc.profile_accesses", "accesses", "of all slices in profiles", ""},
    {"llc.profile_misses", "accesses", "of those, misses in the shared L2", ""},
    {"llc.shared_lsp_sum", "slices / 1000", "parallel slices of the shared L2, summed over profiles", ""},
    {"llc.private_lsp_sum", "slices / 1000", "parallel slices of a private L2 as estimated, summed over profiles", ""},
    {"llc.shared_bandwidth_sum", "MB/s", "of the shared L2 by the model, summed over profiles", ""},
    {"llc.private_bandwidth_sum", "MB/s", "of a private L2 by the model, summed over profiles", ""},
};

enum state {
  RUNS,       /* in its mode; `at` is the next change or decision */
  PROFILES,   /* the same, and `at` is the end of a profile */
  DRAINS, WRITES_BACK, INVALIDATES, GATES
};

/* Of one program. */
struct part {
  enum llc_mode mode;
  enum state state;
  bool is_private, to_private;
  bool adapts;         /* its present kernels may change the mode */
  bool again;          /* a kernel came while a change was under way */
  uint32_t atomics;    /* kernels with atomics on the GPU */
  uint64_t at;         /* next step */
  uint64_t since;      /* when the state began */
  uint64_t epoch_end;
  struct llc_atd *atd; /* NULL: not adaptive */
};

struct llc {
  struct gpu_llc base;
  struct llc_mode_config c;
  struct gpu_llc_parts p;
  struct part parts[LLC_MAX_PROGRAMS];
  uint32_t n;
  uint32_t sets, ways;
  struct llc_view *views;    /* by SM */
  struct llc_watch *watches; /* by slice and program; NULL: nobody adapts */
  uint64_t *slice, *first;   /* accesses: by slice and, of the first cluster, by controller */
  bool can_gate;
  uint64_t settled;          /* until when private cycles are counted */
  uint64_t stats[STATS];
};

static struct llc *of(struct gpu_llc *l) { return (struct llc *)l; }
static const struct llc *of_const(const struct gpu_llc *l) { return (const struct llc *)l; }
static uint8_t number(const struct llc *l, const struct part *q) { return (uint8_t)(q - l->parts); }
static bool owns(const struct llc *l, const struct part *q, uint32_t sm) { return l->views[sm].program == number(l, q); }
static struct llc_watch *watch(const struct llc *l, const struct part *q, uint32_t slice) {
  return &l->watches[slice * LLC_MAX_PROGRAMS + number(l, q)];
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static uint64_t slice_of(void *user, uint64_t line) { return llc_view_slice(user, line); }

static void set_mode(struct llc *l, struct part *q, bool is_private, uint64_t now) {
  q->is_private = is_private;
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) l->views[i].is_private = is_private;
  for (uint32_t i = 0; i < l->p.fabric->n_nets && l->can_gate; i++) noc_bypass(l->p.fabric->net[i], is_private, now);
}

static void make_views(struct llc *l) {
  uint32_t each = l->p.n_sms / l->c.clusters;
  l->views = must_alloc(l->p.n_sms * sizeof *l->views);
  for (uint32_t i = 0; i < l->p.n_sms; i++) {
    l->views[i] = (struct llc_view){.map = l->p.map, .slices = l->c.slices, .cluster = each ? i / each : 0};
    l->p.sms[i].slice_of = slice_of;
    l->p.sms[i].slice_user = &l->views[i];
  }
  for (uint32_t i = 0; i < l->p.n_slices && !llc_mode_always_shared(&l->c); i++) l->p.slices[i]->views = l->views;
}

/* A directory follows the first slice. */
static void make_profile(struct llc *l, struct part *q) {
  uint32_t each = l->p.n_sms / l->c.clusters;
  if (!l->watches) {
    l->slice = must_alloc(l->p.n_slices * sizeof *l->slice);
    l->first = must_alloc(l->p.n_channels * sizeof *l->first);
    l->watches = must_alloc((size_t)l->p.n_slices * LLC_MAX_PROGRAMS * sizeof *l->watches);
  }
  q->atd = llc_atd_new(&l->c, l->sets, l->ways, each);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    *watch(l, q, i) = (struct llc_watch){.atd = i ? NULL : q->atd, .first_sms = each};
    l->p.slices[i]->watch = &l->watches[(size_t)i * LLC_MAX_PROGRAMS];
  }
}

static void make_parts(struct llc *l, uint32_t n) {
  l->n = n;
  l->can_gate = n == 1 && noc_can_bypass(l->p.fabric->net[0]);
  for (struct part *q = l->parts; q < l->parts + n; q++) {
    *q = (struct part){.mode = n > 1 ? l->c.of[q - l->parts] : l->c.mode, .at = MEM_NEVER};
    if (q->mode == LLC_ADAPTIVE) make_profile(l, q);
    set_mode(l, q, q->mode == LLC_PRIVATE, 0);
  }
}

struct gpu_llc *gpu_llc_new(const struct cfg *cfg, const struct gpu_llc_parts *parts, struct err *e) {
  struct llc *l = must_alloc(sizeof *l);
  l->base.at = MEM_NEVER;
  l->p = *parts;
  if (!llc_mode_read(&l->c, cfg, e)) return free(l), NULL;
  l->sets = (uint32_t)cfg_int(cfg, "l2.sets");
  l->ways = (uint32_t)cfg_int(cfg, "l2.ways");
  make_views(l);
  make_parts(l, 1);
  return &l->base;
}

static void free_parts(struct llc *l) {
  for (uint32_t i = 0; i < l->n; i++) llc_atd_delete(l->parts[i].atd);
}

void gpu_llc_delete(struct gpu_llc *base) {
  if (!base) return;
  struct llc *l = of(base);
  free_parts(l);
  free(l->views);
  free(l->watches);
  free(l->slice);
  free(l->first);
  free(l);
}

void gpu_llc_programs(struct gpu_llc *base, const uint8_t *program_of, uint32_t n) {
  struct llc *l = of(base);
  free_parts(l);
  for (uint32_t i = 0; i < l->p.fabric->n_nets && l->can_gate; i++) noc_bypass(l->p.fabric->net[i], false, 0);
  for (uint32_t i = 0; i < l->p.n_sms; i++) l->views[i].program = program_of[i];
  make_parts(l, n);
}

void gpu_llc_register(const struct gpu_llc *l, struct stats *st) {
  if (!llc_mode_always_shared(&of_const(l)->c)) stats_register(st, defs, STATS, of_const(l)->stats, 0);
}

bool gpu_llc_private(const struct gpu_llc *base) {
  const struct llc *l = of_const(base);
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].is_private) return true;
  return false;
}

/* ---- profiles ------------------------------------------------------------------------------------------------------------ */

static void begin_profile(struct llc *l, struct part *q, uint64_t now) {
  q->state = PROFILES;
  q->at = now + l->c.profile * l->p.core;
  llc_atd_count(q->atd);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    struct llc_watch *w = watch(l, q, i);
    w->accesses = w->misses = w->first = 0;
  }
}

static void collect(struct llc *l, const struct part *q, struct llc_sample *s) {
  *s = (struct llc_sample){.atd = llc_atd_counts(q->atd), .slice = l->slice, .first = l->first};
  memset(l->first, 0, l->p.n_channels * sizeof *l->first);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    const struct llc_watch *w = watch(l, q, i);
    l->slice[i] = w->accesses;
    l->first[i / l->c.slices] += w->first;
    s->accesses += w->accesses;
    s->misses += w->misses;
  }
}

static void count_profile(struct llc *l, const struct llc_sample *s, const struct llc_estimate *e, enum llc_rule rule) {
  uint64_t *n = l->stats;
  n[S_PROFILES]++;
  n[rule == LLC_RULE_1 ? S_RULE_1 : rule == LLC_RULE_2 ? S_RULE_2 : S_STAYED]++;
  n[S_SAMPLED] += s->atd.accesses;
  n[S_SAMPLED_HITS] += s->atd.hits;
  n[S_SAMPLED_PRIVATE] += s->atd.private_hits;
  n[S_ACCESSES] += s->accesses;
  n[S_MISSES] += s->misses;
  n[S_SHARED_LSP] += (uint64_t)(e->shared_lsp * 1000 + 0.5);
  n[S_PRIVATE_LSP] += (uint64_t)(e->private_lsp * 1000 + 0.5);
  n[S_SHARED_BYTES] += (uint64_t)(e->shared_bytes / 1e6 + 0.5);
  n[S_PRIVATE_BYTES] += (uint64_t)(e->private_bytes / 1e6 + 0.5);
}

/* ---- changes --------------------------------------------------------------------------------------------------------------- */

static void begin_change(struct llc *l, struct part *q, bool to_private, uint64_t now) {
  q->state = DRAINS;
  q->to_private = to_private;
  q->since = now;
  q->at = now + l->p.core;
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) sm_halt(&l->p.sms[i]);
}

static void resume(struct llc *l, const struct part *q, uint64_t now) {
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) sm_resume(&l->p.sms[i], now);
}

static bool memory_idle(const struct llc *l) {
  const struct gpu_llc_parts *p = &l->p;
  for (uint32_t i = 0; i < p->n_slices; i++)
    if (!llc_idle(p->slices[i])) return false;
  for (uint32_t i = 0; i < p->n_channels; i++)
    if (!dram_idle(p->channels[i])) return false;
  return true;
}

static bool drained(const struct llc *l, const struct part *q) {
  const struct gpu_llc_parts *p = &l->p;
  for (uint32_t i = 0; i < p->n_sms; i++)
    if (owns(l, q, i) && !sm_quiet(&p->sms[i])) return false;
  if (l->n > 1) return true;
  for (uint32_t i = 0; i < p->fabric->n_nets; i++)
    if (!noc_idle(p->fabric->net[i])) return false;
  return !mem_pool_out(p->pool) && memory_idle(l);
}

static bool written_back(const struct llc *l) {
  for (uint32_t i = 0; i < l->p.n_slices; i++)
    if (llc_flushing(l->p.slices[i])) return false;
  return l->n > 1 || memory_idle(l);
}

/* To the next state: what the present one cost is counted, the next is looked at after `ticks`. */
static void go_on(struct llc *l, struct part *q, enum llc_event cost, enum state next, uint64_t ticks, uint64_t now) {
  l->stats[cost] += (now - q->since) / l->p.core;
  q->since = now;
  q->state = next;
  q->at = now + ticks;
}

static uint64_t whole_core_cycles(const struct llc *l, uint64_t ticks) {
  return (ticks + l->p.core - 1) / l->p.core * l->p.core;
}

static void invalidate(struct llc *l, const struct part *q) {
  for (uint32_t i = 0; i < l->p.n_slices; i++) llc_invalidate(l->p.slices[i], number(l, q));
}

/* Slices write back one program's lines at a time. */
static void end_drain(struct llc *l, struct part *q, uint64_t now) {
  if (!q->to_private) {
    invalidate(l, q);
    go_on(l, q, S_DRAIN, INVALIDATES, whole_core_cycles(l, l->sets * l->p.l2), now);
    return;
  }
  for (uint32_t i = 0; i < l->p.n_slices; i++)
    if (llc_flushing(l->p.slices[i])) return;
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->stats[S_WRITTEN] += llc_dirty_lines_of(l->p.slices[i], number(l, q));
    llc_flush(l->p.slices[i], now, number(l, q));
  }
  go_on(l, q, S_DRAIN, WRITES_BACK, l->p.core, now);
}

/* An epoch may have ended meanwhile. */
static void run_until_epoch(struct llc *l, struct part *q, uint64_t now) {
  uint64_t next = now + l->p.core;
  q->state = RUNS;
  q->at = q->epoch_end > next ? q->epoch_end : next;
}

/* Rule 3, and what the mode says of a kernel with atomics; a change under way is ended first. */
static void new_kernel(struct llc *l, struct part *q, uint64_t now) {
  bool wanted = q->mode == LLC_PRIVATE && !q->atomics;
  q->adapts = q->mode == LLC_ADAPTIVE && !q->atomics;
  q->epoch_end = now + l->c.epoch * l->p.core;
  q->again = q->state > PROFILES;
  if (q->again) return;
  q->state = RUNS;
  q->at = MEM_NEVER;
  if (q->is_private != wanted)
    begin_change(l, q, wanted, now);
  else if (q->adapts)
    begin_profile(l, q, now);
}

static void end_change(struct llc *l, struct part *q, uint64_t now) {
  l->stats[S_GATE] += (now - q->since) / l->p.core;
  gpu_llc_settle(&l->base, now);
  set_mode(l, q, q->to_private, now);
  l->stats[q->to_private ? S_TO_PRIVATE : S_TO_SHARED]++;
  resume(l, q, now);
  if (q->atd && !q->to_private) llc_atd_clear(q->atd);
  q->state = RUNS;
  q->at = MEM_NEVER;
  if (q->again)
    new_kernel(l, q, now);
  else if (q->adapts && q->to_private)
    run_until_epoch(l, q, now);
  else if (q->adapts)
    begin_profile(l, q, now);
}

static void start_gating(struct llc *l, struct part *q, enum llc_event cost, uint64_t now) {
  go_on(l, q, cost, GATES, l->can_gate ? l->c.gate * l->p.core : 0, now);
  if (q->at == now) end_change(l, q, now);
}

/* ---- time -------------------------------------------------------------------------------------------------------------------- */

static void decide(struct llc *l, struct part *q, uint64_t now) {
  struct llc_sample s;
  struct llc_estimate e;
  collect(l, q, &s);
  enum llc_rule rule = llc_decide(&l->c, &s, &e);
  count_profile(l, &s, &e, rule);
  if (rule == LLC_STAY_SHARED)
    run_until_epoch(l, q, now);
  else
    begin_change(l, q, true, now);
}

static void begin_epoch(struct llc *l, struct part *q, uint64_t now) {
  q->epoch_end = now + l->c.epoch * l->p.core;
  if (q->is_private)
    begin_change(l, q, false, now);
  else
    begin_profile(l, q, now);
}

static void step(struct llc *l, struct part *q, uint64_t now) {
  switch (q->state) {
  case RUNS: begin_epoch(l, q, now); return;
  case PROFILES: decide(l, q, now); return;
  case DRAINS:
    q->at = now + l->p.core;
    if (drained(l, q)) end_drain(l, q, now);
    return;
  case WRITES_BACK:
    q->at = now + l->p.core;
    if (written_back(l)) start_gating(l, q, S_WRITE_BACK, now);
    return;
  case INVALIDATES: start_gating(l, q, S_INVALIDATE, now); return;
  case GATES: end_change(l, q, now); return;
  }
}

static void set_time(struct llc *l) {
  l->base.at = MEM_NEVER;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].at < l->base.at) l->base.at = l->parts[i].at;
}

void gpu_llc_step(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].at <= now) step(l, &l->parts[i], now);
  set_time(l);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------------- */

static bool has_atomics(const struct exec_func *f) {
  for (uint32_t i = 0; i < f->n_insts; i++) {
    unsigned op = f->insts[i].ptx->op;
    if ((op == PTX_OP_atom || op == PTX_OP_red) && f->insts[i].space != PTX_SHARED) return true;
  }
  return false;
}

/* Called functions are not followed: any of the module's counts. */
static bool grid_has_atomics(const struct exec_grid *g) {
  if (has_atomics(g->kernel)) return true;
  for (uint32_t i = 0; i < g->module->ptx.n_funcs && g->kernel->makes_calls; i++)
    if (!g->module->funcs[i].ptx->is_entry && has_atomics(&g->module->funcs[i])) return true;
  return false;
}

void gpu_llc_start(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  l->settled = now;
  for (uint32_t i = 0; i < l->p.fabric->n_nets; i++) l->p.fabric->net[i]->gated_since = now;
}

void gpu_llc_begin(struct gpu_llc *base, uint32_t program, const struct exec_grid *grid, uint64_t now) {
  struct llc *l = of(base);
  struct part *q = &l->parts[program];
  if (q->mode == LLC_SHARED) return;
  bool atomics = grid_has_atomics(grid);
  l->stats[S_ATOMICS] += atomics;
  q->atomics += atomics;
  new_kernel(l, q, now);
  set_time(l);
}

static void cancel(struct llc *l, struct part *q, uint64_t now) {
  if (q->state > PROFILES) resume(l, q, now);
  q->state = RUNS;
  q->again = false;
  q->at = MEM_NEVER;
}

void gpu_llc_end(struct gpu_llc *base, uint32_t program, const struct exec_grid *grid, bool last, uint64_t now) {
  struct llc *l = of(base);
  struct part *q = &l->parts[program];
  if (q->mode == LLC_SHARED) return;
  q->atomics -= grid_has_atomics(grid);
  if (last) cancel(l, q, now);
  set_time(l);
}

void gpu_llc_flush(struct gpu_llc *base, uint32_t program) {
  struct llc *l = of(base);
  if (l->parts[program].is_private) invalidate(l, &l->parts[program]);
}

void gpu_llc_abandon(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  for (uint32_t i = 0; i < l->n; i++) cancel(l, &l->parts[i], now);
  set_time(l);
}

/* A cycle in which any program's slices are private. */
void gpu_llc_settle(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  uint64_t cycles = (now - l->settled) / l->p.core;
  l->stats[S_PRIVATE] += gpu_llc_private(base) ? cycles : 0;
  l->settled += cycles * l->p.core;
  for (uint32_t i = 0; i < l->p.fabric->n_nets; i++) noc_settle(l->p.fabric->net[i], now);
}
