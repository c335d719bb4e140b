/* The warp schedulers, one line each. */
#include "sm/sm.h"

extern const struct sm_scheduler sm_lrr, sm_grr, sm_gto, sm_two_level, sm_ccws;

const struct sm_scheduler *const sm_schedulers[] = {
    &sm_lrr,
    &sm_grr,
    &sm_gto,
    &sm_two_level,
    &sm_ccws,
    NULL,
};

const struct cfg_key *const *sm_key_tables(size_t *n) {
  static const struct cfg_key *tables[8];
  size_t k = 0;
  tables[k++] = sm_keys;
  for (size_t i = 0; sm_schedulers[i]; i++)
    if (sm_schedulers[i]->keys) tables[k++] = sm_schedulers[i]->keys;
  *n = k;
  return tables;
}
