/* Statistics by name and by number, of all launches and of one, and the JSON report.
 *
 * The list is: cycles, warp_instructions, thread_instructions, then every counter of the timed GPU in the order its
 * components registered them. A functional simulator has no cycles and no counters. */
#include "api/api.h"

#include "base/str.h"
#include "gpu/results/report.h"

#include <string.h>

enum { CYCLES, WARP, THREAD, HEADS };
static const heddle_stat_info heads[HEADS] = {
    {"cycles", "core cycles", "from the first block of a launch to its last acknowledgement, summed", 0},
    {"warp_instructions", "instructions", "executed by warps", 0},
    {"thread_instructions", "instructions", "executed by threads whose guard was true", 0},
};

/* ---- launches -------------------------------------------------------------------------------------------------------- */

size_t heddle_launch_count(const heddle_sim *sim) { return sim->gpu ? gpu_kernels(sim->gpu) : sim->launches.n; }

const char *heddle_launch_name(const heddle_sim *sim, size_t i) {
  if (i >= heddle_launch_count(sim)) return NULL;
  return sim->gpu ? gpu_kernel_at(sim->gpu, i)->name : sim->launches.at[i].name;
}

static uint64_t head_of_kernel(const struct gpu_kernel *k, size_t head) {
  return head == CYCLES ? k->cycles : head == WARP ? k->warp_instructions : k->thread_instructions;
}
static uint64_t head_of_launch(const struct api_launch *l, size_t head) {
  return head == WARP ? l->warp_instructions : l->thread_instructions;
}

static uint64_t head_of(const heddle_sim *sim, size_t launch, size_t head) {
  return sim->gpu ? head_of_kernel(gpu_kernel_at(sim->gpu, launch), head) : head_of_launch(&sim->launches.at[launch], head);
}

/* Launches without a row of their own, one entry a kernel. */
static size_t folded_count(const heddle_sim *sim) { return sim->gpu ? gpu_folded(sim->gpu) : sim->folded.n; }
static uint64_t head_of_folded(const heddle_sim *sim, size_t i, size_t head) {
  return sim->gpu ? head_of_kernel(gpu_folded_at(sim->gpu, i), head) : head_of_launch(&sim->folded.at[i], head);
}
static size_t all_launches(const heddle_sim *sim) {
  size_t n = heddle_launch_count(sim);
  for (size_t i = 0; i < folded_count(sim); i++) n += sim->gpu ? gpu_folded_at(sim->gpu, i)->launches : sim->folded.at[i].launches;
  return n;
}

/* ---- the list -------------------------------------------------------------------------------------------------------- */

/* A functional simulator's list begins after the cycles. */
static size_t first_head(const heddle_sim *sim) { return sim->gpu ? CYCLES : WARP; }

size_t heddle_stat_count(const heddle_sim *sim) {
  return HEADS - first_head(sim) + (sim->gpu ? stats_count(gpu_stats(sim->gpu)) : 0);
}

heddle_stat_info heddle_stat_at(const heddle_sim *sim, size_t i) {
  if (i >= heddle_stat_count(sim)) return (heddle_stat_info){0};
  i += first_head(sim);
  if (i >= HEADS) {
    const struct stats *s = gpu_stats(sim->gpu);
    const struct stat_def *d = stats_def(s, i - HEADS);
    return (heddle_stat_info){d->name, d->unit, d->meaning, stats_total(s, i - HEADS)};
  }
  heddle_stat_info out = heads[i];
  for (size_t k = 0; k < heddle_launch_count(sim); k++) out.value += head_of(sim, k, i);
  for (size_t k = 0; k < folded_count(sim); k++) out.value += head_of_folded(sim, k, i);
  return out;
}

/* The number of a statistic; heddle_stat_count() and an error if there is none of that name. */
static size_t find(heddle_sim *sim, const char *name) {
  size_t n = heddle_stat_count(sim);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(heddle_stat_at(sim, i).name, name)) return i;
  err_set(&sim->err, ERR_INPUT, "there is no statistic '%s'%s", name,
          sim->gpu ? " (`heddle list stats`)" : "; a functional simulator counts instructions only");
  return n;
}

heddle_status heddle_stat(heddle_sim *sim, const char *name, uint64_t *value) {
  api_begin(sim);
  *value = heddle_stat_at(sim, find(sim, name)).value;
  return api_end(sim);
}

heddle_status heddle_launch_stat(heddle_sim *sim, size_t launch, const char *name, uint64_t *value) {
  struct err *e = api_begin(sim);
  *value = 0;
  size_t n = heddle_launch_count(sim), i = find(sim, name) + first_head(sim);
  if (launch >= n) err_set(e, ERR_INPUT, "there is no launch %zu; %zu have statistics of their own", launch, n);
  if (e->kind) return api_end(sim);
  *value = i < HEADS ? head_of(sim, launch, i) : gpu_kernel_at(sim->gpu, launch)->counters[i - HEADS];
  return HEDDLE_OK;
}

/* ---- the report ------------------------------------------------------------------------------------------------------ */

static json_t *launch_object(const struct api_launch *l) {
  return json_pack("{s:s, s:I, s:I}", "name", l->name, "warp_instructions", (json_int_t)l->warp_instructions, "thread_instructions",
                   (json_int_t)l->thread_instructions);
}

static json_t *functional_report(const heddle_sim *sim) {
  json_t *root = json_object(), *kernels = json_array();
  for (size_t i = 0; i < heddle_stat_count(sim); i++) {
    heddle_stat_info s = heddle_stat_at(sim, i);
    json_object_set_new(root, s.name, json_integer((json_int_t)s.value));
  }
  for (size_t i = 0; i < sim->launches.n; i++) json_array_append_new(kernels, launch_object(&sim->launches.at[i]));
  for (size_t i = 0; i < sim->folded.n; i++) {
    json_t *o = launch_object(&sim->folded.at[i]);
    json_object_set_new(o, "launches", json_integer((json_int_t)sim->folded.at[i].launches));
    json_array_append_new(kernels, o);
  }
  json_object_set_new(root, "kernels", kernels);
  return root;
}

char *heddle_report(const heddle_sim *sim) {
  json_t *root = sim->gpu ? gpu_report(sim->gpu) : functional_report(sim);
  json_object_set_new(root, "gpu", json_string(sim->preset ? sim->preset : ""));
  json_object_set_new(root, "mode", json_string(sim->gpu ? "timed" : "functional"));
  json_object_set_new(root, "launches", json_integer((json_int_t)all_launches(sim)));
  char *text = json_dumps(root, JSON_INDENT(2));
  json_decref(root);
  return text;
}
