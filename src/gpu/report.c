/* See report.h. */
#include "gpu/report.h"

#include <string.h>

void gpu_report_put(json_t *root, const char *name, json_t *value) {
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
  gpu_report_put(root, name, json_integer((json_int_t)v));
}

static void put_rates(json_t *o, uint64_t cycles, uint64_t warp, uint64_t thread) {
  put_count(o, "cycles", cycles);
  put_count(o, "warp_instructions", warp);
  put_count(o, "thread_instructions", thread);
  json_object_set_new(o, "ipc", json_real(cycles ? (double)thread / (double)cycles : 0));
}

static json_t *kernel_object(const struct gpu *g, const struct gpu_kernel *k) {
  const struct stats *s = gpu_stats(g);
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(k->name));
  put_rates(o, k->cycles, k->warp_instructions, k->thread_instructions);
  for (size_t i = 0; i < stats_count(s); i++) put_count(o, stats_def(s, i)->name, k->counters[i]);
  return o;
}

static void put_setting(void *user, const struct cfg_key *key, const char *value, const char *source) {
  (void)source;
  json_object_set_new(user, key->name, json_string(value));
}

json_t *gpu_report(const struct gpu *g) {
  const struct stats *s = gpu_stats(g);
  json_t *root = json_object(), *kernels = json_array(), *config = json_object();
  uint64_t warp = 0, thread = 0;
  for (size_t i = 0; i < gpu_kernels(g); i++) {
    const struct gpu_kernel *k = gpu_kernel_at(g, i);
    warp += k->warp_instructions;
    thread += k->thread_instructions;
    json_array_append_new(kernels, kernel_object(g, k));
  }
  put_rates(root, gpu_cycles(g), warp, thread);
  json_object_set_new(root, "kernels", kernels);
  for (size_t i = 0; i < stats_count(s); i++) put_count(root, stats_def(s, i)->name, stats_total(s, i));
  cfg_visit(gpu_config(g), put_setting, config);
  json_object_set_new(root, "config", config);
  return root;
}
