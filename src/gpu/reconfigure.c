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

struct llc {
  struct gpu_llc base;
  struct llc_mode_config c;
  struct gpu_llc_parts p;
  struct llc_view *views;    /* by SM */
  struct llc_watch *watches; /* by slice; NULL: not adaptive */
  struct llc_atd *atd;
  uint64_t *slice, *first;   /* accesses: by slice and, of the first cluster, by controller */
  uint64_t *slice_before;    /* counters at a profile's begin */
  uint64_t misses_before;
  uint64_t invalidation;     /* ticks */
  enum state state;
  bool is_private, to_private, can_gate, adapts /* in this kernel */;
  uint64_t since, settled;   /* of the state; of private cycles */
  uint64_t epoch_end;
  uint64_t stats[STATS];
};

static struct llc *of(struct gpu_llc *l) { return (struct llc *)l; }
static const struct llc *of_const(const struct gpu_llc *l) { return (const struct llc *)l; }

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static uint64_t slice_of(void *user, uint64_t line) { return llc_view_slice(user, line); }

static void set_mode(struct llc *l, bool is_private, uint64_t now) {
  l->is_private = is_private;
  for (uint32_t i = 0; i < l->p.n_sms; i++) l->views[i].is_private = is_private;
  for (uint32_t i = 0; i < l->p.fabric->n_nets && l->can_gate; i++) noc_bypass(l->p.fabric->net[i], is_private, now);
}

static void make_views(struct llc *l) {
  uint32_t each = l->p.n_sms / l->c.clusters;
  l->views = must_alloc(l->p.n_sms * sizeof *l->views);
  for (uint32_t i = 0; i < l->p.n_sms; i++) {
    l->views[i] = (struct llc_view){l->p.map, l->c.slices, each ? i / each : 0, false};
    l->p.sms[i].slice_of = slice_of;
    l->p.sms[i].slice_user = &l->views[i];
  }
  for (uint32_t i = 0; i < l->p.n_slices && l->c.mode != LLC_SHARED; i++) l->p.slices[i]->views = l->views;
}

/* The directory follows the first slice. */
static void make_profile(struct llc *l, const struct cfg *cfg) {
  uint32_t sets = (uint32_t)cfg_int(cfg, "l2.sets"), ways = (uint32_t)cfg_int(cfg, "l2.ways");
  uint32_t each = l->p.n_sms / l->c.clusters;
  l->atd = llc_atd_new(&l->c, sets, ways, each);
  l->slice = must_alloc(l->p.n_slices * sizeof *l->slice);
  l->slice_before = must_alloc(l->p.n_slices * sizeof *l->slice_before);
  l->first = must_alloc(l->p.n_channels * sizeof *l->first);
  l->watches = must_alloc(l->p.n_slices * sizeof *l->watches);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->watches[i] = (struct llc_watch){.atd = i ? NULL : l->atd, .first_sms = each};
    l->p.slices[i]->watch = &l->watches[i];
  }
}

struct gpu_llc *gpu_llc_new(const struct cfg *cfg, const struct gpu_llc_parts *parts, struct err *e) {
  struct llc *l = must_alloc(sizeof *l);
  l->base.at = MEM_NEVER;
  l->p = *parts;
  if (!llc_mode_read(&l->c, cfg, e)) return free(l), NULL;
  l->invalidation = (uint64_t)cfg_int(cfg, "l2.sets") * l->p.l2;
  l->can_gate = noc_can_bypass(l->p.fabric->net[0]);
  make_views(l);
  if (l->c.mode == LLC_ADAPTIVE) make_profile(l, cfg);
  if (l->c.mode == LLC_PRIVATE) set_mode(l, true, 0);
  return &l->base;
}

void gpu_llc_delete(struct gpu_llc *base) {
  if (!base) return;
  struct llc *l = of(base);
  llc_atd_delete(l->atd);
  free(l->views);
  free(l->watches);
  free(l->slice);
  free(l->slice_before);
  free(l->first);
  free(l);
}

