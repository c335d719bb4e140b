/* heddle run: one workload or one program, its results as a page and as JSON. */
#include "base/output.h"
#include "cli/cli.h"
#include "cli/show/colour.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/show/power_plot.h"
#include "cli/source.h"
#include "cli/show/tables.h"
#include "cli/together.h"
#include "cli/commands/trace_output.h"
#include "gpu/gpu.h"
#include "gpu/results/report.h"
#include "lab/ncu_metrics.h"
#include "lab/pages/run_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "heddle run [OPTIONS] WORKLOAD [--with WORKLOAD]\n"
    "       heddle run [OPTIONS] -- PROGRAM [ARGUMENTS]\n\n"
    "Runs a built-in workload (`heddle list workloads`), or any CUDA program as nvcc builds it, provided that it\n"
    "contains PTX. The program prints what it always prints, and its exit status becomes that of heddle.\n\n"
    "With --with, two workloads share the GPU, each on half of the SMs of each cluster. The one that ends first is\n"
    "run again until the other has ended; only its first run counts. Each is also run alone, to compute STP and ANTT.\n";

/* ---- the page ---------------------------------------------------------------------------------------------------------- */

static double number_at(const json_t *root, const char *name) {
  const json_t *at = root;
  for (const char *dot; at && (dot = strchr(name, '.')); name = dot + 1)
    at = json_object_getn(at, name, (size_t)(dot - name));
  return at ? json_number_value(json_object_get(at, name)) : 0;
}

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void print_rates(const json_t *r) {
  printf("  warp instructions    %15.0f\n", number_at(r, "warp_instructions"));
  printf("  thread instructions  %15.0f\n", number_at(r, "thread_instructions"));
  if (number_at(r, "cycles") > 0) {
    printf("  cycles               %15.0f\n", number_at(r, "cycles"));
    printf("  IPC                  %15.2f  thread instructions per core cycle\n", number_at(r, "ipc"));
  }
}

/* Which launches were not simulated, and how sure the totals are because of that. */
static void print_sample(const json_t *r) {
  const json_t *cycles = json_object_get(json_object_get(json_object_get(r, "sample"), "intervals"), "cycles");
  double skipped = number_at(r, "skipped.launches"), without = number_at(r, "skipped.warp_instructions");
  if (skipped > 0)
    printf("  launches             %15.0f  of which %.0f were executed without timing, with %.1f %% of the instructions\n",
           number_at(r, "launches"), skipped, share(without, number_at(r, "warp_instructions") + (cycles ? 0 : without)));
  const json_t *high = json_array_get(cycles, 2);
  double value = json_number_value(json_array_get(cycles, 0));
  if (!json_is_number(high) || value <= 0) return;
  if (!(skipped > 0) && !(json_number_value(high) > value))
    printf("  sampling             %15s  left nothing out: too few launches of any kernel, and no kernel has eight waves of CTAs\n", "-");
  else
    printf("  95 %% interval        %15.2f  %% of the cycles, up and down; totals are estimates (sample in the JSON)\n",
           share(json_number_value(high) - value, value));
}

/* What --sample would simulate, group by group in the order in which they came. */
static void print_plan(const json_t *r) {
  const json_t *plan = json_object_get(r, "sample_plan"), *g;
  size_t i;
  double all = 0, simulated = 0;
  if (!plan) return;
  printf("\nLaunches that --sample would simulate at least; long kernels it may simulate in part\n");
  printf("  %9s %9s %18s  kernel\n", "launches", "simulated", "warp instructions");
  json_array_foreach(plan, i, g) {
    double n = number_at(g, "launches"), size = number_at(g, "warp_instructions");
    printf("  %9.0f %9.0f %18.0f  %s\n", n, number_at(g, "simulated"), size, json_string_value(json_object_get(g, "kernel")));
    all += size;
    simulated += n > 0 ? size * number_at(g, "simulated") / n : 0;
  }
  printf("  %.1f %% of the instructions would be simulated\n", share(simulated, all));
}

