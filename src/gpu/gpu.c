/* What a caller sets before a run and asks after it: see gpu.h. The run itself is in assemble.c, instant.c,
 * run_loop.c and grids.c. */
#include "gpu/gpu_parts.h"

#include "base/arena.h"
#include "coop/coop.h"
#include "llc/llc.h"
#include "llc/llc_control.h"
#include "llc/llc_share.h"
#include "mem/mem_map.h"
#include "probe/probe.h"
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

/* ---- settings ---------------------------------------------------------------------------------------------------------------- */

bool gpu_set_programs(struct gpu *g, uint32_t n, struct err *e) {
  uint32_t per = g->n_sms / g->clusters;
  if (n > GPU_MAX_PROGRAMS || n > g->n_sms)
    return err_set(e, ERR_LIMIT, "%u programs cannot share %u SMs (at most %d programs)", n, g->n_sms, GPU_MAX_PROGRAMS);
  if (per < n && g->grids.sched->cluster_parts)
    return err_set(e, ERR_INPUT,
                   "gpu.cta_scheduler = %s gives every cluster a part of the grid, but clusters of %u SMs cannot "
                   "be divided among %u programs",
                   g->grids.sched->policy.name, per, n);
  if (per < n && g->clusters < n)
    return err_set(e, ERR_LIMIT, "%u clusters of %u SMs cannot be divided among %u programs", g->clusters, per, n);
  g->n_programs = n;
  g->programs[0].sum.sms = 0;
  for (uint32_t i = 0; i < g->n_sms; i++) {
    uint32_t cluster = i / per, in = i % per; /* where the parts are not equal, the larger one rotates */
    g->program_of[i] = (uint8_t)(per < n ? cluster % n : (in * n / per + cluster) % n);
    g->programs[g->program_of[i]].sum.sms++;
  }
  llc_control_programs(g->llc, g->program_of, n);
  if (!g->shares) g->shares = llc_shares_new(g->slices, g->n_slices, g->program_of);
  return true;
}

void gpu_set_limits(struct gpu *g, const struct gpu_limits *l) { g->limits = *l; }
void gpu_set_progress(struct gpu *g, void (*fn)(void *, uint64_t, uint64_t), void *user) {
  g->progress = fn;
  g->progress_user = user;
}
void gpu_set_watch(struct gpu *g, const struct gpu_watch *w) {
  bool open = w->detail && !w->interval && !(w->stable_percent > 0); /* nobody said how long an interval is */
  g->intervals.every = w->interval ? w->interval : open ? GPU_DETAIL_CYCLES : w->stable_percent > 0 ? GPU_STABLE_CYCLES : 0;
  g->intervals.most = open ? 2 * GPU_DETAIL_ROWS : 0;
  g->intervals.by_instance = w->detail;
  g->intervals.stable = w->stable_percent;
  g->intervals.slices = g->slices;
  g->intervals.n_slices = g->n_slices;
  g->intervals.now = &g->now;
  g->profiling = w->profile;
  if (w->trace_bytes)
    g->trace = gpu_trace_new(&(struct gpu_trace_shape){.sms = g->sms, .slices = g->slices, .n_sms = g->n_sms, .n_slices = g->n_slices,
                                                       .warps = g->sms[0].config->warps, .core = g->core, .bytes = w->trace_bytes});
  size_t ctas = w->detail ? GPU_MOST_CTAS : 0;
  if (g->trace && gpu_trace_ctas(g->trace) > ctas) ctas = gpu_trace_ctas(g->trace);
  if (ctas) gpu_cta_record_open(&g->ctas, g->n_sms, ctas);
}

struct gpu_trace_kept gpu_write_trace(struct gpu *g, const struct gpu_trace_clock *clock, struct trace_file *to) {
  struct gpu_trace_kept kept = {0};
  if (g->trace) kept = gpu_trace_put(g->trace, g->ctas.rows, g->ctas.n, clock, to);
  kept.cta_step = g->ctas.step;
  return kept;
}

static bool l1_holds(void *user, uint32_t sm, uint64_t line) {
  return !mem_none(l1_held(&((struct gpu *)user)->sms[sm].l1, line));
}

static bool read_memory(void *user, uint64_t line, uint8_t *block) {
  return gpu_packing_read(&((struct gpu *)user)->packing, line, block);
}

