/* Accesses reach the cache in order, and all loads use it that the program lets use it. */
#include "l1/bypass.h"

const struct l1_bypass l1_no_bypass = {
    .policy = {.name = "none", .meaning = "no bypassing: accesses in order, every cached load uses the L1D"}};