static void print_compression(const json_t *r) {
  double blocks = number_at(r, "reply.blocks"), bytes = number_at(r, "reply.block_bytes");
  if (blocks <= 0) return;
  printf("  replies compressed   %15.0f  %.1f %% of their bytes saved, %.0f flits\n",
         blocks - number_at(r, "reply.blocks_plain") - number_at(r, "reply.blocks_unread"),
         share(bytes - number_at(r, "reply.block_bits") / 8, bytes),
         number_at(r, "reply.flits_saved") - number_at(r, "reply.flits_added"));
}

static double over(double sum, double n) { return n > 0 ? sum / n : 0; }

static void print_cooperation(const json_t *r) {
  double hits = number_at(r, "coop.hits"), back = number_at(r, "coop.returned"), misses = number_at(r, "sm.miss_replies");
  if (hits + back <= 0) return;
  printf("  answered by other L1 %15.0f  %.1f %% of L1D load misses, after %.0f cycles; %.0f asked in vain, for %.0f cycles\n", hits,
         share(hits, misses), over(number_at(r, "coop.reuse_latency_sum"), hits), back, over(number_at(r, "coop.overhead_sum"), back));
}

static void print_memory(const json_t *r) {
  double l1 = number_at(r, "l1d.accesses"), l2 = number_at(r, "l2.accesses");
  double reads = number_at(r, "dram.reads") + number_at(r, "dram.writes");
  double loads = number_at(r, "sm.loads"), ops = number_at(r, "sm.memory_instructions");
  printf("  L1D accesses         %15.0f  %.1f %% hits, %.1f %% merged, %.2f accesses per memory instruction\n", l1,
         share(number_at(r, "l1d.hits"), l1), share(number_at(r, "l1d.pending_hits"), l1),
         ops > 0 ? number_at(r, "sm.segments") / ops : 0);
  printf("  L1D stalls           %15.0f  cycles in which an access was refused\n",
         number_at(r, "l1d.reservation_fails"));
  printf("  mean load latency    %15.0f  core cycles\n", loads > 0 ? number_at(r, "sm.load_latency") / loads : 0);
  print_cooperation(r);
  printf("  network flits        %15.0f  to L2, %.0f back\n", number_at(r, "noc.request_flits"),
         number_at(r, "noc.reply_flits"));
  print_compression(r);
  printf("  L2 accesses          %15.0f  %.1f %% hits\n", l2, share(number_at(r, "l2.hits"), l2));
  printf("  DRAM accesses        %15.0f  %.1f %% row hits\n", reads, share(number_at(r, "dram.row_hits"), reads));
}

static void print_issue(const json_t *r) {
  static const struct {
    const char *name, *what;
  } rows[] = {{"issue_slots_used", "issued"},          {"stall_memory", "waiting for loads"},
              {"stall_alu", "waiting for results"},    {"stall_lsu", "load/store queue full"},
              {"stall_pipe", "pipeline busy"},         {"stall_barrier", "at barriers"},
              {"stall_fetch", "waiting for instructions"}, {"stall_fence", "at fences"},
              {"stall_idle", "no warp"}};
  double all = 0, v[sizeof rows / sizeof *rows];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    v[i] = json_number_value(json_object_get(json_object_get(r, "sm"), rows[i].name));
    all += v[i];
  }
  printf("  issue slots        ");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (share(v[i], all) >= 0.5) printf("  %s %.0f %%", rows[i].what, share(v[i], all));
  printf("\n");
}

