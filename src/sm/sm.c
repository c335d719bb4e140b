/* Construction of an SM, CTA slots, the tick. See sm.h. */
#include "base/arena.h"
#include "exec/run/device_wait.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

enum { MEMOPS_PER_WARP = 16 };

/* What the scheduler sees when L1D reports an event, during a visit: counters are settled up to the cycle after. */
static struct sm_now now_of(const struct sm *s) {
  return (struct sm_now){s->counted / s->wake.period - 1, s->live, s->stats[SM_S_WARP_INSTRUCTIONS], s->views};
}
static void note_miss(void *user, unsigned warp, uint64_t line) {
  struct sm *s = user;
  struct sm_now now = now_of(s);
  s->sched_ops->missed(s->sched[0], &now, warp, line);
}
static void note_eviction(void *user, unsigned warp, uint64_t line) {
  struct sm *s = user;
  struct sm_now now = now_of(s);
  s->sched_ops->evicted(s->sched[0], &now, warp, line);
}

static bool follow_cache(struct sm *s, const struct cfg *cfg, struct err *e) {
  if (!s->l1.traits.reports_victims)
    return cfg_complain(cfg, "sm.scheduler", e, "%s must know which lines L1D replaces, and l1.org %s does not replace lines as a whole",
                        s->sched_ops->policy.name, s->l1.ops->policy.name);
  static const struct mem_observer events = {.missed = note_miss, .evicted = note_eviction};
  mem_observers_add(&s->l1.observers, &events, s);
  return true;
}

static bool choose_scheduler(struct sm *s, const struct cfg *cfg, struct err *e) {
  s->sched_ops = cfg_policy(cfg, "sm.scheduler");
  s->sched_stats = policy_counters(&s->sched_ops->policy);
  for (unsigned k = 0; k < s->config->schedulers; k++) {
    s->sched[k] = k && s->sched_ops->of_sm ? s->sched[0] : s->sched_ops->create(cfg, s->config->warps, s->sched_stats);
    for (unsigned i = k; i < s->config->warps; i += s->config->schedulers) s->sched_warps[k] |= UINT64_C(1) << i;
  }
  return !s->sched_ops->holds || follow_cache(s, cfg, e);
}

static void make_memops(struct sm *s) {
  uint32_t n = s->config->warps * MEMOPS_PER_WARP;
  s->n_memops = n;
  s->memops = must_alloc(n * sizeof *s->memops);
  for (uint32_t i = 0; i < n; i++) s->memops[i].next_free = i + 1 < n ? (int32_t)i + 1 : -1;
  s->lsu = must_alloc(s->config->lsu_queue * sizeof *s->lsu);
  if (s->l1.config.tag_queue) s->tag_queue = must_alloc(s->l1.config.latency * sizeof *s->tag_queue);
}

bool sm_init(struct sm *s, uint32_t id, const struct sm_config *config, const struct cfg *cfg, struct mem_pool *pool, uint64_t period,
             struct err *e) {
  memset(s, 0, sizeof *s);
  s->config = config;
  s->id = id;
  s->pool = pool;
  s->stamp = &s->own_stamp;
  s->wake = (struct mem_wake){.at = MEM_NEVER, .period = period};
  sm_readiness_init(&s->ready, period);
  if (!l1_init(&s->l1, cfg, pool, (uint16_t)id, e)) return false;
  s->operands = (struct sm_operands){.collectors = s->config->collectors};
  if (s->config->pipeline.banks) sm_pipeline_init(&s->pipeline, &s->config->pipeline);
  const struct mem_replacement *replacement = cfg_policy(cfg, "sm.readonly_replacement");
  static const enum mem_class classes[] = {MEM_CONST, MEM_TEXTURE, MEM_INSTRUCTION};
  struct ro_cache *const caches[] = {&s->constant, &s->texture, &s->instruction};
  for (unsigned i = 0; i < 3; i++)
    ro_init(caches[i], &(struct ro_shape){s->config->cache_bytes[i], 4, !i && s->config->const_line < MEM_LINE, replacement}, classes[i],
            &s->l1);
  if (s->config->code_rate) s->code = sm_code_new();
  if (s->config->atomic_loop) s->loops = sm_loops_new();
  make_memops(s);
  return choose_scheduler(s, cfg, e);
}

