/* No cooperation: there are no nodes, and load misses go to L2. */
#include "coop/coop.h"

const struct coop_policy coop_none = {.policy = {.name = "none", .meaning = "every miss goes to L2", .off = true}};
