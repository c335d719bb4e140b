/* One instant: everybody due at it is visited, phase by phase (SMs, networks, slices, channels), a phase shared among threads
 * if gpu.threads says so, and CTAs are handed out. A component not due is not touched, so an idle part costs nothing.
 *
 * Owns: the order of phases. Does not: decide when the run ends (run_loop.c). */
#include "gpu/gpu_parts.h"

#include "coop/coop.h"
#include "dram/dram.h"
#include "gpu/reconfigure.h"
#include "gpu/team.h"
#include "llc/llc.h"
#include "mem/mem_stall.h"
#include "sm/sm.h"

enum {
  TEAM_WORTH = 8, /* components due in a phase from which threads share it */
  NET_PORTS = 8,  /* ports of a network that weigh as much as one other component */
};

static uint32_t due(uint64_t at, uint64_t *t, uint32_t n) {
  if (at > *t || at == MEM_NEVER) return n;
  n = at < *t ? 1 : n + 1;
  *t = at;
  return n;
}

/* Also counts how many of the larger groups are due. */
uint64_t gpu_earliest(struct gpu *g) {
  uint64_t sms = MEM_NEVER, slices = MEM_NEVER, t = g->dispatch_at < g->llc->at ? g->dispatch_at : g->llc->at;
  uint32_t n_sms = 0, n_slices = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) n_sms = due(g->sms[i].wake.at, &sms, n_sms);
  for (uint32_t i = 0; i < g->n_slices; i++) n_slices = due(g->slices[i]->wake.at, &slices, n_slices);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++) t = g->fabric.net[i]->wake.at < t ? g->fabric.net[i]->wake.at : t;
  for (uint32_t i = 0; i < g->n_channels; i++) t = g->channels[i]->wake.at < t ? g->channels[i]->wake.at : t;
  if (g->coop && g->coop->wake.at < t) t = g->coop->wake.at;
  t = sms < t ? sms : t;
  t = slices < t ? slices : t;
  g->due_sms = sms == t ? n_sms : 0;
  g->due_slices = slices == t ? n_slices : 0;
  return t;
}

#define VISIT(object, tick)                                                                                            \
  if ((object)->wake.at <= g->now) {                                                                                   \
    (object)->wake.at = MEM_NEVER;                                                                                     \
    uint64_t next_ = tick((object), g->now);                                                                           \
    mem_wake_at(&(object)->wake, next_);                                                                               \
  }

static void visit_sm(void *user, uint32_t i) {
  struct gpu *g = user;
  VISIT(&g->sms[i], sm_tick);
}
static void visit_slice(void *user, uint32_t i) {
  struct gpu *g = user;
  VISIT(g->slices[i], llc_tick);
}
static void visit_channel(void *user, uint32_t i) {
  struct gpu *g = user;
  VISIT(g->channels[i], dram_tick);
}

/* A phase is worth the team's meeting only if enough of its members are due. */
static void visit_all(struct gpu *g, void (*visit)(void *, uint32_t), uint32_t n, uint32_t due) {
  if (due >= TEAM_WORTH && gpu_team_size(g->team) > 1) gpu_team_run(g->team, visit, g, n);
  else
    for (uint32_t i = 0; i < n; i++) visit(g, i);
}

static void count_done(struct gpu *g, struct sm *s) {
  for (uint32_t i = 0; i < s->n_done; i++) {
    struct gpu_resident *r = &g->grids.at[s->done[i].grid];
    r->grid->instructions += s->done[i].warp_instructions;
    r->grid->thread_instructions += s->done[i].thread_instructions;
    r->running--;
    g->grids.over += !r->running && !r->waiting;
  }
  g->ctas_done += s->n_done;
  s->n_done = 0;
  g->dispatch_at = g->now;
}

/* What the SMs did that others can see, in the order of their numbers, and what they finished. */
static void commit_sms(struct gpu *g) {
  l1_publish(&g->sms[0].l1);
  for (uint32_t i = 0; i < g->n_sms; i++) {
    struct sm *s = &g->sms[i];
    if (s->n_ordered) sm_commit(s, g->now);
    if (s->slot_freed) {
      s->slot_freed = false;
      g->dispatch_at = g->now;
    }
    if (s->n_done) count_done(g, s);
  }
}

static void visit_coop(struct gpu *g) {
  if (!g->coop) return;
  if (g->coop->ops->publish) g->coop->ops->publish(g->coop);
  VISIT(g->coop, coop_tick);
}

