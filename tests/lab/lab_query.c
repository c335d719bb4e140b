/* The rows of a query, tab-separated, for the test scripts: lab_query DATABASE SQL. */
#include "lab/sweep/database.h"

#include <stdio.h>
#include <stdlib.h>

static void print_cell(const json_t *v) {
  if (json_is_string(v)) printf("%s", json_string_value(v));
  else if (json_is_integer(v)) printf("%lld", (long long)json_integer_value(v));
  else if (json_is_real(v)) printf("%.17g", json_real_value(v));
}

int main(int argc, char **argv) {
  struct err e = {0};
  struct lab_db *db = argc == 3 ? lab_db_open(argv[1], false, &e) : NULL;
  json_t *rows = db ? lab_db_query(db, argv[2], &e) : NULL;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    for (size_t k = 0; k < json_array_size(row); k++) {
      if (k) putchar('\t');
      print_cell(json_array_get(row, k));
    }
    putchar('\n');
  }
  if (!rows) fprintf(stderr, "lab_query: %s\n", e.text);
  int status = rows ? 0 : 1;
  json_decref(rows);
  lab_db_close(db);
  return status;
}
