/* The L1D organisations, one line each. The words of l1.org are checked against this list when a cache is built. */
#include "l1/l1.h"

extern const struct l1_org l1_set_assoc;

const struct l1_org *const l1_orgs[] = {
    &l1_set_assoc,
    NULL,
};