static void drop_away(struct sm *s, size_t i) {
  exec_cta_release(&s->away[i]->cta.x);
  s->n_back -= s->away[i]->comes_back;
  free(s->away[i]);
  for (s->n_away--; i < s->n_away; i++) s->away[i] = s->away[i + 1];
}

void sm_free(struct sm *s) {
  for (unsigned k = 0; k < SM_MAX_SCHEDULERS; k++)
    if (s->sched[k] && (!k || !s->sched_ops->of_sm)) s->sched_ops->destroy(s->sched[k]);
  free(s->sched_stats);
  sm_profile_start(s, 0);
  for (unsigned i = 0; i < SM_MAX_CTAS; i++) exec_cta_release(&s->ctas[i].x);
  while (s->n_away) drop_away(s, s->n_away - 1);
  free(s->away);
  for (unsigned i = 0; i < SM_MAX_WARPS; i++) {
    free(s->warps[i].reg_ready);
    free(s->warps[i].reg_side);
    exec_waiting_free(&s->warps[i].waiting);
  }
  ro_free(&s->constant);
  ro_free(&s->texture);
  ro_free(&s->instruction);
  free(s->code);
  free(s->loops);
  l1_free(&s->l1);
  mem_observers_free(&s->observers);
  free(s->memops);
  free(s->lsu);
  free(s->tag_queue);
  sm_bulk_free(s);
}

/* ---- CTAs -------------------------------------------------------------------------------------------------------------- */

static uint32_t threads_of(const struct exec_grid *g) { return g->block[0] * g->block[1] * g->block[2]; }
static uint32_t warps_of(const struct exec_grid *g) { return (threads_of(g) + EXEC_LANES - 1) / EXEC_LANES; }

/* The most registers that an assembler gives a thread: as many as allow the number of CTAs per SM that the kernel asks for. */
static uint32_t most_registers(const struct sm_config *c, const struct ptx_func *f) {
  enum { MOST = 255, STEP = 8 };
  uint32_t threads = f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) * (f->maxntid[2] ? f->maxntid[2] : 1);
  uint32_t fit = threads ? c->registers / (threads * (f->minnctapersm ? f->minnctapersm : 1)) / STEP * STEP : MOST;
  return fit && fit < MOST ? fit : MOST;
}

/* Registers of a CTA. If a CTA would not fit on an SM and the kernel states no maximum, an assembler keeps values in local memory, down to
 * LEAST registers per thread; the cost of these accesses is not modelled. */
static uint32_t registers_of(const struct sm_config *c, const struct exec_grid *g) {
  enum { LEAST = 16 };
  const struct ptx_func *f = g->kernel->ptx;
  uint32_t per_thread = f->regs_needed;
  if (f->maxnreg && per_thread > f->maxnreg) per_thread = f->maxnreg;
  if (g->cooperative && per_thread > most_registers(c, f)) per_thread = most_registers(c, f); /* as the driver does */
  uint32_t per_warp = per_thread * EXEC_LANES, fit = c->registers / warps_of(g) / c->register_unit * c->register_unit;
  per_warp = (per_warp + c->register_unit - 1) / c->register_unit * c->register_unit;
  if (!f->maxnreg && per_warp > fit && fit >= LEAST * EXEC_LANES) per_warp = fit;
  return per_warp * warps_of(g);
}

static uint32_t shared_of(const struct sm_config *c, const struct exec_grid *g) {
  return exec_shared_bytes(g->kernel, g->dynamic_shared) + c->shared_reserved;
}

