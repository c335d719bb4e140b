/* The L1D bypass policies, one line each. */
#include "l1/bypass.h"

extern const struct l1_bypass l1_no_bypass, l1_mrpb;

const struct l1_bypass *const l1_bypasses[] = {
    &l1_no_bypass,
    &l1_mrpb,
    NULL,
};
