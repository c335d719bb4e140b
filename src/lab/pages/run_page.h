/* The page of one run, or of two beside each other: one HTML file (page_file.h) made from the reports of `heddle run
 * --json`. What is drawn, and how, is in run_page.html and the scripts beside it. If a report lacks something
 * (docs/results.md: --detail), the page leaves it out and says so. */
#ifndef LAB_RUN_PAGE_H
#define LAB_RUN_PAGE_H

#include "base/err.h"

#include <jansson.h>

enum { LAB_RUN_PAGE_MOST = 2 }; /* runs */

/* `names` are the names of the runs (for two runs, what distinguishes them). The file appears whole or not at all;
 * "-" is standard output. */
bool lab_run_page_write(json_t *const *reports, const char *const *names, unsigned n, const char *path, struct err *e);

#endif
