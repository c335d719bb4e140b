/* See llc_control.h. */
#include "llc/llc_control.h"

#include "base/arena.h"
#include "llc/llc_tally.h"

#include <stdlib.h>

const struct stat_def llc_events[LLC_EVENTS + 1] = {
    {"llc.profiles", "profiles", "profiles taken while the L2 was shared", ""},
    {"llc.rule_1", "decisions", "decisions for a private L2 because miss rates are similar (rule 1)", ""},
    {"llc.rule_2", "decisions", "decisions for a private L2 because it has more bandwidth (rule 2)", ""},
    {"llc.stayed_shared", "decisions", "profiles after which the L2 stayed shared", ""},
    {"llc.sampled_accesses", "accesses", "accesses seen by the auxiliary tag directory in profiles", ""},
    {"llc.sampled_hits", "accesses", "accesses of llc.sampled_accesses that hit in a shared L2", ""},
    {"llc.sampled_private_hits", "accesses", "accesses of llc.sampled_accesses estimated to hit in a private L2", ""},
    {"llc.profile_accesses", "accesses", "accesses of all L2 slices in profiles", ""},
    {"llc.profile_misses", "accesses", "accesses of llc.profile_accesses that missed in the shared L2", ""},
    {"llc.shared_lsp_sum", "slices / 1000", "slices of the shared L2 that worked in parallel, summed over profiles", ""},
    {"llc.private_lsp_sum", "slices / 1000", "slices of a private L2 that would work in parallel, as estimated, summed over profiles", ""},
    {"llc.shared_bandwidth_sum", "MB/s", "bandwidth of the shared L2 as estimated, summed over profiles", ""},
    {"llc.private_bandwidth_sum", "MB/s", "bandwidth of a private L2 as estimated, summed over profiles", ""},
    {"llc.to_private", "changes", "changes from a shared to a private L2", ""},
    {"llc.to_shared", "changes", "changes from a private to a shared L2 (rule 3)", ""},
    {"llc.atomic_kernels", "kernels", "kernels that ran with a shared L2 because they have atomics", ""},
    {"llc.drain_cycles", "core cycles", "cycles in which SMs were halted for a change of the L2 mode while packets drained", ""},
    {"llc.write_back_cycles", "core cycles",
     "cycles in which SMs were halted for a change of the L2 mode while dirty lines were written back", ""},
    {"llc.invalidate_cycles", "core cycles",
     "cycles in which SMs were halted for a change of the L2 mode while slices were invalidated", ""},
    {"llc.gate_cycles", "core cycles", "cycles in which SMs were halted for a change of the L2 mode while routers' power was switched", ""},
    {"llc.written_back", "lines", "dirty lines written back before a change of the L2 mode", ""},
    {"llc.private_cycles", "core cycles", "cycles in which a kernel ran with a private L2", ""},
};

enum state {
  RUNS,       /* in its mode; `at` is the next change or decision */
  PROFILES,   /* the same, and `at` is the end of a profile */
  DRAINS, WRITES_BACK, INVALIDATES, GATES
};

/* Of one program. */
struct part {
  const struct llc_mode *mode;
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
  struct llc_control base;
  struct llc_mode_config c;
  struct llc_control_place p;
  struct part parts[LLC_MAX_PROGRAMS];
  uint32_t n;
  uint32_t sets, ways;
  struct llc_view *views;      /* by SM */
  struct llc_tallies *tallies; /* NULL: nobody adapts */
  bool can_gate;
  uint64_t settled;            /* until when private cycles are counted */
  uint64_t stats[LLC_EVENTS];
};

static struct llc *of(struct llc_control *l) { return (struct llc *)l; }
static const struct llc *of_const(const struct llc_control *l) { return (const struct llc *)l; }
static uint8_t number(const struct llc *l, const struct part *q) { return (uint8_t)(q - l->parts); }
static bool owns(const struct llc *l, const struct part *q, uint32_t sm) { return l->views[sm].program == number(l, q); }

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static void set_mode(struct llc *l, struct part *q, bool is_private, uint64_t now) {
  q->is_private = is_private;
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) l->views[i].is_private = is_private;
  if (l->can_gate) l->p.gpu.gate(l->p.gpu.user, is_private, now);
}

static void make_views(struct llc *l) {
  uint32_t each = l->p.n_sms / l->c.clusters;
  l->views = must_alloc(l->p.n_sms * sizeof *l->views);
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    l->views[i] = (struct llc_view){.map = l->p.map, .slices = l->c.slices, .cluster = each ? i / each : 0};
  for (uint32_t i = 0; i < l->p.n_slices && !llc_mode_always_shared(&l->c); i++) l->p.slices[i]->views = l->views;
}

