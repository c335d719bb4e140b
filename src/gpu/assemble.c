/* Builds a GPU from its configuration and takes it apart: clock domains, components, and the ports between them.
 *
 * Owns: the order in which parts are created and their statistics registered, which is the order in which statistics
 * are reported. Does not: let time pass. */
#include "gpu/gpu_parts.h"

#include "base/arena.h"
#include "coop/coop.h"
#include "dram/dram.h"
#include "gpu/team.h"
#include "llc/llc.h"
#include "llc/llc_control.h"
#include "llc/llc_share.h"
#include "mem/mem_map.h"
#include "gpu/sample/follow.h"
#include "probe/probe.h"
#include "sm/sm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* No more threads than the computer has CPUs for: they would only take turns. */
static void make_members(struct gpu *g) {
  unsigned threads = (unsigned)cfg_int(g->cfg, "gpu.threads"), cpus = gpu_team_cpus();
  bool all = cfg_bool(g->cfg, "gpu.all_threads");
  g->team = gpu_team_new(all || threads < cpus ? threads : cpus);
  gpu_pace_init(&g->pace, gpu_team_size(g->team), all);
  g->members = must_alloc_lines(gpu_team_size(g->team) * sizeof *g->members);
}

/* For one component, which several threads visit, but never two at once. */
static struct mem_pool *pool_of_one(const struct gpu *g) {
  return gpu_team_size(g->team) > 1 ? mem_pool_branch(g->pool) : g->pool;
}

/* ---- who is awake ---- */

static void set_init(struct gpu_set *s, uint32_t n) {
  s->n = (n + 63) / 64;
  s->words = must_alloc_lines(s->n * sizeof *s->words);
  s->due = must_alloc_lines(s->n * sizeof *s->due);
  s->at = must_alloc_lines(n * sizeof *s->at);
}

static void follow(struct gpu_set *s, uint32_t i, struct mem_wake *w) {
  w->awake = &s->words[i / 64];
  w->bit = UINT64_C(1) << i % 64;
  *w->awake |= w->bit;
  w->copy = &s->at[i];
  *w->copy = w->at;
}

static void follow_all(struct gpu *g) {
  set_init(&g->awake.sms, g->n_sms);
  set_init(&g->awake.slices, g->n_slices);
  set_init(&g->awake.channels, g->n_channels);
  for (uint32_t i = 0; i < g->n_sms; i++) follow(&g->awake.sms, i, &g->sms[i].wake);
  for (uint32_t i = 0; i < g->n_slices; i++) follow(&g->awake.slices, i, &g->slices[i]->wake);
  for (uint32_t i = 0; i < g->n_channels; i++) follow(&g->awake.channels, i, &g->channels[i]->wake);
  for (unsigned i = 0; i < gpu_team_size(g->team); i++) g->members[i].changed = must_alloc_lines(g->awake.sms.n * sizeof(uint64_t));
}

static void forget_all(struct gpu *g) {
  for (unsigned i = 0; i < gpu_team_size(g->team); i++) free(g->members[i].changed);
  struct gpu_set *const sets[] = {&g->awake.sms, &g->awake.slices, &g->awake.channels};
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) free(sets[i]->words), free(sets[i]->due), free(sets[i]->at);
}

