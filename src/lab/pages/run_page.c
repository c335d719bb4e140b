/* See run_page.h. Kernels and intervals have hundreds of numbers each; the page gets those that it shows, as rows of
 * one table. */
#include "lab/pages/run_page.h"

#include "base/version.h"
#include "lab/pages/page_file.h"
#include "lab/units.h"

#include <string.h>
#include <time.h>

LAB_PAGE_EMBED(run_html, "src/lab/pages/run_page.html")
LAB_PAGE_EMBED(run_base, "src/lab/pages/run_page.js")
LAB_PAGE_EMBED(run_time, "src/lab/pages/run_time.js")
LAB_PAGE_EMBED(run_memory, "src/lab/pages/run_memory.js")
LAB_PAGE_EMBED(run_source, "src/lab/pages/run_source.js")

static const struct lab_page_part parts[] = {
    {"/* the runs */\n", page_run_base},
    {"/* time lines and maps */\n", page_run_time},
    {"/* memory and roofline */\n", page_run_memory},
    {"/* source */\n", page_run_source},
    {NULL, NULL},
};

/* Of kernels and intervals; names as in reports. */
static const char *const columns[] = {
    "cycles", "ipc", "warp_instructions", "thread_instructions", "sm.active_cycles", "sm.ctas", "sm.issue_slots_used", "sm.stall_memory",
    "sm.stall_alu", "sm.stall_lsu", "sm.stall_pipe", "sm.stall_barrier", "sm.stall_fetch", "sm.stall_fence", "sm.stall_held",
    "sm.stall_idle", "sm.thread_instructions", "sm.loads", "sm.stores", "sm.load_latency", "sm.segments", "sm.memory_instructions",
    "sm.shared_accesses", "sm.bank_conflicts", "sm.fp32_operations", "sm.fp64_operations", "sm.tensor_operations", "l1d.accesses",
    "l1d.hits", "l1d.pending_hits", "l1d.misses", "l1d.reservation_fails", "l1d.load_sectors", "l1d.load_sectors_hit",
    "l1d.store_sectors", "noc.request_flits", "noc.reply_flits", "l2.accesses", "l2.hits", "l2.pending_hits", "l2.misses", "l2.sectors",
    "l2.sectors_hit", "dram.reads", "dram.writes", "dram.row_hits", "dram.bytes", "dram.busy", "energy.core", "energy.register_file",
    "energy.shared", "energy.l1", "energy.l2", "energy.noc", "energy.dram", "energy.added", "energy.static", "energy.total", "power.total",
    NULL};

/* What the page takes from a report as it is; what is not there is left out. */
static const char *const taken[] = {
    "program", "gpu", "mode", "stopped", "output_ok", "failures", "cycles", "warp_instructions", "thread_instructions", "ipc",
    "simulated_ns", "launches", "copies", "copied_bytes", "host", "peak", "config", "sm", "l1d", "const", "tex", "inst", "noc", "l2",
    "dram", "reply", "coop", "energy", "power", "area", "operations", "streams", "ctas", "profile", "ptx", "sources", "stp", "antt", NULL};

static json_t *at(const json_t *root, const char *name) {
  const json_t *o = root;
  for (const char *dot; o && (dot = strchr(name, '.')); name = dot + 1) o = json_object_getn(o, name, (size_t)(dot - name));
  return o ? json_object_get(o, name) : NULL;
}

static json_t *row_of(const json_t *from) {
  json_t *row = json_array();
  for (size_t i = 0; columns[i]; i++) {
    json_t *v = at(from, columns[i]);
    json_array_append_new(row, v ? json_incref(v) : json_null());
  }
  return row;
}

static void keep(json_t *to, const json_t *from, const char *const *names) {
  for (size_t i = 0; names[i]; i++) {
    json_t *v = json_object_get(from, names[i]);
    if (v) json_object_set(to, names[i], v);
  }
}

/* Each with its numbers as "row", and with the named members. */
static json_t *rows_of(const json_t *list, const char *const *names) {
  json_t *out = json_array(), *o;
  size_t i;
  json_array_foreach(list, i, o) {
    json_t *one = json_object();
    keep(one, o, names);
    json_object_set_new(one, "row", row_of(o));
    json_array_append_new(out, one);
  }
  return out;
}

static json_t *run_of(const json_t *report, const char *name) {
  static const char *const of_kernel[] = {"name", "start_cycle", "grid", "block", "registers", "shared_bytes", "ctas_per_sm",
                                          "overlapped", NULL};
  static const char *const of_interval[] = {"kernel", "first_cycle", "each", NULL};
  json_t *run = json_pack("{s:s}", "called", name);
  keep(run, report, taken);
  json_object_set_new(run, "kernels", rows_of(json_object_get(report, "kernels"), of_kernel));
  json_object_set_new(run, "intervals", rows_of(json_object_get(report, "intervals"), of_interval));
  return run;
}

/* {"l1d.hits": ["accesses", "..."]}, of every number of a report's statistics. */
static void add_units(json_t *out, const struct lab_units *u, const json_t *o, const char *prefix) {
  const char *key;
  json_t *v;
  json_object_foreach((json_t *)o, key, v) {
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
    if (json_is_object(v) && !*prefix) add_units(out, u, v, name);
    if (!json_is_number(v) || !*lab_meaning(u, name)) continue;
    json_object_set_new(out, name, json_pack("[s,s]", lab_unit(u, name), lab_meaning(u, name)));
  }
}

static json_t *units_of(const json_t *report) {
  struct lab_units *u = lab_units_new(json_object_get(report, "config"));
  json_t *out = json_object();
  add_units(out, u, report, "");
  lab_units_delete(u);
  return out;
}

bool lab_run_page_write(json_t *const *reports, const char *const *names, unsigned n, const char *path, struct err *e) {
  json_t *runs = json_array(), *list = json_array();
  for (unsigned i = 0; i < n; i++) json_array_append_new(runs, run_of(reports[i], names[i]));
  for (size_t i = 0; columns[i]; i++) json_array_append_new(list, json_string(columns[i]));
  char made[32];
  time_t now = time(NULL);
  strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  json_t *data = json_pack("{s:s, s:s, s:o, s:o, s:o}", "made", made, "version", HEDDLE_VERSION, "columns", list, "units",
                           units_of(reports[0]), "runs", runs);
  bool ok = lab_page_file(page_run_html, parts, data, path, e);
  json_decref(data);
  return ok;
}
