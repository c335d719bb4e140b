/* Claims of this project itself, with one function for each: see claim.h. They are about what other commands have
 * left in the database, and run nothing. */
#include "lab/claims/claim.h"

enum { COMBINATIONS = 20 };

/* `heddle explore` writes one row a combination that it reports; none: it was not run at this size. */
static void x01(struct claim *c) {
  double n = claim_count(c, "combinations");
  if (n < 1) return;
  claim_figure(c, "combinations reported", "", COMBINATIONS, n);
  claim_measured(c, "%.0f combinations", n);
  claim_note(c, "`heddle explore --db` of the same database reports them");
  claim_holds(c, n >= COMBINATIONS);
}

/* Scores of the same size, measured by this command now or before. */
static void x02(struct claim *c) {
  size_t rows;
  claim_rows(&rows);
  double all = (double)rows - 2, n = claim_count(c, "scores");
  claim_figure(c, "claims measured", "", all, n);
  claim_measured(c, "%.0f of %.0f claims have a verdict", n, all);
  claim_note(c, "`heddle claims` without names measures all; a claim that is not measured says why");
  claim_holds(c, n >= all);
}

const struct claim_rule claims_x[] = {
    {"X01", x01, 0},
    {"X02", x02, 0},
    {0},
};