static uint32_t at_most(uint32_t have, uint32_t need, uint32_t limit) {
  uint32_t n = need ? have / need : limit;
  return n < limit ? n : limit;
}

uint32_t sm_occupancy(const struct sm_config *c, const struct exec_grid *g, struct err *e) {
  uint32_t shared = shared_of(c, g), registers = registers_of(c, g);
  const char *name = g->kernel->ptx->name;
  if (shared > c->shared_bytes)
    err_set(e, ERR_LIMIT, "kernel '%s' needs %u bytes of shared memory a CTA; an SM has %u", name, shared,
            c->shared_bytes);
  else if (registers > c->registers)
    err_set(e, ERR_LIMIT, "kernel '%s' needs %u registers a CTA; an SM has %u", name, registers, c->registers);
  else if (warps_of(g) > c->warps || threads_of(g) > c->threads)
    err_set(e, ERR_LIMIT, "kernel '%s' needs %u threads a CTA; an SM holds %u", name, threads_of(g), c->threads);
  uint32_t n = at_most(c->threads, threads_of(g), c->ctas);
  n = at_most(c->warps, warps_of(g), n);
  n = at_most(c->registers, registers, n);
  return at_most(c->shared_bytes, shared, n);
}

/* Measured on an H200 with Nsight Compute (launch__shared_mem_config_size) on 351 kernels of 32 to 1,024 threads, 16 to 56 registers and 0
 * to 48 KB of shared memory. The smallest step that holds twice as many CTAs as threads and registers allow, 32 at most (as many, not
 * twice, if they have 1,024 threads); not more than 132 KB unless the CTAs that fit need it. For kernels without shared memory of their
 * own: four times as many CTAs as the threads allow, not more than 32 KB. */
uint32_t sm_carveout(const struct sm_config *c, const struct exec_grid *g) {
  enum { KB = 1024, TWICE = 132 * KB, NONE_OF_ITS_OWN = 32 * KB, ALONE = 1024 };
  static const uint32_t steps[] = {8 * KB, 16 * KB, 32 * KB, 64 * KB, 100 * KB, 132 * KB, 164 * KB, 196 * KB};
  uint32_t by_threads = at_most(c->warps, warps_of(g), at_most(c->threads, threads_of(g), c->ctas));
  uint32_t fit = at_most(c->registers, registers_of(c, g), by_threads), each = shared_of(c, g);
  uint32_t twice = threads_of(g) >= ALONE ? fit : 2 * fit < c->ctas ? 2 * fit : c->ctas;
  uint32_t least = at_most(c->shared_bytes, each, fit) * each, wanted = twice * each < TWICE ? twice * each : TWICE;
  if (each == c->shared_reserved) {
    wanted = 4 * by_threads * each;
    least = wanted = wanted < NONE_OF_ITS_OWN ? wanted : NONE_OF_ITS_OWN;
  }
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i] >= wanted && steps[i] >= least) return steps[i];
  return c->shared_bytes;
}

/* An SM changes the size of its shared memory only when nothing runs on it. */
static void carve_out(struct sm *s, const struct exec_grid *g) {
  uint32_t shared = sm_carveout(s->config, g);
  if (s->config->l1_shared > shared) l1_resize(&s->l1, s->config->l1_shared - shared);
}

/* Slots that a new warp can use: those without a warp of which the last store, and the fetch of a cancelled warp, have been answered. */
static uint64_t free_slots(const struct sm *s) {
  uint64_t all = s->config->warps < SM_MAX_WARPS ? (UINT64_C(1) << s->config->warps) - 1 : ~UINT64_C(0);
  return all & ~(s->live | s->owed);
}

/* Resources of an SM that CTAs occupy. */
struct room {
  uint32_t ctas, threads, warps, registers, shared;
};