void gpu_llc_register(const struct gpu_llc *l, struct stats *st) {
  if (of_const(l)->c.mode != LLC_SHARED) stats_register(st, defs, STATS, of_const(l)->stats, 0);
}

bool gpu_llc_private(const struct gpu_llc *l, uint32_t sm) { return of_const(l)->views[sm].is_private; }

/* ---- profiles ------------------------------------------------------------------------------------------------------------ */

static uint64_t misses(const struct llc *l) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < l->p.n_slices; i++) n += l->p.slices[i]->counters[LLC_MISSES];
  return n;
}

static void begin_profile(struct llc *l, uint64_t now) {
  l->state = PROFILES;
  l->base.at = now + l->c.profile * l->p.core;
  llc_atd_count(l->atd);
  l->misses_before = misses(l);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->slice_before[i] = l->p.slices[i]->counters[LLC_ACCESSES];
    l->watches[i].first = 0;
  }
}

static void collect(struct llc *l, struct llc_sample *s) {
  *s = (struct llc_sample){.misses = misses(l) - l->misses_before,
                           .atd = llc_atd_counts(l->atd),
                           .slice = l->slice,
                           .first = l->first};
  memset(l->first, 0, l->p.n_channels * sizeof *l->first);
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->slice[i] = l->p.slices[i]->counters[LLC_ACCESSES] - l->slice_before[i];
    l->first[i / l->c.slices] += l->watches[i].first;
    s->accesses += l->slice[i];
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

static void begin_change(struct llc *l, bool to_private, uint64_t now) {
  l->state = DRAINS;
  l->to_private = to_private;
  l->since = now;
  l->base.at = now + l->p.core;
  for (uint32_t i = 0; i < l->p.n_sms; i++) sm_halt(&l->p.sms[i]);
}

static void resume(struct llc *l, uint64_t now) {
  for (uint32_t i = 0; i < l->p.n_sms; i++) sm_resume(&l->p.sms[i], now);
}

static bool memory_idle(const struct llc *l) {
  const struct gpu_llc_parts *p = &l->p;
  for (uint32_t i = 0; i < p->n_slices; i++)
    if (!llc_idle(p->slices[i])) return false;
  for (uint32_t i = 0; i < p->n_channels; i++)
    if (!dram_idle(p->channels[i])) return false;
  return true;
}

static bool drained(const struct llc *l) {
  const struct gpu_llc_parts *p = &l->p;
  for (uint32_t i = 0; i < p->n_sms; i++)
    if (!sm_quiet(&p->sms[i])) return false;
  for (uint32_t i = 0; i < p->fabric->n_nets; i++)
    if (!noc_idle(p->fabric->net[i])) return false;
  return !mem_pool_out(p->pool) && memory_idle(l);
}

/* To the next state: what the present one cost is counted, the next is looked at after `ticks`. */
static void go_on(struct llc *l, enum llc_event cost, enum state next, uint64_t ticks, uint64_t now) {
  l->stats[cost] += (now - l->since) / l->p.core;
  l->since = now;
  l->state = next;
  l->base.at = now + ticks;
}

static void start_gating(struct llc *l, enum llc_event cost, uint64_t now) {
  go_on(l, cost, GATES, l->can_gate ? l->c.gate * l->p.core : 0, now);
  if (l->base.at == now) gpu_llc_step(&l->base, now);
}

static uint64_t whole_core_cycles(const struct llc *l, uint64_t ticks) {
  return (ticks + l->p.core - 1) / l->p.core * l->p.core;
}

static void end_drain(struct llc *l, uint64_t now) {
  if (!l->to_private) {
    for (uint32_t i = 0; i < l->p.n_slices; i++) llc_invalidate(l->p.slices[i]);
    go_on(l, S_DRAIN, INVALIDATES, whole_core_cycles(l, l->invalidation), now);
    return;
  }
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->stats[S_WRITTEN] += llc_dirty_lines(l->p.slices[i]);
    llc_flush(l->p.slices[i], now, false);
  }
  go_on(l, S_DRAIN, WRITES_BACK, l->p.core, now);
}

