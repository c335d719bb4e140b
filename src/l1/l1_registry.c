/* The L1D organisations, one line each. The words of l1.org are checked against this list when a cache is built. */
#include "l1/l1.h"

extern const struct l1_org l1_set_assoc, l1_tsc, l1_tsc_plus, l1_line32, l1_line64, l1_line256, l1_sector, l1_lamar,
    l1_dsc2, l1_dsc4;

const struct l1_org *const l1_orgs[] = {
    &l1_set_assoc, &l1_tsc,    &l1_tsc_plus, &l1_line32, &l1_line64,
    &l1_line256,   &l1_sector, &l1_lamar,    &l1_dsc2,   &l1_dsc4,
    NULL,
};
