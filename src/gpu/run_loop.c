/* From instant to instant: the clock jumps to the earliest time at which a component is due, until a grid ends, a
 * limit or the caller's time is reached, a kernel faults, or nothing moves any more.
 *
 * Owns: time, the watchdog, marks (times at which something other than a component is due). Does not: visit
 * components (instant.c). */
#include "gpu/gpu_parts.h"

#include "base/str.h"
#include "coop/coop.h"
#include "dram/dram.h"
#include "llc/llc.h"
#include "llc/llc_control.h"
#include "sm/sm.h"

enum {
  CHECK_EVERY = 4096, /* loop turns between looks at signals, watchdog and progress */
  COUNT_EVERY = 64,   /* between looks at the limits of instructions */
  EXPLAINED_SMS = 3,  /* in the message about a deadlock */
};

/* ---- ends --------------------------------------------------------------------------------------------------------------------- */

/* The one that was not the last time is likely not to be yet. */
static bool sms_idle(struct gpu *g) {
  if (!sm_idle(&g->sms[g->busy_sm])) return false;
  GPU_FOR_SET (i, g->used_sms, 0, g->n_sms) {
    if (sm_idle(&g->sms[i])) continue;
    g->busy_sm = i;
    return false;
  }
  return true;
}

static uint64_t sum_of(const struct gpu *g, unsigned stat) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) n += g->sms[i].stats[stat];
  return n;
}

uint64_t gpu_instructions(const struct gpu *g) { return sum_of(g, SM_S_WARP_INSTRUCTIONS); }

uint64_t gpu_cycles_now(const struct gpu *g) { return (g->now - g->start) / g->core; }

static enum gpu_end deadlock(struct gpu *g, struct err *e) {
  struct str s = {0};
  str_add(&s, "nothing but waiting has been done for %llu core cycles; who waits for what:\n",
          (unsigned long long)((g->now - g->last_change) / g->core));
  uint32_t explained = 0, more = 0; /* the first few SMs stand for the rest, so that the text has space for who holds them up */
  for (uint32_t i = 0; i < g->n_sms; i++) {
    if (!g->sms[i].live) continue;
    if (explained++ < EXPLAINED_SMS) sm_explain(&g->sms[i], g->now, &s);
    else more++;
  }
  if (more) str_add(&s, "%u more SMs hold warps that wait\n", more);
  if (g->coop) g->coop->ops->explain(g->coop, g->now, &s);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) noc_explain(g->fabric.net[i], g->now, &s);
  for (uint32_t i = 0; i < g->n_slices; i++) llc_explain(g->slices[i], g->now, &s);
  for (uint32_t i = 0; i < g->n_channels; i++) dram_explain(g->channels[i], g->now, &s);
  err_set(e, ERR_FAULT, "%s", s.s);
  str_free(&s);
  return GPU_DEADLOCK;
}

enum gpu_end gpu_stopped_by(const struct gpu *g, const char *why, struct err *e) {
  uint64_t cycles = g->before_run + (g->grids.n ? gpu_cycles_now(g) : 0);
  err_set(e, ERR_LIMIT, "the run was stopped by %s after %llu warp instructions and %llu cycles", why,
          (unsigned long long)(gpu_instructions(g) + g->skipped.warp_instructions), (unsigned long long)cycles);
  return GPU_STOPPED;
}

static uint64_t progress_made(const struct gpu *g) {
  uint64_t n = g->ctas_done;
  for (uint32_t i = 0; i < g->n_sms; i++) n += g->sms[i].progress;
  return n;
}

static uint64_t packets_moved(const struct gpu *g) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) n += g->fabric.net[i]->counters[NOC_PACKETS_OUT];
  return n;
}

/* Lanes that another path of their warp keeps from running may be those who could end the wait: they get their turn before
 * it is called a deadlock. */
static bool give_turns(struct gpu *g) {
  bool any = false, begin = g->last_turns <= g->last_change;
  for (uint32_t i = 0; i < g->n_sms; i++) any |= sm_owes_turns(&g->sms[i], begin);
  g->last_turns = g->now;
  return any;
}

static uint64_t cycles_since(const struct gpu *g, uint64_t time) { return (g->now - time) / g->core; }

static void suspect(struct gpu *g, bool on) {
  for (uint32_t i = 0; i < g->n_sms; i++) sm_suspect(&g->sms[i], on);
  g->suspected = on ? g->now : 0;
}

static bool any_counts(const struct gpu *g) {
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (sm_counts(&g->sms[i])) return true;
  return false;
}