/* An epoch may have ended meanwhile. */
static void run_until_epoch(struct llc *l, uint64_t now) {
  uint64_t next = now + l->p.core;
  l->state = RUNS;
  l->base.at = l->epoch_end > next ? l->epoch_end : next;
}

static void end_change(struct llc *l, uint64_t now) {
  l->stats[S_GATE] += (now - l->since) / l->p.core;
  gpu_llc_settle(&l->base, now);
  set_mode(l, l->to_private, now);
  l->stats[l->to_private ? S_TO_PRIVATE : S_TO_SHARED]++;
  resume(l, now);
  l->state = RUNS;
  l->base.at = MEM_NEVER;
  if (!l->adapts) return;
  if (l->to_private) {
    run_until_epoch(l, now);
    return;
  }
  llc_atd_clear(l->atd);
  begin_profile(l, now);
}

/* ---- time -------------------------------------------------------------------------------------------------------------------- */

static void decide(struct llc *l, uint64_t now) {
  struct llc_sample s;
  struct llc_estimate e;
  collect(l, &s);
  enum llc_rule rule = llc_decide(&l->c, &s, &e);
  count_profile(l, &s, &e, rule);
  if (rule == LLC_STAY_SHARED)
    run_until_epoch(l, now);
  else
    begin_change(l, true, now);
}

static void begin_epoch(struct llc *l, uint64_t now) {
  l->epoch_end = now + l->c.epoch * l->p.core;
  if (l->is_private)
    begin_change(l, false, now);
  else
    begin_profile(l, now);
}

void gpu_llc_step(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  switch (l->state) {
  case RUNS: begin_epoch(l, now); return;
  case PROFILES: decide(l, now); return;
  case DRAINS:
    base->at = now + l->p.core;
    if (drained(l)) end_drain(l, now);
    return;
  case WRITES_BACK:
    base->at = now + l->p.core;
    if (memory_idle(l)) start_gating(l, S_WRITE_BACK, now);
    return;
  case INVALIDATES: start_gating(l, S_INVALIDATE, now); return;
  case GATES: end_change(l, now); return;
  }
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

void gpu_llc_begin(struct gpu_llc *base, const struct exec_grid *grid, uint64_t now) {
  struct llc *l = of(base);
  l->settled = now;
  for (uint32_t i = 0; i < l->p.fabric->n_nets; i++) l->p.fabric->net[i]->gated_since = now;
  if (l->c.mode == LLC_SHARED) return;
  bool atomics = grid_has_atomics(grid), wanted = l->c.mode == LLC_PRIVATE && !atomics;
  l->stats[S_ATOMICS] += atomics;
  l->adapts = l->c.mode == LLC_ADAPTIVE && !atomics;
  l->epoch_end = now + l->c.epoch * l->p.core;
  l->state = RUNS;
  base->at = MEM_NEVER;
  if (l->is_private != wanted)
    begin_change(l, wanted, now);
  else if (l->adapts)
    begin_profile(l, now);
}

void gpu_llc_stop(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  gpu_llc_settle(base, now);
  if (l->state > PROFILES) resume(l, now);
  l->state = RUNS;
  base->at = MEM_NEVER;
}

void gpu_llc_flush(struct gpu_llc *base) {
  struct llc *l = of(base);
  for (uint32_t i = 0; i < l->p.n_slices && l->is_private; i++) llc_invalidate(l->p.slices[i]);
}

void gpu_llc_settle(struct gpu_llc *base, uint64_t now) {
  struct llc *l = of(base);
  uint64_t cycles = (now - l->settled) / l->p.core;
  l->stats[S_PRIVATE] += l->is_private ? cycles : 0;
  l->settled += cycles * l->p.core;
  for (uint32_t i = 0; i < l->p.fabric->n_nets; i++) noc_settle(l->p.fabric->net[i], now);
}
