/* heddle report: the page of a results database. */
#include "cli/cli.h"
#include "cli/options.h"
#include "lab/page.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle report DATABASE -o FILE.html [OPTIONS]\n\n"
    "Makes one page of a database of `heddle sweep` or `heddle claims`: the figures of the papers as far as their runs are\n"
    "there, with the published values marked; claims; bars normalised to a base with geometric means, sensitivity to each\n"
    "setting, a heat map, tables that sort and filter. It runs nothing, needs nothing else and opens from disk in any browser.\n";

int cli_report(int argc, char **argv) {
  const char *out = NULL, *title = NULL;
  const struct cli_option options[] = {
      {"-o", "FILE", "the page", .output = &out},
      {"--title", "TEXT", "its heading; default the database's name", .text = &title},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc != 2 || !out) {
    fprintf(stderr, "heddle: one database and -o FILE are expected; `heddle report --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  const char *slash = strrchr(argv[1], '/');
  struct lab_db *db = lab_db_open(argv[1], false, &e);
  bool ok = db && lab_page_write(db, title ? title : slash ? slash + 1 : argv[1], out, &e);
  lab_db_close(db);
  return ok ? CLI_OK : cli_fail(&e);
}
