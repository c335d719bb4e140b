/* Reasons: why a claim that differs does so, as data (results/reasons.toml). A reason rests on experiments: numbers of runs, each
 * with the value that was measured. It is given only while every one of them is among the stored results (claim_stored.h), is not
 * stale, and is still what was written; otherwise it is stale itself, and is not given.
 *
 *   [T17]
 *   why = "..."
 *   shows = ["small kmeans gtx480 l1.bypass=mrpb l1d.bypasses=1234"]   # size, workload, GPU, settings or -, number=value
 *
 * Without `shows` it is never given. */
#ifndef LAB_CLAIM_REASON_H
#define LAB_CLAIM_REASON_H

#include "base/arena.h"
#include "lab/claims/claim.h"
#include "lab/claims/claim_stored.h"

enum { CLAIM_MOST_SHOWN = 16 };
struct claim_experiment {
  const char *size, *workload, *name;
  struct claim_setup setup;
  double value;
};
struct claim_reason {
  const char *id, *why;
  struct claim_experiment shows[CLAIM_MOST_SHOWN];
  size_t n;
};

const struct claim_reason *claim_reasons(size_t *n);
const struct claim_reason *claim_reason(const char *id); /* NULL: there is none */
/* Whether it may be given. */
bool claim_reason_holds(const struct claim_reason *r, const struct claim_stored *stored);
/* For tests: reads a file's text into *out, whose memory is the arena's. */
bool claim_reasons_parse(struct arena *a, const char *name, const char *text, const struct claim_reason **out, size_t *n,
                         struct err *e);

#endif
