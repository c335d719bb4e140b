/* The bypass policy that does nothing: accesses reach the cache in order, and every load uses it unless the program
 * says otherwise. */
#include "l1/bypass.h"

const struct l1_bypass l1_no_bypass = {
    .policy = {.name = "none", .meaning = "no bypassing: accesses in order, every cached load uses the L1D"}};
