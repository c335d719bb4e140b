/* What `heddle characterize` shows: one table a figure, the same for text and picture. Rows are workloads. */
#ifndef CLI_CHAR_TABLES_H
#define CLI_CHAR_TABLES_H

#include <jansson.h>
#include <stdbool.h>

enum { CHAR_COLUMNS = 17 };
enum char_kind {
  CHAR_STACK, /* columns are parts of a whole */
  CHAR_CELLS, /* columns are shares of different wholes */
  CHAR_SCALE, /* columns are quantities, to be compared within a row */
  CHAR_PLAIN, /* one or more unrelated figures: text only */
};
struct char_column {
  const char *title;
  const char *path; /* within the probe's object, steps separated by '>' */
  bool percent;     /* a share between 0 and 1 */
};
struct char_table {
  const char *probe, *title, *about;
  enum char_kind kind;
  struct char_column columns[CHAR_COLUMNS + 1]; /* ended by one without title */
};
extern const struct char_table char_tables[]; /* ended by one without title */

/* The figure of a row: `probes` is a run's "probes" (of a table without probe: the run). NULL or json null: there is none. */
const json_t *char_value(const json_t *probes, const struct char_table *t, const struct char_column *c);
/* "12.3 %", "412", or "-". */
void char_text(const json_t *v, const struct char_column *c, char *out, size_t size);

#endif
