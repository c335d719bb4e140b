/* heddle report: the page of a results database, or of the stored results of claims. */
#include "cli/cli.h"
#include "cli/commands/claims_table.h"
#include "cli/options.h"
#include "cli/workload_names.h"
#include "lab/claims/claim_lab.h"
#include "lab/pages/page.h"
#include "lab/sizes.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "heddle report [DATABASE] -o FILE.html [OPTIONS]\n\n"
    "Makes one HTML page of a database of `heddle sweep` or `heddle claims`: bars normalised to a base with geometric means,\n"
    "sensitivity to each setting, a heat map, tables that sort and filter. If claims were measured into the database, the\n"
    "page also has the papers' figures with the published values marked, the claims, and which reading of a paper changes\n"
    "them most; like `heddle claims`, figures use the stored results too. Without a database, the page shows the claims and\n"
    "figures of the stored results alone. It runs nothing; the page needs no other file and opens from disk in any browser.\n";

/* The scores of the stored results, in a database of their own that is never a file. */
static struct lab_db *scores_of(const struct claim_stored *table, struct err *e) {
  struct lab_db *db = lab_db_open(":memory:", true, e);
  bool ok = db != NULL;
  for (int i = 0; i < LAB_SIZES && ok; i++)
    if (claim_stored_has(table, lab_sizes[i])) ok = claim_lab_keep(db, table, lab_sizes[i], e);
  if (ok) return db;
  lab_db_close(db);
  return NULL;
}

static const char *title_of(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return !path ? "Published claims, measured again" : slash ? slash + 1 : path;
}

int cli_report(int argc, char **argv) {
  const char *out = NULL, *title = NULL, *programs = NULL, *stored = claims_table_path();
  CLI_PROGRAMS table_of_programs = {0};
  const struct cli_option options[] = {
      {"-o", "FILE", "the page", .output = &out},
      {"--title", "TEXT", "heading of the page; default the database's name", .text = &title},
      {"--stored", "FILE|none", "results of claims that figures use too; default those that ship with heddle", .text = &stored},
      {"--programs", "FILE", "show claims and figures as the programs of this table made them (docs/programs.md)", .text = &programs},
      {0},
  };
  int status = cli_options(usage, options, &argc, argv);
  if (status >= 0) return status;
  if (argc > 2 || !out) {
    fprintf(stderr, "heddle: -o FILE, and one database at most, are expected; `heddle report --help` says more\n");
    return CLI_USAGE;
  }
  struct err e = {0};
  const char *path = argv[1]; /* NULL: none */
  if (!cli_programs(programs, &table_of_programs, &e)) return cli_fail(&e);
  struct claim_stored *table = claims_table_open(stored, &e);
  struct lab_db *db = !table ? NULL : path ? lab_db_open(path, false, &e) : scores_of(table, &e);
  bool ok = db && lab_page_write(db, table, programs ? &table_of_programs : NULL, title ? title : title_of(path), out, &e);
  lab_db_close(db);
  claim_stored_delete(table);
  return ok ? CLI_OK : cli_fail(&e);
}