/* One CTA an SM a cycle in the scheduler's order, and no more than are left of this cycle's. */
static bool dispatch_grid(struct gpu *g, struct gpu_resident *r, uint32_t *left) {
  uint32_t per = g->n_sms / g->clusters, first = g->cta_rate ? r->turn : 0;
  bool any = false;
  for (uint32_t n = 0; n < g->n_sms && r->waiting && *left; n++) {
    uint32_t k = (first + n) % g->n_sms;
    uint32_t i = g->cta_sched->clusters_first ? k % g->clusters * per + k / g->clusters : k;
    if (g->program_of[i] != r->program || g->took[i] == g->now || !sm_fits(&g->sms[i], r->grid)) continue;
    uint64_t cta = g->cta_sched->next(&r->ctas, i);
    if (cta == GPU_NO_CTA) continue;
    sm_start_cta(&g->sms[i], r->grid, cta, g->now);
    g->took[i] = g->now;
    r->turn = (k + 1) % g->n_sms;
    --*left;
    r->waiting--;
    r->running++;
    any = r->began = true;
  }
  return any;
}

/* Grid after grid; again next cycle as long as any SM took a CTA, and when a grid is ready. */
static void dispatch(struct gpu *g) {
  struct gpu_turns turns = {0};
  bool any = false, more = false;
  uint32_t left = g->cta_rate ? g->cta_rate : g->n_sms;
  uint64_t ready = MEM_NEVER;
  for (uint32_t i = 0; i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (!r->waiting) continue;
    if (r->ready > g->now) {
      ready = mem_earlier(ready, r->ready);
      continue;
    }
    if (!gpu_residents_must_wait(&g->grids, r, &turns)) {
      any |= dispatch_grid(g, r, &left);
      turns.taken |= (uint32_t)(r->waiting != 0) << r->program;
    }
    more |= r->waiting != 0;
  }
  g->dispatch_at = mem_earlier(ready, any && more ? g->now + g->core : MEM_NEVER);
}

/* What the networks weigh in a phase: one of a large GPU is as much work as many SMs. */
static uint32_t due_nets(const struct gpu *g) {
  for (uint32_t i = 0; i < g->fabric.n_nets; i++)
    if (g->fabric.net[i]->wake.at > g->now) return 0;
  return g->fabric.n_nets > 1 ? (g->n_sms + g->n_slices) / NET_PORTS : 0;
}

static void visit_net(void *user, uint32_t i) {
  struct gpu *g = user;
  VISIT(g->fabric.net[i], noc_tick);
}

/* An instant with the phases and their members in an order of chance. */
static void shuffled_instant(struct gpu *g) {
  void (*const visit[])(void *, uint32_t) = {visit_sm, visit_net, visit_slice, visit_channel};
  const uint32_t n[] = {g->n_sms, g->fabric.n_nets, g->n_slices, g->n_channels};
  uint64_t first = rng_below(&g->shuffle, 4), back = rng_below(&g->shuffle, 2);
  for (uint64_t k = 0; k < 4; k++) {
    uint64_t phase = (first + (back ? 4 - k : k)) % 4, from = rng_below(&g->shuffle, n[phase]);
    for (uint64_t i = 0; i < n[phase]; i++) visit[phase](g, (uint32_t)((from + (back ? n[phase] - i : i)) % n[phase]));
    if (phase != 0) continue;
    if (g->grids.n) commit_sms(g);
    if (g->coop) g->coop->first = (uint32_t)rng_below(&g->shuffle, g->n_sms);
    visit_coop(g);
  }
}

/* Sizes of the replies that entered a compressor at this instant: after all that may store at it. */
static void visit_packer(void *user, uint32_t i) {
  struct gpu *g = user;
  reply_pack(&g->packing.packers[i]);
}

/* Phases of one instant. Within a phase components touch disjoint state, and what one phase pushes is seen at a later
 * instant, so neither the order within a phase nor the number of threads can change a result. */
void gpu_instant(struct gpu *g) {
  if (g->shuffle.state) {
    shuffled_instant(g);
  } else {
    visit_all(g, visit_sm, g->n_sms, g->due_sms);
    if (g->grids.n) commit_sms(g);
    visit_coop(g);
    visit_all(g, visit_net, g->fabric.n_nets, due_nets(g));
    visit_all(g, visit_slice, g->n_slices, g->due_slices);
    for (uint32_t i = 0; i < g->n_channels; i++) visit_channel(g, i);
  }
  if (g->packing.on) visit_all(g, visit_packer, g->n_slices, g->due_slices);
  if (g->dispatch_at <= g->now) dispatch(g);
  if (g->llc->at <= g->now) gpu_llc_step(g->llc, g->now);
}
