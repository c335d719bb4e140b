/* heddle view: the page of a run, or of two with what differs, made of what `heddle run --json` has written. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report_file.h"
#include "lab/pages/run_page.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle view REPORT.json [OTHER.json] [-o FILE.html]\n\n"
    "Makes one HTML page of a report of `heddle run --json`, or of two reports compared: kernels in a table and on a time\n"
    "line, stall reasons, roofline, traffic between the levels of memory, maps of SMs, L2 slices and DRAM channels over\n"
    "time, energy, and the source beside its PTX with the cost of each line. Time lines, maps and source need a run with\n"
    "--detail; `heddle run --page` makes the same page directly. It runs nothing; the page needs no other file and opens from\n"
    "disk in any browser.\n";

/* "folder/out.json" is out.html in the folder in which the command is given. */
static void name_page(struct str *to, const char *report) {
  const char *slash = strrchr(report, '/'), *name = slash ? slash + 1 : report, *dot = strrchr(name, '.');
  str_add(to, "%.*s.html", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

int cli_view(int argc, char **argv) {
  const char *out = NULL;
  const struct cli_option options[] = {
      {"-o", "FILE", "the page; default the first report's name with .html, in the current folder", .output = &out},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc < 2 || argc > 1 + LAB_RUN_PAGE_MOST) {
    fprintf(stderr, "heddle: one report or two are expected; `heddle view --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  unsigned n = (unsigned)argc - 1;
  json_t *reports[LAB_RUN_PAGE_MOST] = {0};
  const char *const names[] = {argv[1], argv[2]};
  bool ok = true;
  for (unsigned i = 0; i < n && ok; i++) ok = (reports[i] = cli_load_report(names[i], "cycles", &e)) != NULL;
  struct str named = {0};
  if (!out) name_page(&named, argv[1]);
  ok = ok && lab_run_page_write(reports, names, n, out ? out : named.s, &e);
  if (ok && !out) printf("%s\n", named.s);
  for (unsigned i = 0; i < LAB_RUN_PAGE_MOST; i++) json_decref(reports[i]);
  str_free(&named);
  return ok ? CLI_OK : cli_fail(&e);
}