static bool make_sms(struct gpu *g, struct err *e) {
  g->first_sm_stat = stats_count(g->stats);
  g->sm_config = must_alloc(sizeof *g->sm_config);
  if (!sm_read_config(g->sm_config, g->cfg, e)) return false;
  g->sms = must_alloc_lines(g->n_sms * sizeof *g->sms);
  g->sm_in = must_alloc_lines(g->n_sms * sizeof *g->sm_in);
  g->sm_stamps = must_alloc_lines(g->n_sms * sizeof *g->sm_stamps);
  for (uint32_t i = 0; i < g->n_sms; i++) {
    struct sm *s = &g->sms[i];
    if (!sm_init(s, i, g->sm_config, g->cfg, pool_of_one(g), g->core, e)) return false;
    s->stamp = &g->sm_stamps[i];
    l1_follow(&s->l1, &g->sms[0].l1);
    /* Replies that are being unpacked are in the stages of the decompressor, beyond the queue. */
    uint64_t unpack = reply_unpack_latency(g->cfg, g->noc, g->core);
    uint32_t queue = (uint32_t)cfg_int(g->cfg, "sm.reply_queue") + (uint32_t)(unpack / g->core);
    mem_port_init(&g->sm_in[i], queue, 1, &s->wake, NULL);
    g->sm_in[i].unpack = unpack;
    s->from_net = &g->sm_in[i];
    s->to_net = noc_input(&g->fabric.request, i, &s->wake);
    noc_connect(&g->fabric.reply, i, s->from_net);
    stats_watch(g->stats, s->stamp);
    stats_register(g->stats, sm_stat_defs, SM_STATS, s->stats, i);
    stats_watch(g->stats, NULL);
    policy_register(g->stats, sm_schedulers, &s->sched_ops->policy, s->sched_stats, i);
    l1_register(&s->l1, g->stats, s->stamp, i);
    stats_watch(g->stats, s->stamp);
    stats_register(g->stats, sm_ro_stat_defs[0], RO_STATS, s->constant.stats, i);
    stats_register(g->stats, sm_ro_stat_defs[1], RO_STATS, s->texture.stats, i);
    stats_register(g->stats, sm_ro_stat_defs[2], RO_STATS, s->instruction.stats, i);
    stats_watch(g->stats, NULL);
  }
  g->end_sm_stats = stats_count(g->stats);
  g->stale = gpu_stale_new(g->cfg, g->sms, g->n_sms);
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
  g->slice_stamps = must_alloc_lines(g->n_slices * sizeof *g->slice_stamps);
  g->slices_checked = must_alloc(g->n_slices * sizeof *g->slices_checked);
  for (uint32_t i = 0; i < g->n_slices; i++) {
    struct llc_place place = {.id = i, .period = g->l2, .map = g->map, .pool = pool_of_one(g), .sms = g->n_sms};
    g->slices[i] = llc_slice_new(g->cfg, &place, e);
    if (!g->slices[i]) return false;
    g->slices[i]->stamp = &g->slice_stamps[i];
    if (!reply_filter_init(&g->filters[i], g->cfg, &filtered, e)) return false;
    if (filtered) g->slices[i]->filter = &g->filters[i];
    if (g->coop && g->coop->ops->peers) {
      g->slices[i]->peers = g->coop->ops->peers(g->coop, i, &g->slices[i]->observers);
      g->slices[i]->peers->answers.consumer = &g->slices[i]->wake;
    }
    reply_filter_register(&g->filters[i], g->stats, i);
    noc_connect(&g->fabric.request, i, &g->slices[i]->in);
    g->slices[i]->copies = g->fabric.reply.net->topology->copies;
    llc_register(g->slices[i], g->stats);
  }
  gpu_packing_init(&g->packing, g->cfg, g->slices, g->n_slices, g->l2, g->noc, g->stats);
  return true;
}

