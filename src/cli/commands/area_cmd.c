/* heddle area: what a configuration takes in silicon, storage and leakage, and what each event costs. Nothing is run. */
#include "base/cfg.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "gpu/results/report.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle area [--gpu NAME|FILE] [--set KEY=VALUE]... [OPTIONS]\n\n"
    "Shows the area, storage and leakage of a GPU's caches, register files and networks. They follow from its configuration\n"
    "alone: nothing is run.\n";

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static const char *text(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

static void print_areas(const json_t *rows) {
  double noc = 0, leakage = 0;
  size_t i;
  json_t *r;
  printf("  %-16s %10s %14s %12s\n", "", "mm2", "storage bits", "leakage W");
  json_array_foreach(rows, i, r) {
    if (number(r, "mm2") <= 0) continue; /* it has none of that */
    printf("  %-16s %10.4f %14.0f %12.4f", text(r, "name"), number(r, "mm2"), number(r, "bits"), number(r, "leakage"));
    if (number(r, "wires") > 0) printf("  and %.1f mm2 of top metal", number(r, "wires"));
    printf("\n");
    if (strncmp(text(r, "name"), "noc_", 4) != 0) continue;
    noc += number(r, "mm2");
    leakage += number(r, "leakage");
  }
  printf("  %-16s %10.4f %14s %12.4f\n", "networks, all", noc, "", leakage);
}

static void print_storage(const json_t *s) {
  size_t i;
  json_t *p;
  printf("storage beyond the base configuration: %.0f bits, %.4f mm2, %.4f W of leakage\n", number(s, "added_bits"),
         number(s, "added_mm2"), number(s, "added_leakage"));
  json_array_foreach(json_object_get(s, "parts"), i, p)
    printf("  %-16s %.0f bits (%.3f KB), %.0f of them\n", text(p, "part"), number(p, "bits"), number(p, "bits") / 8192,
           number(p, "instances"));
}

static void print_events(const json_t *rows) {
  size_t i;
  json_t *r;
  printf("%-14s %-20s %-28s %s\n", "part", "item", "counted by", "each");
  json_array_foreach(rows, i, r) {
    bool time = !strcmp(text(r, "statistic"), "seconds");
    printf("%-14s %-20s %-28s %12.5g %s\n", text(r, "part"), text(r, "item"), text(r, "statistic"),
           number(r, "joules") * (time ? 1 : 1e12), time ? "W" : "pJ");
  }
}

static int show(const json_t *o, const char *gpu, const char *json, bool events) {
  struct err e = {0};
  if (json && !output_json(o, json, JSON_INDENT(2), &e)) return cli_fail(&e);
  printf("%s\n", gpu);
  print_areas(json_object_get(o, "areas"));
  print_storage(json_object_get(o, "storage"));
  if (events) print_events(json_object_get(o, "events"));
  return CLI_OK;
}

int cli_area(int argc, char **argv) {
  const char *gpu = "gtx480", *json = NULL;
  bool events = false;
  struct str set = {0};
  struct err e = {0};
  const struct cli_option options[] = {
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &gpu},
      {"--set", "KEY=VALUE", "change a setting; may be repeated", .list = &set},
      {"--events", NULL, "also show the energy of each counted event", .flag = &events},
      {"--json", "FILE", "write all figures", .output = &json},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status < 0 && argc > 1) status = cli_needs_gpu_option("area", argv[1]);
  if (status >= 0) return str_free(&set), status;
  struct cfg *cfg = gpu_cfg_new();
  json_t *o = NULL;
  if (gpu_cfg_preset(cfg, gpu, &e) && cfg_set_all(cfg, set.s, &e)) o = gpu_area(cfg, &e);
  status = o ? show(o, gpu, json, events) : cli_fail(&e);
  json_decref(o);
  cfg_delete(cfg);
  str_free(&set);
  return status;
}
