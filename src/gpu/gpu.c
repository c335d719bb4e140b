/* See gpu.h. The loop: find the earliest wake time, visit everybody due at it (SMs, networks, slices, channels, phase by
 * phase, a phase shared among threads if gpu.threads says so), hand out CTAs. A component not due is not touched, so an
 * idle part costs nothing, and when nobody is due the clock jumps. */
#include "gpu/gpu.h"

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "coop/coop.h"
#include "dram/dram.h"
#include "gpu/cta_sched.h"
#include "gpu/feedback.h"
#include "gpu/intervals.h"
#include "gpu/packing.h"
#include "gpu/profile.h"
#include "gpu/reconfigure.h"
#include "gpu/resident.h"
#include "gpu/team.h"
#include "llc/llc.h"
#include "mem/mem_map.h"
#include "noc/noc.h"
#include "probe/probe.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

enum {
  CHECK_EVERY = 4096, /* loop turns between looks at signals, watchdog and progress */
  COUNT_EVERY = 64,   /* between looks at the limit of instructions */
  EXPLAINED_SMS = 3,  /* in the message about a deadlock */
  TEAM_WORTH = 8,     /* components due in a phase from which threads share it */
  NET_PORTS = 8,      /* ports of a network that weigh as much as one other component */
};

struct gpu {
  struct cfg *cfg;
  struct stats *stats;
  struct mem_pool *pool;
  struct mem_map *map;
  struct noc_fabric fabric;
  struct coop *coop; /* NULL: none */
  struct sm *sms;
  struct mem_port *sm_in; /* reply ports, one an SM */
  struct llc_slice **slices;
  struct reply_filter *filters; /* one a slice */
  struct gpu_packing packing;
  struct dram_channel **channels;
  struct gpu_llc *llc;    /* the mode of the slices */
  uint32_t n_sms, n_slices, n_channels;
  uint64_t core, noc, l2, dram; /* periods in ticks */
  uint64_t now;
  struct gpu_team *team;
  uint32_t due_sms, due_slices; /* at the next instant */
  struct gpu_feedback feedback;

  const struct gpu_cta_sched *cta_sched;
  uint32_t clusters;
  struct gpu_residents grids;
  uint64_t *took;           /* by SM: when it was last given a CTA */
  uint8_t *program_of;      /* by SM */
  struct llc_share *shares; /* by slice and program; NULL: one program */
  struct {
    struct gpu_program sum;
    uint64_t since;         /* when it last came to have grids */
    uint32_t grids;         /* on the GPU */
  } programs[GPU_MAX_PROGRAMS];
  uint32_t n_programs;
  uint64_t ctas_done;
  uint64_t dispatch_at;     /* next look for SMs with room, MEM_NEVER: none has */

  struct gpu_limits limits;
  void (*progress)(void *user, uint64_t instructions, uint64_t cycles);
  void *progress_user;
  uint64_t watchdog;
  uint64_t last_progress, last_instructions, last_packets, last_change;
  uint64_t before_run;      /* cycles of earlier stretches */
  uint64_t start;           /* of the present stretch */
  size_t first_kernel;      /* of it */

  uint64_t until;           /* the caller's limit */
  uint64_t mark;            /* next time at which an interval, the limit of cycles or the caller's ends, or l1.bypass takes a look */
  struct gpu_intervals intervals;
  bool profiling;
  struct gpu_profile profile;
  struct probe_set *probes; /* NULL: none */
  size_t first_sm_stat, end_sm_stats;
  struct rng shuffle;       /* state 0: visits are in order */
  bool check_shadows;       /* compare copies of tags after every instant */
  char *stopped;
  bool left;                /* in the middle of a grid, which may be gone */

  struct gpu_kernel *kernels;
  size_t n_kernels, kernels_cap;
};

/* ---- clocks --------------------------------------------------------------------------------------------------------------- */

static uint64_t gcd(uint64_t a, uint64_t b) { return b ? gcd(b, a % b) : a; }

/* Periods in a unit in which all four are whole: the least common multiple of the frequencies over each. */
static bool make_clocks(struct gpu *g, struct err *e) {
  static const char *const keys[] = {"gpu.core_clock", "gpu.noc_clock", "gpu.l2_clock", "gpu.dram_clock"};
  uint64_t *const period[] = {&g->core, &g->noc, &g->l2, &g->dram};
  uint64_t khz[4], all = 1;
  for (int i = 0; i < 4; i++) {
    khz[i] = (uint64_t)(cfg_real(g->cfg, keys[i]) * 1000 + 0.5);
    uint64_t step = khz[i] / gcd(all, khz[i]);
    if (all > UINT64_MAX / 1000000 / step)
      return cfg_complain(g->cfg, keys[i], e, "the clocks have no common unit that fits; use rounder frequencies");
    all *= step;
  }
  for (int i = 0; i < 4; i++) *period[i] = all / khz[i];
  uint64_t common = gcd(gcd(g->core, g->noc), gcd(g->l2, g->dram));
  for (int i = 0; i < 4; i++) *period[i] /= common;
  return true;
}

/* ---- assembly -------------------------------------------------------------------------------------------------------------- */

