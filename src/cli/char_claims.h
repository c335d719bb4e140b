/* Published claims that `heddle characterize` can check, from the files it wrote. */
#ifndef CLI_CHAR_CLAIMS_H
#define CLI_CHAR_CLAIMS_H

#include "base/err.h"

#include <jansson.h>

/* Reads files of `heddle characterize --json` (several may be of one GPU) into {"gpu": {"workload": row}}; the key is
 * "gpu" or "gpu,KEY=VALUE" with settings. NULL with e filled if one cannot be read. */
json_t *char_read_files(char *const *paths, struct err *e);
/* A list of {id, published, measured, verdict, note}; the verdict is reproduced, differs or not-measured. */
json_t *char_claims(const json_t *runs);

#endif