static void print_energy(const json_t *r) {
  static const struct {
    const char *name, *what;
  } parts[] = {{"energy.core", "instructions"}, {"energy.register_file", "registers"}, {"energy.shared", "shared memory"},
               {"energy.l1", "L1"},             {"energy.l2", "L2"},                   {"energy.noc", "networks"},
               {"energy.dram", "DRAM"},         {"energy.added", "added storage"},     {"energy.static", "leakage and constant"}};
  double all = number_at(r, "energy.total");
  printf("  energy               %15.3f  mJ, %.1f W:", all * 1e3, number_at(r, "power.total"));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (share(number_at(r, parts[i].name), all) >= 0.5)
      printf("  %s %.0f %%", parts[i].what, share(number_at(r, parts[i].name), all));
  printf("\n");
}

static void print_host(const json_t *r) {
  printf("  simulated in         %15.2f  s, %.0f warp instructions per second, %.0f MiB", number_at(r, "host.simulation_seconds"),
         number_at(r, "host.warp_instructions_per_second"), number_at(r, "host.peak_rss_bytes") / 1048576);
  const char *asked = json_string_value(json_object_get(json_object_get(r, "config"), "gpu.threads"));
  if (asked && atoi(asked) > 1) printf(", %.1f of %s threads on average", number_at(r, "host.threads"), asked);
  printf("\n");
}

/* A reason's first line says what; the rest was said when it happened. */
static void print_failures(const json_t *r) {
  const json_t *failures = json_object_get(r, "failures");
  for (size_t i = 0; i < json_array_size(failures); i++) {
    const json_t *o = json_array_get(failures, i);
    const char *error = json_string_value(json_object_get(o, "error")), *reason = json_string_value(json_object_get(o, "reason"));
    printf("  %sfailed launches%s      %15.0f  of %s, %s: %.*s\n", cli_colour(CLI_RED), cli_colour(CLI_PLAIN), number_at(o, "launches"),
           cli_failed_kernel(o), error, (int)strcspn(reason, "\n"), reason);
  }
}

static void print_page(const json_t *r, const char *name) {
  const char *gpu = json_string_value(json_object_get(r, "gpu")), *mode = json_string_value(json_object_get(r, "mode"));
  bool timed = number_at(r, "cycles") > 0;
  printf("\n%s%s on %s%s%s\n", cli_colour(CLI_BOLD), name, gpu ? gpu : "?", cli_colour(CLI_PLAIN),
         mode && !strcmp(mode, "functional") ? " (functional: values only)" : "");
  print_rates(r);
  print_sample(r);
  if (timed) {
    print_memory(r);
    print_issue(r);
    print_energy(r);
  }
  print_failures(r);
  print_host(r);
}

/* Under the names of Nsight Compute, of the whole run. */
static void print_ncu(const json_t *r) {
  printf("\n");
  for (const struct ncu_metric_row *row = ncu_metric_rows; row->name; row++) {
    const json_t *v = json_object_get(json_object_get(r, "ncu"), row->name);
    if (v) printf("  %-66s %-13s %15.*f\n", row->name, row->unit, row->kind == NCU_PERCENT ? 2 : 0, json_number_value(v));
  }
}

/* The metrics of the run and of each launch, as "ncu" of each. */
static void add_ncu(json_t *r) {
  json_t *k;
  size_t i;
  json_object_set_new(r, "ncu", ncu_values(r, r));
  json_array_foreach(json_object_get(r, "kernels"), i, k) json_object_set_new(k, "ncu", ncu_values(r, k));
}

/* ---- the command --------------------------------------------------------------------------------------------------------- */

enum { CANNOT_START = 126 }; /* exit statuses from there on: not a program, not found, killed */

/* Where to write what besides the page; NULL: nowhere. */
struct outputs {
  const char *json, *csv, *plot, *page, *trace;
  struct cli_trace time_line; /* that goes to trace */
  bool ncu; /* also by the names of Nsight Compute */
  struct cli_sources sources; /* of the lines of --profile and --detail */
  bool quiet;                 /* no page */
  bool fail_on_error;         /* the exit status says that a launch failed */
};