/* A directory follows the first slice. */
static void make_profile(struct llc *l, struct part *q) {
  uint32_t each = l->p.n_sms / l->c.clusters;
  if (!l->tallies) l->tallies = llc_tallies_new(l->p.slices, l->p.n_slices, &l->c, l->views, each);
  q->atd = llc_atd_new(&l->c, l->sets, l->ways, each);
  llc_tallies_follow(l->tallies, number(l, q), q->atd);
}

static void make_parts(struct llc *l, uint32_t n) {
  l->n = n;
  l->can_gate = n == 1 && l->p.gpu.can_gate(l->p.gpu.user);
  for (struct part *q = l->parts; q < l->parts + n; q++) {
    *q = (struct part){.mode = n > 1 ? l->c.of[q - l->parts] : l->c.mode, .at = MEM_NEVER};
    if (q->mode->decide) make_profile(l, q);
    set_mode(l, q, q->mode->is_private, 0);
  }
}

struct llc_control *llc_control_new(const struct cfg *cfg, const struct llc_control_place *parts, struct err *e) {
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
  for (uint8_t i = 0; i < l->n; i++) {
    if (l->tallies) llc_tallies_follow(l->tallies, i, NULL);
    llc_atd_delete(l->parts[i].atd);
  }
}

void llc_control_delete(struct llc_control *base) {
  if (!base) return;
  struct llc *l = of(base);
  free_parts(l);
  llc_tallies_delete(l->tallies);
  free(l->views);
  free(l);
}

void llc_control_programs(struct llc_control *base, const uint8_t *program_of, uint32_t n) {
  struct llc *l = of(base);
  free_parts(l);
  if (l->can_gate) l->p.gpu.gate(l->p.gpu.user, false, 0);
  for (uint32_t i = 0; i < l->p.n_sms; i++) l->views[i].program = program_of[i];
  make_parts(l, n);
}

void llc_control_register(const struct llc_control *l, struct stats *st) {
  if (!llc_mode_always_shared(&of_const(l)->c)) stats_register(st, llc_events, LLC_EVENTS, of_const(l)->stats, 0);
}

const struct llc_view *llc_control_view(const struct llc_control *l, uint32_t sm) { return &of_const(l)->views[sm]; }

bool llc_control_private(const struct llc_control *base) {
  const struct llc *l = of_const(base);
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].is_private) return true;
  return false;
}

/* ---- profiles ------------------------------------------------------------------------------------------------------------ */

static void begin_profile(struct llc *l, struct part *q, uint64_t now) {
  q->state = PROFILES;
  q->at = now + l->c.profile * l->p.core;
  llc_tallies_begin(l->tallies, number(l, q));
}

static void count_profile(struct llc *l, const struct llc_sample *s, const struct llc_estimate *e, enum llc_rule rule) {
  uint64_t *n = l->stats;
  n[LLC_E_PROFILES]++;
  n[rule == LLC_RULE_1 ? LLC_E_RULE_1 : rule == LLC_RULE_2 ? LLC_E_RULE_2 : LLC_E_STAYED]++;
  n[LLC_E_SAMPLED] += s->atd.accesses;
  n[LLC_E_SAMPLED_HITS] += s->atd.hits;
  n[LLC_E_SAMPLED_PRIVATE] += s->atd.private_hits;
  n[LLC_E_ACCESSES] += s->accesses;
  n[LLC_E_MISSES] += s->misses;
  n[LLC_E_SHARED_LSP] += (uint64_t)(e->shared_lsp * 1000 + 0.5);
  n[LLC_E_PRIVATE_LSP] += (uint64_t)(e->private_lsp * 1000 + 0.5);
  n[LLC_E_SHARED_BYTES] += (uint64_t)(e->shared_bytes / 1e6 + 0.5);
  n[LLC_E_PRIVATE_BYTES] += (uint64_t)(e->private_bytes / 1e6 + 0.5);
}

/* ---- changes --------------------------------------------------------------------------------------------------------------- */

static void begin_change(struct llc *l, struct part *q, bool to_private, uint64_t now) {
  q->state = DRAINS;
  q->to_private = to_private;
  q->since = now;
  q->at = now + l->p.core;
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) l->p.gpu.halt(l->p.gpu.user, i, now);
}

static void resume(struct llc *l, const struct part *q, uint64_t now) {
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i)) l->p.gpu.resume(l->p.gpu.user, i, now);
}

static bool memory_idle(const struct llc *l) {
  for (uint32_t i = 0; i < l->p.n_slices; i++)
    if (!llc_idle(l->p.slices[i])) return false;
  return l->p.gpu.dram_idle(l->p.gpu.user);
}