static bool make_sms(struct gpu *g, struct err *e) {
  g->first_sm_stat = stats_count(g->stats);
  g->sms = must_alloc(g->n_sms * sizeof *g->sms);
  g->sm_in = must_alloc(g->n_sms * sizeof *g->sm_in);
  for (uint32_t i = 0; i < g->n_sms; i++) {
    struct sm *s = &g->sms[i];
    if (!sm_init(s, i, g->cfg, g->pool, g->core, e)) return false;
    l1_follow(&s->l1, &g->sms[0].l1);
    /* Replies that are being unpacked are in the stages of the decompressor, beyond the queue. */
    uint64_t unpack = reply_unpack_latency(g->cfg, g->noc, g->core);
    uint32_t queue = (uint32_t)cfg_int(g->cfg, "sm.reply_queue") + (uint32_t)(unpack / g->core);
    mem_port_init(&g->sm_in[i], queue, 1, &s->wake, NULL);
    g->sm_in[i].unpack = unpack;
    s->from_net = &g->sm_in[i];
    s->to_net = noc_input(&g->fabric.request, i, &s->wake);
    noc_connect(&g->fabric.reply, i, s->from_net);
    stats_register(g->stats, sm_stat_defs, SM_STATS, s->stats, i);
    stats_register(g->stats, l1_stat_defs, L1_STATS, s->l1.stats, i);
    stats_register(g->stats, sm_ro_stat_defs[0], RO_STATS, s->constant.stats, i);
    stats_register(g->stats, sm_ro_stat_defs[1], RO_STATS, s->texture.stats, i);
    stats_register(g->stats, sm_ro_stat_defs[2], RO_STATS, s->instruction.stats, i);
  }
  g->end_sm_stats = stats_count(g->stats);
  return true;
}

static bool make_coop(struct gpu *g, struct err *e) {
  const struct l1_traits *t = &g->sms[0].l1.traits;
  struct coop_place place = {.sms = g->n_sms,
                             .period = g->core,
                             .pool = g->pool,
                             .slices = g->n_slices,
                             .fetches = g->n_slices * MEM_SECTORS * (uint32_t)cfg_int(g->cfg, "l2.mshrs"),
                             .parts = MEM_LINE / t->fetch_bytes,
                             .lines = (uint64_t)(cfg_int(g->cfg, "l1.sets") * cfg_int(g->cfg, "l1.ways")),
                             .tags_more = t->storage_bits};
  if (!coop_new(&g->coop, g->cfg, &place, e)) return false;
  for (uint32_t i = 0; g->coop && i < g->n_sms; i++) {
    struct sm *s = &g->sms[i];
    s->coop = g->coop->nodes[i];
    s->coop->below = s->to_net;
    s->coop->instructions = &s->stats[SM_S_THREAD_INSTRUCTIONS];
    coop_attach(s->coop, &s->wake, &s->l1);
  }
  if (g->coop) coop_register(g->coop, g->stats);
  return true;
}

static bool make_slices(struct gpu *g, struct err *e) {
  bool filtered;
  g->slices = must_alloc(g->n_slices * sizeof *g->slices);
  g->filters = must_alloc(g->n_slices * sizeof *g->filters);
  for (uint32_t i = 0; i < g->n_slices; i++) {
    struct llc_place place = {.id = i, .period = g->l2, .map = g->map, .pool = g->pool};
    g->slices[i] = llc_slice_new(g->cfg, &place, e);
    if (!g->slices[i]) return false;
    if (!reply_filter_init(&g->filters[i], g->cfg, &filtered, e)) return false;
    if (filtered) g->slices[i]->filter = &g->filters[i];
    if (g->coop && g->coop->ops->hint) {
      g->slices[i]->hint = g->coop->ops->hint(g->coop, i);
      g->slices[i]->hint->answers.consumer = &g->slices[i]->wake;
    }
    stats_register(g->stats, reply_stats, REPLY_STATS, g->filters[i].counters, i);
    noc_connect(&g->fabric.request, i, &g->slices[i]->in);
    llc_register(g->slices[i], g->stats);
  }
  gpu_packing_init(&g->packing, g->cfg, g->slices, g->n_slices, g->l2, g->noc, g->stats);
  return true;
}

static bool make_channels(struct gpu *g, struct err *e) {
  g->channels = must_alloc(g->n_channels * sizeof *g->channels);
  uint32_t per = g->n_slices / g->n_channels;
  for (uint32_t i = 0; i < g->n_channels; i++) {
    struct dram_place place = {.id = i, .period = g->dram, .latency_period = g->l2, .map = g->map, .pool = g->pool};
    g->channels[i] = dram_channel_new(g->cfg, &place, e);
    if (!g->channels[i]) return false;
    for (uint32_t k = 0; k < per; k++) {
      struct llc_slice *s = g->slices[i * per + k];
      struct mem_port *mem = dram_connect(g->channels[i], k, &s->fill);
      llc_connect(s, noc_input(&g->fabric.reply, i * per + k, &s->wake), mem);
    }
    dram_register(g->channels[i], g->stats);
  }
  return true;
}

