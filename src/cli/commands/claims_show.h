/* What `heddle claims` prints and writes of scores. */
#ifndef CLI_CLAIMS_SHOW_H
#define CLI_CLAIMS_SHOW_H

#include "lab/claims/claim_lab.h"

void claims_show_scores(const json_t *scores);
/* One line a reading, and which verdicts it changes against the usual ones. */
void claims_show_reading(const struct reading *r, const json_t *usual, const json_t *scores);
/* How much of the figures there is now; `path` is the database's. */
bool claims_show_figures(const struct claim_lab *l, const char *path, struct err *e);
/* Writes all but the scores' figures. */
bool claims_show_json(const json_t *scores, const char *path, struct err *e);

#endif
