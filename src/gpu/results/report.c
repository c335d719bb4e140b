/* See report.h. */
#include "gpu/results/report.h"

#include "base/arena.h"
#include "cost/energy.h"
#include "gpu/results/measure.h"
#include "llc/llc_share.h"
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

/* Sets root.a.b.c = value for the name "a.b.c", making objects on the way. Takes over the value. */
static void put(json_t *root, const char *name, json_t *value) {
  json_t *at = root;
  for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) {
    json_t *next = json_object_getn(at, name, (size_t)(dot - name));
    if (!next) {
      next = json_object();
      json_object_setn_new(at, name, (size_t)(dot - name), next);
    }
    at = next;
  }
  json_object_set_new(at, name, value);
}

static void put_count(json_t *root, const char *name, uint64_t v) {
  put(root, name, json_integer((json_int_t)v));
}

static void put_rates(json_t *o, uint64_t cycles, uint64_t warp, uint64_t thread) {
  put_count(o, "cycles", cycles);
  put_count(o, "warp_instructions", warp);
  put_count(o, "thread_instructions", thread);
  json_object_set_new(o, "ipc", json_real(cycles ? (double)thread / (double)cycles : 0));
}

static void put_shape(json_t *o, const char *name, const uint32_t *n) {
  json_object_set_new(o, name, json_pack("[i,i,i]", (int)n[0], (int)n[1], (int)n[2]));
}

static json_t *kernel_object(const struct gpu *g, const struct cost_energy *energy, const struct gpu_kernel *k) {
  const struct stats *s = gpu_stats(g);
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(k->name));
  if (k->launches > 1) put_count(o, "launches", k->launches);
  put_rates(o, k->cycles, k->warp_instructions, k->thread_instructions);
  put_count(o, "start_cycle", k->start);
  put_shape(o, "grid", k->grid);
  put_shape(o, "block", k->block);
  put_count(o, "registers", k->registers);
  put_count(o, "shared_bytes", k->shared);
  put_count(o, "ctas_per_sm", k->ctas_per_sm);
  json_object_set_new(o, "overlapped", json_boolean(k->beside));
  if (gpu_programs(g) > 1) put_count(o, "program", k->program);
  if (k->skipped_ctas) put_count(o, "skipped_ctas", k->skipped_ctas);
  for (size_t i = 0; i < stats_count(s); i++) put_count(o, stats_def(s, i)->name, k->counters[i]);
  cost_energy_put(energy, k->counters, k->cycles, o);
  return o;
}

/* {"sm": {"issue_slots_used": [of each SM]}, ...} */
static void put_each(json_t *o, const struct stats *s, const uint64_t *each) {
  for (unsigned k = 0; k < GPU_EACH; k++) {
    json_t *list = json_array();
    for (size_t n = gpu_each_instances(s, k); n; n--) json_array_append_new(list, json_integer((json_int_t)*each++));
    put(o, gpu_each_stats[k], list);
  }
}

static json_t *interval_rows(const struct gpu *g, const struct cost_energy *energy) {
  const struct stats *s = gpu_stats(g);
  json_t *list = json_array();
  for (size_t i = 0; i < gpu_intervals(g); i++) {
    const struct gpu_interval *v = gpu_interval_at(g, i);
    json_t *o = json_object();
    put_count(o, "kernel", v->kernel);
    put_count(o, "first_cycle", v->first_cycle);
    put_count(o, "cycles", v->cycles);
    json_object_set_new(o, "ipc", json_real(v->ipc));
    for (size_t k = 0; k < stats_count(s); k++) put_count(o, stats_def(s, k)->name, v->counters[k]);
    cost_energy_put(energy, v->counters, v->cycles, o);
    json_t *input = json_array();
    for (uint32_t k = 0; k < gpu_slices(g); k++) json_array_append_new(input, json_real(v->input_utilisation[k]));
    put(o, "l2.input_utilisation", input);
    if (v->each) {
      json_t *each = json_object();
      put_each(each, s, v->each);
      json_object_set_new(o, "each", each);
    }
    json_array_append_new(list, o);
  }
  return list;
}

static json_t *ratio(uint64_t part, uint64_t whole) {
  return json_real(whole ? (double)part / (double)whole : 0);
}