static bool make_llc(struct gpu *g, struct err *e) {
  struct gpu_llc_parts parts = {.map = g->map,
                                .pool = g->pool,
                                .fabric = &g->fabric,
                                .sms = g->sms,
                                .slices = g->slices,
                                .channels = g->channels,
                                .n_sms = g->n_sms,
                                .n_slices = g->n_slices,
                                .n_channels = g->n_channels,
                                .core = g->core,
                                .l2 = g->l2};
  g->llc = gpu_llc_new(g->cfg, &parts, e);
  if (g->llc) gpu_llc_register(g->llc, g->stats);
  return g->llc != NULL;
}

static bool choose_cta_sched(struct gpu *g, struct err *e) {
  const char *name = cfg_text(g->cfg, "gpu.cta_scheduler");
  uint32_t clusters = (uint32_t)cfg_int(g->cfg, "gpu.clusters");
  if (g->n_sms % clusters)
    return cfg_complain(g->cfg, "gpu.clusters", e, "it does not divide the %u SMs", g->n_sms);
  for (size_t i = 0; gpu_cta_scheds[i]; i++)
    if (!strcmp(gpu_cta_scheds[i]->name, name)) g->cta_sched = gpu_cta_scheds[i];
  g->clusters = clusters;
  g->took = must_alloc(g->n_sms * sizeof *g->took);
  for (uint32_t i = 0; i < g->n_sms; i++) g->took[i] = MEM_NEVER;
  g->program_of = must_alloc(g->n_sms);
  g->n_programs = 1;
  g->programs[0].sum.sms = g->n_sms;
  gpu_residents_init(&g->grids, (uint32_t)cfg_int(g->cfg, "gpu.concurrent_kernels"), g->n_sms, clusters);
  return true;
}

static bool assemble(struct gpu *g, struct err *e) {
  g->n_sms = (uint32_t)cfg_int(g->cfg, "gpu.sms");
  g->watchdog = (uint64_t)cfg_int(g->cfg, "gpu.watchdog");
  g->map = mem_map_new(g->cfg, e);
  if (!g->map || !make_clocks(g, e)) return false;
  g->n_slices = mem_map_slices(g->map);
  g->n_channels = mem_map_channels(g->map);
  if (!noc_fabric_init(&g->fabric, g->cfg, g->n_sms, g->n_slices, g->noc, e)) return false;
  for (unsigned i = 0; i < g->fabric.n_nets; i++) noc_register(g->fabric.net[i], g->stats);
  return make_sms(g, e) && make_coop(g, e) && make_slices(g, e) && make_channels(g, e) && make_llc(g, e) && choose_cta_sched(g, e) &&
         gpu_feedback_init(&g->feedback, g->cfg, g->sms, g->n_sms, g->slices, g->n_slices, e);
}

struct gpu *gpu_new(const struct cfg *cfg, struct err *e) {
  struct gpu *g = must_alloc(sizeof *g);
  g->cfg = cfg_copy(cfg);
  g->stats = stats_new();
  g->intervals.stats = g->stats;
  g->pool = mem_pool_new();
  g->dispatch_at = MEM_NEVER;
  unsigned threads = (unsigned)cfg_int(cfg, "gpu.threads");
  g->team = gpu_team_new(threads);
  if (threads > 1) mem_pool_share(g->pool);
  if (assemble(g, e)) return g;
  gpu_delete(g);
  return NULL;
}

void gpu_delete(struct gpu *g) {
  if (!g) return;
  gpu_team_delete(g->team);
  gpu_feedback_free(&g->feedback);
  for (uint32_t i = 0; g->channels && i < g->n_channels; i++) dram_channel_delete(g->channels[i]);
  for (uint32_t i = 0; g->slices && i < g->n_slices; i++) llc_slice_delete(g->slices[i]);
  for (uint32_t i = 0; g->filters && i < g->n_slices; i++) reply_filter_free(&g->filters[i]);
  for (uint32_t i = 0; g->sms && i < g->n_sms; i++) {
    sm_free(&g->sms[i]);
    mem_port_free(&g->sm_in[i]);
  }
  gpu_llc_delete(g->llc);
  coop_delete(g->coop);
  noc_fabric_free(&g->fabric);
  mem_map_delete(g->map);
  gpu_residents_free(&g->grids);
  free(g->took);
  free(g->program_of);
  free(g->shares);
  for (size_t i = 0; i < g->n_kernels; i++) {
    free(g->kernels[i].name);
    free(g->kernels[i].counters);
  }
  gpu_intervals_free(&g->intervals);
  gpu_profile_free(&g->profile);
  probe_set_delete(g->probes);
  free(g->stopped);
  free(g->kernels);
  free(g->channels);
  free(g->slices);
  free(g->filters);
  gpu_packing_free(&g->packing);
  free(g->sms);
  free(g->sm_in);
  stats_delete(g->stats);
  mem_pool_delete(g->pool);
  cfg_delete(g->cfg);
  free(g);
}

/* ---- one instant ------------------------------------------------------------------------------------------------------------ */

static uint32_t due(uint64_t at, uint64_t *t, uint32_t n) {
  if (at > *t || at == MEM_NEVER) return n;
  n = at < *t ? 1 : n + 1;
  *t = at;
  return n;
}