/* The text of every source file that lines of the profile are in, as "sources": name to text. */
static void add_sources(json_t *report, const struct cli_sources *from) {
  json_t *all = json_object(), *line;
  size_t i;
  json_array_foreach(json_object_get(report, "profile"), i, line) {
    const char *file = json_string_value(json_object_get(line, "file"));
    if (json_object_get(all, file)) continue;
    json_t *text = cli_source_text(from, file);
    json_object_set_new(all, file, text ? text : json_null());
  }
  json_object_set_new(report, "sources", all);
}

/* All that can be written; the first that cannot is reported. */
static bool write_outputs(json_t *report, const struct outputs *to, struct err *e) {
  if (to->json) output_json(report, to->json, JSON_INDENT(2), e);
  if (to->csv) cli_write_intervals(report, to->csv, e);
  if (to->plot) cli_plot_power(report, to->plot, e);
  const char *name = json_string_value(json_object_get(report, "program"));
  if (to->page) lab_run_page_write(&report, &name, 1, to->page, e);
  if (to->trace) cli_trace_write(&to->time_line, to->trace, e);
  return !e->kind;
}

static int finish(const struct cli_launch *l, struct cli_result *res, const struct outputs *to, const char *name) {
  if (!res->report) {
    if (!res->called && !l->workload && res->status < CANNOT_START)
      fprintf(stderr, "heddle: '%s' made no CUDA call (to libcuda.so or libcudart.so): there is nothing to show\n", name);
    return res->status;
  }
  bool stopped = json_object_get(res->report, "stopped") != NULL; /* before its output could be checked */
  char both[128];
  if (l->with) {
    snprintf(both, sizeof both, "%s+%s", l->workload, l->with);
    name = both;
  }
  if (l->workload) json_object_set_new(res->report, "output_ok", stopped ? json_null() : json_boolean(res->status == 0));
  json_object_set_new(res->report, "program", json_string(name));
  struct err e = {0};
  if (to->ncu) add_ncu(res->report);
  if (l->detail) add_sources(res->report, &to->sources);
  int status = write_outputs(res->report, to, &e) ? res->status : cli_fail(&e);
  double failed = cli_failed_launches(res->report);
  if (!to->quiet && number_at(res->report, "launches") + failed > 0) print_page(res->report, name);
  if (!to->quiet && json_object_get(res->report, "stp")) cli_together_print(res->report);
  if (to->ncu) print_ncu(res->report);
  if (l->profile) cli_print_profile(res->report, &to->sources);
  if (!to->quiet) print_plan(res->report);
  cli_warn_of_failures(res->report);
  json_decref(res->report);
  return status == CLI_OK && to->fail_on_error && failed > 0 ? CLI_NO : status;
}

static bool whole_number(const char *option, const char *text, struct err *e) {
  char *stop;
  if (!text) return true;
  unsigned long long v = strtoull(text, &stop, 10);
  if (*text >= '0' && *text <= '9' && !*stop && v > 0) return true;
  return err_set(e, ERR_INPUT, "%s %s: a whole number above 0 is expected", option, text);
}

/* The engine refuses what does not go together with sampling, however it was asked for. */
static bool check_sample(const struct cli_launch *l, const char *percent, struct err *e) {
  char *stop;
  if (percent && (!(strtod(percent, &stop) > 0) || *stop))
    return err_set(e, ERR_INPUT, "--sample-error %s: a number of percent above 0 is expected", percent);
  if (!percent && !l->only && !l->skip_to) return true;
  if (l->with) return err_set(e, ERR_INPUT, "--with lets two programs share the GPU all the time: launches cannot be left out of it");
  return !l->functional || l->sample_plan ||
         err_set(e, ERR_INPUT, "--functional simulates no launch: --sample, --only and --skip-to need a timed run");
}

