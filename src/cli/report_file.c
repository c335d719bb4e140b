/* See report_file.h. */
#include "cli/report_file.h"

json_t *cli_load_report(const char *path, const char *number, struct err *e) {
  json_error_t at;
  json_t *r = json_load_file(path, 0, &at);
  if (!r && at.line > 0) err_set(e, ERR_INPUT, "%s:%d: not JSON: %s", path, at.line, at.text);
  else if (!r) err_set(e, ERR_INPUT, "cannot read the report '%s': %s", path, at.text);
  else if (!json_is_array(json_object_get(r, "kernels")) || !json_is_number(json_object_get(r, number))) {
    err_set(e, ERR_INPUT, "'%s' is not a report of `heddle run --json`", path);
    json_decref(r);
    r = NULL;
  }
  return r;
}