/* The next instant at which anybody is due; also counts how many of the larger groups are. */
static uint64_t earliest(struct gpu *g) {
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

/* One CTA an SM a cycle, in the scheduler's order. */
static bool dispatch_grid(struct gpu *g, struct gpu_resident *r) {
  uint32_t per = g->n_sms / g->clusters;
  bool any = false;
  for (uint32_t k = 0; k < g->n_sms && r->waiting; k++) {
    uint32_t i = g->cta_sched->clusters_first ? k % g->clusters * per + k / g->clusters : k;
    if (g->program_of[i] != r->program || g->took[i] == g->now || !sm_fits(&g->sms[i], r->grid)) continue;
    uint64_t cta = g->cta_sched->next(&r->ctas, i);
    if (cta == GPU_NO_CTA) continue;
    sm_start_cta(&g->sms[i], r->grid, cta, g->now);
    g->took[i] = g->now;
    r->waiting--;
    r->running++;
    any = r->began = true;
  }
  return any;
}

/* Grid after grid; again next cycle as long as any SM took a CTA. */
static void dispatch(struct gpu *g) {
  struct gpu_turns turns = {0};
  bool any = false, more = false;
  for (uint32_t i = 0; i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (!r->waiting) continue;
    if (!gpu_residents_must_wait(&g->grids, r, &turns)) {
      any |= dispatch_grid(g, r);
      turns.taken |= (uint32_t)(r->waiting != 0) << r->program;
    }
    more |= r->waiting != 0;
  }
  g->dispatch_at = any && more ? g->now + g->core : MEM_NEVER;
}

/* What the networks weigh in a phase: one of a large GPU is as much work as many SMs. */
static uint32_t due_nets(const struct gpu *g) {
  for (uint32_t i = 0; i < g->fabric.n_nets; i++)
    if (g->fabric.net[i]->wake.at > g->now) return 0;
  return g->fabric.n_nets > 1 ? (g->n_sms + g->n_slices) / NET_PORTS : 0;
}

/* Phases of one instant. Within a phase components touch disjoint state, and what one phase pushes is seen at a later
 * instant, so neither the order within a phase nor the number of threads can change a result. */
static void visit_net(void *user, uint32_t i) {
  struct gpu *g = user;
  VISIT(g->fabric.net[i], noc_tick);
}

/* The same with the phases and their members in an order of chance. */
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

static void instant(struct gpu *g) {
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

/* ---- ends --------------------------------------------------------------------------------------------------------------------- */

static bool sms_idle(const struct gpu *g) {
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (!sm_idle(&g->sms[i])) return false;
  return true;
}

static uint64_t instructions(const struct gpu *g) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) n += g->sms[i].stats[SM_S_WARP_INSTRUCTIONS];
  return n;
}

static uint64_t cycles_since(const struct gpu *g, uint64_t start) { return (g->now - start) / g->core; }
static uint64_t cycles_now(const struct gpu *g) { return cycles_since(g, g->start); }

