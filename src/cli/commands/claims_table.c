/* See claims_table.h. */
#include "cli/commands/claims_table.h"

#include "cli/cli.h"
#include "cli/workload_names.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *claims_table_path(void) {
  static char path[4400];
  static const char *const places[] = {"claims.tsv", "../results/claims.tsv", "../../results/claims.tsv"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s/%s", cli_home(), places[i]);
    if (access(path, R_OK) == 0) return path;
  }
  return NULL;
}

struct claim_stored *claims_table_open(const char *file, struct err *e) {
  struct str stamps = {0};
  struct claim_stored *t = cli_workload_stamps(&stamps, e) ? claim_stored_new(stamps.s) : NULL;
  str_free(&stamps);
  if (!t || !file || !strcmp(file, "none") || claim_stored_read(t, file, e)) return t;
  claim_stored_delete(t);
  return NULL;
}
