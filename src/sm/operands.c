/* See operands.h. */
#include "sm/operands.h"

static uint32_t first_free(const struct sm_operands *o, uint64_t now) {
  uint32_t i = 0;
  while (i < o->collectors && o->free_at[i] > now) i++;
  return i;
}

bool sm_operands_accept(const struct sm_operands *o, uint64_t now) {
  return !o->collectors || first_free(o, now) < o->collectors;
}

uint64_t sm_operands_take(struct sm_operands *o, unsigned operands, uint64_t now, uint64_t period) {
  if (!o->collectors) return now;
  return o->free_at[first_free(o, now)] = now + (operands + 1) * period;
}