static enum gpu_end deadlock(struct gpu *g, struct err *e) {
  struct str s = {0};
  str_add(&s, "nothing but waiting has been done for %llu core cycles; who waits for what:\n",
          (unsigned long long)((g->now - g->last_change) / g->core));
  uint32_t told = 0, more = 0; /* the first few SMs stand for the rest, so that there is room for who holds them up */
  for (uint32_t i = 0; i < g->n_sms; i++) {
    if (!g->sms[i].live) continue;
    if (told++ < EXPLAINED_SMS) sm_explain(&g->sms[i], g->now, &s);
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

static enum gpu_end stop(struct gpu *g, const char *why, struct err *e) {
  err_set(e, ERR_LIMIT, "the run was stopped by %s after %llu warp instructions and %llu cycles", why,
          (unsigned long long)instructions(g), (unsigned long long)(g->before_run + cycles_now(g)));
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

/* Now and then: signals, progress, watchdog. */
static enum gpu_end look_around(struct gpu *g, struct err *e) {
  uint64_t made = progress_made(g), executed = instructions(g), moved = packets_moved(g);
  /* While nobody executes anything, answers to one instruction's many accesses are progress too. */
  bool changed = made != g->last_progress || (executed == g->last_instructions && moved != g->last_packets);
  g->last_progress = made;
  g->last_instructions = executed;
  g->last_packets = moved;
  if (changed) g->last_change = g->now;
  else if ((g->now - g->last_change) / g->core > g->watchdog) return deadlock(g, e);
  if (g->progress) g->progress(g->progress_user, executed, g->before_run + cycles_now(g));
  return g->limits.stop && *g->limits.stop ? stop(g, "a signal", e) : GPU_DONE;
}

static bool same_shadow_tags(const struct gpu *g, struct err *e) {
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (!coop_same_tags(g->coop->nodes[i], &g->sms[i].l1, e)) return false;
  return true;
}

/* ---- marks: intervals, looks of l1.bypass, the limit of cycles, the caller's time ------------------------------ */

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

/* Counters that are kept up only when somebody is visited. */
static void settle(struct gpu *g) {
  for (uint32_t i = 0; i < g->n_sms; i++) sm_settle(&g->sms[i], g->now);
  gpu_llc_settle(g->llc, g->now);
}

static void set_mark(struct gpu *g) {
  g->mark = limit_time(g);
  if (look_time(g) < g->mark) g->mark = look_time(g);
  if (interval_end(g) < g->mark) g->mark = interval_end(g);
  if (g->until < g->mark) g->mark = g->until;
}

/* Nothing is due before the mark. */
static enum gpu_end reach_mark(struct gpu *g, struct err *e) {
  g->now = g->mark;
  settle(g);
  if (g->now == limit_time(g)) return stop(g, "the limit of cycles", e);
  uint64_t cycle = cycles_now(g);
  if (g->now == look_time(g)) gpu_feedback_look(&g->feedback, g->before_run + cycle, g->now);
  if (g->now == interval_end(g)) {
    gpu_intervals_close(&g->intervals, g->first_kernel, cycle);
    if (gpu_intervals_stable(&g->intervals, e)) return GPU_STOPPED;
  }
  set_mark(g);
  return g->now == g->until ? GPU_LATER : GPU_DONE;
}

/* ---- ends of grids ---------------------------------------------------------------------------------------------------------- */

/* Whether a grid without CTAs has all its answers. The last one waits for the SMs to be done with everything. */
static bool answered(const struct gpu *g, const struct gpu_resident *r) {
  if (g->grids.n == 1) return sms_idle(g);
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (g->sms[i].grid_memops[r->grid->place]) return false;
  return true;
}

static struct gpu_resident *ended_grid(struct gpu *g) {
  for (uint32_t i = 0; g->grids.over && i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (!r->running && !r->waiting && answered(g, r)) return r;
  }
  return NULL;
}

/* A fault: no more CTAs of the grid, and those that run stop where they are. Its time ends here. */
static void cancel(struct gpu *g, struct gpu_resident *r) {
  for (uint32_t i = 0; i < g->n_sms; i++) sm_unfinished(&g->sms[i], r->grid, &r->grid->instructions, &r->grid->thread_instructions);
  for (uint32_t i = 0; i < g->n_sms; i++) sm_cancel(&g->sms[i], r->grid, g->now);
  g->grids.over += r->waiting || r->running;
  r->waiting = r->running = 0;
  r->cancelled = true;
  r->end = g->now;
  g->dispatch_at = g->now;
}

static void look_for_faults(struct gpu *g) {
  for (uint32_t i = 0; i < g->grids.n; i++) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[i]];
    if (r->grid->fault.kind && !r->cancelled) cancel(g, r);
  }
}

static enum gpu_end loop(struct gpu *g, struct gpu_resident **ended, struct err *e) {
  for (uint64_t turn = 1;; turn++) {
    if (g->grids.over && (*ended = ended_grid(g))) return GPU_DONE;
    uint64_t t = earliest(g);
    if (t == MEM_NEVER) return deadlock(g, e);
    if (t >= g->mark) {
      enum gpu_end end = reach_mark(g, e);
      if (end != GPU_DONE) return end;
      continue;
    }
    g->now = t;
    instant(g);
    if (g->check_shadows && !same_shadow_tags(g, e)) return GPU_BROKEN;
    look_for_faults(g);
    if (g->limits.max_instructions && turn % COUNT_EVERY == 0 && instructions(g) >= g->limits.max_instructions)
      return stop(g, "the limit of instructions", e);
    if (turn % CHECK_EVERY == 0) {
      enum gpu_end end = look_around(g, e);
      if (end != GPU_DONE) return end;
    }
  }
}

/* What is still on its way (write-backs, prefetches) arrives; not part of the kernel's time. */
static void drain(struct gpu *g) {
  for (uint64_t t = earliest(g); t != MEM_NEVER; t = earliest(g)) {
    g->now = t;
    instant(g);
    bool idle = !g->coop || g->coop->ops->idle(g->coop);
    for (uint32_t i = 0; i < g->n_slices && idle; i++) idle = llc_idle(g->slices[i]);
    for (uint32_t i = 0; i < g->n_channels && idle; i++) idle = dram_idle(g->channels[i]);
    for (uint32_t i = 0; i < g->fabric.n_nets && idle; i++) idle = noc_idle(g->fabric.net[i]);
    if (idle) return;
  }
}

/* Conservation: what went in came out. */
static bool conserved(const struct gpu *g, struct err *e) {
  const struct stats *s = g->stats;
  uint64_t accesses = stats_get(s, "l1d.accesses");
  uint64_t parts = stats_get(s, "l1d.hits") + stats_get(s, "l1d.pending_hits") + stats_get(s, "l1d.misses");
  if (accesses != parts)
    return err_set(e, ERR_FAULT, "conservation: l1d.accesses is %llu, but hits, pending hits and misses add up to %llu",
                   (unsigned long long)accesses, (unsigned long long)parts);
  for (uint32_t i = 0; i < g->fabric.n_nets; i++)
    if (!noc_check(g->fabric.net[i], e)) return false;
  for (uint32_t i = 0; i < g->n_slices; i++)
    if (!llc_check(g->slices[i], e)) return false;
  for (uint32_t i = 0; i < g->n_channels; i++)
    if (!dram_check(g->channels[i], e)) return false;
  if (g->coop && !coop_check(g->coop, e)) return false;
  if (mem_pool_out(g->pool))
    return err_set(e, ERR_FAULT, "conservation: %zu packets were never answered", mem_pool_out(g->pool));
  return true;
}

/* ---- a grid --------------------------------------------------------------------------------------------------------------------- */

static uint64_t grid_clock(void *user) {
  struct gpu *g = user;
  return g->now / g->core;
}

static void record_kernel(struct gpu *g, const struct gpu_resident *r) {
  size_t n = stats_count(g->stats);
  uint64_t *after = must_alloc(n * sizeof *after);
  stats_snapshot(g->stats, after);
  for (size_t i = 0; i < n; i++) after[i] -= r->before[i];
  GROW(g->kernels, g->kernels_cap, g->n_kernels + 1);
  g->kernels[g->n_kernels++] = (struct gpu_kernel){.name = strdup(r->grid->kernel->ptx->name),
                                                   .start = g->before_run + (r->start - g->start) / g->core,
                                                   .cycles = (r->end - r->start) / g->core,
                                                   .counters = after,
                                                   .beside = r->beside,
                                                   .program = r->program,
                                                   .warp_instructions = r->grid->instructions,
                                                   .thread_instructions = r->grid->thread_instructions};
}

/* What l1.bypass decides at a kernel's start it decides for all grids of the stretch. */
static void begin_stretch(struct gpu *g, const struct exec_grid *grid) {
  g->packing.mem = grid->module->mem; /* all grids have the same */
  g->now += g->core - g->now % g->core;
  g->start = g->now;
  g->first_kernel = g->n_kernels;
  g->until = MEM_NEVER;
  g->last_change = g->now;
  gpu_llc_start(g->llc, g->now);
  gpu_intervals_begin(&g->intervals);
  gpu_feedback_begin(&g->feedback, g->before_run, g->now);
  set_mark(g);
}

static void count_program(struct gpu *g, const struct gpu_resident *r) {
  struct gpu_program *p = &g->programs[r->program].sum;
  p->kernels++;
  p->warp_instructions += r->grid->instructions;
  p->thread_instructions += r->grid->thread_instructions;
  if (!--g->programs[r->program].grids) p->cycles += (r->end - g->programs[r->program].since) / g->core;
}

static void finish_grid(struct gpu *g, struct gpu_resident *r) {
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++)
    gpu_profile_take(&g->profile, r->grid->module, r->grid->first_pc, g->sms[i].profile);
  if (g->probes) probe_kernel_end(g->probes);
  record_kernel(g, r);
  count_program(g, r);
  gpu_residents_remove(&g->grids, r);
  g->grids.over--;
  g->dispatch_at = g->grids.n ? g->now : MEM_NEVER;
}

