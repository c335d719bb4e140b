/* See ncu_metrics.h. */
#include "lab/ncu_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOAD "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
#define STALLED(why, cycles)                                                                                                      \
  {"smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio", "warps", NCU_RATIO, {cycles}, {"sm.issue_slots_used"}, 0}

const struct ncu_metric_row ncu_metric_rows[] = {
    {"gpu__time_duration.sum", "ns", NCU_TIME, {"cycles"}, {0}, 0},
    {"sm__cycles_elapsed.max", "cycles", NCU_SUM, {"cycles"}, {0}, 0},
    {"sm__cycles_active.sum", "cycles", NCU_SUM, {"sm.active_cycles"}, {0}, 0},
    {"smsp__inst_executed.sum", "instructions", NCU_SUM, {"sm.issue_slots_used", "sm.dual_issues"}, {0}, 0},
    {"smsp__thread_inst_executed_pred_on.sum", "instructions", NCU_SUM, {"thread_instructions"}, {0}, 0},
    {"l1tex__t_sector_hit_rate.pct", "%", NCU_PERCENT, {"l1d.load_sectors_hit", "l1d.store_sectors_hit"},
     {"l1d.load_sectors", "l1d.store_sectors"}, 0},
    {LOAD ".sum", "sectors", NCU_SUM, {"l1d.load_sectors"}, {0}, 0},
    {LOAD "_lookup_hit.sum", "sectors", NCU_SUM, {"l1d.load_sectors_hit"}, {0}, 0},
    {LOAD "_lookup_miss.sum", "sectors", NCU_DIFFERENCE, {"l1d.load_sectors"}, {"l1d.load_sectors_hit"}, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors", NCU_SUM, {"l1d.store_sectors"}, {0}, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", "sectors", NCU_SUM, {"l1d.store_sectors_hit"}, {0}, 0},
    {"l1tex__m_xbar2l1tex_read_bytes.sum", "bytes", NCU_SUM, {"l1d.fill_bytes"}, {0}, 0},
    {"lts__t_requests_srcunit_tex.sum", "requests", NCU_SUM, {"l2.accesses"}, {0}, 0},
    {"lts__t_sectors_srcunit_tex.sum", "sectors", NCU_SUM, {"l2.sectors"}, {0}, 0},
    {"lts__t_sectors_srcunit_tex_lookup_hit.sum", "sectors", NCU_SUM, {"l2.sectors_hit"}, {0}, 0},
    {"lts__t_sectors_srcunit_tex_lookup_miss.sum", "sectors", NCU_DIFFERENCE, {"l2.sectors"}, {"l2.sectors_hit"}, 0},
    {"lts__t_sector_hit_rate.pct", "%", NCU_PERCENT, {"l2.sectors_hit"}, {"l2.sectors"}, 0},
    {"dram__bytes_read.sum", "bytes", NCU_SUM, {"l2.fetched_sectors"}, {0}, 32},
    {"dram__bytes.sum", "bytes", NCU_SUM, {"dram.bytes"}, {0}, 0},
    STALLED("long_scoreboard", "sm.warps_memory"),
    STALLED("short_scoreboard", "sm.warps_short"),
    STALLED("wait", "sm.warps_result"),
    STALLED("barrier", "sm.warps_barrier"),
    STALLED("membar", "sm.warps_fence"),
    STALLED("no_instruction", "sm.warps_fetch"),
    STALLED("lg_throttle", "sm.warps_queue"),
    STALLED("mio_throttle", "sm.warps_shared"),
    STALLED("not_selected", "sm.warps_ready"),
    {0},
};

/* NAN if it is not there. */
static double member(const json_t *at, const char *name) {
  for (const char *dot; at && (dot = strchr(name, '.')); name = dot + 1) at = json_object_getn(at, name, (size_t)(dot - name));
  const json_t *v = json_object_get(at, name);
  return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Sequences are counted by presets that have them. */
static double sum(const json_t *of, const char *const *names) {
  double all = 0;
  for (unsigned i = 0; i < 4 && names[i]; i++) {
    double v = member(of, names[i]);
    all += isnan(v) && i ? 0 : v;
  }
  return all;
}

static double core_clock(const json_t *report) {
  const json_t *v = json_object_get(json_object_get(report, "config"), "gpu.core_clock");
  return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_is_number(v) ? json_number_value(v) : NAN;
}

static double row_value(const json_t *report, const json_t *of, const struct ncu_metric_row *r) {
  double v = sum(of, r->of) * (r->scale > 0 ? r->scale : 1);
  switch (r->kind) {
  case NCU_TIME: return v * 1000 / core_clock(report);
  case NCU_DIFFERENCE: return v - sum(of, r->over);
  case NCU_PERCENT: return sum(of, r->over) > 0 ? 100 * v / sum(of, r->over) : NAN;
  case NCU_RATIO: return sum(of, r->over) > 0 ? v / sum(of, r->over) : NAN;
  default: return v;
  }
}

double ncu_value(const json_t *report, const json_t *of, const char *name) {
  for (const struct ncu_metric_row *r = ncu_metric_rows; r->name; r++)
    if (!strcmp(r->name, name)) return row_value(report, of, r);
  return NAN;
}

json_t *ncu_values(const json_t *report, const json_t *of) {
  json_t *all = json_object();
  for (const struct ncu_metric_row *r = ncu_metric_rows; r->name; r++) {
    double v = row_value(report, of, r);
    if (isfinite(v)) json_object_set_new(all, r->name, json_real(v));
  }
  return all;
}