/* Whether n CTAs of the grid would fit if `freed` were free. */
static bool fits(const struct sm *s, const struct exec_grid *g, uint32_t n, const struct room *freed) {
  const struct sm_config *c = s->config;
  return s->n_ctas + n <= c->ctas + freed->ctas && s->used_threads + n * threads_of(g) <= c->threads + freed->threads &&
         (uint32_t)__builtin_popcountll(free_slots(s)) + freed->warps >= n * warps_of(g) &&
         s->used_registers + n * registers_of(c, g) <= c->registers + freed->registers &&
         s->used_shared + n * shared_of(c, g) <= c->shared_bytes + freed->shared;
}

bool sm_fits(const struct sm *s, const struct exec_grid *g, uint32_t leaving) {
  static const struct room nothing;
  return fits(s, g, 1 + leaving, &nothing);
}

uint64_t sm_start_interval(const struct sm *s, const struct exec_grid *g) {
  uint64_t warps = warps_of(g), each = warps * s->config->warp_interval;
  uint64_t least = s->config->cta_interval ? s->config->cta_interval + warps : 0;
  return each > least ? each : least;
}

/* Dependence ids that a warp of this module may use; it may call any of the module's functions. */
static uint32_t deps_needed(const struct exec_module *m) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < m->ptx.n_funcs; i++)
    if (m->funcs[i].n_dep_ids > most) most = m->funcs[i].n_dep_ids;
  return most;
}

/* Marks all ids of a slot ready, and allocates space for them if the slot has too little. */
static void clear_deps(const struct sm *s, struct sm_warp *w, uint32_t n) {
  if (n > w->n_deps) {
    free(w->reg_ready);
    free(w->reg_side);
    w->reg_ready = must_alloc(n * sizeof *w->reg_ready);
    w->reg_side = s->config->cross_latency ? must_alloc(n) : NULL;
    w->n_deps = n;
  } else if (n) {
    memset(w->reg_ready, 0, n * sizeof *w->reg_ready);
    if (w->reg_side) memset(w->reg_side, 0, n);
  }
}

static void start_warp(struct sm *s, unsigned slot, uint16_t cta, struct exec_warp *x, uint32_t deps, uint32_t later,
                       uint64_t now) {
  struct sm_warp *w = &s->warps[slot];
  struct exec_waiting waiting = w->waiting;
  exec_waiting_begin(&waiting);
  clear_deps(s, w, deps);
  *w = (struct sm_warp){.x = x, .reg_ready = w->reg_ready, .reg_side = w->reg_side, .n_deps = w->n_deps,
                        .waiting = waiting, .cta = cta, .life = w->life + 1};
  w->not_before = sm_after(s, now, 1 + s->config->cta_latency + later);
  w->since = sm_after(s, now, 1);
  s->views[slot].age = s->next_age++;
  s->by_age[s->n_by_age++] = (uint8_t)slot;
  s->live |= UINT64_C(1) << slot;
  if (s->config->instruction_buffer) sm_buffer_start(s, slot);
  sm_refresh_warp(s, slot, now);
}

/* exec_cta is the first member of struct sm_cta. */
static void note_opened(struct exec_cta *x) {
  struct sm_cta *cta = (struct sm_cta *)(void *)x;
  cta->sm->opened |= UINT32_C(1) << (cta - cta->sm->ctas);
}

/* Returns a slot for a CTA of the grid. */
static uint16_t open_slot(struct sm *s, const struct exec_grid *g, uint64_t now) {
  uint16_t k = 0;
  while (s->ctas[k].active) k++;
  ++*s->stamp;
  if (!s->n_ctas) s->counted = s->lsu_counted = sm_after(s, now, 1);
  if (!s->n_ctas && s->config->l1_shared) carve_out(s, g);
  if (!s->n_ctas) s->fences.touched = false, s->n_maps = 0;
  return k;
}

