/* The scoreboard: every published claim with what was measured last, as a page of Markdown. */
#ifndef LAB_CLAIM_PAGE_H
#define LAB_CLAIM_PAGE_H

#include "lab/sweep/database.h"

/* Of the scores in the database, those of each size that there are any of; "-" is standard output. */
bool claim_page_write(struct lab_db *db, const char *path, struct err *e);

#endif