/* Nothing but waiting has been done since a while. For the second half of the watchdog's time it is looked at closely. */
static bool is_deadlock(struct gpu *g) {
  uint64_t since = g->last_turns > g->last_change ? g->last_turns : g->last_change, half = g->watchdog / 2;
  if (cycles_since(g, since) <= half) return false;
  if (g->suspected <= since) suspect(g, true);
  if (cycles_since(g, since) <= g->watchdog || cycles_since(g, g->suspected) <= half) return false;
  if (!any_counts(g)) return !give_turns(g);
  g->last_change = g->now;
  return false;
}

/* Whether the host may end it. Then it is waited for anew. */
static bool wait_for_host(struct gpu *g) {
  bool any = false;
  for (uint32_t i = 0; i < g->n_sms && g->host_acts; i++) any |= sm_waits_for_host(&g->sms[i]);
  if (!any) return false;
  g->last_change = g->now;
  suspect(g, false);
  return true;
}

/* Now and then: signals, progress, watchdog. */
static enum gpu_end look_around(struct gpu *g, struct err *e) {
  uint64_t made = progress_made(g), executed = gpu_instructions(g), moved = packets_moved(g);
  /* While nobody executes anything, answers to one instruction's many accesses are progress too. */
  bool changed = made != g->last_progress || (executed == g->last_instructions && moved != g->last_packets);
  g->last_progress = made;
  g->last_instructions = executed;
  g->last_packets = moved;
  if (changed) {
    g->last_change = g->now;
    if (g->suspected) suspect(g, false);
  } else if (is_deadlock(g)) {
    return wait_for_host(g) ? GPU_WAITS : deadlock(g, e);
  }
  if (g->progress) g->progress(g->progress_user, executed, g->before_run + gpu_cycles_now(g));
  bool stop = g->limits.stop && __atomic_load_n(g->limits.stop, __ATOMIC_RELAXED);
  return stop ? gpu_stopped_by(g, "a signal from outside", e) : GPU_DONE;
}

static bool same_shadow_tags(const struct gpu *g, struct err *e) {
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (!coop_same_tags(g->coop->nodes[i], &g->sms[i].l1, e)) return false;
  return true;
}

/* ---- marks: intervals, snapshots of l1.bypass, the limit of cycles, the caller's time ------------------------------ */

static uint64_t limit_time(const struct gpu *g) {
  uint64_t max = g->limits.max_cycles;
  if (!max) return MEM_NEVER;
  return max > g->before_run ? g->start + (max - g->before_run) * g->core : g->start;
}

static uint64_t look_time(const struct gpu *g) {
  uint64_t next = g->feedback.next;
  if (next == UINT64_MAX) return MEM_NEVER;
  return next > g->before_run ? g->start + (next - g->before_run) * g->core : g->start;
}

static uint64_t interval_end(const struct gpu *g) {
  return g->intervals.every ? g->start + (g->intervals.cycle + g->intervals.every) * g->core : MEM_NEVER;
}

static uint64_t trace_time(const struct gpu *g) {
  return g->trace ? g->start + (gpu_trace_next(g->trace) - g->before_run) * g->core : MEM_NEVER;
}

void gpu_settle(struct gpu *g) {
  GPU_FOR_SET (i, g->used_sms, 0, g->n_sms) sm_settle(&g->sms[i], g->now);
  llc_control_settle(g->llc, g->now);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) noc_settle(g->fabric.net[i], g->now);
}

void gpu_set_mark(struct gpu *g) {
  g->mark = limit_time(g);
  if (look_time(g) < g->mark) g->mark = look_time(g);
  if (interval_end(g) < g->mark) g->mark = interval_end(g);
  if (trace_time(g) < g->mark) g->mark = trace_time(g);
  if (g->until < g->mark) g->mark = g->until;
}

/* Nothing is due before the mark. */
static enum gpu_end reach_mark(struct gpu *g, struct err *e) {
  gpu_pass_to(g, g->mark);
  gpu_settle(g);
  if (g->now == limit_time(g)) return gpu_stopped_by(g, "the limit of cycles", e);
  uint64_t cycle = gpu_cycles_now(g);
  if (g->now == look_time(g)) gpu_feedback_look(&g->feedback, g->before_run + cycle, g->now);
  if (g->now == trace_time(g)) gpu_trace_look(g->trace, g->before_run + cycle, g->now);
  if (g->now == interval_end(g)) {
    gpu_intervals_close(&g->intervals, g->first_kernel, cycle);
    if (gpu_intervals_stable(&g->intervals, e)) return GPU_STOPPED;
  }
  gpu_set_mark(g);
  return g->now == g->until ? GPU_LATER : GPU_DONE;
}

/* ---- ends of grids ---------------------------------------------------------------------------------------------------------- */

/* Whether a grid without CTAs has all its answers. The last one waits for the SMs to be done with everything. */
static bool answered(struct gpu *g, const struct gpu_resident *r) {
  if (g->grids.n == 1) return sms_idle(g);
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (g->sms[i].grid_memops[r->grid->place]) return false;
  return true;
}

