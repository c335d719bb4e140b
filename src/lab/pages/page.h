/* The page of results: one HTML file (page_file.h) with the data of a database. What is drawn, and how, is in
 * page.html. */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "lab/claims/claim_stored.h"
#include "lab/sweep/database.h"
#include "lab/sweep/program_table.h"

/* If there are more numbers than this, only the statistics with stable names (docs/results.md) are put into the page. */
enum { LAB_PAGE_NUMBERS = 500000 };

/* Writes the page. Figures of the papers are drawn from the runs of the database and from stored results (NULL: none)
 * that are not stale; if the database has no runs, from all stored results. With programs (NULL: none), figures and
 * claims are those measured with them in the workloads' place. The file appears whole or not at all; "-" is standard
 * output. */
bool lab_page_write(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *title,
                    const char *path, struct err *e);

#endif
