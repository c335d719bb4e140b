/* One instant: all components that are due at it are visited, in two phases whose members have no port in common:
 * first SMs and slices, then networks and channels. Between the two phases, the instructions that other SMs can see
 * are executed, SM after SM (sm_commit), and the cooperation network is visited. With that network, or with probes,
 * which look from slices at SMs, the slices are a phase of their own after it. At the end of the instant, replies
 * that entered a compressor get their sizes, CTAs are dispatched, and the mode of L2 takes its step. A phase in which
 * enough is due is shared among threads if gpu.threads says so. A component that is not due is not touched, so an
 * idle part costs nothing.
 *
 * Owns: the order of phases, which components are due, the dispatch of CTAs. Does not: decide when the run ends
 * (run_loop.c). */
#include "gpu/gpu_parts.h"
#include "gpu/sample/waves.h"

#include "coop/coop.h"
#include "dram/dram.h"
#include "exec/run/cta_cluster.h"
#include "gpu/team.h"
#include "llc/llc.h"
#include "llc/llc_control.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

#include <string.h>

enum {
  TEAM_WORTH = 8, /* components due in a phase from which threads share it */
  NET_PORTS = 8,  /* ports of a network that weigh as much as one other component */
};

#define VISIT(object, tick)                                                                                            \
  if ((object)->wake.at <= g->now) {                                                                                   \
    mem_sleep(&(object)->wake);                                                                                        \
    uint64_t next_ = tick((object), g->now);                                                                           \
    assert(next_ > g->now);                                                                                            \
    mem_wake_at(&(object)->wake, next_);                                                                               \
  }

/* ---- who is due --------------------------------------------------------------------------------------- */

/* All bits, or none. */
static inline uint64_t only_if(bool so) { return -(uint64_t)so; }

/* When the first of a set is due; who is asleep leaves it. Which of many is due when cannot be foreseen: there are no branches on it. */
static inline uint64_t first_due(struct gpu_set *s) {
  uint64_t first = MEM_NEVER;
  uint32_t from = 0, to = s->n;
  while (from < to && !s->words[from]) from++;
  while (to > from && !s->words[to - 1]) to--;
  s->from = from * 64;
  s->to = to * 64;
  for (uint32_t w = from; w < to; w++) {
    uint64_t asleep = 0;
    for (uint64_t left = s->words[w]; left; left &= left - 1) {
      uint64_t at = s->at[w * 64 + (uint32_t)__builtin_ctzll(left)];
      first = at < first ? at : first;
      asleep |= left & -left & only_if(at == MEM_NEVER);
    }
    s->words[w] &= ~asleep;
  }
  return first;
}

/* Who of a set is due at t, and how many, if somebody is. */
static uint32_t find_due(struct gpu_set *s, uint64_t first, uint64_t t) {
  uint32_t n = 0;
  for (uint32_t w = s->from / 64; w < s->to / 64 && first <= t; w++) {
    uint64_t due = 0;
    for (uint64_t left = s->words[w]; left; left &= left - 1)
      due |= left & -left & only_if(s->at[w * 64 + (uint32_t)__builtin_ctzll(left)] <= t);
    s->due[w] = due;
    n += (uint32_t)__builtin_popcountll(due);
  }
  return n;
}

/* Where a member's share ends: it and those before it have `part` of those due. */
static uint32_t share_end(const struct gpu_set *s, uint32_t part) {
  uint32_t seen = 0;
  if (!part) return s->from;
  GPU_FOR_SET (i, s->due, s->from, s->to)
    if (++seen == part) return i + 1;
  return s->to;
}

/* Divides those due among the team. */
static void divide(struct gpu *g) {
  unsigned size = g->pace.used;
  for (unsigned m = 0; m + 1 < size; m++) {
    g->members[m].sms_to = share_end(&g->awake.sms, g->due_sms * (m + 1) / size);
    g->members[m].slices_to = share_end(&g->awake.slices, g->due_slices * (m + 1) / size);
  }
  g->members[size - 1].sms_to = g->awake.sms.to;
  g->members[size - 1].slices_to = g->awake.slices.to;
}