static void end_stretch(struct gpu *g, uint64_t cycles) {
  g->before_run += cycles;
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++) sm_profile_start(&g->sms[i], 0);
}

/* A grid is over. The L1s of its program are emptied, so that later grids see what others wrote; the last one's write-backs arrive. */
static enum gpu_end retire(struct gpu *g, struct gpu_resident *r, struct gpu_finished *f, struct err *e) {
  enum gpu_end end = r->cancelled ? GPU_FAULT : GPU_DONE;
  if (r->cancelled) err_set(e, ERR_FAULT, "%s", r->grid->fault.text);
  else r->end = g->now;
  uint64_t cycles = cycles_now(g), now = g->now;
  bool last = g->grids.n == 1;
  *f = (struct gpu_finished){.ticket = r->ticket, .cycle = (r->end - g->start) / g->core, .cycles = (r->end - r->start) / g->core};
  settle(g);
  gpu_llc_end(g->llc, r->program, r->grid, g->programs[r->program].grids == 1, g->now);
  if (last) drain(g);
  for (uint32_t i = 0; i < g->n_sms; i++)
    if (g->program_of[i] == r->program) sm_flush_caches(&g->sms[i]);
  gpu_llc_flush(g->llc, r->program);
  if (last && !conserved(g, e)) end = GPU_BROKEN;
  if (last) gpu_intervals_close(&g->intervals, g->first_kernel, (now - g->start) / g->core);
  finish_grid(g, r);
  if (last) end_stretch(g, cycles);
  g->left = end == GPU_BROKEN;
  return end;
}

/* The run ends in the middle of the grids that are there. */
static void abandon(struct gpu *g, enum gpu_end end, const struct err *e) {
  g->left = true;
  if (end == GPU_STOPPED && !g->stopped) g->stopped = strdup(e->text);
  settle(g);
  gpu_llc_abandon(g->llc, g->now);
  gpu_intervals_close(&g->intervals, g->first_kernel, cycles_now(g));
  while (g->grids.n) {
    struct gpu_resident *r = &g->grids.at[g->grids.order[0]];
    for (uint32_t i = 0; i < g->n_sms; i++)
      sm_unfinished(&g->sms[i], r->grid, &r->grid->instructions, &r->grid->thread_instructions);
    if (!r->cancelled) r->end = g->now;
    g->grids.over += r->running || r->waiting;
    finish_grid(g, r);
  }
  end_stretch(g, cycles_now(g));
}

