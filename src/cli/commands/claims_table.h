/* The table of stored results (lab/claims/claim_stored.h) that comes with heddle, or that a user names. */
#ifndef CLI_CLAIMS_TABLE_H
#define CLI_CLAIMS_TABLE_H

#include "lab/claims/claim_stored.h"

/* Beside the workloads where heddle is installed, in the tree's results/ where it was built; NULL: there is none. */
const char *claims_table_path(void);
/* With the versions of the workloads at hand. "none" or NULL: empty. NULL with e filled if it cannot be read. */
struct claim_stored *claims_table_open(const char *file, struct err *e);

#endif