static struct gpu_resident *ended_grid(struct gpu *g) {
  for (uint32_t i = 0; g->grids.over && i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (!r->running && !r->waiting && r->closes <= g->now && answered(g, r)) return r;
  }
  return NULL;
}

/* A fault: no more CTAs of the grid, and those that run stop where they are. Its time ends here. */
static void cancel(struct gpu *g, struct gpu_resident *r) {
  for (uint32_t i = 0; i < g->n_sms; i++) sm_unfinished(&g->sms[i], r->grid, &r->grid->instructions, &r->grid->thread_instructions);
  for (uint32_t i = 0; i < g->n_sms; i++) sm_cancel(&g->sms[i], r->grid, g->now);
  g->n_back = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) g->n_back += g->sms[i].n_back;
  g->grids.over += r->waiting || r->running;
  r->waiting = r->running = 0;
  r->cancelled = true;
  r->end = r->closes = g->now;
  g->dispatch_at = g->now;
}

/* Looks what grids have come to; whether one asks for kernels that it has launched. */
static bool look_at_grids(struct gpu *g) {
  bool asks = false;
  for (uint32_t i = 0; i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (r->grid->fault.kind && !r->cancelled) cancel(g, r);
    asks |= r->grid->asking && !r->cancelled;
  }
  return asks;
}

const char *gpu_limit_reached(const struct gpu *g) {
  uint64_t warps = g->limits.max_instructions, threads = g->max_thread_instructions;
  if (warps && gpu_instructions(g) + g->skipped.warp_instructions >= warps) return "the limit of instructions";
  if (threads && sum_of(g, SM_S_THREAD_INSTRUCTIONS) + g->skipped.thread_instructions >= threads) return "gpu.max_thread_instructions";
  return NULL;
}

/* Kernels may be shorter than the time between two looks: turns are counted through all of them. */
static enum gpu_end reach_limits(struct gpu *g, struct err *e) {
  if (++g->turns % COUNT_EVERY) return GPU_DONE;
  const char *limit = gpu_limit_reached(g);
  return limit ? gpu_stopped_by(g, limit, e) : GPU_DONE;
}

/* Whether CTAs wait for kernels that come later, if the caller knows of any. */
static bool some_come(const struct gpu *g) {
  bool any = false;
  for (uint32_t i = 0; i < g->grids.n; i++) any |= g->grids.at[g->grids.order[i]].grid->waiting;
  return any && g->until != MEM_NEVER;
}

static enum gpu_end loop(struct gpu *g, struct gpu_resident **ended, struct err *e) {
  for (uint64_t turn = 1;; turn++) {
    if (g->grids.over && (*ended = ended_grid(g))) return GPU_DONE;
    uint64_t t = gpu_earliest(g);
    if (t == MEM_NEVER && !some_come(g)) return deadlock(g, e);
    if (t >= g->mark) {
      enum gpu_end end = reach_mark(g, e);
      if (end != GPU_DONE) return end;
      continue;
    }
    gpu_pass_to(g, t);
    gpu_instant(g);
    if (g->check_shadows && !same_shadow_tags(g, e)) return GPU_BROKEN;
    bool asks = look_at_grids(g);
    enum gpu_end end = reach_limits(g, e);
    if (asks && end == GPU_DONE) return GPU_ASKS;
    if (end == GPU_DONE && turn % CHECK_EVERY == 0) end = look_around(g, e);
    if (end != GPU_DONE) return end;
  }
}

enum gpu_end gpu_loop(struct gpu *g, struct gpu_resident **ended, struct err *e) {
  gpu_pace_resume(&g->pace, g->team);
  enum gpu_end end = loop(g, ended, e);
  gpu_pace_pause(&g->pace, g->team);
  return end;
}

static void drain(struct gpu *g) {
  for (uint64_t t = gpu_earliest(g); t != MEM_NEVER; t = gpu_earliest(g)) {
    gpu_pass_to(g, t);
    gpu_instant(g);
    bool idle = !g->coop || g->coop->ops->idle(g->coop);
    for (uint32_t i = 0; i < g->n_slices && idle; i++) idle = llc_idle(g->slices[i]);
    for (uint32_t i = 0; i < g->n_channels && idle; i++) idle = dram_idle(g->channels[i]);
    for (uint32_t i = 0; i < g->fabric.n_nets && idle; i++) idle = noc_idle(g->fabric.net[i]);
    if (idle) return;
  }
}

void gpu_drain(struct gpu *g) {
  gpu_pace_resume(&g->pace, g->team);
  drain(g);
  gpu_pace_pause(&g->pace, g->team);
}