/* The CTA in the slot occupies its resources, and warp slots for those of its warps that have not ended. */
static void take_place(struct sm *s, uint16_t k, uint64_t now) {
  struct sm_cta *cta = &s->ctas[k];
  cta->sm = s;
  cta->cluster_opens = 0;
  cta->active = true;
  cta->seen_releases = cta->x.barrier_releases;
  s->n_ctas++;
  s->used_threads += cta->threads;
  s->used_registers += cta->registers;
  s->used_shared += cta->shared;
  uint64_t slots = free_slots(s);
  uint32_t deps = deps_needed(cta->x.grid->module);
  cta->all_slots = 0;
  for (uint32_t i = 0; i < cta->x.n_warps; i++, slots &= slots - 1) {
    cta->slots[i] = (uint8_t)__builtin_ctzll(slots);
    cta->all_slots |= slots & -slots;
    if (cta->x.warps[i].status == EXEC_DONE) continue;
    start_warp(s, cta->slots[i], k, &cta->x.warps[i], deps, i * s->config->warp_interval, now);
  }
  sm_wake(s, mem_next_edge(&s->wake, now));
}

uint32_t sm_start_cta(struct sm *s, struct exec_grid *g, uint64_t linear, uint64_t now) {
  uint16_t k = open_slot(s, g, now);
  struct sm_cta *cta = &s->ctas[k];
  exec_cta_start(&cta->x, g, linear, s->id);
  cta->x.opened = note_opened;
  cta->x.view = s->view;
  cta->threads = threads_of(g);
  cta->registers = registers_of(s->config, g);
  cta->shared = shared_of(s->config, g);
  cta->triggered = false;
  take_place(s, k, now);
  return k;
}

void sm_leave_cta(struct sm *s, struct sm_cta *cta) {
  cta->active = false;
  s->n_ctas--;
  s->used_threads -= cta->threads;
  s->used_registers -= cta->registers;
  s->used_shared -= cta->shared;
}

static void end_warps(struct sm *s, const struct sm_cta *cta) {
  for (uint32_t i = 0; i < cta->x.n_warps; i++)
    if (s->live >> cta->slots[i] & 1 && s->warps[cta->slots[i]].x == &cta->x.warps[i]) sm_end_warp(s, cta->slots[i]);
}

void sm_cancel(struct sm *s, const struct exec_grid *g, uint64_t now) {
  sm_stir(s, now);
  for (size_t i = s->n_away; i-- > 0;)
    if (s->away[i]->cta.x.grid == g) drop_away(s, i);
  for (unsigned k = 0; k < SM_MAX_CTAS; k++) {
    struct sm_cta *cta = &s->ctas[k];
    if (!cta->active || cta->x.grid != g) continue;
    end_warps(s, cta);
    s->ending &= ~(UINT32_C(1) << k);
    sm_leave_cta(s, cta);
  }
}

static void add_executed(const struct sm_cta *cta, const struct exec_grid *g, uint64_t *warp_instructions, uint64_t *thread_instructions) {
  for (uint32_t i = 0; cta->x.grid == g && i < cta->x.n_warps; i++) {
    *warp_instructions += cta->x.warps[i].instructions;
    *thread_instructions += cta->x.warps[i].thread_instructions;
  }
}

void sm_unfinished(const struct sm *s, const struct exec_grid *g, uint64_t *warp_instructions,
                   uint64_t *thread_instructions) {
  for (unsigned k = 0; k < SM_MAX_CTAS; k++)
    if (s->ctas[k].active) add_executed(&s->ctas[k], g, warp_instructions, thread_instructions);
  for (size_t i = 0; i < s->n_away; i++) add_executed(&s->away[i]->cta, g, warp_instructions, thread_instructions);
}

/* ---- CTAs that wait for kernels that they have launched ---------------------------------------------------------------- */

/* A CTA of a cluster, or with copies into its shared memory under way, cannot leave, because others know its place. */
static bool can_leave(const struct sm *s, const struct sm_cta *cta) {
  if (!cta->active || !exec_cta_only_awaits(&cta->x) || cta->x.cluster != &cta->x.alone) return false;
  for (uint32_t i = 0; i < cta->x.n_warps; i++)
    if (s->live >> cta->slots[i] & 1 && s->warps[cta->slots[i]].bulk) return false;
  return true;
}

