/* See report_file.h. */
#include "cli/report_file.h"

static bool is_report(const json_t *r, const char *number) {
  const json_t *kernels = json_object_get(r, "kernels"), *k;
  size_t i;
  json_array_foreach(kernels, i, k) if (!json_is_string(json_object_get(k, "name"))) return false;
  return json_is_array(kernels) && json_is_number(json_object_get(r, number));
}

json_t *cli_load_report(const char *path, const char *number, struct err *e) {
  json_error_t at;
  json_t *r = json_load_file(path, 0, &at);
  if (!r && at.line > 0) err_set(e, ERR_INPUT, "%s:%d: not JSON: %s", path, at.line, at.text);
  else if (!r) err_set(e, ERR_INPUT, "cannot read the report '%s': %s", path, at.text);
  else if (!is_report(r, number)) {
    err_set(e, ERR_INPUT, "'%s' is not a report of `heddle run --json`", path);
    json_decref(r);
    r = NULL;
  }
  return r;
}