bool gpu_set_probes(struct gpu *g, const char *names, struct err *e) {
  enum { CLUSTERS = 8 };
  struct probe_shape shape = {.sms = g->n_sms,
                              .slices = g->n_slices,
                              .clusters = g->clusters,
                              .granule = (uint32_t)cfg_int(g->cfg, "l1.granule"),
                              .core_period = g->core,
                              .untimed = g->follow != NULL,
                              .holds = l1_holds,
                              .read = read_memory,
                              .user = g};
  if (shape.clusters < 2 || shape.clusters > CLUSTERS) shape.clusters = g->n_sms < CLUSTERS ? g->n_sms : CLUSTERS;
  g->probes = probe_set_new(names, &shape, e);
  for (uint32_t i = 0; g->probes && i < g->n_sms; i++) {
    probe_follow_sm(g->probes, i, &g->sms[i].observers);
    probe_follow_sm(g->probes, i, &g->sms[i].l1.observers);
  }
  for (uint32_t i = 0; g->probes && i < g->n_slices; i++) probe_follow_slice(g->probes, i, &g->slices[i]->observers);
  return g->probes != NULL;
}
struct probe_set *gpu_probes(const struct gpu *g) { return g->probes; }
unsigned gpu_threads(const struct gpu *g) { return gpu_team_size(g->team); }
double gpu_threads_used(const struct gpu *g) { return gpu_pace_mean(&g->pace); }
void gpu_shuffle_visits(struct gpu *g, uint64_t seed) { g->shuffle.state = seed; }
void gpu_check_shadow_tags(struct gpu *g) { g->check_shadows = g->coop != NULL; }

/* ---- what copies put into L2, and what is there ------------------------------------------------------------------------------- */

uint64_t gpu_dirty_lines(const struct gpu *g) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->n_slices; i++) n += llc_dirty_lines(g->slices[i]);
  return n;
}

void gpu_count_skipped(struct gpu *g, uint64_t warp_instructions, uint64_t thread_instructions) {
  g->skipped.warp_instructions += warp_instructions;
  g->skipped.thread_instructions += thread_instructions;
}
void gpu_set_wave_error(struct gpu *g, double error) { g->wave_error = error; }

void gpu_copied(struct gpu *g, enum gpu_copy kind, uint64_t address, uint64_t bytes) {
  static const enum llc_copy kinds[] = {LLC_COPY_IN, LLC_COPY_OUT, LLC_COPY_WITHIN};
  /* A private slice has what its own cluster asked for: a copy is nobody's. */
  if (!bytes || !llc_fills_on_copy(g->slices[0], kinds[kind]) || llc_control_private(g->llc)) return;
  for (uint64_t line = address & ~(uint64_t)(MEM_LINE - 1); line < address + bytes; line += MEM_LINE)
    llc_install_line(g->slices[mem_map_slice(g->map, line)], line, 0xf);
}

void gpu_set_aside(struct gpu *g, uint32_t sixteenths) {
  for (uint32_t i = 0; i < g->n_slices; i++) llc_set_aside(g->slices[i], sixteenths);
}

void gpu_unkeep_lines(struct gpu *g) {
  for (uint32_t i = 0; i < g->n_slices; i++) llc_unkeep_all(g->slices[i]);
}

/* ---- results ------------------------------------------------------------------------------------------------------------------- */

uint32_t gpu_programs(const struct gpu *g) { return g->n_programs; }
const struct gpu_program *gpu_program_at(const struct gpu *g, uint32_t i) { return &g->programs[i].sum; }
struct llc_share gpu_program_l2(const struct gpu *g, uint32_t i) {
  return g->shares ? llc_shares_sum(g->shares, i) : (struct llc_share){0};
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
size_t gpu_listings(const struct gpu *g) { return g->profile.n_listings; }
const struct gpu_listing *gpu_listing_at(const struct gpu *g, size_t i) { return &g->profile.listings[i]; }
bool gpu_detailed(const struct gpu *g) { return g->intervals.by_instance; }
size_t gpu_ctas(const struct gpu *g) { return g->ctas.n; }
const struct gpu_cta *gpu_cta_at(const struct gpu *g, size_t i) { return &g->ctas.rows[i]; }
uint64_t gpu_cta_step(const struct gpu *g) { return g->ctas.step; }
const char *gpu_stall_name(size_t i) {
  const char *name = sm_stat_defs[SM_S_STALL_FIRST + i].name;
  return i == SM_STALL_NONE ? NULL : name + strlen("sm.stall_");
}
void gpu_set_row_limit(struct gpu *g, size_t launches) { g->row_limit = launches; }
size_t gpu_folded(const struct gpu *g) { return g->n_folded; }
const struct gpu_kernel *gpu_folded_at(const struct gpu *g, size_t i) { return &g->folded[i]; }
size_t gpu_kernels(const struct gpu *g) { return g->n_kernels; }
const struct gpu_kernel *gpu_kernel_at(const struct gpu *g, size_t i) { return &g->kernels[i]; }
uint64_t gpu_cycles(const struct gpu *g) { return g->before_run; }
uint64_t gpu_core_hz(const struct gpu *g) { return (uint64_t)(cfg_real(g->cfg, "gpu.core_clock") * 1e6); }
const struct cfg *gpu_config(const struct gpu *g) { return g->cfg; }