static json_t *line_object(const struct gpu_line *l) {
  json_t *o = json_object(), *stalls = json_object();
  if (l->ptx_line) put_count(o, "ptx_line", l->ptx_line);
  json_object_set_new(o, "file", json_string(l->file));
  put_count(o, "line", l->line);
  json_object_set_new(o, "function", json_string(l->function));
  json_object_set_new(o, "instruction", json_string(l->instruction));
  put_count(o, "executions", l->executions);
  json_object_set_new(o, "active_lanes", ratio(l->lanes, l->executions));
  put_count(o, "memory_instructions", l->accesses);
  json_object_set_new(o, "transactions_per_instruction", ratio(l->transactions, l->accesses));
  put_count(o, "transactions", l->transactions);
  put_count(o, "sectors", l->sectors);
  put_count(o, "l1_hits", l->hits);
  put_count(o, "loads", l->loads);
  json_object_set_new(o, "mean_latency", ratio(l->latency, l->loads));
  uint64_t all = 0;
  for (size_t i = 0; i < GPU_LINE_STALLS; i++) {
    if (!gpu_stall_name(i)) continue;
    put_count(stalls, gpu_stall_name(i), l->stalls[i]);
    all += l->stalls[i];
  }
  put_count(o, "stall_cycles", all);
  json_object_set_new(o, "stalls", stalls);
  return o;
}

static json_t *listings(const struct gpu *g) {
  json_t *list = json_array();
  for (size_t i = 0; i < gpu_listings(g); i++) {
    const struct gpu_listing *l = gpu_listing_at(g, i);
    json_t *lines = json_array();
    for (size_t k = 0; k < l->n; k++) json_array_append_new(lines, line_object(&l->lines[k]));
    json_array_append_new(list, json_pack("{s:s, s:i, s:s?, s:o}", "function", l->function, "first_line", (int)l->first, "text", l->text,
                                          "lines", lines));
  }
  return list;
}

static json_int_t kernel_of(const struct gpu *g, uint64_t ticket) {
  size_t i = 0;
  while (i < gpu_kernels(g) && gpu_kernel_at(g, i)->ticket != ticket) i++;
  return i < gpu_kernels(g) ? (json_int_t)i : -1;
}

/* Rows of [kernel, SM, slot, start, cycles], in the order of their ends, so that the kernel is mostly the same as before. */
static json_t *cta_rows(const struct gpu *g) {
  json_t *rows = json_array();
  uint64_t ticket = 0;
  json_int_t kernel = -1;
  for (size_t i = 0; i < gpu_ctas(g); i++) {
    const struct gpu_cta *c = gpu_cta_at(g, i);
    if (c->ticket != ticket) kernel = kernel_of(g, ticket = c->ticket);
    json_array_append_new(rows, json_pack("[I,i,i,I,I]", kernel, (int)c->sm, (int)c->slot, (json_int_t)c->start, (json_int_t)c->cycles));
  }
  return json_pack("{s:I, s:o}", "step", (json_int_t)gpu_cta_step(g), "rows", rows);
}

json_t *gpu_report_sms(const struct gpu *g) {
  const struct stats *s = gpu_stats(g);
  json_t *list = json_array();
  size_t first, end;
  gpu_sm_stats(g, &first, &end);
  for (size_t sm = 0; first < end && sm < stats_instances(s, first); sm++) {
    json_t *o = json_object();
    put_count(o, "id", sm);
    for (size_t i = first; i < end; i++) put_count(o, stats_def(s, i)->name, stats_instance(s, i, sm));
    json_array_append_new(list, o);
  }
  return list;
}

/* An SM belongs to one program, so what SMs count can be attributed, and whose accesses L2 served; networks and DRAM serve
 * all. */
json_t *gpu_report_program(const struct gpu *g, uint32_t program) {
  const struct gpu_program *p = gpu_program_at(g, program);
  const struct stats *s = gpu_stats(g);
  json_t *o = json_object();
  put_rates(o, p->cycles, p->warp_instructions, p->thread_instructions);
  put_count(o, "sms", p->sms);
  put_count(o, "launches", p->kernels);
  size_t first, end;
  gpu_sm_stats(g, &first, &end);
  for (size_t i = first; i < end; i++) {
    uint64_t sum = 0;
    for (uint32_t sm = 0; sm < stats_instances(s, i); sm++)
      if (gpu_program_of(g, sm) == program) sum += stats_instance(s, i, sm);
    put_count(o, stats_def(s, i)->name, sum);
  }
  struct llc_share l2 = gpu_program_l2(g, program);
  put_count(o, "l2.accesses", l2.accesses);
  put_count(o, "l2.hits", l2.hits);
  put_count(o, "l2.pending_hits", l2.pending_hits);
  put_count(o, "l2.misses", l2.misses);
  return o;
}

