/* The L1D bypass policies, one line each. */
#include "l1/bypass.h"

extern const struct l1_bypass l1_no_bypass, l1_mrpb, l1_bucl_dyn, l1_bucl_prf;

const struct l1_bypass *const l1_bypasses[] = {
    &l1_no_bypass,
    &l1_mrpb,
    &l1_bucl_dyn,
    &l1_bucl_prf,
    NULL,
};