/* Warp slots that stay occupied until the last accesses are answered count as free; the new CTA starts after that. */
int sm_who_leaves(const struct sm *s, const struct exec_grid *g, uint32_t leaving) {
  struct room freed = {0};
  int first = -1;
  for (unsigned k = SM_MAX_CTAS; k-- > 0;) {
    const struct sm_cta *cta = &s->ctas[k];
    if (!can_leave(s, cta)) continue;
    first = (int)k;
    freed.ctas++;
    freed.threads += cta->threads;
    freed.warps += cta->x.live_warps;
    freed.registers += cta->registers;
    freed.shared += cta->shared;
  }
  return first >= 0 && fits(s, g, 1 + leaving, &freed) ? first : -1;
}

/* Only what exec knows of the CTA moves; the slot keeps what it had before. */
static void move(struct sm_cta *to, struct sm_cta *from) {
  exec_cta_swap(&to->x, &from->x);
  to->threads = from->threads;
  to->registers = from->registers;
  to->shared = from->shared;
  to->triggered = from->triggered;
}

void sm_send_away(struct sm *s, uint32_t slot, uint64_t now) {
  struct sm_cta *cta = &s->ctas[slot];
  struct sm_away *a = must_alloc(sizeof *a);
  sm_stir(s, now);
  end_warps(s, cta);
  sm_leave_cta(s, cta);
  move(&a->cta, cta);
  GROW(s->away, s->away_capacity, s->n_away + 1);
  s->away[s->n_away++] = a;
}

static bool is_it(const struct sm_cta *cta, const struct exec_grid *g, uint64_t linear) {
  return cta->x.awaits && cta->x.grid == g && cta->x.linear_id == linear;
}

bool sm_children_ended(struct sm *s, const struct exec_grid *g, uint64_t linear, uint64_t now) {
  for (size_t i = 0; i < s->n_away; i++) {
    if (!is_it(&s->away[i]->cta, g, linear)) continue;
    exec_cta_go_on(&s->away[i]->cta.x);
    s->away[i]->comes_back = true;
    s->n_back++;
    return true;
  }
  for (unsigned k = 0; k < SM_MAX_CTAS; k++) {
    struct sm_cta *cta = &s->ctas[k];
    if (!cta->active || !is_it(cta, g, linear)) continue;
    ++*s->stamp;
    exec_cta_go_on(&cta->x);
    sm_settle(s, now);
    sm_refresh_cta(s, cta, sm_after(s, now, 1), now);
    sm_wake(s, sm_after(s, now, 1));
    return true;
  }
  return false;
}

static size_t first_back(const struct sm *s) {
  size_t i = 0;
  while (!s->away[i]->comes_back) i++;
  return i;
}

const struct exec_grid *sm_first_back(const struct sm *s) { return s->n_back ? s->away[first_back(s)]->cta.x.grid : NULL; }

uint32_t sm_bring_back(struct sm *s, uint64_t now) {
  size_t i = first_back(s);
  uint16_t k = open_slot(s, s->away[i]->cta.x.grid, now);
  move(&s->ctas[k], &s->away[i]->cta);
  take_place(s, k, now);
  drop_away(s, i);
  return k;
}

/* ---- time -------------------------------------------------------------------------------------------------------------- */

/* Nothing has changed since the last visit, so a scheduler that issued then has had nothing to issue since. */
static void count_skipped(struct sm *s, uint64_t cycles) {
  ++*s->stamp;
  s->stats[SM_S_CYCLES] += cycles;
  for (unsigned k = 0; k < s->config->schedulers; k++) {
    if (s->stalled[k] == SM_STALL_NONE) {
      s->stalled[k] = (uint8_t)sm_why(s, k, s->counted);
      if (s->profile) sm_profile_blame(s, k, (enum sm_stall)s->stalled[k], s->counted);
    }
    s->stats[SM_S_STALL_FIRST + s->stalled[k]] += cycles;
    if (s->profile) s->profile->rows[s->profile->blamed[k]].stalls[s->stalled[k]] += cycles;
  }
}

