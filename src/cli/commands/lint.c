/* heddle lint: the latencies and bandwidths that a configuration implies, those that the model has, and warnings. */
#include "base/cfg.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "gpu/gpu.h"
#include "gpu/results/measure.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle lint [--gpu NAME|FILE] [--set KEY=VALUE]...\n\n"
    "Runs small kernels on a GPU and compares the latencies and bandwidths that its configuration implies with those\n"
    "simulated. Warns where the network, the data ports of L2 or the MSHRs cannot keep up with DRAM, where streaming\n"
    "stays far below DRAM's peak, and where the address map is not one-to-one or leaves L2 slices unused. The exit\n"
    "status is 1 if there are warnings.\n";

static void show(const char *gpu, const struct gpu_measure *m) {
  printf("%s\n  %-16s %12s %12s\n", gpu, "", "promised", "measured");
  for (int i = 0; i < GPU_MEASURED; i++) {
    const struct gpu_measure_row *r = &m->row[i];
    double unit = i >= GPU_M_L2_BYTES ? 1e9 : 1;
    printf("  %-16s %12.1f %12.1f  %-12s %3.0f %%\n", r->what, r->promised / unit, r->measured / unit,
           r->unit, 100 * r->measured / r->promised);
  }
  const struct gpu_measure_row *dram = &m->row[GPU_M_DRAM_BYTES];
  printf("  %-16s %12.1f %12s  %-12s %.1f times the DRAM\n", "reply network", m->network_bytes / 1e9, "",
         "GB/s", m->network_bytes / dram->promised);
  char *text = m->warnings.s, *end;
  for (; text && *text; text = end + 1) {
    end = strchr(text, '\n');
    printf("warning: %.*s\n", (int)(end - text), text);
  }
  if (!m->n_warnings) printf("no warnings\n");
}

int cli_lint(int argc, char **argv) {
  const char *gpu = "gtx480";
  struct str set = {0};
  struct err e = {0};
  const struct cli_option options[] = {
      {"--gpu", "NAME|FILE", "the GPU; default gtx480", .text = &gpu},
      {"--set", "KEY=VALUE", "change a setting; may be repeated", .list = &set},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status < 0 && argc > 1) status = cli_needs_gpu_option("lint", argv[1]);
  if (status >= 0) return str_free(&set), status;
  struct cfg *cfg = gpu_cfg_new();
  struct gpu_measure m;
  if (gpu_cfg_preset(cfg, gpu, &e) && cfg_set_all(cfg, set.s, &e) && gpu_measure(cfg, &m, &e)) {
    show(gpu, &m);
    status = m.n_warnings ? CLI_NO : CLI_OK;
    gpu_measure_free(&m);
  } else {
    status = cli_fail(&e);
  }
  cfg_delete(cfg);
  str_free(&set);
  return status;
}