static bool check_numbers(const struct cli_launch *l, const struct outputs *to, const char *threads, struct err *e) {
  char *stop;
  if (l->stop_stable && (!(strtod(l->stop_stable, &stop) > 0) || *stop))
    return err_set(e, ERR_INPUT, "--stop-stable %s: a number of percent above 0 is expected", l->stop_stable);
  if (to->csv && !l->interval && !l->stop_stable)
    return err_set(e, ERR_INPUT, "--interval-csv needs --interval N: there are no intervals to write");
  if (to->plot && !l->interval && !l->stop_stable)
    return err_set(e, ERR_INPUT, "--power-plot needs --interval N: there are no intervals to draw");
  if (l->functional && (l->max_cycles || l->interval || l->stop_stable || l->per_sm || l->profile || l->probe || to->ncu || l->detail ||
                        to->trace))
    return err_set(e, ERR_INPUT,
                   "--functional has no cycles: --max-cycles, --interval, --stop-stable, --per-sm, --profile, --ncu, --probe, --detail, "
                   "--page and --trace need a timed run");
  if (l->trace_limit && !to->trace) return err_set(e, ERR_INPUT, "--trace-limit needs --trace FILE: there is no trace to limit");
  if (l->strict && l->no_check) return err_set(e, ERR_INPUT, "--strict and --no-check contradict each other");
  return whole_number("--threads", threads, e) && whole_number("--interval", l->interval, e) &&
         whole_number("--max-cycles", l->max_cycles, e) && whole_number("--trace-limit", l->trace_limit, e) &&
         whole_number("--max-instructions", l->max_instructions, e);
}

/* The exit status. `sources` is a list of folders; `name` is what was run. */
static int run(struct cli_launch *l, struct outputs *to, const char *sources, const char *name) {
  struct err e = {0};
  struct cli_result res;
  if (!cli_sources_open(&to->sources, l, sources, &e)) return cli_fail(&e);
  if (l->with && !cli_together_check(l, &e)) return cli_fail(&e);
  if (to->trace && !cli_trace_open(&to->time_line, l, &e)) return cli_fail(&e);
  if (!cli_launch(l, &res, &e)) return cli_fail(&e);
  if (l->with && res.report && res.status == 0 && !cli_together_compare(l, res.report, &e)) {
    json_decref(res.report);
    return cli_fail(&e);
  }
  int status = finish(l, &res, to, name);
  cli_sources_close(&to->sources);
  if (to->trace) cli_trace_close(&to->time_line);
  return status;
}