/* Also finds who of the larger groups is due then. */
uint64_t gpu_earliest(struct gpu *g) {
  uint64_t t = mem_earlier(g->dispatch_at, g->llc->at);
  uint64_t sms = first_due(&g->awake.sms), slices = first_due(&g->awake.slices), channels = first_due(&g->awake.channels);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) t = mem_earlier(t, g->fabric.net[i]->wake.at);
  if (g->coop) t = mem_earlier(t, g->coop->wake.at);
  t = mem_earlier(t, mem_earlier(channels, mem_earlier(sms, slices)));
  g->due_sms = find_due(&g->awake.sms, sms, t);
  g->due_slices = find_due(&g->awake.slices, slices, t);
  g->due_channels = find_due(&g->awake.channels, channels, t);
  if (g->pace.used > 1) divide(g);
  return t;
}

/* ---- SMs -------------------------------------------------------------------------------------------------- */

static void visit_sm(struct gpu *g, uint32_t i, struct gpu_member *m) {
  struct sm *s = &g->sms[i];
  VISIT(s, sm_tick);
  if (!(s->n_ordered || s->slot_freed || s->n_done || s->n_triggers || s->signals_due)) return;
  m->changed[i / 64] |= UINT64_C(1) << i % 64;
  m->any_changed = true;
}

static void visit_sms(void *user, unsigned member, unsigned size) {
  struct gpu *g = user;
  struct gpu_member *m = &g->members[member];
  uint32_t from = member ? m[-1].sms_to : g->awake.sms.from, to = size > 1 ? m->sms_to : g->awake.sms.to;
  if (!g->due_sms) return;
  GPU_FOR_SET (i, g->awake.sms.due, from, to) visit_sm(g, i, m);
}

/* The end of a CTA on SM i waits for its turn; returns the core cycle in which it is dealt with. */
static uint64_t deal_with_end(struct gpu *g, uint32_t i) {
  if (!g->end_period) return g->now;
  uint64_t wait = g->end_next > g->now ? g->end_next - g->now : 0, at = g->now + (wait + g->core - 1) / g->core * g->core;
  g->end_next = g->now + wait + g->end_period;
  if (wait) g->leaving[i].until[g->leaving[i].n++] = at;
  return at;
}

static void count_done(struct gpu *g, struct sm *s) {
  for (uint32_t i = 0; i < s->n_done; i++) {
    struct gpu_resident *r = &g->grids.at[s->done[i].grid];
    r->grid->instructions += s->done[i].warp_instructions;
    r->grid->thread_instructions += s->done[i].thread_instructions;
    exec_cluster_leave(&s->ctas[s->done[i].slot].x);
    r->triggered += !s->ctas[s->done[i].slot].triggered;
    r->running--;
    g->grids.over += !r->running && !r->waiting;
    r->closes = deal_with_end(g, s->id) + g->end_latency;
    if (gpu_cta_recorded(&g->ctas)) gpu_cta_ended(&g->ctas, s->id, s->done[i].slot, g->before_run + gpu_cycles_now(g));
  }
  g->ctas_done += s->n_done;
  s->n_done = 0;
  g->dispatch_at = g->now;
}

static void commit_sm(struct gpu *g, struct sm *s) {
  if (s->n_ordered || s->signals_due) sm_commit(s, g->now);
  if (s->slot_freed) {
    s->slot_freed = false;
    g->dispatch_at = g->now;
  }
  for (; s->n_triggers; g->dispatch_at = g->now) g->grids.at[s->triggers[--s->n_triggers]].triggered++;
  if (s->n_done) count_done(g, s);
}

/* Whether any SM has something to commit; if not, the members' sets are empty. */
static bool any_changed(struct gpu *g) {
  bool any = false;
  for (unsigned i = 0; i < gpu_team_size(g->team); i++) {
    any |= g->members[i].any_changed;
    g->members[i].any_changed = false;
  }
  return any;
}

/* What the SMs did that others can see, in the order of their numbers, and what they finished. */
static void commit_sms(struct gpu *g) {
  l1_publish(&g->sms[0].l1);
  for (unsigned w = 0, all = any_changed(g) ? g->awake.sms.n : 0; w < all; w++) {
    uint64_t changed = 0;
    for (unsigned i = 0; i < gpu_team_size(g->team); i++) {
      changed |= g->members[i].changed[w];
      g->members[i].changed[w] = 0;
    }
    for (; changed; changed &= changed - 1) commit_sm(g, &g->sms[w * 64 + (unsigned)__builtin_ctzll(changed)]);
  }
  for (uint32_t i = 0; i < g->n_sms && g->cluster_grids; i++)
    if (g->sms[i].opened) sm_open_clusters(&g->sms[i], g->now);
}

