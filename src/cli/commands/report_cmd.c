/* heddle report: the page of a results database, or of the stored results of claims. */
#include "cli/cli.h"
#include "cli/commands/claims_table.h"
#include "cli/options.h"
#include "lab/claims/claim_lab.h"
#include "lab/page.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle report [DATABASE] -o FILE.html [OPTIONS]\n\n"
    "Makes one page of a database of `heddle sweep` or `heddle claims`: the figures of the papers as far as their runs are\n"
    "there, with the published values marked; claims, and which reading of a paper moves them most; bars normalised to a base with\n"
    "geometric means, sensitivity to each setting, a heat map, tables that sort and filter. Without a database it is a page of the\n"
    "stored results: claims and figures. It runs nothing, needs nothing else and opens from disk in any browser.\n";

/* Claims and figures of the stored results, in a database of their own that is never a file. */
static bool stored_page(const char *file, const char *title, const char *out, struct err *e) {
  static const char *const sizes[] = {"small", "medium", "paper"};
  struct claim_stored *table = claims_table_open(file ? file : claims_table_path(), e);
  struct lab_db *db = table ? lab_db_open(":memory:", true, e) : NULL;
  bool ok = db != NULL;
  for (int i = 0; i < 3 && ok; i++)
    if (claim_stored_has(table, sizes[i])) ok = claim_lab_keep(db, table, sizes[i], e);
  ok = ok && lab_page_write(db, table, title ? title : "Published claims, measured again", out, e);
  lab_db_close(db);
  claim_stored_delete(table);
  return ok;
}

static bool database_page(const char *path, const char *title, const char *out, struct err *e) {
  const char *slash = strrchr(path, '/');
  struct lab_db *db = lab_db_open(path, false, e);
  bool ok = db && lab_page_write(db, NULL, title ? title : slash ? slash + 1 : path, out, e);
  lab_db_close(db);
  return ok;
}

int cli_report(int argc, char **argv) {
  const char *out = NULL, *title = NULL, *stored = NULL;
  const struct cli_option options[] = {
      {"-o", "FILE", "the page", .output = &out},
      {"--title", "TEXT", "its heading; default the database's name", .text = &title},
      {"--stored", "FILE", "without a database: the stored results; default those that come with heddle", .text = &stored},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc > 2 || (argc == 2 && stored) || !out) {
    fprintf(stderr, "heddle: one database and -o FILE are expected; `heddle report --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  bool ok = argc == 2 ? database_page(argv[1], title, out, &e) : stored_page(stored, title, out, &e);
  return ok ? CLI_OK : cli_fail(&e);
}