static bool make_channels(struct gpu *g, struct err *e) {
  g->channels = must_alloc(g->n_channels * sizeof *g->channels);
  uint32_t per = g->n_slices / g->n_channels;
  for (uint32_t i = 0; i < g->n_channels; i++) {
    struct dram_place place = {
        .id = i, .period = g->dram, .latency_period = g->l2, .map = g->map, .pool = pool_of_one(g)};
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

static uint64_t slice_of(const void *view, uint64_t line) { return llc_view_slice(view, line); }

static bool make_llc(struct gpu *g, struct err *e) {
  struct llc_control_place place = {.map = g->map,
                                    .slices = g->slices,
                                    .n_sms = g->n_sms,
                                    .n_slices = g->n_slices,
                                    .core = g->core,
                                    .l2 = g->l2,
                                    .gpu = gpu_llc_hooks(g)};
  g->llc = llc_control_new(g->cfg, &place, e);
  if (!g->llc) return false;
  llc_control_register(g->llc, g->stats);
  for (uint32_t i = 0; i < g->n_sms; i++) {
    g->sms[i].slice_of = slice_of;
    g->sms[i].slice_user = llc_control_view(g->llc, i);
  }
  return true;
}

static bool choose_cta_sched(struct gpu *g, struct err *e) {
  uint32_t clusters = (uint32_t)cfg_int(g->cfg, "gpu.clusters");
  if (g->n_sms % clusters)
    return cfg_complain(g->cfg, "gpu.clusters", e, "it does not divide the %u SMs", g->n_sms);
  g->clusters = clusters;
  g->gpc_sms = (uint32_t)cfg_int(g->cfg, "gpu.gpc_sms");
  g->takes_from = must_alloc(g->n_sms * sizeof *g->takes_from);
  g->leaving = must_alloc(g->n_sms * sizeof *g->leaving);
  g->used_sms = must_alloc((g->n_sms + 63) / 64 * sizeof *g->used_sms);
  g->warm.unknown = must_alloc(g->n_sms * sizeof *g->warm.unknown);
  g->program_of = must_alloc(g->n_sms);
  g->n_programs = 1;
  g->programs[0].sum.sms = g->n_sms;
  const struct gpu_cta_sched *s = cfg_policy(g->cfg, "gpu.cta_scheduler");
  g->cta_stats = policy_counters(&s->policy);
  policy_register(g->stats, gpu_cta_scheds, &s->policy, g->cta_stats, 0);
  return gpu_residents_init(&g->grids, g->cfg, &(struct gpu_cta_place){g->n_sms, clusters, g->cta_stats}, e);
}

static bool assemble(struct gpu *g, struct err *e) {
  g->n_sms = (uint32_t)cfg_int(g->cfg, "gpu.sms");
  g->watchdog = (uint64_t)cfg_int(g->cfg, "gpu.watchdog");
  g->max_thread_instructions = (uint64_t)cfg_int(g->cfg, "gpu.max_thread_instructions");
  g->cta_turns = cfg_bool(g->cfg, "gpu.cta_turns");
  g->cold_kernels = cfg_bool(g->cfg, "gpu.cold_kernels");
  g->map = mem_map_new(g->cfg, e);
  if (!g->map || !make_clocks(g, e)) return false;
  g->launch_latency = (uint64_t)cfg_int(g->cfg, "gpu.launch_latency") * g->core;
  g->end_latency = (uint64_t)cfg_int(g->cfg, "gpu.end_latency") * g->core;
  double rate = cfg_real(g->cfg, "gpu.cta_rate");
  g->cta_period = rate > 0 ? (uint64_t)ceil((double)g->core / rate) : 0;
  rate = cfg_real(g->cfg, "gpu.cta_end_rate");
  g->end_period = rate > 0 ? (uint64_t)ceil((double)g->core / rate) : 0;
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
  make_members(g);
  if (!assemble(g, e)) {
    gpu_delete(g);
    return NULL;
  }
  follow_all(g);
  gpu_use_threads(g);
  return g;
}

void gpu_delete(struct gpu *g) {
  if (!g) return;
  forget_all(g);
  gpu_team_delete(g->team);
  free(g->members);
  gpu_feedback_free(&g->feedback);
  for (uint32_t i = 0; g->channels && i < g->n_channels; i++) dram_channel_delete(g->channels[i]);
  for (uint32_t i = 0; g->slices && i < g->n_slices; i++) llc_slice_delete(g->slices[i]);
  for (uint32_t i = 0; g->filters && i < g->n_slices; i++) reply_filter_free(&g->filters[i]);
  for (uint32_t i = 0; g->sms && i < g->n_sms; i++) {
    sm_free(&g->sms[i]);
    mem_port_free(&g->sm_in[i]);
  }
  llc_control_delete(g->llc);
  gpu_stale_delete(g->stale);
  coop_delete(g->coop);
  noc_fabric_free(&g->fabric);
  mem_map_delete(g->map);
  gpu_residents_free(&g->grids);
  free(g->takes_from);
  free(g->leaving);
  free(g->sm_stamps);
  free(g->slice_stamps);
  free(g->slices_checked);
  free(g->used_sms);
  free(g->warm.unknown);
  free(g->cta_stats);
  free(g->program_of);
  llc_shares_delete(g->shares);
  for (size_t i = 0; i < g->n_folded; i++) {
    free(g->folded[i].name);
    free(g->folded[i].counters);
  }
  free(g->folded);
  for (size_t i = 0; i < g->n_kernels; i++) {
    free(g->kernels[i].name);
    free(g->kernels[i].counters);
    free(g->kernels[i].doubt);
  }
  gpu_intervals_free(&g->intervals);
  gpu_profile_free(&g->profile);
  gpu_cta_record_free(&g->ctas);
  gpu_trace_delete(g->trace);
  probe_set_delete(g->probes);
  gpu_follow_free(g);
  free(g->stopped);
  free(g->kernels);
  free(g->channels);
  free(g->slices);
  free(g->filters);
  gpu_packing_free(&g->packing);
  free(g->sms);
  free(g->sm_config);
  free(g->sm_in);
  stats_delete(g->stats);
  mem_pool_delete(g->pool);
  cfg_delete(g->cfg);
  free(g);
}