void sm_settle(struct sm *s, uint64_t now) {
  sm_lsu_settle(s, now);
  if (now <= s->counted || !s->n_ctas) return;
  uint64_t cycles = (now - s->counted) / s->wake.period;
  if (cycles) count_skipped(s, cycles);
  s->counted += cycles * s->wake.period;
}

static void retry_fetches(struct sm *s, uint64_t now) {
  uint64_t retry = s->fetch_retry & s->live;
  s->fetch_retry = 0;
  for (; retry; retry &= retry - 1) sm_refresh_warp(s, (unsigned)__builtin_ctzll(retry), now);
}

/* When an instruction could issue again: in the next cycle if a warp is ready but its pipeline is not, else at the earliest stamp. Warps
 * that a full load/store unit holds back are left out; with sm.register_banks their stamps still count, because slots are lost for another
 * reason from then on; without it, s->differs has that time. */
static uint64_t next_issue(struct sm *s, uint64_t now) {
  s->differs = MEM_NEVER;
  if (s->halted) return MEM_NEVER;
  uint64_t next = sm_after(s, now, 1);
  struct sm_hold hold = sm_held(s, next);
  uint64_t warps = s->live & ~sm_held_warps(s, &hold), banks = s->config->pipeline.banks;
  uint64_t kept = sm_lsu_open(s) ? 0 : s->ready.pipe[SM_PIPE_LSU];
  if (!banks && kept) {
    s->differs = sm_readiness_next(&s->ready, warps & kept);
    warps &= ~kept;
  }
  if (warps & ~kept & s->ready.due) return next;
  uint64_t t = sm_readiness_next(&s->ready, warps);
  if (t <= next) return next;
  return hold.loads && hold.until < t ? hold.until : t; /* at least the reasons change */
}

/* Whether the stages before the units (sm.register_banks), which are otherwise visited in every cycle, can be left alone: everything in
 * them waits for the load/store unit, and that waits for a reply or a free slot of a port, which wake the SM, or until a known time. The
 * cycles that pass are like this one, in which nothing issued, and are counted when they are over. Two things may change in every cycle and
 * require visits: cycles stolen by other SMs (coop) and loads held back by the warp scheduler. */
static bool stages_wait(const struct sm *s, bool issued, uint64_t now) {
  if (issued || !s->handed || !sm_pipeline_waits(&s->pipeline) || s->coop || s->sched_ops->holds) return false;
  return !s->lsu_stalled || s->lsu_busy <= now;
}

static bool has_issued(const struct sm *s) {
  for (unsigned k = 0; k < s->config->schedulers; k++)
    if (s->stalled[k] == SM_STALL_NONE) return true;
  return false;
}

/* When the next reply can be accepted. */
static uint64_t next_answer(const struct sm *s, uint64_t now) {
  uint64_t t = mem_port_next(s->from_net);
  if (s->coop) t = mem_earlier(t, mem_port_next(&s->coop->replies));
  return t != MEM_NEVER && t <= now ? sm_after(s, now, 1) : t;
}

/* The next cycle that differs from this one if no reply comes; replies and free slots of the network's port wake the SM independently. What
 * a warp waits for may have changed after its scheduler was asked, because of an instruction that issued or a buffer that was filled. */
static uint64_t next_cycle(struct sm *s, uint64_t now, bool fetches) {
  bool issued = has_issued(s);
  uint64_t next = next_issue(s, now);
  if (fetches || issued) s->differs = sm_after(s, now, 1);
  if (s->n_bulk_queue || s->n_signals) next = mem_earlier(next, sm_bulk_next(s, now));
  if (s->pipeline.inside && (fetches || !stages_wait(s, issued, now))) next = sm_after(s, now, 1);
  if (s->fetch_retry || (sm_buffers_busy(s) && !s->halted)) next = sm_after(s, now, 1);
  for (uint32_t left = s->ending; left; left &= left - 1) {
    uint64_t t = s->ctas[__builtin_ctz(left)].ends;
    if (t > now) next = mem_earlier(next, t);
  }
  return next;
}