static bool drained(const struct llc *l, const struct part *q) {
  const struct llc_gpu *gpu = &l->p.gpu;
  for (uint32_t i = 0; i < l->p.n_sms; i++)
    if (owns(l, q, i) && !gpu->quiet(gpu->user, i)) return false;
  return l->n > 1 || (gpu->empty(gpu->user) && memory_idle(l));
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
  uint8_t whose = l->n > 1 ? number(l, q) : LLC_EVERY_PROGRAM;
  for (uint32_t i = 0; i < l->p.n_slices; i++) llc_invalidate(l->p.slices[i], whose);
}

/* Slices write back one program's lines at a time. */
static void end_drain(struct llc *l, struct part *q, uint64_t now) {
  if (!q->to_private) {
    invalidate(l, q);
    go_on(l, q, LLC_E_DRAIN, INVALIDATES, whole_core_cycles(l, l->sets * l->p.l2), now);
    return;
  }
  for (uint32_t i = 0; i < l->p.n_slices; i++)
    if (llc_flushing(l->p.slices[i])) return;
  for (uint32_t i = 0; i < l->p.n_slices; i++) {
    l->stats[LLC_E_WRITTEN] += llc_dirty_lines_of(l->p.slices[i], number(l, q));
    llc_flush(l->p.slices[i], now, number(l, q));
  }
  go_on(l, q, LLC_E_DRAIN, WRITES_BACK, l->p.core, now);
}

/* An epoch may have ended meanwhile. */
static void run_until_epoch(struct llc *l, struct part *q, uint64_t now) {
  uint64_t next = now + l->p.core;
  q->state = RUNS;
  q->at = q->epoch_end > next ? q->epoch_end : next;
}

/* Rule 3, and what the mode says of a kernel with atomics; a change under way is ended first. */
static void new_kernel(struct llc *l, struct part *q, uint64_t now) {
  bool wanted = q->mode->is_private && !q->atomics;
  q->adapts = q->mode->decide && !q->atomics;
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
  l->stats[LLC_E_GATE] += (now - q->since) / l->p.core;
  llc_control_settle(&l->base, now);
  set_mode(l, q, q->to_private, now);
  l->stats[q->to_private ? LLC_E_TO_PRIVATE : LLC_E_TO_SHARED]++;
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
  struct llc_sample s = llc_tallies_collect(l->tallies, number(l, q));
  struct llc_estimate e;
  enum llc_rule rule = q->mode->decide(&l->c, &s, &e);
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
    if (written_back(l)) start_gating(l, q, LLC_E_WRITE_BACK, now);
    return;
  case INVALIDATES: start_gating(l, q, LLC_E_INVALIDATE, now); return;
  case GATES: end_change(l, q, now); return;
  }
}

static void set_time(struct llc *l) {
  l->base.at = MEM_NEVER;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].at < l->base.at) l->base.at = l->parts[i].at;
}

void llc_control_step(struct llc_control *base, uint64_t now) {
  struct llc *l = of(base);
  for (uint32_t i = 0; i < l->n; i++)
    if (l->parts[i].at <= now) step(l, &l->parts[i], now);
  set_time(l);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------------- */

void llc_control_start(struct llc_control *l, uint64_t now) { of(l)->settled = now; }

void llc_control_begin(struct llc_control *base, uint32_t program, bool atomics, uint64_t now) {
  struct llc *l = of(base);
  struct part *q = &l->parts[program];
  if (llc_mode_stays_shared(q->mode)) return;
  l->stats[LLC_E_ATOMICS] += atomics;
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

void llc_control_end(struct llc_control *base, uint32_t program, bool atomics, bool last, uint64_t now) {
  struct llc *l = of(base);
  struct part *q = &l->parts[program];
  if (llc_mode_stays_shared(q->mode)) return;
  q->atomics -= atomics;
  if (last) cancel(l, q, now);
  set_time(l);
}

void llc_control_flush(struct llc_control *base, uint32_t program) {
  struct llc *l = of(base);
  if (l->parts[program].is_private) invalidate(l, &l->parts[program]);
}

void llc_control_abandon(struct llc_control *base, uint64_t now) {
  struct llc *l = of(base);
  for (uint32_t i = 0; i < l->n; i++) cancel(l, &l->parts[i], now);
  set_time(l);
}

/* A cycle in which any program's slices are private. */
void llc_control_settle(struct llc_control *base, uint64_t now) {
  struct llc *l = of(base);
  uint64_t cycles = (now - l->settled) / l->p.core;
  l->stats[LLC_E_PRIVATE] += llc_control_private(base) ? cycles : 0;
  l->settled += cycles * l->p.core;
}
