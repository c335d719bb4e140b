/* The page of results: one HTML file (page_file.h) with the data of a database. What is drawn and how is in page.html. */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "lab/claims/claim_stored.h"
#include "lab/sweep/database.h"
#include "lab/sweep/program_table.h"

/* Above so many numbers, only the statistics whose names are promised (docs/results.md) are put in the page. */
enum { LAB_PAGE_NUMBERS = 500000 };

/* Figures of the papers are drawn of the database's runs and of stored results (NULL: none) that are not stale; of a database without
 * runs, of all stored ones. With programs (NULL: none) figures and claims are those that were measured with them in the workloads'
 * place. The file appears whole or not at all; "-" is standard output. */
bool lab_page_write(struct lab_db *db, const struct claim_stored *stored, const struct lab_programs *programs, const char *title,
                    const char *path, struct err *e);

#endif