static void visit_coop(struct gpu *g) {
  if (!g->coop) return;
  if (g->coop->ops->publish) g->coop->ops->publish(g->coop);
  VISIT(g->coop, coop_tick);
}

/* A CTA of a grid begins on SM i; returns its slot. */
static uint32_t start_cta(struct gpu *g, const struct gpu_resident *r, uint32_t i, uint64_t cta) {
  uint32_t slot = sm_start_cta(&g->sms[i], r->grid, cta, g->now);
  if (gpu_cta_recorded(&g->ctas)) gpu_cta_started(&g->ctas, i, slot, r->ticket, g->before_run + gpu_cycles_now(g));
  uint64_t interval = sm_start_interval(&g->sms[i], r->grid) * g->core;
  g->takes_from[i] = g->now + (interval ? interval : 1);
  g->used_sms[i / 64] |= UINT64_C(1) << i % 64;
  return slot;
}

/* Whether SM i can be given a CTA of the grid now. */
static bool takes_cta(const struct gpu *g, const struct gpu_resident *r, uint32_t i) {
  return g->program_of[i] == r->program && g->takes_from[i] <= g->now && !g->sms[i].n_back && sm_fits(&g->sms[i], r->grid, g->leaving[i].n);
}

/* Places of CTAs whose ends have been dealt with are free. */
static void free_places(struct gpu *g) {
  for (uint32_t i = 0; g->end_period && i < g->n_sms; i++) {
    struct gpu_leaving *l = &g->leaving[i];
    uint32_t gone = 0;
    while (gone < l->n && l->until[gone] <= g->now) gone++;
    if (!gone) continue;
    l->n -= gone;
    memmove(l->until, l->until + gone, l->n * sizeof *l->until);
  }
}

/* When an SM that can be given none now may be. */
static uint64_t next_place(const struct gpu *g) {
  uint64_t at = MEM_NEVER;
  for (uint32_t i = 0; i < g->n_sms; i++) {
    if (g->takes_from[i] > g->now) at = mem_earlier(at, g->takes_from[i]);
    if (g->leaving[i].n) at = mem_earlier(at, g->leaving[i].until[0]);
  }
  return at;
}

/* One CTA an SM a cycle in the scheduler's order, and no more than are left of this cycle's. */
static bool dispatch_grid(struct gpu *g, struct gpu_resident *r, uint32_t *left) {
  uint32_t per = g->n_sms / g->clusters, first = g->cta_turns ? g->cta_turn : g->cta_period || g->end_period ? r->turn : 0;
  bool any = false;
  for (uint32_t n = 0; n < g->n_sms && r->waiting && *left; n++) {
    uint32_t k = (first + n) % g->n_sms;
    uint32_t i = g->grids.sched->clusters_first ? k % g->clusters * per + k / g->clusters : k;
    if (!takes_cta(g, r, i)) continue;
    uint64_t cta = g->grids.sched->next(r->ctas, i);
    if (cta == GPU_NO_CTA) continue;
    start_cta(g, r, i, cta);
    r->turn = g->cta_turn = (k + 1) % g->n_sms;
    --*left;
    r->waiting--;
    r->running++;
    any = r->began = true;
  }
  return any;
}

/* SMs of a GPC that can each take a CTA of a cluster now, those with the fewest CTAs first: as many as it has, or none. */
static uint32_t find_cluster_sms(const struct gpu *g, const struct gpu_resident *r, uint32_t first, uint32_t end, uint32_t *sms) {
  uint32_t n = 0, want = exec_cluster_size(r->grid);
  for (uint32_t ctas = 0; ctas < SM_MAX_CTAS && n < want; ctas++)
    for (uint32_t i = first; i < end && n < want; i++) {
      if (g->sms[i].n_ctas == ctas && takes_cta(g, r, i)) sms[n++] = i;
    }
  return n == want ? n : 0;
}

static void start_cluster(struct gpu *g, struct gpu_resident *r, const uint32_t *sms, uint32_t n) {
  struct exec_cta *ctas[EXEC_MAX_CLUSTER];
  const struct exec_grid *grid = r->grid;
  uint64_t first = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2] - r->waiting;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t slot = start_cta(g, r, sms[i], exec_cta_in_order(grid, first + i));
    ctas[i] = &g->sms[sms[i]].ctas[slot].x;
  }
  exec_cluster_form(ctas, n);
  r->waiting -= n;
  r->running += n;
  r->began = true;
}