static void put_setting(void *user, const struct cfg_key *key, const char *value, const char *source) {
  (void)source;
  json_object_set_new(user, key->name, json_string(value));
}

static json_t *peaks_object(const struct cfg *cfg) {
  struct gpu_peaks p = gpu_peaks(cfg);
  return json_pack("{s:f, s:f, s:f, s:f, s:f}", "instructions", p.instructions, "l1_bytes", p.l1_bytes, "noc_bytes", p.noc_bytes,
                   "l2_bytes", p.l2_bytes, "dram_bytes", p.dram_bytes);
}

json_t *gpu_report_probes(const struct gpu *g) { return probe_report(gpu_probes(g)); }

json_t *gpu_report_of(const struct gpu *g, const struct gpu_totals *t) {
  const struct stats *s = gpu_stats(g);
  json_t *root = json_object(), *kernels = json_array(), *config = json_object();
  struct cost_energy *energy = cost_energy_new(gpu_config(g), s);
  for (size_t i = 0; i < gpu_kernels(g); i++) json_array_append_new(kernels, kernel_object(g, energy, gpu_kernel_at(g, i)));
  for (size_t i = 0; i < gpu_folded(g); i++) json_array_append_new(kernels, kernel_object(g, energy, gpu_folded_at(g, i)));
  put_rates(root, t->cycles, t->warp_instructions, t->thread_instructions);
  json_object_set_new(root, "kernels", kernels);
  if (gpu_stopped(g)) json_object_set_new(root, "stopped", json_string(gpu_stopped(g)));
  if (gpu_intervals(g)) json_object_set_new(root, "intervals", interval_rows(g, energy));
  if (gpu_lines(g)) {
    json_t *profile = json_array();
    for (size_t i = 0; i < gpu_lines(g); i++) json_array_append_new(profile, line_object(gpu_line_at(g, i)));
    json_object_set_new(root, "profile", profile);
    json_object_set_new(root, "ptx", listings(g));
  }
  if (gpu_detailed(g)) json_object_set_new(root, "ctas", cta_rows(g));
  if (gpu_probes(g)) json_object_set_new(root, "probes", gpu_report_probes(g));
  for (size_t i = 0; i < stats_count(s); i++) put_count(root, stats_def(s, i)->name, t->counters[i]);
  cost_energy_put_all(energy, t->counters, t->cycles, root);
  cost_energy_delete(energy);
  cfg_visit(gpu_config(g), put_setting, config);
  json_object_set_new(root, "config", config);
  json_object_set_new(root, "peak", peaks_object(gpu_config(g)));
  return root;
}

json_t *gpu_report(const struct gpu *g) {
  uint64_t *counters = must_alloc(stats_count(gpu_stats(g)) * sizeof *counters);
  struct gpu_totals t = {.cycles = gpu_cycles(g), .counters = counters};
  stats_snapshot(gpu_stats(g), counters);
  for (size_t i = 0; i < gpu_kernels(g); i++) {
    t.warp_instructions += gpu_kernel_at(g, i)->warp_instructions;
    t.thread_instructions += gpu_kernel_at(g, i)->thread_instructions;
  }
  for (size_t i = 0; i < gpu_folded(g); i++) {
    t.warp_instructions += gpu_folded_at(g, i)->warp_instructions;
    t.thread_instructions += gpu_folded_at(g, i)->thread_instructions;
  }
  json_t *root = gpu_report_of(g, &t);
  free(counters);
  return root;
}

json_t *gpu_area(const struct cfg *cfg, struct err *e) {
  struct gpu *g = gpu_new(cfg, e);
  if (!g) return NULL;
  struct cost_energy *energy = cost_energy_new(cfg, gpu_stats(g));
  json_t *o = cost_area(energy);
  cost_energy_delete(energy);
  gpu_delete(g);
  return o;
}