static void begin_cycle(struct sm *s, uint64_t now) {
  sm_stir(s, now);
  s->counted = sm_after(s, now, 1);
}

/* Everything except the load/store unit; returns when the next cycle differs from this one. */
static uint64_t cycle(struct sm *s, uint64_t now) {
  bool running = s->n_ctas != 0;
  s->stats[SM_S_CYCLES] += running;
  if (s->n_bulk_queue) sm_bulk_cycle(s, now);
  for (size_t i = 0; i < s->n_signals; i++) s->signals_due |= s->signals[i].at <= now;
  if (s->config->pipeline.banks) sm_collect(s, now);
  if (s->fetch_retry) retry_fetches(s, now);
  if (running) sm_issue(s, now);
  bool fetches = sm_buffers_busy(s);
  if (s->config->instruction_buffer && !s->halted) sm_buffer_cycle(s, now);
  if (s->ending) sm_end_ctas(s, now);
  return next_cycle(s, now, fetches);
}

/* Replies are accepted and the load/store unit works at every visit. Everything else is skipped in a cycle that is like those before, and
 * counted when one differs. Three things may change in every cycle: cycles stolen by other SMs (coop), loads held back by the warp
 * scheduler, and bulk copies. */
uint64_t sm_tick(struct sm *s, uint64_t now) {
  ++*s->stamp;
  if (now >= s->due || now >= s->differs || s->coop || s->sched_ops->holds || s->n_bulk_queue) begin_cycle(s, now);
  sm_lsu_replies(s, now);
  sm_lsu_cycle(s, now);
  if (now >= s->due) {
    begin_cycle(s, now);
    s->due = cycle(s, now);
  }
  return mem_earlier(mem_earlier(s->due, next_answer(s, now)), sm_lsu_next(s, now));
}

/* An SM that sleeps with instructions in its stages counts its issue slots as idle from the next cycle on. */
void sm_halt(struct sm *s, uint64_t now) {
  s->halted = true;
  s->due = mem_earlier(s->due, now);
  if (s->pipeline.inside) mem_wake_at(&s->wake, mem_next_edge(&s->wake, now));
}

void sm_resume(struct sm *s, uint64_t now) {
  s->halted = false;
  sm_wake(s, mem_next_edge(&s->wake, now));
}

/* Instruction fetches are not memory instructions; a fetch that no warp waits for is found by its MSHR. */
bool sm_quiet(const struct sm *s) {
  if (s->lsu_count || s->n_bulk_queue || s->n_signals || s->n_tag_queue || s->pipeline.inside || s->memops_out || s->owed ||
      s->fetch_retry || s->l1.mshrs.used ||
      l1_next_request(&s->l1))
    return false;
  for (uint64_t left = s->live; left; left &= left - 1)
    if (s->warps[__builtin_ctzll(left)].fetching) return false;
  return true;
}

/* A fetch that no warp waits for (l1.org line256, sm.fetch_ahead) is found by its MSHR; one of a cancelled warp, by the slot that is not
 * free yet. */
bool sm_idle(const struct sm *s) {
  return !s->n_ctas && !s->memops_out && !s->owed && !s->l1.mshrs.used && !s->instruction.misses.used && !l1_next_request(&s->l1);
}

void sm_flush_caches(struct sm *s) {
  if (!s->config->keep_l1) l1_flush(&s->l1);
  if (s->config->keep_readonly) return;
  ro_flush(&s->constant);
  ro_flush(&s->texture);
}

void sm_forget_code(struct sm *s) { ro_flush(&s->instruction); }