/* Clusters in their order, each on SMs of one GPC (gpu.gpc_sms), one CTA an SM. GPCs are asked in turn. */
static bool dispatch_clusters(struct gpu *g, struct gpu_resident *r, uint32_t *left) {
  uint32_t per = g->gpc_sms ? g->gpc_sms : g->n_sms, gpcs = (g->n_sms + per - 1) / per, sms[EXEC_MAX_CLUSTER];
  bool any = false;
  for (uint32_t n = 0; n < gpcs && r->waiting && *left; n++) {
    uint32_t gpc = (r->turn + n) % gpcs, end = (gpc + 1) * per < g->n_sms ? (gpc + 1) * per : g->n_sms;
    uint32_t found = find_cluster_sms(g, r, gpc * per, end, sms);
    if (!found) continue;
    start_cluster(g, r, sms, found);
    r->turn = (gpc + 1) % gpcs;
    *left -= found < *left ? found : *left;
    any = true;
  }
  return any;
}

/* CTAs that may be dispatched in this cycle. */
static uint32_t due_ctas(struct gpu *g) {
  if (!g->cta_period) return g->n_sms;
  if (g->cta_next < g->now) g->cta_next = g->now;
  uint64_t end = g->now + g->core;
  return g->cta_next < end ? (uint32_t)((end - g->cta_next + g->cta_period - 1) / g->cta_period) : 0;
}

/* CTAs that wait make room for a grid that others wait for, if it has found none. */
static bool dispatch_some(struct gpu *g, struct gpu_resident *r, uint32_t *left) {
  bool any = exec_cluster_size(r->grid) > 1 ? dispatch_clusters(g, r, left) : dispatch_grid(g, r, left);
  return any || (r->grid->awaited && r->waiting && *left && gpu_make_room(g, r));
}

/* Grid after grid; again next cycle as long as any SM took a CTA or none was due, when a place may be free, and when a grid is ready or
 * may end. */
static void dispatch(struct gpu *g) {
  struct gpu_turns turns = {0};
  uint32_t due = due_ctas(g), left = due;
  bool any = !due, more = false;
  uint64_t ready = MEM_NEVER;
  free_places(g);
  if (g->n_back) more = !gpu_bring_back(g);
  for (uint32_t i = 0; i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (!r->running && !r->waiting && r->closes > g->now) ready = mem_earlier(ready, r->closes);
    if (!r->waiting) continue;
    if (r->ready > g->now) {
      ready = mem_earlier(ready, r->ready);
      continue;
    }
    if (r->waves) gpu_waves_look(g, r);
    if (!gpu_residents_must_wait(&g->grids, r, &turns)) {
      any |= dispatch_some(g, r, &left);
      turns.taken |= (uint32_t)(r->waiting != 0) << r->program;
    }
    more |= r->waiting != 0;
  }
  g->cta_next += (due - left) * g->cta_period;
  g->dispatch_at = mem_earlier(ready, !more ? MEM_NEVER : any ? g->now + g->core : next_place(g));
}

/* ---- networks, slices, channels ---------------------------------------------------------------------------- */

/* Whether threads should share the networks and channels: what one of them is spared, if the other has the largest. A
 * network of a large GPU is as much work as many channels. */
static bool worth_sharing(const struct gpu *g) {
  uint32_t nets = 0, each = (g->n_sms + g->n_slices) / NET_PORTS;
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) nets += g->fabric.net[i]->wake.at <= g->now;
  uint32_t all = nets * each + g->due_channels + (g->packing.on ? g->due_slices : 0), largest = nets ? each : 0;
  return all - (largest > all / 2 ? largest : all / 2) >= TEAM_WORTH;
}

static void visit_net(struct gpu *g, uint32_t i) { VISIT(g->fabric.net[i], noc_tick); }
static void visit_slice(struct gpu *g, uint32_t i) { VISIT(g->slices[i], llc_tick); }
static void visit_channel(struct gpu *g, uint32_t i) { VISIT(g->channels[i], dram_tick); }

static void visit_slices(void *user, unsigned member, unsigned size) {
  struct gpu *g = user;
  const struct gpu_member *m = &g->members[member];
  uint32_t from = member ? m[-1].slices_to : g->awake.slices.from, to = size > 1 ? m->slices_to : g->awake.slices.to;
  if (!g->due_slices) return;
  GPU_FOR_SET (i, g->awake.slices.due, from, to) visit_slice(g, i);
}

