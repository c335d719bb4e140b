/* Reasons why claims differ from what was published, as data (results/reasons.toml). A reason rests on experiments: numbers of runs,
 * each with the value that was measured. It is shown only while all of them are among the stored results (claim_stored.h), are
 * not stale, and still have that value; otherwise the reason is stale itself, and is not shown.
 *
 *   [T17]
 *   why = "..."
 *   shows = ["small kmeans gtx480 l1.bypass=mrpb l1d.bypasses=1234"]   # size, workload, GPU, settings or -, number=value
 *
 * A reason without `shows` is never shown. */
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
/* Whether the reason holds, so that it may be shown. */
bool claim_reason_holds(const struct claim_reason *r, const struct claim_stored *stored);
/* For tests: reads the text of a file into *out, whose memory belongs to the arena. */
bool claim_reasons_parse(struct arena *a, const char *name, const char *text, const struct claim_reason **out, size_t *n,
                         struct err *e);

#endif
