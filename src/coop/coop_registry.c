/* Every cooperation network; a new one is a file and a line here, and its word in the key coop. */
#include "coop/coop.h"

extern const struct coop_policy coop_none, coop_ccn_b, coop_ccn_rt, coop_ideal, coop_cluster, coop_tracker;

const struct coop_policy *const coop_policies[] = {&coop_none, &coop_ccn_b, &coop_ccn_rt, &coop_ideal, &coop_cluster, &coop_tracker, NULL};