void gpu_abandon(struct gpu *g) {
  if (g->grids.n) abandon(g, GPU_DONE, NULL);
}

bool gpu_has_room(const struct gpu *g) { return g->grids.n < g->grids.most; }

static bool acceptable(const struct gpu *g, const struct gpu_launch *l, uint64_t ctas, struct err *e) {
  const struct exec_grid *grid = l->grid;
  if (g->left)
    return err_set(e, ERR_FAULT, "an earlier kernel was left unfinished on this GPU (a deadlock or a limit): nothing more can run on it");
  uint32_t per_sm = sm_occupancy(&g->sms[0].config, grid, e);
  if (!per_sm) return false;
  uint32_t sms = g->programs[l->program].sum.sms;
  if (!grid->cooperative || (uint64_t)per_sm * sms >= ctas) return true;
  return err_set(e, ERR_LIMIT, "a cooperative launch must be resident as a whole: %u CTAs an SM on %u SMs are possible",
                 per_sm, sms);
}

enum gpu_end gpu_submit(struct gpu *g, const struct gpu_launch *l, uint64_t *ticket, struct err *e) {
  struct exec_grid *grid = l->grid;
  uint64_t ctas = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
  if (!acceptable(g, l, ctas, e)) return GPU_REFUSED;
  uint64_t *before = must_alloc(stats_count(g->stats) * sizeof *before);
  if (g->grids.n) settle(g);
  stats_snapshot(g->stats, before);
  if (!g->grids.n) begin_stretch(g, grid);
  gpu_llc_begin(g->llc, l->program, grid, g->now);
  grid->clock = grid_clock;
  grid->clock_user = g;
  grid->first_pc = gpu_residents_first_pc(&g->grids, grid->module);
  struct gpu_resident *r = gpu_residents_add(&g->grids, l, ctas);
  r->before = before;
  r->start = g->now;
  g->cta_sched->begin(&r->ctas);
  if (!g->programs[r->program].grids++) g->programs[r->program].since = g->now;
  g->dispatch_at = g->now;
  for (uint32_t i = 0; i < g->n_sms && g->profiling; i++) sm_profile_grow(&g->sms[i], grid->first_pc + grid->module->n_insts);
  *ticket = r->ticket;
  return GPU_DONE;
}

enum gpu_end gpu_advance(struct gpu *g, uint64_t until, struct gpu_finished *f, struct err *e) {
  if (!g->grids.n) return GPU_LATER;
  g->until = until > (MEM_NEVER - g->start) / g->core ? MEM_NEVER : g->start + until * g->core;
  set_mark(g);
  struct gpu_resident *ended = NULL;
  enum gpu_end end = loop(g, &ended, e);
  if (end == GPU_LATER) return end;
  if (end == GPU_DONE) return retire(g, ended, f, e);
  abandon(g, end, e);
  return end;
}

enum gpu_end gpu_run(struct gpu *g, struct exec_grid *grid, struct err *e) {
  uint64_t ticket;
  struct gpu_finished f;
  enum gpu_end end = gpu_submit(g, &(struct gpu_launch){.grid = grid}, &ticket, e);
  return end == GPU_DONE ? gpu_advance(g, UINT64_MAX, &f, e) : end;
}

uint64_t gpu_dirty_lines(const struct gpu *g) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->n_slices; i++) n += llc_dirty_lines(g->slices[i]);
  return n;
}

void gpu_copied_in(struct gpu *g, uint64_t address, uint64_t bytes) {
  /* A private slice has what its own cluster asked for: a copy is nobody's. */
  if (!bytes || !llc_fills_on_copy(g->slices[0]) || gpu_llc_private(g->llc)) return;
  for (uint64_t line = address & ~(uint64_t)(MEM_LINE - 1); line < address + bytes; line += MEM_LINE)
    llc_install_line(g->slices[mem_map_slice(g->map, line)], line, 0xf);
}

/* ---- results ---------------------------------------------------------------------------------------------------------------------- */

bool gpu_set_programs(struct gpu *g, uint32_t n, struct err *e) {
  uint32_t per = g->n_sms / g->clusters;
  if (n > GPU_MAX_PROGRAMS || n > g->n_sms)
    return err_set(e, ERR_LIMIT, "%u programs cannot share %u SMs (at most %d programs)", n, g->n_sms, GPU_MAX_PROGRAMS);
  if (per < n && !strcmp(g->cta_sched->name, "distributed"))
    return err_set(e, ERR_INPUT,
                   "gpu.cta_scheduler = distributed gives every cluster a part of the grid, but clusters of %u SMs cannot "
                   "be divided among %u programs",
                   per, n);
  if (per < n && g->clusters < n)
    return err_set(e, ERR_LIMIT, "%u clusters of %u SMs cannot be divided among %u programs", g->clusters, per, n);
  g->n_programs = n;
  g->programs[0].sum.sms = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) {
    uint32_t cluster = i / per, in = i % per; /* where the parts are not equal, the larger one goes around */
    g->program_of[i] = (uint8_t)(per < n ? cluster % n : (in * n / per + cluster) % n);
    g->programs[g->program_of[i]].sum.sms++;
  }
  gpu_llc_programs(g->llc, g->program_of, n);
  free(g->shares);
  g->shares = must_alloc((size_t)g->n_slices * n * sizeof *g->shares);
  for (uint32_t i = 0; i < g->n_slices; i++) {
    g->slices[i]->shares = &g->shares[(size_t)i * n];
    g->slices[i]->program_of = g->program_of;
  }
  return true;
}

