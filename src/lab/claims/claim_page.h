/* Writes the scoreboard of claims as a page of Markdown (docs/claims.md), from the stored results alone: the verdicts
 * at each size that is stored, under the defaults and under the other readings; which reading moves a speed-up the
 * most; and the reasons that hold. */
#ifndef LAB_CLAIM_PAGE_H
#define LAB_CLAIM_PAGE_H

#include "lab/claims/claim_stored.h"

bool claim_page_write(const struct claim_stored *stored, const char *path, struct err *e);

#endif