/* SMs and slices have no port in common. */
static void visit_sms_and_slices(void *user, unsigned member, unsigned size) {
  visit_sms(user, member, size);
  visit_slices(user, member, size);
}

/* Nor have networks and channels. Sizes of the replies that entered a compressor are found after all that may store. */
static void visit_nets_and_channels(void *user, unsigned member, unsigned size) {
  struct gpu *g = user;
  for (uint32_t i = member; i < g->fabric.n_nets; i += size) visit_net(g, i);
  if (g->due_channels)
    GPU_FOR_SET (i, g->awake.channels.due, g->awake.channels.from, g->awake.channels.to)
      if (i % size == member) visit_channel(g, i);
  for (uint32_t i = member; i < g->n_slices && g->packing.on; i += size) reply_pack(&g->packing.packers[i]);
}

/* ---- an instant -------------------------------------------------------------------------------------------- */

/* A phase is worth the team's meeting only if enough of its members are due. */
static void share_phase(struct gpu *g, gpu_team_fn phase, bool worth) {
  if (worth && g->pace.used > 1) gpu_team_run(g->team, g->pace.used, phase, g);
  else phase(g, 0, 1);
}

static void shuffled_visit(struct gpu *g, uint64_t phase, uint32_t i) {
  if (phase == 0) visit_sm(g, i, &g->members[0]);
  else if (phase == 1) visit_net(g, i);
  else if (phase == 2) visit_slice(g, i);
  else visit_channel(g, i);
}

/* An instant with the phases and their members in random order. */
static void shuffled_instant(struct gpu *g) {
  const uint32_t n[] = {g->n_sms, g->fabric.n_nets, g->n_slices, g->n_channels};
  uint64_t first = rng_below(&g->shuffle, 4), back = rng_below(&g->shuffle, 2);
  for (uint64_t k = 0; k < 4; k++) {
    uint64_t phase = (first + (back ? 4 - k : k)) % 4, from = rng_below(&g->shuffle, n[phase]);
    for (uint64_t i = 0; i < n[phase]; i++) shuffled_visit(g, phase, (uint32_t)((from + (back ? n[phase] - i : i)) % n[phase]));
    if (phase != 0) continue;
    if (g->grids.n) commit_sms(g);
    if (g->coop) g->coop->first = (uint32_t)rng_below(&g->shuffle, g->n_sms);
    visit_coop(g);
  }
  for (uint32_t i = 0; i < g->n_slices && g->packing.on; i++) reply_pack(&g->packing.packers[i]);
}

/* Where SMs and slices have something in common besides ports (coop, probes), slices are visited after the SMs. */
static void ordered_instant(struct gpu *g) {
  bool apart = g->coop || g->probes;
  share_phase(g, apart ? visit_sms : visit_sms_and_slices, g->due_sms + (apart ? 0 : g->due_slices) >= TEAM_WORTH);
  if (g->grids.n) commit_sms(g);
  visit_coop(g);
  if (apart) share_phase(g, visit_slices, g->due_slices >= TEAM_WORTH);
  share_phase(g, visit_nets_and_channels, worth_sharing(g));
}

/* While one thread visits all components, nobody wakes a component at the same time as another. */
static void share_wakes(struct gpu *g, bool shared) {
  for (uint32_t i = 0; i < g->n_sms; i++) g->sms[i].wake.shared = shared;
  for (uint32_t i = 0; i < g->n_slices; i++) g->slices[i]->wake.shared = shared;
  for (uint32_t i = 0; i < g->n_channels; i++) g->channels[i]->wake.shared = shared;
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) g->fabric.net[i]->wake.shared = shared;
  if (g->coop) g->coop->wake.shared = shared;
}

void gpu_use_threads(struct gpu *g) { share_wakes(g, g->pace.used > 1); }

/* Phases of one instant. Within a phase components touch disjoint state, and what one phase pushes is seen at a later
 * instant, so neither the order within a phase nor the number of threads can change a result. */
void gpu_instant(struct gpu *g) {
  if (g->shuffle.state) shuffled_instant(g);
  else ordered_instant(g);
  if (g->dispatch_at <= g->now) dispatch(g);
  if (g->llc->at <= g->now) llc_control_step(g->llc, g->now);
  if (g->pace.most > 1 && gpu_pace_count(&g->pace, g->team, g->due_sms + g->due_slices + g->due_channels)) gpu_use_threads(g);
}