int cli_run(int argc, char **argv) {
  CLI_LAUNCH l = {.gpu = "gtx480"};
  struct outputs to = {0};
  const char *threads = NULL;
  const char *percent = NULL;
  bool sample = false;
  __attribute__((cleanup(str_free))) struct str sources = {0};
  const struct cli_option options[] = {
      {"--gpu", "NAME|FILE", "the GPU (`heddle list gpus`), or a .toml file; default gtx480", .text = &l.gpu},
      {"--set", "KEY=VALUE", "change a setting (`heddle list keys`); may be repeated", .list = &l.set},
      {"--with", "WORKLOAD", "run another workload on the same GPU at the same time", .text = &l.with},
      {"--size", "small|medium|paper", "size of a workload's input; default small", .text = &l.size},
      {"--seed", "N", "seed of a workload's input", .text = &l.seed},
      {"--threads", "N", "host threads to simulate with, at most; fewer are used where fewer are faster; results do not change",
       .text = &threads},
      {"--functional", NULL, "compute values only, without timing", .flag = &l.functional},
      {"--no-check", NULL, "do not check accesses against allocations", .flag = &l.no_check},
      {"--strict", NULL, "treat an access outside every allocation as a fault; allocations lie 64 KiB apart", .flag = &l.strict},
      {"--max-instructions", "N", "stop after that many warp instructions", .text = &l.max_instructions},
      {"--max-cycles", "N", "stop after that many core cycles", .text = &l.max_cycles},
      {"--only", "REGEX", "simulate launches of kernels whose name matches; execute the others without timing", .text = &l.only},
      {"--skip-to", "N|REGEX", "execute without timing all launches before the N-th, or before the first whose name matches",
       .text = &l.skip_to},
      {"--sample", NULL, "simulate some launches and predict the others; every total has a 95 % interval", .flag = &sample},
      {"--sample-error", "PERCENT", "half-width of that interval to aim at, for the cycles; default 2", .text = &percent},
      {"--sample-plan", NULL, "execute the program without timing and show how few launches --sample would simulate",
       .flag = &l.sample_plan},
      {"--stop-stable", "PERCENT", "stop when IPC varies by less than this over 5 intervals (of 10000 cycles, or --interval)",
       .text = &l.stop_stable},
      {"--interval", "N", "also record the statistics of every N core cycles (`intervals` in the JSON)", .text = &l.interval},
      {"--interval-csv", "FILE", "write these intervals as a table", .output = &to.csv},
      {"--power-plot", "FILE", "draw power over time (needs --interval), as .svg or .html", .output = &to.plot},
      {"--per-sm", NULL, "also record the statistics of each SM (`per_sm` in the JSON)", .flag = &l.per_sm},
      {"--profile", NULL, "show what each source line costs (`profile` in the JSON)", .flag = &l.profile},
      {"--detail", NULL, "record everything that a page shows: --profile, --per-sm, intervals, and when each kernel, copy and CTA ran",
       .flag = &l.detail},
      {"--page", "FILE", "make an HTML page of the run (implies --detail): time lines, stalls, memory, roofline, source",
       .output = &to.page},
      {"--trace", "FILE", "write a time line for Perfetto or chrome://tracing: kernels, copies, CTAs, warps, memory requests",
       .output = &to.trace},
      {"--trace-limit", "MB", "largest size of that file; default 64. If it would be larger, an evenly spread part of the events is kept",
       .text = &l.trace_limit},
      {"--source", "FOLDER", "also look for source files here, for --profile and --page; may be repeated",
       .list = &sources},
      {"--probe", "NAME,...|all", "also measure with these probes (`heddle list probes`; `probes` in the JSON)", .text = &l.probe},
      {"--ncu", NULL, "show counters under Nsight Compute's names and definitions (`ncu` in the JSON, also for each launch)",
       .flag = &to.ncu},
      {"--json", "FILE", "write all statistics", .output = &to.json},
      {"--fail-on-error", NULL, "exit with status 1 if a launch failed or was refused, even if the program itself exits with 0",
       .flag = &to.fail_on_error},
      {"--quiet", NULL, "do not print the summary of statistics", .flag = &to.quiet},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  bool program = argc > 1 && !strcmp(argv[1], "--");
  if (argc < (program ? 3 : 2)) {
    fprintf(stderr, "heddle: a workload, or `-- program`, is expected; `heddle run --help` says more\n");
    return CLI_USAGE;
  }
  if (!program && argc > 2) {
    fprintf(stderr, "heddle: one workload at a time ('%s' is too many); to run a program, put `--` before it\n", argv[2]);
    return CLI_USAGE;
  }
  struct err e = {0};
  l.detail = l.detail || to.page;
  if ((sample || l.sample_plan) && !percent) percent = "2";
  if (l.sample_plan) l.functional = true;
  if (!check_sample(&l, percent, &e)) return cli_fail(&e);
  if (percent) str_add(&l.set, "%sgpu.sample=%s", l.set.n ? "," : "", percent);
  if (threads) str_add(&l.set, "%sgpu.threads=%s", l.set.n ? "," : "", threads);
  if (!check_numbers(&l, &to, threads, &e)) return cli_fail(&e);
  if (program) l.argv = argv + 2;
  else l.workload = argv[1];
  return run(&l, &to, sources.s, argv[program ? 2 : 1]);
}