void gpu_set_limits(struct gpu *g, const struct gpu_limits *l) { g->limits = *l; }
void gpu_set_progress(struct gpu *g, void (*fn)(void *, uint64_t, uint64_t), void *user) {
  g->progress = fn;
  g->progress_user = user;
}
void gpu_set_watch(struct gpu *g, const struct gpu_watch *w) {
  g->intervals.every = w->interval ? w->interval : w->stable_percent > 0 ? GPU_STABLE_CYCLES : 0;
  g->intervals.stable = w->stable_percent;
  g->intervals.slices = g->slices;
  g->intervals.n_slices = g->n_slices;
  g->intervals.now = &g->now;
  g->profiling = w->profile;
}

static bool l1_holds(void *user, uint32_t sm, uint64_t line) {
  const struct l1 *c = &((struct gpu *)user)->sms[sm].l1;
  return !l1_none(c->ops->held(c->org, line));
}

bool gpu_set_probes(struct gpu *g, const char *names, struct err *e) {
  enum { CLUSTERS = 8 };
  struct probe_shape shape = {.sms = g->n_sms,
                              .slices = g->n_slices,
                              .clusters = g->clusters,
                              .granule = (uint32_t)cfg_int(g->cfg, "l1.granule"),
                              .core_period = g->core,
                              .holds = l1_holds,
                              .user = g};
  if (shape.clusters < 2 || shape.clusters > CLUSTERS) shape.clusters = g->n_sms < CLUSTERS ? g->n_sms : CLUSTERS;
  g->probes = probe_set_new(names, &shape, e);
  for (uint32_t i = 0; g->probes && i < g->n_sms; i++) g->sms[i].tap = probe_sm_tap(g->probes, i);
  for (uint32_t i = 0; g->probes && i < g->n_slices; i++) g->slices[i]->tap = probe_slice_tap(g->probes, i);
  return g->probes != NULL;
}
struct probe_set *gpu_probes(const struct gpu *g) { return g->probes; }
void gpu_shuffle_visits(struct gpu *g, uint64_t seed) { g->shuffle.state = seed; }
void gpu_check_shadow_tags(struct gpu *g) { g->check_shadows = g->coop != NULL; }

uint32_t gpu_programs(const struct gpu *g) { return g->n_programs; }
const struct gpu_program *gpu_program_at(const struct gpu *g, uint32_t i) { return &g->programs[i].sum; }
struct llc_share gpu_program_l2(const struct gpu *g, uint32_t i) {
  struct llc_share sum = {0};
  for (uint32_t k = 0; k < g->n_slices && g->shares; k++) {
    const struct llc_share *p = &g->shares[(size_t)k * g->n_programs + i];
    sum.accesses += p->accesses;
    sum.hits += p->hits;
    sum.pending_hits += p->pending_hits;
    sum.misses += p->misses;
  }
  return sum;
}
uint32_t gpu_program_of(const struct gpu *g, uint32_t sm) { return g->program_of[sm]; }
const struct stats *gpu_stats(const struct gpu *g) { return g->stats; }
void gpu_sm_stats(const struct gpu *g, size_t *first, size_t *end) {
  *first = g->first_sm_stat;
  *end = g->end_sm_stats;
}
const char *gpu_stopped(const struct gpu *g) { return g->stopped; }
size_t gpu_intervals(const struct gpu *g) { return g->intervals.n; }
const struct gpu_interval *gpu_interval_at(const struct gpu *g, size_t i) { return &g->intervals.rows[i]; }
uint32_t gpu_slices(const struct gpu *g) { return g->n_slices; }
size_t gpu_lines(const struct gpu *g) { return g->profile.n; }
const struct gpu_line *gpu_line_at(const struct gpu *g, size_t i) { return &g->profile.lines[i]; }
const char *gpu_stall_name(size_t i) {
  const char *name = sm_stat_defs[SM_S_STALL_FIRST + i].name;
  return i == SM_STALL_NONE ? NULL : name + strlen("sm.stall_");
}
size_t gpu_kernels(const struct gpu *g) { return g->n_kernels; }
const struct gpu_kernel *gpu_kernel_at(const struct gpu *g, size_t i) { return &g->kernels[i]; }
uint64_t gpu_cycles(const struct gpu *g) { return g->before_run; }
uint64_t gpu_core_hz(const struct gpu *g) { return (uint64_t)(cfg_real(g->cfg, "gpu.core_clock") * 1e6); }
const struct cfg *gpu_config(const struct gpu *g) { return g->cfg; }
